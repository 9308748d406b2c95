//! Rays at the borders of what is allowed, against every triangle, bit for bit.

use crate::common::{all_hits, check, grid, random_ray, soup};
use raywarp_geom::{FlatTriangles, Hit, HitKey, Ray};
use raywarp_testing::Random;

/// Two parallel grids, so that boxes are flat and rays may lie in their faces.
fn plates() -> FlatTriangles {
    let mut vertices = grid(8, 1.0);
    vertices.extend(grid(8, 2.0));
    let upright = grid(8, 3.0).into_iter().map(|triangle| triangle.map(|[x, y, z]| [z, x, y]));
    vertices.extend(upright);
    FlatTriangles::from_vertices(vertices)
}

#[test]
fn rays_along_the_axes_in_box_faces_agree() {
    let mut rays = Vec::new();
    for axis in 0..3 {
        for sign in [1.0f32, -1.0] {
            for zero in [0.0f32, -0.0] {
                for (a, b) in [(0.0, 0.0), (1.0, 2.0), (3.0, 3.0), (8.0, 8.0), (0.5, 1.0), (2.0, 3.0), (-0.0, 4.0)] {
                    let mut origin = [a; 3];
                    (origin[axis], origin[(axis + 1) % 3]) = (-5.0 * sign, b);
                    let mut direction = [zero; 3];
                    direction[axis] = sign;
                    rays.push(Ray::new(origin, direction).with_interval(f32::NEG_INFINITY, f32::INFINITY));
                }
            }
        }
    }
    check(&plates(), &rays);
}

#[test]
fn directions_with_tiny_and_denormal_components_agree() {
    let mut random = Random::new(5);
    let mut rays = Vec::new();
    for tiny in [0.0, 1e-45, 1e-40, 1e-38, 1e-30, 1e-25, 1e-24, 1e-23, 1e-12] {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let [x, y, z] = random.point().map(|x| 4.0 + 4.0 * x);
                let mut direction = [sign * tiny; 3];
                direction[axis] = if random.unit() < 0.5 { 1.0 } else { -0.5 };
                rays.push(Ray::new([x.round(), y, z], direction).with_interval(-100.0, 100.0));
                direction[(axis + 1) % 3] = 0.3;
                rays.push(Ray::new([x, y, z.round()], direction).with_interval(-100.0, 100.0));
            }
        }
    }
    check(&plates(), &rays);
}

#[test]
fn very_long_and_very_short_directions_agree() {
    let mut random = Random::new(17);
    let mut rays = Vec::new();
    for scale in [1e-37f32, 1e-30, 1e-24, 1e-20, 1e-9, 0.5e-9, 1e9, 2e9, 1e20, 1e30, 1e37] {
        for _ in 0..30 {
            let ray = random_ray(&mut random);
            rays.push(Ray { direction: ray.direction.map(|x| x * scale), ..ray });
        }
    }
    let triangles = soup(200, 0.4, 4);
    check(&triangles, &rays);
    let hits = rays.iter().filter(|ray| !all_hits(&triangles, ray).is_empty()).count();
    assert!(hits > rays.len() / 2, "only {hits} of {} rays hit anything", rays.len());
}

#[test]
fn scenes_far_from_the_origin_and_of_any_size_agree() {
    for (scale, shift) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1000.0), (100.0, 1e5), (1e15, 0.0), (1e-15, 0.0)] {
        let place = |p: [f32; 3]| p.map(|x| x * scale + shift);
        let mut triangles = soup(100, 0.4, 6);
        for vertices in &mut triangles.vertices {
            *vertices = vertices.map(place);
        }
        let mut random = Random::new(23);
        let rays: Vec<Ray> = (0..150)
            .map(|_| {
                let ray = random_ray(&mut random);
                Ray { origin: place(ray.origin), direction: ray.direction.map(|x| x * scale), ..ray }
            })
            .collect();
        check(&triangles, &rays);
    }
}

