//! Kernels of the family on a GPU.

use crate::error::driver;
use crate::launch::{BLOCK_THREADS, Launch, WARP, WARP_STACK_BYTES};
use crate::{CudaError, Device, DeviceBuffer, DeviceScene, Query, Stream, kernel_name, prebuilt, source_name};
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg, sys};
use raywarp_bvh::Bvh2;
use raywarp_family::{Supply, Variant};
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::Mutex;

/// Rays of one launch at most: 2^31 less room for what warps ask in vain.
const MOST_RAYS: usize = 1 << 30;

/// Rays and results of a batch from the host that are on the device at once.
const HOST_BATCH: usize = 1 << 23;

/// Bytes of a ray, its key and its results.
const RAY_BYTES: usize = size_of::<Ray>() + 12 + size_of::<Hit>() + 4 + 1;

/// A kernel of the family over a scene on a GPU.
#[derive(Debug)]
pub struct CudaTracer {
    device: Device,
    variant: Variant,
    scene: DeviceScene,
    closest: Kernel,
    any: Kernel,
    /// Stacks of rays that move between lanes, for the larger of both grids.
    stacks: DeviceBuffer<u8>,
    /// Streams and buffers for host rays that no caller uses right now.
    idle: Mutex<Vec<Area>>,
}

/// Where host rays are traced: one a caller at a time.
#[derive(Debug)]
struct Area {
    stream: Stream,
    rays: DeviceBuffer<Ray>,
    after: DeviceBuffer<[u32; 3]>,
    out: DeviceHits,
}

impl Area {
    fn new(device: &Device, rays: usize) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let out = DeviceHits::new(&stream, rays, true)?;
        Ok(Self { rays: stream.zeros(rays)?, after: stream.zeros(rays)?, out, stream })
    }
}

#[derive(Debug)]
struct Kernel {
    function: CudaFunction,
    /// Blocks that fill the device.
    resident: u32,
}

/// Where a launch puts what it finds; see [`Tracer`] for what the fields mean.
#[derive(Debug)]
pub struct DeviceHits {
    /// One a ray. Any-hit: written only for rays with a bit in `undecided`.
    pub hits: DeviceBuffer<Hit>,
    /// One a ray, or empty.
    pub instances: DeviceBuffer<u32>,
    /// A bit a ray: something opaque blocks it.
    pub blocked: DeviceBuffer<u32>,
    /// A bit a ray: its first candidate is not opaque.
    pub undecided: DeviceBuffer<u32>,
    /// The global counter of rays, then how many were invalid.
    counters: DeviceBuffer<u32>,
}

impl DeviceHits {
    /// Room for the results of `rays` rays.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn new(stream: &Stream, rays: usize, instances: bool) -> Result<Self, CudaError> {
        Ok(Self {
            hits: stream.zeros(rays)?,
            instances: stream.zeros(if instances { rays } else { 0 })?,
            blocked: stream.zeros(rays.div_ceil(32))?,
            undecided: stream.zeros(rays.div_ceil(32))?,
            counters: stream.zeros(2)?,
        })
    }
}

impl CudaTracer {
    /// `variant` over the tree `bvh` of `triangles` on `device`.
    ///
    /// # Errors
    /// [`CudaError::NoKernel`] and as [`DeviceScene::new`].
    pub fn new(device: &Device, variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let kernel = |query| -> Result<Kernel, CudaError> {
            let function = prebuilt::kernel(device, &source_name(variant), &kernel_name(variant, query))?
                .ok_or_else(|| CudaError::NoKernel { variant: Box::new(*variant) })?;
            let blocks = function
                .occupancy_max_active_blocks_per_multiprocessor(BLOCK_THREADS, 0, None)
                .map_err(driver("asking for a kernel's occupancy"))?;
            Ok(Kernel { function, resident: blocks.max(1) * device.multiprocessors()? })
        };
        let (closest, any) = (kernel(Query::Closest)?, kernel(Query::Any)?);
        let scene = DeviceScene::new(device, &stream, variant, bvh, triangles)?;
        let warps = closest.resident.max(any.resident) as usize * (BLOCK_THREADS / WARP) as usize;
        let stack_bytes = if variant.supply() == Supply::Queue { warps * WARP_STACK_BYTES } else { 0 };
        device.check_room("the stacks of a work queue", stack_bytes)?;
        let stacks = stream.zeros(stack_bytes)?;
        stream.synchronize()?;
        Ok(Self { device: device.clone(), variant: *variant, scene, closest, any, stacks, idle: Mutex::default() })
    }

