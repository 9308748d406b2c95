//! Connections only, scattering only and both together estimate the same picture; and the interior
//! whose mean radiance an independent renderer has told.

use crate::common::{prepare, render};
use raywarp::render::{DirectLight, PictureRequest};
use raywarp::scene::{Camera, SamplerKind};
use raywarp_testing::scenes;

/// Mean luminance and its standard error, with independent random numbers.
fn mean(
    prepared: &mut raywarp::render::Prepared,
    direct: DirectLight,
    spp: u32,
    camera: Option<&Camera>,
) -> (f64, f64) {
    let request = PictureRequest {
        size: Some([48, 36]),
        spp: Some(spp),
        max_depth: Some(5),
        sampler: Some(SamplerKind::Xor32),
        // Different seeds: the techniques must not share their luck.
        seed: 1 + direct as u32,
        direct,
        camera: raywarp::render::CameraRequest { camera: camera.cloned(), ..Default::default() },
        ..PictureRequest::default()
    };
    let mean = render(prepared, &request).film.picture_mean();
    (mean.luminance, mean.standard_error.unwrap())
}

/// z-test of each single technique against both together. With 2 x 7 comparisons 3.5 standard errors
/// are passed by chance in one of 150 seeds; the seeds are fixed.
#[track_caller]
fn check(name: &str, clay: Option<f32>, spp: [u32; 3], camera: Option<&Camera>) {
    let Some(folder) = scenes() else { return };
    let mut prepared = prepare(&folder.join(name), clay);
    let (both, both_error) = mean(&mut prepared, DirectLight::Both, spp[0], camera);
    for (direct, spp) in [(DirectLight::Lights, spp[1]), (DirectLight::Scattering, spp[2])] {
        let (single, single_error) = mean(&mut prepared, direct, spp, camera);
        let z = (single - both) / single_error.hypot(both_error);
        println!("{name} {direct:?}: {single:.5} +- {single_error:.5}, both {both:.5} +- {both_error:.5}, z {z:.2}");
        assert!(z.abs() < 3.5, "{name}, {direct:?}: {single} +- {single_error}, both {both} +- {both_error}");
        assert!(single_error < 0.1 * single && both_error < 0.05 * both, "{name}: too noisy to say anything");
    }
}

#[test]
fn techniques_agree_in_the_cornell_box() {
    let camera = Camera::look_at([0.0, 1.0, 3.4], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 40.0);
    check("cornell_box/CornellBox-Original.obj", None, [64, 64, 512], camera.as_ref());
}

#[test]
fn techniques_agree_on_the_killeroos() {
    // Closer than the file's own camera, which sees the small light.
    let camera = Camera::look_at([400.0, 20.0, 30.0], [0.0, 63.0, -110.0], [0.0, 0.0, 1.0], 20.0);
    check("killeroo/killeroo-simple.pbrt", None, [64, 64, 1024], camera.as_ref());
}

#[test]
fn techniques_agree_on_the_coffee_maker() {
    // Clay: its nearly smooth coats would need millions of connections to show up in their mean.
    check("coffee/scene.pbrt", Some(0.6), [64, 64, 256], None);
}

#[test]
fn techniques_agree_on_the_car_in_an_environment() {
    check("bmw_m6/bmw-m6.pbrt", Some(0.6), [64, 64, 2048], None);
}

#[test]
fn techniques_agree_in_sibenik() {
    check("checks/sibenik-diffuse.pbrt", None, [64, 64, 1024], None);
}

#[test]
fn techniques_agree_on_the_instanced_cubes() {
    // The distant light is for connections only: leave it out of the comparison.
    let Some(folder) = scenes() else { return };
    let mut scene =
        raywarp::scene::load(&folder.join("loader_tests/pbrt/v4_features.pbrt"), &Default::default()).unwrap().scene;
    scene.lights.retain(|light| matches!(light, raywarp::scene::Light::Environment { .. }));
    let mut prepared = raywarp::render::Prepared::new(scene, &Default::default()).unwrap();
    let (both, both_error) = mean(&mut prepared, DirectLight::Both, 64, None);
    let (scattering, error) = mean(&mut prepared, DirectLight::Scattering, 256, None);
    let z = (scattering - both) / error.hypot(both_error);
    assert!(z.abs() < 3.5, "{scattering} +- {error}, both {both} +- {both_error}");
}

#[test]
fn sibenik_has_the_mean_radiance_of_an_independent_renderer() {
    let Some(folder) = scenes() else { return };
    let mut prepared = prepare(&folder.join("checks/sibenik-diffuse.pbrt"), None);
    // Values and their uncertainty from Mitsuba 3.9.1; ours adds its own standard error.
    for (depth, spp, expected, uncertainty) in [(8, 16, 0.03636, 0.005), (1, 24, 0.01889, 0.004)] {
        let request = PictureRequest {
            size: Some([256, 192]),
            max_depth: Some(depth),
            spp: Some(spp),
            sampler: Some(SamplerKind::Xor32),
            ..PictureRequest::default()
        };
        let mean = render(&mut prepared, &request).film.picture_mean();
        let limit = uncertainty * expected + 3.0 * mean.standard_error.unwrap();
        println!("depth {depth}: {} +- {:?}", mean.luminance, mean.standard_error);
        assert!((mean.luminance - expected).abs() < limit, "depth {depth}: {} for {expected}", mean.luminance);
    }
}
