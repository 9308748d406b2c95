//! Rays of a batch through two levels, which walk side by side, have the answers of each by itself, bit for bit.

use crate::common::{any, closest, soup};
use crate::levels::{aimed, transform};
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::{
    Blocked, CpuOptions, CpuTracer, Geometry, GeometryHit, Isa, LevelsTracer, SolidLevels, TreePlacement,
};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, Affine64, FlatTriangles, Hit, HitKey, Ray};
use raywarp_testing::Random;
use std::sync::Arc;

/// Triangles as custom geometry.
struct Triangles(FlatTriangles);

impl Geometry for Triangles {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, primitive: u32) -> Aabb {
        Aabb::of_points(&self.0.vertices[primitive as usize])
    }

    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit> {
        let [t, u, v] = Watertight::new(ray).test(&self.0.vertices[primitive as usize])?;
        Some(GeometryHit { t, u, v, is_front: true })
    }
}

/// Placements in place and in each other (so that some are opened), at the very same place, mirrored, turned, moving
/// and shared; of nothing; and of custom geometry in place and moved. Their corners too, for rays to aim at.
fn scene(isa: Isa, with_custom: bool) -> (LevelsTracer, FlatTriangles) {
    let mut random = Random::new(60);
    let meshes = [soup(150, 0.4, 3), soup(40, 1.2, 4), FlatTriangles::default()];
    let tree = |triangles: &FlatTriangles| {
        let bvh = build(triangles, &BuildOptions::default()).unwrap();
        Arc::new(CpuTracer::with_options(&bvh, triangles, &CpuOptions { isa, ..CpuOptions::default() }).unwrap())
    };
    let mut trees: Vec<_> = meshes.iter().map(tree).collect();
    let geometry = soup(30, 0.3, 5);
    trees.push(Arc::new(CpuTracer::of_geometry(Arc::new(Triangles(geometry.clone()))).unwrap()));
    let (mut placements, mut flat) = (Vec::new(), FlatTriangles::default());
    for i in 0..28u32 {
        let map = match i % 7 {
            0 | 1 => Affine64::IDENTITY,
            2 => Affine64::scale([-1.0, 1.5, 0.75]),
            3 => Affine64::translation(random.point().map(f64::from)),
            _ => transform(&mut random, 2.0),
        };
        let tree = if with_custom && i % 9 == 5 { 3 } else { i % 3 };
        let end = (i % 5 == 4).then(|| Affine64::translation([0.5, 0.0, 0.25]).after(&map));
        placements.push(TreePlacement { end, ..TreePlacement::still(tree, map, 3 * i) });
        let corners = if tree == 3 { &geometry } else { &meshes[tree as usize] };
        flat.vertices.extend(corners.vertices.iter().map(|corners| corners.map(|p| map.rounded().point(p))));
    }
    (LevelsTracer::with_isa(trees, &placements, isa).unwrap(), FlatTriangles::from_vertices(flat.vertices))
}

/// Rays of all kinds: aimed, along axes, with directions that f32 hardly holds, and not valid.
fn rays(flat: &FlatTriangles) -> Vec<Ray> {
    let mut rays = aimed(flat, &mut Random::new(7), 600, 2.5);
    for (i, ray) in rays.iter_mut().enumerate() {
        match i % 23 {
            3 => ray.direction = [0.0, -1.0, 0.0],
            7 => ray.direction = [0.0, 0.0, 3.0],
            11 => ray.direction = ray.direction.map(|x| 1e-20 * x),
            13 => ray.direction = ray.direction.map(|x| 1e20 * x),
            17 => ray.origin = ray.origin.map(|x| 1e12 * x),
            19 => ray.t_min = f32::NAN,
            21 => ray.direction = [f32::NAN, 1.0, 0.0],
            _ => {}
        }
    }
    rays
}

fn bits((hit, instance): (Hit, u32)) -> [u32; 5] {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive, instance]
}

