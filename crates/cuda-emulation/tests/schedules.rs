//! Emulated kernels do what the Rust schedules do: the same answers, bit by bit, in whatever order lanes and warps
//! run, and the same operations in each lane.
//!
//! - In step (`sync=voted`), one ray a lane: each warp is one of [`Execution::Lockstep`], lane by lane and vote by
//!   vote.
//! - In step, rays from a global counter: so is a warp that takes all of them alone. Where several take them, who
//!   gets a ray is chance; it is answered alike, and its own operations are those of one lane where neighbours do
//!   not change them.
//! - Lanes left to the hardware (`sync=implicit`): each ray's operations are those of [`Execution::Scalar`].

use crate::common::{SEVERAL, Scene, scenes};
use crate::common::{
    expected::{Expected, difference, expected},
    sequence,
};
use rayon::prelude::*;
use raywarp_cuda::Query;
use raywarp_cuda_emulation::{EmulatedTrace, EmulatedTracer, LaneOrder};
use raywarp_family::{BoxPlanes, Supply, Sync, TraversalLoop, Variant};
use raywarp_geom::{HitKey, Ray};
use raywarp_traverse::{Execution, Kernel};

#[test]
fn every_kernel_does_what_the_rust_schedule_does_under_four_orders() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let faults: Vec<String> = scenes().par_iter().with_max_len(1).flat_map_iter(faults_of).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
}

/// How a variant is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// Whole warps.
    Warps,
    /// Each ray's own operations.
    Rays,
    /// Only answers.
    Answers,
}

fn faults_of(scene: &Scene) -> Vec<String> {
    raywarp_cuda::compiled()
        .iter()
        .filter(|variant| scene.suits(variant))
        .flat_map(|variant| Query::ALL.into_iter().flat_map(|query| Comparison::new(scene, variant).faults(query)))
        .take(SEVERAL)
        .collect()
}

struct Comparison<'a> {
    scene: &'a Scene,
    variant: &'a Variant,
    tracer: EmulatedTracer,
    kernel: Kernel,
    rays: Vec<Ray>,
}

impl<'a> Comparison<'a> {
    fn new(scene: &'a Scene, variant: &'a Variant) -> Self {
        let (tree, triangles) = (scene.tree(variant), &scene.case.triangles);
        let tracer = EmulatedTracer::new(variant, tree, triangles).unwrap();
        let tracer = tracer.unwrap_or_else(|| panic!("{variant} is listed but not compiled"));
        let kernel = Kernel::new(&variant.voted(), tree, triangles).unwrap();
        // As many as fill a few warps and one more.
        let warps = if variant.supply() == Supply::Direct { 2 } else { 4 };
        let rays = scene.some_rays((32 / variant.lanes_per_ray() * warps + 1) as usize);
        Self { scene, variant, tracer, kernel, rays }
    }

    fn expected(&self, machine: Execution, query: Query, after: &[HitKey]) -> Expected {
        expected(&self.kernel, machine, &self.rays, query, after)
    }

    fn faults(&mut self, query: Query) -> Vec<String> {
        let variant = self.variant;
        let warp = Execution::Lockstep { width: 32 };
        let (direct, implicit) = (variant.supply() == Supply::Direct, variant.sync() == Sync::Implicit);
        let alone_only = speculates(variant) && variant.box_planes() == BoxPlanes::Plain && !implicit && !direct;
        let mut faults = Vec::new();
        let (machine, against) = match (direct, implicit) {
            // Their rays move from lane to lane.
            _ if variant.supply() == Supply::Queue => (Execution::Scalar, Against::Answers),
            (_, true) => (Execution::Scalar, Against::Rays),
            (true, false) => (warp, Against::Warps),
            (false, false) if speculates(variant) => (Execution::Scalar, Against::Answers),
            (false, false) => (Execution::Scalar, Against::Rays),
        };
        let after: Vec<HitKey> = Vec::new();
        if !alone_only {
            let want = self.expected(machine, query, &after);
            for order in LaneOrder::FOUR {
                faults.extend(self.compare(query, &after, order, &want, against));
            }
        }
        let (mut keys, mut want) = (after, None);
        if !direct && !implicit {
            self.tracer.alone = true;
            let alone = self.expected(warp, query, &keys);
            faults.extend(self.compare(query, &keys, LaneOrder::Seeded(3), &alone, Against::Warps));
            keys = alone.keys();
            want = Some(alone);
        }
        if query == Query::Closest {
            // Hits after the first ones.
            let want = want.unwrap_or_else(|| self.expected(machine, query, &keys));
            let keys = want.keys();
            let (machine, against) = if self.tracer.alone { (warp, Against::Warps) } else { (machine, against) };
            let want = self.expected(machine, query, &keys);
            faults.extend(self.compare(query, &keys, LaneOrder::Seeded(4), &want, against));
        }
        self.tracer.alone = false;
        faults
    }

    fn compare(
        &self,
        query: Query,
        after: &[HitKey],
        order: LaneOrder,
        want: &Expected,
        against: Against,
    ) -> Option<String> {
        let log = against != Against::Answers;
        let fault = match self.tracer.launch(query, &self.rays, after, order, log) {
            Err(fault) => Some(fault.0),
            Ok(traced) => difference(&traced, &want.answers, query).or_else(|| self.sequences(&traced, want, against)),
        };
        let key = if after.is_empty() { "" } else { ", after hits" };
        fault.map(|fault| format!("{}: {}, {query:?}, {order:?}{key}: {fault}", self.scene.case.name, self.variant))
    }

    fn sequences(&self, traced: &EmulatedTrace, want: &Expected, against: Against) -> Option<String> {
        match against {
            Against::Warps => sequence::warps_differ(&traced.logs, &want.logs),
            Against::Rays => sequence::rays_differ(&traced.logs, &want.logs, self.variant.lanes_per_ray()),
            Against::Answers => None,
        }
    }
}

/// Whether what a ray does depends on its neighbours in the warp.
fn speculates(variant: &Variant) -> bool {
    !matches!(variant.traversal_loop(), TraversalLoop::WhileWhile | TraversalLoop::IfIf)
}
