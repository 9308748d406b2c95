//! A ray in f64, taken to the scene's bounds and rounded there, and where it meets triangles.
//!
//! The rounded ray decides which triangles are hit, watertight as every ray's test is; the exact one, relative to where
//! it was taken in f64, decides where. Its `t` on a triangle is that of the point of the triangle whose weights f64
//! gives, and at most [`WINDOW`] of the ray's reach from the `t` of the rounded ray. So what f32 finds within a window
//! that is twice as wide holds what comes first in f64.

use super::double::{Hit64, Ray64};
use super::scene::Scene;
use raywarp_cpu::Contact;
use raywarp_geom::{Aabb, Ray};

/// Largest distance of a `t` in f64 from that in f32, as a share of the reach: the largest coordinate difference to the
/// scene's bounds. The point that f32 reports is within 53 half-ulps of the reach off the triangle
/// ([`raywarp_geom::PaddedRay`]), so that it is off along a ray that meets the triangle at an angle whose sine is 1.3 %
/// or more by less than this; of rays that graze more any point there is as good.
const WINDOW: f64 = 1.0 / 4096.0;

/// The same, as a share of the largest coordinate: what rounding the ray's origin moves, and as much more.
const WINDOW_OF_LARGEST: f64 = 1.0 / (1 << 18) as f64;

/// Ray in f64 as a scene is asked for it.
pub(super) struct Advanced<'a> {
    /// The caller's ray.
    pub asked: &'a Ray64,
    /// The ray from where it was taken, rounded, with an interval that holds what counts; its `t` is
    /// `(t - start) * power`.
    pub ray: Ray,
    /// Where the ray was taken, relative to the scene's origin.
    origin: [f64; 3],
    /// Direction divided by `power`.
    direction: [f64; 3],
    /// The caller's `t` there.
    start: f64,
    /// Power of two near the direction's length.
    power: f64,
    /// Largest distance of `t` in f64 and in f32.
    window: f64,
}

/// Where a ray meets a triangle.
pub(super) struct Meeting {
    /// Ray parameter in the caller's lengths.
    pub t: f64,
    /// Weights of the corners.
    pub weights: [f64; 3],
}

impl<'a> Advanced<'a> {
    /// Takes a ray to a scene; `None` if it cannot hit anything.
    pub fn new(asked: &'a Ray64, scene: &Scene) -> Option<Self> {
        let bounds = &scene.0.reach;
        if !asked.is_valid() || bounds.is_empty() {
            return None;
        }
        let longest = asked.direction.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()));
        let power = power_of_two(longest);
        let direction = asked.direction.map(|x| x / power);
        let from: [f64; 3] = std::array::from_fn(|i| asked.origin[i] - scene.0.origin[i]);
        let along = nearest_within(&grown(bounds), &from, &direction)?;
        let origin: [f64; 3] = std::array::from_fn(|i| from[i] + along * direction[i]);
        let (mut reach, mut largest) = (0.0f64, 0.0f64);
        for (i, x) in origin.iter().enumerate() {
            let ends = [bounds.min[i], bounds.max[i]].map(f64::from);
            reach = reach.max((ends[0] - x).abs()).max((ends[1] - x).abs());
            largest = largest.max(x.abs());
        }
        let window = WINDOW * reach + WINDOW_OF_LARGEST * largest;
        let start = along / power;
        let inner = |t: f64| (t - start) * power;
        let rounded = Ray::new(origin.map(|x| x as f32), direction.map(|x| x as f32));
        let ray = rounded.with_interval(down(inner(asked.t_min) - window), up(inner(asked.t_max) + window));
        ray.is_valid().then_some(Self { asked, ray, origin, direction, start, power, window })
    }

    /// Returns the part of the rounded ray that holds what is first in f64, where its own first hit is at `t`.
    pub fn beside(&self, t: f32) -> Ray {
        self.ray.with_interval(t, up(f64::from(t) + 2.0 * self.window).min(self.ray.t_max))
    }

    /// Returns where the ray meets what the rounded ray hits.
    pub fn meets(&self, touch: &Contact<'_>) -> Meeting {
        match touch.corners() {
            Some(corners) => self.meets_triangle(&corners, touch),
            // What the program says of its own surface.
            None => Meeting { t: self.start + f64::from(touch.hit.t) / self.power, weights: weights(touch) },
        }
    }

    fn meets_triangle(&self, corners: &[[f32; 3]; 3], touch: &Contact<'_>) -> Meeting {
        let d = &self.direction;
        let z = (0..3).max_by(|&i, &j| d[i].abs().total_cmp(&d[j].abs())).unwrap_or(2);
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let [a, b, c] = corners.map(|corner| {
            let p: [f64; 3] = std::array::from_fn(|i| f64::from(corner[i]) - self.origin[i]);
            [p[x] - d[x] / d[z] * p[z], p[y] - d[y] / d[z] * p[z], p[z]]
        });
        let across = |p: &[f64; 3], q: &[f64; 3]| p[0] * q[1] - p[1] * q[0];
        let areas = [across(&b, &c), across(&c, &a), across(&a, &b)];
        let area = areas[0] + areas[1] + areas[2];
        // Outside by what f32 rounded: on the nearest edge then, or nearly so.
        let inside = areas.map(|part| (part / area).max(0.0));
        let sum = inside[0] + inside[1] + inside[2];
        let is_sound = area.is_finite() && area != 0.0 && sum.is_finite();
        let weights = if is_sound { inside.map(|weight| weight / sum) } else { weights(touch) };
        let inner = (weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2]) / d[z];
        let rounded = f64::from(touch.hit.t);
        let inner = inner.clamp(rounded - self.window, rounded + self.window);
        Meeting { t: self.start + inner / self.power, weights }
    }

    /// Returns the hit on what the rounded ray hits.
    pub fn hit(&self, scene: &Scene, touch: &Contact<'_>) -> Hit64 {
        let (t, [u, v], inner): (f64, [f64; 2], [f64; 3]) = match touch.corners() {
            Some(corners) => {
                let Meeting { t, weights } = self.meets_triangle(&corners, touch);
                let at = |i: usize| (0..3).map(|corner| weights[corner] * f64::from(corners[corner][i])).sum::<f64>();
                (t, [weights[1], weights[2]], std::array::from_fn(at))
            }
            None => {
                let at = |i: usize| self.origin[i] + f64::from(touch.hit.t) * self.direction[i];
                (self.meets(touch).t, [touch.hit.u, touch.hit.v].map(f64::from), std::array::from_fn(at))
            }
        };
        let (instance, user) = (touch.instance, scene.user_of(touch.instance));
        let position: [f64; 3] = std::array::from_fn(|i| scene.0.origin[i] + inner[i]);
        Hit64 { t, position, u, v, instance, primitive: touch.hit.primitive, user }
    }
}

