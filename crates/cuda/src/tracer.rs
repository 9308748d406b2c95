//! Tracer that runs a kernel of the family on a GPU.

mod host;

use crate::launch::{Launch, WARP, WARP_STACK_BYTES};
use crate::names::{BLOCK_THREADS, fallback_variant};
use crate::{
    CudaError, Device, DeviceBuffer, DeviceScene, DeviceSlice, DeviceSliceMut, Encoding, Event, Function, LaunchBounds,
    Query, Stream,
};
use raywarp_bvh::Bvh2;
use raywarp_family::{Supply, Variant};
use raywarp_geom::{BatchStats, FlatTriangles, Hit, KernelName, Ray};
use std::sync::{Arc, Mutex, PoisonError};

/// Rays of one launch at most: 2^31 less room for what warps ask in vain.
const MOST_RAYS: usize = 1 << 30;

/// A kernel of the family over a scene on a GPU.
#[derive(Debug)]
pub struct CudaTracer {
    device: Device,
    variant: Variant,
    scene: Arc<DeviceScene>,
    /// Threads of a block.
    block_threads: u32,
    closest: Kernel,
    any: Kernel,
    /// Behind each of the two, for what it leaves.
    fallback: Option<[Kernel; 2]>,
    /// Names of the kernels, and of those behind them, as batches give them.
    names: [KernelName; 2],
    /// Stacks of rays that move between lanes, for the larger of both grids.
    stacks: DeviceBuffer<u8>,
    /// Event of the last launch that uses the stacks: they are for one at a time.
    stacks_free: Mutex<Option<Event>>,
    /// Rays of a batch from the host that go to the device at once, at most.
    portion: usize,
    /// Streams and buffers for host rays that no caller uses right now.
    idle: Mutex<Vec<host::Area>>,
}

#[derive(Debug)]
struct Kernel {
    function: Function,
    /// Blocks that fill the device.
    resident: u32,
}

impl Kernel {
    fn find(device: &Device, variant: &Variant, query: Query, bounds: &LaunchBounds) -> Result<Self, CudaError> {
        let function = bounds
            .kernel(device, variant, query)?
            .ok_or_else(|| CudaError::NoKernel { variant: Box::new(*variant) })?;
        let resident = function.resident_blocks(device, bounds.threads())?;
        Ok(Self { function, resident })
    }
}

/// Device memory for the results of a launch; see [`raywarp_geom::Tracer`] for what the fields mean.
#[derive(Debug)]
pub struct DeviceHits {
    /// Hits, one a ray. Any-hit: written only for rays with a bit in `undecided`.
    pub hits: DeviceBuffer<Hit>,
    /// Instances of the hits, one a ray, or empty.
    pub instances: DeviceBuffer<u32>,
    /// Bits of the blocked rays, a bit a ray: something opaque blocks it.
    pub blocked: DeviceBuffer<u32>,
    /// Bits of the undecided rays, a bit a ray: its first candidate is not opaque.
    pub undecided: DeviceBuffer<u32>,
    /// Working memory of the launch.
    pub work: LaunchWork,
}

/// Memory that a launch needs beside rays and results: one for each launch that is on its way.
#[derive(Debug)]
pub struct LaunchWork {
    /// The global counter of rays, then how many were invalid, how many were traced again, and the counter of the
    /// launch that did that.
    counters: DeviceBuffer<u32>,
}

impl LaunchWork {
    /// Makes the working memory for launches of any number of rays.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn new(stream: &Stream) -> Result<Self, CudaError> {
        Ok(Self { counters: stream.zeros(4)? })
    }

    /// Returns how many rays of the last launch were invalid, and how many were traced again: two numbers, to copy
    /// behind it on the same stream.
    pub fn counts(&self) -> DeviceSlice<'_, u32> {
        self.counters.view().part(1..3)
    }
}

/// Where a launch puts what it finds, in memory of [`DeviceHits`] or of somebody else's; see [`raywarp_geom::Tracer`]
/// for what the fields mean.
#[derive(Debug)]
pub struct DeviceHitsMut<'a> {
    /// Hits, one a ray. Any-hit: written only for rays with a bit in `undecided`.
    pub hits: DeviceSliceMut<'a, Hit>,
    /// Instances of the hits, one a ray, or [`EMPTY`](DeviceSliceMut::EMPTY) where nobody wants them.
    pub instances: DeviceSliceMut<'a, u32>,
    /// Bits of the blocked rays, a bit a ray: something opaque blocks it. Closest-hit: may be empty.
    pub blocked: DeviceSliceMut<'a, u32>,
    /// Bits of the undecided rays, a bit a ray: its first candidate is not opaque. Closest-hit: may be empty.
    pub undecided: DeviceSliceMut<'a, u32>,
    /// Working memory of the launch; no other launch may be on its way with it.
    pub work: &'a mut LaunchWork,
}

