//! A forest of one tree's mesh, placed a hundred thousand times: what it takes to build, to keep and to ask.
//!
//! `cargo run --release -p raywarp --example forest -- [PLACEMENTS] [one|two]`

use raywarp::{Affine64, Control, Levels, Ray, Scene, SceneError, SceneOptions};
use std::time::Instant;

/// A fir of some 400 triangles: cones above each other.
fn fir() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for ring in 0..8u32 {
        let (base, radius) = (0.5 * ring as f32, 1.2 - 0.14 * ring as f32);
        let top = positions.len() as u32;
        positions.push([0.0, base + 1.0, 0.0]);
        for side in 0..51u32 {
            let angle = side as f32 * std::f32::consts::TAU / 51.0;
            positions.push([radius * angle.cos(), base + 0.1 * (side % 2) as f32, radius * angle.sin()]);
            indices.push([top, top + 1 + side, top + 1 + (side + 1) % 51]);
        }
    }
    (positions, indices)
}

fn main() -> Result<(), SceneError> {
    let mut arguments = std::env::args().skip(1);
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let levels = if arguments.next().as_deref() == Some("one") { Levels::One } else { Levels::Two };
    let (positions, indices) = fir();
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&positions, &indices);
    let side = f64::from(count).sqrt().ceil() as u32;
    for i in 0..count {
        let [x, z] = [i % side, i / side].map(f64::from);
        let turned = Affine64::rotation(f64::from(i * 37 % 360), [0.0, 1.0, 0.0]);
        let grown = Affine64::scale([0.7 + 0.6 * f64::from(i % 7) / 7.0; 3]);
        let place = Affine64::translation([2.0 * x + (0.7 * z).sin(), 0.0, 2.0 * z + (0.9 * x).cos()]);
        builder.instance(mesh, place.after(&turned).after(&grown), u32::MAX, i);
    }
    let start = Instant::now();
    let scene = builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default())?;
    let built = start.elapsed().as_secs_f64();
    let megabytes = scene.bytes() as f64 / 1e6;
    println!("{count} firs of {} triangles: {built:.2} s, {megabytes:.0} MB", indices.len());

    // From above the forest, aslant; every ray by itself.
    let extent = 2.0 * side as f32;
    let rays: Vec<Ray> = (0..200_000u32)
        .map(|i| {
            let at = |k: u32| (i.wrapping_mul(k) >> 8) as f32 / (1 << 24) as f32;
            let origin = [extent * at(0x9e37_79b1), 8.0, extent * at(0x85eb_ca6b)];
            Ray::new(origin, [at(0xc2b2_ae35) - 0.5, -0.4, at(0x27d4_eb2f) - 0.5])
        })
        .collect();
    let start = Instant::now();
    let hits = rays.iter().filter(|ray| scene.closest(ray).is_some()).count();
    let single = rays.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
    let start = Instant::now();
    let mut answers = vec![None; rays.len()];
    scene.closest_batch(&rays, &mut answers, &Control::default()).expect("a place for each");
    let batch = rays.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{hits} of {} rays hit: {single:.2} million a second one by one, {batch:.2} in a batch", rays.len());
    Ok(())
}
