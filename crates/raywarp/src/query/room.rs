//! How many placements a scene has room for: one rule for builds and edits.

use super::SceneError;

/// Largest number of placements that hits can tell apart, and of those in two levels.
pub(super) const MOST_PLACEMENTS: u64 = (1 << 32) - 1;
pub(super) const MOST_IN_LEVELS: u64 = 1 << 28;

/// Number of placements from which on there has to be memory for them, and what each takes while a scene is put
/// together.
const MANY_PLACEMENTS: u64 = 1 << 20;
const BYTES_A_PLACEMENT: u64 = 512;

/// Checks that `added` placements have room beside those that are there, of which `most` can be numbered.
///
/// A group of groups is told in a few bytes; what it stands for has to fit into memory, and is not listed if it does
/// not.
pub(super) fn check_room(there: u64, added: u64, most: u64) -> Result<(), SceneError> {
    let fits = || free_bytes().map_or(u64::MAX, |free| there.saturating_add(free / BYTES_A_PLACEMENT));
    let limit = if added > MANY_PLACEMENTS { most.min(fits()) } else { most };
    let found = there.saturating_add(added);
    if found > limit { Err(SceneError::TooManyPlacements { found, limit }) } else { Ok(()) }
}

/// Checks the number of placements of a scene of two levels, for which there is memory.
pub(super) fn check_levels(found: u64) -> Result<(), SceneError> {
    check_room(found, 0, MOST_IN_LEVELS)
}

/// Returns the number of bytes that the system has to give; `None` if it does not say.
fn free_bytes() -> Option<u64> {
    #[cfg(test)]
    if let Some(free) = tests::FREE_BYTES.get() {
        return Some(free);
    }
    raywarp_system::memory::available()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine64, Control, EditError, Indices, Levels, Placement, Scene, SceneOptions};
    use std::cell::Cell;

    thread_local! {
        /// What the system has to give to scenes of this thread.
        pub static FREE_BYTES: Cell<Option<u64>> = const { Cell::new(None) };
    }

    #[test]
    fn builds_and_edits_refuse_the_same_placements_that_memory_has_no_room_for() {
        let sheet = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let options = |levels| SceneOptions { levels, ..SceneOptions::default() };
        let control = Control::default();
        let many = 1100;
        let (side, found) = (many as usize, many * many);
        let start = || {
            let mut builder = Scene::builder();
            let mesh = builder.mesh(&sheet, Indices::IN_ORDER);
            let row = builder.group(&vec![Placement::new(mesh, Affine64::IDENTITY); side]);
            let all = builder.group(&vec![Placement::new(row, Affine64::IDENTITY); side]);
            (builder, mesh, all)
        };
        let room = 5000;
        FREE_BYTES.set(Some(room * BYTES_A_PLACEMENT));
        let text = |found: u64, limit: u64| {
            format!(
                "the scene has {found} placements of meshes, but there are numbers and free memory for {limit} only"
            )
        };
        for levels in [Levels::Auto, Levels::One, Levels::Two] {
            let (mut builder, _, all) = start();
            builder.instance(all, Affine64::IDENTITY, u32::MAX, 0);
            let error = builder.build(&options(levels), &control).unwrap_err();
            assert_eq!(error.to_string(), text(found, room), "{levels:?}");

            let (mut builder, mesh, all) = start();
            for _ in 0..3 {
                builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
            }
            let scene = builder.build(&options(levels), &control).unwrap();
            // What stands already has its memory.
            let mut edit = scene.edit();
            edit.instance(all, Affine64::IDENTITY, u32::MAX, 0);
            let error = edit.commit(&control).unwrap_err();
            assert!(matches!(&error, EditError::Scene(_)));
            assert_eq!(error.to_string(), text(found + 3, room + 3), "{levels:?}");
            // Few are let in, whatever there is.
            let mut edit = scene.edit();
            edit.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
            FREE_BYTES.set(Some(0));
            assert_eq!(edit.commit(&control).unwrap().instance_count(), 4);
            FREE_BYTES.set(Some(room * BYTES_A_PLACEMENT));
        }
        FREE_BYTES.set(None);
    }
}
