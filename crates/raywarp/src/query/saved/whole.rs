//! From what is told of a scene to the scene: what its parts say of each other has to agree.

use super::SceneFileError;
use super::error::{broken, ensure};
use super::parts::{Told, ToldLevels, ToldTree};
use crate::device::{Backend, Plan};
use crate::query::assemble::{reach_of, sizes};
use crate::query::ids::{InstanceId, Placement};
use crate::query::kept::{Kept, KeptPart};
use crate::query::room::check_levels;
use crate::query::scene::{Numbered, Rays, Scene};
use rayon::prelude::*;
use raywarp_bvh::BuildOptions;
use raywarp_cpu::{CpuTracer, Ids, KeptPlacement, LevelsTracer, tracer_of_kept};
use raywarp_geom::{Aabb, Affine, PrimitiveId};
use raywarp_layout::Line;
use std::sync::Arc;

/// Makes the scene of what is told of it and of the memory of its trees.
pub(super) fn scene(told: Told, memory: Vec<Vec<Line>>) -> Result<Scene, SceneFileError> {
    let Told { origin, rounding, trees, mut kept, numbered: told, levels } = told;
    let meshes = placed_meshes(&kept, told.len())?;
    let numbered: Vec<Numbered> = meshes
        .into_iter()
        .zip(told)
        .map(|((id, mesh), told)| Numbered {
            id,
            mask: told.mask,
            user: told.user,
            mesh,
            is_mirrored: told.is_mirrored,
            moves: told.moves,
        })
        .collect();
    let moved = flattened(&kept, &numbered)?;
    // Of each placement the map to the world, where it is known.
    let mut maps: Vec<Affine> = moved.iter().map(|map| map.unwrap_or(Affine::IDENTITY)).collect();
    let mut ends: Vec<Option<Affine>> = vec![None; numbered.len()];
    let rays = match levels {
        None => {
            let is_flat = trees.len() == 1 && !kept.is_divided && kept.free.is_empty();
            ensure(is_flat && kept.parts.iter().all(|part| tree_in(part).is_none()), "one level has several trees")?;
            ensure(numbered.iter().all(|numbered| !numbered.moves), "what moves is flattened")?;
            check_count(&kept, &numbered, trees[0].triangles, |_| true)?;
            let ids = || ids_of(&kept, &numbered, |_| true);
            let tree = made((0, &trees[0]), memory.into_iter().next().unwrap_or_default(), ids)?;
            Rays::One(tree.clone(), Box::new(Backend::cpu(tree, Plan::cpu(kept.quality))))
        }
        Some(levels) => {
            let of = Scenery { kept: &kept, numbered: &numbered, moved: &moved, trees: &trees };
            let flat = of.check(&levels.placements)?;
            let standing = &levels.placements[..levels.placements.len() - usize::from(flat.is_some())];
            for placement in standing.iter().filter(|placement| moved[placement.base as usize].is_none()) {
                maps[placement.base as usize] = placement.map();
            }
            for (index, end) in &levels.ends {
                let Some(base) = standing.get(*index as usize).map(|placement| placement.base as usize) else {
                    return broken("something moves that is not there");
                };
                ensure(numbered[base].moves, "something moves that is said to stand still")?;
                ends[base] = Some(*end);
            }
            two_levels(levels, &trees, memory, flat.as_ref(), kept.quality)?
        }
    };
    let bounds = |(numbered, (map, end)): (&Numbered, (&Affine, &Option<Affine>))| {
        let Some(mesh) = kept.mesh(numbered.mesh as usize) else { return Aabb::EMPTY };
        let at_end = end.map_or(Aabb::EMPTY, |end| reach_of(&mesh.bounds, &end));
        reach_of(&mesh.bounds, map).union(&at_end)
    };
    let placed = numbered.par_iter().zip(maps.par_iter().zip(&ends));
    let reaches = placed.with_min_len(1 << 10).map(bounds).collect();
    kept.reaches = reaches;
    Ok(Scene::new(rays, numbered, (origin, rounding), false, kept))
}

