//! A mistake with its line, as the parts of the importer hand it on.

use crate::FaultKind;

/// Mistake in a line of a file, before the file's path is added.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub line: u64,
    pub kind: FaultKind,
}

impl Fault {
    pub fn new(line: u64, kind: impl Into<FaultKind>) -> Self {
        Self { line, kind: kind.into() }
    }
}
