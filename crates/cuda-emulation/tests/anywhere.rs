//! Rays from anywhere, with any direction, at triangles of any size: kernels that lose no hit find the CPU's, bit for bit,
//! whether they decide such a ray themselves or leave it to the fallback kernel.

use rayon::prelude::*;
use raywarp_bvh::{Bvh2, build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::sure_up_to;
use raywarp_cuda_emulation::{EmulatedTracer, LaneOrder};
use raywarp_family::{BoxPlanes, Tree, Variant};
use raywarp_geom::{BatchStats, Control, FlatTriangles, Hit, HitKey, KernelName, Kernels, Ray, Tracer};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use raywarp_workload::closed::{ClosedMesh, SplitMix64, all, place};

/// Sizes of scenes; the last is near the largest that blocks can hold, and stands at the origin.
const SIZES: [f32; 7] = [1e-12, 1e-6, 1.0, 1e6, 1e24, 1e27, 5e29];
/// How far rays start from what they aim at, in sizes.
const WAYS: [f32; 7] = [0.2, 1.0, 5.0, 1e2, 1e4, 1e8, 1e16];
/// Lengths of directions.
const LENGTHS: [f32; 5] = [1.0, 1e-40, 1e-25, 3e20, 3e38];

/// Rays that aim at vertices, edges and faces, some of them along an axis.
fn rays(triangles: &FlatTriangles, size: f32, count: usize, random: &mut SplitMix64) -> Vec<Ray> {
    let ray = |i: usize| {
        let [a, b, c] = triangles.vertices[random.below(triangles.len())];
        let (s, r) = ([0.0, 0.5, random.unit()][random.below(3)], [0.0, 0.0, random.unit()][random.below(3)]);
        let target: [f32; 3] = std::array::from_fn(|k| a[k] + s * (b[k] - a[k]) + (1.0 - s) * r * (c[k] - a[k]));
        let axis = (i.is_multiple_of(6)).then(|| random.below(3));
        let p = random.point();
        let way: [f32; 3] = match axis {
            Some(axis) => std::array::from_fn(|k| if k == axis { p[0].signum() } else { 0.0 }),
            None => p,
        };
        let far = size * WAYS[i % WAYS.len()];
        let origin: [f32; 3] = std::array::from_fn(|k| target[k] + far * way[k]);
        // Towards the target, as long as said.
        let to: [f64; 3] = std::array::from_fn(|k| f64::from(target[k]) - f64::from(origin[k]));
        let longest = to.iter().fold(0f64, |most, x| most.max(x.abs()));
        let length = f64::from(LENGTHS[i / WAYS.len() % LENGTHS.len()]);
        Ray::new(origin, to.map(|x| (x / longest * length) as f32))
    };
    (0..count).map(ray).collect()
}

struct Found {
    hits: Vec<([u32; 4], u32)>,
    blocked: Vec<u32>,
    stats: BatchStats,
}

fn trace(tracer: &dyn Tracer, rays: &[Ray], after: &[HitKey]) -> Found {
    let (mut hits, mut instances) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
    let mut blocked = vec![0; rays.len().div_ceil(32)];
    let stats = tracer.closest(rays, after, &mut hits, &mut instances, &Control::default()).unwrap();
    tracer.any(rays, after, &mut blocked, &mut vec![], &Control::default()).unwrap();
    let bits = |hit: &Hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive];
    Found { hits: hits.iter().map(bits).zip(instances).collect(), blocked, stats }
}

/// Kernels whose hits are the CPU's.
fn watertight() -> impl Iterator<Item = Variant> {
    let all = raywarp_cuda::compiled().into_iter();
    all.filter(|variant| variant.triangle().is_watertight() && variant.box_planes() == BoxPlanes::Padded)
}

