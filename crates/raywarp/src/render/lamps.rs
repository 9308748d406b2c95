//! Lamps for a room without light, placed far from what they light.
//!
//! One at the lens stands a hand's breadth before the next surface, and paths that come to that one find it a thousand
//! times too bright. Here each is as strong as the square of its distance from the nearest surface, so that it lights
//! none more than 1, before all are scaled together, and lamps stand two such distances apart.
//!
//! In a scene where all is matte, a lamp is a few points in view, which no ray meets. Polished metal shows points as
//! what they are, endlessly bright, and so do paths over it: where anything shines, a lamp is a ball that fills
//! [`RADIUS`] of that distance. A ray that meets the ball sees no more than 0.4, twice what a grey wall there shows.
//! Balls stand out of view, if there is space enough, since they would hide the room; all are as bright as each other,
//! so that each is the darker the more there are. They take twice the time of points and are a little noisier on matte
//! surfaces, which is why rooms of those have points.

use crate::PrepareError;
use crate::render::Prepared;
use crate::render::free_space::{Met, around, met, rays};
use glam::{DVec3, Vec3};
use raywarp_geom::{Affine, Ray};
use raywarp_render::{PathObserver, RenderContext, RenderError, RenderOptions};
use raywarp_scene::{
    Camera, ColorInput, Description, Emission, FaceMaterials, Instance, Light, Material, Mesh, Projection, sphere,
};
use std::sync::{Mutex, PoisonError};

/// Numbers of directions in which free distances are measured: from what the camera sees, and from a lamp.
const FROM_SEEN: usize = 64;
const FROM_LAMP: usize = 256;
/// Largest number of the rays from a place that may leave the scene if the place counts as closed in.
const LEAVE: usize = 3;
/// Places to try for lamps: fractions of the length of camera rays, and the largest number of rays.
const ALONG: [f64; 3] = [0.25, 0.5, 0.75];
const RAYS: usize = 96;
/// Largest number of lamps made of points, of which each connection chooses one point.
const LAMPS: usize = 4;
/// Largest number of lamps that are balls; the more there are, the darker each.
const BALLS: usize = 12;
/// Radius of a lamp ball, as a fraction of its distance from the nearest surface.
const RADIUS: f64 = 0.9;
/// Least distance from surfaces for lamps out of view to be used, as a fraction of what lamps in view could have.
const ROOM: f64 = 0.25;
/// Least distance of the smallest lamp ball from surfaces, as a fraction of what lamps in view could have.
const LEAST: f64 = 0.12;
/// Number of points of the strongest lamp in view, and their distance from its middle as a fraction of the free
/// distance. So many make a shadow's edge soft; of more, few samples a pixel choose unevenly (relative mean squared
/// error at 64: by 8 a tenth to a quarter more than by 1, by 16 two thirds more).
const POINTS: usize = 8;
const SPREAD: f64 = 0.125;

/// Lamp that was placed in a room.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lamp {
    place: DVec3,
    /// Distance from the lamp's middle to the nearest surface.
    clear: f64,
    /// Radiant intensity of the whole lamp.
    intensity: f64,
    /// `true` if the lamp is in view of the camera.
    in_view: bool,
}

/// Surfaces seen by camera rays of a small picture, with the number of them that are closed in.
pub(crate) struct Seen {
    eye: DVec3,
    /// Camera rays and the distances at which they hit.
    rays: Vec<(Ray, f32)>,
    /// Largest angle between a camera ray and the view direction.
    edge: f64,
    closed: usize,
}

impl Seen {
    /// Measures how far rays get from what `camera` sees; `None` if it sees nothing.
    pub(crate) fn from(
        prepared: &Prepared,
        camera: &Camera,
        small: &RenderOptions,
    ) -> Result<Option<Self>, RenderError> {
        let listener = CameraRays::default();
        let first = RenderOptions { samples: 0..1, max_depth: 0, ..small.clone() };
        let context = RenderContext { observer: Some(&listener), ..RenderContext::default() };
        prepared.render(camera, &first, context)?;
        let all = listener.in_order();
        let edge = all.iter().map(|ray| angle(camera, Vec3::from(ray.direction).as_dvec3())).fold(0.0, f64::max);
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
        Ok(Some(Self { eye, rays: hits, edge, closed }).filter(|seen| !seen.rays.is_empty()))
    }

    /// Returns `true` if rays from most of what is seen hardly leave the scene.
    pub(crate) fn is_closed_in(&self) -> bool {
        2 * self.closed > self.rays.len()
    }

