//! Scenes of two levels answer as the flattened scene does, bit for bit.

use crate::common::{Engine, Point, ball, check_engines, random_ray, soup, sub};
use crate::overlaps::Touching;
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{CpuOptions, CpuTracer, Isa, LevelsError, LevelsTracer, PlacementError, TreePlacement};
use raywarp_geom::{Aabb, Affine64, FlatTriangles, HitKey, PrimitiveId, Ray};
use raywarp_testing::{Random, cases};
use std::sync::Arc;

/// Trees and their placements, numbered one after another.
pub struct Scene {
    pub trees: Vec<FlatTriangles>,
    pub placements: Vec<TreePlacement>,
}

impl Scene {
    /// Places trees by index and transform.
    pub fn new(trees: Vec<FlatTriangles>, placed: impl IntoIterator<Item = (u32, Affine64)>) -> Self {
        let mut base = 0;
        let place = |(tree, transform): (u32, Affine64)| {
            let first = base;
            base += trees[tree as usize].ids.iter().map(|id| id.instance + 1).max().unwrap_or(1);
            TreePlacement::still(tree, transform, first)
        };
        Self { placements: placed.into_iter().map(place).collect(), trees }
    }

    /// Returns the triangles where the placements take them.
    pub fn flat(&self) -> FlatTriangles {
        self.flat_at(0.0)
    }

    /// Returns the triangles where the placements take them at a time; those whose map has no inverse then are left
    /// out.
    pub fn flat_at(&self, time: f32) -> FlatTriangles {
        let mut flat = FlatTriangles::default();
        for TreePlacement { tree, transform, end, base } in &self.placements {
            let (tree, start) = (&self.trees[*tree as usize], transform.rounded());
            let map = end.map_or(start, |end| start.between(&end.rounded(), time));
            if Affine64::from(&map).inverse().is_none() {
                continue;
            }
            flat.vertices.extend(tree.vertices.iter().map(|corners| corners.map(|p| map.point(p))));
            flat.ids.extend(tree.ids.iter().map(|id| PrimitiveId { instance: base + id.instance, ..*id }));
            flat.opaque.extend(&tree.opaque);
        }
        flat
    }

    /// Returns the tracers of every instruction set, over plain trees and over trees that cut triangles.
    pub fn tracers(&self) -> Vec<(String, LevelsTracer)> {
        let mut all = Vec::new();
        for (name, options) in [("plain", BuildOptions::default()), ("cut", presets::SINGLE_SPLIT)] {
            for isa in Isa::all() {
                let options = BuildOptions { split_alpha: 0.0, ..options };
                let tree = |triangles| Arc::new(tracer(triangles, &options, isa));
                let trees = self.trees.iter().map(tree).collect();
                all.push((format!("{name} {isa}"), LevelsTracer::with_isa(trees, &self.placements, isa).unwrap()));
            }
        }
        all
    }
}

fn tracer(triangles: &FlatTriangles, options: &BuildOptions, isa: Isa) -> CpuTracer {
    let bvh = build(triangles, options).unwrap();
    CpuTracer::with_options(&bvh, triangles, &CpuOptions { isa, ..CpuOptions::default() }).unwrap()
}

/// A transform that turns, scales by direction (a third mirror), shears and shifts by up to `shift`.
pub fn transform(random: &mut Random, shift: f32) -> Affine64 {
    let wide = |p: Point| p.map(f64::from);
    let (axis, turn) = (wide(random.point()), 180.0 * f64::from(random.point()[0]));
    let scale = random.point().map(|x| f64::from(x).exp2() * if x > 0.8 { -1.0 } else { 1.0 });
    let mut shear = Affine64::IDENTITY;
    shear.rows[0][1] = f64::from(random.point()[1]);
    let shift = Affine64::translation(random.point().map(|x| f64::from(shift * x)));
    shift.after(&Affine64::rotation(turn, axis)).after(&shear).after(&Affine64::scale(scale))
}

