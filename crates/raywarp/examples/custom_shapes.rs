//! A capsule, a height field and a signed distance function, each as custom geometry, in one scene.
//!
//! `cargo run --release -p raywarp --example custom_shapes`

use raywarp::{Aabb, Affine64, Control, Geometry, GeometryHit, Ray, Scene, SceneOptions};
use std::sync::Arc;

type Vector = [f64; 3];

/// What is within a radius of the upright segment from zero to a height.
struct Capsule {
    height: f64,
    radius: f64,
}

/// Heights at the corners of square cells. A cell is a primitive: the bilinear patch between its corners.
struct Heights([[f64; 17]; 13]);

/// Where a function is 0 that is the distance to this surface, negative inside; within `reach` of zero.
struct Field {
    reach: f64,
    distance: fn(Vector) -> f64,
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns where `from + t * way` enters and leaves the ball around zero; NaN if it misses.
fn through_ball(from: Vector, way: Vector, radius: f64) -> [f64; 2] {
    // From the point nearest to zero, so that nothing cancels for a ball far away.
    let middle = -dot(from, way) / dot(way, way);
    let nearest = std::array::from_fn(|i| from[i] + middle * way[i]);
    let half = ((radius * radius - dot(nearest, nearest)) / dot(way, way)).sqrt();
    [middle - half, middle + half]
}

/// Returns the first of hits, `t` and whether from the front, within the ray's interval. A NaN is in none.
fn first(ray: &Ray, hits: impl Iterator<Item = (f64, bool)>) -> Option<GeometryHit> {
    let hits = hits.map(|(t, is_front)| GeometryHit { t: t as f32, u: 0.0, v: 0.0, is_front });
    hits.filter(|hit| (ray.t_min..=ray.t_max).contains(&hit.t)).min_by(|a, b| a.t.total_cmp(&b.t))
}

/// Returns a box somewhat larger than from `min` to `max`, since intersections round.
fn around(min: Vector, max: Vector) -> Aabb {
    Aabb { min: min.map(|x| (x - 1e-4) as f32), max: max.map(|x| (x + 1e-4) as f32) }
}

impl Geometry for Capsule {
    fn len(&self) -> usize {
        1
    }

    fn bounds(&self, _primitive: u32) -> Aabb {
        around([-self.radius; 3], [self.radius, self.height + self.radius, self.radius])
    }

    fn intersect(&self, _primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let ([x, y, z], way) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        // A ball at each end, and a cylinder between, which is a ball without heights: each where it is the outer one.
        let parts = [
            (through_ball([x, y, z], way, self.radius), f64::NEG_INFINITY..=0.0),
            (through_ball([x, 0.0, z], [way[0], 0.0, way[2]], self.radius), 0.0..=self.height),
            (through_ball([x, y - self.height, z], way, self.radius), self.height..=f64::INFINITY),
        ];
        let hits = parts.into_iter().flat_map(|([enter, leave], heights)| {
            [(enter, true), (leave, false)].into_iter().filter(move |(t, _)| heights.contains(&(y + t * way[1])))
        });
        first(ray, hits)
    }

    /// For placements that turn, move, and scale alike in all directions.
    fn nearest(&self, _primitive: u32, point: Vector, to_world: &Affine64) -> Option<Vector> {
        let [x, y, z] = to_world.inverse()?.point(point);
        let axis = y.clamp(0.0, self.height);
        let (out, length) = ([x, y - axis, z], dot([x, y - axis, z], [x, y - axis, z]).sqrt());
        // From the axis itself, all ways out are as long.
        let [x, y, z] = if length > 0.0 { out.map(|x| x / length) } else { [1.0, 0.0, 0.0] };
        Some(to_world.point([self.radius * x, axis + self.radius * y, self.radius * z]))
    }
}

impl Geometry for Heights {
    fn len(&self) -> usize {
        16 * 12
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        let (x, z) = (primitive as usize % 16, primitive as usize / 16);
        let corners = || self.0[z..=z + 1].iter().flat_map(|row| row[x..=x + 1].iter().copied());
        let (low, high) = (corners().fold(f64::INFINITY, f64::min), corners().fold(f64::NEG_INFINITY, f64::max));
        around([x as f64, low, z as f64], [(x + 1) as f64, high, (z + 1) as f64])
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let (x, z) = (primitive as usize % 16, primitive as usize / 16);
        // The height is a + b u + c v + d u v at a place (u, v) of the cell.
        let ([a, e], [f, g]) = ([self.0[z][x], self.0[z][x + 1]], [self.0[z + 1][x], self.0[z + 1][x + 1]]);
        let (b, c, d) = (e - a, f - a, a + g - e - f);
        let ([u, y, v], [du, dy, dv]) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let (u, v) = (u - x as f64, v - z as f64);
        // How far the ray is above it is a quadratic function of t, whose zeros are found so that nothing cancels.
        let (square, constant) = (-d * du * dv, y - a - b * u - c * v - d * u * v);
        let linear = dy - b * du - c * dv - d * (u * dv + v * du);
        let q = -0.5 * (linear + (linear * linear - 4.0 * square * constant).sqrt().copysign(linear));
        // A hair beyond the cell too, so that no ray gets through between two.
        let is_here = |t: f64| [u + t * du, v + t * dv].iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x));
        let hits = [q / square, constant / q].into_iter().filter(|&t| is_here(t));
        first(ray, hits.map(|t| (t, 2.0 * square * t + linear < 0.0)))
    }
}

