//! Paths that GPUs take from the camera to the film.

use super::GpuTree;
use super::kernels::fitting;
use crate::prepare::{PrepareError, check_memory};
use crate::render::Prepared;
use raywarp_bvh::{Bvh2, build};
use raywarp_cuda::{Device, EncodedScene, side_by_side};
use raywarp_family::Variant;
use raywarp_geom::FlatTriangles;
use raywarp_render::film::Window;
use raywarp_render::{RenderError, RenderOptions, ShadingScene};
use raywarp_render_cuda::{CudaRenderer, CudaRenderers, EngineOptions, LeastMemory, PATH_VARIANT, RenderCudaError};
use raywarp_scene::{Description, flatten};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Parts of a scene kept for GPUs that trace whole paths, beside the CPU tracer over the same tree.
pub(crate) struct ForPaths {
    pub(crate) tree: GpuTree,
    pub(crate) triangles: Arc<FlatTriangles>,
    pub(crate) encoding: Encoding,
}

/// Encoding of a scene's tree for GPU path tracing, by a background thread.
pub(crate) struct Encoding(Mutex<Option<JoinHandle<Result<EncodedScene, RenderCudaError>>>>);

impl Encoding {
    /// Begins the encoding, for rays that start within the scene or near it.
    pub(crate) fn begin(scene: &Description, bvh: &Arc<Bvh2>, triangles: &Arc<FlatTriangles>) -> Self {
        let (firsts, bvh, triangles) = (first_triangles(scene), bvh.clone(), triangles.clone());
        // Where there is no thread to be had it is made when it is asked for.
        let begun = std::thread::Builder::new().spawn(move || encode(&PATH_VARIANT, &bvh, &triangles, 0.0, &firsts));
        Self(Mutex::new(begun.ok()))
    }

    /// Waits for the encoded tree and returns it; `None` if it was taken before.
    fn take(&self) -> Option<Result<EncodedScene, RenderCudaError>> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(begun.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Returns for each instance the index of its first triangle in the flattened scene.
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

/// Scene as it is uploaded to GPUs that trace whole paths: shading tables and encoded tree.
struct Upload<'a> {
    shading: &'a ShadingScene,
    encoded: EncodedScene,
    engine: EngineOptions,
}

impl Upload<'_> {
    /// Returns the memory that the scene and a picture take on each of `devices` GPUs that share the picture.
    fn needed(&self, picture: &RenderOptions, devices: usize) -> Result<LeastMemory, PrepareError> {
        let window = Window::new(picture.size, picture.crop).map_err(|error| Box::new(RenderError::Film(error)))?;
        // Shares differ by some tiles.
        let share = window.pixel_count().div_ceil(devices);
        let share = if devices == 1 { share } else { share + share.div_ceil(10) };
        Ok(CudaRenderer::least_memory(&self.encoded, self.shading, &self.engine, picture, share))
    }

    fn onto(&self, device: &Device) -> Result<CudaRenderer, RenderCudaError> {
        let tree = Arc::new(CudaRenderer::tree(device, &self.engine.variant(), &self.encoded)?);
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
    /// Uploads the scene and kernels to `devices`, which together are an engine of [`render`](Self::render) for a
    /// `picture`; an error on any of them leaves nothing on all. Of the lights there are those of now; of cameras it
    /// takes those that `engine.farthest_origin` covers.
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

    /// Uploads the scene to devices as [`paths_on`](Self::paths_on) does, and returns a result for each device, for
    /// callers that can do without some; `others` more share the picture.
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
        if !shading.is_flat() {
            return Err(PrepareError::TwoLevels);
        }
        Ok(Upload { shading, encoded: self.encoded(&engine)?, engine })
    }

    /// Returns the tree encoded for the path kernels of an `engine`, valid for the origins of its camera rays.
    ///
    /// # Errors
    /// [`PrepareError`].
    pub fn encoded(&self, engine: &EngineOptions) -> Result<EncodedScene, PrepareError> {
        let (variant, farthest_origin) = (engine.variant(), engine.farthest_origin);
        let bvh = self.bvh().ok_or(PrepareError::TwoLevels)?;
        if let Some(paths) = self.for_paths().filter(|_| variant == PATH_VARIANT) {
            // Farther away boxes have to grow; elsewhere it is the same tree.
            let is_near = farthest_origin <= 2.0 * self.bounds().farthest();
            let begun = paths.encoding.take().filter(|_| is_near);
            if let Some(encoded) = begun {
                return Ok(encoded?);
            }
            let firsts = first_triangles(self.scene());
            return Ok(encode(&variant, bvh, &paths.triangles, farthest_origin, &firsts)?);
        }
        let scene = self.scene();
        check_memory(scene.triangle_count())?;
        let triangles = flatten(scene)?;
        let fits = fitting(self.build_options(), &variant);
        let own = if fits == *self.build_options() { None } else { Some(build(&triangles, &fits)?) };
        let bvh = own.as_ref().unwrap_or(bvh);
        Ok(encode(&variant, bvh, &triangles, farthest_origin, &first_triangles(scene))?)
    }
}
