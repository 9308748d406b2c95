//! The only place with `unsafe`: the walk over batches, and what each instruction set adds to it, with a safe face.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod custom;
mod group;
mod levels;
mod nearest;
mod order;
mod packet;
mod place;
mod queue;
mod single;
mod triangle;
mod usual;
mod walk;

use crate::batch::Job;
use crate::custom::Custom;
use crate::ids::LentIds;
use crate::levels::{LevelsTracer, PlacedJob, ROOT};
use crate::nearest::{Search, TreeSpace};
use crate::probe::Probe;
use crate::query::OfRange;
use crate::ray::WalkRay;
use crate::sink::{OfTree, Reply, Sink, Within};
use custom::Customs;
use levels::Levels;
use nearest::{InLevels, InTree};
use order::ChildOrder;
use place::InPlace;
use raywarp_geom::{HitKey, Ray};
use raywarp_lanes::{InstructionSet, Isa, Portable, TaskOn};
use raywarp_layout::Wide8;
use single::Single;

/// Runs a task with the vectors of an instruction set.
macro_rules! on_isa {
    ($isa:expr, $task:expr) => {
        match $isa {
            Isa::Portable(set) => set.enter($task),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(set) => set.enter($task),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(set) => set.enter($task),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon(set) => set.enter($task),
            #[cfg(target_feature = "simd128")]
            Isa::Simd128(set) => set.enter($task),
        }
    };
}

/// Task that traces a batch through a tree on one instruction set.
struct Walk<'a, J> {
    tree: &'a Wide8,
    job: &'a mut J,
}

impl<S: ChildOrder, J: Job> TaskOn<S> for Walk<'_, J> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        walk::walk_all(set, self.tree, self.job);
    }
}

/// Traces every ray of `job` through `tree`, with the vectors of `isa`.
pub(crate) fn walk<J: Job>(isa: Isa, tree: &Wide8, job: &mut J) {
    let walk = Walk { tree, job };
    on_isa!(isa, walk);
}

/// Asks one ray a question of hits after `after`, with the vectors of `isa`. `None` if it finds nothing.
pub(crate) fn walk_one<'a, A: OfRange<'a>>(
    isa: Isa,
    (tree, ids): (&'a Wide8, LentIds<'a>),
    ray: &Ray,
    after: HitKey,
    question: A,
) -> Option<A::Answer> {
    let single = Single { tree, ids, ray, after, question };
    on_isa!(isa, single)
}

/// Asks one ray a query of custom geometry in the world, with the vectors of `isa`. Returns `false` if there is
/// nothing.
pub(crate) fn walk_custom<'a, K: Sink, P: Probe>(
    isa: Isa,
    custom: &'a Custom,
    (walk, ray): (&WalkRay, &Ray),
    query: &mut Within<'a, K, P>,
) -> bool {
    let is_there = !custom.boxes.nodes().is_empty();
    if is_there {
        let walk = Customs { custom, walk, ray, power: 1.0, query };
        on_isa!(isa, walk);
    }
    is_there
}

/// Asks one ray a question of a scene of two levels at a time, with the vectors of `isa`. `None` if the ray cannot hit
/// anything.
pub(crate) fn walk_levels<'a, K: Sink, P: Probe>(
    isa: Isa,
    scene: &'a LevelsTracer,
    (ray, time): (&Ray, f32),
    after: HitKey,
    question: OfTree<'a, K, P>,
) -> Option<Reply<K, P>> {
    let levels = Levels { scene, ray, time, after, question };
    // Counts are the same with every instruction set.
    if P::COUNTS { Portable.enter(levels) } else { on_isa!(isa, levels) }
}

/// Task that traces a batch through a scene of two levels on one instruction set.
struct WalkLevels<'a, J> {
    scene: &'a LevelsTracer,
    job: &'a mut J,
}

impl<S: ChildOrder, J: PlacedJob> TaskOn<S> for WalkLevels<'_, J> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        levels::walk_batch(set, self.scene, self.job);
    }
}

/// Traces every ray of `job` through a scene of two levels at time 0.
pub(crate) fn walk_levels_batch<J: PlacedJob>(scene: &LevelsTracer, job: &mut J) {
    let walk = WalkLevels { scene, job };
    on_isa!(scene.isa(), walk);
}

/// Looks for the nearest point in a tree that is not empty, with the vectors of `isa`.
pub(crate) fn walk_nearest<'a>(isa: Isa, tree: &'a Wide8, search: &mut Search<'a>) {
    assert!(!tree.lines().is_empty(), "an empty tree has no root");
    let walk =
        InTree { tree, start: ROOT, space: TreeSpace::in_place(&search.world), place: &InPlace, placed: 0, search };
    on_isa!(isa, walk);
}

