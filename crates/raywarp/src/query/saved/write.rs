//! Scenes as bytes.

use super::bytes::Out;
use super::checksum::Checksum;
use super::parts::{BUILDERS, GROUP, MESH, NO_TREE, REMOVED, round_kind};
use super::{FORMAT_VERSION, HEADER_BYTES, MAGIC, PIECE_BYTES, SceneFileError};
use crate::query::GeometryId;
use crate::query::kept::{Kept, KeptMesh, KeptPart};
use crate::query::scene::{Inner, Rays, Scene};
use raywarp_bvh::BuildOptions;
use raywarp_cpu::{CpuTracer, LevelsTracer, kept_tree};
use raywarp_geom::origin::RoundingWarning;
use raywarp_layout::Wide8;
use std::io::Write;
use std::sync::Arc;

/// Writes a scene: `told`, and the memory of its trees.
pub(super) fn write(scene: &Scene, told: &[u8], out: &mut impl Write) -> Result<(), SceneFileError> {
    let trees: Vec<&[u8]> = trees(scene).iter().filter_map(|tree| kept_tree(tree)).map(memory).collect();
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend(MAGIC);
    header.extend(FORMAT_VERSION.to_le_bytes());
    header.extend([0; 4]);
    header.extend((told.len() as u64).to_le_bytes());
    header.extend(trees.iter().map(|memory| memory.len() as u64).sum::<u64>().to_le_bytes());
    let mut checksum = Checksum::new();
    for part in [&header, told] {
        checksum.add(part);
        out.write_all(part)?;
    }
    out.write_all(&checksum.value().to_le_bytes())?;
    let mut sums = Vec::new();
    for piece in trees.iter().flat_map(|memory| memory.chunks(PIECE_BYTES)) {
        sums.push(Checksum::of(piece));
        out.write_all(piece)?;
    }
    out.write_all(&Checksum::of(bytemuck::cast_slice(&sums)).to_le_bytes())?;
    Ok(())
}

/// Returns the trees of a scene.
fn trees(scene: &Scene) -> &[Arc<CpuTracer>] {
    match &scene.0.rays {
        Rays::One(flat, _) => std::slice::from_ref(flat),
        Rays::Two(levels, _) => levels.trees(),
    }
}

fn memory(tree: &Wide8) -> &[u8] {
    bytemuck::cast_slice(tree.lines())
}

/// Tells all of a scene but the memory of its trees.
pub(super) fn told(scene: &Scene) -> Result<Vec<u8>, SceneFileError> {
    if cfg!(target_endian = "big") {
        return Err(SceneFileError::BigEndian);
    }
    let Inner { rays, numbered, origin, rounding, kept, .. } = &*scene.0;
    let is_custom = |part: &KeptPart| matches!(part, KeptPart::Mesh(mesh) if mesh.is_custom);
    if let Some(geometry) = kept.parts.iter().position(is_custom) {
        return Err(SceneFileError::Custom { geometry: GeometryId(geometry as u32) });
    }
    let mut out = Out::default();
    out.point(origin);
    tell_rounding(&mut out, rounding.as_ref());
    tell_options(&mut out, &kept.quality);
    out.count(trees(scene).len());
    for tracer in trees(scene) {
        // There is no other kind without custom geometry.
        let (nodes, blocks) = kept_tree(tracer).map_or((0, 0), |tree| (tree.nodes().len(), tree.blocks().len()));
        [tracer.ids().len(), nodes, blocks].iter().for_each(|&count| out.count(count));
        out.aabb(&tracer.bounds());
    }
    tell_kept(&mut out, kept);
    out.count(numbered.len());
    for numbered in numbered {
        out.u32(numbered.mask);
        out.u32(numbered.user);
        out.flag(numbered.is_mirrored);
        out.flag(numbered.moves);
    }
    match rays {
        Rays::One(..) => out.flag(false),
        Rays::Two(levels, _) => {
            out.flag(true);
            tell_levels(&mut out, levels);
        }
    }
    Ok(out.0)
}

