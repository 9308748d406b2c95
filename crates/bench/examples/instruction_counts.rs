//! Launches kernels once each on small batches, for a profiler that counts instructions, and writes what their Rust
//! schedules do on the same rays: docs/internals/costs.md, "Instruction costs".
//!
//! ```text
//! ncu --metrics inst_executed -o counts instruction_counts SCENES EVENTS.csv [VARIANT ...]
//! ```
//!
//! SCENES is a folder with views.toml and a folder a scene. A line of EVENTS.csv is a launch of a kernel on a batch
//! and a count of its schedule's events on warps of 32 ([`raywarp_costs::EventCounts`]). Without a GPU the launches
//! are left out. `--list` prints the variants that are launched where none is named.

use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_costs::EventCounts;
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{CudaTracer, Device, DeviceHits, Query, compiled, kernel_name};
use raywarp_family::{Supply, Sync, Tree, Variant};
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_scene::flatten;
use raywarp_scene::views::load_views;
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Probe, WarpEvent};
use raywarp_workload::rays::{Order, RayKind, ViewRays, Workload};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Scene, viewpoint from 1, rays. The last two are those that `xtask kernels --verify` holds out.
const CLOSEST: [(&str, usize, RayKind); 6] = [
    ("sibenik", 1, RayKind::Primary),
    ("sibenik", 1, RayKind::Diffuse),
    ("conference", 2, RayKind::Primary),
    ("conference", 1, RayKind::Diffuse),
    ("sibenik", 2, RayKind::Diffuse),
    ("conference", 1, RayKind::Primary),
];
const ANY: [(&str, usize, RayKind); 6] = [
    ("sibenik", 1, RayKind::Ao),
    ("sibenik", 1, RayKind::Diffuse),
    ("conference", 2, RayKind::Ao),
    ("conference", 1, RayKind::Primary),
    ("sibenik", 2, RayKind::Ao),
    ("conference", 1, RayKind::Ao),
];
/// Small pictures: a profiler that counts by instruction is slow.
const SIZE: [u32; 2] = [128, 96];
const RAYS_PER_PIXEL: u32 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.peek().is_some_and(|first| first == "--list") {
        in_lockstep().iter().for_each(|variant| println!("{variant}"));
        return Ok(());
    }
    let (Some(scenes), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: instruction_counts --list | SCENES EVENTS.csv [VARIANT ...]".into());
    };
    let variants: Vec<Variant> = arguments.map(|text| text.parse()).collect::<Result<_, _>>()?;
    let variants = if variants.is_empty() { in_lockstep() } else { variants };
    let device = match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            eprintln!("no launches: {error}");
            None
        }
    };
    let mut text = String::from("launch,kernel,batch,event,times\n");
    let mut launches = 0;
    let mut known: Vec<Prepared> = Vec::new();
    for variant in &variants {
        for (query, batches) in [(Query::Closest, CLOSEST), (Query::Any, ANY)] {
            for (number, &(scene, view, kind)) in batches.iter().enumerate() {
                if !known.iter().any(|prepared| prepared.name == scene) {
                    known.push(Prepared::new(scene, Path::new(&scenes))?);
                }
                let Some(scene) = known.iter().find(|prepared| prepared.name == scene) else { continue };
                let rays = scene.rays(view, kind)?;
                if let Some(device) = &device {
                    scene.launch(device, variant, query, &rays)?;
                }
                let tally = scene.tally(variant, query, &rays)?;
                for (count, times) in tally.counts() {
                    writeln!(text, "{launches},{},{number},{count},{times}", kernel_name(variant, query))?;
                }
                launches += 1;
            }
        }
    }
    std::fs::write(&output, text)?;
    println!("{launches} launches");
    Ok(())
}

/// Returns the compiled variants whose lanes agree at every loop end.
fn in_lockstep() -> Vec<Variant> {
    compiled().into_iter().filter(|v| v.sync() == Sync::Voted).collect()
}

/// Returns `true` if one warp traces all rays. Where lanes take new rays one by one, which ones they get is chance
/// otherwise.
fn is_alone(variant: &Variant) -> bool {
    matches!(variant.supply(), Supply::Replace | Supply::Queue)
}

