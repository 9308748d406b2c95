//! Twins of glass.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
