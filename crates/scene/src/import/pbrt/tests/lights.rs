use super::*;
use crate::{Light, SpotFalloff, Surface};

#[track_caller]
fn light(text: &str) -> Light {
    let scene = clean(&format!("WorldBegin {text}"));
    assert_eq!(scene.lights.len(), 1);
    scene.lights[0].clone()
}

#[test]
fn lights_stand_where_their_transformation_puts_them() {
    assert_eq!(
        light("Translate 0 0 5 LightSource \"point\" \"rgb I\" [1 2 3] \"point from\" [1 0 0] \"rgb scale\" [2 2 2]"),
        Light::Point { position: [1.0, 0.0, 5.0], intensity: [2.0, 4.0, 6.0] }
    );
    let Light::Directional { direction, irradiance } =
        light("Rotate 90 0 0 1 LightSource \"distant\" \"point from\" [2 0 0] \"point to\" [0 0 0] \"rgb L\" [1 2 3]")
    else {
        panic!("not distant")
    };
    near(direction, [0.0, -1.0, 0.0]);
    assert_eq!(irradiance, [1.0, 2.0, 3.0]);
    let Light::Spot { direction, cos_inner, cos_outer, falloff, .. } =
        light("LightSource \"spot\" \"point to\" [0 -4 0] \"float coneangle\" 60 \"float conedeltaangle\" 15")
    else {
        panic!("not a spot")
    };
    near(direction, [0.0, -1.0, 0.0]);
    near([cos_inner, cos_outer, 0.0], [0.5f32.sqrt(), 0.5, 0.0]);
    assert_eq!(falloff, SpotFalloff::Pbrt3);
    assert!(matches!(
        light("ColorSpace \"srgb\" LightSource \"spot\""),
        Light::Spot { falloff: SpotFalloff::Pbrt4, .. }
    ));
}

#[test]
fn emission_colours_come_in_all_types() {
    let intensity = |value: &str| match light(&format!("LightSource \"point\" {value}")) {
        Light::Point { intensity, .. } => intensity,
        other => panic!("{other:?}"),
    };
    assert_eq!(intensity(""), [1.0; 3]);
    assert_eq!(intensity("\"spectrum I\" 3"), [3.0; 3]);
    near(intensity("\"xyz I\" [.9505 1 1.089]").map(|c| (c * 1e3).round() / 1e3), [1.0; 3]);
    let flat = intensity("\"spectrum I\" [300 2 800 2] WorldEnd");
    assert!(flat[0] > flat[1] && flat[1] > flat[2] && (flat[1] - 1.9).abs() < 0.05, "{flat:?}");
    // Version 3: the peak is 1 times the scale. Version 4: luminance is 1.
    let luminance = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    assert!((luminance(intensity("\"blackbody I\" [6500]")) - 1.0).abs() < 1e-3);
    let scaled = luminance(intensity("\"blackbody I\" [6500 10]"));
    assert!(scaled > 8.0 && scaled < 10.0, "{scaled}");
    assert_eq!(intensity("\"spectrum I\" \"stdillum-D65\" \"float scale\" 5"), [5.0; 3]);
}

/// Returns the coordinates `(u, v)` of a world direction in the map, by the formula of [`Light::Environment`].
fn lookup(light: &Light, d: Vec3) -> [f32; 2] {
    let Light::Environment { world_to_map, .. } = light else { panic!("{light:?}") };
    let [x, y, z] = world_to_map.map(|row| Vec3::from(row).dot(d));
    [0.5 + x.atan2(-z) / std::f32::consts::TAU, y.acos() / std::f32::consts::PI]
}

