//! [`Edit`]: changes to a scene, of which a new one is made.

mod commit;
mod error;
mod meshes;
#[cfg(test)]
mod shapes;
mod state;
#[cfg(test)]
mod tests;

pub use error::EditError;
pub use meshes::Reshape;

use super::builder::{Instance, Part};
use super::ids::{GeometryId, InstanceId, Placement};
use super::scene::{Inner, Scene};
use super::source::{Indices, Positions};
use meshes::Given;
use raywarp_cpu::Geometry;
use raywarp_geom::{Affine64, Control};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Changes to a [`Scene`]: what moves, comes, goes or takes another shape. They are made when they are committed, which
/// gives a new scene; of [`Scene::edit`].
///
/// A later change of the same thing takes the place of an earlier one. What is wrong is told by [`Edit::commit`].
///
/// ```
/// use raywarp::{Affine64, Control, Levels, Ray, Scene, SceneOptions};
///
/// let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mut builder = Scene::builder();
/// let sheet = builder.mesh(&positions, &[[0, 1, 2]]);
/// let first = builder.instance(sheet, Affine64::IDENTITY, u32::MAX, 0);
/// let before = builder.build(&SceneOptions { levels: Levels::Two, ..Default::default() }, &Control::default())?;
///
/// let mut edit = before.edit();
/// edit.set_transform(first, Affine64::translation([0.0, 0.0, 5.0]));
/// edit.instance(sheet, Affine64::translation([0.0, 0.0, 7.0]), u32::MAX, 1);
/// let after = edit.commit(&Control::default())?;
///
/// let ray = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, 1.0]);
/// assert_eq!(after.all(&ray).map(|hit| (hit.t, hit.user)).collect::<Vec<_>>(), [(6.0, 0), (8.0, 1)]);
/// assert_eq!(before.closest(&ray).map(|hit| hit.t), Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Edit<'a> {
    scene: Arc<Inner>,
    changes: Changes<'a>,
}

/// What an edit changes.
#[derive(Default)]
struct Changes<'a> {
    /// Meshes and groups that are added.
    parts: Vec<Part<'a>>,
    /// Meshes of the scene that get other triangles, by number.
    meshes: BTreeMap<u32, (Given<'a>, Reshape)>,
    removed_parts: BTreeSet<GeometryId>,
    /// Placements that are added.
    instances: Vec<Instance>,
    /// Placements of the scene that get other properties.
    changed: BTreeMap<InstanceId, Change>,
    removed: BTreeSet<InstanceId>,
    /// Number of ids of placements that were given out.
    ids: u64,
    /// What was to be changed, and is not there.
    missing: Option<EditError>,
}

/// New properties of a placement.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    /// Maps at time 0, and at time 1 if it is to move.
    transform: Option<(Affine64, Option<Affine64>)>,
    mask: Option<u32>,
    user: Option<u32>,
}

impl std::fmt::Debug for Edit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changes = &self.changes;
        f.debug_struct("Edit")
            .field("added_meshes_and_groups", &changes.parts.len())
            .field("changed_meshes", &changes.meshes.len())
            .field("removed_meshes_and_groups", &changes.removed_parts.len())
            .field("added_instances", &changes.instances.len())
            .field("changed_instances", &changes.changed.len())
            .field("removed_instances", &changes.removed.len())
            .finish()
    }
}

impl Scene {
    /// Begins to change the scene. The scene stays as it is, for whoever asks it meanwhile and after; nobody waits for
    /// anybody. Two edits of one scene know nothing of each other, and the ids that they give out may be equal.
    ///
    /// # What can be edited
    /// Any scene on the CPU. One of [`Levels::Two`](crate::Levels::Two) is edited as it is. Of one that was flattened,
    /// in whole or in part, the first commit gives each placement a tree of its own, which takes some times as long as
    /// building it, and the new scene has two levels. What it has not kept is meshes that were flattened by transforms
    /// alone, or placed nowhere: these cannot be moved or placed ([`EditError::NotKept`]), but masked, removed, or
    /// given again.
    ///
    /// The scene's [`origin`](Scene::origin) stays: who will move things far from it builds the scene there.
    ///
    /// O(1); [`Edit::commit`] does the work. [`Edit`] has an example.
    pub fn edit<'a>(&self) -> Edit<'a> {
        Edit { scene: self.0.clone(), changes: Changes::default() }
    }

