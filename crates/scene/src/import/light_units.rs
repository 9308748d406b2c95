//! Units of a file's lamps beside its glowing surfaces and environments.

use std::fmt;

/// Reading of the numbers of a glTF file's lamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LightUnits {
    /// Radiometric, as the specification has lamps and emission in like units, except where the file's generator is a
    /// release of Blender's exporter that writes something else.
    #[default]
    Auto,
    /// Lux and candela of 683 lumens a watt, beside emission in watts: divided by 683.
    Photometric,
    /// In the units of the file's emission: a candela is one watt per steradian, a lux one watt per square metre.
    Radiometric,
}

/// Reading of a file's lamps, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LampUnits {
    /// Reading that was chosen.
    pub reading: LampReading,
    /// Reason for it, as a clause.
    pub why: String,
}

/// Conversion of lamps' numbers to watts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LampReading {
    /// The numbers are divided by 683 lumens a watt.
    Photometric,
    /// The numbers are taken as they stand.
    Radiometric,
    /// The numbers are watts of a whole lamp: those of points and spots are divided by 4 pi.
    Watts,
}

impl LampReading {
    /// Returns the factor on a lamp's number that gives watts per square metre of suns (`is_sun`), and watts per
    /// steradian of others.
    pub(crate) fn factor(self, is_sun: bool) -> f64 {
        match self {
            Self::Photometric => 1.0 / LUMENS_PER_WATT,
            Self::Watts if !is_sun => 1.0 / SPHERE,
            Self::Radiometric | Self::Watts => 1.0,
        }
    }
}

/// Lumens of a watt of green light, which Blender takes for any.
pub(crate) const LUMENS_PER_WATT: f64 = 683.0;

/// Steradians all around.
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
    use crate::LoadOptions;
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
                assert!(
                    loaded
                        .warnings
                        .iter()
                        .all(|line| line.message.starts_with("the units of lamps are chosen of glTF"))
                );
            }
        }
    }
}
