//! Twins of surface.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