#[test]
fn environment_maps_turn_as_pbrts_do() {
    // pbrt: u = phi / 2pi from +x towards +y, v = theta / pi from +z, in the light's space.
    let path = Path::new("scene.pbrt");
    let mut context = Context::new(path, &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    let mut importer = super::super::state::Importer::new(&mut context, path, false, 0);
    let params = super::super::params::Params::empty(std::rc::Rc::from(path), 1);
    let turns = [
        glam::DAffine3::IDENTITY,
        glam::DAffine3::from_axis_angle(glam::DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1),
        glam::DAffine3::from_scale(glam::DVec3::new(-1.0, 1.0, 1.0)) * glam::DAffine3::from_rotation_x(-1.5),
    ];
    for turn in turns {
        importer.graphics.ctm = super::super::motion::Motion { start: turn, end: turn };
        let world_to_map = importer.world_to_map(&params).unwrap();
        let light = Light::Environment { map: None, radiance: [1.0; 3], world_to_map };
        for d in [[1.0, 0.1, 0.2], [-0.3, 0.8, -0.5], [0.1, -0.9, 0.4], [-0.5, -0.5, 0.7]] {
            let local = Vec3::from(d).normalize();
            let world = turn.transform_vector3(local.as_dvec3()).as_vec3();
            let phi = local.y.atan2(local.x).rem_euclid(std::f32::consts::TAU);
            let want = [phi / std::f32::consts::TAU, local.z.acos() / std::f32::consts::PI];
            let found = lookup(&light, world);
            assert!((found[0] - want[0]).abs() < 1e-5 && (found[1] - want[1]).abs() < 1e-5, "{found:?}, {want:?}");
        }
    }
}

#[test]
fn what_lights_cannot_do_is_said() {
    assert_eq!(light("LightSource \"infinite\" \"rgb L\" [.4 .5 .6]"), Light::uniform_environment([0.4, 0.5, 0.6]));
    warned(
        "WorldBegin LightSource \"goniometric\" \"string mapname\" \"a.exr\"",
        PbrtWarning::LightPicture { kind: "goniometric".into() },
    );
    warned("WorldBegin LightSource \"projection\"", PbrtWarning::LightPicture { kind: "projection".into() });
    warned("WorldBegin LightSource \"laser\"", PbrtWarning::Light { kind: "laser".into() });
    // A parameter of version 4.
    warned("WorldBegin LightSource \"point\" \"float power\" 60 WorldEnd", unused("power", "point lights"));
    warned("WorldBegin LightSource \"infinite\" \"string mapname\" \"a.exr\"", WarningKind::Missing);
}

#[test]
fn area_lights_emit_from_the_shapes_that_follow() {
    let scene = clean(&format!(
        "WorldBegin Material \"matte\" AttributeBegin AreaLightSource \"diffuse\" \"rgb L\" [1 2 3] \"float scale\" 2 \
         \"bool twosided\" true {TRIANGLE} {TRIANGLE} AttributeEnd {TRIANGLE}"
    ));
    let emission = |i: usize| scene.materials[scene.material_of(i, 0).index()].emission;
    let first = emission(0).unwrap();
    assert_eq!((first.radiance.factor, first.two_sided), ([2.0, 4.0, 6.0], true));
    assert_eq!(scene.material_of(0, 0), scene.material_of(1, 0), "one derived material for both");
    assert_eq!(emission(2), None);
    // A light without a surface still is one.
    let scene = clean(&format!("WorldBegin Material \"interface\" AreaLightSource \"diffuse\" {TRIANGLE}"));
    assert!(material(&scene).emission.is_some() && material(&scene).surface != Surface::Invisible);
    // Version 4's defaults for lights.
    let scene =
        clean(&format!("WorldBegin Attribute \"light\" \"float scale\" 3 AreaLightSource \"diffuse\" {TRIANGLE}"));
    assert_eq!(material(&scene).emission.unwrap().radiance.factor, [3.0; 3]);
}

/// Imports a world of version 4 and returns its light.
#[track_caller]
fn light4(text: &str) -> Light {
    light(&format!("ColorSpace \"srgb\" {text}"))
}

fn luminance([r, g, b]: [f32; 3]) -> f32 {
    0.212_673 * r + 0.715_152 * g + 0.072_175 * b
}

#[test]
fn spectra_of_version_4s_lights_have_luminance_1_and_those_of_version_3_their_own() {
    let intensity = |light: Light| match light {
        Light::Point { intensity, .. } | Light::Spot { intensity, .. } => intensity,
        Light::Directional { irradiance, .. } => irradiance,
        Light::Environment { radiance, .. } => radiance,
    };
    for (kind, name) in [("point", "I"), ("spot", "I"), ("distant", "L"), ("infinite", "L")] {
        let text = |kind: &str| format!("LightSource \"{kind}\" \"spectrum {name}\" [300 5 800 5]");
        let color = intensity(light4(&format!("{} \"float scale\" 2", text(kind))));
        // White of equal energy: 1.2048 0.9483 0.9087 at luminance 1.
        assert!((luminance(color) - 2.0).abs() < 2e-3, "{kind}: {color:?}");
        assert!(color.iter().zip([2.41, 1.897, 1.817]).all(|(c, want)| (c - want).abs() < 0.04), "{kind}: {color:?}");
        let color = intensity(light(&format!("{} WorldEnd", text(kind))));
        assert!((luminance(color) - 5.0).abs() < 5e-3, "{kind}: {color:?}");
        // Colours are taken as they are in both.
        assert_eq!(intensity(light4(&format!("LightSource \"{kind}\" \"rgb {name}\" [5 5 5]"))), [5.0; 3], "{kind}");
    }
    // Nothing outside of the samples: as for a band that ends in nothing.
    let of = |samples: &str| intensity(light4(&format!("LightSource \"point\" \"spectrum I\" [{samples}]")));
    near(of("550 1 600 1"), of("549.999 0 550 1 600 1 600.001 0"));
    for unseen in ["900 1 950 1", "550 1"] {
        let text = format!("WorldBegin LightSource \"point\" \"spectrum I\" [{unseen}]");
        assert_eq!(
            intensity(warned(&text, PbrtWarning::InvisibleSpectrum { parameter: "I".into() }).lights[0].clone()),
            [0.0; 3]
        );
    }
    // An area light, too.
    let text = "AreaLightSource \"diffuse\" \"spectrum L\" [300 5 800 5] \"float scale\" 2";
    let scene = clean(&format!("WorldBegin {text} {TRIANGLE}"));
    let color = material(&scene).emission.unwrap().radiance.factor;
    assert!((luminance(color) - 2.0).abs() < 2e-3, "{color:?}");
}

#[test]
fn the_version_is_that_of_the_whole_file() {
    let spot = "LightSource \"spot\"";
    for (after, falloff) in [
        ("", SpotFalloff::Pbrt4),
        ("WorldEnd", SpotFalloff::Pbrt3),
        ("Material \"diffuse\"", SpotFalloff::Pbrt4),
        ("Material \"matte\"", SpotFalloff::Pbrt3),
    ] {
        let Light::Spot { falloff: found, .. } = light(&format!("{spot} {after}")) else { panic!("no spot") };
        assert_eq!(found, falloff, "{after}");
    }
    let mixed = "Film \"image\" WorldBegin Material \"diffuse\" Material \"conductor\" WorldEnd";
    let (what, kind) = ("material", "diffuse".into());
    warned(mixed, PbrtWarning::OtherVersion { what, kind, version: 4, read_as: 3 });
}

#[test]
fn power_and_illuminance_scale_lights_as_version_4_does() {
    use std::f32::consts::PI;
    let close = |found: [f32; 3], want: f32| {
        assert!(found.iter().all(|c| (c / want - 1.0).abs() < 1e-4), "{found:?}, expected {want}");
    };
    let Light::Point { intensity, .. } = light4("LightSource \"point\" \"float power\" 60 \"float scale\" 2") else {
        panic!("no point")
    };
    close(intensity, 120.0 / (4.0 * PI));
    let cone = "\"float coneangle\" 60 \"float conedeltaangle\" 60";
    let Light::Spot { intensity, .. } = light4(&format!("LightSource \"spot\" \"float power\" 60 {cone}")) else {
        panic!("no spot")
    };
    close(intensity, 60.0 / (2.0 * PI * 0.25));
    let Light::Directional { irradiance, .. } =
        light4("LightSource \"distant\" \"rgb L\" [2 2 2] \"float illuminance\" 3")
    else {
        panic!("not distant")
    };
    close(irradiance, 6.0);
    let Light::Environment { radiance, .. } = light4("LightSource \"infinite\" \"float illuminance\" 3") else {
        panic!("not infinite")
    };
    close(radiance, 3.0 / PI);
    // What is not above 0 asks for nothing.
    assert_eq!(light4("LightSource \"point\" \"float power\" -1"), light4("LightSource \"point\""));
}

#[test]
fn the_power_of_area_lights_is_that_of_each_light_that_pbrt_makes() {
    use std::f32::consts::PI;
    let radiance =
        |scene: &Description, i: usize| scene.materials[scene.material_of(i, 0).index()].emission.unwrap().radiance;
    let check = |found: f32, want: f32, tolerance: f32| {
        assert!((found / want - 1.0).abs() < tolerance, "{found}, expected {want}");
    };
    let light = "WorldBegin AreaLightSource \"diffuse\" \"float power\" 6";
    // Two triangles of area 8 each; pbrt makes two lights.
    let quad = "Shape \"trianglemesh\" \"point3 P\" [0 0 0 2 0 0 2 2 0 0 2 0] \"integer indices\" [0 1 2 0 2 3]";
    let scene = clean(&format!("{light} Scale 2 2 1 {quad} Identity {quad}"));
    check(radiance(&scene, 0).factor[0], 6.0 / (8.0 * PI), 1e-5);
    check(radiance(&scene, 1).factor[0], 6.0 / (2.0 * PI), 1e-5);
    let scene = clean(&format!("{light} \"bool twosided\" true \"rgb L\" [0 2 0] {quad}"));
    assert_eq!(radiance(&scene, 0).factor[0], 0.0);
    check(radiance(&scene, 0).factor[1], 2.0 * 6.0 / (2.0 * 2.0 * PI), 1e-5);
    let patch = "Shape \"bilinearmesh\" \"point3 P\" [0 0 0 2 0 0 0 2 0 2 2 0]";
    check(radiance(&clean(&format!("{light} {patch}")), 0).factor[0], 6.0 / (4.0 * PI), 1e-5);
    let scene = clean(&format!("{light} Shape \"sphere\" \"float radius\" 2 Shape \"sphere\""));
    check(radiance(&scene, 0).factor[0], 6.0 / (16.0 * PI * PI), 1e-3);
    check(radiance(&scene, 1).factor[0], 6.0 / (4.0 * PI * PI), 1e-3);
    // The second triangle is half of the first.
    let uneven =
        "Shape \"trianglemesh\" \"point3 P\" [0 0 0 2 0 0 2 2 0 1 1 0 0 2 0] \"integer indices\" [0 1 2 0 3 4]";
    let scene = warned(&format!("{light} {uneven}"), PbrtWarning::SharedPower { lights: 2 });
    check(radiance(&scene, 0).factor[0], 12.0 / (3.0 * PI), 1e-5);
}

#[test]
fn area_lights_in_objects_light_nothing() {
    let object = format!(
        "ObjectBegin \"o\" AreaLightSource \"diffuse\" {TRIANGLE} {TRIANGLE} ObjectEnd ObjectInstance \"o\" \
         AreaLightSource \"diffuse\" {TRIANGLE}"
    );
    for (version, shown_bright) in [("ColorSpace \"srgb\"", false), ("Film \"image\"", true)] {
        let scene = warned(&format!("{version} WorldBegin {object}"), PbrtWarning::LightInObject { shown_bright });
        let emits = |i: usize| scene.materials[scene.material_of(i, 0).index()].emission.is_some();
        assert_eq!([0, 1, 2].map(emits), [false, false, true]);
    }
}

#[test]
fn an_area_light_of_alpha_0_is_said_once() {
    let shape = |alpha: &str| TRIANGLE.replace('\n', &format!(" {alpha}\n"));
    let light = "AreaLightSource \"diffuse\"";
    let constant = "Texture \"none\" \"float\" \"constant\" \"float value\" 0";
    for version in ["ColorSpace \"srgb\"", "Film \"image\""] {
        for alpha in ["\"float alpha\" 0", "\"texture alpha\" \"none\""] {
            let shape = shape(alpha);
            warned(&format!("{version} WorldBegin {constant} {light} {shape} {shape}"), PbrtWarning::ClearLight);
            clean(&format!("{version} WorldBegin {constant} {shape}"));
            clean(&format!("{version} WorldBegin {constant} {light} \"rgb L\" [0 0 0] {shape}"));
        }
        clean(&format!("{version} WorldBegin {light} {}", shape("\"float alpha\" 0.5")));
    }
}

#[test]
fn what_version_4_refuses_of_an_environment_is_said() {
    let light = "Film \"rgb\"\nWorldBegin\nLightSource \"infinite\" \"string filename\" \"a.png\"";
    let (_, warnings) = import(&format!("{light} \"rgb L\" [1 2 3]\n{TRIANGLE}")).unwrap();
    let both = WarningKind::from(PbrtWarning::RadianceBesideFile);
    assert!(warnings.contains(&both), "{warnings:?}");
    let (_, warnings) = import(&format!("{light}\n{TRIANGLE}")).unwrap();
    assert!(!warnings.contains(&both), "{warnings:?}");
}

#[test]
fn lights_below_0_are_said() {
    for (light, color) in [
        ("LightSource \"point\" \"rgb I\" [1 -2 3]", [1.0, -2.0, 3.0]),
        ("LightSource \"infinite\" \"rgb L\" [1 1 1] \"rgb scale\" [1 -1 1]", [1.0, -1.0, 1.0]),
        ("AreaLightSource \"diffuse\" \"rgb L\" [0 0 -1]", [0.0, 0.0, -1.0]),
    ] {
        warned(&format!("WorldBegin\n{light}\n{TRIANGLE}"), PbrtWarning::NegativeLight { color });
    }
}