/// Rays to corners, to points on edges and to random points of random triangles.
pub fn aimed(flat: &FlatTriangles, random: &mut Random, count: usize, size: f32) -> Vec<Ray> {
    let aim = |i: usize| {
        let pick = ((0.5 + 0.5 * random.point()[0]) * (flat.len() - 1) as f32) as usize;
        let [a, b, c] = flat.vertices[pick];
        let s = 0.5 + 0.5 * random.point()[1];
        let target: Point = match i % 3 {
            0 => a,
            1 => std::array::from_fn(|k| a[k] + s * (b[k] - a[k])),
            _ => std::array::from_fn(|k| a[k] + 0.3 * (b[k] - a[k]) + 0.4 * (c[k] - a[k])),
        };
        let from = random.point();
        let origin = std::array::from_fn(|k| target[k] + size * from[k]);
        let ray = Ray::new(origin, sub(target, origin));
        // Some end, or begin, exactly where they were aimed.
        if i.is_multiple_of(5) { ray.with_interval(0.0, 1.0) } else { ray }
    };
    (0..count).map(aim).collect()
}

#[test]
fn turned_sheared_scaled_and_mirrored_placements_are_the_flattened_scene() {
    let mut random = Random::new(11);
    for shift in [0.0, 2.0, 1e3, 1e6] {
        let trees = vec![soup(60, 0.4, 3), soup(9, 1.5, 4), FlatTriangles::default()];
        let scene = Scene::new(trees, (0..24).map(|i| (i % 3, transform(&mut random, shift))));
        let flat = scene.flat();
        let rays = aimed(&flat, &mut random, 150, 3.0);
        check_engines(&flat, &rays, &scene.tracers());
    }
}

#[test]
fn meshes_far_from_their_own_origin_and_rays_far_from_the_scene_agree() {
    let mut random = Random::new(5);
    for offset in [1e2f32, 1e5] {
        let mut far = soup(40, 0.3, 9);
        far.vertices.iter_mut().flatten().for_each(|p| p[0] += offset);
        let back = Affine64::translation([-f64::from(offset), 0.0, 0.0]);
        let scene = Scene::new(vec![far], (0..8).map(|_| (0, transform(&mut random, 2.0).after(&back))));
        let flat = scene.flat();
        for size in [2.0, 1e4, 1e8] {
            check_engines(&flat, &aimed(&flat, &mut random, cases(60), size), &scene.tracers());
        }
    }
}

#[test]
fn rays_that_start_far_off_in_the_world_and_near_in_the_tree_agree() {
    // Sheared by so much that what the world rounds is far more than what the tree's own space would, along two axes.
    let shear = |x: f64, kept: usize| {
        let mut map = Affine64::IDENTITY;
        (0..3).filter(|axis| *axis != kept).for_each(|axis| map.rows[axis][kept] = x);
        map
    };
    let mut random = Random::new(14);
    let sizes = [(1e3, 1.0), (3e4, 1.0), (1e3, 0.015625), (3e4, 0.015625)];
    for (kept, (x, size)) in (0..12).map(|i| (i / 4, sizes[i % 4])) {
        let mut map = shear(x, kept);
        // Small, so that what rays round from where they start is more than what corners round; and sheared again, by
        // an exact map, so that they do along all axes.
        if size < 1.0 {
            let mut again = Affine64::IDENTITY;
            again.rows[kept][(kept + 1) % 3] = 1.0;
            map = again.after(&map);
        }
        let mut tree = soup(60, 0.5, 3);
        tree.vertices.iter_mut().flatten().flatten().for_each(|p| *p *= size);
        let scene = Scene::new(vec![tree], [(0, map)]);
        let flat = scene.flat();
        let to_world = |p: Point| map.point(p.map(f64::from)).map(|x| x as f32);
        let near: Vec<Ray> = aimed(&scene.trees[0], &mut random, 300, 1.0);
        let rays: Vec<Ray> = near
            .iter()
            .enumerate()
            .map(|(i, ray)| {
                let [origin, target] = [to_world(ray.origin), flat.vertices[i * 7 % flat.len()][i % 3]];
                Ray::new(origin, sub(target, origin))
            })
            .collect();
        check_engines(&flat, &rays, &scene.tracers());
    }
}

