//! Before the first stage: the media that a place lies in.

use crate::flat::{MaterialFlags, NONE, ShadingScene};
use crate::vertex::MediaStack;
use glam::Vec3;
use raywarp_geom::{Control, Hit, HitKey, Ray, TraceError, Tracer};

/// Largest number of surfaces that each ray in search of surrounding media passes.
const MOST_SURFACES: usize = 256;

/// Directions of the rays in search of surrounding media, along no axis; a surface that is not closed misleads one of
/// them, seldom three.
const DIRECTIONS: [[f32; 3]; 5] =
    [[0.31, 0.87, 0.39], [-0.77, 0.23, 0.59], [0.53, -0.61, -0.59], [0.83, -0.29, 0.47], [-0.41, -0.73, -0.55]];

/// Bodies and media found along a ray from a point.
#[derive(Default)]
struct Look {
    /// Bodies entered along the ray and not yet left.
    entered: Vec<u32>,
    /// Bodies left along the ray but not entered, which contain the point, innermost first.
    around: Vec<u32>,
    /// Medium on the near side of the first surface that states the media on both sides.
    stated: Option<u32>,
}

/// Returns the media in which `place` lies, by the closed surfaces around it: bodies that contain it, and the near side
/// of the first interface. The answer of most of several directions counts.
pub(crate) fn media_around(scene: &ShadingScene, tracer: &dyn Tracer, place: Vec3) -> Result<MediaStack, TraceError> {
    if scene.media.is_empty() || !place.is_finite() {
        return Ok(MediaStack::default());
    }
    let rays = DIRECTIONS.map(|direction| Ray::new(place.into(), Vec3::from(direction).normalize().into()));
    let (mut hits, mut instances) = ([Hit::default(); DIRECTIONS.len()], [0; DIRECTIONS.len()]);
    let mut after = [HitKey::START; DIRECTIONS.len()];
    let mut looks: [Look; DIRECTIONS.len()] = Default::default();
    for _ in 0..MOST_SURFACES {
        tracer.closest(&rays, &after, &mut hits, &mut instances, &Control::default())?;
        for (i, look) in looks.iter_mut().enumerate() {
            if hits[i].is_hit() {
                look.pass(scene, &rays[i], &hits[i], instances[i]);
                after[i] = HitKey::of(&hits[i], instances[i]);
            }
        }
        if hits.iter().all(|hit| !hit.is_hit()) {
            break;
        }
    }
    let answers = looks.map(Look::answer);
    let agree = |answer: &MediaStack| answers.iter().filter(|other| *other == answer).count();
    Ok(answers.into_iter().find(|answer| 2 * agree(answer) > DIRECTIONS.len()).unwrap_or_default())
}

impl Look {
    /// Continues the ray through a surface that it hits.
    fn pass(&mut self, scene: &ShadingScene, ray: &Ray, hit: &Hit, instance: u32) {
        let (triangle, material) = scene.surface_of(hit, instance);
        let from_behind = triangle.is_met_from_behind(ray.direction.into());
        if material.has(MaterialFlags::INTERFACE) {
            self.stated.get_or_insert(if from_behind { material.inside } else { material.outside });
        } else if material.inside != NONE {
            if !from_behind {
                self.entered.push(material.inside);
            } else if let Some(i) = self.entered.iter().rposition(|&medium| medium == material.inside) {
                self.entered.remove(i);
            } else {
                self.around.push(material.inside);
            }
        }
    }

    fn answer(self) -> MediaStack {
        let outmost = MediaStack::of(self.stated.unwrap_or(NONE));
        self.around.into_iter().rev().fold(outmost, MediaStack::entered)
    }
}
