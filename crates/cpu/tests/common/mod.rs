//! The slow oracle, the engines under test, and scenes.

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::{Blocked, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, Isa, LevelsTracer};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Candidate, Control, FlatTriangles, Hit, HitKey, Ray, Tracer};
use raywarp_testing::Random;
use std::ops::ControlFlow;

pub type Point = [f32; 3];

/// Every engine and instruction set with the watertight test, over small and large leaves.
pub fn tracers(triangles: &FlatTriangles) -> Vec<(String, CpuTracer)> {
    let mut all = Vec::new();
    for max_leaf in [1, 8] {
        let bvh = tree(triangles, max_leaf);
        for isa in Isa::all() {
            let options = CpuOptions { engine: CpuTree::Wide8, isa, ..CpuOptions::default() };
            let tracer = CpuTracer::with_options(&bvh, triangles, &options).unwrap();
            all.push((format!("wide8 {isa}, max_leaf {max_leaf}"), tracer));
        }
        let engine = CpuTree::Bvh2(CpuTriangleTest::Watertight);
        let options = CpuOptions { engine, ..CpuOptions::default() };
        let tracer = CpuTracer::with_options(&bvh, triangles, &options).unwrap();
        all.push((format!("bvh2, max_leaf {max_leaf}"), tracer));
    }
    all
}

pub fn tree(triangles: &FlatTriangles, max_leaf: u32) -> Bvh2 {
    build(triangles, &BuildOptions { max_leaf, ..BuildOptions::default() }).unwrap()
}

/// All hits of a ray in (t, instance, primitive) order, from every triangle: hit, instance, opaque.
pub fn all_hits(triangles: &FlatTriangles, ray: &Ray) -> Vec<(Hit, u32, bool)> {
    if !ray.is_valid() {
        return Vec::new();
    }
    let test = Watertight::new(ray);
    let mut hits: Vec<_> = (0..triangles.len())
        .filter_map(|i| {
            let [t, u, v] = test.test(&triangles.vertices[i])?;
            let id = triangles.ids[i];
            let hit = Hit { t, u, v, primitive: id.primitive };
            (ray.t_min <= t && t <= ray.t_max).then_some((hit, id.instance, triangles.opaque[i]))
        })
        .collect();
    hits.sort_by(|a, b| (a.0.t, a.1, a.0.primitive).partial_cmp(&(b.0.t, b.1, b.0.primitive)).unwrap());
    hits
}

pub fn key((hit, instance, _): &(Hit, u32, bool)) -> HitKey {
    HitKey { t: hit.t, instance: *instance, primitive: hit.primitive }
}

