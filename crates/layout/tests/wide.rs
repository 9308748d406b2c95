//! Wide trees hold what the `Bvh2` holds, in nodes opened as their collapse says.

use crate::common::{check_trees, soup};
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{
    Collapse, INDEX_MASK, LayoutError, NO_CHILD, NON_OPAQUE, WideN, encode_bvh2, encode_wide_n, encode_wide4,
};
use std::collections::HashMap;

/// How a wide tree was made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Wide4(Collapse),
    WideN(usize),
}

/// Every encoding of this crate whose leaves are ranges of records, decoded to one form.
struct Wide {
    kind: Kind,
    branching: usize,
    /// The used children of each node: box, child, count.
    nodes: Vec<Vec<(Aabb, u32, u32)>>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
    node_bytes: usize,
    bytes: Vec<u8>,
}

fn wides(bvh: &Bvh2, triangles: &FlatTriangles) -> Vec<Wide> {
    let mut wides = Vec::new();
    for collapse in [Collapse::Guthe, Collapse::Adopt] {
        let tree = encode_wide4(bvh, triangles, collapse).unwrap();
        assert_eq!(tree.validate(), Ok(()));
        let node_bytes = size_of_val(tree.nodes());
        assert_eq!(tree.bytes(), node_bytes + 4 * bvh.references.len());
        let node = |n: &raywarp_layout::Wide4Node| (0..4).map(|s| (n.bounds(s), n.children[s], n.counts[s])).collect();
        wides.push(Wide {
            kind: Kind::Wide4(collapse),
            branching: 4,
            nodes: tree.nodes().iter().map(node).collect(),
            slots: tree.slots().to_vec(),
            bounds: *tree.bounds(),
            stack_depth: tree.stack_depth(),
            node_bytes,
            bytes: bytemuck::cast_slice(tree.nodes()).to_vec(),
        });
    }
    for branching in WideN::BRANCHINGS {
        let tree = encode_wide_n(bvh, triangles, branching).unwrap();
        assert_eq!(tree.validate(), Ok(()));
        let node_bytes = size_of_val(tree.children());
        assert_eq!(node_bytes, tree.node_count() * branching * 32);
        assert_eq!(tree.bytes(), node_bytes + 4 * bvh.references.len());
        let child = |node, slot| {
            let child = tree.child(node, slot);
            assert_eq!(child, &tree.children()[node * branching + slot]);
            (child.bounds(), child.child, child.count)
        };
        wides.push(Wide {
            kind: Kind::WideN(branching),
            branching: tree.branching(),
            nodes: (0..tree.node_count()).map(|n| (0..branching).map(|s| child(n, s)).collect()).collect(),
            slots: tree.slots().to_vec(),
            bounds: *tree.bounds(),
            stack_depth: tree.stack_depth(),
            node_bytes,
            bytes: bytemuck::cast_slice(tree.children()).to_vec(),
        });
    }
    for wide in &mut wides {
        for node in &mut wide.nodes {
            node.retain(|&(_, child, _)| child != NO_CHILD);
        }
    }
    wides
}

fn bits(bounds: &Aabb) -> [[u32; 3]; 2] {
    [bounds.min, bounds.max].map(|corner| corner.map(f32::to_bits))
}

/// A subtree of a `Bvh2` by the records below it, which stand side by side in a builder's tree.
type Subtrees = HashMap<(u32, u32), usize>;

fn subtrees(bvh: &Bvh2, node: usize, found: &mut Subtrees) -> (u32, u32) {
    let n = &bvh.nodes[node];
    let range = if n.is_leaf() {
        (n.first, n.first + n.count)
    } else {
        let (left, right) = (subtrees(bvh, n.first as usize, found), subtrees(bvh, n.first as usize + 1, found));
        assert_eq!(left.1, right.0, "a builder's leaves follow each other");
        (left.0, right.1)
    };
    found.insert(range, node);
    range
}

