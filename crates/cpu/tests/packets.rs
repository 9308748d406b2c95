//! Coherent rays, which walk in packets, have the answers of the slow oracle bit for bit, beside rays that walk alone.

use crate::common::{any, check, closest, random_ray, soup, tracers};
use raywarp_cpu::Blocked;
use raywarp_geom::{FlatTriangles, Hit, HitKey, Ray};
use raywarp_testing::{Random, cases};

/// Two packets at least, wherever they begin.
const BUNDLE: usize = 48;

/// `BUNDLE` rays from about one point towards about another, in the cube from -1 to 1; some have an interval.
fn bundle(random: &mut Random, width: f32) -> Vec<Ray> {
    let (mut origin, target) = (random.point().map(|x| 2.0 * x), random.point());
    let mut towards: [f32; 3] = std::array::from_fn(|k| target[k] - origin[k]);
    if random.unit() < 0.3 {
        // Across the planes and the diagonals between axes, where rays no longer look alike.
        towards = random.point().map(|x| (1.5 * x).round());
        origin = towards.map(|x| -1.5 * x);
    }
    (0..BUNDLE)
        .map(|i| {
            let (place, turn) = (random.point(), random.point());
            let origin = std::array::from_fn(|k| origin[k] + 0.5 * width * place[k]);
            let direction = std::array::from_fn(|k| towards[k] + width * turn[k]);
            let ray = Ray::new(origin, direction);
            if i % 5 == 0 { ray.with_interval(0.3, 1.5) } else { ray }
        })
        .collect()
}

#[test]
fn packets_agree_with_every_triangle_in_every_direction() {
    let triangles = soup(1500, 0.15, 21);
    let mut random = Random::new(3);
    let mut rays = Vec::new();
    for i in 0..cases(120) {
        rays.extend(bundle(&mut random, [0.0, 1e-3, 0.01, 0.03][i % 4]));
        // Of sixteen, eight that begin behind what the others hit.
        if i % 5 == 1 {
            let from = rays.len() - BUNDLE;
            let late = (from..rays.len()).filter(|index| index / 8 % 2 == 0);
            late.for_each(|index| rays[index] = rays[index].with_interval(0.8, f32::INFINITY));
        }
        // Others in between: rays alone, an invalid one, and so packets that begin anywhere.
        if i % 7 == 6 {
            rays.extend((0..i % 5).map(|_| random_ray(&mut random)));
            rays.push(Ray::new([0.0; 3], [0.0; 3]));
        }
        if i % 7 == 3 {
            rays.extend(bundle(&mut random, f32::NAN));
        }
    }
    check(&triangles, &rays);
}

#[test]
fn a_few_coherent_rays_have_the_answers_of_each_by_itself() {
    let triangles = soup(1500, 0.15, 22);
    let mut random = Random::new(8);
    let mut rays: Vec<Ray> = (0..2).flat_map(|_| bundle(&mut random, 0.01)).collect();
    // One that is not valid breaks the packet in which it stands.
    rays.extend(rays[..24].to_vec());
    rays[100] = Ray::new([0.0; 3], [0.0; 3]);
    for (name, tracer) in tracers(&triangles).into_iter().filter(|(_, tracer)| tracer.name().as_str() == "cpu/wide8") {
        for start in [0, 7, 90] {
            for count in (1..=30).chain([40, 47, 48, 63, 72]) {
                let rays = &rays[start..(start + count).min(rays.len())];
                let (hits, instances, stats) = closest(&tracer, rays, &[]);
                let (blocked, undecided) = any(&tracer, rays, &[]);
                assert_eq!(stats.invalid, rays.iter().filter(|ray| !ray.is_valid()).count() as u64);
                for (i, ray) in rays.iter().enumerate() {
                    let one = tracer.closest_one(ray, HitKey::START).unwrap_or((Hit::miss(ray.t_max), Hit::MISS));
                    assert_eq!((hits[i], instances[i]), one, "{name}: ray {i} of {count} from {start}");
                    let candidate = undecided.iter().find(|candidate| candidate.ray == i as u32);
                    let found = match (blocked[i], candidate) {
                        (true, None) => Blocked::Yes,
                        (false, None) => Blocked::No,
                        (_, Some(candidate)) => Blocked::Perhaps(candidate.hit, candidate.instance),
                    };
                    assert_eq!(found, tracer.any_one(ray, HitKey::START), "{name}: ray {i} of {count} from {start}");
                }
            }
        }
    }
}

#[test]
fn packets_through_the_edges_and_corners_of_a_grid_agree() {
    // Squares of two triangles each, in the plane z = 2 and again behind it: many rays meet edges and corners exactly.
    let corner = |x: usize, y: usize, z: f32| [x as f32 * 0.25 - 1.0, y as f32 * 0.25 - 1.0, z];
    let mut vertices = Vec::new();
    for z in [2.0, 2.5] {
        for (x, y) in (0..64).map(|i| (i % 8, i / 8)) {
            let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| corner(x + i, y + j, z));
            vertices.extend([[a, b, c], [c, b, d]]);
        }
    }
    let triangles = FlatTriangles::from_vertices(vertices);
    let rays: Vec<Ray> = (0..32 * 32)
        .map(|i| {
            let (x, y) = ((i % 32) as f32 * 0.03125 - 0.5, (i / 32) as f32 * 0.03125 - 0.5);
            Ray::new([0.01, 0.02, -4.0], [x - 0.01, y - 0.02, 6.0])
        })
        .collect();
    check(&triangles, &rays);
}

#[test]
fn of_triangles_in_one_plane_packets_take_the_lowest_id() {
    // Of all sizes, so that they come in another order than their ids.
    let mut triangles = soup(200, 0.5, 4);
    triangles.vertices.iter_mut().flatten().for_each(|vertex| vertex[2] = 2.0);
    let ray =
        |i: i32| Ray::new([0.1, 0.2, 0.0], [0.005 + 0.004 * (i % 20) as f32, 0.005 + 0.004 * (i / 20) as f32, 1.0]);
    check(&triangles, &(0..400).map(ray).collect::<Vec<_>>());
}

#[test]
fn packets_meet_triangles_that_f32_has_too_few_exponents_for() {
    for size in [1e-20f32, 1e-12, 1e12, 1e16] {
        let mut triangles = soup(120, 0.4, 8);
        // Slivers too, without area as some rays see them.
        triangles
            .vertices
            .iter_mut()
            .step_by(9)
            .for_each(|[a, b, c]| *c = std::array::from_fn(|i| 0.5 * (a[i] + b[i])));
        triangles.vertices.iter_mut().flatten().flatten().for_each(|x| *x *= size);
        let mut random = Random::new(77);
        let mut rays = Vec::new();
        for _ in 0..cases(30) {
            rays.extend(bundle(&mut random, 0.02));
        }
        for ray in &mut rays {
            ray.origin = ray.origin.map(|x| x * size);
        }
        check(&triangles, &rays);
    }
}
