//! Custom geometry: spheres beside their equation in f64, among meshes.

use super::super::*;
use super::built;
use raywarp_cpu::{Feature, Geometry, GeometryError, GeometryHit};
use raywarp_geom::{Aabb, Affine64, Control, Ray};
use raywarp_testing::Random;
use std::sync::Arc;

/// Centres and radii.
#[derive(Clone)]
pub(super) struct Spheres(pub Vec<([f32; 3], f32)>);

impl Geometry for Spheres {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        let (center, radius) = self.0[primitive as usize];
        Aabb { min: center.map(|x| x - 1.001 * radius), max: center.map(|x| x + 1.001 * radius) }
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let ts = meets(&self.0[primitive as usize], ray.origin.map(f64::from), ray.direction.map(f64::from))?;
        let side = ts.iter().position(|&t| (ray.t_min..=ray.t_max).contains(&(t as f32)))?;
        Some(GeometryHit { t: ts[side] as f32, u: 0.5, v: 0.25, is_front: side == 0 })
    }
}

/// Where a line meets a sphere, in f64.
fn meets(&(center, radius): &([f32; 3], f32), origin: [f64; 3], d: [f64; 3]) -> Option<[f64; 2]> {
    let from: [f64; 3] = std::array::from_fn(|i| origin[i] - f64::from(center[i]));
    let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, half, radius) = (dot(&d, &d), dot(&from, &d), f64::from(radius));
    let nearest: [f64; 3] = std::array::from_fn(|i| from[i] - half / a * d[i]);
    let beyond = (radius * radius - dot(&nearest, &nearest)) / a;
    (beyond >= 0.0).then(|| [-1.0, 1.0].map(|side| side * beyond.sqrt() - half / a))
}

pub(super) fn spheres(random: &mut Random) -> Spheres {
    Spheres((0..40).map(|_| (random.point(), 0.05 + 0.1 * random.unit())).collect())
}

/// Transforms that turn and squeeze.
fn maps() -> Vec<Affine64> {
    let turned = |degrees| Affine64::rotation(degrees, [1.0, 2.0, -0.5]);
    let squeezed = turned(40.0).after(&Affine64::scale([1.5, 0.5, -1.0]));
    vec![Affine64::IDENTITY, Affine64::translation([2.0, 0.0, 0.0]).after(&squeezed), turned(-77.0)]
}

/// Spheres placed three times, with a sheet below them as instance 1.
fn scene(spheres: &Spheres, levels: Levels) -> (Scene, Vec<InstanceId>) {
    let mut builder = Scene::builder();
    let custom = builder.custom(Arc::new(spheres.clone()));
    let sheet = builder.mesh(&super::SHEET, &super::SHEET_INDICES);
    let maps = maps();
    let below = Affine64::translation([0.0, 0.0, -3.0]);
    let ids = vec![
        builder.instance(custom, maps[0], 1, 10),
        builder.instance(sheet, below, 2, 11),
        builder.instance(custom, maps[1], 4, 12),
        builder.instance(custom, maps[2], 8, 13),
    ];
    (built(builder, levels), ids)
}

fn rays(random: &mut Random) -> Vec<Ray> {
    (0..600)
        .map(|_| {
            let (to, from) = (random.point(), random.point().map(|x| 4.0 * x));
            Ray::new(from, std::array::from_fn(|i| to[i] - from[i]))
        })
        .collect()
}

/// The nearest hit on spheres, in f64: `t`, instance, primitive.
fn right(spheres: &Spheres, origin: [f64; 3], direction: [f64; 3]) -> Option<(f64, u32, u32)> {
    let mut best: Option<(f64, u32, u32)> = None;
    for (map, instance) in maps().iter().zip([0, 2, 3]) {
        let inverse = map.inverse().unwrap();
        let (o, d) = (inverse.point(origin), inverse.vector(direction));
        for (primitive, sphere) in (0..).zip(&spheres.0) {
            let t = meets(sphere, o, d).and_then(|ts| ts.into_iter().find(|t| *t >= 0.0));
            if let Some(t) = t.filter(|t| best.is_none_or(|best| *t < best.0)) {
                best = Some((t, instance, primitive));
            }
        }
    }
    best
}

