//! Renders pictures on one device: batches of paths, and the sums of the film, which stay there.

mod options;

pub use options::EngineOptions;

use crate::RenderCudaError;
use crate::areas;
use crate::batch::{Launched, PathBatch};
use crate::counts::{BatchCounts, PathCounts};
use crate::device_memory::DeviceMemory;
use crate::features::SceneFeatures;
use crate::film::DeviceFilm;
use crate::launch::{BatchRecord, Counters, FrameRecord, RenderRecord, ResultRecord, ShownRecord};
use crate::launches::StageSeconds;
use crate::memory::LeastMemory;
use crate::organisation::{LoadPlace, LoadedOrganisation};
use crate::prebuilt::PATH_KERNELS;
use crate::roofline::Roofline;
use crate::scene::{ArrayRecord, DeviceShading, DeviceTables};
use crate::share::TileShare;
use crate::stage::Stage;
use crate::state::{Layout, State};
use crate::textures::{ImageUse, TextureFilter};
use options::Wanted;
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CudaError, Device, DeviceBuffer, DeviceScene, EncodedScene, Function, Stream};
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, TraceError};
use raywarp_render::film::{Film, Tile};
use raywarp_render::{FilterTable, FrameSettings, Integrator, PassWatch, PathEngine, RenderOptions, ShadingScene};
use std::ops::Range;
use std::sync::Arc;

/// Largest coordinate that scenes may have, 2^58, so that kernels can invert areas of triangles in f32.
const LARGEST_COORDINATE: f32 = 2.882_303_8e17;
/// Smallest extent that scenes may have, 2^-40, so that kernels can invert areas of triangles in f32.
const LEAST_EXTENT: f32 = 9.094_947e-13;

/// Path tracer on one GPU: a scene in its memory, and the kernels that render it.
#[derive(Debug)]
pub struct CudaRenderer {
    device: Device,
    stream: Stream,
    tree: Arc<DeviceScene>,
    shading: DeviceShading,
    features: SceneFeatures,
    organisation: Box<dyn LoadedOrganisation>,
    finalize: Function,
    options: EngineOptions,
    picture: Option<Picture>,
}

/// Picture, or a device's share of one, that is being rendered.
#[derive(Debug)]
struct Picture {
    integrator: Integrator,
    frame: FrameRecord,
    width: u32,
    /// Weights of the pixel filter, kept alive because the frame's parameters hold their address.
    _filter: DeviceBuffer<f32>,
    film: DeviceFilm,
    state: State,
    counts: PathCounts,
    /// Number of samples with invalid radiance that the film was not yet told of.
    invalid: u64,
    /// Seconds that the device took for the batches so far.
    seconds: f64,
    /// Seconds by round and kernel, where they are asked for.
    stage_seconds: Vec<StageSeconds>,
}

impl CudaRenderer {
    /// Encodes the tree `bvh` of `triangles` for kernels with the loop of `variant`; `first_triangle` maps instances to
    /// their first triangles, and rays start at most `farthest_origin` from zero ([`EngineOptions::farthest_origin`]).
    ///
    /// # Errors
    /// [`RenderCudaError`]; [`RenderCudaError::Extent`] and [`RenderCudaError::Areas`] for scenes so large or small,
    /// or with such triangles, that areas are beyond what the kernels decide.
    pub fn encode(
        variant: &Variant,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        farthest_origin: f32,
        first_triangle: impl Fn(u32) -> u32,
    ) -> Result<EncodedScene, RenderCudaError> {
        let bounds = triangles.bounds();
        let extent = bounds.extent().into_iter().fold(0.0, f32::max);
        let farthest = bounds.farthest().max(farthest_origin);
        let is_ordinary = farthest <= LARGEST_COORDINATE && extent >= LEAST_EXTENT;
        if !is_ordinary && !bounds.is_empty() {
            return Err(RenderCudaError::Extent { farthest, extent });
        }
        if let Some((count, area)) = areas::unsure(triangles).filter(|_| variant.tree().holds_pairs()) {
            return Err(RenderCudaError::Areas { count, area });
        }
        let mut encoded = EncodedScene::reaching(variant, bvh, triangles, 0.5 * farthest_origin)?;
        // Kernels want the flat scene's index of a triangle; its order is that of instances and their primitives.
        for [instance, primitive] in &mut encoded.ids {
            *primitive += first_triangle(*instance);
        }
        Ok(encoded)
    }

