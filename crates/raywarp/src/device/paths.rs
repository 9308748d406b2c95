//! Paths that GPUs take from the camera to the film.

use super::GpuTree;
use super::kernels::fitting;
use crate::prepare::{PrepareError, check_memory};
use crate::render::Prepared;
use raywarp_bvh::{Bvh2, build};
use raywarp_cuda::{Device, EncodedScene, side_by_side};
use raywarp_family::Variant;
use raywarp_geom::FlatTriangles;
use raywarp_render::film::{Film, Window};
use raywarp_render::{PathEngine, RenderError, RenderOptions, Rendered, ShadingScene, Watch};
use raywarp_render_cuda::{CudaRenderer, CudaRenderers, EngineOptions, LeastMemory, PATH_VARIANT, RenderCudaError};
use raywarp_scene::{Camera, Description, flatten};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The parts of a scene that are kept for GPUs that take paths as a whole, beside the CPU's tracer through the same
/// tree.
pub(crate) struct ForPaths {
    pub(crate) tree: GpuTree,
    pub(crate) triangles: Arc<FlatTriangles>,
    pub(crate) encoding: Encoding,
}

/// The tree of a scene on its way to what kernels walk: made by a thread of its own, beside what comes next.
pub(crate) struct Encoding(Mutex<Option<JoinHandle<Result<EncodedScene, RenderCudaError>>>>);

impl Encoding {
    /// Begins, for rays that start where the scene is or near it.
    pub(crate) fn begin(scene: &Description, bvh: &Arc<Bvh2>, triangles: &Arc<FlatTriangles>) -> Self {
        let (firsts, bvh, triangles) = (first_triangles(scene), bvh.clone(), triangles.clone());
        // Where there is no thread to be had it is made when it is asked for.
        let begun = std::thread::Builder::new().spawn(move || {
            let variant = EngineOptions::default().variant()?;
            encode(&variant, &bvh, &triangles, 0.0, &firsts)
        });
        Self(Mutex::new(begun.ok()))
    }

    /// Returns the encoded tree, once it is done; `None` where it was taken before.
    fn take(&self) -> Option<Result<EncodedScene, RenderCudaError>> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(begun.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Returns for each instance the index of its first triangle among the placements of the flat scene.
fn first_triangles(scene: &Description) -> Vec<u32> {
    let mut next = 0u32;
    let counts = scene.instances.iter().map(|instance| scene.meshes[instance.mesh.index()].triangles.indices.len());
    counts
        .map(|count| {
            let first = next;
            next += count as u32;
            first
        })
        .collect()
}

/// A scene as GPUs that take paths are given it: what shading reads, and the tree of blocks.
struct Upload<'a> {
    shading: &'a ShadingScene,
    encoded: EncodedScene,
    engine: EngineOptions,
}

impl Upload<'_> {
    /// Returns the memory that the scene takes of one of so many `devices` that share a picture.
    fn needed(&self, picture: &RenderOptions, devices: usize) -> Result<LeastMemory, PrepareError> {
        let window = Window::new(picture.size, picture.crop).map_err(|error| Box::new(RenderError::Film(error)))?;
        // Shares differ by some tiles.
        let share = window.pixel_count().div_ceil(devices);
        let share = if devices == 1 { share } else { share + share.div_ceil(10) };
        Ok(CudaRenderer::least_memory(&self.encoded, self.shading, &self.engine, picture, share))
    }

    fn onto(&self, device: &Device) -> Result<CudaRenderer, RenderCudaError> {
        let tree = Arc::new(CudaRenderer::tree(device, &self.engine.variant()?, &self.encoded)?);
        CudaRenderer::new(device, tree, self.shading, self.engine.clone())
    }
}

fn encode(
    variant: &Variant,
    bvh: &Bvh2,
    triangles: &FlatTriangles,
    farthest_origin: f32,
    first_triangles: &[u32],
) -> Result<EncodedScene, RenderCudaError> {
    CudaRenderer::encode(variant, bvh, triangles, farthest_origin, |instance| first_triangles[instance as usize])
}

