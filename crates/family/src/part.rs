//! Two of the three parts of a variant, with their names: the supply of rays to lanes, and the loop that they run in.

/// Declares an enum whose values have fixed names, a list of them, and a lookup by name.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$value_doc])* $value),+ }

        impl $name {
            /// All values, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// Returns the name in the text form.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// Returns the value called `name`, if there is one.
            pub fn parse(name: &str) -> Option<Self> {
                Self::NAMES.iter().position(|&n| n == name).map(|i| Self::ALL[i])
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;

named! {
    /// Supplies of rays to lanes. A supply never changes what a ray visits.
    Supply {
        /// One ray a lane; a warp ends with its last ray.
        Direct = "direct",
        /// Warps live on and take their next rays from a pool (AL09 3.3, appendix A).
        Persistent = "persistent",
        /// Lanes whose rays have ended get new ones while others go on (AL09 5.1, ALK12).
        Replace = "replace",
        /// Twice as many rays as lanes; the operation that most rays want runs (AL09 5.2).
        Queue = "queue",
    }
}

named! {
    /// The loop that a ray's operations stand in.
    TraversalLoop {
        /// All rays of a warp share one stack and one path (Günther 2007; AL09 3.1).
        Packet = "packet",
        /// Traverse until all lanes have a leaf, then test until none has (AL09 3.2).
        WhileWhile = "while-while",
        /// One node, then one triangle, in every turn (AL09 3.2).
        IfIf = "if-if",
        /// while-while, and lanes with a leaf go on traversing (AL09 4).
        SpeculativeWhileWhile = "speculative-while-while",
        /// if-if, and lanes with a leaf go on traversing (AL09 4).
        SpeculativeIfIf = "speculative-if-if",
        /// One node, then triangles while enough lanes have some (YKL17).
        IfWhile = "if-while",
        /// Nodes while enough lanes can visit one, then triangles while enough lanes have some (ours).
        Phased = "phased",
    }
}

impl TraversalLoop {
    /// Returns `true` if lanes put leaves aside and go on.
    pub fn is_speculative(self) -> bool {
        matches!(self, Self::SpeculativeWhileWhile | Self::SpeculativeIfIf)
    }
}
