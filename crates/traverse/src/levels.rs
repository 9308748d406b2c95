//! Scenes of two levels for kernels: trees of triangles, each placed any number of times, under a tree of placements.
//!
//! What is decided once for every device holds here, too: boxes of a placed tree are walked in its own space, by a ray
//! that the inverse transform took there, and its triangles are tested in the world, where the rule of flattening takes
//! their corners. So hits are those of the flattened scene, bit for bit. By how much boxes have to grow for that, and
//! why, stands in `crates/cpu/src/levels/placed.rs`; this is the same sum, all of it in f64.
//!
//! In memory nodes of all trees are one array, the upper tree's first, and so are triangle records; behind the nodes
//! lie the placements, [`NODES_PER_PLACEMENT`] nodes long each: for rays the inverse transform, its sums and growth,
//! the box in the world and where the tree begins, and in the last node the map of corners.

use crate::triangles::Triangles;
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build_over_boxes};
use raywarp_family::TriangleTest;
use raywarp_geom::{Aabb, Affine, Affine64, FlatTriangles, PaddedRay, PaddedSlab, PrimitiveId, Ray};
use raywarp_layout::{Bvh2Node, EncodedBvh2, INDEX_MASK, LayoutError, encode_bvh2, encode_bvh2_boxes};

/// Number of nodes whose bytes hold a placement.
pub(crate) const NODES_PER_PLACEMENT: u32 = 3;

/// Bytes of a placement that a ray reads to enter it, in its first node and in its second: the inverse (48), sums,
/// growth and box (48), and where nodes and records of the tree begin (8), to whole loads of 16.
pub(crate) const ENTER_BYTES: [u16; 2] = [64, 48];

/// Half an ulp of 1.
const U: f64 = f32::EPSILON as f64 / 2.0;

/// Largest sum of a row of what the inverse leaves, as the CPU's tracer has it.
const LARGEST_RESIDUAL: f64 = 1.0 / (1u64 << 34) as f64;

/// Largest sum of a row of the inverse, and of its reciprocal, as the CPU's tracer has it.
const LARGEST_SCALE: f64 = (1u64 << 40) as f64;

/// Place of a tree in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelPlacement {
    /// Index of the tree that is placed.
    pub tree: u32,
    /// Map of the tree's triangles to the world. It is rounded to f32, and then corners are mapped by
    /// [`Affine::point`]: the rule by which a scene is flattened.
    pub transform: Affine64,
}

/// Reason why a scene of two levels cannot be put together.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelLevelsError {
    /// A placement cannot be walked by itself, or names no tree.
    #[error(
        "placement {placement} cannot be walked by itself: its transform has no inverse that is exact enough for \
         boxes, or its tree is not there; flatten it"
    )]
    Placement {
        /// Index of the placement.
        placement: usize,
    },
    /// The flattened scene has more triangles than hits can be numbered by.
    #[error("the flattened scene has {found} triangles; at most {limit} can be told apart")]
    TooMany {
        /// Number of triangles of all placements.
        found: u64,
        /// Largest number of them.
        limit: u32,
    },
    /// The tree over the placements cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A tree cannot be encoded.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Scene of two levels, as kernels walk it: binary trees of triangles, tested by their corners, and a binary tree over
/// their placements, one in each leaf.
pub struct KernelLevels {
    pub(crate) top: EncodedBvh2,
    trees: Vec<Part>,
    places: Vec<Place>,
    stack_depth: usize,
    node_count: u32,
    /// Placement of each item of the upper tree: those without triangles are not in it.
    named: Vec<u32>,
}

/// One tree, and where its nodes and records begin in those of the scene.
struct Part {
    tree: EncodedBvh2,
    triangles: Triangles,
    bounds: Aabb,
    first_node: u32,
    first_record: u32,
}

/// A placement with what a ray that enters it needs.
struct Place {
    tree: u32,
    /// Number of triangles of all placements before it: where its own would begin in the flattened scene.
    first: u32,
    to_world: Affine,
    to_tree: Affine64,
    /// By axis of the tree's space, how far the rule of flattening may move a corner.
    growth: [f64; 3],
    /// Box in the world around all flattened corners.
    bounds: Aabb,
}

