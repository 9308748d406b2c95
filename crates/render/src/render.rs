//! The renderer's outer loop: passes over tiles, workers, stopping rules.

use crate::engine::{Frame, PassWatch, PathEngine};
use crate::film::{Film, Tile, Window};
use crate::filter::PixelFilter;
use crate::flat::ShadingScene;
use crate::integrator;
use crate::joined::Joined;
use crate::lanes::Vectors;
use crate::lens::Lens;
use crate::observe::PathObserver;
use crate::options::{Integrator, RenderError, RenderOptions};
use crate::pace::{Between, Pace};
use crate::path::{ShadowQueue, Wave};
use crate::stage::{Generate, SHADOW_SALT, connect, extend, finalize, generate, media_around, shade, touch};
use crate::vertex::{MediaStack, Transport};
use crate::wide;
use rayon::ThreadPool;
use rayon::prelude::*;
use raywarp_geom::{TraceError, Tracer};
use raywarp_sample::Sampler;
use raywarp_scene::{Camera, SamplerKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Largest number of samples a pixel in one pass; a pass is the grain of progress and of the stopping rules.
const MAX_PASS: u32 = 64;

/// Largest number of samples a pixel where passes are always finished, and a caller who cancels waits for that.
const MAX_WHOLE_PASS: u32 = 8;

/// State of a render in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of samples taken of all pixels together.
    pub paths: u64,
    /// Number of samples to take.
    pub paths_total: u64,
    /// Number of rays traced: camera, scattered and shadow rays.
    pub rays: u64,
    /// Time since the start of the render.
    pub elapsed: Duration,
    /// Samples of a pixel when the noise was last looked at, and how much it was; only with a noise limit.
    pub noise: Option<(u32, f64)>,
}

/// Reason for which a render ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All samples are taken.
    Complete,
    /// The time limit was reached.
    Time,
    /// The noise limit was reached.
    Noise,
    /// The caller asked to stop.
    Cancelled,
    /// The device that rendered failed: [`Rendered::failure`].
    Failed,
}

/// A finished render.
#[derive(Debug)]
pub struct Rendered {
    /// Film with the sums of all samples.
    pub film: Film,
    /// Reason for which it ended.
    pub stop: StopReason,
    /// Number of samples taken of all pixels together.
    pub paths: u64,
    /// Number of rays traced.
    pub rays: u64,
    /// Number of surfaces that scatter and that paths came to, on the CPU.
    pub vertices: u64,
    /// Number of those surfaces that were shaded in vectors.
    pub vertices_in_vectors: u64,
    /// Time by the clock on the wall.
    pub elapsed: Duration,
    /// Fewest and most samples of a pixel; the two differ only when a pass was cut short, or a device failed.
    pub samples: [u32; 2],
    /// Error of a device that failed after it had given back these samples.
    pub failure: Option<TraceError>,
}

impl Rendered {
    /// Makes the result of a film of which nothing was missing.
    pub fn already(film: Film) -> Self {
        let samples = film.sample_range();
        let (stop, elapsed) = (StopReason::Complete, Duration::ZERO);
        Self { film, stop, paths: 0, rays: 0, vertices: 0, vertices_in_vectors: 0, elapsed, samples, failure: None }
    }
}

/// Means by which a caller watches and stops a render.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Flag that, once true, ends the render soon: after the waves in work, some thousandths of a second later, or,
    /// where a wave belongs to a device, after its bounce; the wave is then left out.
    pub cancel: Option<&'a AtomicBool>,
    /// Function that is told the progress after each wave, from any worker.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Viewer that is shown the film now and then.
    pub between: Option<Between<'a>>,
}

/// Renders `scene` from `camera` with rays traced by `tracer`, which must be one of the scene's triangles.
///
/// The picture depends on the scene, the camera and the options (but for `threads` and the stopping
/// rules), and on nothing else: not on threads, passes or speed.
///
/// # Errors
/// [`RenderError`].
/// # Panics
/// If the scene does not pass [`ShadingScene::validate`].
pub fn render(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    watch: &Watch,
) -> Result<Rendered, RenderError> {
    render_observed(scene, camera, tracer, options, watch, &crate::observe::Unobserved)
}

