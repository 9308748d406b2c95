//! What the rays of a batch ask.

/// Which of the two queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// The nearest hit.
    Closest,
    /// Whether anything opaque is hit.
    Any,
}

impl Query {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    /// `closest` or `any`, as in the names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}
