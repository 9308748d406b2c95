//! Moving things: of 200 bodies one moves, or all, or some of very many; and a ball that swells and twists. Each edit
//! is committed, with the scene as it was kept or not.
//!
//! `cargo run --release -p raywarp --example moving -- [FRAMES]`

use raywarp::{Affine64, Control, EditError, InstanceId, Levels, Reshape, Scene, SceneError, SceneOptions};
use std::time::Instant;

/// A ball of about `triangles` triangles.
fn ball(triangles: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let rings = ((triangles / 4) as f32).sqrt().ceil() as u32;
    let sides = 2 * rings;
    let at = |i: u32| {
        let (polar, around) = ((i / sides) as f32 / rings as f32, (i % sides) as f32 / sides as f32);
        let (polar, around) = (polar * std::f32::consts::PI, around * std::f32::consts::TAU);
        [polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()]
    };
    let cell = |i: u32| {
        let [a, b] = [i, i - i % sides + (i + 1) % sides];
        [[a, a + sides, b], [b, a + sides, b + sides]]
    };
    ((0..(rings + 1) * sides).map(at).collect(), (0..rings * sides).flat_map(cell).collect())
}

fn place(i: u32, frame: u32) -> Affine64 {
    let side = 15;
    let [x, y] = [i % side, i / side].map(|k| 3.0 * f64::from(k));
    let turned = Affine64::rotation(f64::from(frame), [1.0, 2.0, 3.0]);
    Affine64::translation([x, y, (0.1 * f64::from(frame)).sin()]).after(&turned)
}

/// Returns the median and the least of times, in microseconds.
fn middle(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:9.1} us, at least {:9.1}", 1e6 * times[times.len() / 2], 1e6 * times[0])
}

fn scene(bodies: u32, triangles: u32) -> Result<(Scene, Vec<InstanceId>), SceneError> {
    let (positions, indices) = ball(triangles);
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&positions, &indices);
    let ids = (0..bodies).map(|i| builder.instance(mesh, place(i, 0), u32::MAX, i)).collect();
    let options = SceneOptions { levels: Levels::Two, ..SceneOptions::default() };
    Ok((builder.build(&options, &Control::default())?, ids))
}

fn main() -> Result<(), EditError> {
    let frames: u32 = std::env::args().nth(1).and_then(|frames| frames.parse().ok()).unwrap_or(200);
    let control = Control::default();
    for (bodies, moving) in [(200, 1), (200, 200), (100_000, 1), (100_000, 1000)] {
        for keeps in [true, false] {
            let (mut scene, ids) = scene(bodies, 2000)?;
            let mut times = Vec::new();
            for frame in 1..=frames {
                let kept = keeps.then(|| scene.clone());
                let start = Instant::now();
                let mut edit = scene.into_edit();
                for i in 0..moving {
                    let i = (i * 7919 + frame) % bodies;
                    edit.set_transform(ids[i as usize], place(i, frame));
                }
                scene = edit.commit(&control)?;
                times.push(start.elapsed().as_secs_f64());
                drop(kept);
            }
            let how = if keeps { "the scene before it kept" } else { "in place" };
            println!("{moving:5} of {bodies:6} bodies moved, {how:24}: {}", middle(times));
        }
    }
    for how in [Reshape::Refit, Reshape::ByCost, Reshape::Rebuild] {
        for keeps in [true, false] {
            shapes(1_000_000, frames.min(30), how, keeps)?;
        }
    }
    Ok(())
}

/// Gives a ball other shapes.
fn shapes(triangles: u32, frames: u32, how: Reshape, keeps: bool) -> Result<(), EditError> {
    let (positions, indices) = ball(triangles);
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&positions, &indices);
    builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let options = SceneOptions { levels: Levels::Two, ..SceneOptions::default() };
    let (mut scene, mut times) = (builder.build(&options, &Control::default())?, Vec::new());
    for frame in 1..=frames {
        let phase = 0.02 * frame as f32;
        let twisted = |[x, y, z]: &[f32; 3]| {
            let (s, c) = (phase * z).sin_cos();
            [c * x - s * y, s * x + c * y, z * (1.0 + phase)]
        };
        let now: Vec<[f32; 3]> = positions.iter().map(twisted).collect();
        let kept = keeps.then(|| scene.clone());
        let start = Instant::now();
        let mut edit = scene.into_edit();
        edit.reshape(mesh, &now, &indices, how);
        scene = edit.commit(&Control::default())?;
        times.push(start.elapsed().as_secs_f64());
        drop(kept);
    }
    let how = format!("{how:?}{}", if keeps { ", the scene before it kept" } else { ", in place" });
    println!("{:8} triangles reshaped, {how:36}: {}", indices.len(), middle(times));
    Ok(())
}
