//! `validate` finds each kind of damage to a tree, and says which it is.

use crate::common::scenes;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_geom::{Aabb, FlatTriangles};

/// A good tree of some fifty nodes, and where things are in it.
struct Fixture {
    tree: Bvh2,
    triangles: FlatTriangles,
    /// An inner node that is not the root.
    inner: usize,
    /// A leaf with at least two references, and another leaf.
    leaf: usize,
    other: usize,
}

fn fixture() -> Fixture {
    let triangles = FlatTriangles::from_vertices(scenes::sphere(6));
    let tree = build(&triangles, &BuildOptions::default()).unwrap();
    assert_eq!(tree.validate(&triangles), Ok(()));
    let inner = (1..tree.nodes.len()).find(|&i| !tree.nodes[i].is_leaf()).unwrap();
    let leaf = (1..tree.nodes.len()).find(|&i| tree.nodes[i].count >= 2).unwrap();
    let other = (leaf + 1..tree.nodes.len()).find(|&i| tree.nodes[i].is_leaf()).unwrap();
    Fixture { tree, triangles, inner, leaf, other }
}

/// Damages the tree and expects an error of the given kind.
#[track_caller]
fn check(kind: &str, damage: impl FnOnce(&mut Fixture)) {
    let mut fixture = fixture();
    damage(&mut fixture);
    let found = fixture.tree.validate(&fixture.triangles).expect_err("the damage was not seen");
    assert!(format!("{found:?}").starts_with(kind), "expected {kind}, found {found:?}: {found}");
}

#[test]
fn another_number_of_triangles_is_found() {
    check("PrimitiveCount", |f| f.triangles.vertices.truncate(5));
}

#[test]
fn nodes_without_primitives_and_the_reverse_are_found() {
    check("Emptiness", |f| f.tree.nodes.clear());
    check("Emptiness", |f| {
        f.triangles = FlatTriangles::default();
        f.tree.primitive_count = 0;
    });
}

#[test]
fn children_out_of_order_out_of_range_and_in_a_circle_are_found() {
    check("Order", |f| f.tree.nodes[f.inner].first += 2);
    check("Order", |f| f.tree.nodes[f.inner].first = u32::MAX);
    check("Order", |f| f.tree.nodes[f.inner].first = 0);
    check("Order", |f| {
        let last = f.tree.nodes.len() - 1;
        f.tree.nodes.truncate(last);
    });
}

#[test]
fn nodes_that_nothing_leads_to_are_found() {
    check("Unreachable", |f| {
        let leaf = f.tree.nodes[f.leaf];
        f.tree.nodes.extend([leaf; 2]);
    });
}

#[test]
fn boxes_that_are_not_finite_or_inside_out_are_found() {
    for bad in [f32::NAN, f32::INFINITY, -1e9] {
        check("Box", |f| f.tree.nodes[0].bounds.max[1] = bad);
    }
    check("Box", |f| f.tree.nodes[f.leaf].bounds = Aabb::EMPTY);
    check("Box", |f| f.tree.nodes[f.leaf].bounds.min[2] = f32::NAN);
}

#[test]
fn a_child_that_sticks_out_of_its_parent_is_found() {
    check("ChildSticksOut", |f| f.tree.nodes[f.leaf].bounds.max[0] += 100.0);
    check("ChildSticksOut", |f| f.tree.nodes[0].bounds.min[1] = f.tree.nodes[0].bounds.min[1].next_up());
}

#[test]
fn leaves_past_the_references_are_found() {
    check("LeafRange", |f| f.tree.nodes[f.leaf].count = 1000);
    check("LeafRange", |f| f.tree.nodes[f.leaf].first = u32::MAX);
}

#[test]
fn leaves_that_share_or_leave_out_references_are_found() {
    check("LeavesOverlap", |f| f.tree.nodes[f.other].first = f.tree.nodes[f.leaf].first);
    check("ReferenceUnused", |f| f.tree.nodes[f.leaf].count -= 1);
    check("ReferenceUnused", |f| f.tree.references.push(0));
}

#[test]
fn references_to_no_primitive_are_found() {
    check("PrimitiveRange", |f| f.tree.references[3] = f.tree.primitive_count);
    check("PrimitiveRange", |f| f.tree.references[3] = u32::MAX);
}

#[test]
fn a_primitive_twice_in_a_leaf_and_a_missing_one_are_found() {
    check("Repeated", |f| {
        let first = f.tree.nodes[f.leaf].first as usize;
        f.tree.references[first + 1] = f.tree.references[first];
    });
    check("Missing", |f| {
        // One primitive gives its place in a leaf to a primitive of another leaf.
        let [a, b] = [f.leaf, f.other].map(|leaf| f.tree.nodes[leaf].first as usize);
        f.tree.references[a] = f.tree.references[b];
    });
}

#[test]
fn leaves_that_do_not_reach_around_their_primitives_are_found() {
    check("NotCovered", |f| {
        let [a, b] = [f.leaf, f.other].map(|leaf| f.tree.nodes[leaf].first as usize);
        f.tree.references.swap(a, b);
    });
    check("NotCovered", |f| f.triangles.vertices[7][1][0] = 50.0);
    check("NotCovered", |f| {
        let bounds = &mut f.tree.nodes[f.leaf].bounds;
        bounds.max[0] = bounds.max[0].next_down();
    });
}

#[test]
fn an_empty_tree_over_no_triangles_is_valid() {
    let tree = Bvh2 { nodes: vec![], references: vec![], primitive_count: 0 };
    assert_eq!(tree.validate(&FlatTriangles::default()), Ok(()));
}