/// Holds all kernels against the CPU's tracer: how many the fallback kernels traced.
fn check(what: &str, triangles: &FlatTriangles, bvh: &Bvh2, rays: &[Ray], of: impl Fn(&Variant) -> bool) -> u64 {
    let cpu = CpuTracer::new(bvh, triangles).unwrap();
    let first = trace(&cpu, rays, &[]);
    let keys: Vec<HitKey> = first
        .hits
        .iter()
        .map(|&([t, _, _, primitive], instance)| match primitive {
            Hit::MISS => HitKey::START,
            _ => HitKey { t: f32::from_bits(t), instance, primitive },
        })
        .collect();
    let behind = trace(&cpu, rays, &keys);
    let mut by_fallback = 0;
    for variant in watertight().filter(of) {
        let mut emulated = EmulatedTracer::new(&variant, bvh, triangles).unwrap().unwrap();
        emulated.order = LaneOrder::Seeded(5);
        let kernel = Kernel::new(&variant.voted(), bvh, triangles).unwrap();
        let rust = FamilyTracer::new(kernel, Execution::Lockstep { width: 32 }).unwrap();
        let tracers: [(&str, &dyn Tracer); 2] = [("emulated", &emulated), ("in Rust", &rust)];
        for (after, wanted) in [(&[][..], &first), (&keys, &behind)] {
            let found = tracers.map(|(_, tracer)| trace(tracer, rays, after));
            for ((how, _), found) in tracers.iter().zip(&found) {
                for (i, ray) in rays.iter().enumerate() {
                    assert_eq!(found.hits[i], wanted.hits[i], "{what}: {variant}, {how}: {ray:?}, {}", after.len());
                }
                assert_eq!(found.blocked, wanted.blocked, "{what}: {variant}, {how}");
            }
            let counts = |found: &Found| [found.stats.rays, found.stats.invalid, found.stats.by_fallback];
            assert_eq!(counts(&found[0]), counts(&found[1]), "{what}: {variant}");
            // Named are the kernel and the one that traces what it leaves.
            let mut kernels = Kernels::of(KernelName::new(&variant.to_string()), 0);
            kernels.add(KernelName::new(&variant.to_string()), rays.len() as u64 - found[0].stats.by_fallback);
            if let Some(behind) = raywarp_cuda::fallback_variant(&variant).filter(|_| found[0].stats.by_fallback > 0) {
                kernels.add(KernelName::new(&behind.to_string()), found[0].stats.by_fallback);
            }
            assert_eq!(found[0].stats.kernels, kernels, "{what}: {variant}");
            assert!(variant.may_leave_undecided() || found[0].stats.by_fallback == 0, "{variant}");
            by_fallback += found[0].stats.by_fallback;
        }
    }
    by_fallback
}

#[test]
fn rays_from_anywhere_hit_what_they_hit_on_the_cpu() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let scenes: Vec<(usize, ClosedMesh)> = all().into_iter().enumerate().collect();
    let check_mesh = |(number, mesh): &(usize, ClosedMesh)| {
        let mut random = SplitMix64(11 + *number as u64);
        let (mut by_fallback, mut count) = (0, 0);
        for (i, size) in SIZES.into_iter().enumerate() {
            let offset = if size < 1e25 { [0.0, 1e2][(i + number) % 2] } else { 0.0 };
            let triangles = placed(mesh, size, offset);
            let bvh = build(&triangles, &presets::SINGLE).unwrap();
            let rays = rays(&triangles, size, WAYS.len() * LENGTHS.len(), &mut random);
            let what = format!("{} of size {size:e}, offset {offset}", mesh.name);
            by_fallback += check(&what, &triangles, &bvh, &rays, |variant| variant.tree() == Tree::H8);
            count += rays.len() as u64;
        }
        (by_fallback, count)
    };
    let counts: Vec<(u64, u64)> = scenes.par_iter().map(check_mesh).collect();
    let (by_fallback, count) =
        counts.iter().fold((0, 0), |sum, (by_fallback, count)| (sum.0 + by_fallback, sum.1 + count));
    // Two thirds start beyond or have such a direction, for each of the kernels that leave them, twice each.
    let asked = 2 * count * watertight().filter(Variant::may_leave_undecided).count() as u64;
    assert!(asked / 2 < by_fallback && by_fallback < asked, "{by_fallback} of {asked}");
}

