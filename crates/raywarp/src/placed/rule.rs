//! The rule by which a scene has one level of trees or two.

use super::Shared;
use super::opacity::OpacityOf;
#[cfg(feature = "render")]
use crate::device::PlannedTree;
use crate::device::cost_model::PREPARE_BYTES;
#[cfg(feature = "render")]
use crate::device::cost_model::two_levels_are_sooner;
use crate::device::{Plan, PlannedKernels};
use crate::prepare::{PrepareError, check_bytes, check_memory};
use crate::query::Levels;
use rayon::prelude::*;
use raywarp_cpu::LevelsTracer;
use raywarp_geom::{Aabb, Affine64, FlatTriangles};
use raywarp_scene::{Description, Mesh};

/// Bytes that a placement takes while a scene of two levels is put together: some 700 were measured with a million, of
/// which the scene has 60.
const PLACEMENT_BYTES: u64 = 640;

/// Bytes of a flattened scene from which on two levels are taken, however much memory there is: 24 million triangles,
/// over which a tree takes half a minute of two threads.
const MUCH: u64 = 4 << 30;

/// Bytes that two levels have to save to be taken because they are ready sooner.
const SOME: u64 = 64 << 20;

/// Bytes that preparing a scene takes at its peak, by the number of levels of its trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    /// Number of triangles with each placement counted.
    triangles: u64,
    one: u64,
    two: u64,
}

impl Need {
    pub fn of(scene: &Description) -> Self {
        let opacity = OpacityOf::new(scene);
        let shared = Shared::new(scene, &opacity);
        let size = |mesh: usize| scene.meshes[mesh].triangles.indices.len() as u64;
        let in_trees: u64 = shared.meshes.iter().map(|&(mesh, _)| size(mesh)).sum();
        let own = own_placements(scene, &shared, &opacity);
        let others: u64 = own.into_iter().map(|index| size(scene.instances[index].mesh.index())).sum();
        let placements = scene.instances.len() as u64;
        let triangles = scene.triangle_count();
        let two = in_trees.saturating_add(others).saturating_mul(PREPARE_BYTES);
        Self {
            triangles,
            one: triangles.saturating_mul(PREPARE_BYTES),
            two: two.saturating_add(placements * PLACEMENT_BYTES),
        }
    }

    /// Returns `true` if the scene is better off in two levels on a machine with `free` bytes of memory.
    ///
    /// That is where it cannot be flattened; and where two levels take at most half of what the flattened scene does,
    /// and that is more than half of the memory, or 4 GiB, or takes longer to build than the rays take in two levels:
    /// `is_sooner` says so of a number of triangles that need not be built over.
    fn wants_two(&self, free: u64, is_sooner: impl Fn(u64) -> bool) -> bool {
        let saved = self.one - self.one.min(self.two);
        if self.triangles > u64::from(FlatTriangles::LIMIT) || self.one > free {
            return saved > 0;
        }
        let is_much = self.one > MUCH.min(free / 2);
        self.two <= self.one / 2 && (is_much || saved >= SOME && is_sooner(saved / PREPARE_BYTES))
    }
}

/// Returns the placements whose triangles are kept for each of them: those of no tree, those that no tree can be placed
/// by, and those that glow, whose triangles are lamps.
fn own_placements(scene: &Description, shared: &Shared, opacity: &OpacityOf) -> Vec<usize> {
    let glows: Vec<bool> = scene.materials.iter().map(|material| material.emission.is_some()).collect();
    let mut meshes: Vec<Option<(Aabb, bool)>> = vec![None; scene.meshes.len()];
    for &(mesh, _) in &shared.meshes {
        let Mesh { triangles, materials, .. } = &scene.meshes[mesh];
        let any = (0..triangles.indices.len()).any(|triangle| glows[materials.get(triangle).index()]);
        meshes[mesh] = Some((triangles.bounds(), any));
    }
    let is_own = |index: &usize| {
        let instance = &scene.instances[*index];
        let in_tree = shared.tree_of(scene, opacity, *index).and(meshes[instance.mesh.index()]);
        in_tree.is_none_or(|(bounds, any)| {
            let is_lamp = instance.material.map_or(any, |material| glows[material.index()]);
            is_lamp || !LevelsTracer::takes(&bounds, &Affine64::from(&instance.transform))
        })
    };
    (0..scene.instances.len()).into_par_iter().filter(is_own).collect()
}

/// Returns `true` if building over so many triangles takes longer than what rays of the planned picture take longer in
/// two levels. Rays that nobody has counted may be many.
#[cfg(feature = "render")]
fn is_sooner(plan: &Plan, triangles: u64) -> bool {
    match &plan.tree {
        PlannedTree::Given(_) => false,
        PlannedTree::ForWork(work) => {
            let threads = rayon::current_num_threads();
            two_levels_are_sooner(work.cpu_seconds(threads), triangles, threads)
        }
    }
}

/// Returns `false`: without pictures nobody has counted the rays.
#[cfg(not(feature = "render"))]
fn is_sooner(_: &Plan, _: u64) -> bool {
    false
}

