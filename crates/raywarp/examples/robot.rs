//! An arm that turns in a cell until it would touch something: one edit of the scene a step.
//!
//! `cargo run --release -p raywarp --example robot`

mod shapes;

use raywarp::{Affine64, Control, Levels, Scene, SceneOptions};
use std::ops::ControlFlow;

/// Where the lower and the upper arm stand when shoulder and elbow are bent by these degrees.
fn pose(shoulder: f64, elbow: f64) -> [Affine64; 2] {
    let about_z = |degrees: f64| Affine64::rotation(degrees, [0.0, 0.0, 1.0]);
    let lower = about_z(shoulder);
    [lower, lower.after(&Affine64::translation([2.0, 0.0, 0.0])).after(&about_z(elbow))]
}

pub(crate) fn run() -> Result<String, Box<dyn std::error::Error>> {
    let (arm, of_arm) = shapes::cuboid([0.0, -0.1, -0.1], [2.0, 0.1, 0.1]);
    let (post, of_post) = shapes::cuboid([2.2, -3.0, -0.5], [2.6, 0.9, 0.5]);
    let mut builder = Scene::builder();
    let (arm, post) = (builder.mesh(&arm, &of_arm), builder.mesh(&post, &of_post));
    let start = pose(90.0, 0.0);
    let links = start.map(|at| builder.instance(arm, at, u32::MAX, 1));
    builder.instance(post, Affine64::IDENTITY, u32::MAX, 2);
    // Trees of their own for what moves.
    let options = SceneOptions { levels: Levels::Two, ..SceneOptions::default() };
    let mut scene = builder.build(&options, &Control::default())?;
    let cell = Scene::from_triangles(&shapes::cuboid([2.2, -3.0, -0.5], [2.6, 0.9, 0.5]).0, &of_post)?;

    let mut said = String::new();
    for step in 0..20 {
        let (shoulder, elbow) = (90.0 - 5.0 * f64::from(step), 3.0 * f64::from(step));
        let at = pose(shoulder, elbow);
        let mut edit = scene.into_edit();
        links.iter().zip(at).for_each(|(&link, at)| edit.set_transform(link, at));
        scene = edit.commit(&Control::default())?;
        // The tip, and points along both links, against the post.
        let along = |at: &Affine64| {
            (0..=8).map(|i| at.point([0.25 * f64::from(i), 0.0, 0.0]).map(|x| x as f32)).collect::<Vec<_>>()
        };
        let gap = at.iter().flat_map(along).filter_map(|p| cell.nearest(p, 10.0)).map(|near| near.distance);
        let gap = gap.fold(f32::INFINITY, f32::min) - 0.15;
        // What of the scene is within the post's box, but for the post.
        let mut touches = false;
        let _ = scene.overlaps(&cell.bounds(), |id| {
            touches = scene.instance_id(id.instance).is_some_and(|id| links.contains(&id));
            if touches { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        said += &format!(
            "shoulder {shoulder:3}, elbow {elbow:2}: gap {gap:.2} m{}\n",
            if touches { ", touches" } else { "" }
        );
        if touches {
            break;
        }
    }
    Ok(said)
}

#[allow(dead_code, reason = "the tests call run")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().map(|said| print!("{said}"))
}