    /// Returns the least device memory that a tree and a scene take, with a share of `pixels` pixels of a picture of
    /// these options.
    pub fn least_memory(
        encoded: &EncodedScene,
        scene: &ShadingScene,
        engine: &EngineOptions,
        options: &RenderOptions,
        pixels: usize,
    ) -> LeastMemory {
        let records = DeviceShading::bytes_of(scene, &DeviceTables::new());
        let filter = size_of::<f32>() * FilterTable::new(options.filter).numbers.len();
        let layout = engine.layout(&SceneFeatures::of(scene), options);
        let Wanted { paths, rounds, .. } = engine.wanted(options, pixels);
        LeastMemory {
            tree: encoded.bytes(),
            records: records + filter,
            images: ImageUse::of(scene, engine.texture_filter).bytes(scene),
            film: DeviceFilm::bytes(pixels, options.features),
            paths: State::bytes(&layout, paths.min(State::LEAST), 1, rounds),
        }
    }

    /// Uploads a tree that was encoded for kernels with the loop of `variant` to a device.
    ///
    /// # Errors
    /// [`RenderCudaError`].
    pub fn tree(device: &Device, variant: &Variant, encoded: &EncodedScene) -> Result<DeviceScene, RenderCudaError> {
        let stream = device.stream()?;
        let tree = DeviceScene::upload(device, &stream, variant, encoded)?;
        stream.synchronize()?;
        Ok(tree)
    }

    /// Makes a renderer: loads the kernels and uploads the shading tables, beside the [tree](Self::tree) of the same
    /// scene, encoded for the options' organisation.
    ///
    /// # Errors
    /// [`RenderCudaError`]; [`RenderCudaError::Refused`] where the organisation does not know such scenes.
    pub fn new(
        device: &Device,
        tree: Arc<DeviceScene>,
        scene: &ShadingScene,
        options: EngineOptions,
    ) -> Result<Self, RenderCudaError> {
        let stream = device.stream()?;
        let shading = DeviceShading::upload(device, &stream, scene, &ImageUse::of(scene, options.texture_filter))?;
        let features = SceneFeatures::of(scene);
        let options = options.of_device(device.multiprocessors()?);
        let place = LoadPlace { device, stream: &stream, scene, features: &features };
        let organisation = options.organisation.load(&place)?;
        let finalize = PATH_KERNELS.plain(device, "finalize_film")?;
        stream.synchronize()?;
        Ok(Self {
            device: device.clone(),
            stream,
            tree,
            shading,
            features,
            organisation,
            finalize,
            options,
            picture: None,
        })
    }

    /// Returns the work counts of the current picture, or of the last one.
    pub fn counts(&self) -> PathCounts {
        self.picture.as_ref().map(|picture| picture.counts.clone()).unwrap_or_default()
    }

    /// Returns the seconds that the device took so far for the batches of the current or last picture, from camera to
    /// film sums, by events.
    pub fn device_seconds(&self) -> f64 {
        self.picture.as_ref().map_or(0.0, |picture| picture.seconds)
    }

    /// Returns the device seconds of each kernel by round or bounce of that picture, if the organisation [asks for
    /// them](crate::PathOrganisation::is_timed); else, and for a [graph](crate::Organisation::Graph), nothing. Launches
    /// that belong to no round stand in the first one: that which adds to the film, and those of organisations without
    /// rounds.
    pub fn stage_seconds(&self) -> &[StageSeconds] {
        self.picture.as_ref().map_or(&[], |picture| &picture.stage_seconds)
    }

    /// Returns the name and function of the kernel that holds paths in its lanes; `None` in organisations without one.
    pub fn lane_kernel(&self) -> Option<(String, &Function)> {
        self.organisation.lane_kernel()
    }

    /// Returns the GPU that renders.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the roofline model that predicts rendering times with these options; `None` if the driver does not tell
    /// the GPU's peak rates. Asks the driver.
    pub fn roofline(&self, options: &RenderOptions) -> Option<Roofline> {
        let organisation = self.options.organisation.clone();
        Some(Roofline { rates: self.device.peak_rates()?, layout: self.layout(options), organisation })
    }

    /// Returns the device memory that a picture with these options takes.
    pub fn memory(&self, options: &RenderOptions) -> DeviceMemory {
        DeviceMemory {
            ordinal: self.device.ordinal(),
            name: self.device.name().to_string(),
            free: self.device.free_memory().ok().map(|free| free as u64),
            tree: self.tree.bytes() as u64,
            shading: self.shading.bytes() as u64,
            sampled_images: (self.options.texture_filter == TextureFilter::Hardware)
                .then(|| self.shading.sampled_images()),
            path: self.layout(options).bytes(),
            paths: self.options.paths,
            results: self.options.queues_per_batch.max(1),
        }
    }

