//! [`CpuTracer`]: batches of rays on the CPU.

use crate::batch::{AnyJob, ClosestJob, Supply};
use crate::bvh2::Bvh2Walk;
use crate::custom::{Custom, Geometry, GeometryError};
use crate::ids::Ids;
use crate::one_by_one::OneByOne;
use crate::parts::{self, PREFERRED_BATCH, Places, Rays};
use crate::probe::Off;
use crate::simd;
use crate::touches::{Seen, Split};
use raywarp_bvh::Bvh2;
use raywarp_geom::{
    Aabb, BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, KernelName, Ray, RayCost, TraceError, Tracer,
    TriangleSource,
};
use raywarp_lanes::Isa;
use raywarp_layout::{EncodedBvh2, INDEX_MASK, LayoutError, Wide8, encode_bvh2, encode_wide8_over};
use std::borrow::Cow;
use std::sync::Arc;

/// Number of rays below which each walks by itself, with the same hits: interleaved, so few take longer (sibenik and
/// conference, docs/notebook/2026-11-29-cpu-rays.md, "Few rays").
const FEW: usize = 8;

/// Encoding of the tree that the CPU tracer traverses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CpuTree {
    /// Eight-wide tree [`Wide8`], with SIMD of the chosen [`Isa`] and the watertight test.
    #[default]
    Wide8,
    /// Two-child tree [`EncodedBvh2`] of the papers, in plain Rust, with this triangle test: a reference.
    Bvh2(CpuTriangleTest),
}

/// Triangle test of the two-child tree [`CpuTree::Bvh2`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CpuTriangleTest {
    /// Watertight test of Woop, Benthin and Wald 2013: no ray slips through a shared edge.
    #[default]
    Watertight,
    /// Woop's test with 48-byte records as in AL09: rays may slip through edges, and `t` differs in the last bits.
    Woop,
    /// Test of Moeller and Trumbore 1997: rays may slip through edges.
    MoellerTrumbore,
}

/// Box test of the two-child tree [`CpuTree::Bvh2`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CpuBoxTest {
    /// Padded test [`raywarp_geom::PaddedRay`]: misses no box of a triangle that the watertight test hits.
    #[default]
    Padded,
    /// Slab test [`raywarp_geom::PlainSlab`] as AL09 published it: rays along faces may miss boxes.
    Plain,
}

/// Options of a [`CpuTracer`].
#[derive(Debug, Clone, Copy)]
pub struct CpuOptions {
    /// Encoding of the tree, which decides the traversal code.
    pub engine: CpuTree,
    /// Instruction set of the eight-wide tree's traversal; [`Isa::preferred`] by default.
    pub isa: Isa,
    /// Box test of the two-child tree; the eight-wide tree always uses the padded one.
    pub boxes: CpuBoxTest,
}

impl Default for CpuOptions {
    fn default() -> Self {
        Self { engine: CpuTree::default(), isa: Isa::preferred(), boxes: CpuBoxTest::default() }
    }
}

/// Tracer of rays on the CPU, with its own encoded copy of the tree.
///
/// Batches of up to [`Tracer::preferred_batch`] rays run on the calling thread, larger ones on all
/// of rayon's. Results depend neither on threads nor on the instruction set.
#[derive(Debug)]
pub struct CpuTracer {
    pub(crate) encoding: Encoding,
    pub(crate) ids: Ids,
    pub(crate) split: Split,
    pub(crate) isa: Isa,
    /// Kernel name that batch statistics report.
    pub(crate) name: KernelName,
}

/// A tree as it is encoded.
#[derive(Debug)]
pub(crate) enum Encoding {
    Wide8(Wide8),
    Bvh2(Bvh2Engine),
    Custom(Custom),
}

/// Encodes a tree as [`CpuTracer::controlled`] does, over triangles wherever they are; a tree that is given
/// away is freed on the way. `ids` is called last, which returns the ids of all triangles.
///
/// # Errors
/// As [`CpuTracer::controlled`].
pub fn tracer_over(
    bvh: Cow<'_, Bvh2>,
    triangles: &dyn TriangleSource,
    ids: impl FnOnce() -> Ids,
    control: &Control<'_>,
) -> Result<CpuTracer, LayoutError> {
    let mut seen = Seen::new(triangles.count());
    let tree = encode_wide8_over(bvh, triangles, control, |triangle| seen.add(triangle))?;
    let (split, ids) = (seen.split(), ids());
    if ids.len() != triangles.count() {
        return Err(LayoutError::CountMismatch { tree: triangles.count() as u32, triangles: ids.len() });
    }
    let options = CpuOptions::default();
    Ok(CpuTracer { encoding: Encoding::Wide8(tree), ids, split, isa: options.isa, name: name(&options) })
}

