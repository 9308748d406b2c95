//! The papers' traversal kernels as schedules over micro-operations, for a warp of any width.
#![forbid(unsafe_code)]
