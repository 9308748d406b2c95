//! Verdict on a batch of answers: faults, excuses, and the counts of each.

use std::fmt;

/// Answer for one ray: a hit, a miss, or the verdict of an any-hit query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// Answer that the ray hits nothing.
    Miss,
    /// Answer that the ray hits a triangle.
    Hit {
        /// Ray parameter of the hit.
        t: f64,
        /// Index of the triangle's instance.
        instance: u32,
        /// Index of the triangle in its mesh.
        primitive: u32,
    },
    /// Answer of an any-hit query that an opaque triangle blocks the ray.
    Blocked,
}

/// Reasons why an answer is wrong in a way that no rounding explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerFault {
    /// A miss is reported, but a hit is certain.
    Missed,
    /// The ray slipped through an edge that two triangles share, to nothing or to something farther.
    Leaked,
    /// The reported hit is farther than one that is certain.
    Farther,
    /// The triangle that is reported does not exist.
    UnknownTriangle,
    /// The ray does not meet the reported triangle.
    OffTriangle,
    /// The reported t is not that of the reported triangle.
    WrongT,
    /// The reported t is outside of the ray's `t_min` to `t_max`.
    OutsideInterval,
    /// The reported weights u and v do not give a point on the ray.
    WrongWeights,
    /// An identical triangle has a lower id than the reported one.
    HigherId,
    /// A hit is reported for an invalid ray, which cannot hit anything.
    InvalidRay,
    /// A miss is reported with a t other than `t_max`, or with an instance.
    UntidyMiss,
    /// A ray is reported as blocked where no opaque triangle can block it.
    NotBlocked,
    /// A ray is reported as unblocked, but an opaque triangle certainly blocks it.
    Unblocked,
    /// A reported candidate belongs to a blocked ray or to none, is out of order, repeated, or opaque.
    BadCandidate,
    /// The reported candidate is not the first of its ray, or is missing where one is certain.
    LostCandidate,
    /// A query after a hit reports one that does not come later in (t, instance, primitive) order.
    NotAfter,
}

/// Wrong answer for one ray, which no rounding explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Index of the ray.
    pub ray: u32,
    /// Reason why the answer is wrong.
    pub kind: AnswerFault,
    /// Answer of the tracer.
    pub got: Found,
    /// Answer of the oracle.
    pub wanted: Found,
}

/// Reasons why an answer may differ from the oracle's without being wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Excuse {
    /// The ray passes close to an edge of the triangle over which the answers differ.
    Edge,
    /// The hit lies close to the ray's `t_min` or `t_max`.
    Limit,
}

/// Answer for one ray that differs from the oracle's by no more than rounding allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excused {
    /// Index of the ray.
    pub ray: u32,
    /// Reason why the difference is excused.
    pub excuse: Excuse,
    /// Distance from the edge, in world units across the ray, or from the limit, in units of t.
    pub distance: f64,
    /// Largest distance that is excused, in the units of `distance`.
    pub allowed: f64,
}

/// Result of judging a batch of answers: `rays = agreed + excused + rays with faults`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Number of rays judged.
    pub rays: u64,
    /// Number of rays whose answer agrees with the oracle's.
    pub agreed: u64,
    /// Rays whose answer differs from the oracle's within rounding.
    pub excused: Vec<Excused>,
    /// Faults of the rays whose answer is wrong, one for each.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Returns `true` if there are no faults and at most the share `rate` of the rays needed an excuse.
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
