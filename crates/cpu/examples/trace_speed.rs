//! Nanoseconds a ray on one thread, for three kinds of rays through a triangle mesh.
//!
//! `cargo run --release -p raywarp-cpu --example trace_speed -- MESH.ply [EYE TARGET VFOV]`, the
//! mesh a binary little-endian PLY of triangles with `float x y z` first. EYE and TARGET are `X,Y,Z`;
//! without them it looks from the first viewpoint of AL09 in Sibenik. `leaf=4`, `engine=avx512` and `rays=bounce1` keep
//! only one; `call=1` asks ray after ray by itself, `call=24` calls with so many, `shuffle=1` puts rays in any order;
//! `levels=placed` and `levels=moved` place the tree once in a scene of two levels, by the identity or by a small move;
//! `cost=0.3` is the builder's cost of a triangle (a node costs 1); `preset=blocks` is one of [`raywarp_bvh::presets`],
//! else `balanced`.
//!
//! Rays: one through each pixel centre of 1024 x 768 or `size=WxH` (primary), eight any-hit rays from each primary
//! hit over a quarter of the diagonal (ao), and two cosine-weighted bounces (bounce 1, bounce 2).
//! The fastest of several runs counts. Each kind is checked against every triangle on a sample.

use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{Blocked, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, Isa, LevelsTracer, TreePlacement};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Affine64, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, Tracer};
use raywarp_testing::Random;
use std::sync::Arc;
use std::time::Instant;

/// Most rays of a set that are timed.
const MOST: usize = 1024 * 768;

type V = [f32; 3];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (settings, arguments): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.contains('='));
    let set = |name: &str| settings.iter().find_map(|s| s.strip_prefix(name)?.strip_prefix('='));
    let wanted = |name: &str, value: &str| set(name).is_none_or(|v| v == value);
    let path = arguments.first().ok_or("usage: trace_speed MESH.ply [EYE TARGET VFOV]")?;
    let point = |i: usize, default: V| match arguments.get(i) {
        Some(text) => parse_point(text).ok_or_else(|| format!("`{text}` is no point; write X,Y,Z")),
        None => Ok(default),
    };
    let (eye, target) = (point(1, [-19.1633, -10.6144, 1.5030])?, point(2, [-9.5964, -11.0639, -1.3731])?);
    let vfov: f32 = arguments.get(3).map_or(Ok(73.7398), |text| text.parse())?;
    let triangles = FlatTriangles::from_vertices(read_ply(&std::fs::read(path)?).ok_or("not such a PLY")?);
    println!("{} triangles", triangles.len());

    let first = CpuTracer::new(&build(&triangles, &BuildOptions::default())?, &triangles)?;
    let size = match set("size").map(|size| size.split_once('x')) {
        None => [1024, 768],
        Some(Some((width, height))) => [width.parse()?, height.parse()?],
        Some(None) => return Err("size=WxH".into()),
    };
    let mut sets = ray_sets(&first, &triangles, [eye, target], vfov, size);
    sets.retain(|s| wanted("rays", s.name));
    let preset = set("preset").map_or(Some(presets::BALANCED), presets::named).ok_or("there is no such preset")?;
    let per_call = set("call").map_or(Ok(4096), str::parse)?;
    if set("shuffle").is_some() {
        sets.iter_mut().for_each(|set| shuffle(&mut set.rays));
    }
    let map = match set("levels") {
        None => None,
        Some("placed") => Some(Affine64::IDENTITY),
        Some("moved") => Some(Affine64::translation([1e-3, 2e-3, -1e-3])),
        Some(other) => return Err(format!("levels=placed or levels=moved, not `{other}`").into()),
    };
    let cost = set("cost").map_or(Ok(1.0), str::parse)?;
    for max_leaf in [2, 4, 8] {
        if !wanted("leaf", &max_leaf.to_string()) {
            continue;
        }
        let options = BuildOptions { max_leaf, intersection_cost: cost, ..preset };
        let bvh = build(&triangles, &options)?;
        let mut engines: Vec<_> = Isa::all().into_iter().map(|isa| (isa.name(), isa, CpuTree::Wide8)).collect();
        if max_leaf == 4 {
            engines.push(("bvh2", Isa::detect(), CpuTree::Bvh2(CpuTriangleTest::Watertight)));
            engines.push(("bvh2 woop", Isa::detect(), CpuTree::Bvh2(CpuTriangleTest::Woop)));
        }
        for (name, isa, engine) in engines {
            if !wanted("engine", name) {
                continue;
            }
            let tracer =
                CpuTracer::with_options(&bvh, &triangles, &CpuOptions { engine, isa, ..CpuOptions::default() })?;
            print!("max_leaf {max_leaf} {name:10} {:6.1} MB", tracer.bytes() as f64 * 1e-6);
            let tracer = Arc::new(tracer);
            let levels = match map {
                Some(transform) => {
                    let placed = [TreePlacement::still(0, transform, 0)];
                    Some(LevelsTracer::with_isa(vec![tracer.clone()], &placed, isa)?)
                }
                None => None,
            };
            for set in &sets {
                let cost = match &levels {
                    None => mean_cost(&*tracer, &set.rays),
                    Some(levels) => mean_cost(levels, &set.rays),
                };
                let time = match (&levels, per_call) {
                    (None, 1) => time_alone(&*tracer, set),
                    (None, per_call) => time(&*tracer, set, per_call),
                    (Some(levels), 1) => time_alone(levels, set),
                    (Some(levels), per_call) => time(levels, set, per_call),
                };
                print!("  {} {time:6.1} ns ({:.1} nodes {:.1} tri)", set.name, cost.0, cost.1);
                if let Some(levels) = &levels {
                    let rays = &set.rays[..set.rays.len().min(4096 * 64)];
                    let enters: u64 = rays.iter().map(|ray| u64::from(levels.levels_cost(ray).enters)).sum();
                    print!(" {:.2} enters", enters as f64 / rays.len() as f64);
                }
                if !name.contains("woop") {
                    check(&tracer, &triangles, set);
                }
            }
            println!();
        }
    }
    Ok(())
}

