//! Twins of lens.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
