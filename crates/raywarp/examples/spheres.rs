//! Spheres without triangles: custom geometry, placed among meshes.
//!
//! `cargo run --release -p raywarp --example spheres`

mod shapes;

use raywarp::{Aabb, Affine64, Control, Geometry, GeometryHit, Ray, Scene, SceneOptions};
use std::sync::Arc;

/// Centres and radii.
struct Spheres(Vec<([f32; 3], f32)>);

impl Geometry for Spheres {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        let (center, radius) = self.0[primitive as usize];
        // Somewhat larger, since intersections round.
        let [min, max] = [-1.0001, 1.0001].map(|side| center.map(|x| x + side * radius));
        Aabb { min, max }
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let (center, radius) = self.0[primitive as usize];
        let from: [f32; 3] = std::array::from_fn(|i| ray.origin[i] - center[i]);
        let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (a, half) = (dot(&ray.direction, &ray.direction), dot(&from, &ray.direction));
        // From the point nearest to the centre, so that nothing cancels for a sphere far away.
        let nearest: [f32; 3] = std::array::from_fn(|i| from[i] - half / a * ray.direction[i]);
        let beyond = (radius * radius - dot(&nearest, &nearest)) / a;
        let sides = [-1.0, 1.0].map(|side| side * beyond.sqrt() - half / a);
        // None where that is NaN.
        let side = sides.iter().position(|t| (ray.t_min..=ray.t_max).contains(t))?;
        Some(GeometryHit { t: sides[side], u: 0.0, v: 0.0, is_front: side == 0 })
    }
}

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    // A helix of spheres, twice: as it is, and squeezed to ellipsoids.
    let helix = (0..400).map(|i| {
        let (sin, cos) = (0.15 * i as f32).sin_cos();
        ([cos, 0.01 * i as f32 - 2.0, sin], 0.12)
    });
    let (floor, of_floor) = shapes::cuboid([-4.0, -2.2, -2.0], [4.0, -2.1, 2.0]);
    let mut builder = Scene::builder();
    let spheres = builder.custom(Arc::new(Spheres(helix.collect())));
    let floor = builder.mesh(&floor, &of_floor);
    builder.instance(floor, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(spheres, Affine64::translation([-1.8, 0.0, 0.0]), u32::MAX, 1);
    let squeezed = Affine64::translation([1.8, 0.0, 0.0]).after(&Affine64::scale([1.2, 0.5, 1.2]));
    builder.instance(spheres, squeezed, u32::MAX, 2);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    let (columns, rows) = (64, 24);
    let rays: Vec<Ray> = (0..columns * rows)
        .map(|i| {
            let (x, y) = ((i % columns) as f32 + 0.5, (i / columns) as f32 + 0.5);
            Ray::new([0.0, 0.0, 9.0], [(x - 32.0) * 0.0125, (12.0 - y) * 0.025, -1.0])
        })
        .collect();
    let mut hits = vec![None; rays.len()];
    scene.closest_batch(&rays, &mut hits, &Control::default())?;
    let mut said = String::new();
    for row in hits.chunks(columns) {
        let line: String = row.iter().map(|hit| hit.map_or(' ', |hit| ['=', 'o', 'x'][hit.user as usize])).collect();
        said += &format!("{}\n", line.trim_end());
    }
    let all = scene.all(&Ray::new([-1.8, -9.0, 1.0], [0.0, 1.0, 0.0])).count();
    Ok(said + &format!("a ray along the helix meets {all} surfaces\n"))
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