/// Tracer of rays that are asked one after another.
trait Alone {
    fn nearest(&self, ray: &Ray) -> Option<(Hit, u32)>;
    fn blocked(&self, ray: &Ray) -> Blocked;
}

macro_rules! alone {
    ($tracer:ty) => {
        impl Alone for $tracer {
            fn nearest(&self, ray: &Ray) -> Option<(Hit, u32)> {
                self.closest_one(ray, HitKey::START)
            }

            fn blocked(&self, ray: &Ray) -> Blocked {
                self.any_one(ray, HitKey::START)
            }
        }
    };
}
alone!(CpuTracer);
alone!(LevelsTracer);

/// Rays of one kind.
struct RaySet {
    name: &'static str,
    any: bool,
    rays: Vec<Ray>,
}

fn ray_sets(
    tracer: &CpuTracer,
    triangles: &FlatTriangles,
    [eye, target]: [V; 2],
    vfov: f32,
    size: [usize; 2],
) -> Vec<RaySet> {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let primary = primary_rays(eye, target, vfov, size);
    let hits = trace(tracer, &primary);
    let reach = 0.25 * triangles.bounds().diagonal();
    let mut ao = Vec::new();
    for _ in 0..8 {
        ao.extend(bounce(triangles, &primary, &hits, &mut random).into_iter().map(|r| r.with_interval(0.0, reach)));
    }
    let bounce1 = bounce(triangles, &primary, &hits, &mut random);
    let bounce2 = bounce(triangles, &bounce1, &trace(tracer, &bounce1), &mut random);
    vec![
        RaySet { name: "primary", any: false, rays: primary },
        RaySet { name: "ao", any: true, rays: ao },
        RaySet { name: "bounce1", any: false, rays: bounce1 },
        RaySet { name: "bounce2", any: false, rays: bounce2 },
    ]
}

