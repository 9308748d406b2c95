//! Intersection tests of a ray and a triangle.
//!
//! [`Watertight`] is what library queries use: no ray slips through a shared edge or vertex.
//! [`moeller_trumbore`] is the textbook test, for comparison; Woop's record is in the crate `layout`.

mod crossing;
mod moeller_trumbore;
mod watertight;

pub use moeller_trumbore::moeller_trumbore;
pub use watertight::{Middling, Watertight, power_of_two_under};

/// Ray parameter `t` and barycentric weights `u` and `v` of a hit.
pub type Tuv = [f32; 3];

/// Returns `true` if a triangle is degenerate, with its corners on a line. In f64, so that a tiny triangle is not
/// mistaken for an empty one.
#[inline]
pub fn has_no_area([a, b, c]: &[[f32; 3]; 3]) -> bool {
    let along = |p: &[f32; 3], i: usize| f64::from(p[i]) - f64::from(a[i]);
    let edge = |p: &[f32; 3]| [along(p, 0), along(p, 1), along(p, 2)];
    let (u, v) = (edge(b), edge(c));
    u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0]
}

#[cfg(test)]
mod tests;
