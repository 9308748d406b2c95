//! Where the large scenes are, which are no part of the repository.

use crate::{Reason, skip};
use std::path::PathBuf;

/// The variable that names the folder of scenes, as for the command.
const VARIABLE: &str = "RAYWARP_SCENES";

/// The folder of large scenes: the one that `RAYWARP_SCENES` names, else `shared/scenes` beside the repository. Without
/// it the test is noted as skipped.
#[track_caller]
pub fn scenes() -> Option<PathBuf> {
    let folder = place();
    if folder.is_dir() {
        return Some(folder);
    }
    skip(Reason::Scenes, &format!("{} is not there; set {VARIABLE}", folder.display()));
    None
}

/// A file or folder in the folder of large scenes. Without it the test is noted as skipped.
#[track_caller]
pub fn scene_file(name: &str) -> Option<PathBuf> {
    let file = place().join(name);
    if file.exists() {
        return Some(file);
    }
    skip(Reason::Scenes, &format!("{} is not there; set {VARIABLE}", file.display()));
    None
}

fn place() -> PathBuf {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/scenes").into();
    std::env::var_os(VARIABLE).map_or_else(beside, PathBuf::from)
}
