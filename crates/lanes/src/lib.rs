//! Vectors of 4, 8 and 16 lanes: one text in safe Rust, compiled for every instruction set that a CPU may have, with
//! the same bits from each.
//!
//! Generic code takes an instruction set `S` and computes with its floats [`Vector`], its unsigned integers [`Words`]
//! and its [`Mask`]s. [`Isa::preferred`] is the set to use on this CPU, and [`Isa::run`] calls the code in the copy
//! that was compiled for it:
//!
//! ```
//! use raywarp_lanes::{InstructionSet, Isa, Task, Vector};
//!
//! /// The lengths of vectors, whose coordinates lie in three arrays.
//! struct Lengths<'a> {
//!     xyz: [&'a [f32]; 3],
//!     lengths: &'a mut [f32],
//! }
//!
//! impl Task for Lengths<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<S: InstructionSet>(self, set: S) {
//!         for (i, lengths) in self.lengths.chunks_mut(8).enumerate() {
//!             let [x, y, z] = self.xyz;
//!             let x = S::F8::load_part(set, &x[8 * i..]);
//!             let y = S::F8::load_part(set, &y[8 * i..]);
//!             let z = S::F8::load_part(set, &z[8 * i..]);
//!             (x * x + y * y + z * z).sqrt().store_part(lengths);
//!         }
//!     }
//! }
//!
//! let (x, mut lengths) = ([3.0; 11], [0.0; 11]);
//! Isa::preferred().run(Lengths { xyz: [&x, &[4.0; 11], &[12.0; 11]], lengths: &mut lengths });
//! assert_eq!(lengths, [13.0; 11]);
//! ```
//!
//! # The same bits
//! Every operation gives the bits that its scalar counterpart in Rust gives (`f32` with one rounding, `u32` modulo
//! 2^32), in every instruction set and at every width: sums, differences, products, quotients and square roots are
//! rounded once to nearest, denormals are kept, zeros have signs. Nothing is fused but [`Vector::mul_add`],
//! [`Vector::mul_sub`] and [`Vector::neg_mul_add`], which round once. There are no approximations. One thing is left
//! open: where the result of arithmetic is NaN, which of the NaNs it is. Operations that only move or choose bits
//! (negation, [`Vector::abs`], [`Vector::min`], [`Vector::select`], memory) keep those of a NaN too.
//!
//! # Instructions are lent to what is inlined
//! Only a function that is compiled for an instruction set may have its instructions, and Rust passes that on by
//! inlining alone. So [`Task::run`], and every generic function that computes with vectors, is `#[inline(always)]`,
//! and closures and `array::map` stay away from vectors: a closure that the compiler leaves a function of its own calls
//! every instruction as a function, with its vectors in memory (rust-lang/rust #58279, #108338). Results are the same,
//! and many times slower. `cargo xtask lanes` finds that in the compiled program; this crate and `raywarp-cpu` hold
//! themselves to it.
//!
//! # Why it is safe
//! An instruction set is a value (`Avx2`, `Avx512`, `Neon`, `Simd128`, [`Portable`]) that only [`Isa`] makes, after it
//! saw the instructions on this CPU. Constructors of vectors take that value, and so a vector proves that its
//! instructions are there. Loads, stores and gathers go through slices with their bounds checked.
#![deny(unsafe_code)]

mod fused;
mod isa;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
pub mod neon;
mod pages;
mod pair;
pub mod portable;
#[cfg(target_feature = "simd128")]
#[allow(unsafe_code)]
pub mod simd128;
mod task;
mod vector;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86;

pub use fused::{fused_multiply_add, fused_multiply_adds, rounds_twice};
#[cfg(target_arch = "aarch64")]
pub use isa::Neon;
#[cfg(target_feature = "simd128")]
pub use isa::Simd128;
#[cfg(target_arch = "x86_64")]
pub use isa::{Avx2, Avx512};
pub use isa::{Isa, IsaError, Portable};
pub use pages::prefer_huge_pages;
pub use pair::Pair;
pub use task::{InstructionSet, Task, TaskOn};
pub use vector::{Mask, Vector, Words};
#[cfg(target_arch = "x86_64")]
pub use x86::{avx2, avx512};
