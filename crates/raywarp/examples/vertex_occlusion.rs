//! Ambient occlusion of every vertex, as for baking: rays over the hemisphere of its normal, in one batch.
//!
//! `cargo run --release -p raywarp --example vertex_occlusion`

mod shapes;

use raywarp::{Control, Ray, Scene, offset_from_triangle};

/// Rays a vertex.
const RAYS: usize = 256;

/// Direction `i` of [`RAYS`], over the hemisphere around `normal` with the density of its cosine: a point of a unit
/// ball around the normal's tip, of a spiral over that ball.
fn direction(normal: [f32; 3], i: usize) -> [f32; 3] {
    let z = 1.0 - 2.0 * (i as f32 + 0.5) / RAYS as f32;
    let (sin, cos) = (2.399_963 * i as f32).sin_cos();
    let r = (1.0 - z * z).sqrt();
    [normal[0] + r * cos, normal[1] + r * sin, normal[2] + z]
}

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    // A ball that nearly touches a floor; its vertices are also its normals.
    let (ball, of_ball) = shapes::ball(1.0, 9);
    let floor = [[-50.0, -1.02, -50.0], [-50.0, -1.02, 50.0], [50.0, -1.02, 50.0], [50.0, -1.02, -50.0]];
    let first = ball.len() as u32;
    let positions = [&ball[..], &floor].concat();
    let indices = [&of_ball[..], &[[first, first + 1, first + 2], [first, first + 2, first + 3]]].concat();
    let scene = Scene::from_triangles(&positions, &indices)?;

    let rays_of = |vertex: &[f32; 3]| {
        let origin = offset_from_triangle(*vertex, *vertex, 0.3);
        let normal = *vertex;
        (0..RAYS).map(move |i| Ray::new(origin, direction(normal, i)))
    };
    let rays: Vec<Ray> = ball.iter().flat_map(rays_of).collect();
    let mut blocked = vec![false; rays.len()];
    scene.any_batch(&rays, &mut blocked, &Control::default())?;
    let mut said = String::new();
    // The vertices of one meridian, from the top to the bottom.
    for (vertex, blocked) in ball.iter().zip(blocked.chunks(RAYS)).filter(|(p, _)| p[2].abs() < 1e-3 && p[0] > -1e-3) {
        let open = blocked.iter().filter(|blocked| !**blocked).count() as f32 / RAYS as f32;
        said +=
            &format!("height {:5.2}: {:3.0} % open {}\n", vertex[1], 100.0 * open, "#".repeat((20.0 * open) as usize));
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
