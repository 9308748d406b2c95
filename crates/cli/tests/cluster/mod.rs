//! The examples for clusters: shares of a small picture on several "machines", some of which fail, and what is merged
//! of them.

mod kubernetes;
mod ray;
mod shares;
mod slurm;

use crate::common_folder::{Folder, text};
use raywarp::render::output;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Samples a pixel of every picture here.
const SAMPLES: u32 = 8;
/// Into how many shares they are split.
const SHARES: u32 = 4;
/// What is rendered, with options.
const PICTURE: [&str; 3] = ["room.pbrt", "--size", "24x18"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A file of examples/cluster.
fn example(name: &str) -> PathBuf {
    repository().join("examples/cluster").join(name)
}

/// A folder with a scene and a `program` that does what raywarp does, but for what a test tells it.
struct Cluster {
    folder: Folder,
}

impl Cluster {
    /// `first` are lines of sh before the real program, which see its arguments in `$*`, as `render ... 2..4 ...`. They
    /// may ask `once NAME` whether they are the first that do.
    fn new(first: &str) -> Self {
        let folder = Folder::new();
        std::fs::copy(repository().join("examples/room.pbrt"), folder.at("room.pbrt")).unwrap();
        let program = format!(
            "#!/bin/sh\nhere='{}'\nreal='{}'\n\
             once() {{ mkdir \"$here/once-$1\" 2>/dev/null; }}\n\
             echo \"$*\" >> \"$here/calls\"\n{first}\nexec \"$real\" \"$@\"\n",
            folder.path().display(),
            env!("CARGO_BIN_EXE_raywarp"),
        );
        folder.file("program", program);
        let cluster = Self { folder };
        cluster.make_executable("program");
        cluster
    }

    fn make_executable(&self, name: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(self.folder.at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A command in the folder, for which the program is raywarp.
    fn command(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.folder).env("RAYWARP", self.folder.at("program")).env_remove("RAYWARP_SCENES");
        command
    }

    /// `sh shares.sh` with the words of `line`.
    fn shares_sh(&self, line: &str) -> Output {
        self.command("sh").arg(example("shares.sh")).args(line.split_whitespace()).output().unwrap()
    }

    /// How often the program was told to render the samples `range`.
    fn renders_of(&self, range: &str) -> usize {
        let calls = text(&self.folder.read("calls"));
        calls.lines().filter(|line| line.contains(&format!("--samples {range} "))).count()
    }

    /// Names in a folder, sorted.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.at(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// That the shares in `folder` are whole and without anything half done, and that `merged` is what `merge`
    /// promises: each colour within one unit in the last place of the whole render's, and the same bits as of the
    /// shares in another order.
    #[track_caller]
    fn check_merged(&self, folder: &str, merged: &str) {
        let pictures = self.names(folder).into_iter().filter(|name| name.contains(".exr") && name != "picture.exr");
        let pictures: Vec<_> = pictures.collect();
        assert_eq!(pictures, ["000000-000002.exr", "000002-000004.exr", "000004-000006.exr", "000006-000008.exr"]);
        let line = PICTURE.join(" ");
        self.folder.succeeds(&format!("render {line} --spp {SAMPLES} -o whole.exr"));
        let backwards: Vec<_> = pictures.iter().rev().map(|name| format!("{folder}/{name}")).collect();
        self.folder.succeeds(&format!("merge {} -o backwards.exr", backwards.join(" ")));
        let colours = |name: &str| {
            let picture = output::read_picture(&self.folder.at(name)).unwrap();
            picture.colour.into_iter().flatten().map(f32::to_bits).collect::<Vec<_>>()
        };
        let (merged, whole) = (colours(merged), colours("whole.exr"));
        assert!(merged == colours("backwards.exr"));
        assert_eq!(merged.len(), whole.len());
        // Radiance is not negative, so that neighbours have neighbouring bits.
        let apart = merged.iter().zip(&whole).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(apart <= Some(1), "{apart:?} units in the last place apart");
    }
}
