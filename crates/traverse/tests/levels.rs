//! Scenes of two levels: kernels that enter and leave instances answer as the flattened scene does, and enter what a
//! plain walk of both levels enters.

use crate::common::{Run, machines, rays, record, scene};
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_family::{Block, Space, Variant};
use raywarp_geom::{Aabb, Affine64, FlatTriangles, HitKey, PrimitiveId, Ray};
use raywarp_testing::Random;
use raywarp_traverse::{
    Answer, Batch, Execution, Kernel, KernelError, KernelLevels, KernelLevelsError, KernelPlacement, NoDumpReason,
    Query, RayDump,
};
use std::collections::BTreeMap;

/// Loops and supplies that walk two levels, with options of each kind.
const WALKS: [&str; 9] = [
    "direct/while-while/bvh2?triangle=watertight",
    "direct/if-if/bvh2?triangle=watertight",
    "direct/while-if/bvh2?triangle=watertight",
    "persistent/while-while/bvh2?triangle=watertight",
    "persistent/if-if/bvh2?triangle=watertight",
    "replace/while-while/bvh2?triangle=watertight",
    "replace/if-if/bvh2?triangle=watertight",
    "direct/while-while/bvh2?box=integer&leaves=nested&triangle=watertight",
    "replace/while-while/bvh2?rounds=4&triangle=watertight&unroll=2",
];

/// Trees with the placements over them.
struct Scene {
    trees: Vec<(Bvh2, FlatTriangles)>,
    placements: Vec<KernelPlacement>,
}

impl Scene {
    fn new(trees: Vec<FlatTriangles>, placed: impl IntoIterator<Item = (u32, Affine64)>) -> Self {
        let tree = |triangles: FlatTriangles| (build(&triangles, &BuildOptions::default()).unwrap(), triangles);
        let placements = placed.into_iter().map(|(tree, transform)| KernelPlacement { tree, transform }).collect();
        Self { trees: trees.into_iter().map(tree).collect(), placements }
    }

    /// Two trees and one without triangles, each placed several times: turned, scaled by direction, mirrored, sheared.
    fn random() -> Self {
        let mut random = Random::new(21);
        let mut map = || {
            let wide = |p: [f32; 3]| p.map(f64::from);
            let turn = Affine64::rotation(180.0 * f64::from(random.point()[0]), wide(random.point()));
            let scale = random.point().map(|x| 0.4 * f64::from(x).exp2() * if x > 0.6 { -1.0 } else { 1.0 });
            let mut shear = Affine64::IDENTITY;
            shear.rows[0][1] = f64::from(random.point()[1]);
            Affine64::translation(wide(random.point())).after(&turn).after(&shear).after(&Affine64::scale(scale))
        };
        let mut placed: Vec<(u32, Affine64)> = (0..14).map(|i| (i % 3, map())).collect();
        placed[4].1 = Affine64::IDENTITY;
        Self::new(vec![scene(120), scene(30), FlatTriangles::default()], placed)
    }

    fn levels(&self) -> KernelLevels {
        let trees: Vec<_> = self.trees.iter().map(|(bvh, triangles)| (bvh, triangles)).collect();
        KernelLevels::new(&trees, &self.placements).unwrap()
    }

    fn flat(&self) -> FlatTriangles {
        let mut flat = FlatTriangles::default();
        for (instance, placement) in (0..).zip(&self.placements) {
            let (map, triangles) = (placement.transform.rounded(), &self.trees[placement.tree as usize].1);
            flat.vertices.extend(triangles.vertices.iter().map(|corners| corners.map(|p| map.point(p))));
            flat.ids.extend(triangles.ids.iter().map(|id| PrimitiveId { instance, ..*id }));
            flat.opaque.extend(&triangles.opaque);
        }
        flat
    }
}

fn batch(rays: &[Ray], query: Query) -> Batch<'_> {
    Batch { rays, after: &[], query, resident: 3 }
}

/// What is known of each ray's answer whoever found it, in the order of rays: which opaque triangle blocks one first
/// is nobody's business.
fn seen(answers: &[Answer]) -> Vec<(bool, [u32; 3], u32, u32)> {
    let mut answers = answers.to_vec();
    answers.sort_by_key(|answer| answer.ray);
    let bits = |a: &Answer| (a.blocked, [a.hit.t, a.hit.u, a.hit.v].map(f32::to_bits), a.hit.primitive, a.instance);
    answers.iter().map(bits).collect()
}