/// Returns the weights of a triangle's corners that f32 found.
fn weights(touch: &Contact<'_>) -> [f64; 3] {
    let [u, v] = [touch.hit.u, touch.hit.v].map(|weight| f64::from(weight).clamp(0.0, 1.0));
    [(1.0 - u - v).max(0.0), u, v]
}

/// Returns a box somewhat larger than the bounds, in f64.
fn grown(bounds: &Aabb) -> [[f64; 2]; 3] {
    let ends: [[f64; 2]; 3] = std::array::from_fn(|i| [f64::from(bounds.min[i]), f64::from(bounds.max[i])]);
    let side = ends.iter().fold(0.0f64, |side, [low, high]| side.max(high - low));
    let largest = ends.iter().flatten().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let pad = side / 1024.0 + largest / f64::from(1 << 20) + f64::from(f32::MIN_POSITIVE);
    ends.map(|[low, high]| [low - pad, high + pad])
}

/// Returns the parameter nearest to 0 at which a line is within a box; `None` if it misses the box.
fn nearest_within(bounds: &[[f64; 2]; 3], from: &[f64; 3], direction: &[f64; 3]) -> Option<f64> {
    let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in 0..3 {
        let [a, b] = bounds[i].map(|plane| (plane - from[i]) / direction[i]);
        if direction[i] == 0.0 {
            if from[i] < bounds[i][0] || from[i] > bounds[i][1] {
                return None;
            }
        } else {
            enter = enter.max(a.min(b));
            exit = exit.min(a.max(b));
        }
    }
    // Too far for f64 where it is not finite.
    let nearest = 0.0f64.clamp(enter.min(exit), exit);
    (enter <= exit && nearest.is_finite()).then_some(nearest)
}

/// Returns the power of two at or below a positive number, or the nearest that can be divided by.
fn power_of_two(x: f64) -> f64 {
    const LEAST: f64 = f64::from_bits(23 << 52);
    f64::from_bits(x.to_bits() & (0x7ff << 52)).max(LEAST)
}

/// Rounds down to f32.
fn down(x: f64) -> f32 {
    (x as f32).next_down()
}

/// Rounds up to f32.
fn up(x: f64) -> f32 {
    (x as f32).next_up()
}
