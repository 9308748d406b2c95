//! What a scene file asks of the renderer; each is `None` where the file is silent.

/// A sampler by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplerKind {
    /// Owen-scrambled Sobol points.
    Sobol,
    /// Halton points with padded replication (Keller 2003; W11).
    PaddedHalton,
    /// Independent xorshift32 numbers (L9).
    Xor32,
}

/// A pixel filter; sizes are radii in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterKind {
    /// Constant within the radius (0.5: the pixel).
    Box {
        /// Radius.
        radius: f32,
    },
    /// Linear to zero at the radius.
    Triangle {
        /// Radius.
        radius: f32,
    },
    /// A Gaussian less its value at the radius.
    Gaussian {
        /// Radius.
        radius: f32,
        /// Standard deviation.
        sigma: f32,
    },
    /// Mitchell and Netravali.
    Mitchell {
        /// Radius.
        radius: f32,
        /// Blur parameter B.
        b: f32,
        /// Ringing parameter C.
        c: f32,
    },
}

/// What a file asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Width and height in pixels.
    pub size: Option<[u32; 2]>,
    /// Samples a pixel.
    pub spp: Option<u32>,
    /// Bounces, 0 being emission only.
    pub max_depth: Option<u32>,
    /// Sampler.
    pub sampler: Option<SamplerKind>,
    /// Pixel filter.
    pub filter: Option<FilterKind>,
    /// Factor on all radiance in the output (pbrt's film `scale` or `iso`).
    pub exposure: Option<f32>,
    /// Name of the picture (pbrt's film `filename`), as the file has it: folders are those of whoever wrote it.
    pub output: Option<String>,
}