#[test]
fn two_levels_answer_as_the_flattened_scene_does_bit_for_bit() {
    let scene = Scene::random();
    let (flat, rays) = (scene.flat(), rays(400));
    let bvh = build(&flat, &BuildOptions::default()).unwrap();
    let levels = std::sync::Arc::new(scene.levels());
    for text in WALKS {
        let variant: Variant = text.parse().unwrap();
        let two = Kernel::over_levels(&variant, levels.clone()).unwrap();
        let one = Kernel::new(&variant, &bvh, &flat).unwrap();
        for query in [Query::Closest, Query::Any] {
            let expected = seen(&record(&one, Execution::Scalar, &batch(&rays, query)).answers);
            assert!(expected.iter().filter(|answer| answer.0 || answer.2 != u32::MAX).count() > 100);
            for machine in machines(&variant) {
                let got = seen(&record(&two, machine, &batch(&rays, query)).answers);
                assert_eq!(got, expected, "{text} on {machine}, {query:?}");
            }
        }
    }
}

/// Rays to corners, to points on edges and inside of random triangles, from as far as `size`.
fn aimed(flat: &FlatTriangles, random: &mut Random, count: usize, size: f32) -> Vec<Ray> {
    let aim = |i: usize| {
        let [a, b, c] = flat.vertices[(random.unit() * flat.len() as f32) as usize % flat.len()];
        let s = random.unit();
        let target: [f32; 3] = match i % 3 {
            0 => a,
            1 => std::array::from_fn(|k| a[k] + s * (b[k] - a[k])),
            _ => std::array::from_fn(|k| a[k] + 0.3 * (b[k] - a[k]) + 0.4 * (c[k] - a[k])),
        };
        let from = random.point();
        let origin = std::array::from_fn(|k| target[k] + size * from[k]);
        Ray::new(origin, std::array::from_fn(|k| target[k] - origin[k]))
    };
    (0..count).map(aim).collect()
}

/// Checks closest hits of two levels beside those of the flattened scene; returns how many there are.
fn hits_alike(scene: &Scene, rays: &[Ray], what: &str) -> usize {
    let (variant, flat): (Variant, _) = (WALKS[0].parse().unwrap(), scene.flat());
    let two = Kernel::over_levels(&variant, scene.levels()).unwrap();
    let one = Kernel::new(&variant, &build(&flat, &BuildOptions::default()).unwrap(), &flat).unwrap();
    let [got, expected] =
        [&two, &one].map(|kernel| seen(&record(kernel, Execution::Scalar, &batch(rays, Query::Closest)).answers));
    for ((got, expected), ray) in got.iter().zip(&expected).zip(rays) {
        assert_eq!(got, expected, "{what}: {ray:?}");
    }
    expected.iter().filter(|answer| answer.2 != u32::MAX).count()
}

#[test]
fn far_from_the_tree_or_from_the_world_no_hit_is_lost_to_what_maps_round() {
    let mut random = Random::new(31);
    let mut turned = |shift: f64| {
        let turn = Affine64::rotation(180.0 * f64::from(random.point()[0]), random.point().map(f64::from));
        Affine64::translation(random.point().map(|x| shift * f64::from(x))).after(&turn)
    };
    // Moved far away, and back there from far away.
    let shifted: Vec<Scene> =
        [1e3, 1e6].map(|shift| Scene::new(vec![scene(60)], (0..8).map(|_| (0, turned(shift))))).into();
    let back = [1e2f32, 1e5].map(|offset| {
        let mut far = scene(60);
        far.vertices.iter_mut().flatten().for_each(|p| p[0] += offset);
        let back = Affine64::translation([-f64::from(offset), 0.0, 0.0]);
        Scene::new(vec![far], (0..8).map(|_| (0, turned(2.0).after(&back))))
    });
    for (index, scene) in shifted.into_iter().chain(back).enumerate() {
        for size in [2.0, 1e4] {
            let found = hits_alike(&scene, &aimed(&scene.flat(), &mut random, 400, size), &format!("{index} {size}"));
            assert!(found > 80, "{found}");
        }
    }
}