impl CpuTracer {
    /// Encodes the tree `bvh` over `triangles` for tracing with the default (fastest) options.
    ///
    /// # Errors
    /// [`LayoutError`] if the tree is malformed, of other triangles or too large.
    pub fn new(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, LayoutError> {
        Self::with_options(bvh, triangles, &CpuOptions::default())
    }

    /// Encodes a tree as [`CpuTracer::new`] does, until the caller cancels it.
    ///
    /// # Errors
    /// As [`CpuTracer::new`], and [`LayoutError::Cancelled`].
    pub fn controlled(bvh: &Bvh2, triangles: &FlatTriangles, control: &Control<'_>) -> Result<Self, LayoutError> {
        Self::encoded(bvh, triangles, &CpuOptions::default(), control)
    }

    /// Encodes the tree `bvh` over `triangles` for tracing with the given options.
    ///
    /// # Errors
    /// As [`CpuTracer::new`].
    pub fn with_options(bvh: &Bvh2, triangles: &FlatTriangles, options: &CpuOptions) -> Result<Self, LayoutError> {
        Self::encoded(bvh, triangles, options, &Control::default())
    }

    fn encoded(
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        options: &CpuOptions,
        control: &Control<'_>,
    ) -> Result<Self, LayoutError> {
        let mismatch = |found| LayoutError::CountMismatch { tree: bvh.primitive_count, triangles: found };
        let CpuTree::Bvh2(test) = options.engine else {
            if triangles.opaque.len() != triangles.len() {
                return Err(mismatch(triangles.opaque.len()));
            }
            let ids = || Ids::of(&triangles.ids);
            let tracer = tracer_over(Cow::Borrowed(bvh), triangles, ids, control)?;
            return Ok(Self { isa: options.isa, name: name(options), ..tracer });
        };
        let tree = encode_bvh2(bvh, triangles)?;
        let of_record = |slot: &u32| triangles.vertices[(slot & INDEX_MASK) as usize];
        let vertices = match test {
            CpuTriangleTest::Woop => Vec::new(),
            _ => tree.slots().iter().map(of_record).collect(),
        };
        let encoding = Encoding::Bvh2(Bvh2Engine { tree, vertices, test, boxes: options.boxes });
        if triangles.ids.len() != triangles.len() {
            return Err(mismatch(triangles.ids.len()));
        }
        let (ids, split) = (Ids::of(&triangles.ids), Split::default());
        Ok(Self { encoding, ids, split, isa: options.isa, name: name(options) })
    }

    /// Builds a tree over custom geometry, whose primitives are those of instance 0. Its rays walk one by one, also in
    /// batches.
    ///
    /// # Errors
    /// [`GeometryError`].
    pub fn of_geometry(geometry: Arc<dyn Geometry>) -> Result<Self, GeometryError> {
        let encoding = Encoding::Custom(Custom::new(geometry)?);
        let (split, isa, name) = (Split::default(), Isa::preferred(), KernelName::fixed("cpu/custom"));
        Ok(Self { encoding, ids: Ids::of(&[]), split, isa, name })
    }

    /// Returns the instruction set that the tracer uses.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the name that [`BatchStats::kernels`] has for this tracer: `cpu/wide8`, whichever instructions it uses
    /// ([`CpuTracer::isa`]), since they find the same bits.
    pub fn name(&self) -> KernelName {
        self.name
    }

    /// Returns the box around all triangles; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        match &self.encoding {
            Encoding::Wide8(tree) => *tree.bounds(),
            Encoding::Bvh2(engine) => *engine.tree.bounds(),
            Encoding::Custom(custom) => *custom.boxes.bounds(),
        }
    }

    /// Returns the number of bytes of the encoded tree and its triangles.
    pub fn bytes(&self) -> usize {
        self.split.bytes()
            + match &self.encoding {
                Encoding::Wide8(tree) => tree.bytes(),
                Encoding::Bvh2(engine) => engine.tree.bytes() + size_of_val(&engine.vertices[..]),
                Encoding::Custom(custom) => custom.bytes(),
            }
    }

    /// Returns the tree for lanes, if it is one.
    pub(crate) fn wide8(&self) -> Option<&Wide8> {
        match &self.encoding {
            Encoding::Wide8(tree) => Some(tree),
            Encoding::Bvh2(_) | Encoding::Custom(_) => None,
        }
    }

    /// Returns `true` if the rays of a batch walk one by one.
    fn takes_one_by_one(&self, rays: &[Ray]) -> bool {
        match self.encoding {
            Encoding::Wide8(_) => rays.len() < FEW,
            Encoding::Bvh2(_) => false,
            Encoding::Custom(_) => true,
        }
    }

    pub(crate) fn closest_part(&self, mut job: ClosestJob<Off>) -> u64 {
        match &self.encoding {
            Encoding::Wide8(tree) => simd::walk(self.isa, tree, &mut job),
            Encoding::Bvh2(engine) => engine.walk(job.supply.rays).walk_all(&mut job),
            Encoding::Custom(_) => unreachable!("rays through custom geometry walk one by one"),
        }
        job.supply.invalid
    }

    pub(crate) fn any_part(&self, mut job: AnyJob) -> u64 {
        match &self.encoding {
            Encoding::Wide8(tree) => simd::walk(self.isa, tree, &mut job),
            Encoding::Bvh2(engine) => engine.walk(job.supply.rays).walk_all(&mut job),
            Encoding::Custom(_) => unreachable!("rays through custom geometry walk one by one"),
        }
        job.undecided.sort_unstable_by_key(|candidate| candidate.ray);
        job.supply.invalid
    }

    fn cost_part(&self, mut job: ClosestJob<RayCost>) -> u64 {
        match &self.encoding {
            Encoding::Wide8(tree) => simd::walk(self.isa, tree, &mut job),
            Encoding::Bvh2(engine) => engine.walk(job.supply.rays).walk_all(&mut job),
            Encoding::Custom(_) => unreachable!("rays through custom geometry walk one by one"),
        }
        job.supply.invalid
    }
}