    /// Places lamps far from surfaces to light what is seen; `None` if there is no room for one.
    pub(crate) fn lamps(&self, prepared: &Prepared, camera: &Camera) -> Option<Vec<Lamp>> {
        let on_ray = |&(ray, t): &(Ray, f32)| ALONG.map(|share| along(&ray, share * f64::from(t)));
        let seen: Vec<DVec3> = std::iter::once(self.eye).chain(self.rays.iter().flat_map(on_ray)).collect();
        let in_view = clearest(prepared, seen, |_, _| true)?;
        let is_matte = prepared.scene().materials.iter().all(|material| material.surface.is_matte());
        let out_of_view = if is_matte { None } else { self.out_of_view(prepared, camera) }.unwrap_or_default();
        let best = |places: &[(f64, DVec3)]| places.first().map_or(0.0, |place| place.0);
        let clearest = Some(best(&in_view)).filter(|clear| *clear > 0.0)?;
        let is_hidden = best(&out_of_view) > ROOM * clearest;
        let mut chosen: Vec<(f64, DVec3)> = Vec::new();
        let mut choose = |most: usize, places: Vec<(f64, DVec3)>, least: f64, apart: &dyn Fn(f64, f64) -> f64| {
            for (clear, place) in places {
                let is_apart = |&(other, at): &(f64, DVec3)| at.distance(place) >= apart(clear, other);
                if clear >= least && chosen.len() < most && chosen.iter().all(is_apart) {
                    chosen.push((clear, place));
                }
            }
        };
        if is_hidden {
            choose(BALLS, self.brightest(out_of_view), LEAST * clearest, &|clear, other| clear + other);
        } else {
            choose(LAMPS, in_view, 0.5 * clearest, &|_, _| 2.0 * clearest);
        }
        let lamp = |(clear, place)| Lamp { place, clear, intensity: clear * clear, in_view: !is_hidden };
        Some(chosen.into_iter().map(lamp).collect())
    }

    /// Sorts places (with their distances from the nearest surface) by how much of what is seen a lamp ball there would
    /// light, the most first. Each ball is as bright as it is large.
    fn brightest(&self, mut places: Vec<(f64, DVec3)>) -> Vec<(f64, DVec3)> {
        let seen: Vec<DVec3> = self.rays.iter().map(|(ray, t)| along(ray, f64::from(*t))).collect();
        let light = |&(clear, place): &(f64, DVec3)| -> f64 {
            seen.iter().map(|at| clear * clear / at.distance_squared(place).max(clear * clear)).sum()
        };
        places.sort_by_cached_key(|place| std::cmp::Reverse(light(place).to_bits()));
        places
    }

    /// Returns places around the camera where a lamp ball would be out of view, with their distances from surfaces, the
    /// largest first.
    fn out_of_view(&self, prepared: &Prepared, camera: &Camera) -> Option<Vec<(f64, DVec3)>> {
        if !matches!(camera.projection, Projection::Perspective { .. }) {
            return None;
        }
        let directions: Vec<DVec3> = around(FROM_LAMP).filter(|&d| angle(camera, d) > self.edge).collect();
        let met = met(prepared.tracer(), &rays(&[self.eye], directions.iter().copied()))?;
        let ends = directions.iter().zip(met).filter(|(_, met)| !met.escapes());
        let places = ends.flat_map(|(&d, met)| ALONG.map(|share| self.eye + share * f64::from(met.t) * d)).collect();
        clearest(prepared, places, |place, clear| {
            let (away, radius) = ((place - self.eye).length(), RADIUS * clear);
            // The rays are those of a small picture.
            away > 1.1 * radius && angle(camera, place - self.eye) > 1.05 * self.edge + (radius / away).min(1.0).asin()
        })
    }
}

/// Returns the angle between a direction and the camera's view direction.
fn angle(camera: &Camera, d: DVec3) -> f64 {
    d.normalize().dot(Vec3::from(camera.forward).as_dvec3()).clamp(-1.0, 1.0).acos()
}

/// Returns places with their distances from the nearest surface, the largest first, if those are finite and `fits`
/// accepts them.
fn clearest(prepared: &Prepared, places: Vec<DVec3>, fits: impl Fn(DVec3, f64) -> bool) -> Option<Vec<(f64, DVec3)>> {
    let met = met(prepared.tracer(), &rays(&places, around(FROM_LAMP)))?;
    let nearest = |met: &[Met]| f64::from(met.iter().map(|met| met.t).fold(f32::INFINITY, f32::min));
    let clear = met.chunks(FROM_LAMP).map(nearest).zip(places);
    let mut places: Vec<(f64, DVec3)> =
        clear.filter(|&(clear, place)| clear.is_finite() && fits(place, clear)).collect();
    // Stable: of equal ones the first.
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(places)
}

impl Lamp {
    /// Returns the lamp with its intensity multiplied by `factor`.
    pub(crate) fn times(self, factor: f32) -> Self {
        Self { intensity: self.intensity * f64::from(factor), ..self }
    }

