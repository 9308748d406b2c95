//! Twins of texture.

use super::Twin;

pub(super) const TWINS: &[Twin] = &[];