#[test]
fn no_hit_is_lost_where_a_map_shears_by_so_much_that_what_is_near_in_the_tree_is_far_in_the_world() {
    let mut random = Random::new(32);
    let sizes = [(1e3, 1.0), (3e4, 1.0), (1e3, 0.015625), (3e4, 0.015625)];
    for (kept, (x, size)) in (0..12).map(|i| (i / 4, sizes[i % 4])) {
        let mut map = Affine64::IDENTITY;
        (0..3).filter(|axis| *axis != kept).for_each(|axis| map.rows[axis][kept] = x);
        // Small, so that what rays round from where they start is more than what corners round; and sheared again, by
        // an exact map, so that they do along all axes.
        if size < 1.0 {
            let mut again = Affine64::IDENTITY;
            again.rows[kept][(kept + 1) % 3] = 1.0;
            map = again.after(&map);
        }
        let mut small = scene(60);
        small.vertices.iter_mut().flatten().flatten().for_each(|p| *p *= size);
        let scene = Scene::new(vec![small], [(0, map)]);
        let flat = scene.flat();
        let near = aimed(&scene.trees[0].1, &mut random, 400, 1.0);
        let rays: Vec<Ray> = near
            .iter()
            .enumerate()
            .map(|(i, ray)| {
                let origin = map.point(ray.origin.map(f64::from)).map(|x| x as f32);
                let target = flat.vertices[i * 7 % flat.len()][i % 3];
                Ray::new(origin, std::array::from_fn(|k| target[k] - origin[k]))
            })
            .collect();
        let found = hits_alike(&scene, &rays, &format!("{x} but {kept}, {size}"));
        assert!(found > 20, "{found}");
    }
}

#[test]
fn the_longest_and_the_shortest_directions_hit_in_two_levels_what_they_hit_in_one() {
    let mut random = Random::new(33);
    for size in [1e-6, 0.5, 4.0, 1e6] {
        let map = |x: f64| Affine64::translation([x, 0.0, 0.0]).after(&Affine64::scale([-size, 1.5 * size, size]));
        let scene = Scene::new(vec![scene(60)], [(0, map(0.0)), (0, map(8.0 * size))]);
        let mut rays = aimed(&scene.flat(), &mut random, 300, 2.0 * size as f32);
        for (i, ray) in rays.iter_mut().enumerate() {
            let longest = ray.direction.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let length = [2f32.powi(126), 1e38, 1e20, 1e-20, 1e-36, 1e-37][i % 6];
            ray.direction = ray.direction.map(|x| x / longest * length);
        }
        let found = hits_alike(&scene, &rays, &format!("{size}"));
        assert!(found > 50, "{found}");
    }
}

#[test]
fn rays_go_on_after_a_hit_in_two_levels_as_in_one() {
    // Placements at the very same place: hits of equal t, told by their instances.
    let same = Affine64::translation([0.1, 0.0, 0.0]);
    let scene = Scene::new(vec![scene(60)], [(0, same), (0, Affine64::IDENTITY), (0, same)]);
    let (flat, rays) = (scene.flat(), rays(100));
    let bvh = build(&flat, &BuildOptions::default()).unwrap();
    let variant: Variant = WALKS[0].parse().unwrap();
    let kernels =
        [Kernel::over_levels(&variant, scene.levels()), Kernel::new(&variant, &bvh, &flat)].map(|k| k.unwrap());
    let mut after = vec![HitKey::START; rays.len()];
    for round in 0..6 {
        let batch = Batch { after: &after, ..batch(&rays, Query::Closest) };
        let [two, one] = [&kernels[0], &kernels[1]].map(|kernel| record(kernel, Execution::Scalar, &batch).answers);
        assert_eq!(seen(&two), seen(&one), "round {round}");
        for answer in one.iter().filter(|answer| answer.hit.is_hit()) {
            after[answer.ray as usize] = HitKey::of(&answer.hit, answer.instance);
        }
    }
}

#[test]
fn a_warp_of_width_one_enters_and_leaves_as_the_scalar_reference_does() {
    let (levels, rays) = (std::sync::Arc::new(Scene::random().levels()), rays(60));
    for text in WALKS {
        let kernel = Kernel::over_levels(&text.parse().unwrap(), levels.clone()).unwrap();
        for query in [Query::Closest, Query::Any] {
            let [scalar, lockstep] = [Execution::Scalar, Execution::Lockstep { width: 1 }]
                .map(|machine| record(&kernel, machine, &batch(&rays, query)).events);
            assert_eq!(scalar.len(), lockstep.len(), "{text}");
            assert!(scalar.iter().zip(&lockstep).all(|(a, b)| a == b), "{text}");
        }
    }
}