#[test]
fn invalid_rays_miss_and_are_counted() {
    let good = Ray::new([0.0, 0.0, -3.0], [0.0, 0.1, 1.0]);
    let mut rays = vec![good];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut ray = good;
            ray.origin[axis] = bad;
            rays.push(ray);
            let mut ray = good;
            ray.direction[axis] = bad;
            rays.push(ray);
        }
        rays.push(good.with_interval(bad, 1.0));
        rays.push(good.with_interval(0.0, bad));
    }
    rays.push(Ray::new([0.0; 3], [0.0, -0.0, 0.0]));
    rays.push(good.with_interval(2.0, 1.0));
    rays.push(good.with_interval(f32::INFINITY, f32::INFINITY));
    check(&soup(80, 0.5, 2), &rays);
}

#[test]
fn origins_of_any_size_are_survived() {
    let mut rays = Vec::new();
    for x in [f32::MAX, -f32::MAX, 1e38, -1e30, 1e20, 1e-45] {
        for direction in [[1.0, 0.0, 0.0], [-1.0, 1e-3, 0.2], [-f32::MAX, 1.0, f32::MAX], [0.0, 1e-45, 0.0]] {
            rays.push(Ray::new([x, 0.1, 0.2], direction));
            rays.push(Ray::new([0.1, x, x], direction).with_interval(f32::MIN, f32::MAX));
        }
    }
    let triangles = soup(80, 0.5, 2);
    for (name, tracer) in crate::common::tracers(&triangles) {
        // Such distances round too coarsely for boxes and triangles to agree; ends and finite hits do.
        let (hits, _, stats) = crate::common::closest(&tracer, &rays, &[]);
        assert_eq!(stats.invalid, 0, "{name}");
        assert!(hits.iter().all(|hit| !hit.is_hit() || hit.t.is_finite()), "{name}");
    }
}

#[test]
fn both_ends_of_the_interval_count() {
    let triangles = soup(150, 0.4, 12);
    let mut random = Random::new(31);
    let mut rays = Vec::new();
    for _ in 0..60 {
        let ray = random_ray(&mut random);
        for (hit, _, _) in all_hits(&triangles, &ray) {
            let t = hit.t;
            for (t_min, t_max) in [
                (t, t),
                (0.0, t),
                (t, f32::INFINITY),
                (t.next_up(), f32::INFINITY),
                (0.0, t.next_down()),
                (-1.0, t),
                (f32::NEG_INFINITY, t),
            ] {
                rays.push(ray.with_interval(t_min, t_max));
            }
        }
    }
    assert!(rays.len() > 300);
    check(&triangles, &rays);
}

#[test]
fn hits_behind_the_origin_count_when_t_min_says_so() {
    let mut random = Random::new(41);
    let ray = |random: &mut Random| {
        let ray = random_ray(random);
        // Beyond the scene, looking away from it or along its surface.
        let t_max = if random.unit() < 0.5 { -0.1 } else { f32::INFINITY };
        Ray::new(ray.at(2.5), ray.direction).with_interval(-4.0 * random.unit(), t_max)
    };
    let rays: Vec<Ray> = (0..400).map(|_| ray(&mut random)).collect();
    check(&soup(300, 0.3, 8), &rays);
}

#[test]
fn nothing_comes_after_a_nan_or_infinity() {
    let triangles = soup(50, 0.8, 3);
    let mut random = Random::new(1);
    let rays: Vec<Ray> = (0..50).map(|_| random_ray(&mut random)).collect();
    for t in [f32::NAN, f32::INFINITY] {
        let after = vec![HitKey { t, instance: 0, primitive: 0 }; rays.len()];
        for (name, tracer) in crate::common::tracers(&triangles) {
            let (hits, instances, stats) = crate::common::closest(&tracer, &rays, &after);
            assert!(hits.iter().all(|hit| !hit.is_hit()) && instances.iter().all(|&i| i == Hit::MISS), "{name}");
            assert_eq!(stats.invalid, 0, "{name}");
            let (blocked, undecided) = crate::common::any(&tracer, &rays, &after);
            assert!(!blocked.contains(&true) && undecided.is_empty(), "{name}");
        }
    }
}
