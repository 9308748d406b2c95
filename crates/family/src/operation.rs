//! The micro-operations that schedules issue, and the named blocks they consist of.

/// A micro-operation: what a schedule issues on a warp under a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Take a ray from the supply.
    FetchRay,
    /// Reciprocal direction, origin times reciprocal, empty stack.
    SetupRay,
    /// Fetch a node, test the ray against its children's boxes, order the hits, push all but one.
    VisitNode,
    /// Next entry from the stack.
    Pop,
    /// Put a leaf aside and go on traversing (AL09 4), or push it for later (YKL17).
    Postpone,
    /// Fetch a triangle record, test, shorten the ray.
    TestTriangle,
    /// A loop over triangles that is unrolled goes on to the second test of its body (G14).
    SecondTest,
    /// An unrolled loop over triangles goes on to its third test.
    ThirdTest,
    /// An unrolled loop over triangles goes on to its fourth or a later test.
    FourthTest,
    /// Does any lane want to go on?
    Vote,
    /// Find the lanes of a warp that want something.
    Ballot,
    /// Exchange values between lanes, or rays between lanes and shared memory.
    Shuffle,
    /// Enumerate the lanes that want something.
    PrefixSum,
    /// Write the result.
    StoreHit,
    /// Instructions around the operations: a warp's start, and its main loop.
    Loop,
}

/// A stretch of a micro-operation that runs as a whole: an operation is split where a branch decides
/// whether the rest runs, so that instruction costs can be given a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Block {
    /// One lane takes a batch from the global pool (AL09 appendix A), or what the idle lanes need.
    FetchBatch,
    /// A lane reads its ray.
    FetchRay,
    /// The ray's reciprocals.
    SetupRay,
    /// The reciprocals of a ray that was parked, which is read again (AL09 5.2).
    SetupAgain,
    /// Fetch a node and test all child boxes.
    VisitNode,
    /// Fetch the links of a node, where they are not fetched with the boxes.
    VisitNodeLinks,
    /// Bring two or more hit children into order.
    VisitNodeOrder,
    /// Push one child.
    VisitNodePush,
    /// Pop one entry.
    Pop,
    /// Move a leaf to the postpone buffer.
    Postpone,
    /// Push a leaf that too few lanes want to test.
    Defer,
    /// Test a triangle with its whole record at hand.
    TestTriangle,
    /// The first row of a Woop record: t.
    TestTriangleT,
    /// The second row, once t is in range: u.
    TestTriangleU,
    /// The third row, once u is in range: v.
    TestTriangleV,
    /// Shorten the ray after a hit.
    TestTriangleAccept,
    /// Block of [`Operation::SecondTest`].
    SecondTest,
    /// Block of [`Operation::ThirdTest`].
    ThirdTest,
    /// Block of [`Operation::FourthTest`].
    FourthTest,
    /// Block of [`Operation::Vote`].
    Vote,
    /// Block of [`Operation::Ballot`].
    Ballot,
    /// Exchange between lanes.
    Shuffle,
    /// Exchange rays between lanes and shared memory (AL09 5.2).
    Exchange,
    /// Block of [`Operation::PrefixSum`].
    PrefixSum,
    /// Block of [`Operation::StoreHit`].
    StoreHit,
    /// Start of a warp.
    Prologue,
    /// An iteration of the main loop: its branches and its way back.
    Iteration,
    /// An iteration of the loop over leaves, where the loop over a leaf's triangles stands within it (ALK12).
    LeafIteration,
    /// A round of a work queue's replacing: rays that have ended are stored, and others take their places (AL09 5.2).
    Refill,
    /// A work queue chose traversal for its iteration.
    ChooseNode,
    /// A work queue chose intersection for its iteration.
    ChooseTriangle,
}

impl Block {
    /// All blocks, in the order of their numbers.
    pub const ALL: [Self; 31] = [
        Self::FetchBatch,
        Self::FetchRay,
        Self::SetupRay,
        Self::SetupAgain,
        Self::VisitNode,
        Self::VisitNodeLinks,
        Self::VisitNodeOrder,
        Self::VisitNodePush,
        Self::Pop,
        Self::Postpone,
        Self::Defer,
        Self::TestTriangle,
        Self::TestTriangleT,
        Self::TestTriangleU,
        Self::TestTriangleV,
        Self::TestTriangleAccept,
        Self::SecondTest,
        Self::ThirdTest,
        Self::FourthTest,
        Self::Vote,
        Self::Ballot,
        Self::Shuffle,
        Self::Exchange,
        Self::PrefixSum,
        Self::StoreHit,
        Self::Prologue,
        Self::Iteration,
        Self::LeafIteration,
        Self::Refill,
        Self::ChooseNode,
        Self::ChooseTriangle,
    ];

