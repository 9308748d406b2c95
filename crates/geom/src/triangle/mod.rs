//! Intersection tests of a ray and a triangle.
//!
//! [`Watertight`] is what library queries use: no ray slips through a shared edge or vertex.
//! [`moeller_trumbore`] is the textbook test, for comparison; Woop's record is in the crate `layout`.

mod moeller_trumbore;
mod watertight;

pub use moeller_trumbore::moeller_trumbore;
pub use watertight::{Middling, Watertight, power_of_two_under};

/// Ray parameter `t` and barycentric weights `u` and `v` of a hit.
pub type Tuv = [f32; 3];

#[cfg(test)]
mod tests;
