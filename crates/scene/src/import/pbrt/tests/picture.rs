use super::*;
use crate::{FilterKind, FovAxis, Projection, SamplerKind};

fn settings(text: &str) -> crate::Settings {
    clean(&format!("{text} WorldBegin")).settings
}

#[test]
fn a_silent_file_asks_for_nothing() {
    assert_eq!(settings(""), crate::Settings::default());
    assert!(clean("WorldBegin").cameras.is_empty());
}

#[test]
fn film_sampler_and_integrator_set_what_they_say() {
    let found = settings(
        "Film \"image\" \"integer xresolution\" [70] \"integer yresolution\" 50 \"float scale\" 6 \"string filename\" \"a.exr\"\n\
         Sampler \"halton\" \"integer pixelsamples\" 8 Integrator \"path\" \"integer maxdepth\" [9]",
    );
    assert_eq!(found.size, Some([70, 50]));
    assert_eq!(found.exposure, Some(6.0));
    assert_eq!((found.output.as_deref(), settings("Film \"image\"").output), (Some("a.exr"), None));
    assert_eq!((found.spp, found.max_depth, found.sampler), (Some(8), Some(9), Some(SamplerKind::PaddedHalton)));
    assert_eq!(settings("Film \"image\"").size, Some([640, 480]));
    assert_eq!(settings("Film \"rgb\" \"float iso\" 200").size, Some([1280, 720]));
    assert_eq!(settings("Film \"rgb\" \"float iso\" 200").exposure, Some(2.0));
    assert_eq!(settings("Integrator \"volpath\"").max_depth, Some(5));
    assert_eq!(settings("Sampler \"stratified\" \"integer xsamples\" 3 \"integer ysamples\" 2").spp, Some(6));
    for (name, kind) in
        [("zsobol", SamplerKind::Sobol), ("independent", SamplerKind::Xor32), ("random", SamplerKind::Xor32)]
    {
        assert_eq!(settings(&format!("Sampler \"{name}\"")).sampler, Some(kind));
    }
    warned("Integrator \"bdpt\" WorldBegin", PbrtWarning::Integrator { kind: "bdpt".into() });
    warned(
        "Film \"rgb\" \"string sensor\" \"canon_eos_100d\" WorldBegin",
        PbrtWarning::Sensor { name: "canon_eos_100d".into() },
    );
}

#[test]
fn filters_have_the_defaults_of_their_version() {
    let filter = |text: &str| settings(text).filter;
    assert_eq!(filter("PixelFilter \"box\""), Some(FilterKind::Box { radius: 0.5 }));
    assert_eq!(filter("PixelFilter \"triangle\""), Some(FilterKind::Triangle { radius: 2.0 }));
    assert_eq!(
        filter("PixelFilter \"triangle\" \"float xwidth\" 1 \"float ywidth\" 1"),
        Some(FilterKind::Triangle { radius: 1.0 })
    );
    assert_eq!(
        filter("PixelFilter \"gaussian\" Film \"image\""),
        Some(FilterKind::Gaussian { radius: 2.0, sigma: 0.5 })
    );
    assert_eq!(filter("PixelFilter \"gaussian\" Film \"rgb\""), Some(FilterKind::Gaussian { radius: 1.5, sigma: 0.5 }));
    assert_eq!(
        filter("PixelFilter \"gaussian\" \"float alpha\" 8"),
        Some(FilterKind::Gaussian { radius: 2.0, sigma: 0.25 })
    );
    let thirds = 1.0 / 3.0;
    assert_eq!(filter("PixelFilter \"mitchell\""), Some(FilterKind::Mitchell { radius: 2.0, b: thirds, c: thirds }));
    warned("PixelFilter \"sinc\" WorldBegin", PbrtWarning::Filter { kind: "sinc".into() });
    warned("PixelFilter \"box\" \"float xradius\" 1 WorldBegin", PbrtWarning::FilterRadii);
}

