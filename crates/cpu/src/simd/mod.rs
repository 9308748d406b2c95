//! The only place with `unsafe`: the walk over batches, and what each instruction set adds to it, with a safe face.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod order;
mod walk;

use crate::batch::Job;
use order::ChildOrder;
use raywarp_lanes::{InstructionSet, Isa, TaskOn};
use raywarp_layout::Wide8;

/// A batch over a tree.
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

/// Answers every ray of `job`.
pub(crate) fn walk<J: Job>(isa: Isa, tree: &Wide8, job: &mut J) {
    let walk = Walk { tree, job };
    match isa {
        Isa::Portable(set) => set.enter(walk),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(set) => set.enter(walk),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(set) => set.enter(walk),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(set) => set.enter(walk),
    }
}

#[cfg(test)]
mod tests {
    use super::order::{ChildOrder, entry};
    use raywarp_lanes::{InstructionSet, Isa, TaskOn, Vector};

    /// Runs a check on every instruction set of this CPU.
    macro_rules! everywhere {
        ($check:expr) => {
            for isa in Isa::all() {
                match isa {
                    Isa::Portable(set) => set.enter($check),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2(set) => set.enter($check),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512(set) => set.enter($check),
                    #[cfg(target_arch = "aarch64")]
                    Isa::Neon(set) => set.enter($check),
                }
            }
        };
    }

    /// Pushes every set of children over distances with repeats, and looks at what lies where.
    struct Pushes;

    impl<S: ChildOrder> TaskOn<S> for Pushes {
        type Output = ();

        #[inline(always)]
        fn run_on(self, set: S) {
            let children: [u32; 8] = std::array::from_fn(|i| 16 * (i as u32 + 1));
            let distances = [[3.0, 1.0, 0.0, 7.0, 0.5, 1e30, 2.0, 1e-30], [1.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 3.0]];
            for near in distances {
                for mask in 0..256u32 {
                    let hit = (0..8).filter(|i| mask >> i & 1 == 1);
                    let mut expected: Vec<u64> = hit.map(|i| entry(near[i], children[i])).collect();
                    expected.sort_unstable_by(|a, b| b.cmp(a));
                    let mut stack = [99u64; 12];
                    let lanes = S::F8::load(set, &near);
                    // SAFETY: the stack has twelve entries.
                    let top = unsafe { set.push_sorted(stack.as_mut_ptr(), 3, lanes, &children, mask) };
                    assert_eq!((&stack[..3], &stack[3..top]), (&[99; 3][..], &expected[..]), "mask {mask:08b}");
                    // SAFETY: as above.
                    let top = unsafe { set.push_unsorted(stack.as_mut_ptr(), 3, lanes, &children, mask) };
                    stack[3..top].sort_unstable_by(|a, b| b.cmp(a));
                    assert_eq!(stack[3..top], expected[..], "mask {mask:08b}");
                }
            }
        }
    }

    /// Stacks of any height, the first entry that of an end; some entries exactly at the bound.
    struct Drops;

    impl<S: ChildOrder> TaskOn<S> for Drops {
        type Output = ();

        #[inline(always)]
        fn run_on(self, set: S) {
            for height in 1..40usize {
                for limit in [0.0f32, 1.0, 3.0, 50.0, f32::MAX] {
                    let distance = |i: usize| if i == 0 { f32::NEG_INFINITY } else { (i * 7 % 11) as f32 };
                    let mut stack: Vec<u64> = (0..height + 8).map(|i| entry(distance(i), 16 * i as u32)).collect();
                    let kept = stack[..height].iter().filter(|&&e| f32::from_bits((e >> 32) as u32) <= limit);
                    let expected: Vec<u64> = kept.copied().collect();
                    let bound = i64::from(limit.to_bits()) << 32 | i64::from(u32::MAX);
                    // SAFETY: eight more entries are writable.
                    let top = unsafe { set.drop_farther(stack.as_mut_ptr(), height, bound) };
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
