//! Units of a file's lamps beside its glowing surfaces and environments.

use std::fmt;

/// Units in which the intensities of a glTF file's lights are taken, as the user chooses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LightUnits {
    /// Automatic choice: radiometric units, except for files of those Blender releases that write others. The
    /// specification has lamps and emission in like units.
    #[default]
    Auto,
    /// Photometric units, lux and candela, of 683 lumens per watt: intensities are divided by 683.
    Photometric,
    /// Radiometric units: a candela counts as one watt per steradian, a lux as one watt per square metre. These are the
    /// units of the file's emission.
    Radiometric,
}

/// Units in which a file's light intensities were taken, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LampUnits {
    /// Conversion that was chosen.
    pub reading: LampReading,
    /// Reason for the choice.
    pub why: LampUnitsReason,
}

/// Reason why a file's light intensities are taken in their units, written as a clause. `generator` is the program that
/// wrote the file, as the file names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LampUnitsReason {
    /// The user chose photometric units.
    #[error("`LoadOptions::light_units` photometric")]
    AskedPhotometric,
    /// The user chose radiometric units.
    #[error("`LoadOptions::light_units` radiometric")]
    AskedRadiometric,
    /// Blender's early exporters wrote the watts of a whole lamp.
    #[error("{generator} writes the watts of a whole lamp")]
    EarlyBlender {
        /// Name and version of the exporter.
        generator: String,
    },
    /// The numbers are those of Blender's usual lighting mode.
    #[error("{generator} writes 683 lux for 1 W/m2, and the numbers are such")]
    Usual {
        /// Name and version of the exporter.
        generator: String,
    },
    /// The numbers are those of Blender's lighting mode Unitless.
    #[error("{generator} wrote them in its lighting mode Unitless, as the numbers show")]
    Unitless {
        /// Name and version of the exporter.
        generator: String,
    },
    /// The numbers are those of Blender's lighting mode Raw.
    #[error("{generator} wrote them in its lighting mode Raw, as the numbers show")]
    Raw {
        /// Name and version of the exporter.
        generator: String,
    },
    /// The numbers are those of suns in Blender's lighting modes Unitless and Raw, which are the same.
    #[error("{generator} wrote them in its lighting mode Unitless or Raw, as the numbers show")]
    UnitlessOrRaw {
        /// Name and version of the exporter.
        generator: String,
    },
    /// The numbers fit none of Blender's lighting modes, and the usual one is taken.
    #[error("{generator} writes 683 lux for 1 W/m2")]
    NoneFits {
        /// Name and version of the exporter.
        generator: String,
    },
}

/// Conversion of the intensities of lights in a file to radiometric units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LampReading {
    /// Intensities are divided by 683 lumens per watt.
    Photometric,
    /// Intensities are taken unchanged.
    Radiometric,
    /// Intensities are total watts of a light: those of point and spot lights are divided by 4 pi.
    Watts,
}

impl LampReading {
    /// Returns the factor that converts an intensity to watts per square metre for suns (`is_sun`), or watts per
    /// steradian for other lights.
    pub(crate) fn factor(self, is_sun: bool) -> f64 {
        match self {
            Self::Photometric => 1.0 / LUMENS_PER_WATT,
            Self::Watts if !is_sun => 1.0 / SPHERE,
            Self::Radiometric | Self::Watts => 1.0,
        }
    }
}

/// Lumens per watt of green light, which Blender uses for any colour.
pub(crate) const LUMENS_PER_WATT: f64 = 683.0;

/// Solid angle of the whole sphere in steradians.
pub(crate) const SPHERE: f64 = 4.0 * std::f64::consts::PI;

impl fmt::Display for LampUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reading {
            LampReading::Photometric => write!(f, "lamps are photometric (divided by 683 lumens a watt): {}", self.why),
            LampReading::Radiometric => write!(f, "lamps are radiometric (taken as they stand): {}", self.why),
            LampReading::Watts => {
                write!(f, "lamps are in watts (points and spots divided by 4 pi): {}", self.why)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, WarningKind};
    use std::path::Path;

    #[test]
    fn formats_without_a_choice_of_units_say_so() {
        for (name, text) in [
            ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
            ("a.pbrt", "WorldBegin\nShape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n"),
        ] {
            for (units, said) in [(LightUnits::Auto, 0), (LightUnits::Photometric, 1), (LightUnits::Radiometric, 1)] {
                let options = LoadOptions { light_units: units, ..LoadOptions::default() };
                let loaded = crate::load_from(text.as_bytes(), Path::new(name), &options).unwrap();
                assert_eq!(loaded.warnings.len(), said, "{name}: {:?}", loaded.warnings);
                assert!(loaded.warnings.iter().all(|warning| warning.kind == WarningKind::LampUnitsOfOther));
            }
        }
    }
}
