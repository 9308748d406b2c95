//! Lights that are near to what they light: connections only, scattering only and both together estimate one picture.

use crate::common::render;
use raywarp::device::Plan;
use raywarp::render::{DirectLight, PictureRequest, Prepared};
use raywarp::scene::{LoadOptions, SamplerKind, load_from};

const FLOOR: &str = "AttributeBegin Material \"diffuse\" \"rgb reflectance\" [.6 .6 .6] \
     Shape \"bilinearmesh\" \"point3 P\" [-9 -9 0  9 -9 0  -9 9 0  9 9 0] AttributeEnd\n";

/// Mean luminance and its standard error, with independent random numbers, of a floor that `light` shines on.
fn mean(text: &str, direct: DirectLight, spp: u32) -> (f64, f64) {
    let text = format!(
        "LookAt 2 -3 3  0 0 0  0 0 1 Camera \"perspective\" \"float fov\" 40\nWorldBegin\n{FLOOR}\
         Material \"diffuse\" \"rgb reflectance\" [.3 .3 .3]\n{text}\n"
    );
    let path = std::path::Path::new("light.pbrt");
    let scene = load_from(text.as_bytes(), path, &LoadOptions::default()).unwrap().scene;
    let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
    let request = PictureRequest {
        size: Some([24, 16]),
        spp: Some(spp),
        max_depth: Some(3),
        sampler: Some(SamplerKind::Xor32),
        seed: 1 + direct as u32,
        direct,
        ..PictureRequest::default()
    };
    let mean = render(&mut prepared, &request).film.picture_mean();
    (mean.luminance, mean.standard_error.unwrap())
}

/// z-test of each technique alone against both together. With 2 x 9 comparisons 3.5 standard errors are passed by
/// chance in one of 120 seeds; the seeds are fixed.
#[track_caller]
fn check(light: &str) {
    let text = format!("AreaLightSource \"diffuse\" \"rgb L\" [1 1 1] {light}");
    let (both, both_error) = mean(&text, DirectLight::Both, 256);
    assert!(both_error < 0.02 * both, "{light}: too noisy to say anything");
    for (direct, spp) in [(DirectLight::Lights, 256), (DirectLight::Scattering, 512)] {
        let (single, error) = mean(&text, direct, spp);
        let z = (single - both) / error.hypot(both_error);
        println!("{light} {direct:?}: {single:.5} +- {error:.5}, both {both:.5} +- {both_error:.5}, z {z:.2}");
        assert!(z.abs() < 3.5, "{light}, {direct:?}: {single} +- {error}, both {both} +- {both_error}");
        assert!(error < 0.1 * single, "{light}, {direct:?}: too noisy to say anything");
    }
}

#[test]
fn techniques_agree_under_balls() {
    check("Translate 0 0 0.51 Shape \"sphere\" \"float radius\" 0.5");
    check("Translate 0.5 0 5 Shape \"sphere\" \"float radius\" 1.5");
    // Sunk into the floor, so that some of it lies below.
    check("Translate 0 0 0.2 Rotate 50 1 2 3 Shape \"sphere\" \"float radius\" 0.5");
    // All inside of a glowing ball.
    check("ReverseOrientation Shape \"sphere\" \"float radius\" 20");
}

#[test]
fn techniques_agree_under_disks() {
    check("Translate 0 0 0.5 Rotate 180 1 0 0 Shape \"disk\" \"float radius\" 1");
    // On its rim, and a wide ellipse.
    check("Translate 0 1 1 Rotate 90 1 0 0 Shape \"disk\" \"float radius\" 1");
    check("Translate 0 0 2 Scale 4 1 -1 Shape \"disk\" \"float radius\" 1");
}

#[test]
fn techniques_agree_under_triangles_and_parallelograms() {
    check(
        "ReverseOrientation Shape \"trianglemesh\" \"point3 P\" [-1 -1 .2  1 -1 .3  0 1 .1] \"integer indices\" [0 1 2]",
    );
    check("Shape \"bilinearmesh\" \"point3 P\" [-1 1 .001  -1 1 1.2  1 1.5 .001  1 1.5 1.2] \"float alpha\" 0.7");
}