impl<'a> From<&'a mut DeviceHits> for DeviceHitsMut<'a> {
    fn from(hits: &'a mut DeviceHits) -> Self {
        Self {
            hits: hits.hits.view_mut(),
            instances: hits.instances.view_mut(),
            blocked: hits.blocked.view_mut(),
            undecided: hits.undecided.view_mut(),
            work: &mut hits.work,
        }
    }
}

impl DeviceHits {
    /// Makes room for the results of `rays` rays.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn new(stream: &Stream, rays: usize, instances: bool) -> Result<Self, CudaError> {
        Ok(Self {
            hits: stream.zeros(rays)?,
            instances: stream.zeros(if instances { rays } else { 0 })?,
            blocked: stream.zeros(rays.div_ceil(32))?,
            undecided: stream.zeros(rays.div_ceil(32))?,
            work: LaunchWork::new(stream)?,
        })
    }
}

impl CudaTracer {
    /// Makes a tracer of `variant` over the tree `bvh` of `triangles` on `device`.
    ///
    /// # Errors
    /// [`CudaError::NoKernel`] and as [`DeviceScene::new`].
    pub fn new(device: &Device, variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        Kernel::find(device, variant, Query::Closest, &LaunchBounds::default())?;
        let scene = Arc::new(DeviceScene::new(device, &device.stream()?, variant, bvh, triangles)?);
        Self::over(device, variant, &LaunchBounds::default(), scene)
    }

