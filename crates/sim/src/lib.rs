//! SIMD efficiency of the kernel family, by running its schedules over real rays.
#![forbid(unsafe_code)]
