//! Pages of this repository as tests read them: files, fenced blocks, headings.

use std::fs;
use std::path::{Path, PathBuf};

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

    /// The folder that the page's links start from.
    pub fn folder(&self) -> PathBuf {
        repository().join(&self.name).parent().unwrap().into()
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

    /// The fenced blocks, in order.
    #[allow(dead_code, reason = "the test of links reads none")]
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
