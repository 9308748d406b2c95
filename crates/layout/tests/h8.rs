//! The tree of blocks holds what the binary tree holds, at every size and place, in groups as large as may be.

use raywarp_bvh::{BuildOptions, Bvh2, build, presets};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{H8, INDEX_MASK, LayoutError, NON_OPAQUE, encode_h8, load, save};
use raywarp_testing::Random;

/// Small random triangles in a cube of side `scale` at `offset`, every other two with a common edge, a seventh
/// of them not opaque.
fn soup(count: usize, scale: f32, offset: [f32; 3]) -> FlatTriangles {
    let mut random = Random::new(7);
    let mut next = || random.unit();
    let mut vertices: Vec<[[f32; 3]; 3]> = Vec::new();
    for i in 0..count {
        let place: [f32; 3] = std::array::from_fn(|_| next());
        let mut corner = || std::array::from_fn(|k| offset[k] + scale * (place[k] + 0.1 * next()));
        let fresh = [corner(), corner(), corner()];
        match vertices.last() {
            Some(&[a, _, c]) if i % 4 == 1 => {
                let beside = std::array::from_fn(|k| c[k] + 0.05 * scale * (next() - 0.5));
                vertices.push([c, beside, a]);
            }
            _ => vertices.push(fresh),
        }
    }
    let mut triangles = FlatTriangles::from_vertices(vertices);
    triangles.opaque.iter_mut().step_by(7).for_each(|opaque| *opaque = false);
    triangles
}

/// Each triangle of each leaf, with the box that all nodes above it leave.
fn held(tree: &H8) -> Vec<(u32, Aabb)> {
    let whole = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
    let mut open = if tree.blocks().is_empty() { vec![] } else { vec![(0, whole)] };
    let mut found = Vec::new();
    while let Some((block, around)) = open.pop() {
        let node = tree.node(block);
        for slot in 0..8 {
            let Some(bounds) = node.child_bounds(slot, tree.grid_step()) else { continue };
            let shared = bounds.intersection(&around);
            if node.is_inner(slot) {
                open.push((node.child(slot), shared));
            } else {
                let pair = tree.pair(node.child(slot));
                found.extend(pair.words[..pair.len()].iter().map(|&word| (word, shared)));
            }
        }
    }
    found
}

/// Everything that holds for the encoding of every tree.
#[track_caller]
fn check(bvh: &Bvh2, triangles: &FlatTriangles) -> H8 {
    let tree = encode_h8(bvh, triangles).unwrap();
    assert_eq!((tree.validate(), tree.validate_triangles(triangles)), (Ok(()), Ok(())));
    assert_eq!(tree.bounds(), &triangles.bounds());
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one_thread.install(|| encode_h8(bvh, triangles).unwrap());
    assert_eq!((tree.blocks(), tree.slots()), (again.blocks(), again.slots()), "equal input, other bytes");

    let found = held(&tree);
    let mut words: [Vec<u32>; 2] = [found.iter().map(|f| f.0).collect(), tree.slots().to_vec()];
    words.iter_mut().for_each(|words| words.sort_unstable());
    assert_eq!(words[0], words[1], "the slots are not what the leaves hold");
    // The set of the binary tree's references, but for those of one triangle that met in a pair.
    let mut references = [bvh.references.clone(), words[0].iter().map(|word| word & INDEX_MASK).collect()];
    references.iter_mut().for_each(|r| {
        r.sort_unstable();
        r.dedup();
    });
    assert_eq!(references[0], references[1], "a triangle was lost");
    let split = bvh.references.len() > triangles.len();
    let mut inside = vec![[split; 3]; triangles.len()];
    for (word, around) in found {
        let index = (word & INDEX_MASK) as usize;
        assert_eq!(word & NON_OPAQUE == 0, triangles.opaque[index]);
        for (inside, corner) in inside[index].iter_mut().zip(&triangles.vertices[index]) {
            *inside |= around.contains(&Aabb { min: *corner, max: *corner });
        }
    }
    assert!(inside.iter().flatten().all(|&inside| inside), "a corner is outside of its leaf");
    let depth = deepest_walk(&tree);
    assert!(depth <= tree.stack_depth(), "a walk needs {depth} entries, {} are promised", tree.stack_depth());
    tree
}

