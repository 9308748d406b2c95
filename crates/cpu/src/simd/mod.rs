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

use crate::batch::{self, AnyJob, ClosestJob, CostJob, Walk};
use crate::dispatch::{Isa, Kind};
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use raywarp_geom::{Aabb, Ray};
use raywarp_layout::Wide8;
use std::marker::PhantomData;
use vector::InstructionSet;
use walk::{STACK_SLACK, walk};

/// Walks a tree with the instructions of `I`.
struct Wide8Walk<'a, I> {
    tree: &'a Wide8,
    stack: Vec<u64>,
    isa: PhantomData<I>,
}

impl<'a, I: InstructionSet> Wide8Walk<'a, I> {
    /// # Safety
    /// The CPU has the instructions of `I`.
    unsafe fn new(tree: &'a Wide8) -> Self {
        Self { tree, stack: vec![0; tree.stack_depth() + 1 + STACK_SLACK], isa: PhantomData }
    }
}

impl<I: InstructionSet> Walk for Wide8Walk<'_, I> {
    #[inline(always)]
    fn bounds(&self) -> &Aabb {
        self.tree.bounds()
    }

    #[inline(always)]
    fn walk<Q: Query, P: Probe>(&mut self, _: &Ray, ray: &WalkRay, query: &mut Q, probe: &mut P) {
        // SAFETY: `new` made the stack as long as the tree needs, and its caller saw the instructions.
        unsafe { walk::<I, Q, P>(self.tree, ray, &mut self.stack, query, probe) }
    }
}

/// Batches over a [`Wide8`], one function a query; each returns how many rays were invalid.
macro_rules! kernels {
    ($name:ident, $isa:ty, $(#[$attribute:meta])*) => {
        mod $name {
            use super::*;

            $(#[$attribute])*
            pub(super) unsafe fn closest(tree: &Wide8, job: ClosestJob) -> u64 {
                // SAFETY: the caller saw the instructions on this CPU.
                batch::closest(&mut unsafe { Wide8Walk::<$isa>::new(tree) }, job)
            }

            $(#[$attribute])*
            pub(super) unsafe fn any(tree: &Wide8, job: AnyJob) -> u64 {
                // SAFETY: the caller saw the instructions on this CPU.
                batch::any(&mut unsafe { Wide8Walk::<$isa>::new(tree) }, job)
            }

            $(#[$attribute])*
            pub(super) unsafe fn cost(tree: &Wide8, job: CostJob) -> u64 {
                // SAFETY: the caller saw the instructions on this CPU.
                batch::cost(&mut unsafe { Wide8Walk::<$isa>::new(tree) }, job)
            }
        }
    };
}

kernels!(on_portable, portable::Portable,);
#[cfg(target_arch = "x86_64")]
kernels!(on_avx2, avx2::Avx2, #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(target_arch = "x86_64")]
kernels!(on_avx512, avx512::Avx512, #[target_feature(enable = "avx512f,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]);

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

/// Runs a closest-hit batch; the number of invalid rays.
pub(crate) fn closest(isa: Isa, tree: &Wide8, job: ClosestJob) -> u64 {
    dispatch!(isa, closest(tree, job))
}

/// Runs an any-hit batch; the number of invalid rays.
pub(crate) fn any(isa: Isa, tree: &Wide8, job: AnyJob) -> u64 {
    dispatch!(isa, any(tree, job))
}

/// Counts a closest-hit batch; the number of invalid rays.
pub(crate) fn cost(isa: Isa, tree: &Wide8, job: CostJob) -> u64 {
    dispatch!(isa, cost(tree, job))
}