/// Returns the kernel name for the tree and tests of these options.
pub(crate) fn name(options: &CpuOptions) -> KernelName {
    KernelName::fixed(match (options.engine, options.boxes) {
        (CpuTree::Wide8, _) => "cpu/wide8",
        (CpuTree::Bvh2(CpuTriangleTest::Watertight), CpuBoxTest::Padded) => "cpu/bvh2?triangle=watertight",
        (CpuTree::Bvh2(CpuTriangleTest::Watertight), CpuBoxTest::Plain) => "cpu/bvh2?planes=plain&triangle=watertight",
        (CpuTree::Bvh2(CpuTriangleTest::Woop), CpuBoxTest::Padded) => "cpu/bvh2?triangle=woop",
        (CpuTree::Bvh2(CpuTriangleTest::Woop), CpuBoxTest::Plain) => "cpu/bvh2?planes=plain&triangle=woop",
        (CpuTree::Bvh2(CpuTriangleTest::MoellerTrumbore), CpuBoxTest::Padded) => "cpu/bvh2?triangle=moeller-trumbore",
        (CpuTree::Bvh2(CpuTriangleTest::MoellerTrumbore), CpuBoxTest::Plain) => {
            "cpu/bvh2?planes=plain&triangle=moeller-trumbore"
        }
    })
}

/// Two-child tree with the data that its triangle test needs.
#[derive(Debug)]
pub(crate) struct Bvh2Engine {
    tree: EncodedBvh2,
    vertices: Vec<[[f32; 3]; 3]>,
    test: CpuTriangleTest,
    boxes: CpuBoxTest,
}

impl Bvh2Engine {
    fn walk<'a>(&'a self, rays: &'a [Ray]) -> Bvh2Walk<'a> {
        let stack = Vec::with_capacity(self.tree.stack_depth() + 1);
        Bvh2Walk { tree: &self.tree, vertices: &self.vertices, rays, test: self.test, boxes: self.boxes, stack }
    }
}

impl Tracer for CpuTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let is_few = self.takes_one_by_one(rays);
        parts::closest(self.name, Rays::new(rays, after), Places { hits, instances }, control, |rays, places| {
            if is_few {
                return self.closest_each(rays, places);
            }
            let supply = Supply::new(self.ids.lent(), rays.rays, rays.after);
            self.closest_part(ClosestJob { supply, hits: places.hits, instances: places.instances, probes: &mut [] })
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
        let is_few = self.takes_one_by_one(rays);
        parts::any(self.name, Rays::new(rays, after), blocked, undecided, control, |rays, blocked, undecided| {
            if is_few {
                return self.any_each(rays, blocked, undecided);
            }
            self.any_part(AnyJob { supply: Supply::new(self.ids.lent(), rays.rays, rays.after), blocked, undecided })
        })
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        parts::each(self.name, rays, costs, control, |rays, probes| {
            if let Encoding::Custom(_) = &self.encoding {
                return self.cost_each(rays, probes);
            }
            let supply = Supply::new(self.ids.lent(), rays, &[]);
            self.cost_part(ClosestJob { supply, hits: &mut [], instances: &mut [], probes })
        })
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}