    /// Makes a tracer of `variant` over a scene that is in device memory: one that was encoded for it or for another
    /// variant of the same [`Encoding`].
    ///
    /// # Panics
    /// If the scene has another encoding.
    ///
    /// # Errors
    /// [`CudaError::NoKernel`], [`CudaError::Bounds`], [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn over(
        device: &Device,
        variant: &Variant,
        bounds: &LaunchBounds,
        scene: Arc<DeviceScene>,
    ) -> Result<Self, CudaError> {
        assert_eq!(Encoding::of(variant), scene.encoding, "the scene is encoded for another variant");
        let kernel = |query| Kernel::find(device, variant, query, bounds);
        let (closest, any) = (kernel(Query::Closest)?, kernel(Query::Any)?);
        let fallback = match fallback_variant(variant) {
            Some(behind) => {
                let kernel = |query| Kernel::find(device, &behind, query, &LaunchBounds::default());
                Some([kernel(Query::Closest)?, kernel(Query::Any)?])
            }
            None => None,
        };
        let stream = device.stream()?;
        let block_threads = bounds.threads();
        let warps = closest.resident.max(any.resident) as usize * (block_threads / WARP) as usize;
        let stack_bytes = if variant.supply() == Supply::Queue { warps * WARP_STACK_BYTES } else { 0 };
        device.check_room("the stacks of a work queue", stack_bytes)?;
        let stacks = stream.zeros(stack_bytes)?;
        stream.synchronize()?;
        Ok(Self {
            device: device.clone(),
            variant: *variant,
            scene,
            block_threads,
            closest,
            any,
            fallback,
            names: [*variant, fallback_variant(variant).unwrap_or(*variant)].map(|v| KernelName::new(&v.to_string())),
            stacks,
            stacks_free: Mutex::default(),
            portion: host::PORTION,
            idle: Mutex::default(),
        })
    }

    /// Makes a tracer of another variant of the same [`Encoding`] over the same scene.
    ///
    /// # Panics
    /// As [`CudaTracer::over`].
    ///
    /// # Errors
    /// As [`CudaTracer::over`].
    pub fn with_variant(&self, variant: &Variant) -> Result<Self, CudaError> {
        Self::over(&self.device, variant, &LaunchBounds::default(), self.scene.clone())
    }

    /// Returns the variant that traces.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the device that traces.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the scene in device memory.
    pub fn scene(&self) -> &DeviceScene {
        &self.scene
    }

    /// Returns the registers of a thread, and the bytes of its local memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self, query: Query) -> Result<(u32, u32), CudaError> {
        self.kernel(query).function.resources()
    }

    /// Returns the number of threads that the device runs at once of the kernel for `query`.
    pub fn resident_threads(&self, query: Query) -> usize {
        self.kernel(query).resident as usize * self.block_threads as usize
    }

    fn kernel(&self, query: Query) -> &Kernel {
        match query {
            Query::Closest => &self.closest,
            Query::Any => &self.any,
        }
    }

    /// Puts the launch that traces the first `count` of `rays` on `stream`, and waits for nothing: neither the host for
    /// the device, nor the stream for another one (but for memory of ours that it uses for the first time, see
    /// [`DeviceBuffer`], and, with work queues, for this tracer's launch before). Results are there once the stream has
    /// come to what is put on it next; [`Stream::event`] lets others wait for that. `after` is empty, or three words a
    /// ray (`t`, instance, primitive).
    ///
    /// Rays, keys and results are [`DeviceBuffer`]s or memory of others ([`DeviceSlice::from_raw`]), and the stream is
    /// ours or another's. The tracer and its scene may be dropped at once: their memory is given back behind the
    /// launch.
    ///
    /// # Panics
    /// If a buffer is too short, `count` is above 2^30, or rays or hits of others do not begin at a multiple of 16
    /// bytes.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn launch<'a>(
        &self,
        stream: &Stream,
        query: Query,
        rays: impl Into<DeviceSlice<'a, Ray>>,
        count: usize,
        after: Option<DeviceSlice<'_, [u32; 3]>>,
        out: impl Into<DeviceHitsMut<'a>>,
    ) -> Result<(), CudaError> {
        let (rays, mut out) = (rays.into(), out.into());
        check(stream, query, rays, count, after, &mut out);
        clear(stream, query, &mut out)?;
        self.enqueue(stream, query, rays, count, after, &mut out, false)
    }

    /// Launches as [`CudaTracer::launch`], by one warp alone: which ray it takes when is known then, so that it can be
    /// held against the Rust schedule.
    ///
    /// # Panics
    /// If a buffer is too short, or rays come one a lane (`direct`).
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn launch_alone<'a>(
        &self,
        stream: &Stream,
        query: Query,
        rays: impl Into<DeviceSlice<'a, Ray>>,
        count: usize,
        out: impl Into<DeviceHitsMut<'a>>,
    ) -> Result<(), CudaError> {
        assert!(self.variant.supply() != Supply::Direct, "one ray a lane needs a warp for each {WARP}");
        let (rays, mut out) = (rays.into(), out.into());
        check(stream, query, rays, count, None, &mut out);
        clear(stream, query, &mut out)?;
        self.enqueue(stream, query, rays, count, None, &mut out, true)
    }

    /// Puts the launch itself on the stream, of what was checked and into results that were cleared; by one warp if
    /// `alone`.
    #[allow(clippy::too_many_arguments)] // As the two that call it, and whether alone.
    fn enqueue(
        &self,
        stream: &Stream,
        query: Query,
        rays: DeviceSlice<'_, Ray>,
        count: usize,
        after: Option<DeviceSlice<'_, [u32; 3]>>,
        out: &mut DeviceHitsMut<'_>,
        alone: bool,
    ) -> Result<(), CudaError> {
        if count == 0 {
            return Ok(());
        }
        let instances = if out.instances.is_empty() { 0 } else { out.instances.address_mut(stream) };
        let counter = out.work.counters.address_mut(stream);
        let launch = Launch {
            nodes: self.scene.nodes.address(stream),
            triangles: self.scene.triangles.address(stream),
            slots: self.scene.slots.address(stream),
            ids: self.scene.ids.address(stream),
            rays: rays.address(stream),
            after: after.map_or(0, |after| after.address(stream)),
            hits: out.hits.address_mut(stream),
            instances,
            blocked: out.blocked.address_mut(stream),
            undecided: out.undecided.address_mut(stream),
            counter,
            invalid: counter + 4,
            stacks: if self.stacks.is_empty() { 0 } else { self.stacks.address(stream) },
            ray_count: count as u32,
            node_count: self.scene.node_count,
            bounds: [self.scene.bounds.min, self.scene.bounds.max].concat().try_into().unwrap_or_default(),
            grid: self.scene.grid.0,
            farthest: self.scene.grid.1,
            again: if self.variant.takes_any_ray() { 0 } else { counter + 8 },
        };
        let kernel = self.kernel(query);
        let threads = count as u64 * u64::from(self.variant.lanes_per_ray());
        let needed = threads.div_ceil(u64::from(self.block_threads)) as u32;
        let blocks = if self.variant.supply() == Supply::Direct { needed } else { needed.min(kernel.resident) };
        let (blocks, block_threads) = if alone { (1, WARP) } else { (blocks, self.block_threads) };
        // SAFETY: the kernel takes this one parameter; its addresses are those of live buffers that hold what
        // kernels/launch.h says, for `count` rays; of others' memory their owners promise it (`DeviceSlice::from_raw`).
        self.with_stacks(stream, || unsafe { kernel.function.launch(stream, blocks, block_threads, &launch) })?;
        let Some(fallback) = &self.fallback else { return Ok(()) };
        let kernel = &fallback[usize::from(query == Query::Any)];
        let launch = Launch { counter: counter + 12, ..launch };
        let (blocks, block_threads) = if alone { (1, WARP) } else { (needed.min(kernel.resident), BLOCK_THREADS) };
        // SAFETY: as above; it walks the same tree, and waits for what it needs.
        unsafe { kernel.function.launch_behind(stream, blocks, block_threads, &launch) }
    }

    /// Launches what uses the stacks after the launch that used them last, on whichever stream that was.
    fn with_stacks(&self, stream: &Stream, launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
        if self.stacks.is_empty() {
            return launch();
        }
        let mut free = self.stacks_free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(event) = &*free {
            stream.wait_for(event)?;
        }
        let launched = launch();
        *free = Some(stream.event()?);
        launched
    }

    /// Launches as [`CudaTracer::launch`], waits, and returns the kernel's own time in seconds, by events around it.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn time<'a>(
        &self,
        stream: &Stream,
        query: Query,
        rays: impl Into<DeviceSlice<'a, Ray>>,
        count: usize,
        out: impl Into<DeviceHitsMut<'a>>,
    ) -> Result<f64, CudaError> {
        let (rays, mut out) = (rays.into(), out.into());
        check(stream, query, rays, count, None, &mut out);
        clear(stream, query, &mut out)?;
        let before = stream.mark()?;
        self.enqueue(stream, query, rays, count, None, &mut out, false)?;
        let after = stream.mark()?;
        stream.synchronize()?;
        before.seconds_until(&after)
    }

    /// Results of the last launch into `out`: how many rays there were, and how many were invalid.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn stats(&self, stream: &Stream, count: usize, out: &DeviceHits) -> Result<BatchStats, CudaError> {
        let mut counters = [0; 3];
        stream.read(&out.work.counters, &mut counters)?;
        Ok(self.counted(count, [counters[1], counters[2]]))
    }

    /// Returns the statistics of a launch of `count` rays from its counts, as in [`LaunchWork::counts`].
    fn counted(&self, count: usize, counts: [u32; 2]) -> BatchStats {
        let [invalid, by_fallback] = counts.map(u64::from);
        BatchStats::of(self.names[0], count as u64).with_invalid(invalid).with_fallback(by_fallback, self.names[1])
    }
}

