//! Two of the three parts of a variant, with their names: the supply of rays to lanes, and the loop that they run in.

/// Declares an enum whose values have fixed names, with a list of them and a lookup by name.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$value_doc])* $value),+ }

        impl $name {
            /// All values of the enum, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];
            /// Names of the values, in the order of their numbers.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// Returns the name of the value in a variant's text form.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// Returns the value of the enum that is called `name`; `None` if there is none.
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
    /// Way in which the lanes of a warp are supplied with rays. A supply never changes what a ray visits.
    Supply {
        /// Each lane gets one ray; a warp ends with its last ray.
        Direct = "direct",
        /// Warps live on and take their next rays from a pool once all of theirs have ended (AL09 3.3, appendix A).
        Persistent = "persistent",
        /// Lanes whose rays have ended get new ones while other lanes go on (AL09 5.1, ALK12).
        Replace = "replace",
        /// A warp has twice as many rays as lanes, and runs the operation that most rays want (AL09 5.2).
        Queue = "queue",
    }
}

named! {
    /// Loop in which a warp visits nodes and tests triangles.
    TraversalLoop {
        /// All rays of a warp walk the tree together, with one stack (Günther 2007; AL09 3.1).
        Packet = "packet",
        /// Loop that visits nodes until all lanes have a leaf, then tests triangles until none has (AL09 3.2).
        WhileWhile = "while-while",
        /// Loop that visits one node, then tests one triangle, in every iteration (AL09 3.2).
        IfIf = "if-if",
        /// While-while loop in which lanes that have a leaf go on visiting nodes (AL09 4).
        SpeculativeWhileWhile = "speculative-while-while",
        /// If-if loop in which lanes that have a leaf go on visiting nodes (AL09 4).
        SpeculativeIfIf = "speculative-if-if",
        /// Loop that visits one node, then tests triangles while enough lanes have some (YKL17).
        IfWhile = "if-while",
        /// Loop that visits nodes while enough lanes can, then tests triangles while enough lanes have some (ours).
        Phased = "phased",
        /// Loop that visits nodes until all lanes have a leaf, then tests one triangle (ours, in simulation alone).
        WhileIf = "while-if",
    }
}

impl Supply {
    /// Returns `true` if lanes get new rays while others of their warp still trace.
    pub const fn refills(self) -> bool {
        match self {
            Self::Direct | Self::Persistent => false,
            Self::Replace | Self::Queue => true,
        }
    }

    /// Returns `true` if a warp takes rays from a pool until none is left, so that warps stay.
    pub const fn is_persistent(self) -> bool {
        match self {
            Self::Direct => false,
            Self::Persistent | Self::Replace | Self::Queue => true,
        }
    }

    /// Returns `true` if a warp has more rays than lanes, and chooses whose turn it is (AL09 5.2).
    pub const fn is_queue(self) -> bool {
        match self {
            Self::Queue => true,
            Self::Direct | Self::Persistent | Self::Replace => false,
        }
    }

    /// Returns `true` if a warp waits until some of its lanes have no ray, and then replaces them.
    pub const fn replaces(self) -> bool {
        match self {
            Self::Replace => true,
            Self::Direct | Self::Persistent | Self::Queue => false,
        }
    }
}

impl TraversalLoop {
    /// Returns `true` if lanes put leaves aside and go on visiting nodes.
    pub fn is_speculative(self) -> bool {
        match self {
            Self::SpeculativeWhileWhile | Self::SpeculativeIfIf => true,
            Self::Packet | Self::WhileWhile | Self::IfIf | Self::IfWhile | Self::Phased | Self::WhileIf => false,
        }
    }

    /// Returns `true` if an inner loop visits nodes until no lane can, which may be limited (AL09 5.1: N).
    pub fn visits_in_rounds(self) -> bool {
        match self {
            Self::WhileWhile | Self::SpeculativeWhileWhile | Self::WhileIf => true,
            Self::Packet | Self::IfIf | Self::SpeculativeIfIf | Self::IfWhile | Self::Phased => false,
        }
    }

    /// Returns `true` if an inner loop tests triangles until no lane has any, so that it matters when a lane begins its
    /// next leaf.
    pub fn tests_whole_leaves(self) -> bool {
        match self {
            Self::WhileWhile | Self::SpeculativeWhileWhile => true,
            Self::Packet | Self::IfIf | Self::SpeculativeIfIf | Self::IfWhile | Self::Phased | Self::WhileIf => false,
        }
    }

    /// Returns `true` if a work queue can run the loop's two phases apart, whichever most rays want (AL09 5.2).
    pub fn goes_with_a_queue(self) -> bool {
        match self {
            Self::WhileWhile | Self::IfIf | Self::WhileIf => true,
            // Speculation chooses by itself, as thresholds do, and a packet's rays stay together.
            Self::Packet | Self::SpeculativeWhileWhile | Self::SpeculativeIfIf | Self::IfWhile | Self::Phased => false,
        }
    }

    /// Returns `true` if the loop is for nodes that give their triangles as a group, and for no others.
    pub fn takes_groups_alone(self) -> bool {
        match self {
            Self::IfWhile | Self::Phased => true,
            Self::Packet
            | Self::WhileWhile
            | Self::IfIf
            | Self::SpeculativeWhileWhile
            | Self::SpeculativeIfIf
            | Self::WhileIf => false,
        }
    }

    /// Returns `true` if lanes that share a ray can run the loop.
    pub fn shares_rays(self) -> bool {
        match self {
            Self::WhileWhile => true,
            // They have nothing else to do meanwhile (AL09 5.3 is while-while).
            Self::Packet
            | Self::IfIf
            | Self::SpeculativeWhileWhile
            | Self::SpeculativeIfIf
            | Self::IfWhile
            | Self::Phased
            | Self::WhileIf => false,
        }
    }
}