/// Checks each node below `node` against the subtree of the `Bvh2` that it stands for.
///
/// Returns the records below it, counts each leaf, and collects the nodes in depth-first order.
fn compare(
    wide: &Wide,
    bvh: &Bvh2,
    below: &Subtrees,
    node: u32,
    order: &mut Vec<u32>,
    leaves: &mut usize,
) -> (u32, u32) {
    order.push(node);
    let mut ranges = Vec::new();
    for &(bounds, child, count) in &wide.nodes[node as usize] {
        let range = if count > 0 {
            *leaves += 1;
            (child, child + count)
        } else {
            compare(wide, bvh, below, child, order, leaves)
        };
        let source = below.get(&range).expect("a child is a subtree of the Bvh2");
        assert_eq!(bits(&bounds), bits(&bvh.nodes[*source].bounds), "another box");
        assert_eq!(count > 0, bvh.nodes[*source].is_leaf());
        ranges.push(range);
    }
    assert!(ranges.windows(2).all(|pair| pair[0].1 == pair[1].0), "children are not in the tree's order");
    let range = (ranges[0].0, ranges[ranges.len() - 1].1);
    opened_as_documented(wide, bvh, below, &ranges, range);
    range
}

fn area(bvh: &Bvh2, node: usize) -> f64 {
    let bounds = &bvh.nodes[node].bounds;
    let [x, y, z] = std::array::from_fn(|i| f64::from(bounds.max[i]) - f64::from(bounds.min[i]));
    x * y + y * z + z * x
}

/// The rules of opening, as properties of the result.
fn opened_as_documented(wide: &Wide, bvh: &Bvh2, below: &Subtrees, children: &[(u32, u32)], node: (u32, u32)) {
    let source = |range| below[range];
    let inner: Vec<usize> = children.iter().map(source).filter(|&n| !bvh.nodes[n].is_leaf()).collect();
    let leaf_count = |n: usize| {
        let (mut open, mut leaves) = (vec![n], 0);
        while let Some(n) = open.pop() {
            leaves += usize::from(bvh.nodes[n].is_leaf());
            if !bvh.nodes[n].is_leaf() {
                open.extend([bvh.nodes[n].first as usize, bvh.nodes[n].first as usize + 1]);
            }
        }
        leaves
    };
    if wide.kind == Kind::Wide4(Collapse::Guthe) {
        let triples = children.len() == 3 && inner.len() == 2 && inner.iter().all(|&n| leaf_count(n) == 3);
        assert!(children.len() == 4 || inner.is_empty() || triples, "a slot is left though a child could be opened");
        return;
    }
    assert!(children.len() == wide.branching || inner.is_empty(), "a slot is left though a child could be opened");
    // What was opened: the nodes between this one and its children.
    let opened = below.iter().filter(|((lo, hi), n)| {
        let within = node.0 <= *lo && *hi <= node.1 && (*lo, *hi) != node;
        within && !bvh.nodes[**n].is_leaf() && children.iter().filter(|c| *lo <= c.0 && c.1 <= *hi).count() > 1
    });
    let least = opened.map(|(_, &n)| area(bvh, n)).fold(f64::INFINITY, f64::min);
    assert!(inner.iter().all(|&n| area(bvh, n) <= least), "a smaller child was opened before a larger one");
}

/// Everything that holds for every wide encoding of a tree.
#[track_caller]
fn check(bvh: &Bvh2, triangles: &FlatTriangles) {
    let mut below = Subtrees::new();
    subtrees(bvh, 0, &mut below);
    let leaf_count = bvh.nodes.iter().filter(|n| n.is_leaf()).count();
    for (wide, again) in wides(bvh, triangles).iter().zip(wides(bvh, triangles)) {
        assert_eq!(wide.bytes, again.bytes, "equal input, other bytes");
        assert_eq!(bits(&wide.bounds), bits(&bvh.nodes[0].bounds));
        let (mut order, mut leaves) = (Vec::new(), 0);
        let range = compare(wide, bvh, &below, 0, &mut order, &mut leaves);
        // Contiguous ranges in order: every record is below the root exactly once.
        assert_eq!(range, (0, bvh.references.len() as u32));
        assert_eq!(leaves, leaf_count);
        assert!(order.iter().copied().eq(0..wide.nodes.len() as u32), "nodes are not depth first");
        assert!(wide.stack_depth < leaf_count.max(1), "{:?}: {} of {leaf_count}", wide.kind, wide.stack_depth);
        for (slot, &reference) in wide.slots.iter().zip(&bvh.references) {
            assert_eq!(slot & INDEX_MASK, reference);
            assert_eq!(slot & NON_OPAQUE == 0, triangles.opaque[reference as usize]);
        }
        assert_eq!(wide.slots, encode_bvh2(bvh, triangles).unwrap().slots());
        // Opening a child saves a node; n inner ones are left as at least a (branching - 1)th.
        let inner = leaf_count - 1;
        let fewest = inner.div_ceil(wide.branching - 1).max(1);
        assert!((fewest..=inner.max(1)).contains(&wide.nodes.len()));
        assert_eq!(wide.node_bytes, wide.nodes.len() * 32 * wide.branching);
    }
}

