//! The renderer's door: a scene, a camera and options in, a film out; beside them a film to go on with, a watch, an
//! observer, an engine.

use crate::engine::PathEngine;
use crate::film::{Film, Window};
use crate::filter::PixelFilter;
use crate::flat::ShadingScene;
use crate::job::{Job, Passes};
use crate::lanes::Vectors;
use crate::lens::Lens;
use crate::observe::PathObserver;
use crate::options::{Integrator, RenderError, RenderOptionError, RenderOptions};
use crate::pace::Between;
use crate::stage::media_around;
use crate::vertex::{MediaStack, Transport};
use crate::wide;
use raywarp_geom::{TraceError, Tracer};
use raywarp_sample::Sampler;
use raywarp_scene::{Camera, SamplerKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

/// Progress of a render.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of samples taken so far, over all pixels.
    pub paths: u64,
    /// Number of samples to take, over all pixels.
    pub paths_total: u64,
    /// Number of rays traced so far: camera rays, scattered rays and shadow rays.
    pub rays: u64,
    /// Time since the render began.
    pub elapsed: Duration,
    /// Samples per pixel when the noise was last measured, and its value; only with a noise limit.
    pub noise: Option<(u32, f64)>,
}

/// Reason why a render ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All samples were taken.
    Complete,
    /// The time limit was reached.
    Time,
    /// The noise limit was reached.
    Noise,
    /// The caller asked to stop.
    Cancelled,
    /// The device that renders or traces failed: [`Rendered::failure`].
    Failed,
}

/// Result of a render.
#[derive(Debug)]
pub struct Rendered {
    /// Film with the sums of all samples.
    pub film: Film,
    /// Reason why the render ended.
    pub stop: StopReason,
    /// Number of samples taken, over all pixels.
    pub paths: u64,
    /// Number of rays traced.
    pub rays: u64,
    /// Number of scattering surfaces that paths reached, on the CPU.
    pub vertices: u64,
    /// Number of those surfaces that vector code shaded.
    pub vertices_in_vectors: u64,
    /// Wall time of the render.
    pub elapsed: Duration,
    /// Smallest and largest number of samples of any pixel, which differ only if a pass was cut short or a device
    /// failed.
    pub samples: [u32; 2],
    /// Error of a device that failed after it had returned these samples.
    pub failure: Option<TraceError>,
}

impl Rendered {
    /// Makes the result of a render whose film had all samples before it began.
    pub fn already(film: Film) -> Self {
        let samples = film.sample_range();
        let (stop, elapsed) = (StopReason::Complete, Duration::ZERO);
        Self { film, stop, paths: 0, rays: 0, vertices: 0, vertices_in_vectors: 0, elapsed, samples, failure: None }
    }
}

/// Functions and flags by which a caller watches and stops a render.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Flag that ends the render when set: soon after the waves in work, within milliseconds; a wave on a device ends
    /// after its bounce and is left out.
    pub cancel: Option<&'a AtomicBool>,
    /// Function that is called with the progress after each wave, from any worker.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Viewer that is shown the film at intervals.
    pub between: Option<Between<'a>>,
}

/// Optional inputs of a render besides scene, camera and options: a watch, an earlier film, an observer, an engine.
#[derive(Default)]
pub struct RenderContext<'a> {
    /// Functions and flags to watch and stop the render.
    pub watch: Watch<'a>,
    /// Film to continue, with earlier samples: as many of each pixel as come before those of the options, or others of
    /// the same picture. A film with all samples below `options.samples.start` becomes the film of the whole render,
    /// bit for bit. Without it the film is a new one.
    pub film: Option<Film>,
    /// Observer that is told of each path at each bounce. The picture is the same.
    pub observer: Option<&'a dyn PathObserver>,
    /// Device that renders whole paths, so that the tracer only finds the media that the camera is in. It tells no
    /// observer of its paths.
    pub engine: Option<&'a mut dyn PathEngine>,
}

impl<'a> RenderContext<'a> {
    /// Makes the context of a render with only a watch.
    pub fn watched(watch: Watch<'a>) -> Self {
        Self { watch, ..Self::default() }
    }

    /// Makes the context of a render with only an engine.
    pub fn by(engine: &'a mut dyn PathEngine) -> Self {
        Self { engine: Some(engine), ..Self::default() }
    }
}