/// Lists the id and the mesh of each placement of a mesh; there have to be `count`.
fn placed_meshes(kept: &Kept, count: usize) -> Result<Vec<(InstanceId, u32)>, SceneFileError> {
    let groups: Vec<_> = kept.parts.iter().map(KeptPart::members).collect();
    let is_there = |part: u32| kept.parts.get(part as usize).is_some_and(|part| !matches!(part, KeptPart::Removed));
    let members = groups.iter().flatten().flat_map(|members| members.iter());
    let mut named = members.map(|member| member.mesh.0).chain(kept.instances.iter().map(|(_, part)| part.0));
    ensure(named.all(is_there), "something is placed that is not there")?;
    let Ok(sizes) = sizes(&groups) else { return broken("groups stand in groups too deep, or before their members") };
    let found = kept.instances.iter().map(|(_, part)| sizes[part.0 as usize]).fold(0, u64::saturating_add);
    ensure(found == count as u64, "it has another number of placements than its groups make")?;
    // Members that stand for anything, so that each step below leads to a placement.
    let seen = |members: &Arc<[_]>| {
        let parts = members.iter().map(|member: &Placement| member.mesh.0);
        parts.filter(|&part| sizes[part as usize] > 0).collect::<Vec<u32>>()
    };
    let seen: Vec<Option<Vec<u32>>> = groups.iter().map(|group| group.as_ref().map(seen)).collect();
    let mut all = Vec::with_capacity(count);
    for &(id, part) in &kept.instances {
        expand(&seen, part.0, &mut |mesh| all.push((id, mesh)));
    }
    Ok(all)
}

/// Passes on the meshes that a part stands for; groups stand in groups at most four deep.
fn expand(groups: &[Option<Vec<u32>>], part: u32, take: &mut impl FnMut(u32)) {
    match &groups[part as usize] {
        None => take(part),
        Some(members) => members.iter().for_each(|&member| expand(groups, member, take)),
    }
}

/// Returns the map of each placement that has one of its own.
fn flattened(kept: &Kept, numbered: &[Numbered]) -> Result<Vec<Option<Affine>>, SceneFileError> {
    let mut maps = vec![None; numbered.len()];
    for ((id, index), map) in &kept.flattened {
        let first = numbered.partition_point(|numbered| numbered.id < *id);
        let number = first.saturating_add(*index as usize);
        let is_there = numbered.get(number).is_some_and(|numbered| numbered.id == *id) && *map != Affine::IDENTITY;
        ensure(is_there, "a placement is flattened that is not there, or was not moved")?;
        maps[number] = Some(*map);
    }
    Ok(maps)
}

/// Returns the tree of a part.
fn tree_in(part: &KeptPart) -> Option<u32> {
    if let KeptPart::Mesh(mesh) = part { mesh.tree } else { None }
}

/// Checks that placements of meshes, those for whose numbers `is_flat` is true, have as many triangles as their tree.
fn check_count(
    kept: &Kept,
    numbered: &[Numbered],
    expected: usize,
    is_flat: impl Fn(usize) -> bool,
) -> Result<(), SceneFileError> {
    let flat = numbered.iter().enumerate().filter(|(number, _)| is_flat(*number));
    let found = flat.map(|(_, numbered)| triangles_of(kept, numbered)).fold(0, u64::saturating_add);
    ensure(found == expected as u64, "a tree has another number of triangles than its meshes")
}

fn triangles_of(kept: &Kept, numbered: &Numbered) -> u64 {
    kept.mesh(numbered.mesh as usize).map_or(0, |mesh| mesh.triangles as u64)
}

/// Returns the ids of the triangles of a flattened scene: of the placements for whose numbers `is_flat` is true, which
/// were counted.
fn ids_of(kept: &Kept, numbered: &[Numbered], is_flat: impl Fn(usize) -> bool) -> Ids {
    let ids = |(number, numbered): (usize, &Numbered)| {
        let id = move |primitive| PrimitiveId { instance: number as u32, primitive };
        (0..triangles_of(kept, numbered) as u32).map(id)
    };
    let flat = || numbered.iter().enumerate().filter(|(number, _)| is_flat(*number));
    let mut placements = flat();
    match (placements.next(), placements.next()) {
        (Some((number, one)), None) => {
            Ids::InOrder { instance: number as u32, count: triangles_of(kept, one) as usize }
        }
        _ => Ids::Listed(flat().flat_map(ids).collect()),
    }
}

/// Makes the tracer of a tree whose triangles have these ids.
fn made(
    (number, told): (usize, &ToldTree),
    memory: Vec<Line>,
    ids: impl FnOnce() -> Ids + Send,
) -> Result<Arc<CpuTracer>, SceneFileError> {
    let tracer = tracer_of_kept(memory, told.counts, told.bounds, told.triangles, ids);
    tracer.map(Arc::new).map_err(|source| SceneFileError::Tree { tree: number, source })
}