/// Clears the memory that a launch adds to, so that it starts from zero.
fn clear(stream: &Stream, query: Query, out: &mut DeviceHitsMut<'_>) -> Result<(), CudaError> {
    stream.clear(&mut out.work.counters)?;
    if query == Query::Any {
        stream.clear(out.blocked.again())?;
        stream.clear(out.undecided.again())?;
    }
    Ok(())
}

/// Checks that everything is there that a launch of `count` rays reads and writes.
fn check(
    stream: &Stream,
    query: Query,
    rays: DeviceSlice<'_, Ray>,
    count: usize,
    after: Option<DeviceSlice<'_, [u32; 3]>>,
    out: &mut DeviceHitsMut<'_>,
) {
    assert!(count <= rays.len() && count <= out.hits.len() && count <= MOST_RAYS, "buffers hold the rays");
    assert!(after.is_none_or(|after| count <= after.len()), "one key a ray");
    assert!(out.instances.is_empty() || count <= out.instances.len(), "one instance a ray, or none");
    let bits = query == Query::Closest || count <= 32 * out.blocked.len().min(out.undecided.len());
    assert!(bits, "a bit a ray");
    // Kernels load and store 16 bytes at once.
    let aligned = (rays.address(stream) | out.hits.address_mut(stream)).is_multiple_of(16);
    assert!(aligned, "rays and hits begin at a multiple of 16 bytes");
}
