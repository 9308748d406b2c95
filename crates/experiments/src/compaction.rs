//! Options of listing the paths that go on: by which kernels, and at which places of a bounce.

/// Way of listing the light paths that go on between two bounces, in [`Compact`](crate::MeasuredOrganisation::Compact)
/// and [`Regenerate`](crate::MeasuredOrganisation::Regenerate).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compaction {
    /// No listing: a lane whose light path has ended is idle (W11 4.2.3), or begins another path.
    Off,
    /// Listing by a prefix sum, which keeps the paths in their order, as W11's did.
    #[default]
    Scan,
    /// Listing by one atomic operation of each warp: paths are in the order in which warps come.
    Atomics,
}

impl Compaction {
    /// All ways of listing paths, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Off, Self::Scan, Self::Atomics];

    /// Returns the name of the way of listing on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Scan => "scan",
            Self::Atomics => "atomics",
        }
    }
}

/// Points in a bounce of [`Compact`](crate::MeasuredOrganisation::Compact) at which light paths are listed anew (W11
/// 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListedAt {
    /// `true` if paths whose ray has hit something are listed after that ray is traced, and only those are shaded.
    pub start: bool,
    /// `true` if paths with a connection to a light are listed before the shadow rays are traced.
    pub shadow: bool,
    /// `true` if paths that go on are listed at the end of the bounce.
    pub end: bool,
    /// `true` if extending, shading and connecting are launches of their own, even where nothing is listed between
    /// them. With [`Self::start`] and [`Self::shadow`] it always is.
    pub in_parts: bool,
}

impl ListedAt {
    /// Listing at the end of a bounce only, which is one kernel (W11 3.4).
    pub const END: Self = Self { start: false, shadow: false, end: true, in_parts: false };

    /// Returns `true` if a bounce is three launches: extending, shading and connecting.
    pub const fn splits(self) -> bool {
        self.start || self.shadow || self.in_parts
    }

    /// Returns the number of times that paths are listed in a bounce.
    pub const fn listings(self) -> u32 {
        self.start as u32 + self.shadow as u32 + self.end as u32
    }
}
