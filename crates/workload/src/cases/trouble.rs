//! Cases with triangles and rays that go wrong.

use super::Case;
use super::casts::{across, from_to, on_triangle};
use super::random::{Point, Random};
use super::shapes::{Triangle, cuboid, floor, in_instances, quad, soup};
use raywarp_geom::{FlatTriangles, Ray};

pub(super) fn cases() -> Vec<Case> {
    vec![
        coplanar(),
        slivers(),
        needles(),
        duplicates(),
        coincident(),
        degenerate(),
        axis_parallel(),
        grid_lines(),
        grazing(),
        on_surfaces(),
        small_components(),
        invalid(),
        limits(),
        before_the_origin(),
    ]
}

fn coplanar() -> Case {
    // Three planes full of overlapping triangles: all boxes are flat, and t is equal in each plane.
    let mut vertices = soup(150, 0.6, 20);
    for (i, triangle) in vertices.iter_mut().enumerate() {
        for corner in triangle {
            corner[2] = [-0.5, 0.0, 0.75][i % 3];
        }
    }
    Case::new("coplanar", "overlapping triangles in a plane", FlatTriangles::from_vertices(vertices), across(300, 20))
}

fn slivers() -> Case {
    // Corners nearly on a line: 1e-2 to 1e-6 high.
    let mut random = Random::new(21);
    let sliver = |i: usize| -> Triangle {
        let ([a, b], off) = ([random.point(), random.point()], random.point());
        let (along, height) = (random.unit(), [1e-2, 1e-3, 1e-4, 1e-6][i % 4]);
        [a, b, std::array::from_fn(|k| a[k] + along * (b[k] - a[k]) + height * off[k])]
    };
    let vertices: Vec<Triangle> = (0..200).map(sliver).collect();
    let mut random = Random::new(22);
    let ray = |i: usize| {
        let (target, _) = on_triangle(&mut random, &vertices[i % vertices.len()]);
        from_to(random.point().map(|x| 2.0 * x), target)
    };
    let rays = (0..300).map(ray).collect();
    Case::new("slivers", "triangles without height", FlatTriangles::from_vertices(vertices), rays).aimed_at_limits()
}

fn needles() -> Case {
    // A fan of long thin triangles that share edges and a tip.
    let rim = |i: usize| {
        let (sin, cos) = raywarp_sample::warp::sin_cos_turn(i as f32 / 256.0);
        [100.0 * cos, 100.0 * sin, 5.0 * (i % 2) as f32]
    };
    let needle = |i: usize| [[0.0, 0.0, 1.0], rim(i % 256), rim((i + 1) % 256)];
    let vertices: Vec<Triangle> = (0..256).map(needle).collect();
    let mut random = Random::new(23);
    let ray = |i: usize| {
        let (target, _) = on_triangle(&mut random, &vertices[i % 256]);
        let [x, y, _] = random.point();
        from_to([60.0 * x, 60.0 * y, 30.0], target)
    };
    let rays = (0..300).map(ray).collect();
    Case::new("needles", "long thin triangles across all boxes", FlatTriangles::from_vertices(vertices), rays)
}

fn duplicates() -> Case {
    let once = soup(120, 0.4, 24);
    let vertices = once.iter().flat_map(|&triangle| [triangle; 3]).chain(once.iter().copied()).collect();
    Case::new("duplicates", "of equal triangles the lowest id wins", in_instances(vertices, 3), across(250, 24))
}

fn coincident() -> Case {
    let triangle = [[-0.9, -0.8, 0.2], [0.9, -0.7, -0.1], [0.0, 0.9, 0.1]];
    let triangles = in_instances(vec![triangle; 1000], 2);
    Case::new("coincident", "1,000 times the same triangle: no split helps", triangles, across(120, 25))
}

