//! Cases with ordinary scenes that are far too small, far too large, or far away.

use super::Case;
use super::casts::{across, diffuse, placed as placed_rays};
use super::random::Point;
use super::shapes::{ball, placed, soup};
use raywarp_geom::FlatTriangles;

pub(super) fn cases() -> Vec<Case> {
    vec![
        scaled("tiny", "a scene of 1e-6", 1e-6, [0.0; 3]),
        scaled("big", "a scene of 1e6", 1e6, [0.0; 3]),
        scaled("far_away", "a scene of 1 at 1e4 from the origin", 1.0, [1e4, -8e3, 5e3]),
        huge_and_small(),
    ]
}

fn scaled(name: &'static str, about: &'static str, scale: f32, shift: Point) -> Case {
    let mut vertices = soup(150, 0.3, 40);
    // A ball too, in the middle: rays end in it.
    vertices.extend(placed(ball(2), 0.5, [0.0; 3]));
    let triangles = FlatTriangles::from_vertices(placed(vertices, scale, shift));
    Case::new(name, about, triangles, placed_rays(across(300, 41), scale, shift))
}

fn huge_and_small() -> Case {
    // A teapot in a stadium: small triangles over a floor of two that are 20,000 wide.
    let wide = 1e4;
    let mut vertices = vec![
        [[-wide, -wide, -1.25], [wide, -wide, -1.25], [-wide, wide, -1.25]],
        [[wide, -wide, -1.25], [wide, wide, -1.25], [-wide, wide, -1.25]],
    ];
    vertices.extend(soup(200, 0.05, 42));
    let mut rays = across(150, 43);
    rays.extend(diffuse(150, &vertices[2..], 1e-3, 44));
    let about = "two triangles of 20,000 and many of 0.05";
    Case::new("huge_and_small", about, FlatTriangles::from_vertices(vertices), rays)
}
