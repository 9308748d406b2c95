//! A lidar that turns once, and a depth camera, in a room with a ball.
//!
//! `cargo run --release -p raywarp --example lidar`

mod shapes;

use raywarp::{Affine64, Control, Culling, Filter, Ray, Scene, SceneOptions};

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let ((room, of_room), (ball, of_ball)) =
        (shapes::cuboid([-4.0, 0.0, -3.0], [4.0, 3.0, 3.0]), shapes::ball(0.6, 16));
    let mut builder = Scene::builder();
    let (room, ball) = (builder.mesh(&room, &of_room), builder.mesh(&ball, &of_ball));
    builder.instance(room, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(ball, Affine64::translation([2.0, 1.0, 0.0]), u32::MAX, 1);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    // The lidar reaches 3.5 m; farther walls give no echo.
    let mut said = String::from("lidar:");
    for step in 0..16 {
        let (sin, cos) = (std::f32::consts::TAU * step as f32 / 16.0).sin_cos();
        let ray = Ray::new([0.0, 1.0, 0.0], [cos, 0.0, sin]).with_interval(0.1, 3.5);
        said += &scene.closest(&ray).map_or("    -".into(), |hit| format!(" {:.2}", hit.t));
    }
    // The camera looks along x: 48 x 16 pixels, in one batch. Its rays have 1 along x, so that `t` is the depth.
    said += "\ndepth:\n";
    let pixels = (0..16 * 48).map(|i| (i % 48, i / 48));
    let rays: Vec<Ray> = pixels
        .map(|(x, y)| Ray::new([-2.0, 1.5, 0.0], [1.0, 0.4 - 0.05 * (y as f32 + 0.5), 0.03 * (x as f32 - 23.5)]))
        .collect();
    let mut hits = vec![None; rays.len()];
    scene.closest_batch(&rays, &mut hits, &Control::default())?;
    for row in hits.chunks(48) {
        let shade = |t: f32| b"@%#*+=-:. "[((t - 2.9) * 3.0).clamp(0.0, 9.0) as usize] as char;
        said.extend(row.iter().map(|hit| hit.map_or(' ', |hit| shade(hit.t))));
        said.push('\n');
    }
    // Who is inside of a room sees the backs of its walls; without them there is the ball.
    let front = scene.with(Filter::new().culling(Culling::Backs)).closest(&Ray::new([-2.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
    said += &format!("without backs: {:.2} m\n", front.map_or(f32::NAN, |hit| hit.t));
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
