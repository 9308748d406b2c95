//! Pictures of a GPU's path tracer beside the CPU's.

use super::Gpu as Kernels;
use crate::{EngineOptions, Organisation, PrepareOptions, Prepared, default_scene};
use raywarp_geom::TraceError;
use raywarp_render::film::Film;
use raywarp_render::{LensRecord, RenderOptions, Watch};

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
    let prepared = Prepared::new(default_scene(), &PrepareOptions::default()).map_err(|error| failed(&error))?;
    let (camera, watch) = (prepared.camera(), Watch::default());
    let want = prepared.render(&camera, &options, &watch).map_err(|error| failed(&error))?.film;
    let one = |organisation: Organisation| -> Result<PictureResult, TraceError> {
        let farthest_origin = LensRecord::new(&camera, options.size).farthest_origin();
        let engine = EngineOptions { farthest_origin, ..EngineOptions::of(organisation) };
        let devices = std::slice::from_ref(&kernels.device);
        let mut engine = prepared.paths_on(devices, engine, &options).map_err(|error| failed(&error))?;
        let film = Film::new(options.size, options.features).map_err(|error| failed(&error))?;
        let got = prepared.render_with(&camera, &options, &watch, film, &mut engine).map_err(|error| failed(&error))?;
        let got = got.film;
        let differs = |p: &[u32; 2]| want.sums(*p) != got.sums(*p) || want.feature_sums(*p) != got.feature_sums(*p);
        let different = want.pixels().filter(differs).count();
        Ok(PictureResult { organisation: organisation.name(), pixels: want.pixel_count(), different })
    };
    Organisation::ALL.into_iter().map(one).collect()
}
