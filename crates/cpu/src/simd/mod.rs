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
