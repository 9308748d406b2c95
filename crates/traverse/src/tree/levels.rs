//! Two levels: a binary tree over placements, and in each a binary tree of triangles, walked in its own space.

use super::{BoxTree, Entered, Entry, EntryOf, RangeLeaf, RecordTest, TestRules, Tree, Visit, VisitRules};
use crate::lane::Found;
use crate::levels::{ENTER_BYTES, KernelLevels, NODES_PER_PLACEMENT};
use crate::ray::LaneRay;
use crate::warp::Answer;
use raywarp_family::Variant;
use raywarp_geom::{Aabb, HitKey, Ray};

/// A scene of two levels with the batch of rays that walk it.
pub(crate) struct Placed<'a> {
    pub levels: &'a KernelLevels,
    pub bounds: Aabb,
    pub rays: &'a [Ray],
    /// Key of each ray after which hits count; empty if all hits count.
    pub after: &'a [HitKey],
}

/// A lane's ray in the world, and in the placed tree that it walks.
pub(crate) struct PlacedRay {
    world: LaneRay,
    inside: Option<Inside>,
}

/// What a lane knows of the placed tree that it walks.
struct Inside {
    placement: u32,
    /// The ray as it meets the tree's boxes.
    ray: LaneRay,
}

impl PlacedRay {
    /// Returns the ray as it meets the boxes of the level that it is in.
    fn among_boxes(&self) -> &LaneRay {
        self.inside.as_ref().map_or(&self.world, |inside| &inside.ray)
    }
}

/// Nodes and records are numbered over all trees of the scene; those of the upper tree come first.
impl Tree for Placed<'_> {
    type Inner = u32;
    type Leaf = RangeLeaf;
    type Ray = PlacedRay;
    const LEVELS: bool = true;

    fn root(&self) -> Option<EntryOf<Self>> {
        self.levels.top.root()
    }

    fn stack_depth(&self) -> usize {
        self.levels.stack_depth()
    }

    fn has_keys(&self) -> bool {
        !self.after.is_empty()
    }

    fn begin(&self, number: u32, variant: &Variant) -> (PlacedRay, Found, Option<EntryOf<Self>>) {
        let ray = &self.rays[number as usize];
        let after = self.after.get(number as usize).copied().unwrap_or(HitKey::START);
        let mut found = Found::nothing(ray.t_max);
        found.invalid = !ray.is_valid();
        let root = if found.invalid { None } else { self.root() };
        (PlacedRay { world: LaneRay::new(ray, &after, &self.bounds, variant), inside: None }, found, root)
    }

    fn visit(&self, inner: u32, ray: &PlacedRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        match &ray.inside {
            None => self.levels.top.visit(inner, &ray.world, t_max, rules, out),
            Some(inside) => {
                let (tree, first, _) = self.levels.tree_of(inside.placement);
                tree.visit(inner - first, ray.among_boxes(), t_max, rules, out);
            }
        }
        out.node = inner;
    }

    fn child(&self, ray: &PlacedRay, node: u32, slot: u32) -> EntryOf<Self> {
        let Some(inside) = &ray.inside else {
            return match self.levels.top.child(node, slot) {
                Entry::Leaf(leaf) => Entry::Instance(self.levels.named(leaf.next)),
                other => other,
            };
        };
        let (tree, first, record) = self.levels.tree_of(inside.placement);
        match tree.child(node - first, slot) {
            Entry::Inner(inner) => Entry::Inner(inner + first),
            Entry::Leaf(RangeLeaf { next, end }) => Entry::Leaf(RangeLeaf { next: next + record, end: end + record }),
            other => other,
        }
    }

    fn test(&self, record: u32, ray: &PlacedRay, found: &mut Found, rules: &TestRules) -> RecordTest {
        let mut result = RecordTest { rows: [true; 2], accepted: false };
        let (Some(inside), Some(test)) = (&ray.inside, &ray.world.watertight) else { return result };
        let (corners, word) = self.levels.triangle(inside.placement, record);
        if let Some(tuv) = test.test(&corners) {
            let id_of = |index| self.levels.id(index);
            result.accepted = found.offer(&ray.world, tuv, word, id_of, rules.any_hit);
        }
        result
    }

    fn enter(&self, instance: u32, ray: &mut PlacedRay, variant: &Variant) -> Entered<EntryOf<Self>> {
        let (slab, power) = self.levels.enter(instance, &ray.world.given);
        let among = ray.world.among_boxes(&slab, power, variant.box_test());
        ray.inside = Some(Inside { placement: instance, ray: among });
        let (tree, first, _) = self.levels.tree_of(instance);
        let record = self.levels.record_of(instance);
        let root = (!tree.nodes().is_empty()).then_some(Entry::Inner(first));
        Entered { root, reads: [(record, ENTER_BYTES[0]), (record + 1, ENTER_BYTES[1])] }
    }

    fn leave(&self, ray: &mut PlacedRay) {
        ray.inside = None;
    }

    fn placed_by(&self, ray: &PlacedRay) -> Option<u32> {
        let inside = ray.inside.as_ref().filter(|inside| !self.levels.is_in_place(inside.placement))?;
        Some(self.levels.record_of(inside.placement) + NODES_PER_PLACEMENT - 1)
    }

    fn answer(&self, ray: u32, found: &Found) -> Answer {
        let t_max = self.rays[ray as usize].t_max;
        let (hit, instance) = found.hit(t_max, |index| self.levels.id(index));
        Answer { ray, hit, instance, blocked: found.blocked, invalid: found.invalid, by_fallback: false }
    }
}
