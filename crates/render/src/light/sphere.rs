//! Balls of triangles: by the cone that their sphere covers, from inside by all directions.
//!
//! What is sampled is the polyhedron that rays hit. A direction of the cone is followed to the face where it enters;
//! the few that pass between the polyhedron and its sphere bring nothing. So the density is that of the cone, whichever
//! way a face was found.

use super::{LightPoint, LightSample, connect, step_of_turn};
use crate::flat::{LightRecord, SPHERE_COLUMNS, SPHERE_ROWS, ShadingScene, cell_triangles, length};
use glam::Vec3;
use raywarp_sample::elementary::acos;
use raywarp_sample::warp;
use std::f32::consts::FRAC_1_PI;

/// Factor on a sphere light's radius for sampling directions, so that corners that are slightly off
/// ([`crate::flat::shape`] allows half as much) lie inside.
const MARGIN: f32 = 1.001;
/// Distances from a face within which points are on it: in radii, and in ulps of the centre's coordinates.
const NEAR: [f32; 2] = [2e-5, 8.0 * f32::EPSILON];
/// Largest number of faces that are tried along a ray; one along a row of faces meets about ten.
const STEPS: u32 = 64;

/// Polyhedron of a sphere light.
struct Ball<'a> {
    scene: &'a ShadingScene,
    light: &'a LightRecord,
    center: Vec3,
    radius: f32,
}

/// Line past a sphere's centre: its point nearest to the centre, relative to that, and its unit direction.
struct Line {
    nearest: Vec3,
    direction: Vec3,
}

impl<'a> Ball<'a> {
    #[inline]
    fn new(scene: &'a ShadingScene, light: &'a LightRecord) -> Self {
        Self { scene, light, center: light.at.into(), radius: Vec3::from(light.u).length() * MARGIN }
    }

    /// Returns the face in whose row and column a point (relative to the centre) lies: its first triangle, a corner,
    /// and the outward normal, not normalised. The polyhedron is cut by planes through its axis and across it, so a
    /// place is inside just where it is on the inner side of this face.
    #[inline]
    fn face(&self, place: Vec3) -> (u32, Vec3, Vec3) {
        let [x, y, z] = [self.light.u, self.light.v, self.light.w].map(|axis| place.dot(axis.into()));
        let scale = Vec3::from(self.light.w).length_squared();
        let row = acos((-z / scale).clamp(-1.0, 1.0)) * FRAC_1_PI * SPHERE_ROWS as f32;
        let (row, column) = ((row as u32).min(SPHERE_ROWS - 1), step_of_turn(y, x, SPHERE_COLUMNS));
        let triangle = self.light.index + cell_triangles(row, column)[0];
        let [a, b, c] = self.scene.triangles[triangle as usize].points();
        let (corner, normal) = (a - self.center, (b - a).cross(c - a));
        (triangle, corner, if normal.dot(corner) < 0.0 { -normal } else { normal })
    }

    /// Returns the point where `line`, going on from `start` outside, first enters the polyhedron, and the face's first
    /// triangle.
    ///
    /// The plane of a face cuts off nothing of the polyhedron, so going on to the plane of the face at hand never
    /// passes the entry, and a line that leads away from a plane that it is outside of passes by.
    #[inline]
    fn entry(&self, line: &Line, start: f32) -> Option<(Vec3, u32)> {
        let mut at = start;
        let mut place = line.nearest + at * line.direction;
        let (mut triangle, mut corner, mut normal) = self.face(place);
        for _ in 0..STEPS {
            let (height, speed) = (normal.dot(place - corner), normal.dot(line.direction));
            if height <= 0.0 {
                return Some((place, triangle));
            }
            if speed >= 0.0 {
                return None;
            }
            at -= height / speed;
            if at.is_nan() || at > self.radius {
                return None;
            }
            place = line.nearest + at * line.direction;
            let next = self.face(place);
            if next.0 == triangle {
                return Some((place, triangle));
            }
            (triangle, corner, normal) = next;
        }
        Some((place, triangle))
    }

