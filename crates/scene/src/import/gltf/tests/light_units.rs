//! Numbers as releases of Blender wrote them for a sun of 1 W/m2, and a point and a spot of 100 W.

use super::{External, Path, Value, import_bytes, json};
use crate::import::{Context, LampReading, LampUnits, LampUnitsReason, LightUnits, LoadOptions};
use crate::{Description, Light, SpotFalloff};

const RADIANT: [f32; 3] = [1.0, 7.957_747, 7.957_747];
const MODERN: [&str; 8] = ["3.4.50", "4.2.57", "4.3.47", "4.4.55", "4.5.51", "5.0.21", "5.2.41", "5.3.43"];

fn document(generator: &str, numbers: [f64; 3]) -> Value {
    let node = |light: usize| json!({"extensions": {"KHR_lights_punctual": {"light": light}}});
    let mut document = super::triangle(json!({
        "scenes": [{"nodes": [0, 1, 2]}], "nodes": [node(0), node(1), node(2)],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "directional", "intensity": numbers[0]}, {"type": "point", "intensity": numbers[1]},
            {"type": "spot", "intensity": numbers[2]}]}}}));
    document["asset"]["generator"] = json!(generator);
    document
}

fn read(document: &Value, light_units: LightUnits) -> ([f32; 3], Option<LampUnits>) {
    let path = Path::new("test.gltf");
    let options = LoadOptions { light_units, ..LoadOptions::default() };
    let mut context = Context::new(path, &options);
    let scene: Description =
        import_bytes(path, document.to_string().as_bytes(), External::Missing, &mut context).unwrap();
    let strength = |light: &Light| match light {
        Light::Directional { irradiance, .. } => irradiance[0],
        Light::Point { intensity, .. } | Light::Spot { intensity, .. } => intensity[0],
        other => panic!("{other:?}"),
    };
    let [sun, point, spot] = &scene.lights[..] else { panic!("{:?}", scene.lights) };
    ([strength(sun), strength(point), strength(spot)], context.lamp_units.take())
}

/// Reason that names the program which wrote a file.
type Because = fn(String) -> LampUnitsReason;
const USUAL: Because = |generator| LampUnitsReason::Usual { generator };
const UNITLESS: Because = |generator| LampUnitsReason::Unitless { generator };
const RAW: Because = |generator| LampUnitsReason::Raw { generator };
const NONE_FITS: Because = |generator| LampUnitsReason::NoneFits { generator };
const EARLY: Because = |generator| LampUnitsReason::EarlyBlender { generator };

#[track_caller]
fn check(version: &str, numbers: [f64; 3], want: [f32; 3], reading: LampReading, why: Because) {
    let generator = format!("Khronos glTF Blender I/O v{version}");
    let (got, said) = read(&document(&generator, numbers), LightUnits::Auto);
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-6 * w), "{version}: {got:?}, not {want:?}");
    assert_eq!(said, Some(LampUnits { reading, why: why(generator) }), "{version}");
}

#[test]
fn lamps_of_blender_are_divided_by_683() {
    for version in MODERN {
        check(version, [683.0, 5_435.141_306_588_225, 5_435.141_306_588_225], RADIANT, LampReading::Photometric, USUAL);
    }
}

#[test]
fn numbers_tell_the_other_lighting_modes_of_blender() {
    for version in MODERN {
        let unitless = 7.957_747_154_594_767;
        check(version, [1.0, unitless, unitless], RADIANT, LampReading::Radiometric, UNITLESS);
        check(version, [1.0, 100.0, 100.0], RADIANT, LampReading::Watts, RAW);
    }
    // Watts that are not round in decimals are single precision all the same: 57.3 W, and a sun of 3.14159.
    let (watts, sun) = (f64::from(57.3_f32), f64::from(std::f32::consts::PI));
    let candela = watts / (4.0 * std::f64::consts::PI);
    let want = [sun as f32, candela as f32, candela as f32];
    check("4.2.57", [sun * 683.0, candela * 683.0, candela * 683.0], want, LampReading::Photometric, USUAL);
    check("4.2.57", [sun, candela, candela], want, LampReading::Radiometric, UNITLESS);
    check("4.2.57", [sun, watts, watts], want, LampReading::Watts, RAW);
    // A lamp that is off says nothing; exposure of a lamp, a power of two that is not whole, leaves what is usual.
    check("5.3.43", [0.0, unit(100.0), 0.0], [0.0, 7.957_747, 0.0], LampReading::Photometric, USUAL);
    let odd = unit(100.0) * 1.5_f64.exp2() * 1.000_000_01;
    check("5.3.43", [odd, odd, odd], [(odd / 683.0) as f32; 3], LampReading::Photometric, NONE_FITS);
}