/// What a ray does in both levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Work {
    enters: u32,
    leaves: u32,
    /// Nodes of placed trees.
    nodes: u32,
    /// Nodes of the upper tree.
    above: u32,
    tests: u32,
    /// Tests of triangles whose corners went to the world.
    placed: u32,
}

/// Returns what each ray did; nodes by the level in which the ray was.
fn work(run: &Run, rays: usize) -> Vec<Work> {
    let mut all = vec![Work::default(); rays];
    for event in &run.events {
        for (lane, &ray) in event.rays.iter().enumerate().filter(|(lane, _)| event.active >> lane & 1 == 1) {
            let Some(work) = all.get_mut(ray as usize) else { continue };
            match event.block {
                Block::EnterInstance => work.enters += 1,
                Block::LeaveInstance => work.leaves += 1,
                Block::VisitNode if work.enters > work.leaves => work.nodes += 1,
                Block::VisitNode => work.above += 1,
                Block::TestTriangle => work.tests += 1,
                Block::TestTrianglePlace => work.placed += 1,
                _ => {}
            }
            assert!(work.leaves <= work.enters && work.enters <= work.leaves + 1, "ray {ray}, lane {lane}");
        }
    }
    all
}

/// Returns whether a ray meets a box that is `grown` larger on each side, in f64.
fn meets(origin: [f64; 3], direction: [f64; 3], t_max: f64, aabb: &Aabb, grown: f64) -> bool {
    let (mut near, mut far) = (0.0f64, t_max);
    for i in 0..3 {
        let ends = [f64::from(aabb.min[i]) - grown, f64::from(aabb.max[i]) + grown];
        let [a, b] = ends.map(|plane| (plane - origin[i]) / direction[i]);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    near <= far
}

/// Walks both levels plainly: each placement whose box the ray meets, and of its tree each node whose box it meets.
fn plain(scene: &Scene, ray: &Ray, grown: f64) -> Work {
    let mut work = Work::default();
    if !ray.is_valid() {
        return work;
    }
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    for placement in &scene.placements {
        let (bvh, map) = (&scene.trees[placement.tree as usize].0, Affine64::from(&placement.transform.rounded()));
        let Some(root) = bvh.nodes.first() else { continue };
        let corner =
            |i: usize| std::array::from_fn(|k| if i >> k & 1 == 0 { root.bounds.min[k] } else { root.bounds.max[k] });
        let corners: Vec<[f32; 3]> =
            (0..8).map(|i| map.point(corner(i).map(f64::from)).map(|x: f64| x as f32)).collect();
        let t_max = f64::from(ray.t_max);
        if !meets(origin, direction, t_max, &Aabb::of_points(&corners), grown) {
            continue;
        }
        (work.enters, work.leaves) = (work.enters + 1, work.leaves + 1);
        let back = map.inverse().unwrap();
        let (from, along) = (back.point(origin), back.vector(direction));
        // A tree's root is visited whether its box is met or not.
        let mut stack: Vec<&Node> = vec![root];
        while let Some(node) = stack.pop() {
            if node.is_leaf() {
                work.tests += node.count;
                work.placed += if placement.transform == Affine64::IDENTITY { 0 } else { node.count };
                continue;
            }
            work.nodes += 1;
            let children = &bvh.nodes[node.first as usize..][..2];
            stack.extend(children.iter().filter(|child| meets(from, along, t_max, &child.bounds, grown)));
        }
    }
    work
}

#[test]
fn what_is_entered_visited_and_tested_is_what_a_plain_walk_of_both_levels_does() {
    let mut scene = Scene::random();
    // A ray that nothing opaque blocks meets whatever lies in its way, in any order.
    scene.trees.iter_mut().for_each(|(_, triangles)| triangles.opaque.fill(false));
    let (rays, levels) = (rays(500), std::sync::Arc::new(scene.levels()));
    for text in WALKS {
        let variant: Variant = text.parse().unwrap();
        let kernel = Kernel::over_levels(&variant, levels.clone()).unwrap();
        for machine in [Execution::Scalar, Execution::Lockstep { width: 32 }] {
            let got = work(&record(&kernel, machine, &batch(&rays, Query::Any)), rays.len());
            let (mut sure, mut entered) = (0, 0);
            for (ray, work) in rays.iter().zip(&got) {
                let [least, most] = [0.0, 1e-3].map(|grown| plain(&scene, ray, grown));
                let within = |of: fn(&Work) -> u32| (of(&least)..=of(&most)).contains(&of(work));
                let all = [within(|w| w.enters), within(|w| w.nodes), within(|w| w.tests), within(|w| w.placed)];
                assert!(all == [true; 4], "{text} on {machine}: {work:?}, {least:?} to {most:?}, {ray:?}");
                assert_eq!(work.enters, work.leaves, "{text} on {machine}");
                sure += u32::from(least == most);
                entered += work.enters;
            }
            assert!(sure > 400 && entered > 1000, "{sure} rays are sure, {entered} enters");
        }
    }
}

#[test]
fn who_has_looked_for_the_closest_hit_has_left_what_it_entered_and_a_blocked_ray_leaves_no_more() {
    let (levels, rays) = (std::sync::Arc::new(Scene::random().levels()), rays(400));
    for text in WALKS {
        let kernel = Kernel::over_levels(&text.parse().unwrap(), levels.clone()).unwrap();
        let machine = Execution::Lockstep { width: 16 };
        let closest = work(&record(&kernel, machine, &batch(&rays, Query::Closest)), rays.len());
        assert!(closest.iter().all(|work| work.enters == work.leaves), "{text}");
        assert!(closest.iter().any(|work| work.enters > 2), "{text}");
        let run = record(&kernel, machine, &batch(&rays, Query::Any));
        let any = work(&run, rays.len());
        let mut blocked = 0;
        for answer in &run.answers {
            let work = any[answer.ray as usize];
            assert_eq!(work.enters, work.leaves + u32::from(answer.blocked), "{text}: ray {}", answer.ray);
            blocked += u32::from(answer.blocked);
        }
        assert!(blocked > 50, "{text}: {blocked}");
    }
}

#[test]
fn a_scene_placed_once_where_it_is_costs_what_it_costs_flat_one_node_one_enter_and_one_leave() {
    let triangles = scene(200);
    let scene = Scene::new(vec![triangles.clone()], [(0, Affine64::IDENTITY)]);
    let mut rays = rays(300);
    for ray in rays.iter_mut().step_by(4) {
        ray.origin[0] += 9.0;
    }
    let (mut entered, mut missed) = (0, 0);
    for text in WALKS {
        let variant: Variant = text.parse().unwrap();
        let two = Kernel::over_levels(&variant, scene.levels()).unwrap();
        let one = Kernel::new(&variant, &scene.trees[0].0, &triangles).unwrap();
        for query in [Query::Closest, Query::Any] {
            let [two, one] =
                [&two, &one].map(|k| work(&record(k, Execution::Scalar, &batch(&rays, query)), rays.len()));
            for (i, (two, one)) in two.iter().zip(&one).enumerate() {
                let enters = two.enters;
                // Of a ray that misses the scene's box a flat tree's root is visited, and here the upper one's.
                assert_eq!((enters, two.above), (enters.min(1), one.above.min(1)), "{text}, ray {i}");
                assert_eq!((two.nodes, two.tests, two.placed), (enters * one.above, one.tests, 0), "{text}, ray {i}");
                entered += enters;
                missed += one.above.min(1) - enters;
            }
        }
    }
    assert!(entered > 1000 && missed > 100, "{entered} {missed}");
}

#[test]
fn enters_read_the_placement_and_tests_its_map_behind_all_nodes() {
    let scene = Scene::random();
    let (levels, rays) = (scene.levels(), rays(200));
    let kernel = Kernel::over_levels(&WALKS[0].parse().unwrap(), levels).unwrap();
    let all = kernel.bytes()[0] as u32 / 64;
    let placements = all - 3 * scene.placements.len() as u32;
    let mut read = BTreeMap::new();
    for event in record(&kernel, Execution::Lockstep { width: 32 }, &batch(&rays, Query::Closest)).events {
        let lanes = event.active.count_ones() as usize;
        let nodes: Vec<_> = event.touches.iter().filter(|touch| touch.space == Space::Node).collect();
        *read.entry(event.block).or_insert(0) += nodes.len();
        let among = |of: &[u32]| {
            nodes
                .iter()
                .all(|touch| (placements..all).contains(&touch.index) && of.contains(&((touch.index - placements) % 3)))
        };
        match event.block {
            Block::EnterInstance => {
                assert!(among(&[0, 1]) && nodes.len() == 2 * lanes);
                assert_eq!(nodes.iter().map(|touch| usize::from(touch.bytes)).sum::<usize>(), 112 * lanes);
                assert_eq!(event.touches.iter().filter(|touch| touch.space == Space::Stack).count(), lanes);
            }
            Block::TestTrianglePlace => assert!(among(&[2]) && nodes.len() == lanes),
            Block::LeaveInstance => {
                let rays = event.touches.iter().filter(|touch| touch.space == Space::Ray && !touch.write);
                assert_eq!(rays.map(|touch| usize::from(touch.bytes)).sum::<usize>(), 32 * lanes);
            }
            Block::VisitNode => assert!(nodes.iter().all(|touch| touch.index < placements)),
            _ => assert!(nodes.is_empty(), "{:?}", event.block),
        }
    }
    assert!([Block::EnterInstance, Block::TestTrianglePlace, Block::VisitNode].iter().all(|block| read[block] > 100));
}

#[test]
fn what_walks_one_level_says_so() {
    let levels = std::sync::Arc::new(Scene::random().levels());
    for text in [
        "direct/packet/bvh2?triangle=watertight",
        "queue/while-while/bvh2?triangle=watertight",
        "direct/speculative-while-while/bvh2?triangle=watertight",
        "direct/while-while/wide4?triangle=watertight",
        "direct/while-while/bvh2",
        "direct/while-while/bvh2?planes=plain&triangle=watertight",
        "al09-while-while",
        "ykl17",
        "raywarp-h8",
    ] {
        let variant: Variant = text.parse().unwrap();
        let error = Kernel::over_levels(&variant, levels.clone()).err();
        assert_eq!(error, Some(KernelError::OneLevel { variant }), "{text}");
    }
    let kernel = Kernel::over_levels(&WALKS[0].parse().unwrap(), levels).unwrap();
    let dump = RayDump::record(&kernel, &rays(9), &[], Query::Closest);
    let (variant, why) = (*kernel.variant(), NoDumpReason::TwoLevels);
    assert_eq!(dump.err(), Some(KernelError::NoDump { variant, why }));
}

#[test]
fn placements_that_no_box_can_be_walked_by_are_refused_and_nothing_placed_is_nothing_hit() {
    let one = |tree: u32, transform: Affine64| {
        let (bvh, triangles) = (build(&scene(5), &BuildOptions::default()).unwrap(), scene(5));
        KernelLevels::new(&[(&bvh, &triangles)], &[KernelPlacement { tree, transform }]).err()
    };
    let refused = Some(KernelLevelsError::Placement { placement: 0 });
    assert_eq!(one(0, Affine64::IDENTITY), None);
    assert_eq!(one(1, Affine64::IDENTITY), refused);
    for scale in [[1.0, 0.0, 1.0], [1.0, f64::NAN, 1.0], [1e39, 1.0, 1.0], [1e-20, 1.0, 1.0]] {
        assert_eq!(one(0, Affine64::scale(scale)), refused, "{scale:?}");
    }
    // Nearly flat, so that the inverse is not exact enough; and beyond f32 by its corners alone.
    let mut flat = Affine64::rotation(30.0, [1.0, 2.0, 3.0]);
    flat.rows[2] = [0, 1, 2, 3].map(|k| flat.rows[0][k] + flat.rows[1][k] * 0.999_999_99);
    assert_eq!(one(0, flat), refused);
    let far = |x: f64| Affine64::translation([x, 0.0, 0.0]).after(&Affine64::scale([1e12; 3]));
    assert_eq!([one(0, far(3.3e38)), one(0, far(3.402_823e38))], [None, refused]);
    let kernel = Kernel::over_levels(&WALKS[0].parse().unwrap(), KernelLevels::new(&[], &[]).unwrap()).unwrap();
    let rays = rays(50);
    let run = record(&kernel, Execution::Lockstep { width: 8 }, &batch(&rays, Query::Closest));
    assert!(run.answers.len() == 50 && run.answers.iter().all(|answer| !answer.hit.is_hit()));
}
