//! Scene that is being edited: each placement of a mesh with a tree of its mesh, or of its own.

use super::EditError;
use crate::device::Plan;
use crate::query::assemble::{reach, tree_of};
use crate::query::ids::InstanceId;
use crate::query::kept::{Kept, KeptPart};
use crate::query::scene::{Inner, Numbered, Rays, Scene};
use crate::query::triangles::placed;
use crate::query::{GeometryId, SceneError};
use rayon::prelude::*;
use raywarp_cpu::{CpuTracer, LevelsEdit, LevelsTracer, PlacementError, TreePlacement};
use raywarp_geom::origin::RoundingWarning;
use raywarp_geom::{Aabb, Affine64, Control};
use std::ops::Range;
use std::sync::Arc;

/// Scene that is being edited.
pub(super) struct State {
    pub levels: LevelsEdit,
    pub numbered: Vec<Numbered>,
    pub origin: [f64; 3],
    rounding: Option<RoundingWarning>,
    pub kept: Kept,
}

impl State {
    /// Takes a scene: as it is if nobody else has it, else a copy.
    pub fn of(scene: Arc<Inner>, control: &Control<'_>) -> Result<Self, EditError> {
        let new = |levels, numbered, (origin, rounding), kept| {
            let levels = LevelsEdit::new(levels);
            Self { levels, numbered, origin, rounding, kept }
        };
        match Arc::try_unwrap(scene) {
            Ok(Inner { rays: Rays::Two(levels, _), numbered, origin, rounding, kept, .. }) if kept.is_divided => {
                Ok(new(levels, numbered, (origin, rounding), kept))
            }
            Ok(scene) => Self::divided(&scene, control),
            Err(shared) => match &shared.rays {
                Rays::Two(levels, _) if shared.kept.is_divided => {
                    let Inner { numbered, origin, rounding, kept, .. } = &*shared;
                    Ok(new(levels.clone(), numbered.clone(), (*origin, *rounding), kept.clone()))
                }
                _ => Self::divided(&shared, control),
            },
        }
    }

    /// Takes a scene that is flattened in whole or in part. Each mesh that stands somewhere by the identity gets a tree
    /// again; placements of others a tree in the world.
    fn divided(scene: &Inner, control: &Control<'_>) -> Result<Self, EditError> {
        let (numbered, mut kept) = (&scene.numbered, scene.kept.clone());
        // Where placements stand that are not flattened, and the tree of the others.
        let mut standing: Vec<Option<TreePlacement>> = vec![None; numbered.len()];
        let (mut trees, flat) = match &scene.rays {
            Rays::One(flat, _) => (Vec::new(), flat.clone()),
            Rays::Two(levels, _) => {
                let last = levels.placement_count() - 1;
                for placement in (0..last).map(|index| levels.placement(index)) {
                    standing[placement.base as usize] = Some(placement);
                }
                let (flat, trees) = levels.trees().split_last().expect("the tree of what is flattened");
                (trees.to_vec(), flat.clone())
            }
        };
        let own = |number: usize| {
            let Numbered { id, .. } = numbered[number];
            kept.flattened.contains_key(&(id, (number - numbers(numbered, id).start) as u32))
        };
        let flattened: Vec<bool> = (0..numbered.len()).map(|n| standing[n].is_none() && own(n)).collect();
        // The first placement by the identity of each mesh that has no tree, and all that a map has flattened.
        let mut wanted: Vec<usize> = Vec::new();
        let mut has_one: Vec<bool> = (0..kept.parts.len()).map(|mesh| kept.tree(mesh).is_some()).collect();
        for (number, Numbered { mesh, .. }) in numbered.iter().enumerate() {
            let is_first = standing[number].is_none() && !flattened[number] && !has_one[*mesh as usize];
            has_one[*mesh as usize] |= is_first;
            if is_first || flattened[number] {
                wanted.push(number);
            }
        }
        let built = if numbered.len() == 1 && wanted == [0] {
            // Its numbers are those of the whole.
            vec![flat]
        } else {
            let mut of = corners_of(&flat, &kept, numbered);
            let wanted: Vec<Vec<[[f32; 3]; 3]>> =
                wanted.iter().map(|&number| std::mem::take(&mut of[number])).collect();
            let quality = kept.quality;
            let tree = |corners| tree_of(corners, &quality, control);
            wanted.into_par_iter().map(tree).collect::<Result<_, _>>()?
        };
        for (&number, tree) in wanted.iter().zip(built) {
            let slot = trees.len() as u32;
            trees.push(tree);
            let transform = Affine64::IDENTITY;
            standing[number] = Some(TreePlacement::still(slot, transform, number as u32));
            if let (KeptPart::Mesh(mesh), false) = (&mut kept.parts[numbered[number].mesh as usize], flattened[number])
            {
                mesh.tree = Some(slot);
            }
        }
        // What is left stands by the identity, and its mesh has a tree now.
        for (number, standing) in standing.iter_mut().enumerate().filter(|(_, standing)| standing.is_none()) {
            let tree = kept.tree(numbered[number].mesh as usize).expect("the tree of a mesh in the world");
            *standing = Some(TreePlacement::still(tree, Affine64::IDENTITY, number as u32));
        }
        let standing: Vec<TreePlacement> = standing.into_iter().flatten().collect();
        kept.is_divided = true;
        let levels = LevelsTracer::new(trees, &standing)?;
        let (levels, numbered, rounding) = (LevelsEdit::new(levels), numbered.clone(), scene.rounding);
        Ok(Self { levels, numbered, origin: scene.origin, rounding, kept })
    }