    /// Returns the operation that the block is part of.
    pub fn operation(self) -> Operation {
        match self {
            Self::FetchBatch | Self::FetchRay => Operation::FetchRay,
            Self::SetupRay | Self::SetupAgain => Operation::SetupRay,
            Self::VisitNode | Self::VisitNodeLinks | Self::VisitNodeOrder | Self::VisitNodePush => Operation::VisitNode,
            Self::Pop => Operation::Pop,
            Self::Postpone | Self::Defer => Operation::Postpone,
            Self::TestTriangle
            | Self::TestTriangleT
            | Self::TestTriangleU
            | Self::TestTriangleV
            | Self::TestTriangleAccept => Operation::TestTriangle,
            Self::SecondTest => Operation::SecondTest,
            Self::ThirdTest => Operation::ThirdTest,
            Self::FourthTest => Operation::FourthTest,
            Self::Vote => Operation::Vote,
            Self::Ballot => Operation::Ballot,
            Self::Shuffle | Self::Exchange => Operation::Shuffle,
            Self::PrefixSum => Operation::PrefixSum,
            Self::StoreHit => Operation::StoreHit,
            Self::Prologue
            | Self::Iteration
            | Self::LeafIteration
            | Self::Refill
            | Self::ChooseNode
            | Self::ChooseTriangle => Operation::Loop,
        }
    }

    /// Returns the block's name in the kernels' events: its own, but for iterations of loops, whose older name stands
    /// in the text of the kernels, which stays as their machine code was made of it.
    pub fn event_name(self) -> String {
        match self {
            Self::Iteration => "Turn".to_string(),
            Self::LeafIteration => "TurnLeaf".to_string(),
            other => format!("{other:?}"),
        }
    }

    /// Returns the name in cost tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::FetchBatch => "fetch_ray.batch",
            Self::FetchRay => "fetch_ray",
            Self::SetupRay => "setup_ray",
            Self::SetupAgain => "setup_ray.again",
            Self::VisitNode => "visit_node",
            Self::VisitNodeLinks => "visit_node.links",
            Self::VisitNodeOrder => "visit_node.order",
            Self::VisitNodePush => "visit_node.push",
            Self::Pop => "pop",
            Self::Postpone => "postpone",
            Self::Defer => "postpone.defer",
            Self::TestTriangle => "test_triangle",
            Self::TestTriangleT => "test_triangle.t",
            Self::TestTriangleU => "test_triangle.u",
            Self::TestTriangleV => "test_triangle.v",
            Self::TestTriangleAccept => "test_triangle.accept",
            Self::SecondTest => "second_test",
            Self::ThirdTest => "third_test",
            Self::FourthTest => "fourth_test",
            Self::Vote => "vote",
            Self::Ballot => "ballot",
            Self::Shuffle => "shuffle",
            Self::Exchange => "shuffle.exchange",
            Self::PrefixSum => "prefix_sum",
            Self::StoreHit => "store_hit",
            Self::Prologue => "prologue",
            Self::Iteration => "loop",
            Self::LeafIteration => "loop.leaf",
            Self::Refill => "loop.refill",
            Self::ChooseNode => "loop.traverse",
            Self::ChooseTriangle => "loop.intersect",
        }
    }
}

/// Kinds of memory that a lane reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Nodes of the tree.
    Node,
    /// Records of triangles.
    Triangle,
    /// The word that names a record's triangle.
    Slot,
    /// A lane's (or a packet's) traversal stack; the index counts entries from its bottom.
    Stack,
    /// The rays of the batch.
    Ray,
    /// Results of the rays.
    Hit,
    /// On-chip memory shared by a warp.
    Shared,
    /// The global counter of rays.
    Counter,
}

impl Space {
    /// All spaces, in the order of their numbers.
    pub const ALL: [Self; 8] =
        [Self::Node, Self::Triangle, Self::Slot, Self::Stack, Self::Ray, Self::Hit, Self::Shared, Self::Counter];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_as_listed_and_named_after_their_operation() {
        for (i, block) in Block::ALL.into_iter().enumerate() {
            assert_eq!(block as usize, i);
        }
        let names: std::collections::BTreeSet<_> = Block::ALL.iter().map(|b| b.name()).collect();
        assert_eq!(names.len(), Block::ALL.len());
    }
}