impl KernelLevels {
    /// Puts a scene together of trees and their placements. A tree may be placed many times or never. Hits of a
    /// placement have its index as their instance, and as their primitive that of the tree's triangle.
    ///
    /// # Errors
    /// [`KernelLevelsError`].
    pub fn new(trees: &[(&Bvh2, &FlatTriangles)], placements: &[KernelPlacement]) -> Result<Self, KernelLevelsError> {
        let (mut parts, mut first_record) = (Vec::with_capacity(trees.len()), 0);
        for &(bvh, triangles) in trees {
            let tree = encode_bvh2(bvh, triangles)?;
            let records = Triangles::new(TriangleTest::Watertight, tree.slots(), triangles);
            let (bounds, count) =
                (bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds), tree.slots().len() as u32);
            parts.push(Part { tree, triangles: records, bounds, first_node: 0, first_record });
            first_record += count;
        }
        let (mut places, mut first) = (Vec::with_capacity(placements.len()), 0u64);
        for (index, placement) in placements.iter().enumerate() {
            let error = KernelLevelsError::Placement { placement: index };
            let Some(part) = parts.get(placement.tree as usize) else { return Err(error) };
            places.push(Place::new(placement, part, first as u32).ok_or(error)?);
            first += part.triangles.ids.len() as u64;
            if first > u64::from(INDEX_MASK) {
                return Err(KernelLevelsError::TooMany { found: first, limit: INDEX_MASK });
            }
        }
        let named = (0..).zip(&places).filter(|(_, place)| !place.bounds.is_empty());
        let (named, boxes): (Vec<u32>, Vec<Aabb>) = named.map(|(index, place)| (index, place.bounds)).unzip();
        let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
        let top = encode_bvh2_boxes(&build_over_boxes(&boxes, &options)?)?;
        let mut node_count = top.nodes().len() as u32;
        for part in &mut parts {
            part.first_node = node_count;
            node_count += part.tree.nodes().len() as u32;
        }
        let deepest = parts.iter().map(|part| part.tree.stack_depth()).max().unwrap_or(0);
        // A mark lies between the levels.
        let stack_depth = top.stack_depth() + 1 + deepest;
        Ok(Self { top, trees: parts, places, stack_depth, node_count, named })
    }

    /// Returns the number of stack entries that any ray may need.
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the sizes in bytes of nodes and placements, and of triangle records: each tree counts once.
    pub fn bytes(&self) -> [usize; 2] {
        let nodes = self.node_count as usize + NODES_PER_PLACEMENT as usize * self.places.len();
        [nodes * size_of::<Bvh2Node>(), self.trees.iter().map(|part| part.triangles.bytes()).sum()]
    }

    /// Returns the box around the scene.
    pub(crate) fn bounds(&self) -> Aabb {
        self.places.iter().fold(Aabb::EMPTY, |all, place| all.union(&place.bounds))
    }

    /// Returns the placement of a leaf of the upper tree.
    pub(crate) fn named(&self, item: u32) -> u32 {
        self.named[self.top.slots()[item as usize] as usize]
    }

    /// Returns where the record of a placement begins among the nodes.
    pub(crate) fn record_of(&self, placement: u32) -> u32 {
        self.node_count + NODES_PER_PLACEMENT * placement
    }

    /// Returns the tree of a placement: its nodes, the index of the first of them in the scene, and of its first
    /// record.
    pub(crate) fn tree_of(&self, placement: u32) -> (&EncodedBvh2, u32, u32) {
        let part = self.part(placement);
        (&part.tree, part.first_node, part.first_record)
    }

    fn part(&self, placement: u32) -> &Part {
        &self.trees[self.places[placement as usize].tree as usize]
    }

    /// Returns `true` if a placement leaves its tree's corners where they are.
    pub(crate) fn is_in_place(&self, placement: u32) -> bool {
        self.places[placement as usize].is_in_place()
    }

    /// Returns the corners in the world of the triangle of a record, as the scene numbers records, and its index in the
    /// flattened scene with the flag of its slot.
    pub(crate) fn triangle(&self, placement: u32, record: u32) -> ([[f32; 3]; 3], u32) {
        let (place, part) = (&self.places[placement as usize], self.part(placement));
        let own = record - part.first_record;
        let word = part.tree.slots()[own as usize];
        let corners = part.triangles.corners(own).map(|p| {
            // The identity would add 0 to -0.
            if self.is_in_place(placement) { p } else { place.to_world.point(p) }
        });
        (corners, (word & !INDEX_MASK) | ((word & INDEX_MASK) + place.first))
    }

    /// Returns instance and primitive of a triangle of the flattened scene.
    pub(crate) fn id(&self, index: u32) -> PrimitiveId {
        let after = self.places.partition_point(|place| place.first <= index);
        let placement = after.saturating_sub(1);
        let own = index - self.places[placement].first;
        let id = self.part(placement as u32).triangles.ids[own as usize];
        PrimitiveId { instance: placement as u32, ..id }
    }

    /// Prepares a valid ray for the boxes of a placed tree, in that tree's space; returns also the power of two by
    /// which its direction is divided there.
    pub(crate) fn enter(&self, placement: u32, ray: &Ray) -> (PaddedSlab, f32) {
        let place = &self.places[placement as usize];
        let longest = ray.direction.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let is_usual = (1e-6..=1e6).contains(&longest);
        let power = if is_usual { 1.0 } else { f32::from_bits(longest.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE) };
        let growth = place.growth_for(ray, longest);
        let over = 1.0 / f64::from(power);
        let local = Ray {
            origin: place.to_tree.point(ray.origin.map(f64::from)).map(|x| x as f32),
            direction: place.to_tree.vector(ray.direction.map(|x| f64::from(x) * over)).map(|x| x as f32),
            ..*ray
        };
        (PaddedSlab::grown(&local, &self.part(placement).bounds, growth), power)
    }
}

