//! [`SolidLevels`]: scenes of two levels for which triangles without area are not there.

use super::LevelsTracer;
use super::batch::{Asking, traces_in_two_levels};
use crate::parts;
use crate::sink::Contact;
use raywarp_geom::triangle::has_no_area;
use raywarp_geom::{Hit, HitKey, Ray};

/// Scene of two levels in which triangles of exactly zero area, as they stand in the world, are not there: the hits of
/// a scene that was flattened without them.
///
/// Rounding decides for each placement which have no area, so that no tree can leave them out. They are told at a hit,
/// of which a ray has few.
#[derive(Debug, Clone)]
pub struct SolidLevels(LevelsTracer);

impl SolidLevels {
    /// Leaves triangles without area out of a scene.
    pub fn new(scene: LevelsTracer) -> Self {
        Self(scene)
    }

    fn asking(&self) -> Asking<'_> {
        Asking { scene: &self.0, is_solid: true }
    }

    /// Returns the scene with all of its triangles.
    pub fn scene(&self) -> &LevelsTracer {
        &self.0
    }
}

pub(super) fn has_area(contact: &Contact<'_>) -> bool {
    contact.corners().is_none_or(|corners| !has_no_area(&corners))
}

traces_in_two_levels!(SolidLevels);
