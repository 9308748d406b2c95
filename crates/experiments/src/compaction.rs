//! Options of listing the paths that go on: by which kernels, and at which places of a bounce.

/// Way of listing the paths that go on between two bounces, in [`Compact`](crate::MeasuredOrganisation::Compact) and
/// [`Regenerate`](crate::MeasuredOrganisation::Regenerate).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compaction {
    /// No listing: a lane whose path has ended is idle (W11 4.2.3), or begins another.
    Off,
    /// A prefix sum: they stay in their order, as W11's did.
    #[default]
    Scan,
    /// An atomic operation a warp: they are in the order in which warps come.
    Atomics,
}

impl Compaction {
    /// All ways, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Off, Self::Scan, Self::Atomics];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Scan => "scan",
            Self::Atomics => "atomics",
        }
    }
}

/// Places in a bounce of [`Compact`](crate::MeasuredOrganisation::Compact) at which paths are listed (W11 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListedAt {
    /// `true` if paths that have hit something are listed behind the rays that extend paths, and only those are shaded.
    pub start: bool,
    /// `true` if paths with a connection to a light are listed before the rays that connect them.
    pub shadow: bool,
    /// `true` if paths that go on are listed behind all of the bounce.
    pub end: bool,
    /// `true` if each of the three is a launch of its own, also where nothing is listed between them. With
    /// [`Self::start`] and [`Self::shadow`] it always is.
    pub in_parts: bool,
}

impl ListedAt {
    /// A bounce is one kernel, and those that go on are listed behind it (W11 3.4).
    pub const END: Self = Self { start: false, shadow: false, end: true, in_parts: false };

    /// Returns `true` if a bounce is three launches.
    pub const fn splits(self) -> bool {
        self.start || self.shadow || self.in_parts
    }

    /// Returns the number of times that paths are listed in a bounce.
    pub const fn listings(self) -> u32 {
        self.start as u32 + self.shadow as u32 + self.end as u32
    }
}
