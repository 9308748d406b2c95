//! Temporary folders of tests.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Temporary folder of its own for one test, removed with all that is in it when the value is dropped.
///
/// The methods panic where the system refuses: a test has nothing else to do then.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// Makes an empty folder.
    pub fn new() -> Self {
        Self::with_prefix("raywarp")
    }

    /// Makes an empty folder whose name begins with `prefix`.
    pub fn with_prefix(prefix: &str) -> Self {
        Self(TempDir::with_prefix(prefix).unwrap_or_else(|error| panic!("a folder for a test: {error}")))
    }

    /// Makes a folder that holds some files, each with its name and contents.
    pub fn with_files<N: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, B)>) -> Self {
        let folder = Self::new();
        files.into_iter().for_each(|(name, bytes)| drop(folder.file(name.as_ref(), bytes)));
        folder
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the file or folder `name` in this folder, whether or not it exists.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes the file `name`, makes the folders that its name has, and returns its path.
    #[track_caller]
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, bytes));
        written.unwrap_or_else(|error| panic!("{name}: {error}"));
        path
    }

    /// Reads the bytes of the file `name`.
    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads the text of the file `name`.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the names of the files and folders in this folder, sorted.
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap_or_else(|error| panic!("the test's folder: {error}"));
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn a_folder_holds_what_was_written_and_goes() {
        let folder = Folder::with_files([("b.txt", "two"), ("sub/a.txt", "one")]);
        assert_eq!(folder.file("a", [7]), folder.path().join("a"));
        assert_eq!(folder.names(), ["a", "b.txt", "sub"]);
        assert_eq!((folder.read("a"), folder.text("sub/a.txt")), (vec![7], "one".to_string()));
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_has_the_beginning_of_its_name() {
        let folder = Folder::with_prefix("a,b ");
        assert!(folder.path().file_name().unwrap().to_str().unwrap().starts_with("a,b "));
    }
}
