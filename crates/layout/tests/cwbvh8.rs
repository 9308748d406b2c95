//! The compressed tree holds what the binary tree holds, at every size and place.

use crate::common::{check_trees, soup};
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{Cwbvh8, Cwbvh8Node, INDEX_MASK, LayoutError, NON_OPAQUE, encode_cwbvh8};

fn built(triangles: &FlatTriangles, max_leaf: u32) -> Bvh2 {
    build(triangles, &BuildOptions { max_leaf, ..BuildOptions::default() }).unwrap()
}

/// Each record with the decoded boxes from the root down to its leaf, shared among all.
fn records(tree: &Cwbvh8) -> Vec<(u32, Aabb)> {
    let whole = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
    let (mut found, mut open) = (Vec::new(), Vec::new());
    if !tree.nodes().is_empty() {
        open.push((0, whole));
    }
    while let Some((index, around)) = open.pop() {
        let node = &tree.nodes()[index as usize];
        for slot in 0..8 {
            let Some(bounds) = node.child_bounds(slot) else { continue };
            let shared = bounds.intersection(&around);
            if node.is_inner(slot) {
                open.push((node.child_node(slot), shared));
            } else {
                found.extend(node.leaf_records(slot).map(|record| (record, shared)));
            }
        }
    }
    found.sort_unstable_by_key(|&(record, _)| record);
    found
}

/// Everything that holds for the encoding of every tree.
#[track_caller]
fn check(bvh: &Bvh2, triangles: &FlatTriangles) -> Cwbvh8 {
    let tree = encode_cwbvh8(bvh, triangles).unwrap();
    assert_eq!(tree.validate(), Ok(()));
    assert_eq!(tree.bounds(), &triangles.bounds());
    let again = encode_cwbvh8(bvh, triangles).unwrap();
    let bytes = |t: &Cwbvh8| bytemuck::cast_slice::<_, u8>(t.nodes()).to_vec();
    assert_eq!((bytes(&tree), tree.slots()), (bytes(&again), again.slots()), "equal input, other bytes");

    let records = records(&tree);
    assert!(records.iter().map(|r| r.0).eq(0..tree.slots().len() as u32), "records are not each in one leaf");
    // A corner of a triangle that was split is in the box of one of its records at least.
    let mut held = vec![[false; 3]; triangles.len()];
    let split = bvh.references.len() > triangles.len();
    for (&slot, (_, around)) in tree.slots().iter().zip(&records) {
        let index = (slot & INDEX_MASK) as usize;
        assert_eq!(slot & NON_OPAQUE == 0, triangles.opaque[index]);
        for (held, corner) in held[index].iter_mut().zip(&triangles.vertices[index]) {
            let inside = around.contains(&Aabb { min: *corner, max: *corner });
            assert!(inside || split, "triangle {index}: {corner:?} is outside of {around:?}");
            *held |= inside;
        }
    }
    assert!(held.iter().flatten().all(|&held| held), "a triangle was lost, or a part of it");
    let depth = deepest_walk(&tree);
    assert!(depth <= tree.stack_depth(), "a walk needs {depth} entries, {} are promised", tree.stack_depth());
    tree
}

/// Walks everything as a kernel does, records last, and tells the most entries on its stack.
fn deepest_walk(tree: &Cwbvh8) -> usize {
    #[derive(Clone, Copy)]
    enum Group {
        Root,
        /// The children of a node that wait, as a mask of slots.
        Nodes(u32, u8),
        Records,
    }
    if tree.nodes().is_empty() {
        return 0;
    }
    let mut deepest = 0;
    // Which child a ray takes first depends on its octant.
    for octant in 0..8 {
        let mut stack = vec![Group::Root];
        // Groups of records lie below the nodes' and wait until no nodes are left above them.
        while let Some(group) = stack.pop() {
            let visited = match group {
                Group::Records => continue,
                Group::Root => 0,
                Group::Nodes(parent, waiting) => {
                    let nearest = (0..8).map(|i| i ^ octant).find(|slot| waiting >> slot & 1 != 0).unwrap();
                    if waiting.count_ones() > 1 {
                        stack.push(Group::Nodes(parent, waiting & !(1 << nearest)));
                    }
                    tree.nodes()[parent as usize].child_node(nearest)
                }
            };
            let node = &tree.nodes()[visited as usize];
            if (0..8).any(|slot| !node.leaf_records(slot).is_empty()) {
                stack.push(Group::Records);
            }
            if node.imask != 0 {
                stack.push(Group::Nodes(visited, node.imask));
            }
            deepest = deepest.max(stack.len());
        }
    }
    deepest
}

#[test]
fn every_triangle_of_every_tree_is_held() {
    check_trees(&[0, 1, 2, 3, 4, 5, 8, 9, 24, 25, 33, 1000], &[1, 2, 3], |bvh, triangles| {
        check(bvh, triangles);
    });
}

#[test]
fn trees_of_any_size_and_place_are_held() {
    for exponent in [-149, -140, -126, -100, -60, -20, 0, 20, 60, 100, 120, 126] {
        let scale = 2f64.powi(exponent) as f32;
        for offset in [0.0, -0.5 * scale, 1.0, -1e6, 1e30, -3e37] {
            let triangles = soup(200, scale, [offset, 0.0, -offset]);
            check(&built(&triangles, 1), &triangles);
        }
    }
}

