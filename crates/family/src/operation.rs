//! The micro-operations that schedules issue, and the named blocks they consist of.

/// A micro-operation of traversal: what a schedule issues on a warp under a mask of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Lanes take their next rays from the supply.
    FetchRay,
    /// Lanes prepare their rays: reciprocal direction, origin times reciprocal, empty stack.
    SetupRay,
    /// Lanes fetch a node, test their ray against its children's boxes, order the hits, and push all but one.
    VisitNode,
    /// Lanes take the next entry from their stacks.
    Pop,
    /// Lanes put a leaf aside and go on traversing (AL09 4), or push it for later (YKL17).
    Postpone,
    /// Lanes take their rays into the space of a placed tree, in scenes of two levels.
    EnterInstance,
    /// Lanes take their rays back to the world, once they have walked a placed tree.
    LeaveInstance,
    /// Lanes fetch a triangle record, test it, and shorten the ray by a hit.
    TestTriangle,
    /// An unrolled loop over triangles goes on to the second test of its body (G14).
    SecondTest,
    /// An unrolled loop over triangles goes on to its third test.
    ThirdTest,
    /// An unrolled loop over triangles goes on to its fourth or a later test.
    FourthTest,
    /// A warp-wide vote on whether any lane wants to go on.
    Vote,
    /// A warp-wide ballot, which tells the lanes that want something.
    Ballot,
    /// Lanes exchange values with each other, or rays with shared memory.
    Shuffle,
    /// Lanes that want something are enumerated by a prefix sum.
    PrefixSum,
    /// Lanes write the results of their rays.
    StoreHit,
    /// Instructions around the operations: a warp's start, and its main loop.
    Loop,
}

/// A stretch of code of a micro-operation that runs as a whole; operations are split where a branch decides whether the
/// rest runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Block {
    /// One lane takes a batch of rays from the global pool (AL09 appendix A), or as many as there are idle lanes.
    FetchBatch,
    /// A lane reads its ray from memory.
    FetchRay,
    /// A lane computes the reciprocals of its ray's direction.
    SetupRay,
    /// A lane computes the reciprocals of a ray that was parked, which it reads again (AL09 5.2).
    SetupParked,
    /// A lane fetches a node and tests all child boxes.
    VisitNode,
    /// A lane fetches the child links of a node, where they are not fetched with the boxes.
    VisitNodeLinks,
    /// A lane sorts two or more hit children.
    VisitNodeOrder,
    /// A lane pushes one child on its stack.
    VisitNodePush,
    /// A lane pops one entry from its stack.
    Pop,
    /// A lane moves a leaf to its postpone buffer.
    Postpone,
    /// A lane pushes a leaf that too few lanes want to test.
    Defer,
    /// A lane tests a triangle whose whole record it has read.
    TestTriangle,
    /// A lane reads the first row of a Woop record and computes t.
    TestTriangleT,
    /// A lane reads the second row of a Woop record, once t is in range, and computes u.
    TestTriangleU,
    /// A lane reads the third row of a Woop record, once u is in range, and computes v.
    TestTriangleV,
    /// A lane shortens its ray after a hit.
    TestTriangleAccept,
    /// The only block of code of [`Operation::SecondTest`].
    SecondTest,
    /// The only block of code of [`Operation::ThirdTest`].
    ThirdTest,
    /// The only block of code of [`Operation::FourthTest`].
    FourthTest,
    /// The only block of code of [`Operation::Vote`].
    Vote,
    /// The only block of code of [`Operation::Ballot`].
    Ballot,
    /// Lanes exchange values with each other.
    Shuffle,
    /// Lanes exchange rays with shared memory (AL09 5.2).
    Exchange,
    /// The only block of code of [`Operation::PrefixSum`].
    PrefixSum,
    /// The only block of code of [`Operation::StoreHit`].
    StoreHit,
    /// Start of a warp, before its main loop.
    Prologue,
    /// An iteration of a warp's main loop: its branches and its jump back.
    Iteration,
    /// An iteration of the loop over leaves, where the loop over a leaf's triangles is nested in it (ALK12).
    LeafIteration,
    /// A round in which a work queue stores rays that have ended and gives their places to others (AL09 5.2).
    Refill,
    /// A work queue chooses to visit nodes in an iteration.
    ChooseNode,
    /// A work queue chooses to test triangles in an iteration.
    ChooseTriangle,
    /// The only block of code of [`Operation::EnterInstance`].
    EnterInstance,
    /// The only block of code of [`Operation::LeaveInstance`].
    LeaveInstance,
    /// A lane takes the corners of a placed tree's triangle to the world, where it is tested.
    TestTrianglePlace,
}

impl Block {
    /// All blocks of code, in the order of their numbers.
    pub const ALL: [Self; 34] = [
        Self::FetchBatch,
        Self::FetchRay,
        Self::SetupRay,
        Self::SetupParked,
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
        Self::EnterInstance,
        Self::LeaveInstance,
        Self::TestTrianglePlace,
    ];

    /// Returns the operation that the block of code is part of.
    pub fn operation(self) -> Operation {
        match self {
            Self::FetchBatch | Self::FetchRay => Operation::FetchRay,
            Self::SetupRay | Self::SetupParked => Operation::SetupRay,
            Self::VisitNode | Self::VisitNodeLinks | Self::VisitNodeOrder | Self::VisitNodePush => Operation::VisitNode,
            Self::Pop => Operation::Pop,
            Self::Postpone | Self::Defer => Operation::Postpone,
            Self::TestTriangle
            | Self::TestTriangleT
            | Self::TestTriangleU
            | Self::TestTriangleV
            | Self::TestTriangleAccept
            | Self::TestTrianglePlace => Operation::TestTriangle,
            Self::EnterInstance => Operation::EnterInstance,
            Self::LeaveInstance => Operation::LeaveInstance,
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

    /// Returns the name of the block of code in cost tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::FetchBatch => "fetch_ray.batch",
            Self::FetchRay => "fetch_ray",
            Self::SetupRay => "setup_ray",
            Self::SetupParked => "setup_ray.parked",
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
            Self::EnterInstance => "enter_instance",
            Self::LeaveInstance => "leave_instance",
            Self::TestTrianglePlace => "test_triangle.place",
        }
    }
}

/// Kind of memory that a lane reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Nodes of the tree, with boxes and links.
    Node,
    /// Records of triangles, as the tree's leaves hold them.
    Triangle,
    /// Table that gives the triangle's index for each triangle record.
    Slot,
    /// Traversal stack of a lane or packet; the index counts entries from its bottom.
    Stack,
    /// Rays of the batch that is traced.
    Ray,
    /// Results of the batch's rays.
    Hit,
    /// On-chip memory that a warp shares.
    Shared,
    /// Global counter from which warps take their next rays.
    Counter,
}

impl Space {
    /// All kinds of memory, in the order of their numbers.
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