/// Renders as [`render`] does, telling `observer` which paths live at each bounce.
///
/// # Errors
/// As [`render`].
/// # Panics
/// As [`render`].
pub fn render_observed(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    watch: &Watch,
    observer: &dyn PathObserver,
) -> Result<Rendered, RenderError> {
    let film = Film::of(Window::new(options.size, options.crop)?, options.features)?;
    render_onto(scene, camera, tracer, options, watch, observer, film)
}

/// Renders as [`render_observed`] does, going on with a film that holds earlier samples: as many of each pixel as come
/// before those of the options, or others of the same picture. A film with all samples below `options.samples.start`
/// becomes the film of the whole render, bit for bit.
///
/// # Errors
/// As [`render`]; [`RenderError::Option`] if the film is of another size, lacks features, or has more samples of some
/// pixels.
/// # Panics
/// As [`render`].
pub fn render_onto(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    watch: &Watch,
    observer: &dyn PathObserver,
    film: Film,
) -> Result<Rendered, RenderError> {
    render_by(scene, camera, tracer, options, watch, observer, film, None)
}

/// Renders as [`render_onto`] does, with paths that `engine` takes from the camera to the film; `tracer` only tells
/// what media the camera is in.
///
/// # Errors
/// As [`render_onto`]; [`RenderError::Option`] for what [`engine_can`] refuses.
/// # Panics
/// As [`render`].
pub fn render_with(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    watch: &Watch,
    film: Film,
    engine: &mut dyn PathEngine,
) -> Result<Rendered, RenderError> {
    engine_can(options)?;
    let observer = &crate::observe::Unobserved;
    render_by(scene, camera, tracer, options, watch, observer, film, Some(engine))
}

