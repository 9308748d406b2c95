//! Surfaces that a ray crosses, counted by a half-open rule: exactly for closed meshes, whatever the ray passes.

use crate::closed::aim::Target;
use crate::closed::meshes;
use crate::closed::oriented::oriented;
use crate::common::{Point, grid, soup};
use crate::levels::{Scene, aimed, transform};
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{Contact, CpuOptions, CpuTracer, Isa, LevelsTracer};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Affine64, FlatTriangles, Ray};
use raywarp_testing::{Random, cases};
use raywarp_workload::closed::SplitMix64;
use std::collections::HashMap;

/// What a ray crosses: `t`, instance, primitive, and whether through the front; sorted.
pub type Crossed = Vec<(u32, u32, u32, bool)>;

fn crossed(tell: impl FnOnce(&mut dyn FnMut(&Contact<'_>, bool))) -> Crossed {
    let mut all = Vec::new();
    tell(&mut |touch, is_front| {
        all.push(((touch.hit.t + 0.0).to_bits(), touch.instance, touch.hit.primitive, is_front));
    });
    all.sort_unstable();
    all
}

fn of_flat(tracer: &CpuTracer, ray: &Ray) -> Crossed {
    crossed(|receive| tracer.crossings_one(ray, receive))
}

pub fn of_levels(tracer: &LevelsTracer, ray: &Ray) -> Crossed {
    crossed(|receive| tracer.crossings_one(ray, receive))
}

/// What a ray crosses, from every triangle.
pub fn expected(triangles: &FlatTriangles, ray: &Ray) -> Crossed {
    let test = Watertight::new(ray);
    let mut all = Vec::new();
    for (corners, id) in triangles.vertices.iter().zip(&triangles.ids) {
        let (Some(is_front), true) = (test.crosses(corners), ray.is_valid()) else { continue };
        let [t, ..] = test.test(corners).expect("what is crossed is hit");
        if ray.t_min <= t && t < ray.t_max {
            all.push(((t + 0.0).to_bits(), id.instance, id.primitive, is_front));
        }
    }
    all.sort_unstable();
    all
}

fn winding(crossed: &Crossed) -> i32 {
    crossed.iter().map(|crossed| if crossed.3 { -1 } else { 1 }).sum()
}

/// Tracers of every instruction set, over a plain tree and over one that cuts triangles.
fn tracers(triangles: &FlatTriangles) -> Vec<(String, CpuTracer)> {
    let mut all = Vec::new();
    for (name, options) in [("plain", BuildOptions::default()), ("cut", presets::SINGLE_SPLIT)] {
        let bvh = build(triangles, &BuildOptions { split_alpha: 0.0, ..options }).unwrap();
        for isa in Isa::all() {
            let options = CpuOptions { isa, ..CpuOptions::default() };
            all.push((format!("{name} {isa}"), CpuTracer::with_options(&bvh, triangles, &options).unwrap()));
        }
    }
    all
}

#[test]
fn rays_to_corners_and_along_edges_tell_inside_from_outside() {
    for mesh in meshes::all() {
        for (size, offset) in [(1e-6, 0.0), (1.0, 0.0), (1.0, 1e2), (1e6, 1e4)] {
            let target = Target::new(&mesh, size, offset);
            let triangles = FlatTriangles::from_vertices(oriented(&target.triangles));
            for (name, tracer) in tracers(&triangles) {
                let mut random = SplitMix64(7);
                let outwards = winding(&of_flat(&tracer, &target.inner_ray(&mut random)));
                assert_eq!(outwards.abs(), 1, "{}, {name}", mesh.name);
                for _ in 0..cases(300) {
                    let ray = target.inner_ray(&mut random).with_interval(0.0, f32::INFINITY);
                    let all = of_flat(&tracer, &ray);
                    assert_eq!(winding(&all), outwards, "{}, {name}: {ray:?}, {all:?}", mesh.name);
                    // Cut in two anywhere, also at a surface.
                    for t in [0.7, f32::from_bits(all[0].0)] {
                        let parts = [ray.with_interval(0.0, t), ray.with_interval(t, f32::INFINITY)];
                        let mut both = parts.map(|part| of_flat(&tracer, &part)).concat();
                        both.sort_unstable();
                        assert_eq!(both, all, "{}, {name}: {ray:?} at {t}", mesh.name);
                    }
                    let ray = target.outer_ray(&mut random).with_interval(0.0, f32::INFINITY);
                    assert_eq!(winding(&of_flat(&tracer, &ray)), 0, "{}, {name}: {ray:?}", mesh.name);
                }
            }
        }
    }
}

#[test]
fn lattice_rays_through_lattice_boxes_count_overlaps_and_cavities() {
    // Boxes of whole numbers: one, one that overlaps it, one within it turned inside out (a cavity), one that touches.
    let cuboid = |min: [f32; 3], max: [f32; 3], inside_out: bool| -> Vec<[[f32; 3]; 3]> {
        let at = |i: usize| -> [f32; 3] { std::array::from_fn(|k| if i >> k & 1 == 0 { min[k] } else { max[k] }) };
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let mut triangles = Vec::new();
        for [a, b, c, d] in quads.map(|quad: [usize; 4]| quad.map(at)) {
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        if inside_out {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        triangles
    };
    let boxes = [
        ([0.0; 3], [4.0; 3], false),
        ([2.0, 2.0, -1.0], [6.0, 6.0, 3.0], false),
        ([1.0, 1.0, 1.0], [2.0, 2.0, 3.0], true),
        ([4.0, 0.0, 0.0], [5.0, 1.0, 2.0], false),
    ];
    let triangles = boxes.iter().flat_map(|&(min, max, inside_out)| cuboid(min, max, inside_out)).collect();
    let triangles = FlatTriangles::from_vertices(triangles);
    let times_inside = |p: [f32; 3]| -> i32 {
        let within = |(min, max, inside_out): &([f32; 3], [f32; 3], bool)| {
            let is_in = (0..3).all(|k| min[k] < p[k] && p[k] < max[k]);
            if !is_in {
                0
            } else if *inside_out {
                -1
            } else {
                1
            }
        };
        boxes.iter().map(within).sum()
    };
    for (name, tracer) in tracers(&triangles) {
        let mut seen = [0; 4];
        for i in 0..14 * 14 * 12 {
            // Half numbers, so that no start is on a surface, while rays run in faces and through edges and corners.
            let whole = [i % 14, i / 14 % 14, i / 196].map(|k| k as f32 - 3.0);
            for axis in 0..3 {
                let mut from = whole.map(|x| 0.5 * x);
                from[axis] = from[axis].floor() + 0.5;
                for sign in [1.0, -1.0] {
                    let direction = std::array::from_fn(|k| if k == axis { sign } else { 0.0 });
                    let is_on = |(min, max, _): &([f32; 3], [f32; 3], bool)| {
                        let reaches = (0..3).all(|k| min[k] <= from[k] && from[k] <= max[k]);
                        reaches && (0..3).any(|k| from[k] == min[k] || from[k] == max[k])
                    };
                    if boxes.iter().any(is_on) {
                        continue;
                    }
                    let found = winding(&of_flat(&tracer, &Ray::new(from, direction)));
                    assert_eq!(found, times_inside(from), "{name}: from {from:?} to {direction:?}");
                    seen[found as usize] += 1;
                }
            }
        }
        assert!(seen[0] > 500 && seen[1] > 100 && seen[2] > 10 && seen[3] == 0, "{seen:?}");
    }
}

#[test]
fn placements_cross_as_the_flattened_scene_does() {
    let mut random = Random::new(23);
    let grid = FlatTriangles::from_vertices(grid(3, 0.0));
    let placed: Vec<(u32, Affine64)> = (0..24).map(|i| (i % 2, transform(&mut random, 1.0))).collect();
    let scene = Scene::new(vec![soup(40, 0.5, 2), grid], placed);
    let flat = scene.flat();
    let (rays, mut count) = (aimed(&flat, &mut random, 300, 3.0), 0);
    for (name, tracer) in scene.tracers() {
        for ray in &rays {
            let want = expected(&flat, ray);
            assert_eq!(of_levels(&tracer, ray), want, "{name}: {ray:?}");
            count += want.len();
        }
    }
    assert!(count > 5_000, "{count}");
    let nan = Ray { origin: [f32::NAN; 3], ..rays[0] };
    assert!(scene.tracers().iter().all(|(_, tracer)| of_levels(tracer, &nan).is_empty()));
}

/// How many more times each edge runs one way than the other, without those that do not.
fn balance(edges: impl Iterator<Item = [Point; 2]>) -> HashMap<[[u32; 3]; 2], i64> {
    let mut balance: HashMap<[[u32; 3]; 2], i64> = HashMap::new();
    for ends in edges {
        let [from, to] = ends.map(|p| p.map(|x| if x == 0.0 { 0 } else { x.to_bits() }));
        if from != to {
            *balance.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    balance.retain(|_, balance| *balance != 0);
    balance
}

/// The number of open edges, as a reader believes at sight. They are also those that a search for them finds.
fn open_edges(triangles: &[[Point; 3]]) -> u64 {
    let all = balance(triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]));
    let count = all.values().map(|balance| balance.unsigned_abs()).sum();
    let found = raywarp_cpu::rim(triangles.len(), |triangle| triangles[triangle]);
    assert_eq!((found.len() as u64, balance(found.into_iter())), (count, all));
    count
}

#[test]
fn what_is_closed_is_known_by_the_bits_of_its_corners() {
    let open = |triangles: &[[Point; 3]]| {
        let count = raywarp_cpu::open_edges(triangles.len(), |triangle| triangles[triangle]);
        assert_eq!(count, open_edges(triangles));
        count
    };
    for mesh in meshes::all() {
        let whole = oriented(&mesh.triangles);
        assert_eq!(open(&whole), 0, "{}", mesh.name);
        assert_eq!(open(&whole[1..]), 3, "{}", mesh.name);
        let mut turned = whole.clone();
        turned[0].swap(0, 1);
        assert_eq!(open(&turned), 6, "{}", mesh.name);
        let mut moved = whole.clone();
        moved[0][0][1] = moved[0][0][1].next_up();
        assert!(open(&moved) >= 4, "{}", mesh.name);
        assert_eq!(open(&[whole.clone(), whole.clone()].concat()), 0, "{}", mesh.name);
        assert_eq!(open(&[&whole[1..], &whole[1..]].concat()), 6, "{}", mesh.name);
        let mirrored: Vec<[Point; 3]> = whole.iter().map(|c| c.map(|[x, y, z]| [x, y, -z])).collect();
        assert_eq!(open(&mirrored), 0, "{}", mesh.name);
    }
    // The zeros are one place, corners that meet have no edge, and nothing is closed.
    let zeros = |zero: f32| [[zero, 0.0, 0.0], [1.0, -zero, 0.0], [zero, 1.0, -zero]];
    let [a, b, c] = zeros(-0.0);
    assert_eq!(open(&[zeros(0.0), [a, c, b], [a, a, b], [b, a, a]]), 0);
    assert_eq!(open(&[]), 0);
}

#[test]
fn open_edges_are_counted_in_any_order_and_number() {
    let mut random = Random::new(11);
    for cells in [1usize, 3, 40, 300] {
        let corner = |cell: usize, right: usize, up: usize| -> Point {
            let [x, y] = [cell % cells + right, cell / cells + up].map(|k| k as f32);
            [x, y, (x * y) % 7.0]
        };
        let mut triangles: Vec<[Point; 3]> = (0..cells * cells)
            .flat_map(|cell| {
                let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, up)| corner(cell, right, up));
                [[a, b, c], [b, d, c]]
            })
            .collect();
        let count = |triangles: &[[Point; 3]]| raywarp_cpu::open_edges(triangles.len(), |index| triangles[index]);
        assert_eq!(count(&triangles), 4 * cells as u64);
        for _ in 0..2 {
            // Holes, doubles and turned ones, without an order.
            for _ in 0..triangles.len() / 50 {
                let (one, other) = (random.below(triangles.len()), random.below(triangles.len()));
                triangles[one] = triangles[other];
                triangles[other].rotate_left(1);
                triangles[random.below(other + 1)].swap(0, 2);
            }
            for last in (1..triangles.len()).rev() {
                triangles.swap(last, random.below(last + 1));
            }
            assert_eq!(count(&triangles), open_edges(&triangles), "{cells}");
        }
    }
}