    /// As [`Scene::edit`], for who has no more use for the scene as it is: if nobody else has a clone of it either when
    /// the edit is committed, it is changed in place, which copies nothing.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Levels, Ray, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let door = builder.instance(sheet, Affine64::IDENTITY, u32::MAX, 0);
    /// let options = SceneOptions { levels: Levels::Two, ..Default::default() };
    /// let mut scene = builder.build(&options, &Control::default())?;
    /// for frame in 1..4 {
    ///     let mut edit = scene.into_edit();
    ///     edit.set_transform(door, Affine64::translation([0.0, 0.0, f64::from(frame)]));
    ///     scene = edit.commit(&Control::default())?;
    /// }
    /// let ray = Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]);
    /// assert_eq!(scene.closest(&ray).map(|hit| hit.t), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_edit<'a>(self) -> Edit<'a> {
        Edit { scene: self.0, changes: Changes::default() }
    }
}

impl<'a> Edit<'a> {
    /// Adds a mesh, as [`SceneBuilder::mesh`](crate::SceneBuilder::mesh) does. It is kept, placed or not, until it is
    /// removed.
    pub fn mesh(&mut self, positions: impl Into<Positions<'a>>, indices: impl Into<Indices<'a>>) -> GeometryId {
        self.part(Part::Mesh(positions.into(), indices.into()))
    }

    /// Adds a group, as [`SceneBuilder::group`](crate::SceneBuilder::group) does.
    pub fn group(&mut self, placements: &[Placement]) -> GeometryId {
        self.part(Part::Group(placements.into()))
    }

    /// Adds custom geometry, as [`SceneBuilder::custom`](crate::SceneBuilder::custom) does.
    pub fn custom(&mut self, geometry: Arc<dyn Geometry>) -> GeometryId {
        self.part(Part::Custom(geometry))
    }

    fn part(&mut self, part: Part<'a>) -> GeometryId {
        self.changes.parts.push(part);
        GeometryId((self.scene.kept.parts.len() + self.changes.parts.len() - 1) as u32)
    }

    /// Places a mesh or a group, as [`SceneBuilder::instance`](crate::SceneBuilder::instance) does: behind all others.
    /// Its id was never that of another placement, removed ones among them.
    pub fn instance(&mut self, mesh: GeometryId, transform: Affine64, mask: u32, user: u32) -> InstanceId {
        self.placed(Placement { mask, ..Placement::new(mesh, transform) }, user)
    }

    /// Places a mesh or a group so that it moves, as [`SceneBuilder::moving`](crate::SceneBuilder::moving) does, and as
    /// [`Edit::instance`] places what stands still.
    pub fn moving(&mut self, mesh: GeometryId, transforms: [Affine64; 2], mask: u32, user: u32) -> InstanceId {
        self.placed(Placement { mask, ..Placement::moving(mesh, transforms) }, user)
    }

    fn placed(&mut self, placement: Placement, user: u32) -> InstanceId {
        let number = self.scene.kept.next_instance + self.changes.ids;
        self.changes.ids += 1;
        // Too large a number is told by `commit`.
        let id = InstanceId(u32::try_from(number).unwrap_or(u32::MAX));
        self.changes.instances.push(Instance { id, placement, user });
        id
    }

    /// Places an instance elsewhere: `transform` takes the place of the one that it has, or of both. It stands still
    /// then; members of a group that move in that go on.
    pub fn set_transform(&mut self, instance: InstanceId, transform: Affine64) {
        self.change(instance, Change { transform: Some((transform, None)), ..Change::default() });
    }

    /// Makes an instance move from the first transform at time 0 to the second at time 1, which take the place of those
    /// that it has.
    pub fn set_motion(&mut self, instance: InstanceId, transforms: [Affine64; 2]) {
        let [transform, end] = transforms;
        self.change(instance, Change { transform: Some((transform, Some(end))), ..Change::default() });
    }

    /// Gives an instance another mask.
    pub fn set_mask(&mut self, instance: InstanceId, mask: u32) {
        self.change(instance, Change { mask: Some(mask), ..Change::default() });
    }

    /// Gives an instance another number of the user.
    pub fn set_user(&mut self, instance: InstanceId, user: u32) {
        self.change(instance, Change { user: Some(user), ..Change::default() });
    }