#[test]
fn spheres_are_hit_where_their_equation_says_whatever_the_levels() {
    let mut random = Random::new(5);
    let (spheres, rays) = (spheres(&mut random), rays(&mut random));
    let scenes = [Levels::Auto, Levels::One, Levels::Two].map(|levels| scene(&spheres, levels).0);
    let (mut on_spheres, mut on_sheet) = (0, 0);
    for ray in &rays {
        let hit = scenes[0].closest(ray);
        let expected = right(&spheres, ray.origin.map(f64::from), ray.direction.map(f64::from));
        match (hit, expected) {
            (Some(hit), _) if hit.instance == 1 => {
                assert!(expected.is_none_or(|(t, ..)| f64::from(hit.t) < t + 1e-5));
                on_sheet += 1;
            }
            (Some(hit), Some((t, instance, primitive))) => {
                assert!((f64::from(hit.t) - t).abs() < 2e-6 * (1.0 + t), "{ray:?}: {hit:?}, {t}");
                let user = [10, 11, 12, 13][instance as usize];
                assert_eq!(
                    (hit.instance, hit.primitive, hit.user, hit.u, hit.v),
                    (instance, primitive, user, 0.5, 0.25)
                );
                on_spheres += 1;
            }
            other => assert_eq!(other, (None, None), "{ray:?}"),
        }
        for other in &scenes {
            assert_eq!((other.closest(ray), other.any(ray)), (hit, hit.is_some()));
            assert!(other.all(ray).eq(scenes[0].all(ray)));
        }
    }
    assert!(on_spheres > 200 && on_sheet > 0, "{on_spheres}, {on_sheet}");
    let (control, mut hits) = (Control::default(), vec![None; rays.len()]);
    scenes[0].closest_batch(&rays, &mut hits, &control).unwrap();
    assert!(rays.iter().zip(&hits).all(|(ray, hit)| scenes[0].closest(ray) == *hit));
    // What is inside is of meshes alone, and the sheet is open.
    assert!(rays.iter().all(|ray| {
        let c = scenes[0].crossings(ray);
        c.front + c.back <= 1
    }));
    assert_eq!(scenes[0].contains([0.0; 3]), Err(NotClosed { instance: 1, open_edges: 4 }));
}

#[test]
fn filters_see_custom_geometry() {
    let mut random = Random::new(6);
    let (spheres, rays) = (spheres(&mut random), rays(&mut random));
    let (scene, _) = scene(&spheres, Levels::Auto);
    let (mut culled, mut kept) = (0, 0);
    for ray in &rays {
        let all: Vec<SurfaceHit> = scene.all(ray).collect();
        let with = |filter: Filter<'_>| {
            let mut hits = Vec::new();
            scene.with(filter).all_into(ray, &mut hits);
            hits
        };
        let masked: Vec<SurfaceHit> = all.iter().filter(|hit| hit.instance == 2).copied().collect();
        assert_eq!(with(Filter::new().mask(4)), masked);
        if let Some(first) = all.first() {
            assert_eq!(with(Filter::new().skip(first.instance, first.primitive)), all[1..]);
        }
        // A ray that starts outside of all comes from the front of each, in mirrored placements too.
        let is_outside =
            all.iter().all(|hit| scene.closest(&Ray { t_max: 0.0, t_min: -100.0, ..*ray }).is_none() && hit.t > 0.0);
        let of_spheres = |hits: Vec<SurfaceHit>| hits.into_iter().filter(|hit| hit.instance != 1).count();
        if is_outside {
            // Its other side is met then.
            let mut backs = with(Filter::new().culling(Culling::Fronts));
            backs.retain(|hit| hit.instance != 1);
            let key = |hit: &SurfaceHit| (hit.instance, hit.primitive);
            assert!(backs.iter().all(|back| all.iter().any(|hit| key(hit) == key(back) && hit.t <= back.t)));
            assert_eq!(backs.len(), of_spheres(all.clone()));
            assert_eq!(of_spheres(with(Filter::new().culling(Culling::Backs))), of_spheres(all.clone()));
            culled += of_spheres(all);
        } else {
            kept += 1;
        }
    }
    assert!(culled > 50 && kept > 0, "{culled}, {kept}");
}

