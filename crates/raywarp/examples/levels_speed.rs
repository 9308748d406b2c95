//! Processor time of a ray through a scene of a file in one level of trees and in two, on one thread, in batches.
//!
//! `cargo run --release -p raywarp --features formats --example levels_speed -- SCENE EYE TARGET VFOV [meshes]`: EYE
//! and TARGET are `X,Y,Z`, VFOV is in degrees. In two levels trees are of meshes that are placed several times, as
//! `raywarp trace` has them; with `meshes` a tree is of each mesh, as the library has them with [`Levels::Two`].
//! `RAYWARP_ISA=avx2` takes other instructions.
//!
//! Rays: one through each of 640 x 480 pixels (primary), the same in any order (shuffled), one from each hit over a
//! quarter of the diagonal (ao, any-hit), and two diffuse bounces. Batches of 7 rays walk one by one. The median of
//! nine rounds, in turns; the hits are compared by their bits.

use raywarp::scene::{Description, LoadOptions, load};
use raywarp::trace::TraceScene;
use raywarp::{BuildOptions, Control, Levels, Query, Ray, Scene, SceneOptions};
use raywarp::{device::Plan, trace::Answers, trace::Traced};
use std::error::Error;
use std::path::Path;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;

/// Rounds of which the median counts.
const ROUNDS: usize = 9;

type V = [f32; 3];

/// Random numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// What is timed.
enum Subject {
    Trace(Box<TraceScene>),
    Scene(Scene),
}

impl Subject {
    /// Traces rays by `per_call`; returns the answers by their bits and the processor seconds.
    fn time(&self, rays: &[Ray], query: Query, per_call: usize) -> (u64, f64) {
        let control = Control::default();
        let (mut sum, mut seconds) = (0u64, 0.0);
        let mut traced = Traced::default();
        let (mut hits, mut instances, mut bits) = (vec![], vec![], vec![]);
        for rays in rays.chunks(per_call) {
            let start = raywarp_system::processor::seconds().expect("processor time");
            match self {
                Self::Trace(scene) => {
                    scene.trace_into(rays, query, &control, &mut traced).expect("valid rays");
                    seconds += raywarp_system::processor::seconds().expect("processor time") - start;
                    match &traced.answers {
                        Answers::Closest { hits: h, instances: i } => {
                            (hits, instances) = (h.clone(), i.clone());
                        }
                        Answers::Any { blocked } => bits = blocked.iter().map(|&b| u32::from(b)).collect(),
                    }
                }
                Self::Scene(scene) => {
                    hits.resize(rays.len(), Default::default());
                    instances.resize(rays.len(), 0);
                    if query == Query::Closest {
                        scene.tracer().closest(rays, &[], &mut hits, &mut instances, &control).expect("answers");
                    } else {
                        let mut words = vec![0; rays.len().div_ceil(32)];
                        scene.tracer().any(rays, &[], &mut words, &mut vec![], &control).expect("answers");
                        bits = (0..rays.len()).map(|i| words[i / 32] >> (i % 32) & 1).collect();
                    }
                    seconds += raywarp_system::processor::seconds().expect("processor time") - start;
                }
            }
            let mut add = |word: u32| sum = (sum ^ u64::from(word)).wrapping_mul(0x100_0000_01b3).rotate_left(23);
            if query == Query::Closest {
                for (hit, instance) in hits.iter().zip(&instances) {
                    let words = [hit.t, hit.u, hit.v].map(|x| (x + 0.0).to_bits());
                    words.into_iter().chain([hit.primitive, *instance]).for_each(&mut add);
                }
            } else {
                bits.iter().for_each(|&bit| add(bit));
            }
        }
        (sum, seconds)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, eye, target, vfov, rest @ ..] = &arguments[..] else {
        return Err("usage: levels_speed SCENE EYE TARGET VFOV [meshes]".into());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let file = load(Path::new(path), &LoadOptions::default())?.scene;
    let (eye, target, vfov) = (point(eye)?, point(target)?, vfov.parse()?);
    let one = library(&file, Levels::One)?;
    let kinds = rays((&one, &file), eye, target, vfov);
    let subjects: [(&str, Subject); 2] = if rest.iter().any(|word| word == "meshes") {
        [("one level", Subject::Scene(one)), ("two levels", Subject::Scene(library(&file, Levels::Two)?))]
    } else {
        drop(one);
        let plan = Plan::cpu(BuildOptions::default());
        let of =
            |levels| Ok::<_, Box<dyn Error>>(Subject::Trace(Box::new(TraceScene::with_levels(&file, &plan, levels)?)));
        [("one level", of(Levels::One)?), ("two levels", of(Levels::Two)?)]
    };
    let wanted = rest.iter().find_map(|word| word.strip_prefix("rays="));
    pool.install(|| {
        for (kind, query, rays) in kinds.iter().filter(|(kind, ..)| wanted.is_none_or(|wanted| *kind == wanted)) {
            let ways = [(0, 4096), (1, 7), (1, 4096)];
            let mut times = ways.map(|_| Vec::new());
            for _ in 0..ROUNDS {
                let mut sums = Vec::new();
                for ((subject, per_call), times) in ways.iter().zip(&mut times) {
                    let (sum, seconds) = subjects[*subject].1.time(rays, *query, *per_call);
                    times.push(seconds * 1e9 / rays.len() as f64);
                    sums.push(sum);
                }
                // Two levels answer the same in both ways; what a flat scene says of misses beside it too.
                assert!(sums.iter().all(|sum| *sum == sums[0]), "{kind}: other hits");
            }
            let [flat, alone, batch] = times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[ROUNDS / 2]
            });
            println!(
                "{kind:9} {:7} rays: one level {flat:5.0} ns, two levels one by one {alone:5.0} ({:.2}), batches {batch:5.0} ({:.2})",
                rays.len(),
                alone / flat,
                batch / flat
            );
            for (name, subject) in &subjects {
                if let (Subject::Scene(scene), Query::Closest) = (subject, query) {
                    let mut costs = vec![Default::default(); rays.len()];
                    scene.tracer().cost(rays, &mut costs, &Control::default()).expect("costs");
                    let mean = |of: fn(&raywarp::RayCost) -> u32| {
                        costs.iter().map(|cost| f64::from(of(cost))).sum::<f64>() / rays.len() as f64
                    };
                    println!("    {name}: {:.1} nodes, {:.1} triangles", mean(|c| c.nodes), mean(|c| c.triangles));
                }
            }
        }
    });
    Ok(())
}

