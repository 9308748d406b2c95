//! Agreement of two tracers: the rays for which both found the same.

use crate::Example;
use crate::check::is_stray;

/// Fraction of the rays whose answers may differ between Embree and ours, as other roundings decide some edges
/// otherwise.
const ALLOWED_SHARE: f64 = 1e-4;

/// Comparison of Embree's answers with ours.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Agreement {
    /// Number of rays compared, which is all of them.
    pub rays: u64,
    /// Number of rays for which only one side found a hit.
    pub missed: u64,
    /// Number of rays with hits of both sides, whose distances differ by more than 0.1 % and by more than 1e-5 of the
    /// scene's diagonal.
    pub apart: u64,
    /// First ray whose answers differ.
    pub example: Option<Example>,
}

impl Agreement {
    /// Adds a batch with the answers of both sides to each ray, in a scene with this diagonal.
    pub(super) fn add(&mut self, ours: &[f32], theirs: &[f32], diagonal: f32) {
        assert_eq!(ours.len(), theirs.len(), "an answer a ray");
        self.rays += ours.len() as u64;
        for (ray, (&want, &got)) in ours.iter().zip(theirs).enumerate() {
            if !is_stray(got, want, diagonal) {
                continue;
            }
            if got.is_finite() && want.is_finite() {
                self.apart += 1;
            } else {
                self.missed += 1;
            }
            self.example.get_or_insert(Example { ray: ray as u64, got, want });
        }
    }

    /// Returns the number of rays whose answers differ.
    pub fn differ(&self) -> u64 {
        self.missed + self.apart
    }

    /// Returns the largest number of rays whose answers may differ.
    pub fn allowed(&self) -> u64 {
        (self.rays as f64 * ALLOWED_SHARE).ceil() as u64
    }

    /// Returns `true` if few enough answers differ that both sides did the same work.
    pub fn passes(&self) -> bool {
        self.differ() <= self.allowed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const MISS: f32 = f32::INFINITY;

    fn agreement(ours: &[f32], theirs: &[f32]) -> Agreement {
        let mut agreement = Agreement::default();
        agreement.add(ours, theirs, 1.0);
        agreement
    }

    #[test]
    fn hits_and_misses_are_compared_ray_by_ray() {
        let found = agreement(&[1.0, MISS, 2.0, 0.0, 3.0], &[1.0, 4.0, MISS, 0.0, 3.5]);
        assert_eq!((found.rays, found.missed, found.apart, found.differ()), (5, 2, 1, 3));
        assert_eq!(found.example, Some(Example { ray: 1, got: 4.0, want: MISS }));
        assert!(!found.passes());
        assert!(agreement(&[1.0, MISS], &[1.000_01, MISS]).differ() == 0);
        assert_eq!(agreement(&[1.0], &[f32::NAN]).missed, 1);
    }

    #[test]
    fn few_rays_at_edges_may_differ() {
        let ours = vec![1.0; 20_000];
        let mut theirs = ours.clone();
        theirs[..2].fill(MISS);
        assert!(agreement(&ours, &theirs).passes());
        theirs[2] = MISS;
        assert!(!agreement(&ours, &theirs).passes());
    }
}
