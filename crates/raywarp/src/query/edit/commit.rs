//! From changes to a new scene: what is asked for is checked, then done to the scene's parts one after the other.

use super::meshes::{Job, build};
use super::state::State;
use super::{Change, Changes, Edit, EditError};
use crate::query::assemble::{Leaf, custom_tree, expand, sizes, tree_of};
use crate::query::builder::{Instance, Part};
use crate::query::ids::{GeometryId, Groups, InstanceId, Placement};
use crate::query::kept::{Kept, KeptMesh, KeptPart};
use crate::query::room::{MOST_IN_LEVELS, check_room};
use crate::query::scene::{Numbered, Scene};
use raywarp_cpu::TreePlacement;
use raywarp_geom::{Aabb, Affine64, Control};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Makes the scene that an edit asks for.
pub(super) fn commit(edit: Edit<'_>, control: &Control<'_>) -> Result<Scene, EditError> {
    let Edit { scene, changes } = edit;
    if scene.is_on_gpus {
        return Err(EditError::OnGpu);
    }
    let changes = changes.checked(&scene.kept)?;
    let mut state = State::of(scene, control)?;
    state.kept.parts.extend(changes.parts.iter().map(|part| match part {
        Part::Mesh(..) => {
            let (local, bounds) = ([0.0; 3], Aabb::EMPTY);
            KeptPart::Mesh(KeptMesh {
                tree: None,
                local,
                triangles: 0,
                bounds,
                is_custom: false,
                built: None,
                open_edges: None,
            })
        }
        Part::Group(members) => KeptPart::Group(members.clone()),
        Part::Custom(_) => KeptPart::custom(None, Aabb::EMPTY),
    }));
    let groups: Vec<Option<Arc<[Placement]>>> = state.kept.parts.iter().map(KeptPart::members).collect();
    let sizes = sizes(&groups).map_err(EditError::Scene)?;

    // First what goes, so that its memory is there for what comes.
    for &id in &changes.removed {
        for number in state.numbers(id) {
            state.drop_flattened(number)?;
        }
    }
    if !changes.removed.is_empty() {
        let State { levels, numbered, kept, .. } = &mut state;
        levels.retain(|number| !changes.removed.contains(&numbered[number].id));
        let mut stays = numbered.iter().map(|numbered| !changes.removed.contains(&numbered.id));
        kept.reaches.retain(|_| stays.next().unwrap_or(false));
        numbered.retain(|numbered| !changes.removed.contains(&numbered.id));
        kept.instances.retain(|(id, _)| !changes.removed.contains(id));
    }
    for &geometry in &changes.removed_parts {
        let part = std::mem::replace(&mut state.kept.parts[geometry.0 as usize], KeptPart::Removed);
        if let KeptPart::Mesh(KeptMesh { tree: Some(tree), .. }) = part {
            state.drop_tree(tree)?;
        }
    }

    let added =
        changes.instances.iter().map(|instance| sizes[instance.placement.mesh.0 as usize]).fold(0, u64::saturating_add);
    check_room(state.numbered.len() as u64, added, MOST_IN_LEVELS).map_err(EditError::Scene)?;
    let reshaped = state.reshape(&changes, control)?;
    let mut wanted = state.change(&changes, (&groups, &sizes))?;
    state.add(&changes, (&groups, &sizes), &mut wanted)?;
    state.stay(&reshaped, &mut wanted)?;
    state.place(&wanted, control)?;
    state.finish()
}

