//! The tree of blocks loses no ray, and gives the bits of the CPU's tracer.

#[path = "../../cpu/tests/closed/mod.rs"]
mod closed;

use closed::aim::{SplitMix64, Tally, Target};
use closed::meshes;
use raywarp_bvh::{build, presets};
use raywarp_cpu::CpuOptions;
use raywarp_geom::{Control, FlatTriangles, Hit, Ray, Tracer};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};

/// A lane that walks h8.
fn blocks(triangles: &FlatTriangles) -> FamilyTracer {
    let variant = "replace/phased/h8?batch=exact&refill=80".parse().unwrap();
    let bvh = build(triangles, &presets::SINGLE).unwrap();
    FamilyTracer::new(Kernel::new(&variant, &bvh, triangles).unwrap(), Execution::Scalar).unwrap()
}

fn hits(tracer: &dyn Tracer, rays: &[Ray]) -> Vec<[u32; 4]> {
    let mut hits = vec![Hit::default(); rays.len()];
    tracer.closest(rays, &[], &mut hits, &mut [], &Control::default()).unwrap();
    hits.iter().map(|hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]).collect()
}

#[test]
fn no_aimed_ray_is_lost_and_all_have_the_bits_of_the_cpu() {
    let (mut total, mut compared) = (Tally::default(), 0);
    for mesh in meshes::all() {
        for size in [1e-6, 1.0, 1e6] {
            for offset in [0.0, 1.0, 1e2, 1e4] {
                let target = Target::new(&mesh, size, offset);
                let triangles = FlatTriangles::from_vertices(target.triangles.clone());
                let (blocks, cpu) = (blocks(&triangles), target.tracer(&CpuOptions::default()));
                let reach = 2.0 * triangles.bounds().farthest();
                let mut random = SplitMix64(u64::from(offset.to_bits()) << 32 | u64::from(size.to_bits()));
                let mut rays: Vec<Ray> = (0..600).map(|_| target.inner_ray(&mut random)).collect();
                rays.extend((0..300).map(|_| target.outer_ray(&mut random)));
                rays.retain(|ray| ray.origin.iter().all(|x| x.abs() <= reach));
                let (found, wanted) = (hits(&blocks, &rays), hits(&cpu, &rays));
                for (ray, (found, wanted)) in rays.iter().zip(found.iter().zip(&wanted)) {
                    let what = (mesh.name, size, offset);
                    assert_eq!(found, wanted, "{what:?}: {ray:?}");
                }
                compared += rays.len();
                let tally = target.tally(&blocks, true, 400, size.to_bits().into());
                assert_eq!(tally.missed, 0, "{}, {size:e}, {offset:e}: {:?}", mesh.name, tally.example);
                total.add(&tally);
            }
        }
    }
    assert!(compared > 40_000 && total.rays == 24_000, "{compared} {}", total.rays);
}

#[test]
fn rays_from_afar_are_those_of_a_tree_that_reaches_there() {
    let mesh = &meshes::all()[0];
    let target = Target::new(mesh, 1.0, 0.0);
    let triangles = FlatTriangles::from_vertices(target.triangles.clone());
    let bvh = build(&triangles, &presets::SINGLE).unwrap();
    let reach = raywarp_layout::encode_h8(&bvh, &triangles).unwrap().reach();
    let tree = raywarp_layout::encode_h8_reaching(&bvh, &triangles, 64.0).unwrap();
    assert!(reach < 1.5 && tree.reach() == 64.0 && tree.validate().is_ok());
    // Padded for it, and no more than that.
    let grown = |tree: &raywarp_layout::H8| tree.node(0).planes(0, 0, tree.grid_step())[0];
    let near = raywarp_layout::encode_h8(&bvh, &triangles).unwrap();
    let by = grown(&near) - grown(&tree);
    assert!(by > 64.0 * 2f64.powi(-19) && by < 64.0 * 2f64.powi(-14), "{by}");
}
