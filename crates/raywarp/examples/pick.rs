//! Which triangle is under the mouse: a ray through a pixel, and what it hits.
//!
//! `cargo run -p raywarp --example pick`

mod shapes;

use raywarp::{Affine64, Control, Ray, Scene, SceneError, SceneOptions};

/// Looks along -z from `eye`, with a field of view of 90 degrees up and down.
fn through_pixel(eye: [f32; 3], pixel: [u32; 2], size: [u32; 2]) -> Ray {
    let [width, height] = size.map(|x| x as f32);
    let x = (2.0 * (pixel[0] as f32 + 0.5) - width) / height;
    let y = 1.0 - 2.0 * (pixel[1] as f32 + 0.5) / height;
    Ray::new(eye, [x, y, -1.0])
}

pub(crate) fn run() -> Result<String, SceneError> {
    let names = ["table", "ball", "ball"];
    let ((table, of_table), (ball, of_ball)) =
        (shapes::cuboid([-2.0, -1.0, -6.0], [2.0, -0.9, -3.0]), shapes::ball(0.5, 8));
    let mut builder = Scene::builder();
    let (table, ball) = (builder.mesh(&table, &of_table), builder.mesh(&ball, &of_ball));
    builder.instance(table, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(ball, Affine64::translation([-1.0, -0.4, -4.0]), u32::MAX, 1);
    builder.instance(ball, Affine64::translation([0.8, -0.4, -5.0]), u32::MAX, 2);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    let mut said = String::new();
    for pixel in [[120, 130], [180, 130], [160, 150], [20, 20]] {
        let ray = through_pixel([0.0; 3], pixel, [320, 240]);
        said += &match scene.closest(&ray) {
            // `user` is the number that the placement was given above.
            Some(hit) => format!(
                "{pixel:?}: triangle {} of {} {}, at {:.3?}\n",
                hit.primitive,
                names[hit.user as usize],
                hit.user,
                hit.position(&ray)
            ),
            None => format!("{pixel:?}: nothing\n"),
        };
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), SceneError> {
    run().map(|said| print!("{said}"))
}
