//! Directives of film, sampler, integrator and pixel filter.

use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::{Importer, Version};
use crate::import::pbrt::version;
use crate::{FilterKind, ImportError, PbrtFault, PbrtWarning, SamplerKind};

/// Largest width or height of the picture in pixels.
const MAX_SIDE: u32 = 1 << 16;

/// Returns the Gaussian filter that a file gets if it gives no parameters, which depends on the version. Version 3
/// gives `exp(-2 x^2)` on a radius of 2, version 4 a standard deviation of a half on 1.5.
pub(in crate::import::pbrt) fn default_gaussian(version: Option<Version>) -> FilterKind {
    match version {
        Some(Version::V4) => FilterKind::Gaussian { radius: 1.5, sigma: 0.5 },
        _ => FilterKind::Gaussian { radius: 2.0, sigma: 0.5 },
    }
}

impl Importer<'_> {
    pub fn film(&mut self, kind: &str, params: &Params) -> Result<(), ImportError> {
        if let Some(version) = version::film(kind) {
            self.belongs_to(version, params, "film", kind);
        }
        // Version 3 has one film, with the larger default picture left to version 4.
        let default = match kind {
            "image" => [640, 480],
            "rgb" | "gbuffer" | "spectral" => [1280, 720],
            _ => {
                self.warn(params, PbrtWarning::Film { kind: kind.into() });
                [1280, 720]
            }
        };
        let width = params.integer("xresolution", 1..=MAX_SIDE)?.unwrap_or(default[0]);
        let height = params.integer("yresolution", 1..=MAX_SIDE)?.unwrap_or(default[1]);
        self.scene.settings.size = Some([width, height]);
        let mut exposure = params.float("scale")?;
        if params.has("iso") || params.has("exposuretime") {
            // Version 4's cie1931 sensor: 1 at ISO 100 and one second.
            let factor = params.float_or("iso", 100.0)? / 100.0 * params.float_or("exposuretime", 1.0)?;
            exposure = Some(exposure.unwrap_or(1.0) * factor);
        }
        if let Some(sensor) = params.text("sensor")?.filter(|&sensor| sensor != "cie1931") {
            self.warn(params, PbrtWarning::Sensor { name: sensor.into() });
        }
        if let Some(window) = params.floats("cropwindow")? {
            let [a, b, c, d] = window[..] else {
                return Err(params.error(PbrtFault::Window { name: "cropwindow" }));
            };
            self.crop_window = Some([a.min(b), a.max(b), c.min(d), c.max(d)].map(|share| share.clamp(0.0, 1.0)));
        }
        self.pixel_bounds(params)?;
        match exposure {
            Some(exposure) if !(exposure >= 0.0 && exposure.is_finite()) => {
                return Err(params.error(PbrtFault::FilmScale { scale: exposure }));
            }
            _ => self.scene.settings.exposure = exposure,
        }
        if let Some(name) = params.text("filename")? {
            self.scene.settings.output = Some(name.to_string());
        }
        params.ignore_known("Film");
        self.warn_unused(params, "the film");
        Ok(())
    }

    /// Reads the parameter `pixelbounds` of the film or the integrator.
    fn pixel_bounds(&mut self, params: &Params) -> Result<(), ImportError> {
        let Some(bounds) = params.floats("pixelbounds")? else { return Ok(()) };
        let [x0, x1, y0, y1] = bounds[..] else {
            return Err(params.error(PbrtFault::Window { name: "pixelbounds" }));
        };
        self.pixel_bounds.push([x0, x1, y0, y1]);
        Ok(())
    }

    /// Returns the crop window in fractions of the picture, from `cropwindow` and pixel bounds; `None` for the whole
    /// picture.
    pub(in crate::import::pbrt) fn crop(&self) -> Option<[f32; 4]> {
        let [width, height] = self.scene.settings.size.unwrap_or([1280, 720]).map(|n| n as f32);
        let shares = self.pixel_bounds.iter().map(|[a, b, c, d]| [a / width, b / width, c / height, d / height]);
        let parts = self.crop_window.into_iter().chain(shares);
        let crop =
            parts.fold([0.0f32, 1.0, 0.0, 1.0], |[a, b, c, d], [e, f, g, h]| [a.max(e), b.min(f), c.max(g), d.min(h)]);
        (crop != [0.0, 1.0, 0.0, 1.0]).then_some(crop)
    }

    pub fn sampler(&mut self, kind: &str, params: &Params) -> Result<(), ImportError> {
        let sampler = match kind {
            "halton" => SamplerKind::PaddedHalton,
            "random" | "independent" => SamplerKind::Xor32,
            "sobol" | "paddedsobol" | "zsobol" | "02sequence" | "lowdiscrepancy" | "maxmindist" | "pmj02bn"
            | "stratified" => SamplerKind::Sobol,
            _ => {
                self.warn(params, PbrtWarning::Sampler { kind: kind.into() });
                SamplerKind::Sobol
            }
        };
        self.scene.settings.sampler = Some(sampler);
        const ANY: std::ops::RangeInclusive<u32> = 1..=1 << 24;
        let spp = match kind {
            "stratified" => {
                let (x, y) = (params.integer("xsamples", 1..=4096)?, params.integer("ysamples", 1..=4096)?);
                (x.is_some() || y.is_some()).then(|| x.unwrap_or(4) * y.unwrap_or(4))
            }
            _ => params.integer("pixelsamples", ANY)?,
        };
        self.scene.settings.spp = spp.or(self.scene.settings.spp);
        for (name, usual) in [("jitter", true), ("samplepixelcenter", false)] {
            if params.bool(name)?.is_some_and(|value| value != usual) {
                self.warn(params, PbrtWarning::SamplePlaces { name, value: !usual });
            }
        }
        params.ignore_known("Sampler");
        self.warn_unused(params, "the sampler");
        Ok(())
    }

    pub fn integrator(&mut self, kind: &str, params: &Params) -> Result<(), ImportError> {
        if !matches!(kind, "path" | "volpath") {
            self.warn(params, PbrtWarning::Integrator { kind: kind.into() });
        }
        // pbrt counts bounces as `Settings` does, and stops at 5 unless told otherwise.
        self.scene.settings.max_depth = Some(params.integer("maxdepth", 0..=1 << 20)?.unwrap_or(5));
        if params.bool("regularize")? == Some(true) {
            self.warn(params, PbrtWarning::Regularize);
        }
        self.pixel_bounds(params)?;
        params.ignore_known("Integrator");
        if kind == "directlighting" {
            params.cover(&["strategy"]);
        }
        self.warn_unused(params, "the integrator");
        Ok(())
    }

    pub fn pixel_filter(&mut self, kind: &str, params: &Params) -> Result<(), ImportError> {
        let v4 = params.has("xradius") || params.has("yradius") || params.has("sigma");
        let default = match kind {
            "box" => 0.5,
            "gaussian" if v4 => 1.5,
            "sinc" | "lanczos" => 4.0,
            _ => 2.0,
        };
        let axis = |wide: &str, radius: &str| Ok::<_, ImportError>(params.float(radius)?.or(params.float(wide)?));
        let (x, y) = (axis("xwidth", "xradius")?, axis("ywidth", "yradius")?);
        let radius = x.unwrap_or(default);
        if y.unwrap_or(default) != radius {
            self.warn(params, PbrtWarning::FilterRadii);
        }
        if !(radius > 0.0 && radius <= 64.0) {
            return Err(params.error(PbrtFault::FilterRadius { radius }));
        }
        self.bare_gaussian = false;
        let filter = match kind {
            "box" => FilterKind::Box { radius },
            "triangle" => FilterKind::Triangle { radius },
            "gaussian" => {
                let alpha = params.float("alpha")?;
                let sigma = match (params.float("sigma")?, alpha) {
                    (Some(sigma), _) => sigma,
                    (None, Some(alpha)) => (0.5 / alpha).sqrt(),
                    (None, None) => 0.5,
                };
                if !(sigma > 0.0 && sigma.is_finite()) {
                    return Err(params.error(PbrtFault::GaussianWidth));
                }
                self.bare_gaussian = x.is_none() && y.is_none() && alpha.is_none() && !v4;
                FilterKind::Gaussian { radius, sigma }
            }
            "mitchell" => FilterKind::Mitchell {
                radius,
                b: params.float_or("B", 1.0 / 3.0)?,
                c: params.float_or("C", 1.0 / 3.0)?,
            },
            _ => {
                params.cover(&["tau"]);
                self.warn(params, PbrtWarning::Filter { kind: kind.into() });
                FilterKind::Mitchell { radius: 2.0, b: 1.0 / 3.0, c: 1.0 / 3.0 }
            }
        };
        self.scene.settings.filter = Some(filter);
        self.warn_unused(params, "the pixel filter");
        Ok(())
    }
}