    /// Returns the numbers of an instance's placements of meshes.
    pub fn numbers(&self, id: InstanceId) -> Range<usize> {
        numbers(&self.numbered, id)
    }

    fn key(&self, number: usize) -> (InstanceId, u32) {
        let id = self.numbered[number].id;
        (id, (number - self.numbers(id).start) as u32)
    }

    /// Returns the map of a placement of a mesh to the world, and that at time 1 if it moves.
    pub fn maps(&self, number: usize) -> (Affine64, Option<Affine64>) {
        match self.kept.flattened.get(&self.key(number)) {
            Some(map) => (map.into(), None),
            None => {
                let TreePlacement { transform, end, .. } = self.levels.scene().placement(number);
                (transform, end)
            }
        }
    }

    /// Returns the tree of a mesh.
    pub fn tree(&self, mesh: usize) -> Result<u32, EditError> {
        self.kept.tree(mesh).ok_or(EditError::NotKept { geometry: GeometryId(mesh as u32) })
    }

    /// Puts a tree where there is room for it.
    pub fn add_tree(&mut self, tree: Arc<CpuTracer>) -> u32 {
        let trees = self.levels.trees();
        if let Some(slot) = self.kept.free.pop() {
            trees[slot as usize] = tree;
            return slot;
        }
        trees.push(tree);
        (trees.len() - 1) as u32
    }

    /// Drops a tree that nothing uses.
    pub fn drop_tree(&mut self, slot: u32) -> Result<(), EditError> {
        self.levels.trees()[slot as usize] = tree_of(Vec::new(), &self.kept.quality, &Control::default())?;
        self.kept.free.push(slot);
        Ok(())
    }

    /// Drops the tree of a placement of a mesh that has one of its own, in the world.
    pub fn drop_flattened(&mut self, number: usize) -> Result<(), EditError> {
        if self.kept.flattened.is_empty() || self.kept.flattened.remove(&self.key(number)).is_none() {
            return Ok(());
        }
        self.drop_tree(self.levels.scene().placement(number).tree)
    }

    /// Places meshes. Those whose boxes cannot be walked by themselves get a tree in the world.
    pub fn place(&mut self, wanted: &[TreePlacement], control: &Control<'_>) -> Result<(), EditError> {
        for &TreePlacement { transform, end, base, .. } in wanted {
            let number = base as usize;
            self.drop_flattened(number)?;
            let mesh = self.kept.mesh(self.numbered[number].mesh as usize);
            self.kept.reaches[number] = mesh.map_or(Aabb::EMPTY, |mesh| reach(&mesh.bounds, &transform, end.as_ref()));
        }
        let mut failed = self.levels.place(wanted);
        failed.sort_unstable_by_key(|(number, _)| *number);
        if let Some(&(instance, error)) = failed.iter().find(|(_, error)| *error != PlacementError::IllConditioned) {
            let is_singular = error == PlacementError::Singular;
            Err(if is_singular { SceneError::Singular { instance } } else { SceneError::NotFinite { instance } })?;
        }
        let is_never_flat = |number: usize| {
            let Numbered { mesh, moves, .. } = self.numbered[number];
            moves || self.kept.mesh(mesh as usize).is_some_and(|mesh| mesh.is_custom)
        };
        if let Some(&(instance, _)) = failed.iter().find(|(number, _)| is_never_flat(*number)) {
            Err(SceneError::IllConditioned { instance })?;
        }
        for placement in wanted
            .iter()
            .filter(|placement| failed.binary_search_by_key(&(placement.base as usize), |(number, _)| *number).is_ok())
        {
            let (number, map) = (placement.base as usize, placement.transform.rounded());
            let mut corners = self.levels.scene().trees()[placement.tree as usize].corners();
            corners.par_iter_mut().for_each(|corners| *corners = placed(*corners, &map));
            if !corners.as_flattened().as_flattened().iter().all(|x| x.is_finite()) {
                Err(SceneError::NotFinite { instance: number })?;
            }
            let tree = self.add_tree(tree_of(corners, &self.kept.quality, control)?);
            let key = self.key(number);
            self.kept.flattened.insert(key, map);
            self.levels.place(&[TreePlacement::still(tree, Affine64::IDENTITY, number as u32)]);
        }
        Ok(())
    }

    /// Makes the scene.
    pub fn finish(self) -> Result<Scene, EditError> {
        let Self { levels, numbered, origin, rounding, kept } = self;
        let rays = Rays::Two(levels.finish()?, Box::new(Plan::cpu(kept.quality)));
        Ok(Scene::new(rays, numbered, (origin, rounding), false, kept))
    }
}

/// Returns the numbers of an instance's placements of meshes: ids grow with numbers.
fn numbers(numbered: &[Numbered], id: InstanceId) -> Range<usize> {
    numbered.partition_point(|numbered| numbered.id < id)..numbered.partition_point(|numbered| numbered.id <= id)
}

/// Returns the corners of each placement's triangles in a tree over them in the world.
fn corners_of(flat: &CpuTracer, kept: &Kept, numbered: &[Numbered]) -> Vec<Vec<[[f32; 3]; 3]>> {
    let mut of: Vec<Vec<[[f32; 3]; 3]>> = vec![Vec::new(); numbered.len()];
    for (id, corners) in flat.ids().iter().zip(flat.corners()) {
        let of = &mut of[id.instance as usize];
        if of.is_empty() {
            let mesh = kept.mesh(numbered[id.instance as usize].mesh as usize);
            of.resize(mesh.map_or(0, |mesh| mesh.triangles), [[0.0; 3]; 3]);
        }
        of[id.primitive as usize] = corners;
    }
    of
}
