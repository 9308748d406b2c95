//! Russian roulette (`RenderOptions::roulette_below`): other paths, the same picture in the mean.

use crate::common::{add, camera, check_mean, options, quad, room, trace, try_trace};
use raywarp_render::{RenderOptions, Rendered};
use raywarp_scene::{ColorInput, Description, Emission, Light, Material};

const DEPTH: u32 = 6;
const ALBEDO: f64 = 0.5;

/// Walls that glow: emission times albedo to the power of k by k bounces.
fn glowing_room() -> Description {
    let mut scene = Description::default();
    for wall in room() {
        let emission = Emission { radiance: ColorInput::constant([0.5; 3]), two_sided: false };
        let surface = Material::diffuse("wall", [ALBEDO as f32; 3]);
        add(&mut scene, wall, Material { emission: Some(emission), ..surface });
    }
    scene
}

fn of(scene: &Description, roulette_below: f32) -> Rendered {
    let camera = camera([0.2, 0.1, 0.5], [0.0, 0.0, -1.0], 60.0);
    trace(scene, &camera, &RenderOptions { roulette_below, ..options([12, 12], 256, DEPTH) })
}

#[test]
fn wherever_it_begins_the_mean_is_the_same_and_paths_are_the_shorter_the_earlier() {
    let scene = glowing_room();
    let expected = (0..=DEPTH as i32).map(|k| 0.5 * ALBEDO.powi(k)).sum();
    let all = [0.0, 0.05, 0.3, 1.0].map(|below| of(&scene, below));
    for rendered in &all {
        check_mean(rendered, expected);
    }
    // Nobody ends before the last vertex in a closed room, or all but a half of the rest at each one.
    let rays = all.each_ref().map(|rendered| rendered.rays as f64 / rendered.paths as f64);
    assert!(rays.windows(2).all(|pair| pair[0] > 1.02 * pair[1]), "{rays:?}");
}

#[test]
fn at_zero_it_ends_nobody() {
    // A light that no ray meets: as many rays as vertices and connections.
    let mut scene = Description {
        lights: vec![Light::Point { position: [0.3, 0.2, 0.5], intensity: [0.7; 3] }],
        ..Description::default()
    };
    for wall in room() {
        add(&mut scene, wall, Material::diffuse("wall", [0.2; 3]));
    }
    let rendered = of(&scene, 0.0);
    assert_eq!(rendered.rays, rendered.paths * u64::from(2 * DEPTH + 1));
    assert!(of(&scene, 0.05).rays < rendered.rays);
}

#[test]
fn it_begins_at_a_share() {
    let mut scene = Description::default();
    add(&mut scene, quad([-1.0, -1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]), Material::diffuse("wall", [0.5; 3]));
    for roulette_below in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
        let options = RenderOptions { roulette_below, ..options([4, 4], 1, 2) };
        let refused = try_trace(&scene, &camera([0.0, 0.0, 3.0], [0.0; 3], 40.0), &options);
        assert!(refused.is_err_and(|error| error.to_string().contains("0 to 1")), "{roulette_below}");
    }
}