#[test]
fn unusual_rays_agree() {
    let mut random = Random::new(6);
    let scene = Scene::new(vec![soup(60, 0.5, 3)], (0..6).map(|_| (0, transform(&mut random, 1.0))));
    let mut rays = Vec::new();
    for i in 0..24 {
        let ray = random_ray(&mut random);
        let scale = [1e-44f32, 1e-38, 1e-30, 1e-20, 1e20, 1e38][i % 6];
        rays.push(Ray { direction: ray.direction.map(|x| (x * scale).clamp(-f32::MAX, f32::MAX)), ..ray });
        let axis: Point = std::array::from_fn(|k| if k == i % 3 { ray.direction[k] } else { 0.0 });
        rays.push(Ray { direction: axis, ..ray });
        rays.push(Ray { origin: ray.origin.map(|x| x * [1e12, 1e25, 1e38][i % 3]), ..ray });
        rays.push(ray.with_interval(-1.0, [0.5, 1.5, f32::INFINITY, f32::NAN, -2.0][i % 5]));
        rays.push(Ray { direction: [0.0, f32::NAN, f32::INFINITY].map(|x| x * i as f32), ..ray });
    }
    check_engines(&scene.flat(), &rays, &scene.tracers());
}

#[test]
fn the_longest_and_the_shortest_directions_agree_where_maps_make_them_longer_and_shorter() {
    let mut random = Random::new(66);
    for size in [1e-6, 0.5, 1.0, 4.0, 1e6] {
        // Apart, so that none is opened to its leaves; components of zero have boxes scaled.
        let map = |x: f64| Affine64::translation([x, 0.0, 0.0]).after(&Affine64::scale([-size, 1.5 * size, size]));
        let scene = Scene::new(vec![soup(40, 0.5, 3)], [(0, map(0.0)), (0, map(8.0 * size))]);
        let flat = scene.flat();
        let mut rays = Vec::new();
        for (i, ray) in aimed(&flat, &mut random, 60, 2.0 * size as f32).into_iter().enumerate() {
            let used = [[false, false, true], [false, true, false], [true, false, true], [true; 3]][i % 4];
            let way: Point = std::array::from_fn(|k| if used[k] { ray.direction[k] } else { 0.0 });
            // To the same place.
            let origin = std::array::from_fn(|k| ray.origin[k] + ray.direction[k] - way[k]);
            let longest = way.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            // Of the longest component, exactly.
            let length = [2f32.powi(127), f32::MAX, 2f32.powi(126), f32::MIN_POSITIVE, 1e-42, 1e-36][i / 4 % 6];
            let direction = way.map(|x| if x.abs() == longest { length.copysign(x) } else { x / longest * length });
            rays.push(Ray::new(origin, direction));
        }
        let found = rays.iter().filter(|ray| scene.tracers()[0].1.closest_one(ray, HitKey::START).is_some()).count();
        assert!(found > 10, "{found} at {size}");
        check_engines(&flat, &rays, &scene.tracers());
    }
}

#[test]
fn rays_from_so_far_that_a_tree_has_no_place_for_them_agree() {
    let mut random = Random::new(67);
    for (size, turn) in [(1e-11, 0.0), (1e-8, 0.0), (1e-4, 30.0), (0.5, 0.0), (0.5, 30.0), (0.7, 80.0)] {
        let turned = Affine64::rotation(turn, [1.0, 2.0, 3.0]).after(&Affine64::scale([-size, 1.5 * size, size]));
        let map = |x: f64| Affine64::translation([x, 0.0, 0.0]).after(&turned);
        // In the world, of a size that lets rays hit from far away.
        let wide = 1e26f32 / size as f32;
        let mut tree = soup(40, 0.5, 3);
        tree.vertices.iter_mut().flatten().flatten().for_each(|x| *x *= wide);
        let scene = Scene::new(vec![tree], [(0, map(0.0)), (0, map(6e26))]);
        let flat = scene.flat();
        let mut rays = Vec::new();
        for (i, ray) in aimed(&flat, &mut random, 60, 2e26).into_iter().enumerate() {
            let target: Point = std::array::from_fn(|k| ray.origin[k] + ray.direction[k]);
            let far = [1e27, 1e29, 1e31, 1e34, 1e37, 3e38][i % 6];
            let axis = i / 6 % 3;
            let (mut origin, mut direction) = (target, [0.0; 3]);
            (origin[axis], direction[axis]) = ([far, -far][i / 18 % 2], [-1.0, 1.0][i / 18 % 2]);
            rays.push(Ray::new(origin, direction.map(|x| x * [1.0, far][i / 36 % 2])));
        }
        let found = rays.iter().filter(|ray| scene.tracers()[0].1.closest_one(ray, HitKey::START).is_some()).count();
        assert!(found > 10, "{found} at {size}");
        check_engines(&flat, &rays, &scene.tracers());
    }
}