/// Checks that a [`PathEngine`] can render with these options.
///
/// # Errors
/// [`RenderError::Option`] with what it cannot.
pub fn engine_can(options: &RenderOptions) -> Result<(), RenderError> {
    let refused = match options.integrator {
        Integrator::Cost => Some("the cost integrator counts what the CPU's own tracer does"),
        Integrator::Normal | Integrator::Depth if options.features => {
            Some("layers beside normals and distances are shaded by the CPU")
        }
        Integrator::Normal | Integrator::Depth | Integrator::AmbientOcclusion { .. } | Integrator::Path => None,
    };
    if let Some(reason) = refused {
        return Err(RenderError::Option(reason.into()));
    }
    if options.integrator == Integrator::Path && options.max_depth >= 1 << 24 {
        return Err(RenderError::Option("a GPU counts fewer than 16,777,216 bounces".into()));
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // As those that call it, and the engine.
fn render_by(
    scene: &ShadingScene,
    camera: &Camera,
    tracer: &dyn Tracer,
    options: &RenderOptions,
    watch: &Watch,
    observer: &dyn PathObserver,
    mut film: Film,
    mut engine: Option<&mut dyn PathEngine>,
) -> Result<Rendered, RenderError> {
    if options.samples.is_empty() {
        return Err(RenderError::Option("the range of samples is empty; ask for at least one".into()));
    }
    if !(0.0..=1.0).contains(&options.roulette_below) {
        return Err(RenderError::Option("Russian roulette begins at a throughput from 0 to 1".into()));
    }
    let [width, height] = options.size;
    if u64::from(width) * u64::from(height) > 1 << 32 {
        // Of a part too: a path knows its pixel by one word, which counts the pixels of the whole picture.
        let message =
            format!("a picture of {width}x{height} pixels has more than the 4294967296 that can be told apart");
        return Err(RenderError::Option(message));
    }
    let [before, most] = film.sample_range();
    let window = film.window();
    if window != Window::new(options.size, options.crop)? || film.has_features() != options.features || before != most {
        return Err(RenderError::Option("the film to go on with is not of this picture".into()));
    }
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RenderError::Threads(error.to_string()))?;
    let transport = Transport {
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
    };
    let job = Job {
        scene,
        lens: Lens::new(camera, options.size),
        media: media_of(scene, camera, tracer, options.integrator)?,
        filter: PixelFilter::new(options.filter),
        vectors: Vectors::new(scene, &transport),
        transport,
        tracer,
        options,
        observer: Some(observer).filter(|observer| observer.listens()),
        pixels: u64::from(window.size[0]) * u64::from(window.size[1]),
        watch,
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

/// Returns the media that a camera is in, where paths are to know: as it says itself, else as the surfaces around it
/// tell.
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

/// Renderer of the passes: workers a tile each, waves that belong to the device that traces, or a device as a whole.
enum Passes<'e> {
    Tiles,
    /// Waves of so many paths each.
    Wide(usize),
    /// Engine, with the time at which the film was fetched last.
    Engine(&'e mut dyn PathEngine, Instant),
}

/// Time between two fetches of what a device has rendered, so that no more is lost when it goes away.
const FETCH_TIME: Duration = Duration::from_secs(10);

impl Passes<'_> {
    /// Copies the sums so far into the film.
    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError> {
        let Self::Engine(engine, fetched) = self else { return Ok(()) };
        engine.fetch(film)?;
        *fetched = Instant::now();
        Ok(())
    }

    /// Tells if much was rendered since the film was fetched.
    fn is_old(&self) -> bool {
        matches!(self, Self::Engine(_, fetched) if fetched.elapsed() >= FETCH_TIME)
    }
}

/// A render in work.
pub(crate) struct Job<'a> {
    scene: &'a ShadingScene,
    lens: Lens,
    /// Media that the camera is in.
    media: MediaStack,
    filter: PixelFilter,
    transport: Transport,
    /// Shading of many paths at a time, where there is a text for it.
    vectors: Option<Vectors>,
    tracer: &'a dyn Tracer,
    options: &'a RenderOptions,
    /// Observer that is told of each path; none where nobody listens.
    observer: Option<&'a dyn PathObserver>,
    /// Number of pixels that are rendered.
    pixels: u64,
    watch: &'a Watch<'a>,
    pub(crate) pool: &'a ThreadPool,
    start: Instant,
    deadline: Option<Instant>,
    paths: AtomicU64,
    rays: AtomicU64,
    /// Number of vertices, and of those that were shaded in vectors.
    vertices: [AtomicU64; 2],
    /// Waves that no worker uses right now, kept for their memory.
    waves: Mutex<Vec<Wave>>,
    /// `true` once some tile left samples out because the time was over.
    cut_short: AtomicBool,
    /// Number of samples that each pixel had at the start.
    before: u32,
    /// Noise when it was last looked at, as in [`Progress::noise`].
    noise: Mutex<Option<(u32, f64)>>,
}

impl Job<'_> {
    /// Renders passes until a stopping rule holds. Passes end at powers of two, where noise is tested.
    fn run(&self, film: &mut Film, passes: &mut Passes) -> Result<StopReason, RenderError> {
        if let Passes::Engine(engine, _) = passes {
            let (options, lens, filter) = (self.options, &self.lens, &self.filter);
            engine.begin(&Frame { options, lens, filter, media: self.media }, film)?;
        }
        let stop = self.run_passes(film, passes)?;
        passes.fetch(film)?;
        Ok(stop)
    }

    fn run_passes(&self, film: &mut Film, passes: &mut Passes) -> Result<StopReason, RenderError> {
        let range = self.options.samples.clone();
        let mut next = range.start;
        let mut pace = Pace::new(self.watch.between);
        if self.is_calm(film, self.before) {
            return Ok(StopReason::Noise);
        }
        while next < range.end {
            let done = self.before.saturating_add(next - range.start);
            let to_power = done.checked_add(1).and_then(u32::checked_next_power_of_two).map_or(u32::MAX, |p| p - done);
            let longest = if self.options.whole_passes { MAX_WHOLE_PASS } else { MAX_PASS };
            let longest = longest.min(pace.samples(self.options.whole_passes));
            let end = next + to_power.min(longest).min(range.end - next);
            let pass_start = Instant::now();
            match passes {
                Passes::Engine(engine, _) => engine.pass(next..end, &Pass { job: self, samples: next..end })?,
                Passes::Wide(paths) => wide::pass(self, film.tiles_mut(), next..end, *paths)?,
                Passes::Tiles => {
                    film.tiles_mut().par_iter_mut().try_for_each(|tile| self.render_tile(tile, next..end))?;
                }
            }
            pace.note(end - next, pass_start.elapsed());
            next = end;
            if self.is_cancelled() {
                return Ok(StopReason::Cancelled);
            }
            if self.cut_short.load(Ordering::Relaxed) || (next < range.end && self.is_late()) {
                return Ok(StopReason::Time);
            }
            if next == range.end {
                break;
            }
            let (samples, is_due) = (self.before.saturating_add(next - range.start), pace.is_due());
            if is_due || self.looks_for_noise(samples) || passes.is_old() {
                passes.fetch(film)?;
            }
            if self.is_calm(film, samples) {
                return Ok(StopReason::Noise);
            }
            if is_due {
                pace.show(film);
            }
        }
        Ok(StopReason::Complete)
    }

    /// Tells if the noise is looked at: where the samples of a pixel are a power of two, and at the start.
    fn looks_for_noise(&self, samples: u32) -> bool {
        self.options.noise_limit.is_some() && samples >= 2 && (samples.is_power_of_two() || samples == self.before)
    }

    /// Tells if the noise has fallen to its limit.
    fn is_calm(&self, film: &Film, samples: u32) -> bool {
        let Some(limit) = self.options.noise_limit.filter(|_| self.looks_for_noise(samples)) else { return false };
        let noise = film.noise();
        if let Ok(mut known) = self.noise.lock() {
            *known = Some((samples, noise));
        }
        samples.is_power_of_two() && noise <= limit
    }

    fn is_cancelled(&self) -> bool {
        self.watch.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Tells if a wave that has begun is to be left out.
    pub(crate) fn gives_up(&self) -> bool {
        self.is_cancelled() && !self.options.whole_passes
    }

    /// Tells if waves of these samples are still to be begun; notes where some are left out for want of time.
    pub(crate) fn goes_on(&self, samples: &std::ops::Range<u32>) -> bool {
        // The first pass is always finished, so that every pixel has a sample to show.
        let first_pass = samples.start == self.options.samples.start && self.before == 0;
        if self.gives_up() {
            return false;
        }
        if !first_pass && !self.options.whole_passes && self.is_late() {
            self.cut_short.store(true, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Renders samples of a tile's pixels, wave by wave in pixel order.
    fn render_tile(&self, tile: &mut Tile, samples: std::ops::Range<u32>) -> Result<(), TraceError> {
        let pixels: Vec<[u32; 2]> = tile.pixels().collect();
        let per_wave = (self.tracer.preferred_batch() / samples.len().max(1)).max(1);
        let wave = self.waves.lock().ok().and_then(|mut waves| waves.pop()).unwrap_or_default();
        let mut waves = [wave];
        for chunk in pixels.chunks(per_wave) {
            if !self.goes_on(&samples) {
                break;
            }
            self.generate(chunk.iter().copied(), samples.clone(), &mut waves[0]);
            self.trace(&mut waves, &mut Joined::default())?;
            self.finalize(&waves[0], tile);
            self.report(&waves);
        }
        if let Ok(mut kept) = self.waves.lock() {
            kept.extend(waves);
        }
        Ok(())
    }

    /// Begins a wave with its camera rays.
    pub(crate) fn generate(
        &self,
        pixels: impl Iterator<Item = [u32; 2]>,
        samples: std::ops::Range<u32>,
        wave: &mut Wave,
    ) {
        let width = self.options.size[0];
        let (sampler, media) = (self.transport.sampler, self.media);
        let with = Generate { lens: &self.lens, filter: &self.filter, sampler, width, media };
        generate(&with, self.vectors.as_ref(), pixels.map(|[x, y]| y * width + x), samples, wave);
    }

    /// Adds a finished wave to the film.
    pub(crate) fn finalize(&self, wave: &Wave, tile: &mut Tile) {
        finalize(wave, self.options.size[0], tile);
    }

    /// Takes waves that were begun to their end; false if they were given up.
    pub(crate) fn trace(&self, waves: &mut [Wave], joined: &mut Joined) -> Result<bool, TraceError> {
        let (scene, tracer, transport) = (self.scene, self.tracer, &self.transport);
        let (seed, transparent) = (self.options.seed, self.options.transparent);
        match self.options.integrator {
            Integrator::Path => {
                while waves.iter().any(|wave| !wave.paths.is_empty()) {
                    if waves.len() > 1 && self.gives_up() {
                        return Ok(false);
                    }
                    if let Some(observer) = self.observer {
                        joined.each(waves, |wave| tell_of_paths(observer, wave));
                    }
                    extend(scene, seed, tracer, waves, joined)?;
                    touch(scene, tracer, waves, joined)?;
                    joined.each(waves, |wave| {
                        shade(scene, transport, self.vectors.as_ref(), wave);
                        if let Some(observer) = self.observer {
                            tell_of_connections(observer, wave);
                        }
                    });
                    connect(scene, seed, tracer, SHADOW_SALT, waves, joined)?;
                    waves.iter_mut().for_each(Wave::advance);
                }
                Ok(())
            }
            Integrator::AmbientOcclusion { distance } => {
                let sampler = transport.sampler;
                integrator::ambient_occlusion(scene, seed, tracer, sampler, distance, transparent, waves, joined)
            }
            Integrator::Normal => integrator::normal(scene, seed, tracer, waves, joined),
            Integrator::Depth => integrator::depth(scene, seed, tracer, waves, joined),
            Integrator::Cost => integrator::cost(tracer, waves),
        }
        .map(|()| true)
    }

    /// Counts finished waves and tells the watcher and the observer.
    pub(crate) fn report(&self, waves: &[Wave]) {
        let paths = waves.iter().map(|wave| wave.pixel.len() as u64).sum();
        for wave in waves {
            for (total, more) in self.vertices.iter().zip([wave.queues.vertices, wave.queues.in_vectors]) {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
        self.count(paths, waves.iter().map(|wave| wave.rays_traced).sum());
    }

    /// Counts finished paths and their rays, and tells the watcher.
    fn count(&self, paths: u64, rays: u64) {
        let add = |total: &AtomicU64, more: u64| total.fetch_add(more, Ordering::Relaxed) + more;
        let (paths, rays) = (add(&self.paths, paths), add(&self.rays, rays));
        if let Some(progress) = self.watch.progress {
            let paths_total = self.pixels * self.options.samples.len() as u64;
            let noise = self.noise.lock().map_or(None, |noise| *noise);
            progress(&Progress { paths, paths_total, rays, elapsed: self.start.elapsed(), noise });
        }
    }
}

/// Tells of the paths that are about to be extended, and of the rays that extend them.
fn tell_of_paths(observer: &dyn PathObserver, wave: &Wave) {
    for (path, ray) in wave.paths.iter().zip(&wave.rays) {
        observer.alive(path.pixel, path.sample, wave.bounce);
        observer.ray(path.pixel, path.sample, wave.bounce, ray);
    }
}

/// Tells of the connections that the paths of `wave` try.
fn tell_of_connections(observer: &dyn PathObserver, wave: &Wave) {
    let ShadowQueue { rays, slots, contributions, media: _ } = &wave.shadow;
    for ((&slot, ray), &contribution) in slots.iter().zip(rays).zip(contributions) {
        let (pixel, sample) = (wave.pixel[slot as usize], wave.sample[slot as usize]);
        observer.connection(pixel, sample, wave.bounce, ray, contribution.into());
    }
}

/// A pass of a job, as its engine sees it.
struct Pass<'a, 'j> {
    job: &'a Job<'j>,
    samples: std::ops::Range<u32>,
}

impl PassWatch for Pass<'_, '_> {
    fn goes_on(&self) -> bool {
        self.job.goes_on(&self.samples)
    }

    fn report(&self, paths: u64, rays: u64) {
        self.job.count(paths, rays);
    }
}