#[test]
fn rays_in_f64_and_edits_take_custom_geometry() {
    let mut random = Random::new(7);
    let (spheres, rays) = (spheres(&mut random), rays(&mut random));
    let (scene, ids) = scene(&spheres, Levels::Auto);
    for ray in &rays {
        let wide = Ray64::new(ray.origin.map(f64::from), ray.direction.map(f64::from));
        let (narrow, hit) = (scene.closest(ray), scene.closest(&wide));
        let ids = |instance, primitive| (instance, primitive);
        assert_eq!(hit.map(|hit| ids(hit.instance, hit.primitive)), narrow.map(|hit| ids(hit.instance, hit.primitive)));
        if let (Some(hit), Some(narrow)) = (hit.filter(|hit| hit.instance != 1), narrow) {
            assert!((hit.t - f64::from(narrow.t)).abs() < 2e-6 * (1.0 + hit.t) && (hit.u, hit.v) == (0.5, 0.25));
            let on_ray: [f64; 3] = std::array::from_fn(|i| wide.origin[i] + hit.t * wide.direction[i]);
            assert!((0..3).all(|i| (on_ray[i] - hit.position[i]).abs() < 1e-5));
        }
    }
    let control = Control::default();
    let mut edit = scene.edit();
    edit.set_transform(ids[0], Affine64::translation([0.0, 0.0, 20.0]));
    edit.remove_instance(ids[2]);
    let other = edit.custom(Arc::new(Spheres(vec![([0.0; 3], 1.0)])));
    edit.instance(other, Affine64::translation([0.0, 0.0, 40.0]), u32::MAX, 99);
    let after = edit.commit(&control).unwrap();
    let through = Ray::new([0.0, 0.0, 30.0], [0.0, 0.0, 1.0]);
    assert_eq!(after.closest(&through).map(|hit| (hit.t, hit.instance, hit.user)), Some((9.0, 3, 99)));
    let moved = rays.iter().filter(|ray| {
        let far = Ray { origin: [ray.origin[0], ray.origin[1], ray.origin[2] + 20.0], ..**ray };
        let hits = |scene: &Scene, ray: &Ray| -> Vec<u32> {
            scene.all(ray).filter(|hit| hit.instance == 0).map(|hit| hit.primitive).collect()
        };
        let (before, now) = (hits(&scene, ray), hits(&after, &far));
        assert_eq!(before, now);
        !now.is_empty()
    });
    assert!(moved.count() > 50);
    let mut edit = after.edit();
    edit.set_mesh(other, &super::SHEET, &super::SHEET_INDICES);
    assert!(matches!(edit.commit(&control), Err(EditError::NotAMesh { geometry }) if geometry == other));
}

#[test]
fn behind_a_hit_that_does_not_count_a_primitive_is_asked_again() {
    let ball = Spheres(vec![([0.0; 3], 1.0)]);
    let mut builder = Scene::builder();
    let custom = builder.custom(Arc::new(ball));
    builder.instance(custom, Affine64::IDENTITY, u32::MAX, 0);
    let scene = built(builder, Levels::Auto);
    let ray = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let far: fn(&SurfaceHit) -> bool = |hit| hit.t > 3.0;
    for filter in [Filter::new().culling(Culling::Fronts), Filter::new().accept(&far)] {
        assert_eq!(scene.with(filter).closest(&ray).map(|hit| hit.t), Some(4.0));
    }
    assert!(!scene.with(Filter::new().accept(&|_| false)).any(&ray));
    // Just inside, where f64 leaves out what f32 finds just behind.
    for inside in [1e-3, 1e-4, 1e-6] {
        let hit = scene.closest(&Ray64::new([inside - 1.0, 0.0, 0.0], [1.0, 0.0, 0.0])).expect("the other side");
        assert!((hit.t - (2.0 - inside)).abs() < 1e-6, "{hit:?}");
    }
}

