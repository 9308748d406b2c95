//! Lamps for a room without light: at clear places before the eye, far from what they light.
//!
//! One at the lens stands a hand's breadth before the next surface, and paths that come to that one find it a thousand
//! times too bright. Here each is as strong as the square of its distance from the nearest surface, so that it lights
//! none more than 1, before all are scaled together, and lamps stand two such distances apart. Each is a ball of an eighth
//! of that distance, so that shadows are soft: points on a sphere, which no ray meets, so that it does not stand in the
//! picture.

use crate::Prepared;
use crate::free_space::{Met, around, met, rays};
use glam::{DVec3, Vec3};
use raywarp_geom::Ray;
use raywarp_render::{PathObserver, RenderError, RenderOptions, Watch};
use raywarp_scene::{Camera, Light};
use std::sync::{Mutex, PoisonError};

/// Directions in which it is asked how far rays get from what is seen, and how far away all is from a lamp.
const FROM_SEEN: usize = 64;
const FROM_LAMP: usize = 256;
/// The most of the first that get out of the scene, from a place that is closed in.
const LEAVE: usize = 3;
/// The most places that are asked about: camera rays, and places on each.
const ALONG: [f64; 3] = [0.25, 0.5, 0.75];
const RAYS: usize = 96;
/// The most lamps: each connection is to a point of one of them.
const LAMPS: usize = 4;
/// Points of the strongest lamp. So many make a shadow's edge soft; of more, few samples a pixel choose unevenly (relative mean
/// squared error at 64: by 8 a tenth to a quarter more than by 1, by 16 two thirds more).
const POINTS: usize = 8;
/// Of a lamp's distance from the nearest surface its radius.
const RADIUS: f64 = 0.125;

/// Where camera rays of a small picture meet surfaces, and which of these places are closed in.
pub(crate) struct Seen {
    eye: DVec3,
    /// The camera's rays and how far they get.
    rays: Vec<(Ray, f32)>,
    closed: usize,
}

impl Seen {
    /// Asks how far rays get from what `camera` sees; `None` where it sees nothing.
    pub(crate) fn from(
        prepared: &Prepared,
        camera: &Camera,
        small: &RenderOptions,
    ) -> Result<Option<Self>, RenderError> {
        let listener = CameraRays::default();
        let first = RenderOptions { samples: 0..1, max_depth: 0, ..small.clone() };
        prepared.render_observed(camera, &first, &Watch::default(), &listener)?;
        let all = listener.in_order();
        let step = all.len().div_ceil(RAYS).max(1);
        let some: Vec<Ray> = all.into_iter().skip(step / 2).step_by(step).collect();
        let tracer = prepared.tracer();
        let Some(seen) = met(tracer, &some) else { return Ok(None) };
        let hits: Vec<(Ray, f32)> =
            some.into_iter().zip(&seen).filter(|(_, met)| !met.escapes()).map(|(ray, met)| (ray, met.t)).collect();
        // A little before the surface, on the side of who sees it.
        let places: Vec<DVec3> = hits.iter().map(|&(ray, t)| along(&ray, 0.999 * f64::from(t))).collect();
        let Some(met) = met(tracer, &rays(&places, around(FROM_SEEN))) else { return Ok(None) };
        let is_closed = |met: &&[Met]| met.iter().filter(|met| met.escapes()).count() <= LEAVE;
        let closed = met.chunks(FROM_SEEN).filter(is_closed).count();
        let eye = Vec3::from(camera.eye).as_dvec3();
        Ok(Some(Self { eye, rays: hits, closed }).filter(|seen| !seen.rays.is_empty()))
    }

    /// Whether hardly a ray gets out of the scene from most of what is seen.
    pub(crate) fn is_closed_in(&self) -> bool {
        2 * self.closed > self.rays.len()
    }

    /// Lamps at the clearest places that are in view, at most four; `None` where there is no room for one.
    pub(crate) fn lamps(&self, prepared: &Prepared) -> Option<Vec<Light>> {
        let on_ray = |&(ray, t): &(Ray, f32)| ALONG.map(|share| along(&ray, share * f64::from(t)));
        let places: Vec<DVec3> = std::iter::once(self.eye).chain(self.rays.iter().flat_map(on_ray)).collect();
        let met = met(prepared.tracer(), &rays(&places, around(FROM_LAMP)))?;
        let nearest = |met: &[Met]| met.iter().map(|met| met.t).fold(f32::INFINITY, f32::min);
        let clear = met.chunks(FROM_LAMP).map(|met| f64::from(nearest(met)));
        let mut places: Vec<(f64, DVec3)> = clear.zip(places).filter(|(clear, _)| clear.is_finite()).collect();
        // Stable: of equal ones the first.
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let clearest = places.first().filter(|(clear, _)| *clear > 0.0)?.0;
        let mut chosen: Vec<(f64, DVec3)> = Vec::new();
        for (clear, place) in places {
            let apart = |(_, other): &(f64, DVec3)| other.distance(place) >= 2.0 * clearest;
            if clear >= 0.5 * clearest && chosen.len() < LAMPS && chosen.iter().all(apart) {
                chosen.push((clear, place));
            }
        }
        // Points that are all as strong are chosen evenly.
        let strength = clearest * clearest / POINTS as f64;
        Some(chosen.into_iter().flat_map(|(clear, place)| ball(place, clear, strength)).collect())
    }
}

/// A lamp at a place whose distance from the nearest surface is `clear`, of points of a strength.
fn ball(place: DVec3, clear: f64, strength: f64) -> impl Iterator<Item = Light> {
    around((clear * clear / strength).round() as usize).map(move |way| Light::Point {
        position: (place + RADIUS * clear * way).as_vec3().to_array(),
        intensity: [strength as f32; 3],
    })
}

/// The point of a ray at a distance.
fn along(ray: &Ray, t: f64) -> DVec3 {
    Vec3::from(ray.origin).as_dvec3() + t * Vec3::from(ray.direction).as_dvec3()
}

/// A lamp that is `factor` times as strong.
pub(crate) fn lamp_times(lamp: &Light, factor: f32) -> Light {
    match lamp {
        Light::Point { position, intensity } => {
            Light::Point { position: *position, intensity: intensity.map(|i| i * factor) }
        }
        other => other.clone(),
    }
}

/// Whether f32 holds a lamp.
pub(crate) fn is_finite(light: &Light) -> bool {
    matches!(light, Light::Point { position, intensity } if position.iter().chain(intensity).all(|x| x.is_finite()))
}

/// The rays from the camera, in the order in which the workers came to them.
#[derive(Default)]
struct CameraRays(Mutex<Vec<(u32, Ray)>>);

impl CameraRays {
    /// In the order of pixels.
    fn in_order(self) -> Vec<Ray> {
        let mut rays = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        rays.sort_unstable_by_key(|&(pixel, _)| pixel);
        rays.into_iter().map(|(_, ray)| ray).collect()
    }
}

impl PathObserver for CameraRays {
    fn alive(&self, _pixel: u32, _sample: u32, _bounce: u32) {}

    fn ray(&self, pixel: u32, _sample: u32, bounce: u32, ray: &Ray) {
        if bounce == 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((pixel, *ray));
        }
    }
}
