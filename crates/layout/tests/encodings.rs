//! Both encodings hold what the tree holds, and a malformed tree is an error.

use crate::common::{check_trees, soup};
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{INDEX_MASK, LayoutError, NON_OPAQUE, WoopTriangle, encode_bvh2, encode_wide8};

/// Everything that holds for every encoding of every tree.
#[track_caller]
fn check(bvh: &Bvh2, triangles: &FlatTriangles) {
    let wide = encode_wide8(bvh, triangles).unwrap();
    assert_eq!(wide.validate(), Ok(()));
    let again = encode_wide8(bvh, triangles).unwrap();
    let bytes = |lines| bytemuck::cast_slice::<_, u8>(lines).to_vec();
    assert_eq!(bytes(wide.lines()), bytes(again.lines()), "equal input, other bytes");
    let mut seen = vec![false; triangles.len()];
    for block in wide.blocks() {
        for slot in 0..raywarp_layout::BLOCK {
            let Some(index) = block.index(slot) else { continue };
            seen[index as usize] = true;
            assert_eq!(block.vertices(slot), triangles.vertices[index as usize]);
            assert_eq!(block.is_opaque(slot), triangles.opaque[index as usize]);
        }
    }
    assert!(seen.iter().all(|&seen| seen), "a triangle was lost");

    let encoded = encode_bvh2(bvh, triangles).unwrap();
    assert_eq!(encoded.validate(), Ok(()));
    assert_eq!((encoded.bounds(), wide.bounds()), (&triangles.bounds(), &triangles.bounds()));
    for ((record, slot), &reference) in encoded.records().iter().zip(encoded.slots()).zip(&bvh.references) {
        assert_eq!(slot & INDEX_MASK, reference);
        assert_eq!(slot & NON_OPAQUE == 0, triangles.opaque[reference as usize]);
        assert_eq!(*record, WoopTriangle::new(&triangles.vertices[reference as usize]));
    }
    // Every box of the tree but the root's stands in a node.
    let mut boxes: Vec<Aabb> = bvh.nodes.iter().skip(1).map(|n| n.bounds).collect();
    if bvh.nodes.len() == 1 {
        boxes.push(bvh.nodes[0].bounds);
    }
    let mut found: Vec<Aabb> = encoded.nodes().iter().flat_map(|n| [n.bounds(0), n.bounds(1)]).collect();
    found.retain(|b| !b.is_empty());
    let key = |b: &Aabb| [b.min, b.max].map(|corner| corner.map(f32::to_bits));
    boxes.sort_by_key(key);
    found.sort_by_key(key);
    assert_eq!(boxes, found);
}

#[test]
fn encodings_hold_every_triangle_of_every_tree() {
    check_trees(&[1, 2, 3, 4, 5, 8, 9, 33, 1000], &[1, 4, 30], check);
}

#[test]
fn a_scene_without_triangles_gives_empty_encodings() {
    let triangles = FlatTriangles::default();
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    let (wide, two) = (encode_wide8(&bvh, &triangles).unwrap(), encode_bvh2(&bvh, &triangles).unwrap());
    assert!(wide.nodes().is_empty() && wide.blocks().is_empty() && two.nodes().is_empty());
    assert_eq!((wide.stack_depth(), two.stack_depth(), wide.bytes(), two.bytes()), (0, 0, 0, 0));
    assert_eq!((wide.validate(), two.validate()), (Ok(()), Ok(())));
}

#[test]
fn a_leaf_of_many_triangles_takes_several_blocks() {
    let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 37]);
    let root = Node { bounds: triangles.bounds(), first: 0, count: 37 };
    let bvh = Bvh2 { nodes: vec![root], references: (0..37).collect(), primitive_count: 37 };
    check(&bvh, &triangles);
    let wide = encode_wide8(&bvh, &triangles).unwrap();
    assert_eq!((wide.nodes().len(), wide.blocks().len(), wide.stack_depth()), (1, 10, 1));
    assert_eq!(wide.blocks().iter().filter(|block| block.has_more()).count(), 9);
}

#[test]
fn a_malformed_tree_is_an_error() {
    let triangles = soup(40, 10.0, [0.0; 3]);
    let sound = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let leaf = sound.nodes.iter().position(Node::is_leaf).unwrap();
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Bvh2));
    let damages: [Damage; 8] = [
        ("a cycle", &|t| t.nodes[0].first = 0),
        ("children out of range", &|t| t.nodes[0].first = u32::MAX),
        ("references out of range", &|t| t.nodes[leaf].first = u32::MAX),
        ("a huge leaf", &|t| t.nodes[leaf].count = u32::MAX),
        ("a shared reference", &|t| t.nodes[leaf].first = (t.nodes[leaf].first + 1) % 40),
        ("a primitive that is not there", &|t| t.references[3] = 40),
        ("an unreachable node", &|t| t.nodes.push(t.nodes[leaf])),
        ("a reference in no leaf", &|t| t.references.push(0)),
    ];
    for (what, damage) in damages {
        let mut bvh = sound.clone();
        damage(&mut bvh);
        for error in [encode_wide8(&bvh, &triangles).err(), encode_bvh2(&bvh, &triangles).err()] {
            assert!(matches!(error, Some(LayoutError::BadNode { .. })), "{what}: {error:?}");
        }
    }
    let other = encode_wide8(&sound, &soup(41, 10.0, [0.0; 3])).unwrap_err();
    assert_eq!(other, LayoutError::CountMismatch { tree: 40, triangles: 41 });
}