fn degenerate() -> Case {
    // Points and segments among ordinary triangles.
    let mut vertices = soup(120, 0.4, 26);
    for (i, triangle) in vertices.iter_mut().enumerate() {
        let [a, b, _] = *triangle;
        match i % 4 {
            0 => *triangle = [a; 3],
            1 => *triangle = [a, b, a],
            _ => {}
        }
    }
    let mut rays = across(150, 26);
    let mut random = Random::new(27);
    rays.extend((0..50).map(|i| from_to(random.point().map(|x| 2.0 * x), vertices[i][0])));
    let triangles = FlatTriangles::from_vertices(vertices);
    Case::new("degenerate", "triangles without area are never hit", triangles, rays).aimed_at_limits()
}

/// Makes rays along coordinate axes, through points with whole and half coordinates.
fn along_axes(count: usize, size: usize, seed: u32) -> Vec<Ray> {
    let mut random = Random::new(seed);
    let ray = |i: usize| {
        let axis = i % 3;
        let forward = i.is_multiple_of(2);
        let place: Point = std::array::from_fn(|k| {
            if k != axis {
                // Mostly on planes of box faces.
                let steps = if random.unit() < 0.7 { 1 } else { 2 };
                return random.below(size * steps + 1) as f32 / steps as f32;
            }
            if forward { -2.0 } else { size as f32 + 2.0 }
        });
        let length = [1.0, 2.0, 0.5][i / 6 % 3];
        let zero = if i % 5 < 3 { 0.0 } else { -0.0 };
        let direction = std::array::from_fn(|k| {
            if k != axis {
                zero
            } else if forward {
                length
            } else {
                -length
            }
        });
        Ray::new(place, direction)
    };
    (0..count).map(ray).collect()
}

fn axis_parallel() -> Case {
    let mut random = Random::new(28);
    let low = |random: &mut Random| -> Point { std::array::from_fn(|_| random.below(7) as f32) };
    let boxes = (0..30).flat_map(|_| {
        let place = low(&mut random);
        cuboid(place, std::array::from_fn(|_| 1.0 + random.below(2) as f32))
    });
    let triangles = FlatTriangles::from_vertices(boxes.collect());
    let about = "rays along axes, in box faces and along edges, with zeros of both signs";
    Case::new("axis_parallel", about, triangles, along_axes(400, 8, 29)).with_exact_arithmetic()
}

fn grid_lines() -> Case {
    let mut vertices = floor(8, 1.0);
    vertices.extend(floor(8, 4.0));
    let rays = along_axes(600, 8, 30).into_iter().filter(|ray| ray.direction[2] != 0.0).collect();
    Case::new("grid_lines", "rays down the lines of a grid", FlatTriangles::from_vertices(vertices), rays)
        .with_exact_arithmetic()
}

fn grazing() -> Case {
    // Nearly in the plane of a floor with small steps.
    let mut vertices = floor(10, 0.0);
    for x in 0..5 {
        vertices.extend(quad([2.0 * x as f32 + 0.5, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 0.0625]));
    }
    let mut random = Random::new(31);
    let ray = |i: usize| {
        let height = [1e-1, 1e-2, 1e-3, 1e-4][i % 4];
        let origin = [-1.0 + 12.0 * random.unit(), -1.0 + 12.0 * random.unit(), height * (0.5 + random.unit())];
        let [x, y, _] = random.direction();
        Ray::new(origin, [x, y, -0.3 * height * (0.5 + random.unit())])
    };
    let rays = (0..300).map(ray).collect();
    Case::new("grazing", "rays nearly in the plane of what they hit", FlatTriangles::from_vertices(vertices), rays)
}

fn on_surfaces() -> Case {
    let vertices = soup(200, 0.4, 32);
    let mut random = Random::new(33);
    let ray = |i: usize| {
        let (point, normal) = on_triangle(&mut random, &vertices[i % vertices.len()]);
        Ray::new(point, random.diffuse(normal))
    };
    let rays = (0..300).map(ray).collect();
    let about = "rays that start on a surface, whose own hit at t = 0 may count or not";
    Case::new("on_surfaces", about, FlatTriangles::from_vertices(vertices), rays).aimed_at_limits()
}

