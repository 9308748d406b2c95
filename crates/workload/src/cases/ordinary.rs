//! Cases with scenes as they come, small and large.

use super::Case;
use super::casts::{across, at_edges, diffuse, from_to};
use super::random::Random;
use super::shapes::{Triangle, ball, in_instances, room, soup};
use raywarp_geom::{FlatTriangles, Ray};

pub(super) fn cases() -> Vec<Case> {
    vec![
        empty(),
        single(),
        random_soup(),
        large_soup(),
        inside_a_ball(),
        ball_edges(),
        room_diffuse(),
        copies(),
        alpha(),
    ]
}

fn empty() -> Case {
    Case::new("empty", "a scene without triangles is missed", FlatTriangles::default(), across(16, 1))
}

fn single() -> Case {
    let triangle = [[-0.7, -0.6, 0.1], [0.8, -0.5, -0.2], [0.1, 0.9, 0.3]];
    Case::new("single", "one triangle: the smallest tree", FlatTriangles::from_vertices(vec![triangle]), across(200, 2))
}

fn random_soup() -> Case {
    Case::new("soup", "random triangles in three instances", in_instances(soup(500, 0.2, 3), 3), across(600, 3))
}

fn large_soup() -> Case {
    let triangles = FlatTriangles::from_vertices(soup(250, 1.5, 4));
    Case::new("large_soup", "triangles as large as the scene, all overlapping", triangles, across(300, 4))
}

fn inside_a_ball() -> Case {
    let mut random = Random::new(5);
    let ray = |_| Ray::new(random.point().map(|x| 0.5 * x), random.direction());
    let rays = (0..400).map(ray).collect();
    Case::new("ball", "a closed ball from inside: every ray hits", FlatTriangles::from_vertices(ball(3)), rays)
}

fn ball_edges() -> Case {
    let vertices = ball(3);
    let rays = at_edges(500, &vertices, [0.0; 3], 6);
    let triangles = FlatTriangles::from_vertices(vertices);
    Case::new("ball_edges", "rays at shared edges and corners may not slip through", triangles, rays).aimed_at_limits()
}

fn room_diffuse() -> Case {
    let vertices = room();
    let rays = diffuse(500, &vertices, 1e-3, 7);
    Case::new("room", "diffuse rays in a closed room with boxes", FlatTriangles::from_vertices(vertices), rays)
}

fn copies() -> Case {
    let at = |i: usize| -> Triangle {
        let [x, y, z] = [i % 50, i / 50 % 50, i / 2500].map(|c| c as f32);
        [[x, y, z], [x + 0.5, y, z + 0.25], [x, y + 0.5, z + 0.25]]
    };
    let mut random = Random::new(8);
    let place = |random: &mut Random| [0.5, 0.5, 0.4].map(|s| 100.0 * s * random.unit());
    let ray = |_| {
        let (origin, target) = (place(&mut random), place(&mut random));
        from_to(origin, target)
    };
    let rays = (0..200).map(ray).collect();
    let triangles = FlatTriangles::from_vertices((0..100_000).map(at).collect());
    Case::new("copies", "100,000 copies of a triangle on a grid", triangles, rays)
}

fn alpha() -> Case {
    // Cards that lie on each other, some opaque, among ordinary ones.
    let mut vertices = soup(150, 0.5, 9);
    for i in 0..100 {
        vertices.push(vertices[i]);
    }
    let mut triangles = in_instances(vertices, 4);
    for (i, opaque) in triangles.opaque.iter_mut().enumerate() {
        *opaque = i % 3 == 0;
    }
    Case::new("alpha", "non-opaque triangles stop both queries, coincident ones too", triangles, across(400, 9))
}
