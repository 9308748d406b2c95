//! What a walk of two levels counts: what it enters, what it leaves, and what it visits and tests there.

use crate::common::{Point, random_ray, soup};
use crate::levels::{Scene, transform};
use raywarp_cpu::{Blocked, LevelsCost, LevelsEdit, LevelsTracer, TreePlacement};
use raywarp_geom::{Aabb, Affine64, Control, FlatTriangles, HitKey, Ray, RayCost, Tracer};
use raywarp_testing::Random;

fn placed() -> Scene {
    let mut random = Random::new(31);
    let trees = vec![soup(80, 0.4, 3), soup(9, 1.5, 4), FlatTriangles::default()];
    let mut scene = Scene::new(trees, (0..21).map(|i| (i % 3, transform(&mut random, 2.0))));
    scene.placements[6].transform = Affine64::IDENTITY;
    scene
}

/// As [`placed`], with nothing opaque: a ray that asks whether anything blocks it meets whatever lies in its way, in
/// any order.
fn see_through() -> Scene {
    let mut scene = placed();
    scene.trees.iter_mut().for_each(|tree| tree.opaque.fill(false));
    scene
}

/// The tracer of a scene, whose placements are entered as a whole: placed by an edit none is opened.
fn tracer(scene: &Scene) -> LevelsTracer {
    let mut edit = LevelsEdit::new(scene.tracers().swap_remove(0).1);
    let again = scene.placements.iter().zip(0..).map(|(placement, base)| TreePlacement { base, ..*placement });
    assert!(edit.place(&again.collect::<Vec<_>>()).is_empty());
    edit.finish().unwrap()
}

fn rays(count: usize) -> Vec<Ray> {
    let mut random = Random::new(8);
    let ray = |i: usize| {
        let ray = random_ray(&mut random);
        if i.is_multiple_of(7) { ray.with_interval(0.0, 0.8) } else { ray }
    };
    (0..count).map(ray).collect()
}

/// Returns whether a ray meets a box that is `grown` larger on each side, in f64.
fn meets(ray: &Ray, aabb: &Aabb, grown: f64) -> bool {
    let (mut near, mut far) = (f64::from(ray.t_min), f64::from(ray.t_max));
    for i in 0..3 {
        let ends = [f64::from(aabb.min[i]) - grown, f64::from(aabb.max[i]) + grown];
        let [a, b] = ends.map(|plane| (plane - f64::from(ray.origin[i])) / f64::from(ray.direction[i]));
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    near <= far
}

#[test]
fn a_ray_enters_each_placement_whose_box_it_meets_and_leaves_it() {
    let scene = see_through();
    let (tracer, mut sure, mut entered) = (tracer(&scene), [0; 2], 0);
    for ray in rays(500) {
        let (mut least, mut most) = (0, 0);
        for placement in &scene.placements {
            let triangles = &scene.trees[placement.tree as usize];
            if triangles.is_empty() {
                continue;
            }
            let (map, own) = (placement.transform.rounded(), triangles.bounds());
            let corners: Vec<Point> = triangles.vertices.iter().flatten().map(|&p| map.point(p)).collect();
            let far = |i: usize| map.point([0, 1, 2].map(|k| if i >> k & 1 == 0 { own.min[k] } else { own.max[k] }));
            let around: Vec<Point> = (0..8).map(far).collect();
            least += u32::from(meets(&ray, &Aabb::of_points(&corners), 0.0));
            most += u32::from(meets(&ray, &Aabb::of_points(&around), 1e-3));
        }
        let LevelsCost { enters, leaves, .. } = tracer.levels_cost_any(&ray);
        assert!((least..=most).contains(&enters), "{enters}, {least} to {most}, {ray:?}");
        assert_eq!(enters, leaves, "{ray:?}");
        sure = [sure[0] + least, sure[1] + most];
        entered += enters;
    }
    // The two boxes of a placement are not so far apart that anything would do.
    assert!(entered > 1000 && 10 * sure[0] > 8 * sure[1], "{entered} enters, {sure:?}");
}

#[test]
fn what_is_done_in_placements_is_the_sum_over_each_by_itself() {
    let scene = see_through();
    let tracer = tracer(&scene);
    let alone: Vec<LevelsTracer> = scene
        .placements
        .iter()
        .map(|&placement| {
            let trees = scene.trees.clone();
            self::tracer(&Scene { trees, placements: vec![placement] })
        })
        .collect();
    let mut sum_of_all = 0;
    for ray in rays(300) {
        let below = |cost: &LevelsCost| [cost.enters, cost.all.nodes - cost.upper_nodes, cost.all.triangles];
        let all = tracer.levels_cost_any(&ray);
        let each = alone.iter().map(|tracer| below(&tracer.levels_cost_any(&ray)));
        let sum = each.fold([0; 3], |[a, b, c], [x, y, z]| [a + x, b + y, c + z]);
        assert_eq!(below(&all), sum, "{ray:?}");
        assert!(all.upper_nodes > 0);
        sum_of_all += sum[1];
    }
    assert!(sum_of_all > 2000, "{sum_of_all}");
}

#[test]
fn a_tree_placed_where_it_is_costs_what_it_costs_flat_one_node_one_enter_and_one_leave() {
    let scene = Scene::new(vec![soup(300, 0.3, 5)], [(0, Affine64::IDENTITY)]);
    let (two, mut missed) = (tracer(&scene), 0);
    let flat = &two.trees()[0];
    let aside = |(i, ray): (usize, Ray)| if i % 4 == 0 { Ray { origin: [9.0; 3], ..ray } } else { ray };
    for ray in rays(400).into_iter().enumerate().map(aside) {
        let mut one = [RayCost::default()];
        flat.cost(&[ray], &mut one, &Control::default()).unwrap();
        let cost = two.levels_cost(&ray);
        assert_eq!((cost.upper_nodes, cost.enters), (1, cost.leaves), "{ray:?}");
        assert!(cost.enters <= 1);
        // Of a ray that misses the tree's box its root is visited where it is flat, and here the upper tree's.
        let expected = RayCost { nodes: one[0].nodes + cost.enters, ..one[0] };
        assert_eq!(cost.all, expected, "{ray:?}");
        missed += 1 - cost.enters;
    }
    assert!((20..380).contains(&missed), "{missed}");
}

#[test]
fn who_has_looked_for_the_closest_hit_has_left_what_it_entered_and_a_blocked_ray_leaves_no_more() {
    let (tracer, mut blocked, mut entered) = (tracer(&placed()), 0, 0);
    for ray in rays(400) {
        let closest = tracer.levels_cost(&ray);
        assert_eq!(closest.enters, closest.leaves, "{ray:?}");
        let mut costs = [RayCost::default()];
        tracer.cost(&[ray], &mut costs, &Control::default()).unwrap();
        assert_eq!(costs[0], closest.all, "{ray:?}");
        let any = tracer.levels_cost_any(&ray);
        let is_blocked = matches!(tracer.any_one(&ray, HitKey::START), Blocked::Yes);
        assert_eq!(any.enters, any.leaves + u32::from(is_blocked), "{ray:?}");
        (blocked, entered) = (blocked + u32::from(is_blocked), entered + closest.enters);
    }
    assert!(blocked > 50 && entered > 500, "{blocked} {entered}");
    let invalid = Ray { direction: [f32::NAN; 3], ..rays(1)[0] };
    assert_eq!(tracer.levels_cost(&invalid), LevelsCost::default());
}