fn small_components() -> Case {
    let small = [0.0, -0.0, 1e-45, -1e-40, 1e-38, -1e-24, 1e-12, -1e-7];
    let mut random = Random::new(34);
    let ray = |i: usize| {
        let axis = random.below(3);
        let place = random.point();
        let mut origin = place.map(|x| 0.9 * x);
        origin[axis] = if i.is_multiple_of(2) { -2.0 } else { 2.0 };
        let scale = [1.0, 1e-20, 1e20, 3.0][i / 2 % 4];
        let mut direction: Point = std::array::from_fn(|_| small[random.below(small.len())]);
        direction[axis] = if i.is_multiple_of(2) { scale } else { -scale };
        Ray::new(origin, direction)
    };
    let rays = (0..400).map(ray).collect();
    let about = "zero and denormal direction components, and directions of any length";
    Case::new("small_components", about, FlatTriangles::from_vertices(soup(300, 0.4, 35)), rays)
}

fn invalid() -> Case {
    let good = from_to([0.1, 0.2, -3.0], [0.0, 0.1, 0.0]);
    let mut rays = Vec::new();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut ray = good;
            ray.origin[axis] = bad;
            rays.push(ray);
            let mut ray = good;
            ray.direction[axis] = bad;
            rays.push(ray);
        }
        rays.push(good.with_interval(0.0, bad));
    }
    rays.push(good.with_interval(f32::NAN, 1.0));
    rays.push(good.with_interval(f32::INFINITY, f32::INFINITY));
    rays.push(Ray::new(good.origin, [0.0, -0.0, 0.0]));
    rays.push(good.with_interval(2.0, 1.0));
    rays.push(good);
    Case::new("invalid", "NaN, infinities, no direction, no interval", in_instances(soup(80, 0.6, 36), 2), rays)
}

fn limits() -> Case {
    // Squares across z at 1 to 8, met exactly.
    let square = |z: usize| quad([-4.0, -4.0, z as f32], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]);
    let triangles = FlatTriangles::from_vertices((1..=8).flat_map(square).collect());
    let mut rays = Vec::new();
    for (i, z) in (1..=8u8).map(f32::from).enumerate() {
        let start = [i as f32 * 0.25 - 1.0, -1.5, 0.0];
        let ray = Ray::new(start, [0.0, 0.0, 1.0]);
        for t_min in [0.0, z.next_down(), z, z.next_up()] {
            for t_max in [z.next_down(), z, z.next_up(), f32::INFINITY] {
                rays.push(ray.with_interval(t_min, t_max));
            }
        }
        // On a square: t = 0 counts.
        rays.push(Ray { origin: [start[0], start[1], z], ..ray });
        rays.push(Ray { origin: [start[0], start[1], z], ..ray }.with_interval(f32::MIN_POSITIVE, 0.5));
        rays.push(Ray { origin: [start[0], start[1], z], direction: [0.0, 0.0, -2.0], ..ray }.with_interval(0.0, 0.0));
    }
    Case::new("limits", "t_min and t_max exactly at hits, and an ulp beside them", triangles, rays)
        .with_exact_arithmetic()
}

fn before_the_origin() -> Case {
    let rays = across(150, 37).into_iter().enumerate().map(|(i, ray)| {
        let t_min = [-1.0, f32::NEG_INFINITY, -0.25][i % 3];
        Ray::new(ray.at(0.75), ray.direction).with_interval(t_min, [0.5, f32::INFINITY, -0.125][i / 3 % 3])
    });
    let about = "negative t: hits behind the origin count when the interval says so";
    Case::new("before_the_origin", about, FlatTriangles::from_vertices(soup(200, 0.3, 38)), rays.collect())
}