    /// Returns `true` if the lamp's position and brightness are finite in f32.
    pub(crate) fn is_finite(&self) -> bool {
        let numbers = self.place.to_array().into_iter().chain([self.intensity, self.radiance()]);
        numbers.into_iter().all(|x| (x as f32).is_finite())
    }

    fn radiance(&self) -> f64 {
        self.intensity / (std::f64::consts::PI * (RADIUS * self.clear).powi(2))
    }

    /// Returns a lamp in view as a single point light.
    pub(crate) fn middle(&self) -> Option<Light> {
        self.in_view.then(|| self.points(1).next()).flatten()
    }

    /// Returns point lights around the lamp's middle that are together as strong as it: one in the middle, or several.
    fn points(self, count: usize) -> impl Iterator<Item = Light> {
        let spread = if count == 1 { 0.0 } else { SPREAD * self.clear };
        around(count).map(move |way| Light::Point {
            position: (self.place + spread * way).as_vec3().to_array(),
            intensity: [(self.intensity / count as f64) as f32; 3],
        })
    }

    fn emission(&self) -> Emission {
        Emission { radiance: ColorInput::constant([self.radiance() as f32; 3]), two_sided: false }
    }

    /// Adds the lamp to the scene as a glowing ball.
    fn add_ball(&self, scene: &mut Description) {
        let emission = Some(self.emission());
        let material = scene.add_material(Material { emission, ..Material::diffuse("added lamp", [0.0; 3]) });
        let triangles = sphere(RADIUS * self.clear);
        let mesh =
            scene.add_mesh(Mesh { name: "added lamp".into(), triangles, materials: FaceMaterials::Uniform(material) });
        let [x, y, z] = self.place.as_vec3().to_array();
        let transform = Affine { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]] };
        scene.instances.push(Instance { mesh, transform, material: None });
    }
}

/// Adds those of the lamps to a scene that are balls.
///
/// # Errors
/// [`PrepareError`]: balls are triangles, so the scene is prepared again.
pub(crate) fn add_balls(prepared: &mut Prepared, lamps: &[Lamp]) -> Result<(), PrepareError> {
    let balls = balls(lamps);
    if balls.is_empty() {
        return Ok(());
    }
    prepared.edit(|scene| balls.iter().for_each(|lamp| lamp.add_ball(scene)))
}

/// Adds those of the lamps to a scene that are points.
pub(crate) fn add_points(prepared: &mut Prepared, lamps: &[Lamp]) {
    let strongest = lamps.iter().map(|lamp| lamp.intensity).fold(0.0, f64::max);
    // Points that are all as strong are chosen evenly.
    let count = |lamp: &Lamp| ((lamp.intensity / strongest * POINTS as f64).round() as usize).max(1);
    let points: Vec<Light> =
        lamps.iter().filter(|lamp| lamp.in_view).flat_map(|lamp| lamp.points(count(lamp))).collect();
    prepared.edit_lights(|scene| scene.lights.extend(points));
}

/// Sets the strength of the balls last added by [`add_balls`] to that of `lamps`.
pub(crate) fn set_balls(prepared: &mut Prepared, lamps: &[Lamp]) {
    let balls = balls(lamps);
    if balls.is_empty() {
        return;
    }
    prepared.edit_materials(|scene| {
        let first = scene.materials.len() - balls.len();
        for (material, lamp) in scene.materials[first..].iter_mut().zip(balls) {
            material.emission = Some(lamp.emission());
        }
    });
}

/// Removes the balls last added by [`add_balls`].
///
/// # Errors
/// As [`add_balls`].
pub(crate) fn remove_balls(prepared: &mut Prepared, lamps: &[Lamp]) -> Result<(), PrepareError> {
    let count = balls(lamps).len();
    if count == 0 {
        return Ok(());
    }
    prepared.edit(|scene| {
        scene.instances.truncate(scene.instances.len() - count);
        scene.meshes.truncate(scene.meshes.len() - count);
        scene.materials.truncate(scene.materials.len() - count);
    })
}

fn balls(lamps: &[Lamp]) -> Vec<&Lamp> {
    lamps.iter().filter(|lamp| !lamp.in_view).collect()
}

/// Returns the point of a ray at distance `t`.
fn along(ray: &Ray, t: f64) -> DVec3 {
    Vec3::from(ray.origin).as_dvec3() + t * Vec3::from(ray.direction).as_dvec3()
}

/// Camera rays of a render, in the order in which workers recorded them.
#[derive(Default)]
struct CameraRays(Mutex<Vec<(u32, Ray)>>);

impl CameraRays {
    /// Returns the camera rays by pixel.
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