/// Renders `scene` from `camera`, with rays traced by `tracer`, which must have been made of the same scene.
///
/// The picture depends on the scene, the camera and the options (but for `threads` and the stopping
/// rules), and on nothing else: not on threads, passes or speed.
///
/// # Errors
/// [`RenderError`]; [`RenderError::Option`] if the film to go on with is of another size, lacks features, or has more
/// samples of some pixels, if an engine is to tell an observer, and for what [`engine_can`] refuses.
/// # Panics
/// If the scene does not pass [`ShadingScene::validate`].
pub fn render(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    context: RenderContext<'_>,
) -> Result<Rendered, RenderError> {
    let RenderContext { watch, film, observer, mut engine } = context;
    check(options)?;
    if engine.is_some() {
        engine_can(options)?;
        if observer.is_some() {
            return Err(RenderOptionError::ObservedEngine.into());
        }
    }
    let mut film = film_of(options, film)?;
    let [before, _] = film.sample_range();
    let window = film.window();
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RenderError::Threads(error.to_string()))?;
    let transport = transport(options);
    let job = Job {
        scene,
        lens: Lens::new(camera, options.size),
        media: media_of(scene, camera, tracer, options.integrator)?,
        filter: PixelFilter::new(options.filter),
        vectors: Vectors::new(scene, &transport),
        transport,
        tracer,
        options,
        observer,
        pixels: u64::from(window.size[0]) * u64::from(window.size[1]),
        watch: &watch,
        pool: &pool,
        start,
        deadline: options.time_limit.map(|limit| start + limit),
        paths: AtomicU64::new(0),
        rays: AtomicU64::new(0),
        vertices: [AtomicU64::new(0), AtomicU64::new(0)],
        waves: Mutex::new(Vec::new()),
        cut_short: AtomicBool::new(false),
        before,
        noise: Mutex::new(None),
    };
    // Who waits for a device does so outside of the pool, whose threads have work to do.
    let stop = match (&mut engine, wide::paths(tracer)) {
        (Some(engine), _) => job.run(&mut film, &mut Passes::Engine(&mut **engine, Instant::now())),
        (None, Some(paths)) => job.run(&mut film, &mut Passes::Wide(paths)),
        (None, None) => pool.install(|| job.run(&mut film, &mut Passes::Tiles)),
    };
    let samples = film.sample_range();
    let (stop, failure) = match stop {
        Ok(stop) => (stop, None),
        // What a device gave back before it failed is a picture.
        Err(RenderError::Trace(failure)) if engine.is_some() && samples[0] > before => {
            (StopReason::Failed, Some(failure))
        }
        Err(error) => return Err(error),
    };
    let [vertices, vertices_in_vectors] = job.vertices.map(AtomicU64::into_inner);
    Ok(Rendered {
        film,
        stop,
        paths: job.paths.into_inner(),
        rays: job.rays.into_inner(),
        vertices,
        vertices_in_vectors,
        elapsed: start.elapsed(),
        samples,
        failure,
    })
}

/// Checks the options that do not depend on a film or an engine.
fn check(options: &RenderOptions) -> Result<(), RenderError> {
    if options.samples.is_empty() {
        return Err(RenderOptionError::NoSamples.into());
    }
    if !(0.0..=1.0).contains(&options.roulette_below) {
        return Err(RenderOptionError::Roulette.into());
    }
    let [width, height] = options.size;
    if u64::from(width) * u64::from(height) > 1 << 32 {
        // Of a part too: a path knows its pixel by one word, which counts the pixels of the whole picture.
        return Err(RenderOptionError::TooManyPixels { width, height }.into());
    }
    Ok(())
}

/// Returns the film to continue, after checking that it fits the picture, or a new one.
fn film_of(options: &RenderOptions, film: Option<Film>) -> Result<Film, RenderError> {
    let window = Window::new(options.size, options.crop)?;
    let Some(film) = film else { return Ok(Film::of(window, options.features)?) };
    let [fewest, most] = film.sample_range();
    if film.window() != window || film.has_features() != options.features || fewest != most {
        return Err(RenderOptionError::OtherFilm.into());
    }
    Ok(film)
}

/// Returns the light transport settings for these options.
fn transport(options: &RenderOptions) -> Transport {
    Transport {
        sampler: match options.sampler {
            SamplerKind::Sobol => Sampler::Sobol { seed: options.seed },
            SamplerKind::PaddedHalton => Sampler::PaddedHalton { seed: options.seed },
            SamplerKind::Xor32 => Sampler::Xor32 { seed: options.seed },
        },
        direct: options.direct,
        scattering: options.scattering,
        max_depth: options.max_depth,
        connect_last: options.connect_last,
        roulette_below: options.roulette_below,
        roulette_scale: 1.0 / options.roulette_below,
        transparent: options.transparent,
        first_albedos: options.features,
    }
}

/// Checks that a [`PathEngine`] can render with these options.
///
/// # Errors
/// [`RenderError::Option`] with what it cannot.
pub fn engine_can(options: &RenderOptions) -> Result<(), RenderError> {
    match options.integrator {
        Integrator::Cost => Err(RenderOptionError::CostsOfEngine.into()),
        Integrator::Normal | Integrator::Depth if options.features => Err(RenderOptionError::LayersOfEngine.into()),
        Integrator::Path if options.max_depth >= 1 << 24 => Err(RenderOptionError::TooManyBounces.into()),
        Integrator::Normal | Integrator::Depth | Integrator::AmbientOcclusion { .. } | Integrator::Path => Ok(()),
    }
}

/// Returns the media that the camera is in, if paths need them: as stated for the camera, else as the surfaces around
/// it tell.
fn media_of(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    integrator: Integrator,
) -> Result<MediaStack, TraceError> {
    if integrator != Integrator::Path {
        return Ok(MediaStack::default());
    }
    match camera.medium {
        Some(medium) if medium.index() < scene.media.len() => Ok(MediaStack::of(medium.0)),
        _ => media_around(scene, tracer, camera.eye.into()),
    }
}