/// Decides whether a scene has two levels, and checks that memory suffices for what is chosen.
///
/// # Errors
/// [`PrepareError::Memory`]; [`PrepareError::TwoLevels`] where two are asked for and `plan` has no tracer of them.
pub(crate) fn chosen(scene: &Description, levels: Levels, plan: &Plan) -> Result<bool, PrepareError> {
    let can = matches!(plan.kernels, PlannedKernels::Cpu);
    if levels == Levels::Two && !can {
        return Err(PrepareError::TwoLevels);
    }
    let need = Need::of(scene);
    let free = raywarp_system::memory::available().unwrap_or(u64::MAX);
    let two = levels == Levels::Two
        || levels == Levels::Auto && can && need.wants_two(free, |triangles| is_sooner(plan, triangles));
    if two {
        check_bytes(need.triangles, need.two)?
    } else {
        check_memory(need.triangles)?
    };
    Ok(two)
}

/// Returns the error with which a scene cannot be flattened into one level for want of memory, where it fits in two:
/// GPUs are no choice then.
#[cfg(feature = "cuda")]
pub(crate) fn too_large_for_one(scene: &Description, levels: Levels) -> Option<PrepareError> {
    match levels {
        Levels::One => None,
        Levels::Two => Some(PrepareError::TwoLevels),
        Levels::Auto => {
            let need = Need::of(scene);
            let error = check_bytes(need.triangles, need.one).err()?;
            check_bytes(need.triangles, need.two).ok().map(|_| error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{ColorInput, Emission, FaceMaterials, Instance, Material, MaterialId, MeshId};

    #[test]
    fn two_levels_are_taken_where_memory_is_short_or_the_scene_huge_or_nobody_waits_for_rays() {
        let need = |triangles: u64, two: u64| Need { triangles, one: triangles * PREPARE_BYTES, two };
        let (million, plenty) = (1_000_000, u64::MAX);
        let [late, soon] = [|_: u64| false, |triangles: u64| triangles > 1_000_000];
        // Halves at least, of 4 GiB or of half of the memory.
        let san_miguel = need(9 * million, 300 * million);
        assert!(!san_miguel.wants_two(plenty, late) && !san_miguel.wants_two(4_000 * million, late));
        assert!(san_miguel.wants_two(3_000 * million, late) && san_miguel.wants_two(plenty, soon));
        let forest = need(40 * million, 50 * million);
        assert!(forest.wants_two(plenty, late) && !need(40 * million, 4_000 * million).wants_two(plenty, soon));
        assert!(!need(million / 4, 0).wants_two(plenty, soon) && !need(million / 4, 0).wants_two(plenty, |_| true));
        // What does not fit flattened: whatever saves.
        assert!(need(million, 100).wants_two(million, late) && !need(million, 200 * million).wants_two(million, soon));
        assert!(need(2_000 * million, 300_000 * million).wants_two(plenty, late));
        assert!(!need(0, 0).wants_two(0, soon));
    }

    #[test]
    fn lamps_and_what_no_tree_can_be_placed_by_count_for_each_placement() {
        let mut scene = Description::default();
        let grey = scene.add_material(Material::diffuse("grey", [0.5; 3]));
        let mut lamp = Material::diffuse("lamp", [0.5; 3]);
        lamp.emission = Some(Emission { radiance: ColorInput::constant([1.0; 3]), two_sided: false });
        let lamp = scene.add_material(lamp);
        for material in [grey, lamp] {
            let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let triangles = TriangleMesh { positions, indices: vec![[0, 1, 2]; 100], ..Default::default() };
            let materials = FaceMaterials::Uniform(material);
            scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        }
        // Of its triangles the last one glows.
        let mut mixed = scene.meshes[0].clone();
        mixed.materials = FaceMaterials::PerTriangle([vec![grey; 99], vec![lamp]].concat());
        scene.add_mesh(mixed);
        let flat = Affine { rows: [[1.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]] };
        let mut two = |placed: &[(u32, Affine, Option<MaterialId>)]| {
            let instance = |&(mesh, transform, material): &_| Instance { mesh: MeshId(mesh), transform, material };
            scene.instances = placed.iter().map(instance).collect();
            Need::of(&scene).two - placed.len() as u64 * PLACEMENT_BYTES
        };
        let moved = Affine::translation([3.0, 0.0, 0.0]);
        let of = |triangles: u64| triangles * PREPARE_BYTES;
        assert_eq!(two(&[(0, moved, None), (0, moved, None), (0, moved, None)]), of(100));
        assert_eq!(two(&[(0, moved, None), (0, moved, None), (0, flat, None)]), of(200));
        assert_eq!(two(&[(1, moved, None), (1, moved, None)]), of(300));
        assert_eq!(two(&[(2, moved, None), (2, moved, Some(grey)), (2, moved, None), (2, moved, Some(lamp))]), of(400));
        assert_eq!(two(&[(1, moved, Some(grey)), (1, moved, Some(grey)), (0, moved, Some(lamp))]), of(200));
    }
}
