//! Verdict on a batch of answers: faults, excuses, and the counts of each.

use std::fmt;

/// A hit, a miss, or what an any-hit query says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// No hit at all.
    Miss,
    /// Hit of a triangle.
    Hit {
        /// Ray parameter of the hit.
        t: f64,
        /// Instance of the triangle.
        instance: u32,
        /// Number of the triangle in its mesh.
        primitive: u32,
    },
    /// Blocked by something opaque (any-hit).
    Blocked,
}

/// Reasons why an answer is wrong whatever rounding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Nothing is reported, but a hit is certain.
    Missed,
    /// A shared edge let the ray through, to nothing or to something farther.
    Leaked,
    /// A certain hit is nearer.
    Farther,
    /// The triangle that is reported does not exist.
    UnknownTriangle,
    /// The reported triangle is not on the ray.
    OffTriangle,
    /// The reported t is not that of the reported triangle.
    WrongT,
    /// The reported t is outside `t_min` to `t_max`.
    OutsideInterval,
    /// The weights u and v are not those of a point on the ray.
    WrongWeights,
    /// The very same triangle is there with a lower id.
    HigherId,
    /// A ray that cannot hit anything is said to hit.
    InvalidRay,
    /// A miss whose t is not `t_max`, or which names an instance.
    UntidyMiss,
    /// A ray is said to be blocked where nothing opaque can be.
    NotBlocked,
    /// A ray is not said to be blocked by what is certainly opaque.
    Unblocked,
    /// A candidate of a blocked ray, of a ray not traced, out of order, twice, or opaque.
    BadCandidate,
    /// A candidate that is not the first of its ray, or none where one is certain.
    LostCandidate,
    /// After a hit: not later in (t, instance, primitive) order.
    NotAfter,
}

/// An answer that no rounding explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Index of the ray.
    pub ray: u32,
    /// Reason why the answer is wrong.
    pub kind: FaultKind,
    /// Answer of the engine.
    pub got: Found,
    /// Answer of the oracle.
    pub wanted: Found,
}

/// Reasons why an answer may differ from the oracle's.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Excuse {
    /// The ray passes this near an edge of the triangle over which they differ.
    Edge,
    /// The hit lies this near `t_min` or `t_max`.
    Limit,
}

/// An answer that differs from the oracle's by no more than rounding allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excused {
    /// Index of the ray.
    pub ray: u32,
    /// Reason that excuses the answer.
    pub excuse: Excuse,
    /// Distance from the edge, in world units across the ray, or from the limit, in units of t.
    pub distance: f64,
    /// The most that is excused, in the same units.
    pub allowed: f64,
}

/// Result of judging a batch: `rays = agreed + excused + rays with faults`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Number of rays judged.
    pub rays: u64,
    /// Rays whose answer agrees with the oracle's.
    pub agreed: u64,
    /// Rays whose answer differs within rounding.
    pub excused: Vec<Excused>,
    /// Faults of the rays that are wrong, one a ray.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Returns `true` if nothing is wrong and at most `rate` of the rays needed an excuse.
    pub fn passes(&self, rate: f64) -> bool {
        self.faults.is_empty() && self.excused.len() as f64 <= rate * self.rays as f64
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Miss => write!(f, "nothing"),
            Self::Hit { t, instance, primitive } => write!(f, "triangle {primitive} of instance {instance} at t {t:e}"),
            Self::Blocked => write!(f, "blocked"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ray {}: {:?}: got {}, wanted {}", self.ray, self.kind, self.got, self.wanted)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (excused, faults) = (self.excused.len(), self.faults.len());
        write!(f, "{} rays: {} agree, {excused} differ within rounding, {faults} are wrong", self.rays, self.agreed)?;
        match self.faults.first() {
            Some(fault) => write!(f, "; first: {fault}"),
            None => Ok(()),
        }
    }
}
