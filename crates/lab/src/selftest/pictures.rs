//! Pictures that a GPU renders beside the CPU's.

use super::GpuSelfTest as Kernels;
use raywarp::device::Plan;
use raywarp::render::Prepared;
use raywarp::render::gpu::{EngineOptions, Organisation};
use raywarp::scene::default_scene;
use raywarp_experiments::{MeasuredOrganisation, PathExperiment};
use raywarp_geom::TraceError;
use raywarp_render::{Integrator, LensRecord, RenderContext, RenderOptions, engine_can};

/// Self-test result of one organisation of the GPU path tracer, or of another integrator's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureResult {
    /// Name of the organisation or the other integrator on the command line.
    pub organisation: &'static str,
    /// Number of pixels of the picture that was compared.
    pub pixels: usize,
    /// Number of pixels that differ in any bit from the CPU's.
    pub different: usize,
}

/// A picture to test: its name, the options of the engine that renders it, and its integrator.
type Case = (&'static str, EngineOptions, Integrator);

/// Renders the built-in scene with every organisation and integrator, and compares the pictures with the CPU's.
///
/// # Errors
/// The GPU fails.
pub(super) fn pictures(kernels: &Kernels) -> Result<Vec<PictureResult>, TraceError> {
    let failed = |error: &dyn std::fmt::Display| TraceError::Device(error.to_string());
    let samples = 0..kernels.picture_samples;
    let options = RenderOptions { size: [96, 64], samples, max_depth: 6, features: true, ..RenderOptions::default() };
    let prepared = Prepared::new(default_scene(), &Plan::default()).map_err(|error| failed(&error))?;
    let camera = prepared.camera();
    let one = |(name, engine, integrator): Case| -> Result<PictureResult, TraceError> {
        let features = engine_can(&RenderOptions { integrator, ..options.clone() }).is_ok();
        let options = RenderOptions { integrator, features, ..options.clone() };
        let want = prepared.render(&camera, &options, RenderContext::default()).map_err(|error| failed(&error))?.film;
        let farthest_origin = LensRecord::new(&camera, options.size).farthest_origin();
        let engine = EngineOptions { farthest_origin, ..engine };
        let devices = std::slice::from_ref(&kernels.device);
        let mut engine = prepared.paths_on(devices, engine, &options).map_err(|error| failed(&error))?;
        let context = RenderContext::by(&mut engine);
        let got = prepared.render(&camera, &options, context).map_err(|error| failed(&error))?.film;
        let differs = |p: &[u32; 2]| want.sums(*p) != got.sums(*p) || want.feature_sums(*p) != got.feature_sums(*p);
        let different = want.pixels().filter(differs).count();
        Ok(PictureResult { organisation: name, pixels: want.pixel_count(), different })
    };
    let paths = MeasuredOrganisation::ALL
        .map(|organisation| (organisation.name(), PathExperiment::of(organisation).into(), Integrator::Path));
    let occlusion = Integrator::AmbientOcclusion { distance: 0.25 * prepared.bounds().diagonal() };
    let others = [("ao", occlusion), ("normal", Integrator::Normal), ("depth", Integrator::Depth)];
    let others = others.map(|(name, integrator)| (name, EngineOptions::of(Organisation::FirstHits), integrator));
    paths.into_iter().chain(others).map(one).collect()
}