#[test]
fn custom_geometry_far_off_has_the_scenes_origin_near_it() {
    let far = [412_345.3, 5_312_345.7, 520.2];
    let mut builder = Scene::builder();
    let custom = builder.custom(Arc::new(Spheres(vec![([0.0; 3], 1.0)])));
    builder.instance(custom, Affine64::translation(far), u32::MAX, 0);
    let scene = built(builder, Levels::Auto);
    assert!((0..3).all(|i| (scene.origin()[i] - far[i]).abs() < 100.0), "{:?}", scene.origin());
    let mut random = Random::new(8);
    for _ in 0..200 {
        let to = random.point().map(|x| f64::from(0.5 * x));
        let from = random.point().map(|x| f64::from(5.0 * x));
        let at: [f64; 3] = std::array::from_fn(|i| far[i] + from[i]);
        let Some(hit) = scene.closest(&Ray64::new(at, std::array::from_fn(|i| to[i] - from[i]))) else { continue };
        let off: f64 = (0..3).map(|i| (hit.position[i] - far[i]).powi(2)).sum::<f64>().sqrt() - 1.0;
        assert!(off.abs() < 1e-5, "{hit:?}: {off}");
    }
}

#[test]
fn custom_geometry_that_is_not_valid_is_an_error_that_names_it() {
    let bad = Spheres(vec![([0.0; 3], 1.0), ([f32::NAN, 0.0, 0.0], 1.0)]);
    let placed = |transform: Affine64, spheres: &Spheres| {
        let mut builder = Scene::builder();
        builder.mesh(&super::SHEET, &super::SHEET_INDICES);
        let custom = builder.custom(Arc::new(spheres.clone()));
        builder.instance(custom, transform, u32::MAX, 0);
        builder.build(&SceneOptions::default(), &Control::default())
    };
    let error = placed(Affine64::IDENTITY, &bad).unwrap_err();
    assert!(
        matches!(error, SceneError::Geometry { mesh: 1, source: GeometryError::Bounds { primitive: 1, .. } }),
        "{error}"
    );
    let good = Spheres(vec![([0.0; 3], 1.0)]);
    let error = placed(Affine64::scale([1e-15, 1.0, 1e15]), &good).unwrap_err();
    assert!(matches!(error, SceneError::IllConditioned { instance: 0 }), "{error}");
    assert!(matches!(placed(Affine64::scale([0.0, 1.0, 1.0]), &good), Err(SceneError::Singular { instance: 0 })));
}

/// Balls that are placed by maps which scale alike in all directions; those without a radius by any map.
struct Balls(Spheres);

impl Geometry for Balls {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        self.0.bounds(primitive)
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        self.0.intersect(primitive, ray)
    }

    fn nearest(&self, primitive: u32, point: [f64; 3], to_world: &Affine64) -> Option<[f64; 3]> {
        Some(on_ball(&self.0.0[primitive as usize], point, to_world))
    }
}

/// The point of a placed ball that is nearest to a point.
fn on_ball(&(center, radius): &([f32; 3], f32), point: [f64; 3], to_world: &Affine64) -> [f64; 3] {
    let center = to_world.point(center.map(f64::from));
    let radius = f64::from(radius) * to_world.determinant().abs().cbrt();
    let away: [f64; 3] = std::array::from_fn(|i| point[i] - center[i]);
    let length = away.iter().map(|x| x * x).sum::<f64>().sqrt();
    std::array::from_fn(|i| center[i] + radius / length * away[i])
}

