//! A render in work: passes over tiles, workers, stopping rules.

use crate::engine::{FrameSettings, PassWatch, PathEngine};
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

/// Largest number of samples per pixel in one pass, the step in which progress is reported and stopping rules are
/// tested.
const MAX_PASS: u32 = 64;

/// Largest number of samples per pixel in a pass that is always finished, for which a caller who cancels must wait.
const MAX_WHOLE_PASS: u32 = 8;

/// How passes are rendered: tile by tile on workers, in large waves for the device that traces rays, or by a device as
/// a whole.
pub(crate) enum Passes<'e> {
    Tiles,
    /// Large waves of this number of paths, whose rays go to a device.
    Wide(usize),
    /// A device that renders whole paths, with the time at which the film was last fetched from it.
    Engine(&'e mut dyn PathEngine, Instant),
}

/// Time between two fetches of the film from a device, beyond which no samples are lost if the device fails.
const FETCH_TIME: Duration = Duration::from_secs(10);

impl Passes<'_> {
    /// Copies the samples rendered so far into the film.
    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError> {
        let Self::Engine(engine, fetched) = self else { return Ok(()) };
        engine.fetch(film)?;
        *fetched = Instant::now();
        Ok(())
    }

    /// Returns `true` if it is time to fetch the film from the device again.
    fn is_old(&self) -> bool {
        matches!(self, Self::Engine(_, fetched) if fetched.elapsed() >= FETCH_TIME)
    }
}

/// Render in progress: its scene, settings and counts.
pub(crate) struct Job<'a> {
    pub(crate) scene: &'a ShadingScene,
    pub(crate) lens: Lens,
    /// Media that the camera is in.
    pub(crate) media: MediaStack,
    pub(crate) filter: PixelFilter,
    pub(crate) transport: Transport,
    /// Shading by vector code, if this CPU and scene have it.
    pub(crate) vectors: Option<Vectors>,
    pub(crate) tracer: &'a dyn Tracer,
    pub(crate) options: &'a RenderOptions,
    /// Observer of the paths, if there is one that listens.
    pub(crate) observer: Option<&'a dyn PathObserver>,
    /// Number of pixels to render.
    pub(crate) pixels: u64,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) start: Instant,
    pub(crate) deadline: Option<Instant>,
    pub(crate) paths: AtomicU64,
    pub(crate) rays: AtomicU64,
    /// Numbers of scattering vertices, and of those that vector code shaded.
    pub(crate) vertices: [AtomicU64; 2],
    /// Unused waves, kept for their memory.
    pub(crate) waves: Mutex<Vec<Wave>>,
    /// `true` once a tile left samples out because the time limit was reached.
    pub(crate) cut_short: AtomicBool,
    /// Number of samples that each pixel had at the start.
    pub(crate) before: u32,
    /// Noise as last measured: see [`Progress::noise`].
    pub(crate) noise: Mutex<Option<(u32, f64)>>,
}

impl Job<'_> {
    /// Renders passes until a stopping rule holds, and returns which. Passes end at powers of two, where noise is
    /// tested.
    pub(crate) fn run(&self, film: &mut Film, passes: &mut Passes) -> Result<StopReason, RenderError> {
        if let Passes::Engine(engine, _) = passes {
            let (options, lens, filter) = (self.options, &self.lens, &self.filter);
            engine.begin(&FrameSettings { options, lens, filter, media: self.media }, film)?;
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

    /// Returns `true` if noise is to be measured at this number of samples per pixel: at the start and at powers of
    /// two.
    fn looks_for_noise(&self, samples: u32) -> bool {
        self.options.noise_limit.is_some() && samples >= 2 && (samples.is_power_of_two() || samples == self.before)
    }

    /// Returns `true` if the film's noise is at or below its limit.
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

    /// Returns `true` if a wave that has begun is to be abandoned, since the caller cancelled.
    pub(crate) fn gives_up(&self) -> bool {
        self.is_cancelled() && !self.options.whole_passes
    }

    /// Returns `true` if more waves of these samples should begin, and records if some are left out because time is
    /// over.
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

    /// Fills a wave with the camera rays of pixels and samples.
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

    /// Adds the results of a finished wave to the film's tile.
    pub(crate) fn finalize(&self, wave: &Wave, tile: &mut Tile) {
        finalize(wave, self.options.size[0], tile);
    }

    /// Traces waves to the end of their paths; returns `false` if they were abandoned.
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

    /// Counts finished waves, and reports them to the caller's watch and the observer.
    pub(crate) fn report(&self, waves: &[Wave]) {
        let paths = waves.iter().map(|wave| wave.pixel.len() as u64).sum();
        for wave in waves {
            for (total, more) in self.vertices.iter().zip([wave.queues.vertices, wave.queues.in_vectors]) {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
        self.count(paths, waves.iter().map(|wave| wave.rays_traced).sum());
    }

    /// Counts finished paths and rays, and reports progress to the caller's watch.
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

/// Tells the observer of the paths of a wave that are about to be extended, with their rays.
fn tell_of_paths(observer: &dyn PathObserver, wave: &Wave) {
    for (path, ray) in wave.paths.iter().zip(&wave.rays) {
        observer.alive(path.pixel, path.sample, wave.bounce);
        observer.ray(path.pixel, path.sample, wave.bounce, ray);
    }
}

/// Tells the observer of the connections to lights that a wave's paths try.
fn tell_of_connections(observer: &dyn PathObserver, wave: &Wave) {
    let ShadowQueue { rays, slots, contributions, media: _ } = &wave.shadow;
    for ((&slot, ray), &contribution) in slots.iter().zip(rays).zip(contributions) {
        let (pixel, sample) = (wave.pixel[slot as usize], wave.sample[slot as usize]);
        observer.connection(pixel, sample, wave.bounce, ray, contribution.into());
    }
}

/// Pass of a render, as the device that renders it watches it.
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