    /// What traces.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The scene in device memory.
    pub fn scene(&self) -> &DeviceScene {
        &self.scene
    }

    /// Registers of a thread, and bytes of its local memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self, query: Query) -> Result<(u32, u32), CudaError> {
        let kernel = self.kernel(query);
        let attribute = |which| {
            kernel.function.get_attribute(which).map(|n| n as u32).map_err(driver("reading a kernel's attribute"))
        };
        Ok((
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        ))
    }

    fn kernel(&self, query: Query) -> &Kernel {
        match query {
            Query::Closest => &self.closest,
            Query::Any => &self.any,
        }
    }

    /// Puts the launch that traces the first `count` of `rays` on `stream`: it waits for nothing, and its results
    /// are there once the stream is done. `after` is empty, or three words a ray (`t`, instance, primitive).
    ///
    /// # Panics
    /// If a buffer is too short, or `count` is above 2^30.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn launch(
        &self,
        stream: &Stream,
        query: Query,
        rays: &DeviceBuffer<Ray>,
        count: usize,
        after: Option<&DeviceBuffer<[u32; 3]>>,
        out: &mut DeviceHits,
    ) -> Result<(), CudaError> {
        assert!(after.is_none_or(|after| count <= after.len()), "one key a ray");
        clear(stream, query, out)?;
        self.enqueue(stream, query, rays, count, after, out, false)
    }

    /// As [`CudaTracer::launch`], by one warp alone: which ray it takes when is known then, so that it can be held against
    /// the Rust schedule.
    ///
    /// # Panics
    /// If a buffer is too short, or rays come one a lane (`direct`).
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn launch_alone(
        &self,
        stream: &Stream,
        query: Query,
        rays: &DeviceBuffer<Ray>,
        count: usize,
        out: &mut DeviceHits,
    ) -> Result<(), CudaError> {
        assert!(self.variant.supply() != Supply::Direct, "one ray a lane needs a warp for each {WARP}");
        clear(stream, query, out)?;
        self.enqueue(stream, query, rays, count, None, out, true)
    }

    /// The launch itself, into results that were cleared; by one warp if `alone`.
    #[allow(clippy::too_many_arguments)] // As the two that call it, and whether alone.
    fn enqueue(
        &self,
        stream: &Stream,
        query: Query,
        rays: &DeviceBuffer<Ray>,
        count: usize,
        after: Option<&DeviceBuffer<[u32; 3]>>,
        out: &mut DeviceHits,
        alone: bool,
    ) -> Result<(), CudaError> {
        assert!(count <= rays.len() && count <= out.hits.len() && count <= MOST_RAYS, "buffers hold the rays");
        if count == 0 {
            return Ok(());
        }
        let instances = if out.instances.is_empty() { 0 } else { out.instances.address_mut(stream) };
        let counter = out.counters.address_mut(stream);
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
        };
        let kernel = self.kernel(query);
        let threads = count as u64 * u64::from(self.variant.lanes_per_ray());
        let needed = threads.div_ceil(u64::from(BLOCK_THREADS)) as u32;
        let blocks = if self.variant.supply() == Supply::Direct { needed } else { needed.min(kernel.resident) };
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK_THREADS, 1, 1), shared_mem_bytes: 0 };
        let config =
            if alone { LaunchConfig { grid_dim: (1, 1, 1), block_dim: (WARP, 1, 1), ..config } } else { config };
        let mut builder = stream.inner.launch_builder(&kernel.function);
        builder.arg(&launch);
        // SAFETY: the kernel takes this one parameter; its addresses are those of live buffers that hold what
        // kernels/launch.h says, for `count` rays.
        unsafe { builder.launch(config) }.map(|_| ()).map_err(driver("launching a kernel"))
    }

    /// As [`CudaTracer::launch`], and waits: the kernel's own time in seconds, by events around it.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn time(
        &self,
        stream: &Stream,
        query: Query,
        rays: &DeviceBuffer<Ray>,
        count: usize,
        out: &mut DeviceHits,
    ) -> Result<f64, CudaError> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let record = || stream.inner.record_event(flags).map_err(driver("recording an event"));
        clear(stream, query, out)?;
        let before = record()?;
        self.enqueue(stream, query, rays, count, None, out, false)?;
        let after = record()?;
        stream.synchronize()?;
        before.elapsed_ms(&after).map(|ms| f64::from(ms) / 1e3).map_err(driver("reading an event"))
    }

    /// Results of the last launch into `out`: how many rays there were, and how many were invalid.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn stats(&self, stream: &Stream, count: usize, out: &DeviceHits) -> Result<BatchStats, CudaError> {
        let mut counters = [0; 2];
        stream.read(&out.counters, &mut counters)?;
        Ok(BatchStats { rays: count as u64, invalid: u64::from(counters[1]) })
    }

    /// Traces host rays in portions and hands each one's results to `take`.
    fn portions(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        query: Query,
        control: &Control<'_>,
        mut take: impl FnMut(&Stream, usize, usize, &DeviceHits) -> Result<(), CudaError>,
    ) -> Result<BatchStats, TraceError> {
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        let device = |error: CudaError| TraceError::Device(error.to_string());
        let portion = rays.len().min(HOST_BATCH);
        let mut area = self.area(portion).map_err(device)?;
        let portion = portion.min(area.rays.len()).max(1);
        let mut stats = BatchStats::default();
        for (index, chunk) in rays.chunks(portion).enumerate() {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            let first = index * portion;
            let mut run = || -> Result<BatchStats, CudaError> {
                let Area { stream, rays, after: keys, out } = &mut area;
                stream.write(rays, chunk)?;
                if !after.is_empty() {
                    let words: Vec<[u32; 3]> = after[first..first + chunk.len()]
                        .iter()
                        .map(|key| [key.t.to_bits(), key.instance, key.primitive])
                        .collect();
                    stream.write(keys, &words)?;
                }
                self.launch(stream, query, rays, chunk.len(), (!after.is_empty()).then_some(&*keys), out)?;
                take(stream, first, chunk.len(), out)?;
                self.stats(stream, chunk.len(), out)
            };
            stats += run().map_err(device)?;
            control.advance(chunk.len());
        }
        // Not after an error: what is left of a failed device is not used again.
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(area);
        }
        Ok(stats)
    }

    /// An area for `rays` rays, or for as many of them as fit in half of the free memory.
    fn area(&self, rays: usize) -> Result<Area, CudaError> {
        let known = self.idle.lock().ok().and_then(|mut idle| {
            let at = idle.iter().position(|area| area.rays.len() >= rays)?;
            Some(idle.swap_remove(at))
        });
        match known {
            Some(area) => Ok(area),
            None => {
                let room = (self.device.free_memory()? / 2 / RAY_BYTES).max(1024);
                // Whole words of bits, and room for a next batch that is a little larger.
                Area::new(&self.device, rays.next_multiple_of(1024).min(room / 32 * 32))
            }
        }
    }
}

