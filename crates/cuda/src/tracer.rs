//! Tracer that runs a kernel of the family on a GPU.

mod host;

use crate::launch::{Launch, WARP, WARP_STACK_BYTES};
use crate::names::{BLOCK_THREADS, fallback_variant};
use crate::{
    CodeHash, CudaError, Device, DeviceBuffer, DeviceScene, DeviceSlice, DeviceSliceMut, Encoding, Event, Function,
    LaunchBounds, Query, Stream, code_hash,
};
use raywarp_bvh::Bvh2;
use raywarp_family::{Supply, Variant};
use raywarp_geom::{BatchStats, FlatTriangles, Hit, KernelName, Ray};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of rays of one launch: 2^31, less room for what warps add to the ray counter in vain.
const MOST_RAYS: usize = 1 << 30;

/// Tracer that runs a traversal kernel of the family over a scene on a GPU.
#[derive(Debug)]
pub struct CudaTracer {
    device: Device,
    variant: Variant,
    scene: Arc<DeviceScene>,
    /// Number of threads per block.
    block_threads: u32,
    closest: Kernel,
    any: Kernel,
    /// Kernels for closest-hit and any-hit rays that trace what the variant leaves undecided; `None` if it leaves none.
    fallback: Option<[Kernel; 2]>,
    /// Names for batch statistics: that of the variant's kernels, and that of the kernels for rays left undecided.
    names: [KernelName; 2],
    /// Stacks in device memory for rays that move between lanes, for the larger of the closest-hit and any-hit
    /// launches.
    stacks: DeviceBuffer<u8>,
    /// Event of the last launch that used the stacks, which only one launch may use at a time.
    stacks_free: Mutex<Option<Event>>,
    /// Largest number of host rays that are copied to the device at once.
    portion: usize,
    /// Streams and buffers for host rays that no caller is using.
    idle: Mutex<Vec<host::Area>>,
}

#[derive(Debug)]
struct Kernel {
    function: Function,
    /// Number of thread blocks that fill the device.
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
    /// Hit of each ray. Any-hit: written only for rays with a bit in `undecided`.
    pub hits: DeviceBuffer<Hit>,
    /// Instance of each ray's hit; empty if not wanted.
    pub instances: DeviceBuffer<u32>,
    /// Bit of each ray that something opaque blocks.
    pub blocked: DeviceBuffer<u32>,
    /// Bit of each ray that is undecided: nothing opaque blocks it, but it hits something that is not opaque.
    pub undecided: DeviceBuffer<u32>,
    /// Working memory of the launch.
    pub work: LaunchWork,
}

/// Device memory that a launch needs beside rays and results; each launch in flight needs its own.
#[derive(Debug)]
pub struct LaunchWork {
    /// Counters: the global counter of rays, the numbers of rays that were invalid and that were left to the fallback
    /// kernel, and the global counter of that kernel's launch.
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

    /// Returns the numbers of rays of the last launch that were invalid and that the fallback kernel traced, in device
    /// memory, to be copied on the same stream.
    pub fn counts(&self) -> DeviceSlice<'_, u32> {
        self.counters.view().part(1..3)
    }
}

/// Device memory to which a launch writes its results, of [`DeviceHits`] or of another owner; see
/// [`raywarp_geom::Tracer`] for what the fields mean.
#[derive(Debug)]
pub struct DeviceHitsMut<'a> {
    /// Hit of each ray. Any-hit: written only for rays with a bit in `undecided`.
    pub hits: DeviceSliceMut<'a, Hit>,
    /// Instance of each ray's hit, or [`EMPTY`](DeviceSliceMut::EMPTY) if not wanted.
    pub instances: DeviceSliceMut<'a, u32>,
    /// Bit of each ray that something opaque blocks. Closest-hit: may be empty.
    pub blocked: DeviceSliceMut<'a, u32>,
    /// Bit of each ray that is undecided: nothing opaque blocks it, but it hits something that is not opaque.
    /// Closest-hit: may be empty.
    pub undecided: DeviceSliceMut<'a, u32>,
    /// Working memory of the launch, which no other launch in flight may use.
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
    /// Allocates device memory for the results of `rays` rays.
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
    /// Encodes and uploads the tree `bvh` of `triangles` to `device`, and makes a tracer of `variant` over it.
    ///
    /// # Errors
    /// [`CudaError::NoKernel`] and as [`DeviceScene::new`].
    pub fn new(device: &Device, variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        Kernel::find(device, variant, Query::Closest, &LaunchBounds::default())?;
        let scene = Arc::new(DeviceScene::new(device, &device.stream()?, variant, bvh, triangles)?);
        Self::over(device, variant, &LaunchBounds::default(), scene)
    }

    /// Makes a tracer of `variant` over a scene in device memory, which was encoded for it or for another variant of
    /// the same [`Encoding`].
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
            Some(fallback) => {
                let kernel = |query| Kernel::find(device, &fallback, query, &LaunchBounds::default());
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

    /// Returns the variant whose kernels trace.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the device that traces the rays.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the scene in device memory that is traced.
    pub fn scene(&self) -> &DeviceScene {
        &self.scene
    }

    /// Returns the number of registers, and of bytes of local memory, of each thread of the kernel for a query.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self, query: Query) -> Result<(u32, u32), CudaError> {
        self.kernel(query).function.resources()
    }

    /// Returns the hash of the machine code of the kernel for a query; `None` if the driver compiled it.
    pub fn code_hash(&self, query: Query) -> Option<CodeHash> {
        code_hash(&self.variant, query, self.kernel(query).function.architecture()?)
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

    /// Queues a launch on `stream` that traces the first `count` of `rays`, without waiting on the host. Results are
    /// there once the stream has come to what is put on it next; [`Stream::event`] lets others wait for that. `after`
    /// is empty, or three words a ray (`t`, instance, primitive).
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

    /// Launches as [`CudaTracer::launch`] does, with one warp alone, so that the order of rays is known and can be
    /// compared with the Rust schedule.
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

    /// Queues the launch itself, after its arguments were checked and its results cleared; with a single warp if
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
            fallback_count: if self.variant.takes_any_ray() { 0 } else { counter + 8 },
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

    /// Queues a launch that uses the stacks so that it runs after the last launch that used them, on whichever stream
    /// that was.
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

    /// Launches as [`CudaTracer::launch`] does, waits, and returns the kernel's own time in seconds, by events around
    /// it.
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

    /// Returns the statistics of the last launch into `out`, which traced `count` rays: how many were invalid or traced
    /// by the fallback kernel.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn stats(&self, stream: &Stream, count: usize, out: &DeviceHits) -> Result<BatchStats, CudaError> {
        let mut counters = [0; 3];
        stream.read(&out.work.counters, &mut counters)?;
        Ok(self.counted(count, [counters[1], counters[2]]))
    }

    /// Returns the batch statistics of a launch of `count` rays, from the counts of [`LaunchWork::counts`].
    fn counted(&self, count: usize, counts: [u32; 2]) -> BatchStats {
        let [invalid, by_fallback] = counts.map(u64::from);
        BatchStats::of(self.names[0], count as u64).with_invalid(invalid).with_fallback(by_fallback, self.names[1])
    }
}

/// Clears the result bits and counters that a launch adds to.
fn clear(stream: &Stream, query: Query, out: &mut DeviceHitsMut<'_>) -> Result<(), CudaError> {
    stream.clear(&mut out.work.counters)?;
    if query == Query::Any {
        stream.clear(out.blocked.reborrow())?;
        stream.clear(out.undecided.reborrow())?;
    }
    Ok(())
}

/// Checks that the arrays are as long as a launch of `count` rays needs.
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
