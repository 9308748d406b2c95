//! A kernel over a scene on the emulated GPU.

use crate::machine::{EmulatedKernel, EmulationFault, LaneOrder, LaunchGeometry, Logs, MemoryWindow, Request, run};
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CudaError, EncodedScene, Launch, Query, WARP_STACK_BYTES, fallback_variant, kernel_name};
use raywarp_family::{Space, Supply, Variant};
use raywarp_geom::{
    BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, KernelName, Ray, RayCost, TraceError, Tracer,
};
use raywarp_layout::MemoryLayout;

/// Number of warps in a thread block, and number of blocks that run at once: enough for warps to compete within a block
/// and across.
const WARPS_PER_BLOCK: u32 = 2;
const RESIDENT_BLOCKS: u32 = 2;

/// Word with which output arrays are filled before the kernel runs, so that missing writes show.
const JUNK: u32 = 0x7fc0_dead;

/// Number of guard words behind the results that the kernel must not change.
const FENCE: usize = 16;

/// Chunk of 16 bytes, aligned as kernels load it.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
struct Chunk([u8; 16]);

/// Cache line of four chunks, aligned as on a device, since kernels find chunks of a node by address bits.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([Chunk; 4]);

/// Ray-tracing kernel over a scene, run on the emulated GPU.
#[derive(Debug)]
pub struct EmulatedTracer {
    variant: Variant,
    scene: EncodedScene,
    nodes: Vec<Line>,
    triangles: Vec<Chunk>,
    kernels: [EmulatedKernel; 2],
    /// Fallback kernels for the rays that the main kernels leave undecided, if there are any.
    fallback: Option<[EmulatedKernel; 2]>,
    /// Order in which lanes and warps run for queries through [`Tracer`].
    pub order: LaneOrder,
    /// `true` if a single warp takes all rays from the global counter.
    pub alone: bool,
}

/// Answers of an emulated launch, with the names of the kernels that gave them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatedTrace {
    /// Hit of each ray: bits of t, u and v, and the primitive; for any-hit rays [`EmulatedTrace::UNWRITTEN`] unless
    /// undecided.
    pub hits: Vec<[u32; 4]>,
    /// Instance that each ray hit.
    pub instances: Vec<u32>,
    /// One bit per ray, set if something opaque blocks it.
    pub blocked: Vec<u32>,
    /// One bit per ray, set if only non-opaque triangles were hit.
    pub undecided: Vec<u32>,
    /// Number of rays that were invalid.
    pub invalid: u32,
    /// Number of rays that the fallback kernel traced.
    pub by_fallback: u32,
    /// Names of the main kernel and of its fallback kernel.
    pub names: [KernelName; 2],
    /// Logs of the lanes' events, if they were asked for.
    pub logs: Logs,
}

impl EmulatedTrace {
    /// Returns the batch statistics of the launch.
    fn stats(&self) -> BatchStats {
        let [invalid, by_fallback] = [self.invalid, self.by_fallback].map(u64::from);
        BatchStats::of(self.names[0], self.hits.len() as u64)
            .with_invalid(invalid)
            .with_fallback(by_fallback, self.names[1])
    }

    /// Contents of a hit that the kernel has not written.
    pub const UNWRITTEN: [u32; 4] = [JUNK; 4];
}

