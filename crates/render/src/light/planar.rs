//! Emissive triangles, parallelograms and disks: by the solid angle that they cover where that is not small, else by
//! area.

use super::{LightPoint, LightSample, connect, step_of_turn};
use crate::flat::{DISK_SECTORS, LightKind, LightRecord, MaterialFlags, ShadingScene, length};
use glam::{Vec2, Vec3};
use raywarp_sample::warp::{self, sin_cos_turn};

/// Smallest and largest solid angle at which a light is sampled by solid angle rather than by area. Below, a light is
/// so small that its points are as good as its directions, and directions have no digits to tell them apart; above
/// (pbrt's bound), the point all but lies in the light.
const SOLID_ANGLES: [f32; 2] = [1e-4, 6.22];

/// Distance, in sizes of the light, beyond which it is sampled by area: sampling by solid angle would gain at most 1 %
/// of variance there (in five scenes), and costs 7 to 44 % of time.
const FAR: f32 = 1.0;

/// Factor on the tolerance for hits on lights of several triangles, which [`crate::flat::shape`] lets deviate from
/// their plane by 1e-5 of the width.
pub(crate) const OUT_OF_PLANE: f32 = 40.0;

/// Tangent of pi / 8, for the corners of an octagon.
const T: f32 = 0.414_213_57;
const TRIANGLE: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
const PARALLELOGRAM: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
/// Corners of the octagon around the unit disk: 5 % more area than the disk, but a short outline.
const OCTAGON: [[f32; 2]; 8] = [[1.0, -T], [1.0, T], [T, 1.0], [-T, 1.0], [-1.0, T], [-1.0, -T], [-T, -1.0], [T, -1.0]];
/// Area of the regular polygon of [`DISK_SECTORS`] corners in the unit circle.
const DISK_AREA: f32 = 3.140_331_2;

/// Outline and area of a kind of flat light.
struct Planar {
    /// Corners of a convex outline around the light, in units of `u` and `v` from `at`.
    outline: &'static [[f32; 2]],
    /// Coordinate of the light's middle, in units of both `u` and `v` from `at`.
    middle: f32,
    /// Area of the light over that of the parallelogram of `u` and `v`.
    area: f32,
}

/// Returns the outline and area of a kind of flat light, which other kinds do not have.
#[inline]
fn planar(kind: LightKind) -> Planar {
    match kind {
        LightKind::Triangle => Planar { outline: &TRIANGLE, middle: 1.0 / 3.0, area: 0.5 },
        LightKind::Parallelogram => Planar { outline: &PARALLELOGRAM, middle: 0.5, area: 1.0 },
        LightKind::Disk => Planar { outline: &OCTAGON, middle: 0.0, area: DISK_AREA },
        LightKind::Sphere | LightKind::Point | LightKind::Spot | LightKind::Directional | LightKind::Environment => {
            Planar { outline: &[], middle: 0.0, area: 1.0 }
        }
    }
}

/// Outline of a light as seen from a point: a fan of spherical triangles around the first corner.
pub struct Seen {
    corners: [[f32; 3]; 8],
    /// Triple products of the fan's triangles, of which number `i` has the corners 0, `i + 1` and `i + 2` (`volumes`),
    /// and half their solid angles (`halves`).
    volumes: [f32; 6],
    halves: [f32; 6],
    /// Number of triangles in the fan.
    count: usize,
    /// Half the solid angle of the outline.
    pub half: f32,
}