/// Looks for the nearest point in a scene of two levels at a time, with the vectors of `isa`.
pub(crate) fn walk_nearest_levels<'a>(isa: Isa, (scene, time): (&'a LevelsTracer, f32), search: &mut Search<'a>) {
    if scene.top.nodes().is_empty() {
        return;
    }
    let walk = InLevels { scene, time, search };
    on_isa!(isa, walk);
}

#[cfg(test)]
mod tests {
    use super::order::{ChildOrder, SLOT, bound, entry};
    use super::walk::sort_keys;
    use raywarp_lanes::{InstructionSet, Isa, Mask, TaskOn, Vector};

    /// Runs a check on every instruction set of this CPU.
    macro_rules! everywhere {
        ($check:expr) => {
            for isa in Isa::all() {
                on_isa!(isa, $check);
            }
        };
    }

    /// Test task that pushes every set of children, with repeated distances, and checks the order on the stack.
    struct Pushes;

    impl<S: ChildOrder> TaskOn<S> for Pushes {
        type Output = ();

        #[inline(always)]
        fn run_on(self, set: S) {
            let children: [u32; 8] = std::array::from_fn(|i| 16 * (i as u32 + 1));
            // Also distances apart by less than the bits that a slot takes, and beyond them.
            let distances = [
                [3.0, 1.0, 0.0, 7.0, 0.5, 1e30, 2.0, 1e-30],
                [1.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 3.0],
                [8, 6, 3, 2, 1, 17, 16, 0].map(|ulps| f32::from_bits((1 << 30) + ulps)),
            ];
            for near in distances {
                for mask in 0..256u32 {
                    let hit = (0..8).filter(|i| mask >> i & 1 == 1);
                    let key = |i: usize| near[i].to_bits() & !SLOT | i as u32;
                    let mut expected: Vec<u64> =
                        hit.clone().map(|i| entry(f32::from_bits(key(i)), children[i])).collect();
                    expected.sort_unstable_by(|a, b| b.cmp(a));
                    let mut stack = [99u64; 12];
                    let lanes = S::F8::load(set, &near);
                    let keys = sort_keys(set, lanes, Mask::from_bits(set, mask));
                    // SAFETY: the stack has twelve entries.
                    let top = unsafe { set.push_sorted(stack.as_mut_ptr(), 3, keys, &children, mask) };
                    assert_eq!((&stack[..3], &stack[3..top]), (&[99; 3][..], &expected[..]), "mask {mask:08b}");
                    let mut expected: Vec<u64> = hit.map(|i| entry(near[i], children[i])).collect();
                    expected.sort_unstable_by(|a, b| b.cmp(a));
                    // SAFETY: as above.
                    let top = unsafe { set.push_unsorted(stack.as_mut_ptr(), 3, lanes, &children, mask) };
                    stack[3..top].sort_unstable_by(|a, b| b.cmp(a));
                    assert_eq!(stack[3..top], expected[..], "mask {mask:08b}");
                }
            }
        }
    }

    /// Test task that drops entries from stacks of any height, whose bottom marks the end; some entries lie exactly at
    /// the bound.
    struct Drops;

    impl<S: ChildOrder> TaskOn<S> for Drops {
        type Output = ();

        #[inline(always)]
        fn run_on(self, set: S) {
            for height in 1..40usize {
                for limit in [0.0f32, 1.0, 3.0, 50.0, f32::MAX] {
                    let distance = |i: usize| if i == 0 { f32::NEG_INFINITY } else { (i * 7 % 11) as f32 };
                    // As in keys, the last three bits are a slot.
                    let key = |i: usize| f32::from_bits(distance(i).to_bits() | if i == 0 { 0 } else { i as u32 % 8 });
                    let mut stack: Vec<u64> = (0..height + 8).map(|i| entry(key(i), 16 * i as u32)).collect();
                    let kept = (0..height).filter(|&i| distance(i) <= limit);
                    let expected: Vec<u64> = kept.map(|i| stack[i]).collect();
                    // SAFETY: eight more entries are writable.
                    let top = unsafe { set.drop_farther(stack.as_mut_ptr(), height, bound(limit)) };
                    assert_eq!(stack[..top], expected[..], "height {height}, limit {limit}");
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_drops_what_lies_farther() {
        everywhere!(Drops);
    }

    #[test]
    fn every_instruction_set_pushes_the_hit_children_in_order() {
        everywhere!(Pushes);
    }
}