impl Place {
    /// Places a tree; `None` if boxes cannot be walked by the transform's inverse.
    fn new(placement: &KernelPlacement, part: &Part, first: u32) -> Option<Self> {
        let to_world = placement.transform.rounded();
        let exact = Affine64::from(&to_world);
        let to_tree = exact.is_finite().then(|| exact.inverse())??;
        for i in 0..3 {
            let row = |j: usize| (0..3).map(|k| to_tree.rows[i][k] * exact.rows[k][j]).sum::<f64>();
            let residual: f64 = (0..3).map(|j| (row(j) - f64::from(u8::from(i == j))).abs()).sum();
            let sum: f64 = to_tree.rows[i][..3].iter().map(|x| x.abs()).sum();
            if residual > LARGEST_RESIDUAL || !(1.0 / LARGEST_SCALE..=LARGEST_SCALE).contains(&sum) {
                return None;
            }
        }
        let empty = Self { tree: placement.tree, first, to_world, to_tree, growth: [0.0; 3], bounds: Aabb::EMPTY };
        if part.triangles.ids.is_empty() {
            return Some(empty);
        }
        let tree = &part.bounds;
        let farthest: [f64; 3] = std::array::from_fn(|j| f64::from(tree.min[j].abs().max(tree.max[j].abs())));
        // Four roundings of the terms' sum, and somewhat more.
        let rounding =
            exact.rows.map(|row| 4.1 * U * ((0..3).map(|j| row[j].abs() * farthest[j]).sum::<f64>() + row[3].abs()));
        let growth = std::array::from_fn(|i| (0..3).map(|j| to_tree.rows[i][j].abs() * rounding[j]).sum());
        let [mut min, mut max] = [[0.0; 3]; 2];
        for i in 0..3 {
            let ends = |j: usize| [tree.min[j], tree.max[j]].map(|x| exact.rows[i][j] * f64::from(x));
            let [low, high] =
                (0..3).map(ends).fold([exact.rows[i][3]; 2], |[low, high], [a, b]| [low + a.min(b), high + a.max(b)]);
            // Twice the rounding holds half an ulp of the coordinate, too.
            (min[i], max[i]) = ((low - 2.0 * rounding[i]) as f32, (high + 2.0 * rounding[i]) as f32);
        }
        let is_finite = min.iter().chain(&max).all(|x: &f32| x.abs() <= f32::MAX);
        is_finite.then_some(Self { growth, bounds: Aabb { min, max }, ..empty })
    }

    /// Returns by axis of the tree's space how far boxes grow for a ray, by the largest coordinate of its direction: by
    /// what the triangle test may be off in the world, and by what moves corners there.
    fn growth_for(&self, ray: &Ray, longest: f32) -> [f32; 3] {
        if self.is_in_place() {
            return [0.0; 3];
        }
        let reach = (0..3).fold(0.0f64, |most, i| {
            let o = f64::from(ray.origin[i]);
            most.max((f64::from(self.bounds.min[i]) - o).abs()).max((f64::from(self.bounds.max[i]) - o).abs())
        });
        // For what underflows in the triangle test.
        let underflow = 2.0 * (1.0 + f64::from(longest)) * f64::from(f32::from_bits(1)) + 1.0 / (1u128 << 100) as f64;
        let uncertain = 1.01 * f64::from(PaddedRay::REACH_PAD) * reach + underflow;
        std::array::from_fn(|i| {
            let sum: f64 = self.to_tree.rows[i][..3].iter().map(|x| x.abs()).sum();
            up(sum * uncertain + self.growth[i])
        })
    }

