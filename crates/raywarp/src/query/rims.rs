//! Open edges of a scene, and what strips at them sweep around a point.

use raywarp_geom::Affine;
use raywarp_geom::triangle::Watertight;

/// Open edges of a scene, each from end to end as its triangle turns.
pub(super) struct Rims {
    /// Those of each tree, in its own space.
    pub trees: Vec<Vec<[[f32; 3]; 2]>>,
    pub placed: Vec<PlacedRim>,
}

/// Open edges of a tree where it stands.
pub(super) struct PlacedRim {
    /// Number of the tree.
    pub tree: u32,
    pub map: Affine,
    /// `true` if the placement mirrors, so that its triangles turn the other way in the world.
    pub is_mirrored: bool,
}

impl Rims {
    /// Returns the sum of what all edges sweep against a ray ([`Watertight::swept`]).
    pub fn swept(&self, ray: &Watertight) -> f64 {
        let of_placed = |placed: &PlacedRim| -> f64 {
            let world = |ends: &[[f32; 3]; 2]| match placed.map == Affine::IDENTITY {
                true => *ends,
                false => ends.map(|p| placed.map.point(p)),
            };
            let edges = self.trees[placed.tree as usize].iter().map(world);
            let swept: f64 = edges.map(|[from, to]| ray.swept(&from, &to)).sum();
            if placed.is_mirrored { -swept } else { swept }
        };
        self.placed.iter().map(of_placed).sum()
    }
}
