//! Looks in one place for what several tests need of the machine. Where it is missing the test is noted as skipped.

use crate::{Reason, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the environment variable that holds the folder of scenes, as for the command `raywarp`.
const SCENES: &str = "RAYWARP_SCENES";

/// Returns the folder of large scenes, or notes the test as skipped and returns `None`. The scenes are no part of the
/// repository: the folder is the one that `RAYWARP_SCENES` names, else `shared/scenes` beside the repository.
#[track_caller]
pub fn scenes() -> Option<PathBuf> {
    there(scene_folder())
}

/// Returns a file or folder in the folder of large scenes, or notes the test as skipped and returns `None`.
#[track_caller]
pub fn scene_file(name: &str) -> Option<PathBuf> {
    there(scene_folder().join(name))
}

#[track_caller]
fn there(path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    skip(Reason::Scenes, &format!("{} is not there; set {SCENES}", path.display()));
    None
}

fn scene_folder() -> PathBuf {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/scenes").into();
    std::env::var_os(SCENES).map_or_else(beside, PathBuf::from)
}

/// Returns `true` if `python3` runs here and can import `module`; else notes the test as skipped.
#[track_caller]
pub fn python_has(module: &str) -> bool {
    let output = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    let has = output.is_ok_and(|output| output.status.success());
    if !has {
        skip(Reason::Python, &format!("python3 does not run here, or has no module {module}"));
    }
    has
}

/// Returns the path of the device to which every write fails for want of space, or notes the test as skipped and
/// returns `None`.
#[track_caller]
pub fn full_device() -> Option<&'static Path> {
    let device = Path::new("/dev/full");
    if !device.exists() {
        skip(Reason::System, "there is no /dev/full");
        return None;
    }
    Some(device)
}
