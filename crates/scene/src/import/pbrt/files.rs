//! Files of a scene: the paths that names lead to, and the stack of open files.

use super::lexer::Lexer;
use super::params::malformed;
use super::state::{Graphics, Importer};
use crate::findings::pbrt::{MAX_DEPTH, MAX_INCLUDES};
use crate::import::foreign;
use crate::import::located::{located, of_another_machine};
use crate::{ImportError, PbrtFault, Place};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Resolver of file names relative to the main file's folder.
pub(super) struct Files {
    folder: PathBuf,
    /// `true` if files are read from disk; otherwise all but the main file are missing.
    pub disk: bool,
    includes: u32,
}

/// pbrt file that is being read.
pub(super) struct Opened {
    pub path: Rc<Path>,
    pub lexer: Lexer,
    /// Graphics state to return to at the end of a file read by version 4's `Import`.
    pub restore: Option<Box<Graphics>>,
}

impl Files {
    pub fn new(main: &Path, disk: bool) -> Self {
        Self { folder: main.parent().unwrap_or(Path::new("")).to_path_buf(), disk, includes: 0 }
    }

    /// Resolves a file name to a path; the second value is `true` if the file is taken in place of one on another
    /// machine. Names are relative to the main file's folder, as in pbrt, or else to the folder of the file that has
    /// the name. Backslashes separate folders where nothing is found otherwise, letters may be of another case, and a
    /// whole path of another machine leads to a file beside these; then it is said that it does.
    pub fn resolve(&self, name: &str, current: Option<&Path>) -> (PathBuf, bool) {
        let first = self.folder.join(name);
        if !self.disk {
            return (first, false);
        }
        let folders = [Some(self.folder.as_path()), current.and_then(Path::parent)];
        let folders = || folders.iter().flatten().copied();
        if let Some(path) = folders().map(|folder| folder.join(name)).find(|path| path.exists()) {
            return (path, false);
        }
        if let Some(path) = folders().map(|folder| located(&folder.join(name))).find(|path| path.exists()) {
            return (path, false);
        }
        let other = folders().find_map(|folder| of_another_machine(folder, name));
        other.map_or((first, false), |path| (path, true))
    }
}

impl Importer<'_> {
    /// Opens the file `name` to be read next; a missing one is noted and skipped.
    pub fn include(&mut self, name: &str, line: u64, isolated: bool) -> Result<(), ImportError> {
        let path = self.resolve(name, line);
        let Some(parent) = self.open.last() else { return Ok(()) };
        let parent_path = parent.path.clone();
        let too_large = |fault: PbrtFault| ImportError::TooLarge {
            path: parent_path.to_path_buf(),
            place: Place::Line(line),
            kind: fault.into(),
        };
        if self.open.len() >= MAX_DEPTH {
            return Err(too_large(PbrtFault::IncludeDepth));
        }
        self.files.includes += 1;
        if self.files.includes > MAX_INCLUDES {
            return Err(too_large(PbrtFault::Includes));
        }
        if self.files.disk {
            let same = |other: &Path| {
                other == path || path.canonicalize().ok().is_some_and(|p| other.canonicalize().ok() == Some(p))
            };
            if self.open.iter().any(|file| same(&file.path)) {
                return Err(malformed(&parent_path, line, PbrtFault::IncludesItself { path }));
            }
        }
        if let Some(bytes) = self.read(&path)? {
            foreign::check_included(&path, &bytes)?;
            let restore = isolated.then(|| Box::new(self.graphics.clone()));
            self.open.push(Opened { path: Rc::from(path), lexer: Lexer::new(bytes), restore });
        }
        Ok(())
    }

    /// Closes the innermost open file.
    pub fn close(&mut self) -> Result<(), ImportError> {
        if let Some(block) = self.saved.last().filter(|block| block.depth >= self.open.len()) {
            let path = self.open.last().map_or(Path::new(""), |file| &*file.path);
            return Err(malformed(path, block.line, PbrtFault::NeverClosed { begin: block.begin }));
        }
        if let Some(Opened { restore: Some(graphics), .. }) = self.open.pop() {
            self.graphics = *graphics;
        }
        Ok(())
    }
}
