//! Meaning of the numbers of a document's lamps, by who wrote it and by the numbers themselves.
//!
//! Source: io_scene_gltf2, `blender/exp/lights.py` and its forebears, and files of the releases in
//! docs/reference/formats-gltf.md. Blender holds a lamp's watts as a float32 and writes a double, so what it multiplied
//! with shows: undone, a float32 comes out. A double that is none does so by chance once in some hundred thousand
//! times.

use super::json::{DocumentJson, LightJson};
use crate::import::light_units::{LUMENS_PER_WATT, SPHERE};
use crate::import::{LampReading, LampUnits, LampUnitsReason, LightUnits};

/// Prefix of the name of Blender's exporter in `asset.generator`, before its version.
const BLENDER: &str = "Khronos glTF Blender I/O v";

/// First version of Blender's exporter, that of Blender 3.4, that multiplies intensities by 683 unless it is told not
/// to.
const FIRST_PHOTOMETRIC: [u64; 3] = [3, 4, 39];

/// Names of the light types that are supported.
const KINDS: [&str; 3] = ["point", "spot", "directional"];

/// Decides the units of the lights' intensities, and returns what to tell the user about them. Nothing is said where
/// the specification is followed unasked.
pub fn read(document: &DocumentJson, asked: LightUnits) -> (LampReading, Option<LampUnits>) {
    let all = document.extensions.lights.as_ref().map_or(&[][..], |l| &l.lights);
    // Of others nothing is read, and their numbers tell nothing.
    let lights: Vec<&LightJson> = all.iter().filter(|light| KINDS.contains(&&*light.kind)).collect();
    let said = |reading, why| (reading, (!lights.is_empty()).then_some(LampUnits { reading, why }));
    match asked {
        LightUnits::Photometric => said(LampReading::Photometric, LampUnitsReason::AskedPhotometric),
        LightUnits::Radiometric => said(LampReading::Radiometric, LampUnitsReason::AskedRadiometric),
        LightUnits::Auto => {
            let generator = document.asset.generator.as_deref().unwrap_or("");
            let Some(version) = blender_version(generator) else { return (LampReading::Radiometric, None) };
            // Where no lamp has a number that it wrote, the specification's stands.
            if lights.iter().all(|light| light.intensity.is_none_or(|number| number.0 == 0.0)) {
                return (LampReading::Radiometric, None);
            }
            if version < FIRST_PHOTOMETRIC {
                return said(LampReading::Watts, LampUnitsReason::EarlyBlender { generator: generator.into() });
            }
            let (reading, why) = mode(&lights, generator.into());
            said(reading, why)
        }
    }
}

/// Returns `true` if Blender's exporter wrote the document.
pub fn is_blenders(document: &DocumentJson) -> bool {
    document.asset.generator.as_deref().and_then(blender_version).is_some()
}

/// Returns the version of Blender's exporter in the text `generator`, if that names it.
fn blender_version(generator: &str) -> Option<[u64; 3]> {
    let mut parts = generator.strip_prefix(BLENDER)?.split(|c: char| !c.is_ascii_digit());
    let mut part = || parts.next()?.parse().ok();
    Some([part()?, part()?, part().unwrap_or(0)])
}

/// Guesses from the numbers in which of the three lighting modes Blender exported these lights, and returns the reason.
/// Most people have the first, and it is taken where the numbers fit none.
fn mode(lights: &[&LightJson], generator: String) -> (LampReading, LampUnitsReason) {
    let numbers = || {
        let lamps = lights.iter().filter_map(|light| Some((light.kind == "directional", light.intensity?.0)));
        lamps.filter(|&(_, number)| number != 0.0)
    };
    let sphere = |is_sun: bool| if is_sun { 1.0 } else { SPHERE };
    let (mut suns, mut others) = (numbers().filter(|l| l.0), numbers().filter(|l| !l.0));
    if numbers().any(|(is_sun, number)| is_single(number * sphere(is_sun) / LUMENS_PER_WATT)) {
        (LampReading::Photometric, LampUnitsReason::Usual { generator })
    } else if others.clone().any(|(_, number)| is_single(number * SPHERE)) {
        (LampReading::Radiometric, LampUnitsReason::Unitless { generator })
    } else if others.any(|(_, number)| is_single(number)) {
        (LampReading::Watts, LampUnitsReason::Raw { generator })
    } else if suns.any(|(_, number)| is_single(number)) {
        (LampReading::Radiometric, LampUnitsReason::UnitlessOrRaw { generator })
    } else {
        (LampReading::Photometric, LampUnitsReason::NoneFits { generator })
    }
}

/// Returns `true` if a number was a float32 before it went through a few roundings of f64.
fn is_single(number: f64) -> bool {
    let single = f64::from(number as f32);
    (number - single).abs() <= 1e-14 * single.abs()
}