/// What a launch adds to starts from zero.
fn clear(stream: &Stream, query: Query, out: &mut DeviceHits) -> Result<(), CudaError> {
    stream.clear(&mut out.counters)?;
    if query == Query::Any {
        stream.clear(&mut out.blocked)?;
        stream.clear(&mut out.undecided)?;
    }
    Ok(())
}

impl Tracer for CudaTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert_eq!(hits.len(), rays.len(), "one hit a ray");
        assert!(instances.is_empty() || instances.len() == rays.len(), "one instance a ray, or none");
        self.portions(rays, after, Query::Closest, control, |stream, first, count, out| {
            stream.read(&out.hits, &mut hits[first..first + count])?;
            if !instances.is_empty() {
                stream.read(&out.instances, &mut instances[first..first + count])?;
            }
            Ok(())
        })
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert!(blocked.len() >= rays.len().div_ceil(32), "a bit a ray");
        undecided.clear();
        self.portions(rays, after, Query::Any, control, |stream, first, count, out| {
            let words = count.div_ceil(32);
            stream.read(&out.blocked, &mut blocked[first / 32..first / 32 + words])?;
            let mut bits = vec![0u32; words];
            stream.read(&out.undecided, &mut bits)?;
            if bits.iter().any(|&word| word != 0) {
                let mut hits = vec![Hit::default(); count];
                let mut instances = vec![0u32; count];
                stream.read(&out.hits, &mut hits)?;
                stream.read(&out.instances, &mut instances)?;
                for ray in (0..count).filter(|ray| bits[ray / 32] >> (ray % 32) & 1 == 1) {
                    undecided.push(Candidate { ray: (first + ray) as u32, instance: instances[ray], hit: hits[ray] });
                }
            }
            Ok(())
        })
    }

    fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        Err(TraceError::Device("kernels on a GPU do not count; the same variant on the CPU does".to_string()))
    }

    fn preferred_batch(&self) -> usize {
        1 << 21
    }
}
