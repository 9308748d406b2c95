//! Hours of sun on the front of a house on a day in March, with a tower to its south.
//!
//! `cargo run --release -p raywarp --example sun_hours`

mod shapes;

use raywarp::{Affine64, Control, Ray, Scene, SceneOptions};

/// Towards the sun at an hour of the equinox, at 48 degrees north: x is east, y up, z south.
fn sun(hour: f32) -> [f32; 3] {
    let (latitude, angle) = (48f32.to_radians(), (15.0 * (hour - 12.0)).to_radians());
    [-angle.sin(), latitude.cos() * angle.cos(), latitude.sin() * angle.cos()]
}

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let ((house, of_house), (tower, of_tower)) =
        (shapes::cuboid([-15.0, 0.0, -10.0], [15.0, 9.0, 0.0]), shapes::cuboid([-14.0, 0.0, 7.0], [-4.0, 12.0, 17.0]));
    let mut builder = Scene::builder();
    let (house, tower) = (builder.mesh(&house, &of_house), builder.mesh(&tower, &of_tower));
    builder.instance(house, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(tower, Affine64::IDENTITY, u32::MAX, 1);
    let scene = builder.build(&SceneOptions::default(), &Control::default())?;

    // A point every 2 m along the front, a hand before it, and a ray every ten minutes from 6:00 to 18:00.
    let points: Vec<[f32; 3]> =
        [8.0, 4.5, 1.0].iter().flat_map(|&y| (-7..=7).map(move |x| [2.0 * x as f32, y, 0.1])).collect();
    let hours: Vec<f32> = (1..72).map(|step| 6.0 + step as f32 / 6.0).collect();
    let rays: Vec<Ray> = points.iter().flat_map(|&p| hours.iter().map(move |&hour| Ray::new(p, sun(hour)))).collect();
    let mut shaded = vec![false; rays.len()];
    scene.any_batch(&rays, &mut shaded, &Control::default())?;
    let lit: Vec<f32> =
        shaded.chunks(hours.len()).map(|ray| ray.iter().filter(|shaded| !**shaded).count() as f32 / 6.0).collect();
    let mut said = String::new();
    for (height, row) in ["8.0 m", "4.5 m", "1.0 m"].iter().zip(lit.chunks(15)) {
        let row: Vec<String> = row.iter().map(|hours| format!("{hours:4.1}")).collect();
        said += &format!("{height}: {}\n", row.join(" "));
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
