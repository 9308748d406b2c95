//! The options of a variant: keys, values, where they apply and what they are when left out.

use crate::part::named;
use crate::{Supply, TraversalLoop, Tree};

/// Text value of the `batch` option by which a warp takes as many rays as it has idle lanes.
pub(crate) const EXACT: &str = "exact";

named! {
    /// Names of the options of a traversal variant, as in `supply/loop/tree?key=value`.
    Key {
        /// Number of rays that a warp takes from the global pool at once, in warps (AL09 appendix A: 3), or `exact`: as
        /// many as it has idle lanes (the authors' published Kepler kernel; replace only).
        Batch = "batch",
        /// Comparison of the entry and exit distances of a box: as floats or as integers.
        Box = "box",
        /// Number of children of a node, which is the number of lanes that share a ray.
        Branching = "branching",
        /// Rule by which a binary tree becomes a tree of four children a node.
        Collapse = "collapse",
        /// Number of main-loop iterations between two looks for new rays (AL09 5.1, 5.2).
        Every = "every",
        /// Time at which the parts of a node or triangle record are fetched.
        Fetch = "fetch",
        /// Time at which the triangle loop starts a lane's next leaf.
        Leaves = "leaves",
        /// Order in which any-hit rays visit children: by distance or not.
        Occlusion = "occlusion",
        /// Order in which the hit children of a node are visited.
        Order = "order",
        /// Computation of the distances to box planes: as in the papers, or with boxes enlarged by what rounding may
        /// take.
        Planes = "planes",
        /// Number of leaves that a lane may put aside for later (AL09 4).
        Postpone = "postpone",
        /// When new rays are fetched: at fewer than this percentage of lanes with a ray (ALK12), or by the iterations
        /// that idle lanes have lost (YKL17 4.4).
        Refill = "refill",
        /// Largest number of iterations of an inner loop (AL09 5.1: N).
        Rounds = "rounds",
        /// Percentage of the lanes with a ray that must have triangles for a warp to go on testing them (YKL17).
        Share = "share",
        /// Percentage of the lanes with a ray that must have a node for a warp to go on visiting nodes (phased).
        Step = "step",
        /// Way in which a warp's lanes come together at each loop end: by a vote, or left to the hardware.
        Sync = "sync",
        /// Percentage of all lanes that must have triangles for a warp to go on testing them, after which they are
        /// tested once more (phased).
        Test = "test",
        /// Ray-triangle test that the variant uses.
        Triangle = "triangle",
        /// Number of triangle tests between two looks at the triangle loop's condition (G14 4).
        Unroll = "unroll",
    }
}

named! {
    /// Comparison of the entry and exit distances of a box.
    BoxTest {
        /// Comparison by float minimum and maximum.
        Float = "float",
        /// Comparison by integer minimum and maximum on the floats' bits (ALK12: VMIN, VMAX); needs `t_min >= 0`.
        Integer = "integer",
    }
}

named! {
    /// Computation of the distances along a ray to a box's planes.
    BoxPlanes {
        /// Boxes are enlarged by what rounding may take: no box that a ray touches is missed (Ize 2013).
        Padded = "padded",
        /// Boxes are not enlarged, as in the papers: rays in a box face or near an edge may miss.
        Plain = "plain",
    }
}

named! {
    /// Order in which the hit children of a node are visited.
    ChildOrder {
        /// The nearest child first, the others unsorted.
        Nearest = "nearest",
        /// Children sorted by distance, by a merge sort of five comparators one after the other (G14 4.1).
        Network5 = "network5",
        /// Children sorted by distance, by Batcher's network for four of six comparators, independent in pairs (G14
        /// 4.1).
        Network6 = "network6",
        /// Children sorted by distance, with the child's number in the distance's lowest bits (L9).
        LowBits = "low-bits",
    }
}

named! {
    /// Order in which any-hit rays visit children (G14 4.2).
    Occlusion {
        /// Any-hit rays visit children in the order of closest-hit rays.
        Sorted = "sorted",
        /// Any-hit rays visit children unsorted.
        Unsorted = "unsorted",
        /// Any-hit rays visit the farthest child first: what is near a ray's origin on a surface is seldom in its way
        /// (ours).
        Far = "far",
    }
}

named! {
    /// Time at which the parts of a node or triangle record are fetched.
    Fetch {
        /// The whole record is fetched before the test (G14 4).
        Once = "once",
        /// Each row of a record is fetched when the ones before leave a hit possible; links of a node when a child is
        /// hit.
        Needed = "needed",
    }
}

named! {
    /// When a lane goes on to its next leaf, in the triangle loop of while-while forms.
    LeafLoop {
        /// A lane goes to its next leaf at once (one reading of the pseudo-code of AL09 3.2).
        Flat = "flat",
        /// All lanes end their leaf before any goes on (the authors' published speculative kernels).
        Nested = "nested",
        /// A lane ends one leaf per iteration of the main loop, and waits with its next until others have looked for
        /// theirs (the other reading, and the authors' published while-while). Lockstep only: no CUDA kernel has it.
        One = "one",
    }
}

named! {
    /// Way in which a warp's lanes are kept together.
    Sync {
        /// A vote at each loop end keeps a warp's lanes in lockstep on any hardware.
        Voted = "voted",
        /// The hardware alone keeps lanes together, as the papers print it; since Volta they drift apart. GPUs only.
        Implicit = "implicit",
    }
}

