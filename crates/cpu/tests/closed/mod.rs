//! Closed meshes, rays aimed at their edges, vertices and faces, and what exact arithmetic says.
#![allow(dead_code)] // Each user takes a part.

pub mod aim;
pub mod exact;
pub mod oriented;
pub mod placements;
pub use raywarp_workload::closed as meshes;