impl Geometry for Field {
    fn len(&self) -> usize {
        1
    }

    fn bounds(&self, _primitive: u32) -> Aabb {
        around([-self.reach; 3], [self.reach; 3])
    }

    fn intersect(&self, _primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let (from, way) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let [enter, leave] = through_ball(from, way, self.reach);
        let (start, mut t) = (enter.max(f64::from(ray.t_min)), 0.0);
        let distance = |t: f64| (self.distance)(std::array::from_fn(|i| from[i] + (start + t) * way[i]));
        // Steps as long as the distance, and a little longer near the surface, until the side is another.
        let is_front = distance(t) > 0.0;
        while start + t <= leave && (distance(t) > 0.0) == is_front {
            t += distance(t).abs().max(1e-5 * self.reach) / dot(way, way).sqrt();
        }
        // Not where the ball ends, nor where there is none.
        first(ray, [(start + t, is_front)].into_iter().filter(|(t, _)| *t <= leave))
    }
}

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let height = |x: usize, z: usize| 0.4 * (0.9 * x as f64).sin() + 0.4 * (0.7 * z as f64).cos();
    let hills = Heights(std::array::from_fn(|z| std::array::from_fn(|x| height(x, z))));
    let torus = Field { reach: 1.4, distance: |[x, y, z]| (x.hypot(y) - 1.0).hypot(z) - 0.4 };
    let mut builder = Scene::builder();
    let hills = builder.custom(Arc::new(hills));
    let capsule = builder.custom(Arc::new(Capsule { height: 2.0, radius: 0.6 }));
    let torus = builder.custom(Arc::new(torus));
    builder.instance(hills, Affine64::translation([-8.0, 0.0, -6.0]), u32::MAX, 0);
    let leaning = Affine64::translation([-4.0, 1.5, 0.0]).after(&Affine64::rotation(-30.0, [0.0, 0.0, 1.0]));
    builder.instance(capsule, leaning, u32::MAX, 1);
    let turned = Affine64::translation([2.5, 2.2, 0.0]).after(&Affine64::rotation(40.0, [0.0, 1.0, 0.0]));
    builder.instance(torus, turned, u32::MAX, 2);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    let mut said = String::new();
    for row in 0..20 {
        let seen = (0..64).map(|column| {
            let (x, y) = ((column as f32 - 31.5) * 0.02, (4.5 - row as f32) * 0.04 - 0.25);
            match scene.closest(&Ray::new([0.0, 5.0, 13.0], [x, y, -1.0])) {
                None => ' ',
                // The cells of the hills, like those of a chessboard.
                Some(hit) if hit.user == 0 => ['.', ':'][(hit.primitive % 16 + hit.primitive / 16) as usize % 2],
                Some(hit) => ['O', '#'][hit.user as usize - 1],
            }
        });
        said += &format!("{}\n", seen.collect::<String>().trim_end());
    }
    // Only the capsule answers points.
    let near = scene.nearest([-3.0, 4.0, 2.0], 9.0).ok_or("the capsule is near")?;
    Ok(said + &format!("a bird is {:.3} from the capsule, whose nearest point is {:.2?}\n", near.distance, near.point))
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