fn tell_rounding(out: &mut Out, rounding: Option<&RoundingWarning>) {
    out.u32(round_kind(rounding));
    match rounding {
        Some(&RoundingWarning::Hits { step, hurt, triangles, is_estimate }) => {
            out.f64(step);
            out.u64(hurt);
            out.u64(triangles);
            out.flag(is_estimate);
        }
        Some(&RoundingWarning::Corners { hurt, triangles, share, collapsed, is_estimate }) => {
            [hurt, triangles, collapsed].iter().for_each(|&count| out.u64(count));
            out.f64(share);
            out.flag(is_estimate);
        }
        Some(&RoundingWarning::File { flat, triangles, step }) => {
            out.u64(flat);
            out.u64(triangles);
            out.f64(step);
        }
        _ => {}
    }
}

fn tell_options(out: &mut Out, options: &BuildOptions) {
    let builder = BUILDERS.iter().position(|builder| *builder == options.builder);
    out.u32(builder.expect("a builder that the table has") as u32);
    out.u32(options.max_leaf);
    out.flag(options.split_clipping.is_some());
    out.f32(options.split_clipping.unwrap_or(0.0));
    [options.split_alpha, options.split_budget, options.split_below, options.split_worth]
        .iter()
        .for_each(|&x| out.f32(x));
    out.u32(options.reinsertion);
    out.f32(options.traversal_cost);
    out.f32(options.intersection_cost);
}

fn tell_kept(out: &mut Out, kept: &Kept) {
    out.count(kept.parts.len());
    for part in &kept.parts {
        match part {
            KeptPart::Removed => out.u32(REMOVED),
            KeptPart::Mesh(mesh) => {
                out.u32(MESH);
                tell_mesh(out, mesh);
            }
            KeptPart::Group(members) => {
                out.u32(GROUP);
                out.count(members.len());
                for member in members.iter() {
                    out.u32(member.mesh.0);
                    out.u32(member.mask);
                    out.map64(&member.transform);
                    out.flag(member.end.is_some());
                    member.end.iter().for_each(|end| out.map64(end));
                }
            }
        }
    }
    out.u64(kept.next_instance);
    out.count(kept.instances.len());
    for (id, geometry) in &kept.instances {
        out.u32(id.0);
        out.u32(geometry.0);
    }
    out.count(kept.flattened.len());
    for ((id, index), map) in &kept.flattened {
        out.u32(id.0);
        out.u32(*index);
        out.map(map);
    }
    out.flag(kept.is_divided);
    out.count(kept.free.len());
    kept.free.iter().for_each(|&tree| out.u32(tree));
}

fn tell_mesh(out: &mut Out, mesh: &KeptMesh) {
    let KeptMesh { tree, local, triangles, bounds, is_custom: _, built, open_edges } = mesh;
    out.u32(tree.unwrap_or(NO_TREE));
    out.point(local);
    out.count(*triangles);
    out.aabb(bounds);
    out.flag(built.is_some());
    if let Some(cost) = built {
        out.point(&[cost.tree, cost.triangles, cost.bounds]);
    }
    out.flag(open_edges.is_some());
    out.u64(open_edges.unwrap_or(0));
}

fn tell_levels(out: &mut Out, levels: &LevelsTracer) {
    out.count(levels.placement_count());
    levels.kept().for_each(|placement| out.0.extend(bytemuck::bytes_of(&placement)));
    out.count(levels.kept_ends().count());
    for (index, end) in levels.kept_ends() {
        out.u32(index);
        out.map(&end);
    }
    let (top, built) = levels.top();
    out.count(top.nodes().len());
    out.0.extend(bytemuck::cast_slice::<_, u8>(top.nodes()));
    out.count(top.words().len());
    top.words().iter().for_each(|&word| out.u32(word));
    out.count(levels.opened().len());
    levels.opened().flatten().for_each(|word| out.u32(word));
    out.aabb(top.bounds());
    out.f64(built.tree);
    out.f64(built.items);
}
