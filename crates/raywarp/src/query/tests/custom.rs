//! Custom geometry: spheres beside their equation in f64, among meshes.

use super::super::*;
use super::built;
use raywarp_cpu::{Geometry, GeometryError, GeometryHit};
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
