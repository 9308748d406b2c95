//! Pictures of a GPU's path tracer beside the CPU's.

use super::Gpu as Kernels;
use crate::{EngineOptions, Gpu, Organisation, PrepareOptions, Prepared, default_scene};
use raywarp_geom::TraceError;
use raywarp_render::film::Film;
use raywarp_render::{RenderOptions, Watch};

/// How an organisation of the path tracer fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureResult {
    /// The organisation.
    pub organisation: &'static str,
    /// Pixels of the picture.
    pub pixels: usize,
    /// How many of them are not the CPU's, bit for bit.
    pub different: usize,
}

/// Renders the built-in scene with every organisation.
///
/// # Errors
/// What the GPU says.
pub(super) fn pictures(kernels: &Kernels) -> Result<Vec<PictureResult>, TraceError> {
    let failed = |error: &dyn std::fmt::Display| TraceError::Device(error.to_string());
    let options =
        RenderOptions { size: [96, 64], samples: 0..8, max_depth: 6, features: true, ..RenderOptions::default() };
    let film = |options_of: &PrepareOptions| -> Result<Film, TraceError> {
        let prepared = Prepared::new(default_scene(), options_of).map_err(|error| failed(&error))?;
        let rendered = prepared.render(&prepared.camera(), &options, &Watch::default());
        rendered.map(|rendered| rendered.film).map_err(|error| failed(&error))
    };
    let want = film(&PrepareOptions::default())?;
    let one = |organisation: Organisation| -> Result<PictureResult, TraceError> {
        let got = film(&PrepareOptions {
            gpu: Some(Gpu::watertight(kernels.device.clone())),
            paths_on_gpu: Some(EngineOptions { organisation, ..EngineOptions::default() }),
            ..PrepareOptions::default()
        })?;
        let differs = |p: &[u32; 2]| want.sums(*p) != got.sums(*p) || want.feature_sums(*p) != got.feature_sums(*p);
        let different = want.pixels().filter(differs).count();
        Ok(PictureResult { organisation: organisation.name(), pixels: want.pixel_count(), different })
    };
    Organisation::ALL.into_iter().map(one).collect()
}
