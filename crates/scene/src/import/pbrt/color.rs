//! Colours in parameters: `rgb`, `xyz`, `blackbody`, spectra by samples, by name and from files.

use super::params::{Kind, Parameter, Params, Values};
use super::spectrum::{self, Samples};
use super::state::{Importer, Version};
use crate::import::text;
use crate::{ColorInput, FaultKind, ImportError, ParameterFault, PbrtFault, PbrtWarning};

/// Purpose of a colour parameter, which decides how its spectrum is converted and which white it has; see [`spectrum`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Reflectance,
    Emission,
    /// Emission of a light of version 4, scaled to luminance 1.
    UnitEmission,
}

impl Importer<'_> {
    /// Reads the RGB value of a reflectance, an index of refraction or a coefficient.
    pub fn color(&mut self, params: &Params, name: &str) -> Result<Option<[f32; 3]>, ImportError> {
        self.color_for(params, name, Use::Reflectance)
    }

    /// Reads the RGB value of a radiance or intensity. In version 4, sampled spectra have luminance 1.
    pub fn emission_color(&mut self, params: &Params, name: &str) -> Result<Option<[f32; 3]>, ImportError> {
        let is_v4 = self.version == Some(Version::V4);
        self.color_for(params, name, if is_v4 { Use::UnitEmission } else { Use::Emission })
    }

    /// Reads a parameter that is a colour or names a colour texture.
    pub fn color_input(&mut self, params: &Params, name: &str) -> Result<Option<ColorInput>, ImportError> {
        if let Some(texture) = params.texture(name)? {
            return Ok(self.named_texture(params, texture, true));
        }
        Ok(self.color(params, name)?.map(ColorInput::constant))
    }

    fn color_for(&mut self, params: &Params, name: &str, of: Use) -> Result<Option<[f32; 3]>, ImportError> {
        let Some(parameter) = params.find(name) else { return Ok(None) };
        let rgb = match (parameter.kind, &parameter.values) {
            (Kind::Rgb, Values::Numbers(n)) => match n[..] {
                [r, g, b] => [r, g, b],
                _ => {
                    return Err(
                        params.error_at(parameter, ParameterFault::Count { wanted: "three numbers", found: n.len() })
                    );
                }
            },
            (Kind::Xyz, Values::Numbers(n)) => match n[..] {
                [x, y, z] => spectrum::xyz_to_rgb([x, y, z]).map(|c| c.max(0.0)),
                _ => {
                    return Err(
                        params.error_at(parameter, ParameterFault::Count { wanted: "three numbers", found: n.len() })
                    );
                }
            },
            (Kind::Float | Kind::Integer, _) => [f64::from(params.float(name)?.unwrap_or_default()); 3],
            (Kind::Blackbody, Values::Numbers(n)) => self.blackbody(params, parameter, n)?,
            (Kind::Spectrum, Values::Numbers(n)) if n.len() == 1 => [n[0]; 3],
            (Kind::Spectrum, Values::Numbers(n)) => match Samples::from_pairs(n) {
                Some(samples) => integrate(&samples, of),
                None => {
                    return Err(params
                        .error_at(parameter, ParameterFault::Expected { wanted: "pairs of wavelength and value" }));
                }
            },
            (Kind::Spectrum, Values::Texts(texts)) => match &texts[..] {
                [text] => match self.spectrum_by_name(params, parameter, text, of)? {
                    Some(rgb) => rgb,
                    None => return Ok(None),
                },
                _ => {
                    return Err(
                        params.error_at(parameter, ParameterFault::Expected { wanted: "the name of one spectrum" })
                    );
                }
            },
            (Kind::Texture, _) => {
                self.warn(params, PbrtWarning::NoTextureHere { name: name.into() });
                return Ok(None);
            }
            (kind, _) => {
                let fault = ParameterFault::Type { wanted: "a colour", found: format!("{kind:?}") };
                return Err(params.error_at(parameter, fault));
            }
        };
        if of == Use::UnitEmission && rgb == [0.0; 3] && parameter.kind == Kind::Spectrum {
            self.warn(params, PbrtWarning::InvisibleSpectrum { parameter: name.into() });
        }
        let mut out = [0.0; 3];
        for (to, from) in out.iter_mut().zip(rgb) {
            *to = params.finite(parameter, from)?;
        }
        Ok(Some(out))
    }

    /// Reads a black body's temperature and converts it to RGB. Version 3 writes temperature and scale, with the peak
    /// of the spectrum at 1; version 4 the temperature alone, with luminance 1.
    fn blackbody(&self, params: &Params, parameter: &Parameter, n: &[f64]) -> Result<[f64; 3], ImportError> {
        let (kelvin, scale) = match *n {
            [kelvin] => (kelvin, None),
            [kelvin, scale] => (kelvin, Some(scale)),
            _ => {
                let wanted = "a temperature, in version 3 with a scale";
                return Err(params.error_at(parameter, ParameterFault::Expected { wanted }));
            }
        };
        if !(100.0..=1e6).contains(&kelvin) {
            return Err(params.error_at(parameter, ParameterFault::Temperature { kelvin }));
        }
        Ok(match scale {
            None => spectrum::blackbody_unit(kelvin),
            Some(scale) => spectrum::blackbody_peak(kelvin).map(|c| c * scale),
        })
    }

    fn spectrum_by_name(
        &mut self,
        params: &Params,
        parameter: &Parameter,
        name: &str,
        of: Use,
    ) -> Result<Option<[f64; 3]>, ImportError> {
        if let Some(rgb) = spectrum::named(name) {
            return Ok(Some(rgb.map(f64::from)));
        }
        // Version 4's names have a known start and no folder; anything else is a file.
        if ["metal-", "glass-", "stdillum-", "illum-"].iter().any(|start| name.starts_with(start)) {
            self.warn(params, PbrtWarning::UnknownSpectrum { name: name.into() });
            self.context.stand_ins.material(format_args!("{}:{}", params.path.display(), params.line));
            return Ok(None);
        }
        let path = self.resolve(name, params.line);
        let Some(bytes) = self.read(&path)? else {
            self.context.stand_ins.material(format_args!("{}:{}", params.path.display(), params.line));
            return Ok(None);
        };
        let samples = parse_spd(&bytes).map_err(|(line, fault)| super::params::malformed(&path, line, fault))?;
        match samples {
            Some(samples) => Ok(Some(integrate(&samples, of))),
            None => Err(params.error_at(parameter, ParameterFault::NoSamples { path })),
        }
    }
}

