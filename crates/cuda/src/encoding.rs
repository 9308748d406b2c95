//! Encodings of scenes: properties that variants must share to walk the same bytes.

use raywarp_family::{Collapse, Tree, Variant};
use raywarp_layout::TriangleFormat;

/// Format in which a variant's tree and triangles are stored: variants of one encoding can share a
/// [`crate::DeviceScene`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding {
    tree: Tree,
    lanes_per_ray: u32,
    collapse: Collapse,
    records: TriangleFormat,
}

impl Encoding {
    /// Returns the encoding that the kernels of `variant` read.
    pub fn of(variant: &Variant) -> Self {
        let records = TriangleFormat::of(variant.triangle());
        Self { tree: variant.tree(), lanes_per_ray: variant.lanes_per_ray(), collapse: variant.collapse(), records }
    }

    pub(crate) fn is_h8(&self) -> bool {
        self.tree == Tree::H8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EncodedScene, compiled};
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    /// Returns triangles along a bent line, for trees deep enough to differ.
    fn triangles() -> FlatTriangles {
        let triangle = |i: u32| {
            let x = i as f32;
            [[x, x * x * 0.01, 0.0], [x + 1.5, 0.3 * x, 1.0], [x, 2.0, x * 0.1]]
        };
        FlatTriangles::from_vertices((0..60).map(triangle).collect())
    }

    #[test]
    fn variants_of_one_encoding_walk_the_same_bytes_and_others_do_not() {
        let triangles = triangles();
        let bvh = build(&triangles, &BuildOptions { max_leaf: 3, ..Default::default() }).unwrap();
        let mut seen: Vec<(Encoding, EncodedScene)> = Vec::new();
        for variant in compiled() {
            let Ok(scene) = EncodedScene::new(&variant, &bvh, &triangles) else { continue };
            let bytes = |scene: &EncodedScene| (scene.nodes.clone(), scene.triangles.clone(), scene.slots.clone());
            let encoding = Encoding::of(&variant);
            match seen.iter().find(|(known, _)| *known == encoding) {
                Some((_, known)) => assert_eq!(bytes(known), bytes(&scene), "{variant}"),
                None => {
                    assert!(seen.iter().all(|(_, other)| bytes(other) != bytes(&scene)), "{variant}");
                    seen.push((encoding, scene));
                }
            }
        }
        assert!(seen.len() >= 6, "{}", seen.len());
    }
}