#[test]
fn kernels_whose_boxes_grow_by_ray_find_the_same() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let mut random = SplitMix64(3);
    for mesh in all() {
        for (size, offset) in [(1e3, 1.0), (1e-12, 0.0), (4e24, 0.0)] {
            let triangles = placed(&mesh, size, offset);
            let bvh = build(&triangles, &presets::SINGLE).unwrap();
            let rays = rays(&triangles, size, 350, &mut random);
            let what = format!("{} of size {size:e}", mesh.name);
            check(&what, &triangles, &bvh, &rays, |variant| variant.tree() != Tree::H8);
        }
    }
}

#[test]
fn triangles_that_are_nearly_nothing_are_decided_by_the_fallback() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    // A fan of slivers, one of them 1e-22 wide, two that are as small, and a wall behind them.
    let mut vertices = vec![[[-1.0, -1.0, 2.0], [3.0, -1.0, 2.0], [-1.0, 3.0, 2.0]]];
    for i in 0..6 {
        let width = [1e-22, 1e-30, 1e-3][i % 3];
        let at = 0.1 * i as f32;
        vertices.push([[at, 0.0, 1.0], [at + width, 0.0, 1.0], [at, 1.0, 1.0]]);
        vertices.push([[0.0, width, 0.5], [width, width, 0.5], [0.0, 2.0 * width, 0.5]]);
    }
    let triangles = FlatTriangles::from_vertices(vertices);
    let bvh = build(&triangles, &presets::SINGLE).unwrap();
    let places = [0.0, 1e-30, 1e-22, 2e-22, 5e-4, 0.1, 0.2, 0.3, 0.4, 0.5];
    let along = |x: f32, y: f32| Ray::new([x, y, 0.0], [0.0, 0.0, 1.0]);
    let rays: Vec<Ray> = places.iter().flat_map(|&x| places.map(|y| along(x, y))).collect();
    let by_fallback = check("slivers", &triangles, &bvh, &rays, |_| true);
    assert!(by_fallback > 20, "{by_fallback}");
}

fn placed(mesh: &ClosedMesh, size: f32, offset: f32) -> FlatTriangles {
    FlatTriangles::from_vertices(mesh.placed(size, place(size, offset)))
}

#[test]
fn beyond_what_a_kernel_is_sure_of_it_does_lose_rays() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    // Along an axis reciprocals are 2^40, and their products with planes of 1e30 no floats.
    let boxes: Variant = "watertight".parse().unwrap();
    let mesh = &all()[0];
    let lost = |size: f32| {
        let triangles = placed(mesh, size, 0.0);
        let bvh = build(&triangles, &presets::SINGLE).unwrap();
        let at = |i: usize| {
            triangles.vertices[i % triangles.len()]
                .iter()
                .fold([0.0; 3], |sum: [f32; 3], corner| std::array::from_fn(|k| sum[k] + corner[k] / 3.0))
        };
        let along = |i: usize| {
            let (centre, axis) = (at(i), i % 3);
            let origin = std::array::from_fn(|k| if k == axis { -4.0 * size } else { centre[k] });
            Ray::new(origin, std::array::from_fn(|k| f32::from(u8::from(k == axis))))
        };
        let rays: Vec<Ray> = (0..96).map(along).collect();
        let right = trace(&CpuTracer::new(&bvh, &triangles).unwrap(), &rays, &[]);
        let found = trace(&EmulatedTracer::new(&boxes, &bvh, &triangles).unwrap().unwrap(), &rays, &[]);
        (0..rays.len()).filter(|&i| found.hits[i] != right.hits[i]).count()
    };
    assert_eq!([1.0, 2e24].map(lost), [0, 0]);
    assert!(sure_up_to(&boxes) < 1e26 && lost(1e30) > 48, "{}", lost(1e30));
}