fn integrate(samples: &Samples, of: Use) -> [f64; 3] {
    match of {
        Use::Reflectance => spectrum::reflectance(samples),
        Use::Emission => spectrum::emission(samples),
        Use::UnitEmission => spectrum::emission_unit(samples),
    }
}

/// Parses a spectrum file: lines of wavelength in nm and value; `#` starts a comment.
fn parse_spd(bytes: &[u8]) -> Result<Option<Samples>, (u64, FaultKind)> {
    let text = text::decode(bytes).map_err(|fault| (1, fault))?;
    let mut lines = text::Lines::new(&text);
    let mut numbers = Vec::new();
    while let Some(line) = lines.next() {
        for word in line.split('#').next().unwrap_or("").split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => numbers.push(number),
                _ => return Err((lines.number(), PbrtFault::SpectrumWord { word: word.into() }.into())),
            }
        }
    }
    if numbers.len() % 2 != 0 {
        return Err((lines.number(), PbrtFault::SpectrumCut.into()));
    }
    Ok(Samples::from_pairs(&numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spd_files_are_pairs_with_comments() {
        assert_eq!(
            parse_spd(b"# eta\n400 1.5\n500\t2 # green\r\n").unwrap(),
            Samples::from_pairs(&[400.0, 1.5, 500.0, 2.0])
        );
        assert_eq!(parse_spd(b"400 1\nx 2").unwrap_err().0, 2);
        assert!(parse_spd(b"400").is_err());
        assert_eq!(parse_spd(b"# nothing\n"), Ok(None));
    }
}
