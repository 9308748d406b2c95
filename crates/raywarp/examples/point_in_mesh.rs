//! Which points of a grid are inside of two balls that overlap, one of them hollow.
//!
//! `cargo run --release -p raywarp --example point_in_mesh`

mod shapes;

use raywarp::{Affine64, Control, Scene, SceneOptions};

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let (ball, of_ball) = shapes::ball(1.0, 20);
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&ball, &of_ball);
    let inside_out: Vec<[u32; 3]> = of_ball.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let cavity = builder.mesh(&ball, &inside_out);
    builder.instance(mesh, Affine64::translation([-0.6, 0.0, 0.0]), u32::MAX, 0);
    builder.instance(mesh, Affine64::translation([0.7, 0.0, 0.0]), u32::MAX, 1);
    // A surface whose front looks inwards takes out what it holds.
    let half = Affine64::translation([1.1, 0.0, 0.0]).after(&Affine64::scale([0.5; 3]));
    builder.instance(cavity, half, u32::MAX, 2);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    let (columns, rows) = (56, 18);
    let points: Vec<[f32; 3]> = (0..columns * rows)
        .map(|i| [(i % columns) as f32 * 0.07 - 1.93, 1.1 - (i / columns) as f32 * 0.13, 0.05])
        .collect();
    let mut inside = vec![false; points.len()];
    scene.contains_batch(&points, &mut inside, &Control::default())?;
    let mut said = String::new();
    for row in inside.chunks(columns) {
        let line: String = row.iter().map(|&inside| if inside { '#' } else { '.' }).collect();
        said += &format!("{line}\n");
    }
    let one_open = Scene::from_triangles(&ball, &of_ball[1..])?;
    said += &format!("{}\n", one_open.contains([0.0; 3]).expect_err("a triangle is missing"));
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
