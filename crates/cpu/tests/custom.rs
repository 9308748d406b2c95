//! Custom geometry beside every one of its primitives: in the world, placed, and among triangles.

use crate::common::{grid, soup};
use crate::levels::{aimed, transform};
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::{Blocked, CpuTracer, Geometry, GeometryError, GeometryHit, Isa, LevelsTracer, TreePlacement};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, Affine64, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, Tracer};
use raywarp_testing::Random;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Triangles, tested as ours are; every seventh has no box and is never hit.
struct Triangles(FlatTriangles);

impl Geometry for Triangles {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        if primitive % 7 == 6 { Aabb::EMPTY } else { Aabb::of_points(&self.0.vertices[primitive as usize]) }
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        assert_ne!(primitive % 7, 6, "it has no box");
        let [t, u, v] = Watertight::new(ray).test(&self.0.vertices[primitive as usize])?;
        // Now and then something that no interval holds.
        let t = if primitive % 50 == 1 { f32::NAN } else { t };
        Some(GeometryHit { t, u, v, is_front: Watertight::new(ray).crosses(&self.0.vertices[primitive as usize])? })
    }
}

fn custom(triangles: &FlatTriangles) -> Arc<CpuTracer> {
    Arc::new(CpuTracer::of_geometry(Arc::new(Triangles(triangles.clone()))).unwrap())
}

/// Hits of every primitive in order, of geometry placed by `map`.
fn every(geometry: &Triangles, map: &Affine64, instance: u32, ray: &Ray) -> Vec<(Hit, u32)> {
    let to_tree = Affine64::from(&map.rounded()).inverse().unwrap();
    let narrow = |p: [f64; 3]| p.map(|x| x as f32);
    let local = Ray {
        origin: narrow(to_tree.point(ray.origin.map(f64::from))),
        direction: narrow(to_tree.vector(ray.direction.map(f64::from))),
        ..*ray
    };
    let seen = (0..geometry.len() as u32).filter(|primitive| primitive % 7 != 6);
    let hits = seen.filter_map(|primitive| {
        let GeometryHit { t, u, v, .. } = geometry.intersect(primitive, &local)?;
        (ray.t_min <= t && t <= ray.t_max).then_some((Hit { t, u, v, primitive }, instance))
    });
    hits.collect()
}

fn sorted(mut hits: Vec<(Hit, u32)>) -> Vec<(Hit, u32)> {
    hits.sort_by(|a, b| (a.0.t, a.1, a.0.primitive).partial_cmp(&(b.0.t, b.1, b.0.primitive)).unwrap());
    hits
}

/// Rays to check, some of which are not valid.
fn rays(flat: &FlatTriangles, seed: u64) -> Vec<Ray> {
    let mut rays = aimed(flat, &mut Random::new(seed), 400, 3.0);
    for (i, ray) in rays.iter_mut().enumerate() {
        match i % 5 {
            1 => ray.t_max = 1.0,
            2 => ray.t_min = 0.75,
            _ => {}
        }
        if i % 97 == 5 {
            ray.t_min = f32::NAN;
        }
    }
    rays
}

#[test]
fn geometry_by_itself_answers_single_rays_and_batches() {
    let flat = soup(300, 0.5, 5);
    let (tracer, geometry) = (custom(&flat), Triangles(flat.clone()));
    let (rays, control) = (rays(&flat, 1), Control::default());
    let (mut hits, mut instances, mut bits) = (vec![Hit::default(); 400], vec![0; 400], vec![0; 13]);
    let stats = tracer.closest(&rays, &[], &mut hits, &mut instances, &control).unwrap();
    assert_eq!((stats.rays, stats.invalid), (400, 5));
    tracer.any(&rays, &[], &mut bits, &mut Vec::new(), &control).unwrap();
    let mut costs = vec![RayCost::default(); 400];
    tracer.cost(&rays, &mut costs, &control).unwrap();
    let mut count = 0;
    for (i, ray) in rays.iter().enumerate() {
        let all = if ray.is_valid() { sorted(every(&geometry, &Affine64::IDENTITY, 0, ray)) } else { Vec::new() };
        let first = all.first().copied();
        assert_eq!(tracer.closest_one(ray, HitKey::START), first);
        assert_eq!(hits[i].is_hit().then_some((hits[i], instances[i])), first);
        assert_eq!(
            (tracer.any_one(ray, HitKey::START) == Blocked::Yes, bits[i / 32] >> (i % 32) & 1 == 1),
            (first.is_some(), first.is_some())
        );
        // Only boxes that a ray meets are asked.
        assert!(costs[i].triangles < 150 && (first.is_none() || costs[i].triangles > 0));
        count += all.len();
    }
    assert!(count > 300, "{count}");
}

