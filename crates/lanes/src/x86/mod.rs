//! Vectors of x86-64, in registers of 128, 256 and 512 bits.
//!
//! SAFETY of every block here that says no more: a value of `Avx2` or `Avx512` is made by its `detect` alone, after it
//! saw the instructions on this CPU, and a vector or mask by a function that was given one; so who holds one may use
//! the instructions. Loads and stores go through references to whole arrays.

pub mod avx2;
pub mod avx512;
mod shared;
mod widths;
