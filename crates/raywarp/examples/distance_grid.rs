//! Signed distances on a grid, as for collision or for smoothing a shape: negative inside.
//!
//! `cargo run --release -p raywarp --example distance_grid`

mod shapes;

use raywarp::{Affine64, Control, Scene, SceneOptions};

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let ((ball, of_ball), (bar, of_bar)) = (shapes::ball(1.0, 16), shapes::cuboid([-2.2, -0.3, -0.3], [2.2, 0.3, 0.3]));
    let mut builder = Scene::builder();
    let (ball, bar) = (builder.mesh(&ball, &of_ball), builder.mesh(&bar, &of_bar));
    builder.instance(ball, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(bar, Affine64::rotation(20.0, [0.0, 0.0, 1.0]), u32::MAX, 1);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    // Bands of a quarter: digits count those outside, dots are inside.
    let (columns, rows) = (60, 20);
    let points: Vec<[f32; 3]> = (0..columns * rows)
        .map(|i| [(i % columns) as f32 * 0.1 - 2.95, 1.45 - (i / columns) as f32 * 0.15, 0.0])
        .collect();
    let mut distances = vec![0.0; points.len()];
    scene.signed_distance_batch(&points, &mut distances, &Control::default())?;
    let mut said = String::new();
    for row in distances.chunks(columns) {
        let band = |d: &f32| if *d <= 0.0 { '.' } else { char::from(b'0' + (4.0 * d).min(9.0) as u8) };
        said += &format!("{}\n", row.iter().map(band).collect::<String>());
    }
    // And what is nearest to a point, within a reach.
    if let Some(near) = scene.nearest([0.0, 1.5, 0.0], 1.0) {
        said += &format!(
            "{:.3} above part {}, whose {:?} is at {:.3?}\n",
            near.distance, near.user, near.feature, near.point
        );
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
