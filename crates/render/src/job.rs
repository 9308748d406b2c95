//! A render in work: passes over tiles, workers, stopping rules.

use crate::engine::{Frame, PassWatch, PathEngine};
use crate::film::{Film, Tile};
use crate::filter::PixelFilter;
use crate::flat::ShadingScene;
use crate::integrator;
use crate::joined::Joined;
use crate::lanes::Vectors;
use crate::lens::Lens;
use crate::observe::PathObserver;
use crate::options::{Integrator, RenderError, RenderOptions};
use crate::pace::Pace;
use crate::path::{ShadowQueue, Wave};
use crate::render::{Progress, StopReason, Watch};
use crate::stage::{Generate, SHADOW_SALT, connect, extend, finalize, generate, shade, touch};
use crate::vertex::{MediaStack, Transport};
use crate::wide;
use rayon::ThreadPool;
use rayon::prelude::*;
use raywarp_geom::{TraceError, Tracer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Largest number of samples a pixel in one pass; a pass is the grain of progress and of the stopping rules.
const MAX_PASS: u32 = 64;

/// Largest number of samples a pixel where passes are always finished, and a caller who cancels waits for that.
const MAX_WHOLE_PASS: u32 = 8;

/// Renderer of the passes: workers a tile each, waves that belong to the device that traces, or a device as a whole.
pub(crate) enum Passes<'e> {
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
    pub(crate) scene: &'a ShadingScene,
    pub(crate) lens: Lens,
    /// Media that the camera is in.
    pub(crate) media: MediaStack,
    pub(crate) filter: PixelFilter,
    pub(crate) transport: Transport,
    /// Shading of many paths at a time, where there is a text for it.
    pub(crate) vectors: Option<Vectors>,
    pub(crate) tracer: &'a dyn Tracer,
    pub(crate) options: &'a RenderOptions,
    /// Observer that is told of each path; none where nobody listens.
    pub(crate) observer: Option<&'a dyn PathObserver>,
    /// Number of pixels that are rendered.
    pub(crate) pixels: u64,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) start: Instant,
    pub(crate) deadline: Option<Instant>,
    pub(crate) paths: AtomicU64,
    pub(crate) rays: AtomicU64,
    /// Number of vertices, and of those that were shaded in vectors.
    pub(crate) vertices: [AtomicU64; 2],
    /// Waves that no worker uses right now, kept for their memory.
    pub(crate) waves: Mutex<Vec<Wave>>,
    /// `true` once some tile left samples out because the time was over.
    pub(crate) cut_short: AtomicBool,
    /// Number of samples that each pixel had at the start.
    pub(crate) before: u32,
    /// Noise when it was last looked at, as in [`Progress::noise`].
    pub(crate) noise: Mutex<Option<(u32, f64)>>,
}

impl Job<'_> {
    /// Renders passes until a stopping rule holds. Passes end at powers of two, where noise is tested.
    pub(crate) fn run(&self, film: &mut Film, passes: &mut Passes) -> Result<StopReason, RenderError> {
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