#[test]
fn cameras_keep_field_of_view_lens_and_handedness() {
    let camera = |text: &str| clean(&format!("{text} WorldBegin")).cameras.remove(0);
    let plain = camera("Camera \"perspective\"");
    assert_eq!(plain.projection, Projection::Perspective { fov: 90.0, axis: FovAxis::Shorter });
    assert_eq!(plain.lens_radius, 0.0);
    near(plain.right, [1.0, 0.0, 0.0]);
    near(plain.forward, [0.0, 0.0, 1.0]);
    near(camera("Scale -1 1 1 Camera \"perspective\"").right, [-1.0, 0.0, 0.0]);
    // Camera units are scene units over the scale.
    let lens = camera("Scale .5 .5 .5 Camera \"perspective\" \"float lensradius\" 3 \"float focaldistance\" 7");
    assert_eq!((lens.lens_radius, lens.focal_distance), (6.0, 14.0));
    // Half of the screen's height is half of the tangent.
    let window = camera("Camera \"perspective\" \"float fov\" 90 \"float screenwindow\" [-1 1 -.5 .5]");
    let Projection::Perspective { fov, axis: FovAxis::Vertical } = window.projection else { panic!("{window:?}") };
    assert!((fov - 2.0 * 0.5f32.atan().to_degrees()).abs() < 1e-4);
    for (film, want) in [("[200] \"integer yresolution\" [100]", 1.0), ("[100] \"integer yresolution\" [200]", 2.0)] {
        let text = format!("Camera \"orthographic\" Film \"image\" \"integer xresolution\" {film}");
        assert_eq!(camera(&text).projection, Projection::Orthographic { half_height: want });
    }
    warned("Camera \"realistic\" \"string lensfile\" \"a.dat\" WorldBegin", PbrtWarning::RealisticCamera);
    warned("Camera \"environment\" WorldBegin", PbrtWarning::Camera { kind: "environment".into() });
    warned("Camera \"perspective\" \"float screenwindow\" [-1 3 -1 1] WorldBegin", PbrtWarning::ScreenWindow);
    warned("Scale 1 2 1 Camera \"perspective\" WorldBegin", PbrtWarning::StretchedCamera);
}

#[test]
fn options_of_version_4_are_accepted() {
    clean("ColorSpace \"srgb\" Accelerator \"bvh\" \"integer maxnodeprims\" 4 WorldBegin");
    warned("ColorSpace \"rec2020\" WorldBegin", PbrtWarning::ColorSpace { name: "rec2020".into() });
    warned(
        "Option \"bool disablepixeljitter\" true WorldBegin",
        PbrtWarning::Option { name: "disablepixeljitter".into() },
    );
}

#[test]
fn parts_of_the_picture_are_shares_of_its_size() {
    let film = |rest: &str| format!("Film \"rgb\" \"integer xresolution\" 100 \"integer yresolution\" 50 {rest}");
    let crop = |rest: &str| settings(&film(rest)).crop;
    assert_eq!(crop(""), None);
    assert_eq!(crop("\"float cropwindow\" [0 1 0 1]"), None);
    assert_eq!(crop("\"float cropwindow\" [.75 .5 0 .5]"), Some([0.5, 0.75, 0.0, 0.5]));
    assert_eq!(crop("\"integer pixelbounds\" [10 60 5 50]"), Some([0.1, 0.6, 0.1, 1.0]));
    // Both, and the integrator's, wherever that stands.
    let text = "Integrator \"path\" \"integer pixelbounds\" [0 20 0 50]";
    assert_eq!(crop(&format!("\"float cropwindow\" [.1 .5 0 .5] {text}")), Some([0.1, 0.2, 0.0, 0.5]));
    assert_eq!(settings(&format!("{text} {}", film(""))).crop, Some([0.0, 0.2, 0.0, 1.0]));
    let nothing = format!("{} WorldBegin", film("\"float cropwindow\" [.5 .5 0 1]"));
    assert_eq!(warned(&nothing, PbrtWarning::NoPixels).settings.crop, None);
}

#[test]
fn version_4s_film_is_as_bright_as_the_shutter_is_open_long() {
    let exposure = |text: &str| settings(text).exposure;
    let shutter = "Camera \"perspective\" \"float shutteropen\" .25 \"float shutterclose\" .75";
    assert_eq!(exposure(&format!("Film \"rgb\" \"float iso\" 200 {shutter}")), Some(1.0));
    assert_eq!(exposure(&format!("Film \"rgb\" {shutter}")), Some(0.5));
    assert_eq!(exposure(&format!("Film \"image\" {shutter}")), None);
}

#[test]
fn parameters_of_attribute_that_nothing_takes_are_named() {
    let attribute = "WorldBegin Attribute \"shape\" \"float radius\" 2";
    let idle = PbrtWarning::IdleAttribute { name: "radius".into(), target: "shape".into() };
    warned(&format!("{attribute} {TRIANGLE}"), idle);
    clean(&format!("{attribute} {TRIANGLE} Shape \"sphere\""));
}