/// Walks everything as a kernel does, and tells the most entries on its stack: a node's own group is not on it.
fn deepest_walk(tree: &H8) -> usize {
    let mut deepest = usize::from(!tree.blocks().is_empty());
    for octant in if tree.blocks().is_empty() { 0..0 } else { 0..8 } {
        // Nodes that wait, and where their entry is on the kernel's stack.
        let mut stack: Vec<(u32, u8)> = vec![];
        let visit = |block: u32, stack: &mut Vec<(u32, u8)>| {
            let node = tree.node(block);
            if node.inner != 0 {
                stack.push((block, node.inner));
            }
        };
        visit(0, &mut stack);
        while let Some((block, waiting)) = stack.pop() {
            let slot = (0..8).map(|i| i ^ octant).find(|slot| waiting >> slot & 1 == 1).unwrap();
            let rest = waiting & !(1 << slot);
            if rest != 0 {
                stack.push((block, rest));
                deepest = deepest.max(stack.len());
            }
            visit(tree.node(block).child(slot), &mut stack);
        }
    }
    deepest
}

#[test]
fn every_triangle_of_every_tree_is_held() {
    for count in [0, 1, 2, 3, 4, 5, 8, 9, 24, 25, 33, 1000] {
        let triangles = soup(count, 10.0, [0.0; 3]);
        for (_, options) in presets::OF_SINGLES {
            check(&build(&triangles, &options).unwrap(), &triangles);
        }
        let clipped = BuildOptions { max_leaf: 1, split_clipping: Some(0.5), ..BuildOptions::default() };
        check(&build(&triangles, &clipped).unwrap(), &triangles);
    }
}

#[test]
fn trees_of_any_size_and_place_are_held() {
    for exponent in [-149, -126, -100, -60, -20, 0, 20, 60, 96] {
        let scale = 2f64.powi(exponent) as f32;
        for offset in [0.0, -0.5 * scale, 1.0, -1e6, 1e30] {
            let triangles = soup(100, scale, [offset, 0.0, -offset]);
            check(&build(&triangles, &presets::SINGLE).unwrap(), &triangles);
        }
    }
}

#[test]
fn equal_triangles_and_points_have_leaves_of_their_own() {
    let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for vertices in [vec![triangle; 100], vec![[[0.5; 3]; 3]; 100]] {
        let triangles = FlatTriangles::from_vertices(vertices);
        let tree = check(&build(&triangles, &presets::SINGLE).unwrap(), &triangles);
        assert_eq!(tree.slots().len(), 100);
    }
}

#[test]
fn a_grid_of_squares_becomes_pairs() {
    let corner = |i: usize| [(i % 33) as f32, (i / 33) as f32, 0.0];
    let square = |i: usize| {
        let a = 33 * (i / 32) + i % 32;
        [[corner(a), corner(a + 1), corner(a + 33)], [corner(a + 34), corner(a + 33), corner(a + 1)]]
    };
    let triangles = FlatTriangles::from_vertices((0..1024).flat_map(square).collect());
    let tree = check(&build(&triangles, &presets::SINGLE).unwrap(), &triangles);
    let leaves = 1024 * 5 / 4;
    assert!(tree.blocks().len() < leaves + leaves / 5, "{} blocks", tree.blocks().len());
}

#[test]
fn what_the_encoding_cannot_hold_is_refused() {
    let triangles = soup(50, 1.0, [0.0; 3]);
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    assert!(matches!(encode_h8(&bvh, &triangles), Err(LayoutError::LeafTooLarge { limit: 1, .. })));
    let far = soup(50, 1e37, [0.0; 3]);
    let bvh = build(&far, &presets::SINGLE).unwrap();
    assert!(matches!(encode_h8(&bvh, &far), Err(LayoutError::TooFar { exponent: 100 })));
    assert!(matches!(encode_h8(&bvh, &soup(49, 1.0, [0.0; 3])), Err(LayoutError::CountMismatch { .. })));
}

#[test]
fn files_come_back_for_the_same_triangles_only() {
    let triangles = soup(500, 3.0, [1.0; 3]);
    let tree = encode_h8(&build(&triangles, &presets::SINGLE).unwrap(), &triangles).unwrap();
    let mut file = Vec::new();
    save(&tree, &triangles, &mut file).unwrap();
    let again: H8 = load(&mut &file[..], &triangles).unwrap();
    assert_eq!((again.blocks(), again.slots(), again.grid_step()), (tree.blocks(), tree.slots(), tree.grid_step()));
    assert!(load::<H8>(&mut &file[..], &soup(500, 3.0, [1.1; 3])).is_err());
}