fn trace(tracer: &CpuTracer, rays: &[Ray]) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); rays.len()];
    for (rays, hits) in rays.chunks(4096).zip(hits.chunks_mut(4096)) {
        tracer.closest(rays, &[], hits, &mut [], &Control::default()).expect("nobody cancels");
    }
    hits
}

/// Nanoseconds a ray. Of each batch the fastest of several runs counts, so that other programs on
/// the machine disturb little.
fn time(tracer: &impl Tracer, set: &RaySet, per_call: usize) -> f64 {
    let mut hits = vec![Hit::default(); 4096];
    let (mut blocked, mut undecided) = (vec![0; 128], Vec::new());
    let rays = &set.rays[..set.rays.len().min(MOST)];
    let mut best = vec![f64::INFINITY; rays.len().div_ceil(4096)];
    for _ in 0..6 {
        for (rays, best) in rays.chunks(4096).zip(&mut best) {
            let start = Instant::now();
            for rays in rays.chunks(per_call) {
                let control = Control::default();
                if set.any {
                    tracer.any(rays, &[], &mut blocked, &mut undecided, &control).expect("nobody cancels");
                } else {
                    let hits = &mut hits[..rays.len()];
                    tracer.closest(rays, &[], hits, &mut [], &control).expect("nobody cancels");
                }
            }
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter().sum::<f64>() * 1e9 / rays.len() as f64
}

/// As [`time`], of rays that are asked one after another.
fn time_alone(tracer: &impl Alone, set: &RaySet) -> f64 {
    let rays = &set.rays[..set.rays.len().min(MOST)];
    let mut best = vec![f64::INFINITY; rays.len().div_ceil(4096)];
    for _ in 0..6 {
        for (rays, best) in rays.chunks(4096).zip(&mut best) {
            let start = Instant::now();
            for ray in rays {
                if set.any {
                    std::hint::black_box(tracer.blocked(ray));
                } else {
                    std::hint::black_box(tracer.nearest(ray));
                }
            }
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter().sum::<f64>() * 1e9 / rays.len() as f64
}

/// Puts rays in an order in which neighbours have nothing in common.
fn shuffle(rays: &mut [Ray]) {
    let mut random = Random::new(24);
    for i in (1..rays.len()).rev() {
        rays.swap(i, (f64::from(random.unit()) * (i + 1) as f64) as usize % (i + 1));
    }
}

/// Returns the nodes and triangles a ray.
fn mean_cost(tracer: &impl Tracer, rays: &[Ray]) -> (f64, f64) {
    let rays = &rays[..rays.len().min(4096 * 64)];
    let mut costs = vec![RayCost::default(); rays.len()];
    tracer.cost(rays, &mut costs, &Control::default()).expect("nobody cancels");
    let mean = |f: fn(&RayCost) -> u32| costs.iter().map(|c| f64::from(f(c))).sum::<f64>() / rays.len() as f64;
    (mean(|c| c.nodes), mean(|c| c.triangles))
}

/// Tests some rays against every triangle; `t` must have the same bits.
fn check(tracer: &CpuTracer, triangles: &FlatTriangles, set: &RaySet) {
    let sample: Vec<Ray> = set.rays.iter().step_by(set.rays.len() / 40 + 1).copied().collect();
    let hits = trace(tracer, &sample);
    let (mut blocked, mut undecided) = (vec![0; 2], Vec::new());
    tracer.any(&sample, &[], &mut blocked, &mut undecided, &Control::default()).expect("nobody cancels");
    for (i, (ray, got)) in sample.iter().zip(&hits).enumerate() {
        let test = Watertight::new(ray);
        let mut want = Hit::miss(ray.t_max);
        for (index, vertices) in triangles.vertices.iter().enumerate() {
            if let Some([t, u, v]) = test.test(vertices)
                && t >= ray.t_min
                && (t < want.t || t == want.t && !want.is_hit())
            {
                want = Hit { t, u, v, primitive: index as u32 };
            }
        }
        assert_eq!(*got, want, "{} ray {i}: {ray:?}", set.name);
        assert_eq!(blocked[i / 32] >> (i % 32) & 1 == 1, want.is_hit(), "{} any ray {i}: {ray:?}", set.name);
    }
}

fn primary_rays(eye: V, target: V, vfov: f32, [width, height]: [usize; 2]) -> Vec<Ray> {
    let forward = normalize(sub(target, eye));
    let right = normalize(cross(forward, [0.0, 1.0, 0.0]));
    let up = cross(right, forward);
    let scale = (0.5 * vfov.to_radians()).tan();
    (0..width * height)
        .map(|i| {
            let x = (2.0 * ((i % width) as f32 + 0.5) / width as f32 - 1.0) * scale * width as f32 / height as f32;
            let y = (1.0 - 2.0 * ((i / width) as f32 + 0.5) / height as f32) * scale;
            Ray::new(eye, normalize(std::array::from_fn(|a| forward[a] + x * right[a] + y * up[a])))
        })
        .collect()
}

/// Returns a cosine-weighted ray from each hit, on the side that the ray came from.
fn bounce(triangles: &FlatTriangles, rays: &[Ray], hits: &[Hit], random: &mut Random) -> Vec<Ray> {
    let mut next = || random.unit();
    let epsilon = 1e-4 * triangles.bounds().diagonal();
    let mut out = Vec::new();
    for (ray, hit) in rays.iter().zip(hits).filter(|(_, hit)| hit.is_hit()) {
        let [a, b, c] = triangles.vertices[hit.primitive as usize];
        let n = normalize(cross(sub(b, a), sub(c, a)));
        let n = if dot(n, ray.direction) > 0.0 { n.map(|x| -x) } else { n };
        let tangent = normalize(cross(n, if n[0].abs() < 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }));
        let bitangent = cross(n, tangent);
        let (r, phi) = (next().sqrt(), next() * std::f32::consts::TAU);
        let (x, y, z) = (r * phi.cos(), r * phi.sin(), (1.0 - r * r).max(0.0).sqrt());
        let direction = std::array::from_fn(|i| x * tangent[i] + y * bitangent[i] + z * n[i]);
        let p = ray.at(hit.t);
        out.push(Ray::new(std::array::from_fn(|i| p[i] + epsilon * n[i]), direction));
    }
    out
}

/// Returns the triangles of a binary little-endian PLY whose vertices begin with `float x y z`.
fn read_ply(bytes: &[u8]) -> Option<Vec<[V; 3]>> {
    let end = bytes.windows(11).position(|w| w == b"end_header\n")? + 11;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let count = |name: &str| header.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok());
    let (vertices, faces) = (count("element vertex")?, count("element face")?);
    let stride = 4 * header.lines().filter(|line| line.starts_with("property float")).count();
    let face_bytes = 13 + 4 * header.lines().filter(|line| line.starts_with("property int")).count();
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let position = |i: u32| -> Option<V> {
        let at = end + i as usize * stride;
        Some([f32::from_bits(word(at)?), f32::from_bits(word(at + 4)?), f32::from_bits(word(at + 8)?)])
    };
    (0..faces)
        .map(|face| {
            let at = end + vertices * stride + face * face_bytes + 1;
            Some([position(word(at)?)?, position(word(at + 4)?)?, position(word(at + 8)?)?])
        })
        .collect()
}

fn parse_point(text: &str) -> Option<V> {
    let values: Vec<f32> = text.split(',').map(|x| x.parse().ok()).collect::<Option<_>>()?;
    values.try_into().ok()
}

fn sub(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] - b[i])
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
