//! Twins of bsdf.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
