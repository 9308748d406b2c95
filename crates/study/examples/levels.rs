//! What walking a scene in two levels would take of a warp, beside walking it flattened: the same loop, triangle test
//! and rays, by `raywarp_traverse::KernelLevels`. Costs of entering are an estimate (docs/internals/costs.md, "Two
//! levels").
//!
//! ```sh
//! cargo run --release -p raywarp-study --example levels -- SCENES/san_miguel/san_miguel.pbrt SCENES/views.toml
//! ```

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::cost_table;
use raywarp_family::{Block, Operation, Query, Variant};
use raywarp_geom::{Affine64, Control, FlatTriangles, PrimitiveId};
use raywarp_scene::views::{View, load_views};
use raywarp_scene::{Description, LoadOptions, flatten, flatten_some, load};
use raywarp_sim::{EventSource, LaunchInstructions, count_source};
use raywarp_traverse::{Kernel, KernelLevels, KernelPlacement};
use raywarp_workload::rays::{Order, RayKind, ViewRays, Workload};
use std::error::Error;
use std::path::Path;

/// Loop, and the one triangle test that can be made in the world.
const WALK: &str = "direct/while-while/bvh2?triangle=watertight";

/// Pixels of a view.
const SIZE: [u32; 2] = [320, 240];

/// Rays that stay neighbours in a sample.
const CHUNK: usize = 384;

/// Rays of a kind that are simulated, about.
const SAMPLE: u64 = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, views @ ..] = &arguments[..] else { return Err("give a scene, and a file of views".into()) };
    let scene = load(Path::new(path), &LoadOptions::default())?.scene;
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let views = match views {
        [] => scene.cameras.iter().take(1).map(|camera| View { camera: camera.clone(), ao_radius: None }).collect(),
        [file, ..] => load_views(Path::new(file), &name)?,
    };
    let view = views.first().ok_or("no view, and no camera")?;
    let mut flat = flatten(&scene)?;
    flat.opaque.fill(true);
    let bvh = build(&flat, &BuildOptions::default())?;
    let (trees, placements) = placed(&scene)?;
    let named: Vec<(&Bvh2, &FlatTriangles)> = trees.iter().map(|(bvh, triangles)| (bvh, triangles)).collect();
    let variant: Variant = WALK.parse()?;
    let kernels = [
        ("one", Kernel::new(&variant, &bvh, &flat)?),
        ("two", Kernel::over_levels(&variant, KernelLevels::new(&named, &placements)?)?),
    ];
    for (levels, kernel) in &kernels {
        println!("{levels}: {:.1} MB of nodes and records", kernel.bytes().iter().sum::<usize>() as f64 * 1e-6);
    }
    println!("{} trees, {} placements, {} triangles flattened", trees.len(), placements.len(), flat.len());
    let control = Control::default();
    let rays = ViewRays::new(Workload::Raywarp, view, SIZE, &flat, &CpuTracer::new(&bvh, &flat)?, &control)?;
    for kind in [RayKind::Primary, RayKind::Ao, RayKind::Diffuse] {
        let batches = rays.batches(kind, Workload::Raywarp.rays_per_pixel(), Order::Workload);
        let sample = batches.draw(CHUNK, (batches.ray_count() / SAMPLE).max(1) as usize, 0);
        let query = if kind == RayKind::Ao { Query::Any } else { Query::Closest };
        for (levels, kernel) in &kernels {
            let source = EventSource::Run { kernel, rays: &sample, after: &[], query };
            let launch = count_source(&source, 32)?;
            let (table, entry) = cost_table(&variant, query, 90).ok_or("no costs")?;
            let costs = raywarp_costs::read_costs(table, &entry)?.ok_or("no costs of the kernel")?;
            let costs = if kernel.has_levels() { costs.with_instances() } else { costs };
            let priced = LaunchInstructions::of(&costs, &launch.tally);
            let counts = launch.counts;
            let per_ray = |operation| counts.operation(operation).active as f64 / counts.rays as f64;
            let added = [Block::EnterInstance, Block::LeaveInstance, Block::TestTrianglePlace];
            let added: f64 = added.map(|block| priced.block(block)).iter().sum();
            let lanes = |operation| match 100.0 * counts.simd_efficiency(operation) {
                none if none.is_nan() => "-".to_string(),
                share => format!("{share:.0}"),
            };
            println!(
                "{:8} {levels}: {:6.1} nodes {:6.2} tests {:5.2} enters a ray; lanes {:>2} / {:>2} / {:>2} %; {:7.1} \
                 warp instructions a ray, {:.1} of them to enter, leave and place",
                kind.name(),
                counts.nodes_per_ray(),
                counts.triangles_per_ray(),
                per_ray(Operation::EnterInstance),
                lanes(Operation::VisitNode),
                lanes(Operation::TestTriangle),
                lanes(Operation::EnterInstance),
                priced.warp_instructions() / counts.rays as f64,
                added / counts.rays as f64,
            );
        }
    }
    Ok(())
}

/// Trees with their triangles, and where they are placed.
type Placed = (Vec<(Bvh2, FlatTriangles)>, Vec<KernelPlacement>);

/// Makes a tree of each mesh that is placed more than once, and one of all others together.
fn placed(scene: &Description) -> Result<Placed, Box<dyn Error>> {
    let mut times = vec![0u32; scene.meshes.len()];
    scene.instances.iter().for_each(|instance| times[instance.mesh.index()] += 1);
    let rest = flatten_some(scene, |index| times[scene.instances[index].mesh.index()] == 1)?;
    let (mut trees, mut placements) = (Vec::new(), Vec::new());
    let mut add = |mut triangles: FlatTriangles| -> Result<u32, Box<dyn Error>> {
        triangles.opaque.fill(true);
        trees.push((build(&triangles, &BuildOptions::default())?, triangles));
        Ok(trees.len() as u32 - 1)
    };
    if !rest.is_empty() {
        placements.push(KernelPlacement { tree: add(rest)?, transform: Affine64::IDENTITY });
    }
    for mesh in (0..times.len()).filter(|&mesh| times[mesh] > 1) {
        let triangles = &scene.meshes[mesh].triangles;
        let corners: Vec<_> = (0..triangles.indices.len()).map(|i| triangles.corners(i)).collect();
        let ids = (0..corners.len() as u32).map(|primitive| PrimitiveId { instance: 0, primitive }).collect();
        let opaque = vec![true; corners.len()];
        let tree = add(FlatTriangles { vertices: corners, ids, opaque })?;
        let of_mesh = scene.instances.iter().filter(|instance| instance.mesh.index() == mesh);
        placements.extend(of_mesh.map(|i| KernelPlacement { tree, transform: Affine64::from(&i.transform) }));
    }
    Ok((trees, placements))
}