/// A scene with the trees that variants encode.
struct Prepared {
    name: &'static str,
    triangles: FlatTriangles,
    /// Leaves of at most so many triangles.
    trees: Vec<(u32, Bvh2)>,
    /// Rays of each viewpoint.
    made: Vec<ViewRays>,
}

impl Prepared {
    fn new(name: &'static str, scenes: &Path) -> Result<Self, Box<dyn Error>> {
        let file = scenes.join(name).join(format!("{name}.ply.gz"));
        let loaded = raywarp_scene::load(&file, &raywarp_scene::LoadOptions::default())?;
        let triangles = flatten(&loaded.scene)?;
        let tree = |max_leaf| -> Result<(u32, Bvh2), Box<dyn Error>> {
            Ok((max_leaf, build(&triangles, &BuildOptions { max_leaf, ..BuildOptions::default() })?))
        };
        let trees = vec![tree(1)?, tree(3)?, tree(8)?];
        let tracer = CpuTracer::new(&trees[2].1, &triangles)?;
        let views = load_views(&scenes.join("views.toml"), name)?;
        let of_view = |view| ViewRays::new(Workload::Raywarp, view, SIZE, &triangles, &tracer, &Control::default());
        let made = views.iter().take(2).map(of_view).collect::<Result<_, _>>()?;
        Ok(Self { name, trees, made, triangles })
    }

    fn rays(&self, view: usize, kind: RayKind) -> Result<Vec<Ray>, Box<dyn Error>> {
        let made = self.made.get(view - 1).ok_or("views.toml has too few viewpoints")?;
        let batches = made.batches(kind, RAYS_PER_PIXEL, Order::Workload);
        Ok((0..batches.count()).flat_map(|part| batches.batch(part)).collect())
    }

    fn tree(&self, variant: &Variant) -> &Bvh2 {
        let most = match variant.tree() {
            Tree::H8 => 1,
            Tree::Cwbvh8 => 3,
            _ => 8,
        };
        self.trees.iter().find(|(leaf, _)| *leaf == most).map_or(&self.trees[0].1, |(_, tree)| tree)
    }

    fn launch(&self, device: &Device, variant: &Variant, query: Query, rays: &[Ray]) -> Result<(), Box<dyn Error>> {
        let tracer = CudaTracer::new(device, variant, self.tree(variant), &self.triangles)?;
        let stream = device.stream()?;
        let (on_device, mut out) = (stream.upload(rays)?, DeviceHits::new(&stream, rays.len(), true)?);
        if is_alone(variant) {
            tracer.launch_alone(&stream, query, &on_device, rays.len(), &mut out)?;
        } else {
            tracer.launch(&stream, query, &on_device, rays.len(), None, &mut out)?;
        }
        Ok(stream.synchronize()?)
    }

    /// Counts the events of the Rust schedule.
    fn tally(&self, variant: &Variant, query: Query, rays: &[Ray]) -> Result<EventCounts, Box<dyn Error>> {
        let kernel = Kernel::new(&variant.voted(), self.tree(variant), &self.triangles)?;
        // As many warps as there are rays for, or one.
        let resident = if is_alone(variant) { 1 } else { u32::MAX };
        let batch = Batch { rays, after: &[], query, resident };
        let machine = Execution::Lockstep { width: 32 };
        let run = |warp| -> Result<EventCounts, KernelError> {
            let (mut counted, mut answers) = (Counted::default(), Vec::new());
            kernel.run_warp(machine, &batch, warp, &mut answers, Some(&mut counted))?;
            Ok(counted.0)
        };
        let warps = 0..kernel.warp_count(machine, &batch)?;
        let sum = |mut a: EventCounts, b: EventCounts| {
            a.merge(&b);
            Ok(a)
        };
        Ok(warps.into_par_iter().map(run).try_reduce(EventCounts::default, sum)?)
    }
}

#[derive(Default)]
struct Counted(EventCounts);

impl Probe for Counted {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.0.add(event.block, event.active, u64::from(u32::MAX));
    }
}