    /// Returns an entry point of the polyhedron as a world-space point on the light, at which a ray from `point` ends.
    #[inline]
    fn place(&self, (place, first): (Vec3, u32), point: Vec3) -> LightPoint {
        // Of the two triangles of the face, that whose far corner is nearer: they share a diagonal.
        let position = self.center + place;
        let is_in = |triangle: u32| {
            let at = super::barycentrics(&self.scene.triangles[triangle as usize], position);
            at.min_element().min(1.0 - at.x - at.y)
        };
        let last = self.light.index + self.light.kind().triangle_count() - 1;
        let second = (first + 1).min(last);
        let triangle = if is_in(first) >= is_in(second) { first } else { second };
        let normal = self.scene.triangles[triangle as usize].front_normal();
        // The place is found in steps that round as the radius does.
        let extent = self.radius + (position - point).abs().max_element();
        LightPoint { position, normal, extent, triangle }
    }
}

/// Returns `1 - cos` of the cone that the sphere covers, seen at a squared distance from its centre; `None` from
/// inside.
#[inline]
fn cone(light: &LightRecord, distance_squared: f32) -> Option<f32> {
    let radius = Vec3::from(light.u).length() * MARGIN;
    let sin_squared = radius * radius / distance_squared;
    // Without cancellation, for a small cone.
    (sin_squared < 1.0).then(|| sin_squared / (1.0 + (1.0 - sin_squared).sqrt()))
}

/// Returns the solid-angle density of directions in the cone, choice of the light included.
#[inline]
fn density(light: &LightRecord, cone: Option<f32>) -> f32 {
    light.value * cone.map_or(warp::uniform_sphere_pdf(), warp::uniform_cone_pdf)
}

/// Samples a connection to a point on a sphere light.
#[inline]
pub fn sample(scene: &ShadingScene, light: &LightRecord, point: Vec3, u: [f32; 2]) -> Option<LightSample> {
    let ball = Ball::new(scene, light);
    let to_center = ball.center - point;
    let distance_squared = to_center.length_squared();
    let cone = cone(light, distance_squared);
    let Some(one_minus_cos) = cone else {
        let direction = Vec3::from(warp::uniform_sphere(u));
        let place = ball.place(from_inside(&ball, -to_center, direction)?, point);
        return connect(scene, &place, direction, density(light, cone));
    };
    let place = ball.place(ball.entry(&towards(to_center, one_minus_cos, u), -ball.radius)?, point);
    let wi = (place.position - point).try_normalize()?;
    connect(scene, &place, wi, density(light, cone))
}

/// Samples a line uniformly in the cone around `to_center`.
#[inline]
fn towards(to_center: Vec3, one_minus_cos: f32, u: [f32; 2]) -> Line {
    let distance = to_center.length();
    let axis = to_center / distance;
    let (s, t) = warp::onb(axis.into());
    let [x, y, cos] = warp::uniform_cone(u, one_minus_cos);
    let side = x * Vec3::from(s) + y * Vec3::from(t);
    let sin_squared = side.length_squared();
    // From the parts of the direction: the distance of a far point would cancel.
    Line { nearest: distance * (cos * side - sin_squared * axis), direction: side + cos * axis }
}

/// Returns where `direction` from `place`, inside the sphere and relative to its centre, meets the polyhedron.
#[inline]
fn from_inside(ball: &Ball, place: Vec3, direction: Vec3) -> Option<(Vec3, u32)> {
    let along = place.dot(direction);
    let nearest = place - along * direction;
    let (_, corner, normal) = ball.face(place);
    let height = normal.dot(place - corner) / length(normal);
    let near = NEAR[0] * ball.radius + NEAR[1] * ball.center.abs().max_element();
    if height > near {
        return ball.entry(&Line { nearest, direction }, along);
    }
    // From a face outwards nothing of a convex body is met.
    if height >= -near && normal.dot(direction) >= 0.0 {
        return None;
    }
    // Where a line leaves is where the way back enters.
    ball.entry(&Line { nearest, direction: -direction }, -ball.radius)
}

/// Returns the solid-angle density with which a point on the sphere light is sampled from `point`.
#[inline]
pub fn pdf(light: &LightRecord, point: Vec3) -> f32 {
    density(light, cone(light, (Vec3::from(light.at) - point).length_squared()))
}