impl Changes<'_> {
    /// Checks that all that is named is there, and nothing that goes is needed. Changes of what goes are left out.
    fn checked(mut self, kept: &Kept) -> Result<Self, EditError> {
        if let Some(missing) = self.missing.take() {
            return Err(missing);
        }
        let next = kept.next_instance + self.ids;
        if next > 1 << 32 {
            return Err(EditError::NoIdsLeft);
        }
        let is_kept = |id: &InstanceId| kept.instances.binary_search_by_key(id, |(id, _)| *id).is_ok();
        let is_there = |id: &InstanceId| is_kept(id) || (kept.next_instance..next).contains(&u64::from(id.0));
        if let Some(&instance) = self.removed.iter().chain(self.changed.keys()).find(|id| !is_there(id)) {
            return Err(EditError::NoInstance { instance });
        }
        self.changed.retain(|id, _| !self.removed.contains(id));
        self.instances.retain(|instance| !self.removed.contains(&instance.id));
        self.removed.retain(|id| is_kept(id));

        let count = kept.parts.len();
        let is_part = |geometry: &GeometryId| match kept.parts.get(geometry.0 as usize) {
            Some(KeptPart::Removed) => false,
            Some(_) => true,
            None => (geometry.0 as usize) < count + self.parts.len(),
        };
        let named = self.instances.iter().map(|instance| instance.placement.mesh);
        let members = self.parts.iter().filter_map(Part::members);
        let members: Vec<GeometryId> =
            members.flat_map(|members| members.iter().map(|m| m.mesh).collect::<Vec<_>>()).collect();
        let of_meshes = self.meshes.keys().map(|&mesh| GeometryId(mesh));
        let mut all = self.removed_parts.iter().copied().chain(named).chain(of_meshes).chain(members);
        if let Some(geometry) = all.find(|geometry| !is_part(geometry)) {
            return Err(EditError::NoGeometry { geometry });
        }
        for &mesh in self.meshes.keys() {
            let is_mesh = |part: &KeptPart| !matches!(part, KeptPart::Group(_));
            if !is_mesh(&kept.parts[mesh as usize]) || kept.mesh(mesh as usize).is_some_and(|mesh| mesh.is_custom) {
                return Err(EditError::NotAMesh { geometry: GeometryId(mesh) });
            }
        }
        self.check_unused(kept)?;
        let removed = &self.removed_parts;
        self.meshes.retain(|mesh, _| !removed.contains(&GeometryId(*mesh)));
        Ok(self)
    }

    /// Checks that no placement and no group that stays needs a mesh or a group that goes.
    fn check_unused(&self, kept: &Kept) -> Result<(), EditError> {
        let removed = &self.removed_parts;
        if removed.is_empty() {
            return Ok(());
        }
        let stays = kept.instances.iter().filter(|(id, _)| !self.removed.contains(id)).map(|(_, mesh)| *mesh);
        let mut used: BTreeSet<GeometryId> = self.instances.iter().map(|instance| instance.placement.mesh).collect();
        used.extend(stays.filter(|mesh| removed.contains(mesh)));
        let old = kept.parts.iter().map(KeptPart::members);
        for (number, members) in old.chain(self.parts.iter().map(Part::members)).enumerate() {
            if let (Some(members), false) = (members, removed.contains(&GeometryId(number as u32))) {
                used.extend(members.iter().map(|member| member.mesh));
            }
        }
        match removed.iter().find(|geometry| used.contains(geometry)) {
            Some(&geometry) => Err(EditError::InUse { geometry }),
            None => Ok(()),
        }
    }
}

impl State {
    /// Gives meshes their triangles: added ones, and those that get others. Returns the latter.
    fn reshape(&mut self, changes: &Changes<'_>, control: &Control<'_>) -> Result<BTreeSet<u32>, EditError> {
        let first = self.kept.parts.len() - changes.parts.len();
        let mut jobs = Vec::new();
        for (number, part) in changes.parts.iter().enumerate() {
            let mesh = first + number;
            if let (Part::Mesh(positions, indices), KeptPart::Mesh(_)) = (part, &self.kept.parts[mesh]) {
                jobs.push(Job::new(mesh, (*positions, *indices), self.origin));
            }
            if let Part::Custom(geometry) = part {
                let tree = custom_tree(mesh, geometry).map_err(EditError::Scene)?;
                let bounds = tree.bounds();
                self.kept.parts[mesh] = KeptPart::custom(Some(self.add_tree(tree)), bounds);
            }
        }
        if changes.meshes.is_empty() && jobs.is_empty() {
            return Ok(BTreeSet::new());
        }
        let empty = tree_of(Vec::new(), &self.kept.quality, control)?;
        for (&mesh, &(given, how)) in &changes.meshes {
            if let KeptPart::Mesh(kept) = &self.kept.parts[mesh as usize] {
                // Taken out, so that it is nobody else's if no other scene has it.
                let trees = self.levels.trees();
                let tree = kept.tree.map(|tree| std::mem::replace(&mut trees[tree as usize], empty.clone()));
                jobs.push(Job::again(mesh as usize, given, kept, tree, how));
            }
        }
        for built in build(jobs, &self.kept.quality, control)? {
            let (tree, mesh) = (self.kept.tree(built.mesh), built.mesh);
            let tree = match tree {
                Some(tree) => {
                    self.levels.trees()[tree as usize] = built.tree;
                    tree
                }
                None => self.add_tree(built.tree),
            };
            let kept = KeptMesh {
                tree: Some(tree),
                local: built.local,
                triangles: built.triangles,
                bounds: built.bounds,
                is_custom: false,
                built: built.built,
                open_edges: None,
            };
            self.kept.parts[mesh] = KeptPart::Mesh(kept);
        }
        Ok(changes.meshes.keys().copied().collect())
    }

