//! Lights without surface; those with one are the shapes that glow.

use super::images::SKIES;
use raywarp_scene::{Description, Light, SpotFalloff};

/// Adds the test lights to the scene.
pub(super) fn add(scene: &mut Description) {
    let unit = [1.0, 0.0, 0.0];
    let straight = [unit, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let turned = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [0.8, 0.0, -0.6]];
    let sky = |map: usize, radiance: [f32; 3], world_to_map| Light::Environment {
        map: Some(SKIES[map]),
        radiance,
        world_to_map,
    };
    let spot = |position: [f32; 3], cos_inner: f32, cos_outer: f32, falloff| Light::Spot {
        position,
        direction: [0.36, -0.48, 0.8],
        intensity: [4.0, 5.0, 6.0],
        cos_inner,
        cos_outer,
        falloff,
    };
    scene.lights = vec![
        Light::Point { position: [0.3, 1.1, -0.4], intensity: [3.0, 2.5, 2.0] },
        Light::Point { position: [-1.7, -2.1, 1.4], intensity: [1.0, 4.0, 2.0] },
        spot([-1.0, 1.0, -2.0], 0.9, 0.4, SpotFalloff::Gltf),
        spot([0.5, 0.9, -1.0], 0.8, -0.3, SpotFalloff::Pbrt3),
        spot([-0.5, 2.0, -1.5], 1.0, 0.0, SpotFalloff::Pbrt4),
        // Falls at once.
        spot([1.5, 2.0, -2.5], 0.5, 0.5, SpotFalloff::Pbrt4),
        Light::Directional { direction: [-0.48, -0.8, 0.36], irradiance: [0.7, 0.6, 0.5] },
        Light::uniform_environment([0.2, 0.3, 0.5]),
        sky(0, [0.5, 0.6, 0.7], turned),
        sky(1, [1.0; 3], straight),
        sky(2, [0.3, 0.2, 0.4], straight),
    ];
}
