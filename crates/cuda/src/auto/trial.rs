//! Trials of candidates, timed on a GPU.

use super::scene::{camera_rays, hall, scattered};
use super::tune::Stopwatch;
use super::{BatchKind, Promise};
use crate::{
    CudaError, CudaTracer, Device, DeviceBuffer, DeviceHits, DeviceScene, Encoding, LaunchBounds, Query, Stream,
};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, Hit, Ray};
use std::sync::Arc;
use std::time::Instant;

/// Number of rays of a timed launch for each multiprocessor, some three times as many as it holds at once: 800,000 on
/// the 132 of an H200.
const RAYS_PER_MULTIPROCESSOR: usize = 6144;
/// Seconds of launches before anything is timed, as an idle GPU takes some milliseconds to reach its clock.
const WARM_UP: f64 = 0.02;

/// The hall and its rays on a device, on which kernels are timed. One encoding is there at a time.
pub(super) struct Trial {
    device: Device,
    stream: Stream,
    triangles: FlatTriangles,
    /// Binary trees of the hall, each with the largest number of triangles in its leaves.
    trees: Vec<(u32, Bvh2)>,
    scene: Option<(Encoding, Arc<DeviceScene>)>,
    tracer: Option<CudaTracer>,
    /// Rays of each kind, in the order of [`BatchKind::ALL`].
    rays: Vec<DeviceBuffer<Ray>>,
    out: DeviceHits,
}

impl Trial {
    /// Uploads what kernels are timed with to `device`: the hall, its rays, and room for their hits.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn new(device: &Device) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let triangles = hall();
        let camera = camera_rays(device.multiprocessors()? as usize * RAYS_PER_MULTIPROCESSOR);
        let count = camera.len();
        let rays = vec![stream.upload(&camera)?];
        let out = DeviceHits::new(&stream, count, false)?;
        let (trees, scene, tracer) = (Vec::new(), None, None);
        let mut trial = Self { device: device.clone(), stream, triangles, trees, scene, tracer, rays, out };
        // Scattered rays start where the camera's end: any kernel finds that.
        let mut first = None;
        for variant in Promise::Bits.candidates().into_iter().chain(Promise::Fast.candidates()) {
            if trial.prepare(&variant)? {
                first = Some(variant);
                break;
            }
        }
        let first = first.ok_or(CudaError::NoCandidate)?;
        let start = Instant::now();
        trial.time(&first, BatchKind::Coherent)?;
        while start.elapsed().as_secs_f64() < WARM_UP {
            trial.time(&first, BatchKind::Coherent)?;
        }
        let mut hits = vec![Hit::default(); count];
        trial.stream.read(&trial.out.hits, &mut hits)?;
        let [diffuse, occlusion] = scattered(&trial.triangles, &camera, &hits);
        for rays in [diffuse, occlusion] {
            trial.rays.push(trial.stream.upload(&rays)?);
        }
        trial.stream.synchronize()?;
        Ok(trial)
    }

    /// Loads the kernels of `variant` and their tree; returns `false` if the variant cannot run on this device.
    fn prepare(&mut self, variant: &Variant) -> Result<bool, CudaError> {
        if self.tracer.as_ref().is_some_and(|tracer| tracer.variant() == variant) {
            return Ok(true);
        }
        self.tracer = None;
        let made = self
            .scene(variant)
            .and_then(|scene| CudaTracer::over(&self.device, variant, &LaunchBounds::default(), scene));
        match made {
            Ok(tracer) => self.tracer = Some(tracer),
            // The device itself has failed, and would for all others.
            Err(error @ (CudaError::Driver { .. } | CudaError::OldDevice { .. })) => return Err(error),
            Err(_) => {}
        }
        Ok(self.tracer.is_some())
    }

    fn scene(&mut self, variant: &Variant) -> Result<Arc<DeviceScene>, CudaError> {
        let encoding = Encoding::of(variant);
        if let Some((_, scene)) = self.scene.as_ref().filter(|(known, _)| *known == encoding) {
            return Ok(scene.clone());
        }
        // Before the next one, so that memory holds one.
        self.scene = None;
        let options = BuildOptions::default().with_leaf_limit(variant.tree().max_leaf());
        let max_leaf = options.max_leaf;
        if !self.trees.iter().any(|(known, _)| *known == max_leaf) {
            let bvh = build(&self.triangles, &options)?;
            self.trees.push((max_leaf, bvh));
        }
        let Some((_, bvh)) = self.trees.iter().find(|(known, _)| *known == max_leaf) else {
            return Err(CudaError::NoCandidate);
        };
        let scene = Arc::new(DeviceScene::new(&self.device, &self.stream, variant, bvh, &self.triangles)?);
        self.scene = Some((encoding, scene.clone()));
        Ok(scene)
    }
}

impl Stopwatch for Trial {
    fn time(&mut self, variant: &Variant, kind: BatchKind) -> Result<Option<f64>, CudaError> {
        if !self.prepare(variant)? {
            return Ok(None);
        }
        let Some(tracer) = &self.tracer else { return Ok(None) };
        let query = if kind == BatchKind::Any { Query::Any } else { Query::Closest };
        let rays = &self.rays[kind as usize];
        tracer.time(&self.stream, query, rays, rays.len(), &mut self.out).map(Some)
    }

    fn ray_count(&self, kind: BatchKind) -> usize {
        self.rays[kind as usize].len()
    }
}