#[test]
fn points_find_custom_geometry_that_answers_them() {
    let mut random = Random::new(11);
    let balls = spheres(&mut random);
    let dots = Spheres((0..60).map(|_| (random.point(), 0.0)).collect());
    let turned = |degrees| Affine64::rotation(degrees, [1.0, -2.0, 0.5]);
    let alike = Affine64::translation([2.0, 0.5, 0.0]).after(&turned(50.0)).after(&Affine64::scale([-0.75; 3]));
    let squeezed =
        Affine64::translation([0.0, 2.0, -1.0]).after(&turned(20.0)).after(&Affine64::scale([3.0, 0.1, 1.0]));
    // Meshes first, so that these have the same numbers without all else.
    let cube: Vec<[f32; 3]> = super::CUBE.map(|p| p.map(|x| x - 3.0)).to_vec();
    let built = |has_custom: bool, levels: Levels| {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&cube, &super::CUBE_INDICES);
        builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
        if has_custom {
            let parts = [&balls, &dots].map(|part| builder.custom(Arc::new(Balls(part.clone()))));
            let deaf = builder.custom(Arc::new(balls.clone()));
            builder.instance(parts[0], Affine64::IDENTITY, u32::MAX, 1);
            builder.moving(parts[0], [alike, Affine64::translation([9.0; 3])], u32::MAX, 2);
            builder.instance(parts[1], squeezed, u32::MAX, 3);
            builder.instance(deaf, turned(10.0), u32::MAX, 4);
        }
        super::built(builder, levels)
    };
    let (all, meshes) = (built(true, Levels::Auto), built(false, Levels::One));
    let placed = [(1, &balls, Affine64::IDENTITY), (2, &balls, alike), (3, &dots, squeezed)];
    let points: Vec<[f32; 3]> = (0..600).map(|_| random.point().map(|x| 4.0 * x)).collect();
    let mut found = vec![None; points.len()];
    all.nearest_batch(&points, 1.5, &mut found, &Control::default()).unwrap();
    let mut seen = [0; 5];
    for (&point, found) in points.iter().zip(&found) {
        let mut best =
            meshes.nearest(point, 1.5).map(|nearest| (nearest.distance, nearest.instance, nearest.primitive));
        for &(instance, spheres, ref map) in &placed {
            let rounded = Affine64::from(&map.rounded());
            for (primitive, ball) in (0..).zip(&spheres.0) {
                let on = on_ball(ball, point.map(f64::from), &rounded);
                let distance = (0..3).map(|i| (on[i] - f64::from(point[i])).powi(2)).sum::<f64>().sqrt() as f32;
                let this = (distance, instance, primitive);
                if distance <= 1.5 && best.is_none_or(|best| this < best) {
                    best = Some(this);
                }
            }
        }
        let nearest = all.nearest(point, 1.5);
        assert_eq!(nearest.map(|nearest| (nearest.distance, nearest.instance, nearest.primitive)), best, "{point:?}");
        assert_eq!(nearest, *found);
        if let Some(nearest) = nearest {
            assert_eq!(nearest.user, nearest.instance);
            assert!(nearest.instance == 0 || (nearest.u, nearest.v, nearest.feature) == (0.0, 0.0, Feature::Face));
            seen[nearest.instance as usize] += 1;
        }
    }
    assert!(seen[..4].iter().all(|&count| count > 10) && seen[4] == 0, "{seen:?}");
    // Alone in a scene, and where there is nothing near.
    let mut builder = Scene::builder();
    let custom = builder.custom(Arc::new(Balls(Spheres(vec![([0.0; 3], 1.0)]))));
    builder.instance(custom, Affine64::translation([5.0, 0.0, 0.0]), u32::MAX, 7);
    let scene = super::built(builder, Levels::Auto);
    let nearest = scene.nearest([0.0; 3], f32::INFINITY).unwrap();
    assert_eq!((nearest.point, nearest.distance, nearest.user), ([4.0, 0.0, 0.0], 4.0, 7));
    assert_eq!((scene.nearest([0.0; 3], 3.0), scene.nearest([f32::NAN; 3], 3.0)), (None, None));
}