#[test]
fn geometry_is_placed_among_triangles_with_the_hits_of_every_primitive() {
    let (flat, floor) = (soup(200, 0.5, 6), FlatTriangles::from_vertices(grid(6, 0.25)));
    let mut random = Random::new(9);
    let maps: Vec<Affine64> =
        (0..6).map(|i| if i == 3 { Affine64::IDENTITY } else { transform(&mut random, 1.0) }).collect();
    let bvh = build(&floor, &BuildOptions::default()).unwrap();
    let trees = vec![custom(&flat), Arc::new(CpuTracer::new(&bvh, &floor).unwrap())];
    let mut placements: Vec<TreePlacement> = (0..6).map(|i| TreePlacement::still(0, maps[i as usize], i)).collect();
    placements.push(TreePlacement::still(1, Affine64::IDENTITY, 6));
    let geometry = Triangles(flat.clone());
    let around = FlatTriangles::from_vertices(
        maps.iter().flat_map(|map| flat.vertices.iter().map(|t| t.map(|p| map.rounded().point(p)))).collect(),
    );
    let rays = rays(&around, 2);
    let (mut of_custom, mut of_floor) = (0, 0);
    for isa in Isa::all() {
        let scene = LevelsTracer::with_isa(trees.clone(), &placements, isa).unwrap();
        for ray in rays.iter().filter(|ray| ray.is_valid()) {
            let mut all: Vec<(Hit, u32)> = (0..6).flat_map(|i| every(&geometry, &maps[i as usize], i, ray)).collect();
            let test = Watertight::new(ray);
            for (corners, id) in floor.vertices.iter().zip(&floor.ids) {
                if let Some([t, u, v]) = test.test(corners).filter(|[t, ..]| ray.t_min <= *t && *t <= ray.t_max) {
                    all.push((Hit { t, u, v, primitive: id.primitive }, 6));
                }
            }
            let all = sorted(all);
            let mut visited = Vec::new();
            let _ = scene.visit_one(ray, |hit, instance| {
                visited.push((*hit, instance));
                ControlFlow::Continue(())
            });
            assert_eq!(sorted(visited), all, "{isa}: {ray:?}");
            assert_eq!(scene.closest_one(ray, HitKey::START), all.first().copied(), "{isa}: {ray:?}");
            assert_eq!(scene.any_one(ray, HitKey::START) == Blocked::Yes, !all.is_empty());
            of_custom += all.iter().filter(|hit| hit.1 < 6).count();
            of_floor += all.iter().filter(|hit| hit.1 == 6).count();
            // The next one after each.
            for pair in all.windows(2) {
                let after = HitKey::of(&pair[0].0, pair[0].1);
                assert_eq!(scene.closest_one(ray, after), Some(pair[1]), "{isa}: {ray:?}");
            }
        }
    }
    assert!(of_custom > 1000 && of_floor > 10, "{of_custom}, {of_floor}");
}

/// Boxes alone.
struct Boxes(Vec<Aabb>);

impl Geometry for Boxes {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        self.0[primitive as usize]
    }

    fn intersect(&self, _: u32, ray: &Ray) -> Option<GeometryHit> {
        Some(GeometryHit { t: ray.t_min, u: 0.0, v: 0.0, is_front: true })
    }
}

#[test]
fn boxes_that_are_none_are_errors_and_no_boxes_are_nothing() {
    let good = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let tracer = |boxes: Vec<Aabb>| CpuTracer::of_geometry(Arc::new(Boxes(boxes)));
    for bad in [
        Aabb { min: [f32::NAN, 0.0, 0.0], ..good },
        Aabb { max: [1.0, f32::INFINITY, 1.0], ..good },
        Aabb { min: [0.0, 0.0, 2.0], ..good },
    ] {
        let error = tracer(vec![good, bad]).unwrap_err();
        assert!(matches!(error, GeometryError::Bounds { primitive: 1, .. }), "{error}");
    }
    let ray = Ray::new([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]);
    for nothing in [vec![], vec![Aabb::EMPTY; 3]] {
        let empty = Arc::new(tracer(nothing).unwrap());
        assert!(empty.bounds().is_empty() && empty.closest_one(&ray, HitKey::START).is_none());
        let placement = TreePlacement::still(0, Affine64::scale([2.0; 3]), 0);
        let scene = LevelsTracer::new(vec![empty], &[placement]).unwrap();
        assert!(scene.bounds().is_empty() && scene.closest_one(&ray, HitKey::START).is_none());
    }
}

/// The ray that a geometry was asked.
struct Asked(std::sync::Mutex<Vec<Ray>>);

impl Geometry for Asked {
    fn len(&self) -> usize {
        1
    }

    fn bounds(&self, _: u32) -> Aabb {
        Aabb { min: [-1.0; 3], max: [1.0; 3] }
    }

    fn intersect(&self, _: u32, ray: &Ray) -> Option<GeometryHit> {
        self.0.lock().unwrap().push(*ray);
        // In the middle of the box.
        let t = -ray.origin[2] / ray.direction[2];
        Some(GeometryHit { t, u: 0.25, v: 0.5, is_front: true })
    }
}

#[test]
fn rays_of_any_length_are_told_in_the_geometrys_space_with_their_interval() {
    for length in [1e-30f32, 1e-3, 1.0, 1e30] {
        let asked = Arc::new(Asked(std::sync::Mutex::default()));
        let tree = Arc::new(CpuTracer::of_geometry(asked.clone()).unwrap());
        let transform = Affine64::translation([0.0, 0.0, 8.0]).after(&Affine64::scale([2.0; 3]));
        let scene = LevelsTracer::new(vec![tree], &[TreePlacement::still(0, transform, 3)]).unwrap();
        let ray = Ray::new([0.0; 3], [0.0, 0.0, length]).with_interval(0.0, 100.0 / length);
        let (hit, instance) = scene.closest_one(&ray, HitKey::START).unwrap();
        assert!((hit.t * length - 8.0).abs() < 1e-5 && (hit.u, hit.v, instance, hit.primitive) == (0.25, 0.5, 3, 0));
        let told = asked.0.lock().unwrap()[0];
        assert!((told.at(told.t_max)[2] - 46.0).abs() < 1e-3 && told.origin == [0.0, 0.0, -4.0], "{told:?}");
    }
}
