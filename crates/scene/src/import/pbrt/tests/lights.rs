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
    let flat = intensity("\"spectrum I\" [300 2 800 2]");
    assert!(flat[0] > flat[1] && flat[1] > flat[2] && (flat[1] - 1.9).abs() < 0.05, "{flat:?}");
    // Version 3: the peak is 1 times the scale. Version 4: luminance is 1.
    let luminance = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    assert!((luminance(intensity("\"blackbody I\" [6500]")) - 1.0).abs() < 1e-3);
    let scaled = luminance(intensity("\"blackbody I\" [6500 10]"));
    assert!(scaled > 8.0 && scaled < 10.0, "{scaled}");
    assert_eq!(intensity("\"spectrum I\" \"stdillum-D65\" \"float scale\" 5"), [5.0; 3]);
}

/// Where a direction of the world is in the map: `(u, v)` by the formula of [`Light::Environment`].
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
    warned("WorldBegin LightSource \"goniometric\" \"string mapname\" \"a.exr\"", "goniometric");
    warned("WorldBegin LightSource \"projection\"", "projection");
    warned("WorldBegin LightSource \"laser\"", "\"laser\" is not supported");
    warned("WorldBegin LightSource \"point\" \"float power\" 60", "\"power\"");
    warned("WorldBegin LightSource \"infinite\" \"string mapname\" \"a.exr\"", "missing");
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
