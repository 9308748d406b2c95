//! Sums of a pixel, and the result of one sample that is added to them.

/// Largest magnitude of any number of a sample; samples beyond it count as invalid.
///
/// Nothing in a scene is so bright or so far. The limit keeps the sum of `u32::MAX` samples inside `f32`, so that a
/// share of a render (two `f32` layers) holds every sum.
pub const LARGEST: f32 = 1e28;

/// Radiance and first-hit features of one camera path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SampleResult {
    /// Linear Rec. 709 radiance.
    pub radiance: [f32; 3],
    /// Reflectance at the first hit, 0 to 1; zero if the camera ray missed.
    pub albedo: [f32; 3],
    /// Unit world-space normal at the first hit, on the viewer's side; zero if the camera ray missed.
    pub normal: [f32; 3],
    /// Distance to the first hit in world units; `None` if the camera ray missed.
    pub depth: Option<f32>,
}

/// Sums of one pixel's radiance, 40 bytes, with the same layout on every device.
#[derive(Debug, Clone, Copy, PartialEq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PixelSums {
    /// Radiance summed over samples.
    pub radiance: [f64; 3],
    /// Squared luminance summed over samples.
    pub luminance_squared: f64,
    /// Number of samples, invalid ones included.
    pub samples: u32,
    /// Number of samples whose camera ray hit something (those with a valid depth).
    pub hits: u32,
}

/// Sums of one pixel's albedo, normal and depth, 56 bytes, with the same layout on every device.
#[derive(Debug, Clone, Copy, PartialEq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct FeatureSums {
    /// Albedo summed over samples.
    pub albedo: [f64; 3],
    /// Normal summed over samples.
    pub normal: [f64; 3],
    /// Distance to the first hit, summed over the samples that hit, whose number is [`PixelSums::hits`].
    pub depth: f64,
}

/// Returns the luminance of a linear Rec. 709 colour (CIE 1931 Y), in the unit of `rgb`.
#[inline]
pub fn luminance(rgb: [f64; 3]) -> f64 {
    0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
}

impl SampleResult {
    /// Returns the depth of the hit; `None` for a miss or a depth that is not finite or beyond [`LARGEST`].
    #[inline]
    fn valid_depth(&self) -> Option<f32> {
        self.depth.filter(|d| d.abs() <= LARGEST)
    }
}

/// Returns the numbers as `f64` if all are finite and at most [`LARGEST`].
#[inline]
fn valid(v: [f32; 3]) -> Option<[f64; 3]> {
    // A NaN fails the comparison too.
    v.iter().all(|c| c.abs() <= LARGEST).then(|| v.map(f64::from))
}

fn add(sum: &mut [f64; 3], v: [f64; 3]) {
    for (s, c) in sum.iter_mut().zip(v) {
        *s += c;
    }
}

impl PixelSums {
    /// Adds a sample; returns `false` if its radiance was invalid, so that black was added.
    #[inline]
    pub fn add(&mut self, sample: &SampleResult) -> bool {
        self.samples += 1;
        self.hits += u32::from(sample.valid_depth().is_some());
        let Some(radiance) = valid(sample.radiance) else { return false };
        let y = luminance(radiance);
        add(&mut self.radiance, radiance);
        self.luminance_squared += y * y;
        true
    }

    /// Returns the mean radiance over samples; black without samples.
    pub fn mean(&self) -> [f64; 3] {
        match self.samples {
            0 => [0.0; 3],
            n => self.radiance.map(|s| s / f64::from(n)),
        }
    }

    /// Returns the estimated variance of the mean's luminance; `None` with fewer than two samples.
    ///
    /// Takes the samples as independent. Stratified points (Sobol) do better than that, so it is an upper estimate.
    pub fn variance_of_mean(&self) -> Option<f64> {
        if self.samples < 2 {
            return None;
        }
        let n = f64::from(self.samples);
        let sum = luminance(self.radiance);
        // Rounding may leave a tiny negative number where all samples are equal.
        Some(((self.luminance_squared - sum * sum / n) / (n - 1.0) / n).max(0.0))
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        add(&mut self.radiance, other.radiance);
        self.luminance_squared += other.luminance_squared;
        self.samples += other.samples;
        self.hits += other.hits;
    }
}

impl FeatureSums {
    /// Adds a sample's features; an invalid albedo or normal adds zero, an invalid depth counts as a miss.
    #[inline]
    pub fn add(&mut self, sample: &SampleResult) {
        add(&mut self.albedo, valid(sample.albedo).unwrap_or_default());
        add(&mut self.normal, valid(sample.normal).unwrap_or_default());
        self.depth += sample.valid_depth().map_or(0.0, f64::from);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        add(&mut self.albedo, other.albedo);
        add(&mut self.normal, other.normal);
        self.depth += other.depth;
    }
}
