//! The slow oracle: every triangle, in f64, no tree; and a judge that knows what rounding may do.
//!
//! An engine in f32 may differ from f64 where a ray passes within rounding of an edge, or hits within
//! rounding of `t_min` or `t_max`. So for each ray the oracle keeps not only its own answer but which
//! hits are *certain*: so far inside a triangle and its interval that no rounding changes them.
//! [`Oracle::judge`] then sorts an engine's answers into those that agree, those that differ but are
//! *excused*, with the distance that excuses them, and *faults*. [`Tolerance`] states the distances.
//!
//! Rays pass edges that triangles share, and there no single triangle is certain. A watertight test must
//! hit all the same: when eight rays around such a ray, two margins away from it, all hit something, then
//! a hit no farther than theirs is certain too.

mod compare;
mod crossing;
mod facts;
mod tolerance;
mod verdict;

pub use facts::{Oracle, OracleHit, all_hits};
pub use tolerance::Tolerance;
pub use verdict::{AnswerFault, Excuse, Excused, Fault, Found, Verdict};

use raywarp_geom::{Candidate, FlatTriangles, Hit, Ray};

/// Returns the nearest hit of a ray in exact arithmetic, with the lower index of equal ones; `None` for a miss.
pub fn closest(triangles: &FlatTriangles, ray: &Ray) -> Option<OracleHit> {
    all_hits(triangles, ray).into_iter().next()
}

/// Returns `true` if an opaque triangle lies on the ray, in exact arithmetic.
pub fn any(triangles: &FlatTriangles, ray: &Ray) -> bool {
    all_hits(triangles, ray).iter().any(|hit| triangles.opaque[hit.index as usize])
}

/// Judges the answers of a closest-hit query; see [`Oracle::judge`].
///
/// # Panics
/// If the lengths differ.
pub fn judge(
    triangles: &FlatTriangles,
    rays: &[Ray],
    hits: &[Hit],
    instances: &[u32],
    tolerance: Tolerance,
) -> Verdict {
    Oracle::new(triangles, rays).judge(triangles, rays, hits, instances, tolerance)
}

/// Judges the answers of an any-hit query; see [`Oracle::judge_any`].
///
/// # Panics
/// If there are too few words.
pub fn judge_any(
    triangles: &FlatTriangles,
    rays: &[Ray],
    blocked: &[u32],
    undecided: &[Candidate],
    tolerance: Tolerance,
) -> Verdict {
    Oracle::new(triangles, rays).judge_any(triangles, rays, blocked, undecided, tolerance)
}
