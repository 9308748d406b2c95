//! The conformance cases with their trees.

pub mod cloud;
pub mod expected;
pub mod pretended;
pub mod raw_driver;
pub mod sequence;

use raywarp_bvh::{BuildOptions, Bvh2, build, presets};
use raywarp_family::{BoxPlanes, Tree, Variant};
use raywarp_geom::Ray;
use raywarp_workload::cases::{Case, cases};

/// Cases that there are at least.
pub const CASES: usize = 24;

/// Triangles of a case, at most.
const MOST_TRIANGLES: usize = 20_000;

/// Faults that are shown of many.
pub const SEVERAL: usize = 12;

/// A case and the trees over it.
pub struct Scene {
    pub case: Case,
    plain: Bvh2,
    small: Bvh2,
    single: Bvh2,
}

/// All cases but those of so many triangles that encoding them for every kernel takes longer than all the rest.
pub fn scenes() -> Vec<Scene> {
    let scenes: Vec<Scene> = cases()
        .into_iter()
        .filter(|case| case.triangles.len() < MOST_TRIANGLES)
        .map(|case| {
            let tree =
                |max_leaf| build(&case.triangles, &BuildOptions { max_leaf, ..BuildOptions::default() }).unwrap();
            let (plain, small) = (tree(8), tree(3));
            let single = build(&case.triangles, &presets::SINGLE).unwrap();
            Scene { case, plain, small, single }
        })
        .collect();
    assert!(scenes.len() >= CASES);
    scenes
}

impl Scene {
    /// The tree that `variant` can encode.
    pub fn tree(&self, variant: &Variant) -> &Bvh2 {
        match variant.tree() {
            Tree::Cwbvh8 => &self.small,
            Tree::H8 => &self.single,
            _ => &self.plain,
        }
    }

    /// `count` of its rays, from first to last.
    pub fn some_rays(&self, count: usize) -> Vec<Ray> {
        let all = &self.case.rays;
        let count = count.min(all.len());
        (0..count).map(|i| all[i * all.len() / count]).collect()
    }

    /// Whether the case asks nothing of the variant that it does not promise.
    pub fn suits(&self, variant: &Variant) -> bool {
        !(variant.needs().t_min_not_negative && self.case.has_negative_t_min())
    }

    /// As [`Scene::suits`], against the truth: plain boxes promise nothing.
    pub fn suits_oracle(&self, variant: &Variant) -> bool {
        self.suits(variant) && variant.box_planes() == BoxPlanes::Padded
    }
}
