//! Counts the rays whose crossings of closed surfaces are not those that exact arithmetic counts.
//!
//! `cargo run --release -p raywarp-cpu --example crossing_rates -- [RAYS [NAME]]`: RAYS (1e6 unless given) through each
//! kind of scene, or only through the kinds whose name holds NAME. Prints a table, and fails if any ray is wrong.
//!
//! **The truth.** Around closed surfaces every ray without end crosses from a point outwards as often more than inwards
//! as that point is inside of them, whatever its direction. So there is one number for all rays from a point, and it is
//! found without a tree and without rounding: of a ray in some direction along no edge, each triangle of the scene
//! tells by the signs of determinants whether it is crossed and to which side. They are worked out in f64, and where
//! the bound of their rounding does not decide, as sums of floats that do not overlap (`tests/closed/exact.rs`).
//! Where a placement moves a mesh, the triangles are the flattened ones, which are exactly what is traced.
//!
//! **What is asked.** 128 rays from each point: at corners, at points of edges and of faces, along edges, along axes
//! and diagonals, and in any direction. The sum over what [`CpuTracer::crossings_one`] and
//! [`LevelsTracer::crossings_one`] pass on, backs less fronts, must be the number. Of every fourth ray the interval is
//! cut in two, at a hit or just behind it, and the parts must sum up to the same. A point that is nearer to a surface
//! than 64 half-ulps of its largest coordinate difference to the scene may count as on either side: its rays are
//! counted apart and not asked. Triangles of mirrored placements turn the other way in the world, and count the other
//! way: here as in `raywarp::Scene::crossings`.

#[path = "../../tests/closed/mod.rs"]
mod closed;
mod scenes;
mod starts;

use closed::meshes::SplitMix64;
use rayon::prelude::*;
use raywarp_cpu::{Contact, CpuTracer, LevelsTracer};
use raywarp_geom::Ray;
use scenes::{Kind, Scene};
use starts::Start;

/// Points of a scene from which rays start, and rays from each.
const STARTS: usize = 128;
const RAYS_EACH: usize = 128;

/// What came of some rays.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    rays: u64,
    /// Rays from points inside of something.
    inside: u64,
    /// Rays whose sum is not the point's number.
    wrong: u64,
    /// Rays from points too near to a surface.
    near: u64,
    example: Option<(Ray, i32)>,
}

impl Tally {
    fn and(mut self, other: Self) -> Self {
        self.rays += other.rays;
        self.inside += other.inside;
        self.wrong += other.wrong;
        self.near += other.near;
        self.example = self.example.or(other.example);
        self
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rays: f64 = std::env::args().nth(1).map_or(Ok(1e6), |text| text.parse())?;
    let wanted = std::env::args().nth(2).unwrap_or_default();
    println!("| scenes | rays | of these from inside | wrong | too near | seconds |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut examples = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.name().contains(&wanted)) {
        let start = std::time::Instant::now();
        let count = (rays / (STARTS * RAYS_EACH) as f64).ceil() as u64;
        let tally = (0..count).into_par_iter().map(|seed| of_scene(kind, seed)).reduce(Tally::default, Tally::and);
        let Tally { rays, inside, wrong, near, example } = tally;
        let (name, seconds) = (kind.name(), start.elapsed().as_secs_f64());
        println!("| {name} | {rays} | {inside} | {wrong} | {near} | {seconds:.0} |");
        examples.extend(example.map(|example| (name, example)));
    }
    for (name, (ray, number)) in &examples {
        println!("\nwrong in {name}, whose start is inside {number} times: {ray:?}");
    }
    if examples.is_empty() { Ok(()) } else { Err("some crossings are not those of exact arithmetic".into()) }
}

/// Asks all rays of one scene.
fn of_scene(kind: Kind, seed: u64) -> Tally {
    let mut random = SplitMix64(seed);
    let scene = Scene::new(kind, &mut random);
    let mut tally = Tally::default();
    for _ in 0..STARTS {
        let start = Start::new(&scene, &mut random);
        tally.rays += RAYS_EACH as u64;
        let Some(inside) = start.inside else {
            tally.near += RAYS_EACH as u64;
            continue;
        };
        tally.inside += if inside == 0 { 0 } else { RAYS_EACH as u64 };
        for i in 0..RAYS_EACH {
            let ray = start.ray(&scene, &mut random);
            let is_right = |tracer: &Crosses| {
                let (whole, t) = tracer.sum(&scene, &ray);
                if i % 4 > 0 {
                    return whole == inside;
                }
                let t = if i % 16 == 0 { t.next_up() } else { t };
                let parts = [ray.with_interval(0.0, t), ray.with_interval(t, f32::INFINITY)];
                let cut: i32 = parts.iter().map(|part| tracer.sum(&scene, part).0).sum();
                whole == inside && cut == whole
            };
            if !scene.tracers.iter().all(is_right) {
                tally.wrong += 1;
                tally.example = tally.example.or(Some((ray, inside)));
            }
        }
    }
    tally
}

/// What is asked.
enum Crosses {
    Flat(CpuTracer),
    Levels(LevelsTracer),
}

impl Crosses {
    /// Returns how many triangles a ray crosses outwards less inwards, and the `t` of one of them, 1 if there is none.
    fn sum(&self, scene: &Scene, ray: &Ray) -> (i32, f32) {
        let (mut sum, mut last) = (0, 1.0);
        let mut receive = |touch: &Contact<'_>, is_front: bool| {
            sum += if is_front == scene.mirrored[touch.instance as usize] { 1 } else { -1 };
            last = touch.hit.t;
        };
        match self {
            Self::Flat(tracer) => tracer.crossings_one(ray, &mut receive),
            Self::Levels(tracer) => tracer.crossings_one(ray, &mut receive),
        }
        (sum, last)
    }
}