#[test]
fn worlds_so_small_that_flattening_leaves_no_normal_numbers_agree() {
    let mut random = Random::new(68);
    for (scale, small) in [(2f64.powi(-39), 2f32.powi(-100)), (2f64.powi(-20), 2f32.powi(-117)), (1.0, 1e-41)] {
        let map = |x: f64| {
            Affine64::translation([x * f64::from(small) * scale, 0.0, 0.0])
                .after(&Affine64::rotation(33.0, [1.0, 2.0, 3.0]).after(&Affine64::scale([scale; 3])))
        };
        let mut tree = soup(40, 0.5, 3);
        tree.vertices.iter_mut().flatten().flatten().for_each(|x| *x *= small);
        let scene = Scene::new(vec![tree], [(0, map(0.0)), (0, map(0.7))]);
        let flat = scene.flat();
        for length in [1.0, 1e3, 1e35, 1e38] {
            let mut rays = aimed(&flat, &mut random, 80, 2.0 * small * scale as f32);
            for ray in &mut rays {
                ray.direction = ray.direction.map(|x| x * length);
            }
            rays.retain(Ray::is_valid);
            check_engines(&flat, &rays, &scene.tracers());
        }
        for (name, tracer) in scene.tracers() {
            for (corners, id) in flat.vertices.iter().zip(&flat.ids) {
                for corner in corners {
                    let touching = tracer.touching(&Aabb { min: *corner, max: *corner });
                    assert!(touching.contains(id), "{name}: {corner:?} of {id:?}");
                }
            }
        }
    }
}

#[test]
fn placements_at_the_very_same_place_are_told_by_their_numbers() {
    // Trees of three instances, and ids that interleave: base 0 and 3 of the same geometry, in this order and turned.
    let tree = soup(30, 0.5, 7);
    for swapped in [false, true] {
        let mut scene = Scene::new(vec![tree.clone()], [(0, Affine64::IDENTITY), (0, Affine64::IDENTITY)]);
        if swapped {
            scene.placements.swap(0, 1);
        }
        let mut flat = scene.flat();
        let mut order: Vec<usize> = (0..flat.len()).collect();
        order.sort_by_key(|&i| flat.ids[i]);
        flat = FlatTriangles {
            vertices: order.iter().map(|&i| flat.vertices[i]).collect(),
            ids: order.iter().map(|&i| flat.ids[i]).collect(),
            opaque: order.iter().map(|&i| flat.opaque[i]).collect(),
        };
        let mut random = Random::new(2);
        check_engines(&flat, &aimed(&flat, &mut random, 90, 2.0), &scene.tracers());
    }
}

/// Integer transforms of determinant 1 or -1, times powers of two and shifted: exact, and so are their inverses, for
/// coordinates that are small multiples of a power of two.
fn exact_transform(i: usize) -> Affine64 {
    let linear = [
        [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.0]],
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, 1.0]],
        [[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]],
    ][i % 4];
    let scale = [0.25, 1.0, 8.0][i % 3];
    let row = |r: usize| [scale * linear[r][0], scale * linear[r][1], scale * linear[r][2], (i * (r + 1) % 7) as f64];
    Affine64 { rows: [row(0), row(1), row(2)] }
}

