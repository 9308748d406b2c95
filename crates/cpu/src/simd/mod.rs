//! The only place with `unsafe`: kernels over batches, a file an instruction set, and their safe face.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
mod vector;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::batch::{AnyJob, ClosestJob};
use crate::dispatch::{Isa, Kind};
use crate::probe::Off;
use raywarp_geom::RayCost;
use raywarp_layout::Wide8;
use walk::walk_all;

/// Batches over a [`Wide8`], one function a query.
macro_rules! kernels {
    ($name:ident, $isa:ty, $(#[$attribute:meta])*) => {
        mod $name {
            use super::*;

            $(#[$attribute])*
            pub(super) unsafe fn closest(tree: &Wide8, job: &mut ClosestJob<Off>) {
                // SAFETY: the caller saw the instructions on this CPU.
                unsafe { walk_all::<$isa, _>(tree, job) }
            }

            $(#[$attribute])*
            pub(super) unsafe fn any(tree: &Wide8, job: &mut AnyJob) {
                // SAFETY: the caller saw the instructions on this CPU.
                unsafe { walk_all::<$isa, _>(tree, job) }
            }

            $(#[$attribute])*
            pub(super) unsafe fn cost(tree: &Wide8, job: &mut ClosestJob<RayCost>) {
                // SAFETY: the caller saw the instructions on this CPU.
                unsafe { walk_all::<$isa, _>(tree, job) }
            }
        }
    };
}

kernels!(on_portable, portable::Portable,);
#[cfg(target_arch = "x86_64")]
kernels!(on_avx2, avx2::Avx2, #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(target_arch = "x86_64")]
kernels!(on_avx512, avx512::Avx512, #[target_feature(enable = "avx512f,avx512vl,avx512dq,fma,bmi1,bmi2,lzcnt,popcnt")]);

/// Calls the kernel of `isa`.
macro_rules! dispatch {
    ($isa:expr, $query:ident($($argument:expr),*)) => {
        match $isa.kind() {
            // SAFETY: plain Rust, which every CPU runs.
            Kind::Portable => unsafe { on_portable::$query($($argument),*) },
            // SAFETY: only `Isa::detect` and `Isa::all` make this, after they saw the instructions.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { on_avx2::$query($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { on_avx512::$query($($argument),*) },
        }
    };
}

/// Runs a closest-hit batch.
pub(crate) fn closest(isa: Isa, tree: &Wide8, job: &mut ClosestJob<Off>) {
    dispatch!(isa, closest(tree, job));
}

/// Runs an any-hit batch.
pub(crate) fn any(isa: Isa, tree: &Wide8, job: &mut AnyJob) {
    dispatch!(isa, any(tree, job));
}

/// Counts a closest-hit batch.
pub(crate) fn cost(isa: Isa, tree: &Wide8, job: &mut ClosestJob<RayCost>) {
    dispatch!(isa, cost(tree, job));
}

#[cfg(test)]
mod tests {
    use super::vector::{InstructionSet, Vector, entry};

    /// Pushes every set of children over distances with repeats, and looks at what lies where.
    ///
    /// # Safety
    /// The CPU has the instructions of `I`.
    unsafe fn check<I: InstructionSet>() {
        let children: [u32; 8] = std::array::from_fn(|i| 16 * (i as u32 + 1));
        let distances = [[3.0, 1.0, 0.0, 7.0, 0.5, 1e30, 2.0, 1e-30], [1.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 3.0]];
        for near in distances {
            for mask in 0..256u32 {
                let hit = (0..8).filter(|i| mask >> i & 1 == 1);
                let mut expected: Vec<u64> = hit.map(|i| entry(near[i], children[i])).collect();
                expected.sort_unstable_by(|a, b| b.cmp(a));
                let mut stack = [99u64; 12];
                // SAFETY: the stack has twelve entries; the caller saw the instructions.
                let top = unsafe { I::push_sorted(stack.as_mut_ptr(), 3, I::Node::load(&near), &children, mask) };
                assert_eq!((&stack[..3], &stack[3..top]), (&[99; 3][..], &expected[..]), "mask {mask:08b}");
                // SAFETY: as above.
                let top = unsafe { I::push_unsorted(stack.as_mut_ptr(), 3, I::Node::load(&near), &children, mask) };
                stack[3..top].sort_unstable_by(|a, b| b.cmp(a));
                assert_eq!(stack[3..top], expected[..], "mask {mask:08b}");
            }
        }
    }

    /// Stacks of any height, the first entry that of an end; some entries exactly at the bound.
    ///
    /// # Safety
    /// The CPU has the instructions of `I`.
    unsafe fn check_drop<I: InstructionSet>() {
        for height in 1..40usize {
            for limit in [0.0f32, 1.0, 3.0, 50.0, f32::MAX] {
                let distance = |i: usize| if i == 0 { f32::NEG_INFINITY } else { (i * 7 % 11) as f32 };
                let mut stack: Vec<u64> = (0..height + 8).map(|i| entry(distance(i), 16 * i as u32)).collect();
                let kept = stack[..height].iter().filter(|&&e| f32::from_bits((e >> 32) as u32) <= limit);
                let expected: Vec<u64> = kept.copied().collect();
                let bound = i64::from(limit.to_bits()) << 32 | i64::from(u32::MAX);
                // SAFETY: eight more entries are writable; the caller saw the instructions.
                let top = unsafe { I::drop_farther(stack.as_mut_ptr(), height, bound) };
                assert_eq!(stack[..top], expected[..], "height {height}, limit {limit}");
            }
        }
    }

    #[test]
    fn every_instruction_set_drops_what_lies_farther() {
        for isa in super::Isa::all() {
            match isa.kind() {
                // SAFETY: plain Rust.
                super::Kind::Portable => unsafe { check_drop::<super::portable::Portable>() },
                // SAFETY: `Isa::all` saw the instructions.
                #[cfg(target_arch = "x86_64")]
                super::Kind::Avx2 => unsafe { check_drop::<super::avx2::Avx2>() },
                // SAFETY: `Isa::all` saw the instructions.
                #[cfg(target_arch = "x86_64")]
                super::Kind::Avx512 => unsafe { check_drop::<super::avx512::Avx512>() },
            }
        }
    }

    #[test]
    fn every_instruction_set_pushes_the_hit_children_in_order() {
        for isa in super::Isa::all() {
            match isa.kind() {
                // SAFETY: plain Rust.
                super::Kind::Portable => unsafe { check::<super::portable::Portable>() },
                // SAFETY: `Isa::all` saw the instructions.
                #[cfg(target_arch = "x86_64")]
                super::Kind::Avx2 => unsafe { check::<super::avx2::Avx2>() },
                // SAFETY: `Isa::all` saw the instructions.
                #[cfg(target_arch = "x86_64")]
                super::Kind::Avx512 => unsafe { check::<super::avx512::Avx512>() },
            }
        }
    }
}
