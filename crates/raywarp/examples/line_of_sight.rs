//! Which masts see each other over hills.
//!
//! `cargo run --release -p raywarp --example line_of_sight`

use raywarp::{End, Ray, Scene, SceneError};

/// Height of the ground, in metres.
fn height(x: f32, y: f32) -> f32 {
    80.0 * (x / 400.0).sin() * (y / 300.0).cos() + 40.0 * (x / 130.0 + y / 170.0).sin()
}

pub(crate) fn run() -> Result<String, SceneError> {
    // Four kilometres of hills, a vertex every 20 m.
    let side = 201u32;
    let at = |i: u32| 20.0 * (i as f32) - 2000.0;
    let positions: Vec<[f32; 3]> = (0..side * side)
        .map(|i| {
            let (x, y) = (at(i % side), at(i / side));
            [x, y, height(x, y)]
        })
        .collect();
    let cells = (0..(side - 1) * (side - 1)).map(|i| i / (side - 1) * side + i % (side - 1));
    let indices: Vec<[u32; 3]> = cells.flat_map(|a| [[a, a + 1, a + side + 1], [a, a + side + 1, a + side]]).collect();
    let hills = Scene::from_triangles(&positions, &indices)?;

    // Masts stand on the ground that the scene has, found by a ray from above.
    let foot = |x: f32, y: f32| {
        let down = Ray::new([x, y, 1000.0], [0.0, 0.0, -1.0]);
        let ground = hills.closest(&down).map_or(0.0, |hit| hit.position(&down)[2]);
        [x, y, ground]
    };
    let feet =
        [foot(-1890.0, 40.0), foot(-620.0, -900.0), foot(-610.0, 980.0), foot(660.0, -20.0), foot(1850.0, 930.0)];
    let mut said = String::new();
    for metres in [5.0, 20.0, 50.0] {
        let tops = feet.map(|[x, y, z]| End::Point([x, y, z + metres]));
        let pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b)));
        let seen: Vec<String> =
            pairs.filter(|&(a, b)| hills.visible(tops[a], tops[b])).map(|(a, b)| format!("{a}-{b}")).collect();
        said += &format!("masts of {metres:2} m: {}\n", if seen.is_empty() { "none".into() } else { seen.join(" ") });
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), SceneError> {
    run().map(|said| print!("{said}"))
}
