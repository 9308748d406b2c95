//! What is told of a scene, as it is read: each number by itself is one that may stand there.

use super::SceneFileError;
use super::bytes::In;
use super::error::{broken, ensure};
use crate::query::ids::{GeometryId, InstanceId, Placement};
use crate::query::kept::{Kept, KeptMesh, KeptPart};
use raywarp_bvh::{BuildOptions, Builder, build};
use raywarp_cpu::{KeptPlacement, KeptTop};
use raywarp_geom::origin::RoundingWarning;
use raywarp_geom::{Aabb, Affine, FlatTriangles};
use raywarp_layout::{BLOCK, BoxesCost, Wide8Cost};
use std::collections::BTreeMap;

/// Numbers of kinds of parts.
pub(super) const REMOVED: u32 = 0;
pub(super) const MESH: u32 = 1;
pub(super) const GROUP: u32 = 2;

/// What stands for no tree.
pub(super) const NO_TREE: u32 = u32::MAX;

/// Builders, whose places here are their numbers.
pub(super) const BUILDERS: [Builder; 7] = [
    Builder::SweepSah,
    Builder::BinnedSah,
    Builder::Sbvh,
    Builder::BestOf,
    Builder::Lbvh,
    Builder::Ploc,
    Builder::BinnedBlocks,
];

/// Returns the number of a kind of warning.
pub(super) fn round_kind(rounding: Option<&RoundingWarning>) -> u32 {
    match rounding {
        Some(RoundingWarning::Hits { .. }) => 1,
        Some(RoundingWarning::Corners { .. }) => 2,
        Some(RoundingWarning::File { .. }) => 3,
        _ => 0,
    }
}

/// What is told of a scene.
pub(super) struct Told {
    pub origin: [f64; 3],
    pub rounding: Option<RoundingWarning>,
    pub trees: Vec<ToldTree>,
    /// Without the boxes of placements.
    pub kept: Kept,
    pub numbered: Vec<ToldPlacement>,
    pub levels: Option<ToldLevels>,
}

/// What is told of a tree.
pub(super) struct ToldTree {
    pub triangles: usize,
    /// Numbers of its nodes and its blocks.
    pub counts: [usize; 2],
    pub bounds: Aabb,
}

/// What is told of a placement of a mesh, by its number.
pub(super) struct ToldPlacement {
    pub mask: u32,
    pub user: u32,
    pub is_mirrored: bool,
    pub moves: bool,
}

/// What is told of a scene of two levels.
pub(super) struct ToldLevels {
    pub placements: Vec<KeptPlacement>,
    /// Indices of the placements that move, and their maps of time 1.
    pub ends: Vec<(u32, Affine)>,
    pub top: KeptTop,
}

/// Reads what is told of a scene, all of `bytes`.
pub(super) fn told(bytes: &[u8]) -> Result<Told, SceneFileError> {
    let mut input = In(bytes);
    let input = &mut input;
    let (origin, rounding, quality) = (input.point()?, rounding(input)?, options(input)?);
    let count = input.count(48)?;
    let trees = (0..count).map(|_| tree(input)).collect::<Result<_, _>>()?;
    let kept = kept(input, quality)?;
    let count = input.count(16)?;
    let placement = |_| {
        let (mask, user) = (input.u32()?, input.u32()?);
        Ok(ToldPlacement { mask, user, is_mirrored: input.flag()?, moves: input.flag()? })
    };
    let numbered = (0..count).map(placement).collect::<Result<_, SceneFileError>>()?;
    let levels = if input.flag()? { Some(levels(input)?) } else { None };
    ensure(input.0.is_empty(), "more is told of it than there is to tell")?;
    Ok(Told { origin, rounding, trees, kept, numbered, levels })
}

fn rounding(input: &mut In<'_>) -> Result<Option<RoundingWarning>, SceneFileError> {
    Ok(Some(match input.u32()? {
        0 => return Ok(None),
        1 => {
            let (step, hurt, triangles) = (input.f64()?, input.u64()?, input.u64()?);
            RoundingWarning::Hits { step, hurt, triangles, is_estimate: input.flag()? }
        }
        2 => {
            let (hurt, triangles, collapsed) = (input.u64()?, input.u64()?, input.u64()?);
            RoundingWarning::Corners { hurt, triangles, collapsed, share: input.f64()?, is_estimate: input.flag()? }
        }
        3 => RoundingWarning::File { flat: input.u64()?, triangles: input.u64()?, step: input.f64()? },
        _ => return broken("there is no such warning"),
    }))
}

fn options(input: &mut In<'_>) -> Result<BuildOptions, SceneFileError> {
    let Some(&builder) = BUILDERS.get(input.u32()? as usize) else { return broken("there is no such builder") };
    let (max_leaf, is_clipped, clipping) = (input.u32()?, input.flag()?, input.f32()?);
    ensure(is_clipped || clipping.to_bits() == 0, "what is not used is not zero")?;
    let options = BuildOptions {
        builder,
        max_leaf,
        split_clipping: is_clipped.then_some(clipping),
        split_alpha: input.f32()?,
        split_budget: input.f32()?,
        split_below: input.f32()?,
        split_worth: input.f32()?,
        reinsertion: input.u32()?,
        traversal_cost: input.f32()?,
        intersection_cost: input.f32()?,
    };
    // Options are checked before anything is built.
    ensure(build(&FlatTriangles::default(), &options).is_ok(), "an option of building is out of its range")?;
    Ok(options)
}

