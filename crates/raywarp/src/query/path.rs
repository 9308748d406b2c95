//! Levels of a hit's placement: the groups around the mesh, from the scene down.

use super::builder::MOST_LEVELS;
use super::ids::{GeometryId, Placement};
use super::kept::KeptPart;
use super::scene::Scene;

/// Level of what stands in a scene; of [`Scene::path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathLevel {
    /// What is placed: groups first, a mesh or custom geometry last.
    pub geometry: GeometryId,
    /// Index of its placement among the members of the group around it; `None` for what is placed in the scene itself,
    /// whose placement has the name [`Scene::instance_id`].
    pub member: Option<u32>,
}

impl Scene {
    /// Lists the levels of the placement of this number, as hits have it: what is placed in the scene, then, as long as
    /// that is a group, its member. Without groups it is one level, the mesh; there are five at most. Empty if the
    /// scene has no such placement.
    ///
    /// It is the same whether or not placements were flattened, and stays so in every edit of the scene, while numbers
    /// move up where instances are removed.
    ///
    /// O(log n) for groups of n members, nothing allocated. The first question of a scene counts what its groups stand
    /// for: 8 bytes a member, kept.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, PathLevel, Placement, Ray, Scene, SceneOptions};
    ///
    /// let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    /// let mut builder = Scene::builder();
    /// let slat = builder.mesh(&positions, &[[0, 1, 2]]);
    /// let blind = builder.group(&[Placement::new(slat, up(0.0)), Placement::new(slat, up(1.0))]);
    /// let first = builder.instance(blind, up(9.0), u32::MAX, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    ///
    /// let hit = scene.closest(&Ray::new([0.25, 0.25, 20.0], [0.0, 0.0, -1.0])).expect("the upper slat");
    /// assert_eq!(scene.instance_id(hit.instance), Some(first));
    /// let path = [PathLevel { geometry: blind, member: None }, PathLevel { geometry: slat, member: Some(1) }];
    /// assert!(scene.path(hit.instance).eq(path));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn path(&self, instance: u32) -> impl ExactSizeIterator<Item = PathLevel> + use<> {
        let outermost = PathLevel { geometry: GeometryId(0), member: None };
        let mut levels = [outermost; MOST_LEVELS + 1];
        let count = self.fill(instance, &mut levels).unwrap_or(0);
        levels.into_iter().take(count)
    }

    /// Writes the levels of a placement, and returns their number.
    fn fill(&self, instance: u32, levels: &mut [PathLevel; MOST_LEVELS + 1]) -> Option<usize> {
        let (numbered, kept) = (&self.0.numbered, &self.0.kept);
        let id = numbered.get(instance as usize)?.id;
        let first = numbered.partition_point(|numbered| numbered.id < id);
        let at = kept.instances.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        levels[0].geometry = kept.instances[at].1;
        let (mut index, mut depth) = ((instance as usize - first) as u64, 0);
        while let Some((members, starts)) = self.group(levels[depth].geometry) {
            // Those that stand for nothing have the start of the next.
            let member = starts.partition_point(|&start| start <= index).checked_sub(1)?;
            index -= starts[member];
            depth += 1;
            *levels.get_mut(depth)? = PathLevel { geometry: members.get(member)?.mesh, member: Some(member as u32) };
        }
        Some(depth + 1)
    }

    /// Returns the members of a group, and the numbers of placements before each.
    fn group(&self, geometry: GeometryId) -> Option<(&[Placement], &[u64])> {
        let part = geometry.0 as usize;
        match &self.0.kept.parts[part] {
            KeptPart::Group(members) => Some((members, &self.0.starts.get_or_init(|| self.0.kept.starts())[part])),
            KeptPart::Mesh(_) | KeptPart::Removed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{InstanceId, Levels, SceneOptions};
    use raywarp_geom::{Affine64, Control};
    use raywarp_testing::Random;
    use std::sync::Arc;

    const SHEET: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    /// Lists the paths of all placements below a part, as a reader believes at sight.
    fn expected(groups: &[Option<Arc<[Placement]>>], above: &[(u32, Option<u32>)], out: &mut Vec<Vec<PathLevel>>) {
        let (part, _) = *above.last().expect("a level");
        match &groups[part as usize] {
            None => out.push(above.iter().map(|&(g, member)| PathLevel { geometry: GeometryId(g), member }).collect()),
            Some(members) => {
                for (index, member) in members.iter().enumerate() {
                    expected(groups, &[above, &[(member.mesh.0, Some(index as u32))]].concat(), out);
                }
            }
        }
    }

    /// Compares the paths of a scene with those of its groups; returns the largest number of levels.
    #[track_caller]
    fn check(scene: &Scene) -> usize {
        let kept = &scene.0.kept;
        let groups: Vec<_> = kept.parts.iter().map(KeptPart::members).collect();
        let mut number = 0;
        let mut most = 0;
        for &(id, geometry) in &kept.instances {
            let mut paths = Vec::new();
            expected(&groups, &[(geometry.0, None)], &mut paths);
            for path in paths {
                assert_eq!(scene.instance_id(number), Some(id));
                assert_eq!(scene.path(number).collect::<Vec<_>>(), path, "{number}");
                assert_eq!(scene.path(number).len(), path.len());
                most = most.max(path.len());
                number += 1;
            }
        }
        assert_eq!(number as usize, scene.instance_count());
        assert_eq!(scene.path(number).len() + scene.path(u32::MAX).len(), 0);
        most
    }

    #[test]
    fn paths_list_the_groups_around_a_placement_in_any_scene_and_after_edits() {
        for seed in 0..20 {
            for levels in [Levels::One, Levels::Auto, Levels::Two] {
                let mut random = Random::new(seed);
                let mut builder = Scene::builder();
                let mesh = builder.mesh(&SHEET, &[[0, 1, 2]]);
                let (mut parts, mut depths) = (vec![mesh, builder.group(&[])], vec![0, 1]);
                for _ in 0..6 {
                    let mut members = Vec::new();
                    for _ in 0..random.below(5) {
                        let part = random.below(parts.len());
                        if depths[part] < MOST_LEVELS {
                            members.push((part, Placement::new(parts[part], Affine64::translation([1.0, 0.0, 2.0]))));
                        }
                    }
                    depths.push(1 + members.iter().map(|(part, _)| depths[*part]).max().unwrap_or(0));
                    parts.push(builder.group(&members.iter().map(|(_, member)| *member).collect::<Vec<_>>()));
                }
                let ids: Vec<InstanceId> =
                    (0..8).map(|i| builder.instance(parts[i % 8], Affine64::IDENTITY, u32::MAX, 0)).collect();
                let scene =
                    builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap();
                check(&scene);
                let mut edit = scene.edit();
                edit.remove_instance(ids[(seed % 8) as usize]);
                edit.remove_instance(ids[5]);
                let other = edit.mesh(&SHEET, &[[0, 1, 2]]);
                let pair =
                    edit.group(&[Placement::new(other, Affine64::IDENTITY), Placement::new(mesh, Affine64::IDENTITY)]);
                edit.instance(pair, Affine64::IDENTITY, u32::MAX, 0);
                edit.instance(other, Affine64::IDENTITY, u32::MAX, 0);
                let edited = edit.commit(&Control::default()).unwrap();
                check(&edited);
                check(&scene);
                assert_eq!(edited.path(edited.instance_count() as u32 - 1).len(), 1);
            }
        }
    }

    #[test]
    fn five_levels_are_listed() {
        for levels in [Levels::One, Levels::Two] {
            let mut builder = Scene::builder();
            let mut part = builder.mesh(&SHEET, &[[0, 1, 2]]);
            for _ in 0..MOST_LEVELS {
                let none = builder.group(&[]);
                part = builder.group(&[none, part, none, part].map(|part| Placement::new(part, Affine64::IDENTITY)));
            }
            builder.instance(part, Affine64::IDENTITY, u32::MAX, 0);
            let scene =
                builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap();
            assert_eq!((scene.instance_count(), check(&scene)), (16, 5));
            let members: Vec<_> = scene.path(0b1010).map(|level| level.member).collect();
            assert_eq!(members, [None, Some(3), Some(1), Some(3), Some(1)]);
        }
    }
}
