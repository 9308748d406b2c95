//! The two queries that the rays of a batch may ask.

/// Query of a batch of rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// The nearest hit.
    Closest,
    /// Any opaque hit: blocked or free.
    Any,
}

impl Query {
    /// Both queries, the nearest hit first.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    /// Returns `closest` or `any`, as in the names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}