impl Seen {
    #[inline]
    fn new(light: &LightRecord, area: f32, point: Vec3) -> Self {
        let outline = planar(light.kind()).outline;
        let (at, u, v) = (Vec3::from(light.at) - point, Vec3::from(light.u), Vec3::from(light.v));
        let mut seen =
            Self { corners: [[0.0; 3]; 8], volumes: [0.0; 6], halves: [0.0; 6], count: outline.len() - 2, half: 0.0 };
        let mut inverse_lengths = [1.0; 8];
        for (i, &[a, b]) in outline.iter().enumerate() {
            let corner = at + a * u + b * v;
            inverse_lengths[i] = 1.0 / corner.length();
            seen.corners[i] = (corner * inverse_lengths[i]).into();
        }
        // Triple products by the plane's distance: those of the unit vectors would cancel.
        let height = Vec3::from(light.w).dot(at).abs();
        let first = Vec2::from(outline[0]);
        for i in 0..seen.count {
            let edges = [Vec2::from(outline[i + 1]) - first, Vec2::from(outline[i + 2]) - first];
            let share = edges[0].perp_dot(edges[1]) * area;
            let shares = share * inverse_lengths[0] * inverse_lengths[i + 1];
            seen.volumes[i] = shares * (height * inverse_lengths[i + 2]);
            let corners = [seen.corners[0], seen.corners[i + 1], seen.corners[i + 2]];
            seen.halves[i] = warp::half_solid_angle(&corners, seen.volumes[i]);
            seen.half += seen.halves[i];
        }
        seen
    }

    /// Returns `true` if the solid angle is in the range in which the light is sampled by it. Not for a NaN, which a
    /// point on a corner gives.
    #[inline]
    fn is_near(&self) -> bool {
        2.0 * self.half >= SOLID_ANGLES[0] && 2.0 * self.half <= SOLID_ANGLES[1]
    }

    /// Samples a direction to the outline, uniformly by solid angle.
    #[inline]
    pub fn direction(&self, u: [f32; 2]) -> Vec3 {
        let mut rest = u[0] * self.half;
        let mut i = 0;
        while i + 1 < self.count && rest >= self.halves[i] {
            rest -= self.halves[i];
            i += 1;
        }
        let corners = [self.corners[0], self.corners[i + 1], self.corners[i + 2]];
        warp::spherical_triangle(&corners, self.volumes[i], rest.min(self.halves[i]), u[1]).into()
    }
}

/// Returns the light's outline as seen from `point`, if that is near enough to sample by solid angle.
#[inline]
pub fn seen(light: &LightRecord, area: f32, point: Vec3) -> Option<Seen> {
    let (u, v) = (Vec3::from(light.u), Vec3::from(light.v));
    let middle = planar(light.kind()).middle;
    let away = Vec3::from(light.at) + middle * (u + v) - point;
    if away.length_squared() > FAR * FAR * (u.length_squared() + v.length_squared()) {
        return None;
    }
    Some(Seen::new(light, area, point)).filter(Seen::is_near)
}

/// Returns the area of the parallelogram spanned by `u` and `v`.
#[inline]
pub fn area(light: &LightRecord) -> f32 {
    length(Vec3::from(light.u).cross(light.v.into()))
}

/// Returns the density per area of points on the light, choice of the light included.
#[inline]
fn per_area(light: &LightRecord, area: f32) -> f32 {
    light.value / (planar(light.kind()).area * area)
}

/// Samples a point of the light uniformly by area, in units of `u` and `v`.
#[inline]
pub fn by_area(kind: LightKind, u: [f32; 2]) -> Vec2 {
    match kind {
        LightKind::Triangle => warp::uniform_triangle(u).into(),
        LightKind::Disk => {
            let sectors = u[0] * DISK_SECTORS as f32;
            let sector = (sectors as u32).min(DISK_SECTORS - 1);
            let [b0, b1] = warp::uniform_triangle([(sectors - sector as f32).min(1.0), u[1]]);
            b0 * rim(sector as f32) + b1 * rim(sector as f32 + 1.0)
        }
        LightKind::Parallelogram
        | LightKind::Sphere
        | LightKind::Point
        | LightKind::Spot
        | LightKind::Directional
        | LightKind::Environment => u.into(),
    }
}

/// Returns the point of the unit circle at an angle of `sectors` sectors of a disk light.
#[inline]
fn rim(sectors: f32) -> Vec2 {
    let (sin, cos) = sin_cos_turn(sectors / DISK_SECTORS as f32);
    Vec2::new(cos, sin)
}

