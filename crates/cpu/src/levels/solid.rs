//! [`SolidLevels`]: scenes of two levels for which triangles without area are not there.

use super::{LevelsTracer, NAME};
use crate::blocked::Blocked;
use crate::filtered::{Asks, cost};
use crate::one_by_one::{OneByOne, traces_one_by_one};
use crate::parts;
use crate::sink::{Asked, Contact, Nearest, Obstacle};
use raywarp_geom::triangle::has_no_area;
use raywarp_geom::{Hit, HitKey, Ray, RayCost};

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

    /// Returns the scene with all of its triangles.
    pub fn scene(&self) -> &LevelsTracer {
        &self.0
    }
}

fn has_area(contact: &Contact<'_>) -> bool {
    contact.corners().is_none_or(|corners| !has_no_area(&corners))
}

impl OneByOne for SolidLevels {
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        let asked = Asked { accept: Some(&has_area), ..Asked::all(Nearest::default()) };
        self.0.ask(ray, after, asked)?.sink.hit()
    }

    fn any(&self, ray: &Ray, after: HitKey) -> Blocked {
        let asked = Asked { accept: Some(&has_area), ..Asked::all(Obstacle::default()) };
        self.0.ask(ray, after, asked).map_or(Blocked::No, |found| found.sink.verdict())
    }

    fn cost(&self, ray: &Ray) -> RayCost {
        cost(&self.0, ray)
    }
}

traces_one_by_one!(SolidLevels, NAME);
