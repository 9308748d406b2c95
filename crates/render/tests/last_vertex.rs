//! Connections at the last vertex (`RenderOptions::connect_last`): what picture they make, and how many there are.

use crate::common::{add, camera, check_mean, options, quad, room, sphere, trace};
use raywarp_render::film::Film;
use raywarp_render::{DirectLight, RenderOptions};
use raywarp_scene::{
    Absorption, Alpha, Camera, ColorInput, Description, Emission, Light, Material, Roughness, ScalarInput, Surface,
};

fn glowing(radiance: f32, reflectance: f32) -> Material {
    let emission = Emission { radiance: ColorInput::constant([radiance; 3]), two_sided: false };
    Material { emission: Some(emission), ..Material::diffuse("lamp", [reflectance; 3]) }
}

fn metal(roughness: f32) -> Material {
    let (eta, k) = (ColorInput::constant([0.2, 0.9, 1.1]), ColorInput::constant([3.9, 2.4, 2.1]));
    Material::new("metal", Surface::Conductor { eta, k, roughness: Roughness::isotropic(roughness) })
}

fn glass(roughness: f32) -> Material {
    let surface = Surface::Dielectric {
        ior: 1.5,
        roughness: Roughness::isotropic(roughness),
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption: Some(Absorption { sigma: [0.1, 0.4, 0.9] }),
    };
    Material::new("glass", surface)
}

fn sky() -> Light {
    Light::uniform_environment([0.3, 0.4, 0.6])
}

fn point() -> Light {
    Light::Point { position: [0.3, 0.2, 0.5], intensity: [0.7, 0.5, 0.4] }
}

/// A room without its near wall, in it metal, glass that absorbs, and a screen with holes; smooth or rough.
fn furnished(roughness: f32, lights: Vec<Light>, lamp: bool) -> Description {
    let mut scene = Description { lights, ..Description::default() };
    for wall in room().into_iter().take(5) {
        add(&mut scene, wall, Material::diffuse("wall", [0.8, 0.7, 0.6]));
    }
    add(&mut scene, sphere([-0.4, -0.5, -0.3], 0.4, 8, true), metal(roughness));
    add(&mut scene, sphere([0.5, -0.5, 0.1], 0.35, 8, true), glass(roughness));
    let screen =
        Material { alpha: Alpha::Blend { alpha: ScalarInput::constant(0.5) }, ..Material::diffuse("screen", [0.4; 3]) };
    add(&mut scene, quad([-0.9, -0.2, 0.2], [0.8, 0.0, 0.0], [0.0, 0.9, 0.0]), screen);
    if lamp {
        add(&mut scene, quad([-0.3, 0.95, -0.3], [0.6, 0.0, 0.0], [0.0, 0.0, 0.6]), glowing(6.0, 0.3));
    }
    scene
}

fn eye() -> Camera {
    camera([0.1, 0.1, 2.6], [0.0; 3], 50.0)
}

fn of(scene: &Description, max_depth: u32, connect_last: bool, direct: DirectLight) -> Film {
    let options = RenderOptions { connect_last, direct, features: true, ..options([12, 9], 8, max_depth) };
    trace(scene, &eye(), &options).film
}

/// Whether all sums of all pixels have the same bits.
fn are_same(a: &Film, b: &Film) -> bool {
    a.pixels().all(|pixel| a.sums(pixel) == b.sums(pixel) && a.feature_sums(pixel) == b.feature_sums(pixel))
}

/// With a connection at the last vertex the picture is the one of a bounce more, and without it is another.
#[track_caller]
fn check_one_more(scene: &Description, direct: DirectLight) {
    for depth in 0..4 {
        let [without, with, more] =
            [(depth, false), (depth, true), (depth + 1, false)].map(|(depth, last)| of(scene, depth, last, direct));
        assert!(are_same(&with, &more), "{direct:?}: not the picture of {} bounces", depth + 1);
        assert!(!are_same(&with, &without), "{direct:?}: no light at the last of {depth} bounces");
        assert_eq!(with.invalid_samples(), 0);
    }
}

#[test]
fn with_connections_alone_it_is_the_picture_of_a_bounce_more_bit_for_bit() {
    check_one_more(&furnished(0.4, vec![sky(), point()], true), DirectLight::Lights);
}

#[test]
fn lights_that_no_ray_meets_give_the_picture_of_a_bounce_more_bit_for_bit() {
    let sun = Light::Directional { direction: [0.0, -0.6, -0.8], irradiance: [0.5; 3] };
    let scene = furnished(0.0, vec![point(), sun], false);
    check_one_more(&scene, DirectLight::Both);
    check_one_more(&scene, DirectLight::Lights);
}

#[test]
fn with_scattering_alone_nothing_changes() {
    let scene = furnished(0.4, vec![sky(), point()], true);
    for depth in 0..4 {
        let [without, with] = [false, true].map(|last| of(&scene, depth, last, DirectLight::Scattering));
        assert!(are_same(&without, &with), "{depth} bounces");
    }
}

#[test]
fn a_mirror_at_the_end_shows_no_light() {
    let mut scene = Description { lights: vec![sky()], ..Description::default() };
    add(&mut scene, quad([-9.0, -9.0, 0.0], [18.0, 0.0, 0.0], [0.0, 18.0, 0.0]), metal(0.0));
    for direct in [DirectLight::Both, DirectLight::Lights] {
        let last = of(&scene, 0, true, direct);
        assert!(are_same(&last, &of(&scene, 0, false, direct)) && last.picture_mean().luminance == 0.0);
        assert!(of(&scene, 1, false, direct).picture_mean().luminance > 0.1);
    }
}

#[test]
fn the_last_connection_counts_in_full() {
    // Light of k bounces from walls that glow: emission times albedo to the power of k.
    let (emission, albedo) = (0.5, 0.6f64);
    let mut scene = Description::default();
    for wall in room() {
        add(&mut scene, wall, glowing(emission, albedo as f32));
    }
    let camera = camera([0.2, 0.1, 0.5], [0.0, 0.0, -1.0], 60.0);
    for depth in [0, 1, 4] {
        for (direct, last) in
            [(DirectLight::Both, depth + 1), (DirectLight::Lights, depth + 1), (DirectLight::Scattering, depth)]
        {
            let expected: f64 = (0..=last).map(|k| f64::from(emission) * albedo.powi(k)).sum();
            let options = RenderOptions { connect_last: true, direct, ..options([12, 12], 256, depth as u32) };
            check_mean(&trace(&scene, &camera, &options), expected);
        }
    }
}

#[test]
fn eight_bounces_make_nine_connections() {
    // Closed and bright, so that no path ends early; from a wall any place of the room is in front.
    let mut scene = Description { lights: vec![point()], ..Description::default() };
    for wall in room() {
        add(&mut scene, wall, Material::diffuse("wall", [0.9; 3]));
    }
    let camera = camera([0.2, 0.1, 0.5], [0.0, 0.0, -1.0], 60.0);
    for (connect_last, connections) in [(false, 8), (true, 9)] {
        let options = RenderOptions { connect_last, ..options([12, 9], 8, 8) };
        let rendered = trace(&scene, &camera, &options);
        assert_eq!(rendered.rays, rendered.paths * (9 + connections));
    }
}