/// Makes a scene of the library of a file's.
fn library(file: &Description, levels: Levels) -> Result<Scene, Box<dyn Error>> {
    let mut builder = Scene::builder();
    let triangles = |mesh: &raywarp::scene::Mesh| (mesh.triangles.positions.clone(), mesh.triangles.indices.clone());
    let meshes: Vec<_> = file.meshes.iter().map(triangles).collect();
    let meshes: Vec<_> = meshes.iter().map(|(positions, indices)| builder.mesh(positions, indices)).collect();
    for instance in &file.instances {
        builder.instance(meshes[instance.mesh.index()], raywarp::Affine64::from(&instance.transform), u32::MAX, 0);
    }
    Ok(builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default())?)
}

/// Returns the rays of every kind.
fn rays(scene: (&Scene, &Description), eye: V, target: V, vfov: f32) -> Vec<(&'static str, Query, Vec<Ray>)> {
    let mut random = Random(5);
    let forward = normalize(sub(target, eye));
    let up = if forward[1].abs() > 0.9 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
    let right = normalize(cross(forward, up));
    let up = cross(right, forward);
    let extent = (vfov.to_radians() / 2.0).tan();
    let primary: Vec<Ray> = (0..WIDTH * HEIGHT)
        .map(|i| {
            let x = (2.0 * ((i % WIDTH) as f32 + 0.5) / WIDTH as f32 - 1.0) * extent * WIDTH as f32 / HEIGHT as f32;
            let y = (1.0 - 2.0 * ((i / WIDTH) as f32 + 0.5) / HEIGHT as f32) * extent;
            Ray::new(eye, [0, 1, 2].map(|k| forward[k] + x * right[k] + y * up[k]))
        })
        .collect();
    let mut shuffled = primary.clone();
    for i in (1..shuffled.len()).rev() {
        shuffled.swap(i, ((random.unit() * (i + 1) as f32) as usize).min(i));
    }
    let length = 0.25 * scene.0.bounds().diagonal();
    let first = bounce(scene, &primary, &mut random);
    let second = bounce(scene, &first, &mut random);
    let ao = first.iter().map(|ray| ray.with_interval(0.0, length)).collect();
    vec![
        ("primary", Query::Closest, primary),
        ("shuffled", Query::Closest, shuffled),
        ("ao", Query::Any, ao),
        ("bounce 1", Query::Closest, first),
        ("bounce 2", Query::Closest, second),
    ]
}

/// Returns a diffuse ray from each hit, of length 1.
fn bounce((scene, file): (&Scene, &Description), rays: &[Ray], random: &mut Random) -> Vec<Ray> {
    let from = |ray: &Ray| {
        let hit = scene.closest(ray)?;
        let instance = &file.instances[hit.instance as usize];
        let mesh = &file.meshes[instance.mesh.index()].triangles;
        let [a, b, c] =
            mesh.indices[hit.primitive as usize].map(|i| instance.transform.point(mesh.positions[i as usize]));
        let normal = normalize(cross(sub(b, a), sub(c, a)));
        let normal = if dot(normal, ray.direction) > 0.0 { normal.map(|x| -x) } else { normal };
        let z = 2.0 * random.unit() - 1.0;
        let (s, phi) = ((1.0 - z * z).sqrt(), std::f32::consts::TAU * random.unit());
        let on_ball = [s * phi.cos(), s * phi.sin(), z];
        let direction = normalize([0, 1, 2].map(|k| 1.0001 * normal[k] + on_ball[k]));
        Some(Ray::new([0, 1, 2].map(|k| ray.at(hit.t)[k] + 1e-4 * normal[k]), direction))
    };
    rays.iter().filter_map(from).collect()
}

fn point(text: &str) -> Result<V, Box<dyn Error>> {
    let numbers: Vec<f32> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("`{text}` is no point; write X,Y,Z").into())
}

fn sub(a: V, b: V) -> V {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: V, b: V) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalize(a: V) -> V {
    a.map(|x| x / dot(a, a).sqrt())
}
