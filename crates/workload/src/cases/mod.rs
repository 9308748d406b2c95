//! The conformance cases: small scenes and rays, chosen to hurt.

mod casts;
mod ordinary;
mod placement;
mod random;
mod shapes;
mod trouble;

use crate::oracle::Oracle;
use raywarp_geom::{FlatTriangles, Ray};
use std::sync::OnceLock;

/// Test case: a scene, rays, and how exactly a tracer must answer them.
#[derive(Debug)]
pub struct Case {
    /// Short unique name of the case in reports.
    pub name: &'static str,
    /// Purpose of the case: the kind of fault that it is made to find.
    pub about: &'static str,
    /// Triangles of the scene.
    pub triangles: FlatTriangles,
    /// Rays that the tracer under test traces.
    pub rays: Vec<Ray>,
    /// `true` if the watertight test's arithmetic is exact for these rays, so that edges, limits and ids must be right
    /// to the last bit.
    pub exact: bool,
    /// `true` if the rays are aimed at edges or at `t_min` and `t_max`, so that any of them may differ within rounding.
    pub borderline: bool,
    oracle: OnceLock<Oracle>,
}

impl Case {
    fn new(name: &'static str, about: &'static str, triangles: FlatTriangles, rays: Vec<Ray>) -> Self {
        Self { name, about, triangles, rays, exact: false, borderline: false, oracle: OnceLock::new() }
    }

    fn with_exact_arithmetic(self) -> Self {
        Self { exact: true, ..self }
    }

    fn aimed_at_limits(self) -> Self {
        Self { borderline: true, ..self }
    }

    /// Returns the exact reference answers for the case's rays, computed at the first call.
    pub fn oracle(&self) -> &Oracle {
        self.oracle.get_or_init(|| Oracle::new(&self.triangles, &self.rays))
    }

    /// Returns `true` if some triangle is not opaque.
    pub fn has_alpha(&self) -> bool {
        self.triangles.opaque.contains(&false)
    }

    /// Returns `true` if some ray has a negative `t_min`, which not every kernel supports.
    pub fn has_negative_t_min(&self) -> bool {
        self.rays.iter().any(|ray| ray.t_min < 0.0)
    }
}

/// Returns all test cases, which are the same on every machine.
pub fn cases() -> Vec<Case> {
    let mut cases = ordinary::cases();
    cases.extend(trouble::cases());
    cases.extend(placement::cases());
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn cases_are_small_named_once_and_the_same_each_time() {
        let (cases, again) = (cases(), cases());
        let names: HashSet<&str> = cases.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), cases.len());
        let rays: usize = cases.iter().map(|case| case.rays.len()).sum();
        assert!((5_000..8_000).contains(&rays), "{rays}");
        for (case, again) in cases.iter().zip(&again) {
            let bits = |case: &Case| -> Vec<u32> {
                let rays = case.rays.iter().flat_map(|ray| {
                    ray.origin.into_iter().chain(ray.direction).chain([ray.t_min, ray.t_max]).map(f32::to_bits)
                });
                rays.collect()
            };
            assert!(bits(case) == bits(again) && case.triangles.vertices == again.triangles.vertices, "{}", case.name);
            assert!(case.triangles.ids.is_sorted(), "{}", case.name);
            assert!(case.triangles.vertices.iter().flatten().flatten().all(|x| x.is_finite()), "{}", case.name);
        }
    }

    #[test]
    fn every_case_has_hits_and_most_have_misses() {
        let mut without_misses = 0;
        for case in cases() {
            let hits = (0..case.rays.len()).filter(|&i| case.oracle().closest(i).is_some()).count();
            assert!(hits * 10 >= case.rays.len() || ["empty", "invalid"].contains(&case.name), "{}: {hits}", case.name);
            without_misses += usize::from(hits == case.rays.len());
        }
        assert!(without_misses <= 6, "{without_misses}");
    }
}