/// Returns the candelas that Blender writes for a point light of `watts`.
fn unit(watts: f64) -> f64 {
    watts / (4.0 * std::f64::consts::PI) * 683.0
}

#[test]
fn lamps_without_a_number_and_those_of_unknown_types_tell_nothing() {
    for version in ["3.3.35", "4.2.57"] {
        let mut bare = document(&format!("Khronos glTF Blender I/O v{version}"), [0.0; 3]);
        assert_eq!(read(&bare, LightUnits::Auto), ([0.0; 3], None));
        let lights = &mut bare["extensions"]["KHR_lights_punctual"]["lights"];
        for i in 0..3 {
            lights[i].as_object_mut().unwrap().remove("intensity");
        }
        assert_eq!(read(&bare, LightUnits::Auto), ([1.0; 3], None));
        // Beside one that is known, the other is not asked.
        let numbers = [unit(100.0); 3];
        let mut odd = document(&format!("Khronos glTF Blender I/O v{version}"), numbers);
        let lights = &mut odd["extensions"]["KHR_lights_punctual"]["lights"];
        let unknown = json!({"type": "area", "intensity": 100.0});
        lights.as_array_mut().unwrap().insert(0, unknown);
        for i in 0..3 {
            odd["nodes"][i]["extensions"]["KHR_lights_punctual"]["light"] = json!(i + 1);
        }
        let (_, said) = read(&odd, LightUnits::Auto);
        let is_raw = |units: &LampUnits| matches!(units.why, LampUnitsReason::Raw { .. });
        assert!(said.is_some_and(|units| !is_raw(&units)), "{version}");
    }
}

#[test]
fn releases_before_3_4_wrote_the_watts_of_a_lamp() {
    for version in ["1.0.5", "1.6.16", "3.3.35", "3.4.7"] {
        check(version, [1.0, 100.0, 100.0], RADIANT, LampReading::Watts, EARLY);
    }
}

#[test]
fn lamps_of_others_are_the_specification_s_and_nothing_is_said() {
    let numbers = [683.0, 5_435.141_306_588_225, 100.0];
    let plain = numbers.map(|n| n as f32);
    for generator in ["", "THREE.GLTFExporter r170", "Khronos Blender glTF 2.0 I/O", "glTF-Transform v4.2.1"] {
        assert_eq!(read(&document(generator, numbers), LightUnits::Auto), (plain, None), "{generator}");
    }
}

#[test]
fn asking_decides_for_any_file() {
    let numbers = [683.0, 1366.0, 68.3];
    for generator in ["", "Khronos glTF Blender I/O v4.2.57"] {
        let (strengths, said) = read(&document(generator, numbers), LightUnits::Photometric);
        assert_eq!(strengths, [1.0, 2.0, 0.1]);
        let asked = |reading, why| Some(LampUnits { reading, why });
        assert_eq!(said, asked(LampReading::Photometric, LampUnitsReason::AskedPhotometric));
        let (strengths, said) = read(&document(generator, numbers), LightUnits::Radiometric);
        assert_eq!(strengths, numbers.map(|n| n as f32));
        assert_eq!(said, asked(LampReading::Radiometric, LampUnitsReason::AskedRadiometric));
    }
}

#[test]
fn spots_of_blender_fade_as_in_blender() {
    // 45 degrees across, with blends of 0.15 (as releases write it), 0 and 1.
    let outer = std::f32::consts::FRAC_PI_8;
    let full = |generator: &str, inner: f64| {
        let mut document = document(generator, [683.0; 3]);
        document["extensions"]["KHR_lights_punctual"]["lights"][2]["spot"] =
            json!({"innerConeAngle": inner, "outerConeAngle": 0.392_699_092_626_571_66});
        let (scene, _) = super::import(&document).unwrap();
        let Light::Spot { cos_inner, cos_outer, falloff, .. } = scene.lights[2] else { panic!("{:?}", scene.lights) };
        assert!((cos_outer - outer.cos()).abs() < 1e-6);
        (cos_inner, falloff)
    };
    for (inner, blend) in [(0.333_794_226_391_916_9, 0.15), (0.392_699_092_626_571_66, 0.0), (0.0, 1.0)] {
        let (cos_inner, falloff) = full("Khronos glTF Blender I/O v4.2.57", inner);
        let want = outer.cos() + (1.0 - outer.cos()) * blend;
        assert!(falloff == SpotFalloff::Pbrt4 && (cos_inner - want).abs() < 1e-6, "{blend}: {cos_inner}, not {want}");
        assert_eq!(full("", inner), ((inner as f32).cos(), SpotFalloff::Gltf));
    }
}
