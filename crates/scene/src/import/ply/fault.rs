//! A mistake with its position, as the parts of the importer hand it on.

use crate::{FaultKind, Place};

/// Mistake in a PLY file at some position, before the file's path is added.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub kind: FaultKind,
}

impl Fault {
    pub fn malformed(place: Place, fault: impl Into<FaultKind>) -> Self {
        Self { place, kind: fault.into() }
    }
}
