//! Twins of light.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
