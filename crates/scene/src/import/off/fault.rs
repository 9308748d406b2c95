//! A mistake with its line, as the parts of the importer hand it on.

use crate::FaultKind;

/// Mistake in an OFF file, with its line number.
#[derive(Debug)]
pub(super) struct Fault {
    pub line: u64,
    pub kind: FaultKind,
}