/// Compares a batch of rays with each of them by itself; returns how many hit something.
#[track_caller]
fn check(name: &str, tracer: &LevelsTracer, rays: &[Ray], after: &[HitKey]) -> usize {
    let key = |i: usize| after.get(i).copied().unwrap_or(HitKey::START);
    let (hits, instances, stats) = closest(tracer, rays, after);
    let (blocked, undecided) = any(tracer, rays, after);
    assert_eq!(stats.invalid, rays.iter().filter(|ray| !ray.is_valid()).count() as u64, "{name}");
    assert!(undecided.is_sorted_by_key(|candidate| candidate.ray), "{name}");
    let mut count = 0;
    for (i, ray) in rays.iter().enumerate() {
        let one = tracer.closest_one(ray, key(i)).unwrap_or((Hit::miss(ray.t_max), Hit::MISS));
        assert_eq!(bits((hits[i], instances[i])), bits(one), "{name}: ray {i} of {}: {ray:?}", rays.len());
        count += usize::from(one.0.is_hit());
        let candidate = undecided.iter().find(|candidate| candidate.ray as usize == i);
        let found = match (blocked[i], candidate) {
            (true, None) => Blocked::Yes,
            (false, None) => Blocked::No,
            (_, Some(candidate)) => Blocked::Perhaps(candidate.hit, candidate.instance),
        };
        assert_eq!(found, tracer.any_one(ray, key(i)), "{name}: ray {i} of {}: {ray:?}", rays.len());
    }
    count
}

#[test]
fn rays_side_by_side_have_the_answers_of_each_by_itself() {
    for isa in Isa::all() {
        for with_custom in [false, true] {
            let (tracer, flat) = scene(isa, with_custom);
            assert!(tracer.opened().len() > 0);
            let rays = rays(&flat);
            let name = format!("{isa}, custom {with_custom}");
            assert!(check(&name, &tracer, &rays, &[]) > 300);
            // After each of the first hits of a ray, some of which are several at one `t`.
            let mut after = vec![HitKey::START; rays.len()];
            for _ in 0..4 {
                for (after, ray) in after.iter_mut().zip(&rays) {
                    if let Some((hit, instance)) = tracer.closest_one(ray, *after) {
                        *after = HitKey { t: hit.t, instance, primitive: hit.primitive };
                    }
                }
                check(&name, &tracer, &rays, &after);
            }
            after[5].t = f32::NAN;
            check(&name, &tracer, &rays, &after);
        }
    }
}

#[test]
fn batches_of_any_size_have_the_answers_of_each_ray() {
    let (tracer, flat) = scene(Isa::preferred(), true);
    let rays = rays(&flat);
    for count in 0..100 {
        check("part", &tracer, &rays[count..2 * count], &[]);
    }
}

#[test]
fn triangles_without_area_are_not_there_for_batches() {
    // Corners on lines, exactly; what rounding makes of them as a ray sees them may be hit.
    let mut random = Random::new(61);
    let mut line = || {
        let (from, along) = (random.point(), random.point().map(|x| (64.0 * x).round() / 256.0));
        let from = from.map(|x| (256.0 * x).round() / 256.0);
        [0.0, 1.0, 2.0].map(|s| std::array::from_fn(|i| from[i] + s * along[i]))
    };
    let lines = FlatTriangles::from_vertices((0..100).map(|_| line()).collect());
    let mut triangles = soup(60, 0.5, 6).vertices;
    triangles.extend(&lines.vertices);
    let triangles = FlatTriangles::from_vertices(triangles);
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    let maps = [Affine64::IDENTITY, Affine64::scale([2.0, -2.0, 2.0])];
    let mut rays = aimed(&lines, &mut Random::new(3), 3000, 3.0);
    let scaled = rays.iter().map(|ray| Ray {
        origin: maps[1].rounded().point(ray.origin),
        direction: [0, 1, 2].map(|i| [2.0, -2.0, 2.0][i] * ray.direction[i]),
        ..*ray
    });
    let scaled: Vec<Ray> = scaled.collect();
    rays.extend(scaled);
    for isa in Isa::all() {
        let options = CpuOptions { isa, ..CpuOptions::default() };
        let tree = Arc::new(CpuTracer::with_options(&bvh, &triangles, &options).unwrap());
        let placements = [0, 1].map(|i| TreePlacement::still(0, maps[i], i as u32));
        let all = LevelsTracer::with_isa(vec![tree], &placements, isa).unwrap();
        let solid = SolidLevels::new(all.clone());
        let batch = |tracer: &dyn raywarp_geom::Tracer, rays: &[Ray]| {
            let (hits, instances, _) = closest(tracer, rays, &[]);
            hits.into_iter().zip(instances).map(bits).collect::<Vec<_>>()
        };
        // A few rays walk one by one.
        let alone: Vec<_> = rays.chunks(5).flat_map(|rays| batch(&solid, rays)).collect();
        let of_solid = batch(&solid, &rays);
        let other = (0..rays.len()).find(|&i| alone[i] != of_solid[i]);
        assert_eq!(other, None, "{isa}");
        assert!(batch(&all, &rays) != alone, "{isa}: no line is hit");
        let blocked: Vec<bool> = rays.chunks(5).flat_map(|rays| any(&solid, rays, &[]).0).collect();
        assert!(any(&solid, &rays, &[]).0 == blocked, "{isa}");
    }
}