#[test]
fn flat_coincident_and_extreme_triangles_are_held() {
    let limit = f32::MAX;
    let mut flat = soup(300, 1.0, [0.0; 3]);
    flat.vertices.iter_mut().flatten().for_each(|corner| corner[1] = 0.1);
    let coincident = FlatTriangles::from_vertices(vec![[[0.3, 0.7, 1e9], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 60]);
    let points = FlatTriangles::from_vertices(vec![[[-0.0, 1e-45, 5.0]; 3]; 30]);
    let corner = |i: u32| std::array::from_fn(|axis| if i >> axis & 1 == 0 { -limit } else { limit });
    let extreme = (0..40).map(|i| [corner(i), corner(i / 3), [i as f32, 1e-40, 1.0]]).collect();
    for triangles in [flat, coincident, points, FlatTriangles::from_vertices(extreme)] {
        for max_leaf in [1, 3] {
            check(&built(&triangles, max_leaf), &triangles);
        }
    }
}

#[test]
fn a_scene_without_triangles_gives_an_empty_tree() {
    let tree = check(&built(&FlatTriangles::default(), 1), &FlatTriangles::default());
    assert!(tree.nodes().is_empty() && tree.slots().is_empty());
    assert_eq!((tree.stack_depth(), tree.bytes()), (0, 0));
}

#[test]
fn a_tree_of_one_leaf_gets_a_root() {
    for count in 1..=3 {
        let triangles = soup(count, 1.0, [0.0; 3]);
        let root = Node { bounds: triangles.bounds(), first: 0, count: count as u32 };
        let references = (0..count as u32).collect();
        let bvh = Bvh2 { nodes: vec![root], references, primitive_count: count as u32 };
        let tree = check(&bvh, &triangles);
        assert_eq!((tree.nodes().len(), tree.stack_depth(), tree.bytes()), (1, 1, 80 + 4 * count));
        let leaf = (0..8).find(|&slot| tree.nodes()[0].has_child(slot)).unwrap();
        assert_eq!(tree.nodes()[0].leaf_records(leaf), 0..count as u32);
    }
}

#[test]
fn a_leaf_of_four_references_is_refused_by_name() {
    let triangles = soup(4, 1.0, [0.0; 3]);
    let root = Node { bounds: triangles.bounds(), first: 0, count: 4 };
    let bvh = Bvh2 { nodes: vec![root], references: (0..4).collect(), primitive_count: 4 };
    let error = encode_cwbvh8(&bvh, &triangles).unwrap_err();
    assert_eq!(error, LayoutError::LeafTooLarge { node: 0, found: 4, limit: 3 });
}

#[test]
fn a_malformed_tree_is_an_error() {
    let triangles = soup(40, 1.0, [0.0; 3]);
    let sound = built(&triangles, 1);
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Bvh2));
    let damages: [Damage; 5] = [
        ("a cycle", &|t| t.nodes[0].first = 0),
        ("a box that is not a number", &|t| t.nodes[5].bounds.min[1] = f32::NAN),
        ("an infinite box", &|t| t.nodes[0].bounds.max[0] = f32::INFINITY),
        ("an empty box", &|t| t.nodes[7].bounds = Aabb::EMPTY),
        ("an inverted box", &|t| t.nodes[3].bounds.min[2] = 1e9),
    ];
    for (what, damage) in damages {
        let mut bvh = sound.clone();
        damage(&mut bvh);
        let error = encode_cwbvh8(&bvh, &triangles).err();
        assert!(matches!(error, Some(LayoutError::BadNode { .. })), "{what}: {error:?}");
    }
    let other = encode_cwbvh8(&sound, &soup(41, 1.0, [0.0; 3])).unwrap_err();
    assert_eq!(other, LayoutError::CountMismatch { tree: 40, triangles: 41 });
}

#[test]
fn the_stack_depth_is_what_the_worst_walk_needs() {
    // Only the octant's first child need lead down the deepest path: the bound is met where it does.
    let met = [300, 1000, 3000].iter().filter(|&&count| {
        let triangles = soup(count, 1.0, [0.0; 3]);
        let tree = check(&built(&triangles, 1), &triangles);
        deepest_walk(&tree) == tree.stack_depth()
    });
    assert!(met.count() > 0, "no walk needs as many entries as are promised");
}

#[test]
fn slots_in_the_order_of_the_octant_come_near_to_far() {
    let triangles = soup(3000, 1.0, [0.0; 3]);
    let tree = encode_cwbvh8(&built(&triangles, 1), &triangles).unwrap();
    let (mut right, mut pairs) = (0, 0);
    for octant in 0..8 {
        let direction: [f32; 3] = std::array::from_fn(|axis| if octant & (4 >> axis) != 0 { -1.0 } else { 1.0 });
        assert_eq!(Cwbvh8Node::octant(&direction), octant);
        for node in tree.nodes() {
            let order = (0..8).map(|i| i ^ octant).filter_map(|slot| node.child_bounds(slot));
            let far = |b: &Aabb| (0..3).map(|axis| direction[axis] * b.center()[axis]).sum::<f32>();
            let along: Vec<f32> = order.map(|b| far(&b)).collect();
            for (i, a) in along.iter().enumerate() {
                pairs += along.len() - i - 1;
                right += along[i + 1..].iter().filter(|&b| a <= b).count();
            }
        }
    }
    // Chance gives a half; these children overlap, and give 77 %.
    assert!(right * 10 > pairs * 7, "{right} of {pairs} pairs are in order");
}
