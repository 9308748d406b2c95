//! Triangles that touch a box: of trees, and of scenes of two levels.

mod region;
mod separated;

use crate::levels::{LevelsAt, LevelsTracer, Moved, Placed, ROOT, Then};
use crate::touches::Receiver;
use crate::tracer::CpuTracer;
use raywarp_geom::{Aabb, Affine, PrimitiveId};
use raywarp_layout::{BLOCK, LEAF, REFERENCE_BYTES, Wide8Node};
use region::region;
use separated::are_separated;
use std::ops::ControlFlow;

type Flow = ControlFlow<()>;

/// What is done with a leaf of a tree, by its reference.
type AtLeaf<'a> = &'a mut dyn FnMut(u32) -> Flow;

/// Box of all of space.
const WHOLE: Aabb = Aabb { min: [f32::MIN; 3], max: [f32::MAX; 3] };

/// Visits the leaves below a child reference whose boxes touch `bounds`, and the leaf that it names. Calls itself as
/// deep as the tree is.
fn walk(nodes: &[Wide8Node], reference: u32, bounds: &Aabb, at_leaf: AtLeaf<'_>) -> Flow {
    if reference & LEAF != 0 {
        return at_leaf(reference);
    }
    let node = nodes.get(reference as usize * REFERENCE_BYTES / size_of::<Wide8Node>());
    let Some(Wide8Node { planes, children, .. }) = node else { return Flow::Continue(()) };
    // One by one: vectors. The infinite boxes of empty slots touch nothing.
    let touches: [bool; 8] = std::array::from_fn(|slot| {
        let along = |axis: usize| {
            (planes[2 * axis][slot] <= bounds.max[axis]) & (bounds.min[axis] <= planes[2 * axis + 1][slot])
        };
        along(0) & along(1) & along(2)
    });
    for (_, &child) in touches.iter().zip(children).filter(|(touches, _)| **touches) {
        walk(nodes, child, bounds, at_leaf)?;
    }
    Flow::Continue(())
}

/// Passes the triangles of a tree that touch a box of the world on, or those of the part that `start` names; `inside`
/// is the box in the tree's space.
fn in_tree<F: FnMut(PrimitiveId) -> Flow>(
    (tracer, start): (&CpuTracer, u32),
    bounds: &Aabb,
    (inside, base, place): (&Aabb, u32, Option<&Affine>),
    receiver: &Receiver<F>,
) -> Flow {
    let Some(tree) = tracer.wide8() else { return Flow::Continue(()) };
    walk(tree.nodes(), start, inside, &mut |leaf| {
        for block in tree.leaf_blocks(leaf) {
            for slot in 0..BLOCK {
                let Some(index) = block.index(slot) else { continue };
                let corners = block.vertices(slot);
                let corners = place.map_or(corners, |place| corners.map(|p| place.point(p)));
                if !are_separated(bounds, &corners) {
                    let of_tree = tracer.ids.get(index as usize);
                    let id = PrimitiveId { instance: base + of_tree.instance, ..of_tree };
                    receiver.take_once(id, tracer.split.has(index), |receive| receive(id))?;
                }
            }
        }
        Flow::Continue(())
    })
}

/// Returns a box without what lies beyond f32; `None` if nothing is left.
fn finite(bounds: &Aabb) -> Option<Aabb> {
    let within = |p: [f32; 3]| p.map(|x| x.clamp(f32::MIN, f32::MAX));
    let is_beyond = (0..3).any(|i| bounds.min[i] == f32::INFINITY || bounds.max[i] == f32::NEG_INFINITY);
    (!bounds.is_empty() && !is_beyond).then(|| Aabb { min: within(bounds.min), max: within(bounds.max) })
}

impl CpuTracer {
    /// Passes every triangle that touches a box on to `receive`, each (instance, primitive) once and in no order, until
    /// `receive` breaks; returns whether it did. The box includes its faces; nothing touches an empty one.
    ///
    /// Whether a triangle touches is decided without rounding. `receive` may ask the tracer itself. Allocates nothing
    /// but for triangles that stand in several leaves (spatial splits), and for those once a thread.
    ///
    /// The nodes of trees for lanes alone are walked: nothing is told in
    /// [`CpuTree::Bvh2`](crate::CpuTree::Bvh2).
    pub fn overlaps(&self, bounds: &Aabb, receive: impl FnMut(PrimitiveId) -> Flow) -> Flow {
        let Some(bounds) = finite(bounds) else { return Flow::Continue(()) };
        in_tree((self, ROOT), &bounds, (&bounds, 0, None), &Receiver::new(receive))
    }
}

impl LevelsTracer {
    /// Passes every triangle that touches a box on to `receive`, as [`CpuTracer::overlaps`] does in the flattened
    /// scene.
    pub fn overlaps(&self, bounds: &Aabb, receive: impl FnMut(PrimitiveId) -> Flow) -> Flow {
        self.at(0.0).overlaps(bounds, receive)
    }
}

impl LevelsAt<'_> {
    /// Passes every triangle that touches a box at that time on to `receive`, as [`CpuTracer::overlaps`] does in the
    /// flattened scene in which what moves stands still.
    pub fn overlaps(&self, bounds: &Aabb, receive: impl FnMut(PrimitiveId) -> Flow) -> Flow {
        let Some(bounds) = finite(bounds) else { return Flow::Continue(()) };
        let (scene, receiver) = (self.scene, Receiver::new(receive));
        walk(scene.top.nodes(), ROOT, &bounds, &mut |leaf| {
            for item in scene.top.items(leaf) {
                let (index, start) = scene.item(item);
                let Placed { tree, base, moved, motion, .. } = &scene.placed[index as usize];
                let tracer = (&*scene.trees[*tree as usize], start);
                let in_place = || in_tree(tracer, &bounds, (&bounds, *base, None), &receiver);
                let at = |moved: &Moved| {
                    let inside = region(moved, &bounds, &tracer.0.bounds());
                    in_tree(tracer, &bounds, (&inside, *base, Some(&moved.to_world)), &receiver)
                };
                match motion {
                    Some(motion) if self.time > 0.0 => match motion.at(self.time) {
                        Then::Unseen => {}
                        Then::InPlace => in_place()?,
                        Then::Moved(moved) => at(&moved)?,
                        Then::Whole(map) => in_tree(tracer, &bounds, (&WHOLE, *base, Some(&map)), &receiver)?,
                    },
                    _ => moved.as_deref().map_or_else(in_place, at)?,
                }
            }
            Flow::Continue(())
        })
    }
}
