//! Paths that GPUs take from the camera to the film.

use crate::gpu::fitting;
use crate::prepared::{PrepareError, Prepared, check_memory};
use raywarp_bvh::build;
use raywarp_cuda::{Device, side_by_side};
use raywarp_render::film::Film;
use raywarp_render::{PathEngine, RenderError, RenderOptions, Rendered, Watch};
use raywarp_render_cuda::{CudaRenderer, CudaRenderers, EngineOptions, RenderCudaError, tree_variant};
use raywarp_scene::{Camera, flatten};
use std::sync::Arc;

impl Prepared {
    /// The scene on `devices`, which together are the engine of [`render_with`](Self::render_with): tree, what shading
    /// reads, and kernels on each, uploaded side by side. Of the lights there are those of now; of cameras it takes those that
    /// `options.farthest_origin` covers.
    ///
    /// # Errors
    /// [`PrepareError`]; of devices that fail the first one's.
    /// # Panics
    /// Without a device.
    pub fn paths_on(&self, devices: &[Device], options: EngineOptions) -> Result<CudaRenderers, PrepareError> {
        let renderers = self.renderers_on(devices, options)?.into_iter().zip(devices).map(|(renderer, device)| {
            renderer.map_err(|error| PrepareError::Gpu { ordinal: device.ordinal(), error: Box::new(error) })
        });
        Ok(CudaRenderers::new(renderers.collect::<Result<_, _>>()?))
    }

    /// As [`paths_on`](Self::paths_on), for those who can do without some of the devices: what became of each.
    ///
    /// # Errors
    /// [`PrepareError`] where no device can be given the scene.
    pub fn renderers_on(
        &self,
        devices: &[Device],
        options: EngineOptions,
    ) -> Result<Vec<Result<CudaRenderer, RenderCudaError>>, PrepareError> {
        let (scene, shading) = (self.scene(), self.shading().map_err(Box::new)?);
        check_memory(scene.triangle_count())?;
        let triangles = flatten(scene)?;
        let fits = fitting(self.build_options(), &tree_variant()?);
        let own = if fits == *self.build_options() { None } else { Some(build(&triangles, &fits)?) };
        // As placements of the flat scene are counted.
        let mut first = Vec::with_capacity(scene.instances.len());
        let mut next = 0u32;
        for instance in &scene.instances {
            first.push(next);
            next += scene.meshes[instance.mesh.index()].triangles.indices.len() as u32;
        }
        let (bvh, farthest) = (own.as_ref().unwrap_or(self.bvh()), options.farthest_origin);
        let encoded = CudaRenderer::encode(bvh, &triangles, farthest, |instance| first[instance as usize])?;
        drop(triangles);
        Ok(side_by_side(devices, |device| {
            let tree = Arc::new(CudaRenderer::tree(device, &encoded)?);
            CudaRenderer::new(device, tree, shading, options)
        }))
    }

    /// As [`render_onto`](Self::render_onto), with paths that `engine` takes: one that [`paths_on`](Self::paths_on) has
    /// made of this scene.
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
        raywarp_render::render_with(self.shading()?, camera, self.tracer(), options, watch, film, engine)
    }
}