fn tree(input: &mut In<'_>) -> Result<ToldTree, SceneFileError> {
    let tree = ToldTree { triangles: input.size()?, counts: [input.size()?, input.size()?], bounds: input.aabb()? };
    // So that no more memory is taken for triangles than the file has for them.
    let room = tree.counts[1].saturating_mul(BLOCK).min(FlatTriangles::LIMIT as usize);
    ensure(tree.triangles <= room, "a tree has more triangles than room for them")?;
    Ok(tree)
}

fn kept(input: &mut In<'_>, quality: BuildOptions) -> Result<Kept, SceneFileError> {
    let count = input.count(4)?;
    let parts = (0..count).map(|_| part(input)).collect::<Result<_, _>>()?;
    let next_instance = input.u64()?;
    let count = input.count(8)?;
    let instance = |_| Ok((InstanceId(input.u32()?), GeometryId(input.u32()?)));
    let instances: Vec<_> = (0..count).map(instance).collect::<Result<_, SceneFileError>>()?;
    let is_sorted = instances.is_sorted_by(|a, b| a.0 < b.0);
    let is_below = instances.last().is_none_or(|(id, _)| u64::from(id.0) < next_instance);
    ensure(is_sorted && is_below && next_instance <= 1 << 32, "ids of placements do not grow")?;
    let (mut flattened, count) = (BTreeMap::new(), input.count(56)?);
    for _ in 0..count {
        let key = (InstanceId(input.u32()?), input.u32()?);
        ensure(flattened.last_key_value().is_none_or(|(last, _)| *last < key), "flattened placements do not grow")?;
        flattened.insert(key, input.map()?);
    }
    let is_divided = input.flag()?;
    let count = input.count(4)?;
    let free = (0..count).map(|_| input.u32()).collect::<Result<_, _>>()?;
    Ok(Kept { parts, instances, next_instance, flattened, is_divided, free, quality, reaches: Vec::new() })
}

fn part(input: &mut In<'_>) -> Result<KeptPart, SceneFileError> {
    match input.u32()? {
        REMOVED => Ok(KeptPart::Removed),
        MESH => Ok(KeptPart::Mesh(mesh(input)?)),
        GROUP => {
            let count = input.count(108)?;
            let member = |_| {
                let (mesh, mask, transform) = (GeometryId(input.u32()?), input.u32()?, input.map64()?);
                let end = if input.flag()? { Some(input.map64()?) } else { None };
                Ok(Placement { mesh, transform, end, mask })
            };
            let members: Vec<Placement> = (0..count).map(member).collect::<Result<_, SceneFileError>>()?;
            Ok(KeptPart::Group(members.into()))
        }
        _ => broken("a part is neither a mesh nor a group"),
    }
}

fn mesh(input: &mut In<'_>) -> Result<KeptMesh, SceneFileError> {
    let tree = input.u32()?;
    let (local, triangles, bounds) = (input.point()?, input.size()?, input.aabb()?);
    let mut built = None;
    if input.flag()? {
        let [tree, triangles, bounds] = input.point()?;
        built = Some(Wide8Cost { tree, triangles, bounds });
    }
    let (is_counted, count) = (input.flag()?, input.u64()?);
    ensure(is_counted || count == 0, "what is not used is not zero")?;
    let (tree, open_edges) = ((tree != NO_TREE).then_some(tree), is_counted.then_some(count));
    Ok(KeptMesh { tree, local, triangles, bounds, is_custom: false, built, open_edges })
}

fn levels(input: &mut In<'_>) -> Result<ToldLevels, SceneFileError> {
    let (placements, count) = (records(input)?, input.count(52)?);
    let ends = (0..count).map(|_| Ok((input.u32()?, input.map()?))).collect::<Result<_, SceneFileError>>()?;
    let (nodes, count) = (records(input)?, input.count(4)?);
    let items = (0..count).map(|_| input.u32()).collect::<Result<_, _>>()?;
    let count = input.count(8)?;
    let parts = (0..count).map(|_| Ok([input.u32()?, input.u32()?])).collect::<Result<_, SceneFileError>>()?;
    let (bounds, built) = (input.aabb()?, BoxesCost { tree: input.finite()?, items: input.finite()? });
    Ok(ToldLevels { placements, ends, top: KeptTop { nodes, items, parts, bounds, built } })
}

/// Reads a list of records of any bits.
fn records<T: bytemuck::Pod>(input: &mut In<'_>) -> Result<Vec<T>, SceneFileError> {
    let count = input.count(size_of::<T>())?;
    let mut records = bytemuck::zeroed_vec(count);
    bytemuck::cast_slice_mut(&mut records).copy_from_slice(input.bytes(count * size_of::<T>())?);
    Ok(records)
}