    fn change(&mut self, instance: InstanceId, change: Change) {
        let old = self.scene.kept.next_instance;
        let changes = &mut self.changes;
        if u64::from(instance.0) < old {
            let entry = changes.changed.entry(instance).or_default();
            entry.transform = change.transform.or(entry.transform);
            entry.mask = change.mask.or(entry.mask);
            entry.user = change.user.or(entry.user);
        } else if let Some(added) = changes.instances.get_mut((u64::from(instance.0) - old) as usize) {
            let Placement { transform, end, .. } = &mut added.placement;
            (*transform, *end) = change.transform.unwrap_or((*transform, *end));
            added.placement.mask = change.mask.unwrap_or(added.placement.mask);
            added.user = change.user.unwrap_or(added.user);
        } else {
            changes.missing.get_or_insert(EditError::NoInstance { instance });
        }
    }

    /// Removes an instance. Those behind it move up: hits' numbers of instances count what is there.
    pub fn remove_instance(&mut self, instance: InstanceId) {
        self.changes.removed.insert(instance);
    }

    /// Gives a mesh other triangles, wherever it is placed, with [`Reshape::ByCost`].
    pub fn set_mesh(&mut self, mesh: GeometryId, positions: impl Into<Positions<'a>>, indices: impl Into<Indices<'a>>) {
        self.reshape(mesh, positions, indices, Reshape::ByCost);
    }

    /// Gives a mesh other triangles, wherever it is placed; `how` says whether its tree is fitted to them or built
    /// again. Triangles pair with those before by their indices, whatever vertices they share.
    ///
    /// A mesh that is to be fitted often is best built without spatial splits, as all presets but
    /// [`BEST`](crate::bvh::presets::BEST) and those for GPUs do: a tree with them is built again before it can be
    /// fitted.
    ///
    /// ```
    /// use raywarp::{Control, GeometryId, Ray, Reshape, Scene};
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let indices = [[0, 1, 2]];
    /// let mut builder = Scene::builder();
    /// let before = sheet(1.0);
    /// let mesh = builder.mesh(&before, &indices);
    /// builder.instance(mesh, raywarp::Affine64::IDENTITY, u32::MAX, 0);
    /// let mut scene = builder.build(&Default::default(), &Control::default())?;
    /// let ray = Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]);
    /// for z in [2.0, 3.0] {
    ///     let now = sheet(z);
    ///     let mut edit = scene.into_edit();
    ///     edit.reshape(mesh, &now, &indices, Reshape::Refit);
    ///     scene = edit.commit(&Control::default())?;
    ///     assert_eq!(scene.closest(&ray).map(|hit| hit.t), Some(z));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape(
        &mut self,
        mesh: GeometryId,
        positions: impl Into<Positions<'a>>,
        indices: impl Into<Indices<'a>>,
        how: Reshape,
    ) {
        let (old, given) = (self.scene.kept.parts.len(), (positions.into(), indices.into()));
        let changes = &mut self.changes;
        if (mesh.0 as usize) < old {
            changes.meshes.insert(mesh.0, (given, how));
            return;
        }
        match changes.parts.get_mut(mesh.0 as usize - old) {
            Some(Part::Mesh(positions, indices)) => (*positions, *indices) = given,
            Some(Part::Group(_) | Part::Custom(_)) => {
                _ = changes.missing.get_or_insert(EditError::NotAMesh { geometry: mesh });
            }
            None => _ = changes.missing.get_or_insert(EditError::NoGeometry { geometry: mesh }),
        }
    }

    /// Removes a mesh or a group, which nothing may need any more: neither a placement nor a group.
    pub fn remove_geometry(&mut self, geometry: GeometryId) {
        self.changes.removed_parts.insert(geometry);
    }

    /// Makes the new scene, in parallel on rayon's current pool. `control` cancels between meshes. Ids stay what they
    /// were. Where the origin is zero hits are those, bit for bit, of a scene that is built anew from what is there;
    /// with another each mesh is rounded relative to a point of its own, for which a build may take another than an
    /// edit.
    ///
    /// # Cost
    /// A mesh that takes another shape is fitted in one pass over its memory, in place if nobody has the scene as it
    /// was, or built again ([`Reshape`]).
    ///
    /// Placements that are not changed are copied, unless the scene is changed in place ([`Scene::into_edit`]); meshes
    /// that are not changed are shared. The tree over the placements is fitted to those that have moved, and built
    /// again where some came or went, or where its cost has grown by a fifth.
    ///
    /// # Errors
    /// [`EditError`]; the scene that was edited stays as it is, but is gone after [`Scene::into_edit`] unless there is
    /// another clone.
    pub fn commit(self, control: &Control<'_>) -> Result<Scene, EditError> {
        commit::commit(self, control)
    }
}