/// What answers rays in batches, and by themselves.
pub trait Engine {
    fn batches(&self) -> &dyn Tracer;
    fn closest_one(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)>;
    fn any_one(&self, ray: &Ray, after: HitKey) -> Blocked;
    fn visit_one(&self, ray: &Ray, receive: &mut dyn FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()>;
}

macro_rules! engine {
    ($engine:ty) => {
        impl Engine for $engine {
            fn batches(&self) -> &dyn Tracer {
                self
            }

            fn closest_one(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
                self.closest_one(ray, after)
            }

            fn any_one(&self, ray: &Ray, after: HitKey) -> Blocked {
                self.any_one(ray, after)
            }

            fn visit_one(&self, ray: &Ray, receive: &mut dyn FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
                self.visit_one(ray, receive)
            }
        }
    };
}
engine!(CpuTracer);
engine!(LevelsTracer);

/// Every engine against every triangle.
#[track_caller]
pub fn check(triangles: &FlatTriangles, rays: &[Ray]) {
    check_engines(triangles, rays, &tracers(triangles));
}

/// The one place that touches the API: engines against every triangle, bit for bit, all
/// queries, with and without `after`.
#[track_caller]
pub fn check_engines<E: Engine>(triangles: &FlatTriangles, rays: &[Ray], engines: &[(String, E)]) {
    check_after(triangles, rays, &[], engines);
    // After the first hit, and after the last: a middle and an end.
    let hits: Vec<_> = rays.iter().map(|ray| all_hits(triangles, ray)).collect();
    for pick in [|h: &[(Hit, u32, bool)]| h.first().map(key), |h: &[(Hit, u32, bool)]| h.last().map(key)] {
        let after: Vec<HitKey> = hits.iter().map(|h| pick(h).unwrap_or(HitKey::START)).collect();
        check_after(triangles, rays, &after, engines);
    }
}

#[track_caller]
fn check_after<E: Engine>(triangles: &FlatTriangles, rays: &[Ray], after: &[HitKey], engines: &[(String, E)]) {
    let invalid = rays.iter().filter(|ray| !ray.is_valid()).count() as u64;
    let expected: Vec<Vec<(Hit, u32, bool)>> = rays
        .iter()
        .enumerate()
        .map(|(i, ray)| {
            let mut hits = all_hits(triangles, ray);
            hits.retain(|hit| after.get(i).is_none_or(|after| after.before(&key(hit))));
            hits
        })
        .collect();
    for (name, engine) in engines {
        let tracer = engine.batches();
        let (hits, instances, stats) = closest(tracer, rays, after);
        assert_eq!((stats.rays, stats.invalid), (rays.len() as u64, invalid), "{name}");
        for (i, want) in expected.iter().enumerate() {
            let got = (bits(&hits[i]), instances[i]);
            let want = want.first().map_or((bits(&Hit::miss(rays[i].t_max)), Hit::MISS), |h| (bits(&h.0), h.1));
            assert_eq!(got, want, "{name}, ray {i}: {:?} got {:?}", rays[i], hits[i]);
        }
        let (blocked, undecided) = any(tracer, rays, after);
        let mut candidates = undecided.iter().peekable();
        for (i, want) in expected.iter().enumerate() {
            let is_blocked = want.iter().any(|hit| hit.2);
            assert_eq!(blocked[i], is_blocked, "{name}, any ray {i}: {:?}", rays[i]);
            let candidate = candidates.next_if(|c| c.ray as usize == i).map(|c| (c.instance, bits(&c.hit)));
            let first = want.first().filter(|_| !is_blocked).map(|h| (h.1, bits(&h.0)));
            assert_eq!(candidate, first, "{name}, undecided ray {i}: {:?}", rays[i]);
        }
        assert!(candidates.next().is_none(), "{name}: candidates out of order");
        check_single(name, engine, rays, after, &expected);
    }
}

/// Each ray by itself, and all its hits in one walk.
#[track_caller]
pub fn check_single<E: Engine>(
    name: &str,
    tracer: &E,
    rays: &[Ray],
    after: &[HitKey],
    expected: &[Vec<(Hit, u32, bool)>],
) {
    for (i, (ray, want)) in rays.iter().zip(expected).enumerate() {
        let after_it = after.get(i).copied().unwrap_or(HitKey::START);
        let of = |(hit, instance): (Hit, u32)| (bits(&hit), instance);
        let first = want.first().map(|h| (h.0, h.1));
        assert_eq!(tracer.closest_one(ray, after_it).map(of), first.map(of), "{name}, single ray {i}: {ray:?}");
        let blocked = match (first, want.iter().any(|hit| hit.2)) {
            (Some(_), true) => (true, None),
            (first, _) => (false, first.map(of)),
        };
        let got = match tracer.any_one(ray, after_it) {
            Blocked::No => (false, None),
            Blocked::Yes => (true, None),
            Blocked::Perhaps(hit, instance) => (false, Some(of((hit, instance)))),
        };
        assert_eq!(got, blocked, "{name}, any single ray {i}: {ray:?}");
        if after.is_empty() {
            let all: Vec<_> = want.iter().map(|h| of((h.0, h.1))).collect();
            assert_eq!(
                touches(tracer, ray).into_iter().map(of).collect::<Vec<_>>(),
                all,
                "{name}, all of ray {i}: {ray:?}"
            );
        }
    }
}

/// All hits of a ray in (t, instance, primitive) order, by one walk.
pub fn touches(tracer: &impl Engine, ray: &Ray) -> Vec<(Hit, u32)> {
    let mut all = Vec::new();
    let flow = tracer.visit_one(ray, &mut |hit: &Hit, instance| {
        all.push((*hit, instance));
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    all.sort_by(|a, b| (a.0.t, a.1, a.0.primitive).partial_cmp(&(b.0.t, b.1, b.0.primitive)).unwrap());
    all
}

/// A hit as bits, so that NaN and the zeros count; -0 and 0 are the same `t`.
fn bits(hit: &Hit) -> [u32; 4] {
    [(hit.t + 0.0).to_bits(), (hit.u + 0.0).to_bits(), (hit.v + 0.0).to_bits(), hit.primitive]
}

pub fn closest(tracer: &dyn Tracer, rays: &[Ray], after: &[HitKey]) -> (Vec<Hit>, Vec<u32>, raywarp_geom::BatchStats) {
    let (mut hits, mut instances) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
    let stats = tracer.closest(rays, after, &mut hits, &mut instances, &Control::default()).unwrap();
    (hits, instances, stats)
}

pub fn any(tracer: &dyn Tracer, rays: &[Ray], after: &[HitKey]) -> (Vec<bool>, Vec<Candidate>) {
    // Set beforehand: the query must clear what it does not set.
    let (mut words, mut undecided) = (vec![u32::MAX; rays.len().div_ceil(32)], vec![]);
    tracer.any(rays, after, &mut words, &mut undecided, &Control::default()).unwrap();
    ((0..rays.len()).map(|i| words[i / 32] >> (i % 32) & 1 == 1).collect(), undecided)
}

/// A random ray from twice the cube from -1 to 1 to a point in it.
pub fn random_ray(random: &mut Random) -> Ray {
    let (origin, target) = (random.point().map(|x| 2.0 * x), random.point());
    Ray::new(origin, sub(target, origin))
}

pub fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[i] - b[i])
}

/// Random triangles of size `size` in the cube from -1 to 1, in three instances, a fifth not opaque.
pub fn soup(count: usize, size: f32, seed: u64) -> FlatTriangles {
    let mut random = Random::new(seed);
    let vertices = (0..count)
        .map(|_| {
            let place = random.point();
            [0; 3].map(|_| {
                let offset = random.point();
                std::array::from_fn(|i| place[i] + size * offset[i])
            })
        })
        .collect();
    let mut triangles = FlatTriangles::from_vertices(vertices);
    for (i, (id, opaque)) in triangles.ids.iter_mut().zip(&mut triangles.opaque).enumerate() {
        id.instance = (3 * i / count) as u32;
        id.primitive -= (id.instance as usize * count).div_ceil(3) as u32;
        *opaque = i % 5 != 3;
    }
    assert!(triangles.ids.is_sorted());
    triangles
}

/// A closed ball: subdivided octahedron of 8 * 4^levels triangles with shared corners.
pub fn ball(levels: u32) -> Vec<[Point; 3]> {
    let corner = |axis: usize, sign: f32| -> Point { std::array::from_fn(|i| if i == axis { sign } else { 0.0 }) };
    let mut triangles = Vec::new();
    for signs in 0..8 {
        let sign = |axis: usize| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
        triangles.push([corner(0, sign(0)), corner(1, sign(1)), corner(2, sign(2))]);
    }
    let middle = |a: Point, b: Point| -> Point {
        // Symmetric in a and b, so that neighbours share the corner bit for bit.
        let m: Point = std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
        let length = (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]).sqrt();
        m.map(|x| x / length)
    };
    for _ in 0..levels {
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    triangles
}

/// A flat grid of 2 n^2 triangles over 0 .. n in x and y at height z.
pub fn grid(n: usize, z: f32) -> Vec<[Point; 3]> {
    let at = |x: usize, y: usize| [x as f32, y as f32, z];
    (0..n * n)
        .flat_map(|i| {
            let (x, y) = (i % n, i / n);
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
            [[a, b, c], [b, d, c]]
        })
        .collect()
}