#[test]
fn no_ray_slips_through_a_seam_between_placements() {
    // A ball whose corners lie on a grid, so that each of its triangles can come from a placement of its own.
    let on_grid = |p: Point| p.map(|x| (x * 256.0).round() / 256.0);
    let triangles: Vec<_> = ball(3).into_iter().map(|corners| corners.map(on_grid)).collect();
    let in_tree = |i: usize, corners: &[Point; 3]| {
        let back = exact_transform(i).inverse().unwrap();
        FlatTriangles::from_vertices(vec![corners.map(|p| back.point(p.map(f64::from)).map(|x| x as f32))])
    };
    let trees: Vec<_> = triangles.iter().enumerate().map(|(i, corners)| in_tree(i, corners)).collect();
    let placed = (0..triangles.len()).map(|i| (i as u32, exact_transform(i)));
    let scene = Scene::new(trees, placed);
    assert_eq!(scene.flat().vertices, triangles, "the seams are not exact");
    let mut random = Random::new(17);
    for (name, tracer) in scene.tracers() {
        for i in 0..cases(6000) {
            let [a, b, _] = triangles[i * 7 % triangles.len()];
            let s = if i.is_multiple_of(2) { 0.0 } else { 0.5 + 0.5 * random.point()[0] };
            let target: Point = std::array::from_fn(|k| a[k] + s * (b[k] - a[k]));
            let origin = random.point().map(|x| 0.4 * x);
            let ray = Ray::new(origin, sub(target, origin));
            assert!(Engine::closest_one(&tracer, &ray, HitKey::START).is_some(), "{name}: {ray:?}");
        }
    }
}

#[test]
fn transforms_that_no_box_can_be_walked_with_are_refused() {
    let tree = tracer(&soup(5, 0.5, 1), &BuildOptions::default(), Isa::preferred());
    let scaled = |s| LevelsTracer::check(&tree, &TreePlacement::still(0, Affine64::scale(s), 0));
    assert_eq!(scaled([1.0, 0.0, 1.0]), Err(PlacementError::Singular));
    assert_eq!(scaled([1.0, f64::NAN, 1.0]), Err(PlacementError::NotFinite));
    assert_eq!(scaled([1e39, 1.0, 1.0]), Err(PlacementError::NotFinite));
    assert_eq!(scaled([1e-20, 1.0, 1.0]), Err(PlacementError::IllConditioned));
    assert_eq!(scaled([1e-3, 1e3, -7.0]), Ok(()));
    // What is uncertain far from the origin has no number in a tree that is much smaller.
    let far = |y| Affine64::translation([0.0, y, 0.0]).after(&Affine64::scale([1.0, 1e-10, 1.0]));
    let placed = |y| LevelsTracer::check(&tree, &TreePlacement::still(0, far(y), 0));
    assert_eq!([placed(1e34), placed(1e36)], [Ok(()), Err(PlacementError::IllConditioned)]);
    // Corners that the sum of their map is beyond f32 on the way to, but not where it ends.
    let mut large = soup(5, 0.5, 1);
    large.vertices.iter_mut().flatten().for_each(|p| p[0] = 5e26 + 1e26 * p[0]);
    let large = tracer(&large, &BuildOptions::default(), Isa::preferred());
    let back = |scale| Affine64::translation([-1.5e38, 0.0, 0.0]).after(&Affine64::scale([scale, 1.0, 1.0]));
    let placed = |scale| LevelsTracer::check(&large, &TreePlacement::still(0, back(scale), 0));
    assert_eq!([placed(2.5e11), placed(6e11)], [Ok(()), Err(PlacementError::NotFinite)]);
    let mut flat = Affine64::rotation(30.0, [1.0, 2.0, 3.0]);
    flat.rows[2] = [0, 1, 2, 3].map(|k| flat.rows[0][k] + flat.rows[1][k] * 0.999_999_99);
    assert!(LevelsTracer::check(&tree, &TreePlacement::still(0, flat, 0)).is_err());
    let placement = TreePlacement::still(0, Affine64::scale([0.0; 3]), 0);
    let error = LevelsTracer::new(vec![Arc::new(tree)], &[placement]).unwrap_err();
    assert_eq!(error, LevelsError::Place { placement: 0, source: PlacementError::Singular });
}

#[test]
fn nothing_placed_is_nothing_hit() {
    let tree = Arc::new(tracer(&soup(5, 0.5, 1), &BuildOptions::default(), Isa::preferred()));
    for trees in [vec![], vec![tree]] {
        let empty = LevelsTracer::new(trees, &[]).unwrap();
        check_engines(&FlatTriangles::default(), &[Ray::new([0.0; 3], [1.0; 3])], &[("empty".to_string(), empty)]);
    }
}