impl Prepared {
    /// Puts the scene on `devices`, which together are the engine of [`render_with`](Self::render_with) for a
    /// `picture`: tree, what shading reads, and kernels on each, uploaded side by side, and nothing on any where one
    /// has no room for these and its share of the picture. Of the lights there are those of now; of cameras it takes
    /// those that `engine.farthest_origin` covers.
    ///
    /// # Errors
    /// [`PrepareError`]; of devices that fail the first one's.
    /// # Panics
    /// Without a device.
    pub fn paths_on(
        &self,
        devices: &[Device],
        engine: EngineOptions,
        picture: &RenderOptions,
    ) -> Result<CudaRenderers, PrepareError> {
        let of_device =
            |device: &Device, error| PrepareError::Gpu { ordinal: device.ordinal(), error: Box::new(error) };
        let upload = self.upload(engine)?;
        let needed = upload.needed(picture, devices.len())?;
        for device in devices {
            needed.check(device).map_err(|error| of_device(device, error))?;
        }
        let renderers = side_by_side(devices, |device| upload.onto(device)).into_iter().zip(devices);
        let renderers = renderers.map(|(renderer, device)| renderer.map_err(|error| of_device(device, error)));
        Ok(CudaRenderers::new(renderers.collect::<Result<_, _>>()?))
    }

    /// Puts the scene on devices as [`paths_on`](Self::paths_on) does, for callers that can do without some of them,
    /// which share the picture with `others`: what became of each.
    ///
    /// # Errors
    /// [`PrepareError`] where no device can be given the scene.
    pub fn renderers_on(
        &self,
        devices: &[Device],
        others: usize,
        engine: EngineOptions,
        picture: &RenderOptions,
    ) -> Result<Vec<Result<CudaRenderer, RenderCudaError>>, PrepareError> {
        let upload = self.upload(engine)?;
        let needed = upload.needed(picture, devices.len() + others)?;
        Ok(side_by_side(devices, |device| {
            needed.check(device)?;
            upload.onto(device)
        }))
    }

    fn upload(&self, engine: EngineOptions) -> Result<Upload<'_>, PrepareError> {
        let shading = self.shading().map_err(Box::new)?;
        Ok(Upload { shading, encoded: self.encoded(&engine)?, engine })
    }

    /// Encodes the tree as the kernels of an `engine` want it, for rays of cameras that it covers.
    ///
    /// # Errors
    /// [`PrepareError`].
    pub fn encoded(&self, engine: &EngineOptions) -> Result<EncodedScene, PrepareError> {
        let (variant, farthest_origin) = (engine.variant()?, engine.farthest_origin);
        if let Some(paths) = self.for_paths().filter(|_| engine.organisation.variant() == PATH_VARIANT) {
            // Farther away boxes have to grow; elsewhere it is the same tree.
            let is_near = farthest_origin <= 2.0 * self.bounds().farthest();
            let begun = paths.encoding.take().filter(|_| is_near);
            if let Some(encoded) = begun {
                return Ok(encoded?);
            }
            let firsts = first_triangles(self.scene());
            return Ok(encode(&variant, self.shared_bvh(), &paths.triangles, farthest_origin, &firsts)?);
        }
        let scene = self.scene();
        check_memory(scene.triangle_count())?;
        let triangles = flatten(scene)?;
        let fits = fitting(self.build_options(), &variant);
        let own = if fits == *self.build_options() { None } else { Some(build(&triangles, &fits)?) };
        let bvh = own.as_ref().unwrap_or(self.bvh());
        Ok(encode(&variant, bvh, &triangles, farthest_origin, &first_triangles(scene))?)
    }

    /// Renders as [`render_onto`](Self::render_onto) does, with paths that `engine` takes: one that
    /// [`paths_on`](Self::paths_on) has made of this scene.
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render_with(
        &self,
        camera: &Camera,
        options: &RenderOptions,
        watch: &Watch,
        film: Film,
        engine: &mut dyn PathEngine,
    ) -> Result<Rendered, RenderError> {
        raywarp_render::render_with(self.shading()?, camera, self.backend.late_tracer(), options, watch, film, engine)
    }
}