    /// Returns `true` if corners stay where they are.
    fn is_in_place(&self) -> bool {
        self.to_world == Affine::IDENTITY
    }
}

/// Rounds a positive number up.
fn up(x: f64) -> f32 {
    (x as f32).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::build;
    use raywarp_testing::Random;

    /// Returns a map of numbers that f32 holds, and its inverse, both exact: shears by whole numbers, powers of two and
    /// a way in whole numbers.
    fn exact_map(random: &mut Random, far: f64) -> [Affine64; 2] {
        let whole = |random: &mut Random, most: f64| (most * f64::from(random.signed())).round();
        let [mut map, mut back] = [Affine64::IDENTITY; 2];
        for _ in 0..4 {
            let (row, by) = (random.below(3), whole(random, 4.0));
            let column = (row + 1 + random.below(2)) % 3;
            let powers = [(); 3].map(|()| 2f64.powi(random.below(5) as i32 - 2) * [1.0, -1.0][random.below(2)]);
            let [mut shear, mut unshear] = [Affine64::IDENTITY; 2];
            (shear.rows[row][column], unshear.rows[row][column]) = (by, -by);
            map = Affine64::scale(powers).after(&shear).after(&map);
            back = back.after(&unshear).after(&Affine64::scale(powers.map(|x| 1.0 / x)));
        }
        let way = [(); 3].map(|()| whole(random, far));
        map = Affine64::translation(way).after(&map);
        back = back.after(&Affine64::translation(way.map(|x| -x)));
        assert_eq!((Affine64::from(&map.rounded()), back.after(&map)), (map, Affine64::IDENTITY));
        [map, back]
    }

    /// A box in the world around each corner, as far as the triangle test and the rule of flattening may be off
    /// (`crates/cpu/src/levels/placed.rs`), is taken to the tree's space by the exact inverse: the grown box holds it,
    /// and is not much larger.
    #[test]
    fn boxes_grow_by_what_is_off_in_the_world_as_the_tree_sees_it() {
        let mut random = Random::new(34);
        for case in 0..400 {
            let far = [0.0f32, 65_536.0][case % 2];
            let [map, back] = exact_map(&mut random, [0.0, 1e6][case / 2 % 2]);
            let corner = random.point().map(|x| (far * x).round());
            let ends = [corner, [0, 1, 2].map(|k| corner[k] + [1.0, 2.0, 5.0][(k + case) % 3])];
            let triangles =
                FlatTriangles::from_vertices(vec![[ends[0], ends[1], [ends[0][0], ends[1][1], ends[0][2]]]]);
            let tree = build(&triangles, &BuildOptions::default()).unwrap();
            let levels =
                KernelLevels::new(&[(&tree, &triangles)], &[KernelPlacement { tree: 0, transform: map }]).unwrap();
            let corners: Vec<[f64; 3]> =
                (0..8).map(|of| map.point([0, 1, 2].map(|k| f64::from(ends[of >> k & 1][k])))).collect();
            let end = |k: usize, most: fn(f64, f64) -> f64| corners.iter().map(|p| p[k]).reduce(most).unwrap();
            let [low, high] = [f64::min, f64::max].map(|most| [0, 1, 2].map(|k| end(k, most)));
            // From both ends of the world's box, and from outside.
            let outside = [0, 1, 2].map(|k| low[k] - 100.0 * f64::from(random.signed()));
            for origin in [low, high, outside] {
                let ray = Ray::new(origin.map(|x| x as f32), [1.0, 0.5, 0.25]);
                let reach = (0..3).fold(0.0f64, |most, k| {
                    let o = f64::from(ray.origin[k]);
                    most.max((low[k] - o).abs()).max((high[k] - o).abs())
                });
                let off = map.rows.map(|row| {
                    let moved: f64 =
                        (0..3).map(|k| row[k].abs() * f64::from(ends[0][k].abs().max(ends[1][k].abs()))).sum();
                    53.0 * U * reach + 4.0 * U * (moved + row[3].abs())
                });
                let growth = levels.places[0].growth_for(&ray, 1.0).map(f64::from);
                let mut most = [0.0f64; 3];
                for signs in 0..8 {
                    let seen = back.vector([0, 1, 2].map(|k| if signs >> k & 1 == 0 { off[k] } else { -off[k] }));
                    most = [0, 1, 2].map(|k| most[k].max(seen[k].abs()));
                }
                let holds = (0..3).all(|k| (most[k]..1.3 * most[k]).contains(&growth[k]));
                assert!(holds, "case {case}: {growth:?} for {most:?}, {map:?}, {ray:?}");
            }
        }
    }
}