    /// Changes what placements are known by, and returns those that go elsewhere.
    fn change(
        &mut self,
        changes: &Changes<'_>,
        (groups, sizes): (&Groups, &[u64]),
    ) -> Result<Vec<TreePlacement>, EditError> {
        let (mut wanted, mut leaves) = (Vec::new(), Vec::new());
        for (&id, change) in &changes.changed {
            let Change { transform, mask, user } = *change;
            let at = self.kept.instances.binary_search_by_key(&id, |(id, _)| *id).expect("checked");
            let placement = Placement {
                mesh: self.kept.instances[at].1,
                transform: transform.map_or(Affine64::IDENTITY, |(transform, _)| transform),
                end: transform.and_then(|(_, end)| end),
                mask: mask.unwrap_or(u32::MAX),
            };
            leaves.clear();
            expand(groups, sizes, &Leaf::of(&Instance { id, placement, user: user.unwrap_or(0) }), &mut leaves);
            for (number, leaf) in self.numbers(id).zip(&mut leaves) {
                if transform.is_some() {
                    wanted.push(self.wanted(number, leaf)?);
                    let Numbered { is_mirrored, moves, .. } = leaf.numbered();
                    (self.numbered[number].is_mirrored, self.numbered[number].moves) = (is_mirrored, moves);
                }
                let numbered = &mut self.numbered[number];
                numbered.mask = if mask.is_some() { leaf.mask } else { numbered.mask };
                numbered.user = user.unwrap_or(numbered.user);
            }
        }
        Ok(wanted)
    }

    /// Adds placements behind the others.
    fn add(
        &mut self,
        changes: &Changes<'_>,
        (groups, sizes): (&Groups, &[u64]),
        wanted: &mut Vec<TreePlacement>,
    ) -> Result<(), EditError> {
        let mut leaves = Vec::new();
        for instance in &changes.instances {
            expand(groups, sizes, &Leaf::of(instance), &mut leaves);
            self.kept.instances.push((instance.id, instance.placement.mesh));
        }
        self.kept.next_instance += changes.ids;
        if leaves.is_empty() {
            return Ok(());
        }
        let first = self.numbered.len();
        for (number, leaf) in (first..).zip(&mut leaves) {
            wanted.push(self.wanted(number, leaf)?);
            self.numbered.push(leaf.numbered());
        }
        self.levels.resize(self.numbered.len());
        self.kept.reaches.resize(self.numbered.len(), Aabb::EMPTY);
        Ok(())
    }

    /// Places again what stays where it is, but has another shape.
    fn stay(&mut self, reshaped: &BTreeSet<u32>, wanted: &mut Vec<TreePlacement>) -> Result<(), EditError> {
        if reshaped.is_empty() {
            return Ok(());
        }
        let goes: BTreeSet<u32> = wanted.iter().map(|placement| placement.base).collect();
        for number in 0..self.numbered.len() {
            let mesh = self.numbered[number].mesh;
            if reshaped.contains(&mesh) && !goes.contains(&(number as u32)) {
                let (tree, (transform, end)) = (self.tree(mesh as usize)?, self.maps(number));
                wanted.push(TreePlacement { tree, transform, end, base: number as u32 });
            }
        }
        Ok(())
    }

    /// Returns where a placement of a mesh is to stand.
    fn wanted(&self, number: usize, leaf: &mut Leaf) -> Result<TreePlacement, EditError> {
        leaf.check(number).map_err(EditError::Scene)?;
        let tree = self.tree(leaf.mesh)?;
        let local = self.kept.mesh(leaf.mesh).map_or([0.0; 3], |mesh| mesh.local);
        if self.origin != [0.0; 3] || local != [0.0; 3] {
            leaf.recenter(local, self.origin);
        }
        Ok(TreePlacement { tree, transform: leaf.transform, end: leaf.end, base: number as u32 })
    }
}