    /// Checks that about `pixels` pixels of a picture with these options fit into device memory beside the scene, with
    /// the fewest paths in flight.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn check_picture(&self, options: &RenderOptions, pixels: usize) -> Result<(), CudaError> {
        // Half of what is left after the film goes to paths; shares differ by some tiles, and allocators round up.
        let film = DeviceFilm::bytes(pixels, options.features);
        let paths = State::LEAST * self.layout(options).bytes().total_with(1);
        self.device.check_room("the picture", film + film / 10 + 2 * paths)
    }

    fn layout(&self, options: &RenderOptions) -> Layout {
        self.options.layout(&self.features, options)
    }

    fn render_record(&self, picture: &mut Picture) -> RenderRecord {
        let stream = &self.stream;
        let state = picture.state.records(stream);
        RenderRecord {
            scene: self.shading.record(),
            tree: self.tree.tree(stream),
            frame: picture.frame,
            batch: BatchRecord::default(),
            results: ResultRecord {
                radiance: state.radiance,
                first_hits: state.first_hits,
                depths: state.depths,
                film_pixels: picture.film.sums.address_mut(stream),
                film_features: picture.film.features.as_mut().map_or(0, |features| features.address_mut(stream)),
            },
            queue: state.queues[0],
            next: state.queues[1],
            hits: state.hits,
            shadows: state.shadows,
            capacity: picture.state.paths() as u32,
            rounds_kept: picture.state.rounds.len() as u32,
            counters: state.counters,
            rounds: state.rounds,
            order: state.order,
            shown: ShownRecord::new(picture.integrator),
        }
    }

    fn begin_picture(&mut self, frame: &FrameSettings<'_>, film: &Film, share: TileShare) -> Result<(), CudaError> {
        // Nothing of an earlier picture is fetched, should this one fail.
        self.picture = None;
        let (stream, width) = (&self.stream, frame.options.size[0]);
        let film =
            DeviceFilm::upload(&self.device, stream, film, share, (width, self.options.organisation.pixel_order()))?;
        let layout = self.layout(frame.options);
        let numbers = frame.filter().numbers;
        let (filter, count) = (stream.upload(&numbers)?, numbers.len() as u64);
        let Wanted { paths, batch, rounds } = self.options.wanted(frame.options, film.pixels.len());
        let picture = Picture {
            integrator: frame.options.integrator,
            frame: FrameRecord::new(frame, ArrayRecord { first: filter.address(stream), count }),
            width,
            _filter: filter,
            film,
            state: State::new(&self.device, stream, &layout, paths, batch, rounds)?,
            counts: PathCounts::default(),
            invalid: 0,
            seconds: 0.0,
            stage_seconds: Vec::new(),
        };
        self.picture = Some(picture);
        stream.synchronize()
    }

    fn render_pass(&self, picture: &mut Picture, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), CudaError> {
        let (pixels, paths) = (picture.film.pixels.len(), picture.state.results());
        if pixels == 0 {
            // A small picture has fewer tiles than there are devices.
            return Ok(());
        }
        // As many pixels as fit in equal parts, and of those as many samples as fit.
        let parts = pixels.div_ceil(paths);
        let part = pixels.div_ceil(parts);
        let at_once = (paths / part).max(1) as u32;
        for first in (0..pixels).step_by(part) {
            let count = part.min(pixels - first);
            let mut next = samples.start;
            while next < samples.end {
                if !watch.goes_on() {
                    return Ok(());
                }
                let sample_count = at_once.min(samples.end - next);
                let mut render = self.render_record(picture);
                render.batch = BatchRecord {
                    pixels: picture.film.pixels.address(&self.stream),
                    first_pixel: first as u32,
                    pixel_count: count as u32,
                    first_sample: next,
                    sample_count,
                    path_count: count as u32 * sample_count,
                    width: picture.width,
                };
                let counters = self.trace(picture, render)?;
                picture.invalid += u64::from(counters.invalid_samples);
                watch.report(u64::from(render.batch.path_count), counters.rays());
                next += sample_count;
            }
        }
        Ok(())
    }

    /// Traces all paths of a batch to their ends, from the camera to the film's sums, and returns the kernels'
    /// counters.
    fn trace(&self, picture: &mut Picture, render: RenderRecord) -> Result<Counters, CudaError> {
        let stream = &self.stream;
        let begin = stream.mark()?;
        picture.state.clear_counts(stream)?;
        let (paths, pixels, max_depth) = (render.batch.path_count, render.batch.pixel_count, picture.frame.max_depth);
        let shown = (picture.integrator, picture.film.features.is_some(), max_depth);
        let kept = (&mut picture.state, &mut picture.stage_seconds);
        let mut batch = PathBatch::new(stream, kept, render, shown, self.options.organisation.is_timed());
        self.organisation.trace(&mut batch)?;
        batch.begin_round(0);
        batch.lanes(Stage::FINALIZE, &self.finalize, pixels)?;
        let end = stream.mark()?;
        let Launched { counters, launches, graphs, refilled } = batch.ended()?;
        picture.seconds += begin.seconds_until(&end)?;
        // Blocks that take paths to their ends count bounces of their own, and not how many all of them had.
        let counted = if counters.rounds == 0 { max_depth.saturating_add(1) } else { counters.rounds };
        let mut rounds = vec![[0; 2]; picture.state.rounds.len().min(counted as usize)];
        if !rounds.is_empty() {
            stream.read(&picture.state.rounds, &mut rounds)?;
        }
        let batch = BatchCounts { paths: u64::from(paths), launches, counters, rounds, refilled };
        let layout = *picture.state.layout();
        let moves = |counts: &PathCounts| self.options.organisation.moves(&layout, counts);
        picture.counts.add_batch(&layout, &batch, moves);
        picture.counts.graphs += graphs;
        Ok(counters)
    }

    fn with_picture<T>(
        &mut self,
        work: impl FnOnce(&Self, &mut Picture) -> Result<T, CudaError>,
    ) -> Result<T, TraceError> {
        let mut picture = self.picture.take().ok_or_else(|| TraceError::Device("no picture was begun".into()))?;
        let done = work(self, &mut picture);
        self.picture = Some(picture);
        done.map_err(failed)
    }
}

