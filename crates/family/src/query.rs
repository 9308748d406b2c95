//! The two queries that the rays of a batch may ask.

/// Kind of hit that the rays of a batch ask for: closest or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// Rays ask for their closest hit.
    Closest,
    /// Rays ask whether anything opaque blocks them.
    Any,
}

impl Query {
    /// Both kinds of query, closest hit first.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    /// Returns the query's name, `closest` or `any`, as in the names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}
