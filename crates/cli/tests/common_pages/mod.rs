//! Pages of this repository as tests read them (files, fenced blocks, commands), and a clone to follow them in.

use crate::common_folder::Folder;
use crate::common_rays::npy_f64;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A page of the repository.
pub struct Page {
    /// From the repository's root, such as `docs/guide/gpu.md`.
    pub name: String,
    pub text: String,
}

/// A fenced block of a page.
pub struct Block {
    /// What stands behind the opening fence, such as `sh gpu`.
    pub info: String,
    pub text: String,
}

impl Page {
    pub fn read(name: &str) -> Self {
        Self { name: name.into(), text: fs::read_to_string(repository().join(name)).unwrap() }
    }

    /// The lines outside of fenced blocks, with their numbers from 1.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        self.text.lines().enumerate().filter_map(move |(number, line)| {
            let is_fence = line.trim_start().starts_with("```");
            inside ^= is_fence;
            (!inside && !is_fence).then_some((number + 1, line))
        })
    }

    /// The commands of the shell blocks that `wanted` takes by what stands behind their fence, without comments; a
    /// backslash at the end goes on in the next line.
    pub fn commands(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let blocks = self.blocks();
        let text: String = blocks.iter().filter(|block| wanted(&block.info)).map(|block| &*block.text).collect();
        let bare = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_string();
        let text = text.replace("\\\n", " ");
        text.lines().map(bare).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    }

    /// The fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut indent = None;
        for line in self.text.lines() {
            match (line.trim_start().strip_prefix("```"), indent) {
                (Some(_), Some(_)) => indent = None,
                (Some(info), None) => {
                    indent = Some(line.len() - line.trim_start().len());
                    blocks.push(Block { info: info.trim().into(), text: String::new() });
                }
                (None, Some(columns)) => {
                    let block = blocks.last_mut().unwrap();
                    block.text += line.get(columns..).unwrap_or_default();
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        blocks
    }
}

/// A folder as a clone has it after `cargo install`: the examples, and `raywarp` on PATH.
pub struct Clone(Folder);

impl Clone {
    pub fn new() -> Self {
        let clone = Self(Folder::new());
        let link = |target: PathBuf, name: &str| std::os::unix::fs::symlink(target, clone.path().join(name)).unwrap();
        for folder in ["bin", "examples"] {
            fs::create_dir(clone.path().join(folder)).unwrap();
        }
        link(env!("CARGO_BIN_EXE_raywarp").into(), "bin/raywarp");
        for folder in ["bench", "machines"] {
            link(repository().join(folder), folder);
        }
        for entry in fs::read_dir(repository().join("examples")).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                fs::copy(entry.path(), clone.path().join("examples").join(entry.file_name())).unwrap();
            }
        }
        // What lines of Python leave for the commands behind them.
        clone.0.file("rays.npy", npy_f64(&[[0.0, 2.0, 9.0, 0.0, 0.0, -1.0]]));
        clone
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.path().join("bin").display());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).env("PATH", path).env_remove("RAYWARP_SCENES");
        command.output().unwrap_or_else(|error| panic!("{program}: {error}"))
    }
}

/// All pages below `folder`, in the order of their names; folders of builds and of version control are left out.
pub fn pages(folder: &str) -> Vec<Page> {
    let mut found = Vec::new();
    collect(&repository(), Path::new(folder), &mut found);
    found.sort();
    found.iter().map(|name| Page::read(name)).collect()
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder == Path::new(".") { PathBuf::from(&name) } else { folder.join(&name) };
        if entry.file_type().unwrap().is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(root, &path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path.to_str().unwrap().replace('\\', "/"));
        }
    }
}