/// What the placements of a scene of two levels have to agree with.
struct Scenery<'a> {
    kept: &'a Kept,
    numbered: &'a [Numbered],
    /// Maps of placements that were flattened.
    moved: &'a [Option<Affine>],
    trees: &'a [ToldTree],
}

impl Scenery<'_> {
    /// Checks who uses which tree: each has one use. Returns the ids of the triangles of a last tree in the world, if
    /// there is one.
    fn check(&self, placements: &[KeptPlacement]) -> Result<Option<Ids>, SceneFileError> {
        let Self { kept, numbered, moved, trees } = self;
        let mut uses = vec![0u8; trees.len()];
        let mut used = |tree: u32, triangles: usize| {
            let is_new = uses.get_mut(tree as usize).is_some_and(|uses| std::mem::replace(uses, 1) == 0);
            ensure(is_new, "a tree is used twice, or is not there")?;
            ensure(trees[tree as usize].triangles == triangles, "a tree has another number of triangles than its mesh")
        };
        for mesh in (0..kept.parts.len()).filter_map(|part| kept.mesh(part)) {
            if let Some(tree) = mesh.tree {
                used(tree, mesh.triangles)?;
            }
        }
        if check_levels(numbered.len() as u64).is_err() {
            return broken("it has more placements than two levels can have");
        }
        let (rest, flat) = if kept.is_divided {
            (placements, None)
        } else {
            let Some((last, rest)) = placements.split_last() else { return broken("it has no tree in the world") };
            let is_last = last.tree as usize == trees.len().wrapping_sub(1) && last.base == 0;
            ensure(is_last && last.map() == Affine::IDENTITY, "the tree in the world stands elsewhere")?;
            let mut is_flat = vec![true; numbered.len()];
            for placement in rest {
                let Some(is_flat) = is_flat.get_mut(placement.base as usize) else {
                    return broken("a tree is placed for a placement that is not there");
                };
                *is_flat = false;
            }
            ensure(is_flat.contains(&true) && kept.free.is_empty(), "nothing is in the tree in the world")?;
            let triangles = trees[last.tree as usize].triangles;
            used(last.tree, triangles)?;
            check_count(kept, numbered, triangles, |number| is_flat[number])?;
            let moves_flat = numbered.iter().zip(&is_flat).any(|(numbered, is_flat)| *is_flat && numbered.moves);
            ensure(!moves_flat, "what moves is flattened")?;
            (rest, Some(ids_of(kept, numbered, |number| is_flat[number])))
        };
        let is_sorted = rest.is_sorted_by(|a, b| a.base < b.base);
        ensure(is_sorted && (flat.is_some() || rest.len() == numbered.len()), "placements are not in order")?;
        for placement in rest {
            let Some(at) = numbered.get(placement.base as usize) else {
                return broken("a tree is placed for a placement that is not there");
            };
            let mesh = kept.mesh(at.mesh as usize);
            if moved[placement.base as usize].is_some() {
                ensure(!at.moves, "what moves is flattened")?;
                ensure(flat.is_none() && placement.map() == Affine::IDENTITY, "a flattened placement is moved")?;
                used(placement.tree, mesh.map_or(0, |mesh| mesh.triangles))?;
            } else {
                let is_its = mesh.is_some_and(|mesh| mesh.tree == Some(placement.tree));
                ensure(is_its, "a placement has the tree of another mesh")?;
            }
        }
        for &free in &kept.free {
            used(free, 0)?;
        }
        ensure(uses.iter().all(|&uses| uses == 1), "a tree has no use")?;
        Ok(flat)
    }
}

/// Puts a scene of two levels together, whose placements were checked. The triangles of a last tree in the world have
/// the ids of `flat`.
fn two_levels(
    ToldLevels { placements, ends, top }: ToldLevels,
    trees: &[ToldTree],
    memory: Vec<Vec<Line>>,
    flat: Option<&Ids>,
    quality: BuildOptions,
) -> Result<Rays, SceneFileError> {
    let make = |(number, (told, memory)): (usize, (&ToldTree, Vec<Line>))| {
        let ids = || match flat {
            Some(ids) if number == trees.len() - 1 => ids.clone(),
            _ => Ids::InOrder { instance: 0, count: told.triangles },
        };
        made((number, told), memory, ids)
    };
    let trees = trees.par_iter().zip(memory).enumerate().map(make).collect::<Result<Vec<_>, _>>()?;
    match LevelsTracer::of_kept(trees, (&placements, &ends), top) {
        Some(levels) => Ok(Rays::Two(levels, Box::new(Plan::cpu(quality)))),
        None => broken("a placement, or the tree over the placements, is none"),
    }
}
