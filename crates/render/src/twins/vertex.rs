//! Twins of vertex.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