impl EmulatedTracer {
    /// Makes a tracer of the kernel `variant` over the tree `bvh` of `triangles`; `None` if that kernel is not
    /// compiled.
    ///
    /// # Errors
    /// As [`EncodedScene::new`].
    pub fn new(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Option<Self>, CudaError> {
        Self::of_kernels(variant, Query::ALL.map(|query| kernel_name(variant, query)), bvh, triangles)
    }

    /// Makes a tracer of the kernels in queries/queries.cpp, which trace through kernels/raywarp.h; `name` is the
    /// kernels' name without the query. What they walk is the encoding of `variant`, whose supply is direct.
    ///
    /// # Errors
    /// As [`EncodedScene::new`].
    pub fn asking(
        name: &str,
        variant: &Variant,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
    ) -> Result<Option<Self>, CudaError> {
        Self::of_kernels(variant, ["closest", "any"].map(|query| format!("{name}__{query}")), bvh, triangles)
    }

    fn of_kernels(
        variant: &Variant,
        names: [String; 2],
        bvh: &Bvh2,
        triangles: &FlatTriangles,
    ) -> Result<Option<Self>, CudaError> {
        let [closest, any] = names.map(|name| EmulatedKernel::find(&name));
        let (Some(closest), Some(any)) = (closest, any) else { return Ok(None) };
        let found = |variant: Variant| Query::ALL.map(|query| EmulatedKernel::find(&kernel_name(&variant, query)));
        let fallback = fallback_variant(variant).map(found).and_then(|[closest, any]| Some([closest?, any?]));
        let scene = EncodedScene::new(variant, bvh, triangles)?;
        Ok(Some(Self {
            variant: *variant,
            nodes: lines(&scene.nodes),
            triangles: chunks(&scene.triangles),
            scene,
            kernels: [closest, any],
            fallback,
            order: LaneOrder::Up,
            alone: false,
        }))
    }

    /// Returns the variant of the tracer's kernels.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the size of a launch over `count` rays.
    fn geometry(&self, count: usize) -> LaunchGeometry {
        let warps = (count as u32 * self.variant.lanes_per_ray()).div_ceil(32).max(1);
        let direct = self.variant.supply() == Supply::Direct;
        if self.alone && !direct {
            return LaunchGeometry { blocks: 1, warps_per_block: 1, resident_blocks: 1, shared_bytes: 0 };
        }
        let blocks = if direct { warps.div_ceil(WARPS_PER_BLOCK) } else { RESIDENT_BLOCKS };
        LaunchGeometry { blocks, warps_per_block: WARPS_PER_BLOCK, resident_blocks: RESIDENT_BLOCKS, shared_bytes: 0 }
    }

    /// Runs the kernel for `query` over `rays` under the given order of lanes, and returns its answers. `after` is
    /// empty, or one key a ray.
    ///
    /// # Panics
    /// If `after` has another length, or there are more than 2^24 rays.
    ///
    /// # Errors
    /// [`EmulationFault`].
    pub fn launch(
        &self,
        query: Query,
        rays: &[Ray],
        after: &[HitKey],
        order: LaneOrder,
        log: bool,
    ) -> Result<EmulatedTrace, EmulationFault> {
        assert!((after.is_empty() || after.len() == rays.len()) && rays.len() < 1 << 24, "a small batch");
        let count = rays.len();
        let words = count.div_ceil(32);
        let geometry = self.geometry(count);
        let rays = chunks(bytemuck::cast_slice(rays));
        let after: Vec<u32> = after.iter().flat_map(|key| [key.t.to_bits(), key.instance, key.primitive]).collect();
        let mut hits = vec![Chunk(bytemuck::cast([JUNK; 4])); count + FENCE / 4];
        let mut instances = vec![JUNK; count + FENCE];
        let (mut blocked, mut undecided, mut counters) = (vec![0; words], vec![0; words], [0u32; 4]);
        let queue = self.variant.supply() == Supply::Queue;
        let stack_chunks = (geometry.blocks * geometry.warps_per_block) as usize * WARP_STACK_BYTES / 16;
        let mut stacks = vec![Chunk(bytemuck::cast([JUNK; 4])); if queue { stack_chunks } else { 0 }];
        let [hits_at, instances_at] =
            [hits.as_mut_ptr().expose_provenance(), instances.as_mut_ptr().expose_provenance()];
        let stacks_at = if stacks.is_empty() { 0 } else { stacks.as_mut_ptr().expose_provenance() };
        let nodes: &[Chunk] = bytemuck::cast_slice(&self.nodes);
        let [counter, invalid, by_fallback, fallback_counter] = counters.each_mut().map(std::slice::from_mut);
        let mut windows = [
            MemoryWindow::records(
                &nodes[..self.scene.nodes.len() / 16],
                Space::Node,
                MemoryLayout::of(self.variant.tree()).node_bytes,
            ),
            MemoryWindow::records(&self.triangles, Space::Triangle, 48),
            MemoryWindow::records(&self.scene.slots, Space::Slot, 4),
            MemoryWindow::read(&self.scene.ids),
            MemoryWindow::records(&rays, Space::Ray, 32),
            MemoryWindow::read(&after),
            MemoryWindow::changed(&mut blocked),
            MemoryWindow::changed(&mut undecided),
            MemoryWindow::changed(counter),
            MemoryWindow::changed(invalid),
            MemoryWindow::changed(by_fallback),
            MemoryWindow::changed(fallback_counter),
        ];
        let [
            nodes,
            triangles,
            slots,
            ids,
            rays,
            after,
            blocked_at,
            undecided_at,
            counter,
            invalid,
            fallback_count,
            fallback_counter,
        ] = std::array::from_fn(|i| i).map(|i| windows[i].address());
        let launch = Launch {
            nodes,
            triangles,
            slots,
            ids,
            rays,
            after,
            hits: hits_at as u64,
            instances: instances_at as u64,
            blocked: blocked_at,
            undecided: undecided_at,
            counter,
            invalid,
            stacks: stacks_at as u64,
            ray_count: count as u32,
            node_count: self.scene.node_count as u32,
            bounds: [self.scene.bounds.min, self.scene.bounds.max].concat().try_into().unwrap_or_default(),
            grid: self.scene.grid.0,
            farthest: self.scene.grid.1,
            fallback_count: if self.variant.takes_any_ray() { 0 } else { fallback_count },
        };
        let kernel = self.kernels[usize::from(query == Query::Any)];
        // SAFETY: every address is that of an array above, which lives until the call returns, has what
        // kernels/launch.h asks for `count` rays, and is nobody else's.
        let logs = unsafe { run(kernel, &launch, &mut windows, &Request { geometry, order, log }) }?;
        if let Some(kernels) = self.fallback {
            let kernel = kernels[usize::from(query == Query::Any)];
            let launch = Launch { counter: fallback_counter, ..launch };
            let geometry = LaunchGeometry { blocks: RESIDENT_BLOCKS, ..geometry };
            // SAFETY: as above.
            unsafe { run(kernel, &launch, &mut windows, &Request { geometry, order, log: false }) }?;
        }
        let (hits, fence): (Vec<[u32; 4]>, _) = split(hits.iter().map(|chunk| bytemuck::cast(chunk.0)), count);
        let (instances, instance_fence): (Vec<u32>, _) = split(instances.into_iter(), count);
        if fence.iter().flatten().chain(&instance_fence).any(|&word| word != JUNK) {
            return Err(EmulationFault(format!("{}: something was written behind the results", self.variant)));
        }
        let fallback = fallback_variant(&self.variant).unwrap_or(self.variant);
        let names = [self.variant, fallback].map(|variant| KernelName::new(&variant.to_string()));
        let [_, invalid, by_fallback, _] = counters;
        Ok(EmulatedTrace { hits, instances, blocked, undecided, invalid, by_fallback, names, logs })
    }
}

fn split<T>(values: impl Iterator<Item = T>, count: usize) -> (Vec<T>, Vec<T>) {
    let mut all: Vec<T> = values.collect();
    let rest = all.split_off(count);
    (all, rest)
}

fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    bytes.chunks(16).map(|chunk| Chunk(std::array::from_fn(|i| chunk.get(i).copied().unwrap_or(0)))).collect()
}

