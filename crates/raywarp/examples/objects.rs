//! Rays through a scene of a file with a tree for each of its meshes, timed where placements that overlap are opened,
//! as it is built, and where all are whole, as an edit leaves them that sets each again.
//!
//! `cargo run --release -p raywarp --features formats --example objects -- SCENE [MOVE]`, on one thread. MOVE shifts
//! each placement by its number times that along x, so that none stands by the identity.

use raywarp::scene::{LoadOptions, load};
use raywarp::{Aabb, Affine64, Control, Levels, Ray, Scene, SceneOptions};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Rounds of which one line tells the least and the median.
const ROUNDS: usize = 9;

/// Random numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn point(&mut self, within: &Aabb) -> [f32; 3] {
        [0, 1, 2].map(|axis| within.min[axis] + self.unit() * (within.max[axis] - within.min[axis]))
    }
}

/// Rays in random directions from random points of the box around a scene, many from each, and one more from where
/// each hits something.
fn rays(scene: &Scene) -> [Vec<Ray>; 2] {
    let mut random = Random(1);
    let ball = Aabb { min: [-1.0; 3], max: [1.0; 3] };
    let bounds = scene.bounds();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..64 {
        let (from, towards) = (random.point(&bounds), random.point(&bounds));
        for _ in 0..2000 {
            let aside = random.point(&ball).map(|x| 0.3 * x * bounds.diagonal());
            let ray = Ray::new(from, [0, 1, 2].map(|axis| towards[axis] + aside[axis] - from[axis]));
            if let Some(hit) = scene.closest(&ray) {
                // Back to the side that it came from.
                let at = ray.at(0.9999 * hit.t);
                let aside = random.point(&ball);
                let back = [0, 1, 2].map(|axis| aside[axis] - ray.direction[axis] / bounds.diagonal());
                second.push(Ray::new(at, back));
            }
            first.push(ray);
        }
    }
    [first, second]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: objects SCENE [MOVE]")?;
    let shift: f64 = arguments.next().map_or(Ok(0.0), |shift| shift.parse())?;
    let file = load(Path::new(&path), &LoadOptions::default())?.scene;
    let mut builder = Scene::builder();
    let triangles = |mesh: &raywarp::scene::Mesh| (mesh.triangles.positions.clone(), mesh.triangles.indices.clone());
    let meshes: Vec<_> = file.meshes.iter().map(triangles).collect();
    let meshes: Vec<_> = meshes.iter().map(|(positions, indices)| builder.mesh(positions, indices)).collect();
    let mut placed = Vec::new();
    for (number, instance) in file.instances.iter().enumerate() {
        let shift = Affine64::translation([shift * number as f64, 0.0, 0.0]);
        let transform = shift.after(&Affine64::from(&instance.transform));
        placed.push((builder.instance(meshes[instance.mesh.index()], transform, u32::MAX, 0), transform));
    }
    let options = SceneOptions { levels: Levels::Two, ..SceneOptions::default() };
    let built = builder.build(&options, &Control::default())?;
    let mut edit = built.edit();
    placed.iter().for_each(|&(id, transform)| edit.set_transform(id, transform));
    let whole = edit.commit(&Control::default())?;
    let scenes = [("as built", &built), ("whole", &whole)];
    println!("{} placements, {} bytes as built, {} whole", placed.len(), built.bytes(), whole.bytes());
    for (kind, rays) in ["first", "second"].into_iter().zip(rays(&built)) {
        assert!(rays.iter().all(|ray| built.closest(ray) == whole.closest(ray)), "other hits");
        let mut times = scenes.map(|_| Vec::new());
        for _ in 0..ROUNDS {
            for ((_, scene), times) in scenes.iter().zip(&mut times) {
                let start = Instant::now();
                std::hint::black_box(rays.iter().filter(|ray| scene.closest(ray).is_some()).count());
                times.push(start.elapsed().as_secs_f64() * 1e9 / rays.len() as f64);
            }
        }
        for ((name, _), times) in scenes.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            println!("{kind} rays, {name}: least {:.0}, median {:.0} ns a ray", times[0], times[ROUNDS / 2]);
        }
    }
    Ok(())
}