named! {
    /// Ray-triangle test of a variant.
    TriangleTest {
        /// Test with Woop's unit triangle, a record of 48 bytes (AL09 2).
        Woop = "woop",
        /// Test of Möller and Trumbore 1997.
        MoellerTrumbore = "moeller-trumbore",
        /// Watertight test of Woop, Benthin and Wald 2013: no ray slips through a shared edge. Of h8: any ray, from
        /// anywhere.
        Watertight = "watertight",
        /// Watertight test of one or two triangles that share an edge, whose corners are sheared once for both (h8).
        Pair = "pair",
    }
}

impl TriangleTest {
    /// Returns `true` if no ray slips through a shared edge, and hits have the bits of the CPU's tracer.
    pub fn is_watertight(self) -> bool {
        matches!(self, Self::Watertight | Self::Pair)
    }
}

named! {
    /// Rule by which nodes of a wider tree pull up descendants of a binary tree until they are full.
    Collapse {
        /// Guthe's rule (G14 4.1), for nodes of four children. The child of largest surface area is opened, except near
        /// the leaves:
        /// - a child with just two leaves goes first (of several the largest), as that removes a node;
        /// - then, while nothing was opened yet, a child with just three leaves (of several the largest);
        /// - once something was opened, a child with just three leaves only if it is the only inner child.
        ///
        /// By the last rule a node may stay with three children, where several children have three leaves.
        Guthe = "guthe",
        /// The lecture's rule (L9): the child of largest surface area whose children fit is opened, until none fits.
        Adopt = "adopt",
    }
}

impl Key {
    /// Returns the values that the option may have as text, in the order of their numbers.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Batch => &["1", "2", "3", "4", "8", EXACT],
            Self::Box => BoxTest::NAMES,
            Self::Branching => &["4", "8", "16", "32"],
            Self::Collapse => Collapse::NAMES,
            Self::Every => &["1", "2", "4", "8"],
            Self::Fetch => Fetch::NAMES,
            Self::Leaves => LeafLoop::NAMES,
            Self::Occlusion => Occlusion::NAMES,
            Self::Order => ChildOrder::NAMES,
            Self::Planes => BoxPlanes::NAMES,
            Self::Postpone => &["0", "1", "2", "3", "4"],
            Self::Refill => &["10", "20", "30", "40", "50", "60", "70", "80", "90", "100", "lost"],
            Self::Rounds => &["unlimited", "1", "2", "4", "8"],
            Self::Share => &["0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"],
            Self::Step => &["0", "25", "50", "56", "62", "75", "100"],
            Self::Sync => Sync::NAMES,
            Self::Test => &["0", "12", "25", "37", "50", "56", "62"],
            Self::Triangle => TriangleTest::NAMES,
            Self::Unroll => &["1", "2", "3", "4"],
        }
    }

    /// Returns the value of the option where a variant's text leaves it out.
    pub const fn default(self, supply: Supply, tree: Tree) -> &'static str {
        match self {
            Self::Batch => "3",
            Self::Branching => "4",
            // AL09 5.2: replace every 4 main-loop iterations, inner loops of at most 4.
            Self::Every | Self::Rounds if supply.is_queue() => "4",
            Self::Order if tree.pulls_up_four() => "network6",
            Self::Postpone => "1",
            Self::Refill => "60",
            Self::Share => "20",
            // Sweeps on an H200: docs/notebook/2026-11-21-h8.md.
            Self::Step | Self::Test => "56",
            Self::Triangle if tree.holds_pairs() => "pair",
            _ => self.values()[0],
        }
    }

    /// Returns the number of a value that the option must have.
    pub(crate) const fn number(self, value: &str) -> u8 {
        let values = self.values();
        let mut number = 0;
        while number < values.len() {
            if are_equal(values[number].as_bytes(), value.as_bytes()) {
                return number as u8;
            }
            number += 1;
        }
        panic!("the key does not take this value")
    }

    /// Returns `true` if the option means anything for a variant of these parts.
    pub fn applies(self, supply: Supply, traversal_loop: TraversalLoop, tree: Tree) -> bool {
        let packet = traversal_loop == TraversalLoop::Packet;
        match self {
            Self::Batch => supply.is_persistent(),
            // Octant order and quantised boxes fix these.
            Self::Box => !tree.groups_leaves(),
            // A packet needs a record as soon as any of its rays does.
            Self::Fetch => !tree.groups_leaves() && !packet,
            Self::Branching => tree.shares_rays(),
            Self::Collapse => tree.pulls_up_four(),
            Self::Every => supply.refills(),
            Self::Leaves => traversal_loop.tests_whole_leaves(),
            Self::Occlusion => !packet,
            Self::Order => tree.pulls_up_four(),
            Self::Sync => true,
            // Its planes are made for one test.
            Self::Planes => !tree.holds_pairs(),
            Self::Triangle => true,
            Self::Postpone => match traversal_loop {
                TraversalLoop::SpeculativeWhileWhile | TraversalLoop::SpeculativeIfIf | TraversalLoop::Phased => true,
                TraversalLoop::Packet | TraversalLoop::WhileWhile | TraversalLoop::IfIf => false,
                // Its group of triangles waits in a register.
                TraversalLoop::IfWhile => false,
                TraversalLoop::WhileIf => false,
            },
            Self::Refill => supply.replaces(),
            Self::Rounds => traversal_loop.visits_in_rounds() && supply.refills(),
            Self::Share => traversal_loop == TraversalLoop::IfWhile,
            Self::Step | Self::Test => traversal_loop == TraversalLoop::Phased,
            Self::Unroll => !packet && !tree.shares_rays() && !tree.holds_pairs(),
        }
    }
}

/// Returns `true` if two texts are equal, in constants of the program.
const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