fn lines(bytes: &[u8]) -> Vec<Line> {
    let zero = Chunk([0; 16]);
    chunks(bytes).chunks(4).map(|line| Line(std::array::from_fn(|i| line.get(i).copied().unwrap_or(zero)))).collect()
}

fn hit([t, u, v, primitive]: [u32; 4]) -> Hit {
    Hit { t: f32::from_bits(t), u: f32::from_bits(u), v: f32::from_bits(v), primitive }
}

fn device(fault: EmulationFault) -> TraceError {
    TraceError::Device(fault.0)
}

impl Tracer for EmulatedTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let traced = self.launch(Query::Closest, rays, after, self.order, false).map_err(device)?;
        for (to, from) in hits.iter_mut().zip(&traced.hits) {
            *to = hit(*from);
        }
        if !instances.is_empty() {
            instances.copy_from_slice(&traced.instances);
        }
        Ok(traced.stats())
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let traced = self.launch(Query::Any, rays, after, self.order, false).map_err(device)?;
        blocked[..traced.blocked.len()].copy_from_slice(&traced.blocked);
        undecided.clear();
        let open = (0..rays.len()).filter(|ray| traced.undecided[ray / 32] >> (ray % 32) & 1 == 1);
        undecided.extend(open.map(|ray| Candidate {
            ray: ray as u32,
            instance: traced.instances[ray],
            hit: hit(traced.hits[ray]),
        }));
        Ok(traced.stats())
    }

    fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        Err(TraceError::Device("emulated kernels do not count; the same variant in Rust does".to_string()))
    }

    fn preferred_batch(&self) -> usize {
        1 << 10
    }
}