#[test]
fn wide_trees_hold_every_box_and_reference_of_every_tree() {
    check_trees(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 33, 300], &[1, 4, 30], check);
}

#[test]
fn identical_triangles_and_flat_boxes_are_encoded() {
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let point = [[2.0; 3]; 3];
    for triangle in [flat, point] {
        let triangles = FlatTriangles::from_vertices(vec![triangle; 50]);
        let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
        check(&build(&triangles, &options).unwrap(), &triangles);
    }
}

#[test]
fn a_scene_without_triangles_gives_empty_trees() {
    let triangles = FlatTriangles::default();
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    for wide in wides(&bvh, &triangles) {
        assert!(wide.nodes.is_empty() && wide.slots.is_empty() && wide.bounds == Aabb::EMPTY);
        assert_eq!((wide.stack_depth, wide.node_bytes), (0, 0));
    }
}

#[test]
fn a_tree_that_is_one_leaf_gets_a_root_with_one_child() {
    let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 37]);
    let root = Node { bounds: triangles.bounds(), first: 0, count: 37 };
    let bvh = Bvh2 { nodes: vec![root], references: (0..37).collect(), primitive_count: 37 };
    check(&bvh, &triangles);
    for wide in wides(&bvh, &triangles) {
        assert_eq!((&wide.nodes[..], wide.stack_depth), (&[vec![(root.bounds, 0, 37)]][..], 0));
    }
    assert_eq!(encode_bvh2(&bvh, &triangles).unwrap().stack_depth(), 0);
}

#[test]
fn a_malformed_tree_is_an_error() {
    let triangles = soup(40, 10.0, [0.0; 3]);
    let sound = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let leaf = sound.nodes.iter().position(Node::is_leaf).unwrap();
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Bvh2));
    let damages: [Damage; 4] = [
        ("a cycle", &|t| t.nodes[0].first = 0),
        ("children out of range", &|t| t.nodes[0].first = u32::MAX),
        ("a huge leaf", &|t| t.nodes[leaf].count = u32::MAX),
        ("a primitive that is not there", &|t| t.references[3] = 40),
    ];
    for (what, damage) in damages {
        let mut bvh = sound.clone();
        damage(&mut bvh);
        let errors = [
            encode_wide4(&bvh, &triangles, Collapse::Guthe).err(),
            encode_wide4(&bvh, &triangles, Collapse::Adopt).err(),
            encode_wide_n(&bvh, &triangles, 32).err(),
        ];
        for error in errors {
            assert!(matches!(error, Some(LayoutError::BadNode { .. })), "{what}: {error:?}");
        }
    }
    // Boxes are not looked at by encoders: whatever they hold, there is a tree and no panic.
    let mut bvh = sound;
    for (i, node) in bvh.nodes.iter_mut().enumerate() {
        node.bounds.max[0] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0][i % 4];
    }
    assert_eq!(wides_unchecked(&bvh, &triangles), 6);
}

fn wides_unchecked(bvh: &Bvh2, triangles: &FlatTriangles) -> usize {
    let four = [Collapse::Guthe, Collapse::Adopt].map(|collapse| encode_wide4(bvh, triangles, collapse).is_ok());
    let n = WideN::BRANCHINGS.map(|branching| encode_wide_n(bvh, triangles, branching).is_ok());
    four.iter().chain(&n).filter(|&&made| made).count()
}
