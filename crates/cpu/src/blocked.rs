//! The answer to whether anything is in a ray's way.

use raywarp_geom::{Candidate, Hit};

/// Answer to whether anything is in a ray's way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Blocked {
    /// The ray hits nothing.
    No,
    /// The ray hits something opaque.
    Yes,
    /// The ray hits nothing opaque, but something else: the first such hit, and its instance. The caller decides about
    /// it, and asks again after it.
    Perhaps(Hit, u32),
}

impl Blocked {
    /// Writes the answer of ray `index` down: in its bit, which is clear, or among the hits that the caller decides
    /// about.
    #[inline(always)]
    pub(crate) fn write(self, index: usize, blocked: &mut [u32], undecided: &mut Vec<Candidate>) {
        match self {
            Self::No => {}
            Self::Yes => blocked[index / 32] |= 1 << (index % 32),
            Self::Perhaps(hit, instance) => undecided.push(Candidate { ray: index as u32, instance, hit }),
        }
    }
}