#[allow(clippy::needless_pass_by_value)] // For map_err.
fn failed(error: CudaError) -> TraceError {
    TraceError::Device(error.to_string())
}

impl CudaRenderer {
    /// Begins a picture as [`PathEngine::begin`] does, but only the tiles in `share`.
    pub(crate) fn begin_share(
        &mut self,
        frame: &FrameSettings<'_>,
        film: &Film,
        share: TileShare,
    ) -> Result<(), TraceError> {
        let origin = frame.lens().farthest_origin();
        if let Some(reach) = self.tree.reach().filter(|reach| origin > 2.0 * reach) {
            let limit = 2.0 * reach;
            let text = format!(
                "the camera is {origin:e} from zero, and the scene on the GPU is for rays from up to {limit:e}"
            );
            return Err(TraceError::Device(text));
        }
        if !self.organisation.renders(frame.options.integrator, film.has_features()) {
            let name = self.options.organisation.name();
            return Err(TraceError::Device(format!("the kernels on the GPU ({name}) render other pictures than this")));
        }
        self.organisation.check(&self.device, &self.layout(frame.options))?;
        self.begin_picture(frame, film, share).map_err(failed)
    }

    /// Copies finished pixels to the host as [`PathEngine::fetch`] does, for the share's tiles in the film's order.
    pub(crate) fn fetch_tiles(&mut self, tiles: &mut [&mut Tile]) -> Result<(), TraceError> {
        if self.picture.is_none() {
            return Ok(());
        }
        self.with_picture(|renderer, picture| {
            let invalid = std::mem::take(&mut picture.invalid);
            picture.film.fetch(&renderer.stream, tiles, invalid)
        })
    }
}

impl PathEngine for CudaRenderer {
    fn begin(&mut self, frame: &FrameSettings<'_>, film: &Film) -> Result<(), TraceError> {
        self.begin_share(frame, film, TileShare::ALL)
    }

    fn pass(&mut self, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), TraceError> {
        self.with_picture(|renderer, picture| renderer.render_pass(picture, samples, watch))
    }

    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError> {
        self.fetch_tiles(&mut film.tiles_mut().iter_mut().collect::<Vec<_>>())
    }
}

impl Drop for CudaRenderer {
    fn drop(&mut self) {
        // After an error kernels may still walk the tree, which is freed in the order of another stream. The first call
        // may only tell of an earlier failure; where the second fails too there is nothing left to wait for.
        let _ = self.stream.synchronize().or_else(|_| self.stream.synchronize());
    }
}