/// Returns the point, in units of `u` and `v`, where `direction` from `point` meets the light's plane (Moeller and
/// Trumbore 1997).
#[inline]
pub fn in_plane(light: &LightRecord, point: Vec3, direction: Vec3) -> Vec2 {
    let (u, v) = (Vec3::from(light.u), Vec3::from(light.v));
    let s = point - Vec3::from(light.at);
    let p = direction.cross(v);
    Vec2::new(s.dot(p), direction.dot(s.cross(u))) * (1.0 / u.dot(p))
}

/// Returns the point, moved into the light where rounding left it outside, with the triangle it is on; `None` outside a
/// disk.
#[inline]
pub fn inside(kind: LightKind, place: Vec2) -> Option<(Vec2, u32)> {
    match kind {
        LightKind::Triangle => {
            let place = place.max(Vec2::ZERO);
            Some((place / (place.x + place.y).max(1.0), 0))
        }
        LightKind::Disk => {
            let sector = step_of_turn(place.y, place.x, DISK_SECTORS);
            // cos(pi / 128): how far the chord is from the centre.
            (place.dot(rim(sector as f32 + 0.5)) <= 0.999_698_8).then_some((place, sector))
        }
        LightKind::Parallelogram
        | LightKind::Sphere
        | LightKind::Point
        | LightKind::Spot
        | LightKind::Directional
        | LightKind::Environment => {
            let place = place.clamp(Vec2::ZERO, Vec2::ONE);
            Some((place, u32::from(place.x + place.y > 1.0)))
        }
    }
}

/// Samples a connection to a point on the light.
#[inline]
pub fn sample(scene: &ShadingScene, light: &LightRecord, point: Vec3, u: [f32; 2]) -> Option<LightSample> {
    let (edges, normal) = ([Vec3::from(light.u), Vec3::from(light.v)], Vec3::from(light.w));
    let is_behind = normal.dot(point - Vec3::from(light.at)) <= 0.0;
    if is_behind && !scene.materials[light.material as usize].has(MaterialFlags::EMITS_ON_BOTH_SIDES) {
        return None;
    }
    let (kind, area) = (light.kind(), area(light));
    let seen = seen(light, area, point);
    let place = match &seen {
        Some(seen) => in_plane(light, point, seen.direction(u)),
        None => by_area(kind, u),
    };
    let (place, triangle) = inside(kind, place)?;
    let on_light = Vec3::from(light.at) + place.x * edges[0] + place.y * edges[1];
    let to_light = on_light - point;
    let wi = to_light.try_normalize()?;
    let cos = -normal.dot(wi);
    let pdf = match &seen {
        Some(seen) => 0.5 * light.value / seen.half,
        None => by_distance(light, area, cos, to_light.length_squared()),
    };
    let width = (edges[0].abs() + edges[1].abs()).max_element();
    let extent = if kind == LightKind::Triangle { width } else { OUT_OF_PLANE * width } + to_light.abs().max_element();
    connect(scene, &LightPoint { position: on_light, normal, extent, triangle: light.index + triangle }, wi, pdf)
}

/// Converts the density per area of a point to one per solid angle.
#[inline]
pub fn by_distance(light: &LightRecord, area: f32, cos: f32, distance_squared: f32) -> f32 {
    let cos = cos.abs();
    if cos < 1e-7 { 0.0 } else { per_area(light, area) * distance_squared / cos }
}

/// Returns the solid-angle density of a point on the light, seen from `point` at a squared distance and a cosine to its
/// normal.
#[inline]
pub fn pdf(light: &LightRecord, point: Vec3, cos: f32, distance_squared: f32) -> f32 {
    let area = area(light);
    match seen(light, area, point) {
        Some(seen) => 0.5 * light.value / seen.half,
        None => by_distance(light, area, cos, distance_squared),
    }
}
