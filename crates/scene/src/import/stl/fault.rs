//! A mistake with its position, as the parts of the importer hand it on.

use crate::{FaultKind, Place};

/// Mistake in an STL file at some position, before the file's path is added.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub kind: FaultKind,
}
