//! Variants: legal combinations of parts and options, and their text form.

use crate::key::{
    BoxPlanes, BoxTest, ChildOrder, Collapse, EXACT, Fetch, Key, LeafLoop, Occlusion, Sync, TriangleTest,
};
use crate::{PaperRow, Supply, TraversalLoop, Tree, papers, rows};
use std::fmt;
use std::str::FromStr;

/// A traversal kernel of the family: supply, loop and tree, with options. Only legal ones exist.
///
/// # Examples
/// ```
/// # mod raywarp { pub use raywarp_family::Variant; }
/// use raywarp::Variant;
///
/// let text = "persistent/speculative-while-while/bvh2?postpone=2";
/// let variant: Variant = text.parse()?;
/// assert_eq!(variant.to_string(), text);
/// assert!("direct/packet/wide4".parse::<Variant>().is_err());
/// # Ok::<(), raywarp_family::IllegalVariant>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    supply: Supply,
    traversal_loop: TraversalLoop,
    tree: Tree,
    /// Number of the value of each option (`Key`); that of the default where the option does not apply.
    values: [u8; Key::ALL.len()],
}

/// Reason why parts and options make no variant, or a text is not a variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalVariant {
    /// The text is not of the form `supply/loop/tree`.
    #[error(
        "\"{0}\" is not supply/loop/tree?key=value&..., such as direct/while-while/bvh2, nor the name of a paper's row"
    )]
    Form(String),
    /// The text names a supply, loop or tree that does not exist.
    #[error("\"{found}\" is no {part}; there are {known}")]
    UnknownPart {
        /// Kind of part whose name is unknown: supply, loop or tree.
        part: &'static str,
        /// Name that was given for the part.
        found: String,
        /// Names that exist for the part, as a list.
        known: String,
    },
    /// The text names an option that does not exist.
    #[error("\"{found}\" is no option; there are {}", Key::NAMES.join(", "))]
    UnknownKey {
        /// Name that was given for an option.
        found: String,
    },
    /// The option does not take the value that was given.
    #[error("{key}={found}: it takes {}", key.values().join(", "))]
    Value {
        /// Option that does not take the value.
        key: Key,
        /// Value that was given for the option.
        found: String,
    },
    /// Supply, loop and tree do not go together.
    #[error("{parts} does not exist: {why}")]
    Parts {
        /// Text of the three parts, supply/loop/tree.
        parts: String,
        /// Reason why the three parts do not go together.
        why: &'static str,
    },
    /// The text gives an option twice.
    #[error("{0} is given twice")]
    Twice(Key),
    /// Two options of the variant do not go together.
    #[error("{first} and {second} do not go together: {why}")]
    Together {
        /// One of the two options, with its value.
        first: String,
        /// The other of the two options, with its value.
        second: String,
        /// Reason why the two options do not go together.
        why: &'static str,
    },
    /// The option does not apply to these parts, or not with this value.
    #[error("{key}={value} does not apply to {parts}")]
    Option {
        /// Text of the three parts, supply/loop/tree.
        parts: String,
        /// Option that does not apply.
        key: Key,
        /// Value that was given for the option.
        value: String,
    },
}

/// Requirements of a variant on a machine: lanes, warp-wide operations, memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Least number of lanes that a warp must have.
    pub lanes: u32,
    /// `true` if votes and ballots of a whole warp are needed.
    pub votes: bool,
    /// `true` if prefix sums over lanes, or population counts of a ballot, are needed.
    pub prefix_sum: bool,
    /// `true` if shared memory is needed, for parked rays.
    pub shared_memory: bool,
    /// `true` if an atomic counter is needed, from which warps take rays.
    pub global_counter: bool,
    /// `true` if a GPU is needed, whose hardware keeps the lanes of a warp together by itself.
    pub gpu: bool,
    /// `true` if rays must have a `t_min` that is not negative.
    pub t_min_not_negative: bool,
}

/// Condition on which idle lanes get new rays ([`Supply::Replace`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refill {
    /// New rays when fewer than this percentage of the lanes have one (ALK12: 60).
    Below(u32),
    /// When the iterations that idle lanes have lost since the last fetch, less [`Refill::FREE`] an iteration, reach
    /// [`Refill::LOST`] (YKL17 4.4: N_d, N_w). Both are for warps of 32, others in proportion.
    LostIterations,
}

impl Refill {
    /// Number of idle lanes in an iteration that do not count as lost.
    pub const FREE: u32 = 4;
    /// Number of lost lane iterations at which new rays are fetched.
    pub const LOST: u32 = 16;
}

/// Layout of the traversal stack: one for each ray or each warp, and the size of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    /// `true` if a warp has one stack, `false` if each ray has one.
    pub shared: bool,
    /// Bytes of a stack entry.
    pub entry_bytes: u32,
}

impl Variant {
    /// Makes a variant of a supply, a loop and a tree, with every option at its default.
    ///
    /// # Errors
    /// [`IllegalVariant::Parts`] when they do not go together.
    pub fn new(supply: Supply, traversal_loop: TraversalLoop, tree: Tree) -> Result<Self, IllegalVariant> {
        let variant = Self::known(supply, traversal_loop, tree, &[]);
        match variant.parts_fault() {
            Some(why) => Err(IllegalVariant::Parts { parts: variant.parts(), why }),
            None => Ok(variant),
        }
    }

    /// Makes a variant in a constant of the program, with the options of `set` and the others at their defaults. It is
    /// not checked to be legal: tests do.
    pub(crate) const fn known(supply: Supply, traversal_loop: TraversalLoop, tree: Tree, set: &[(Key, &str)]) -> Self {
        let mut values = [0; Key::ALL.len()];
        let mut i = 0;
        while i < Key::ALL.len() {
            let key = Key::ALL[i];
            values[key as usize] = key.number(key.default(supply, tree));
            i += 1;
        }
        i = 0;
        while i < set.len() {
            values[set[i].0 as usize] = set[i].0.number(set[i].1);
            i += 1;
        }
        Self { supply, traversal_loop, tree, values }
    }

    /// Returns the variant with one option changed.
    ///
    /// # Errors
    /// [`IllegalVariant::Value`], [`IllegalVariant::Option`] or [`IllegalVariant::Together`].
    pub fn with(mut self, key: Key, value: &str) -> Result<Self, IllegalVariant> {
        let Some(number) = key.values().iter().position(|&v| v == value) else {
            return Err(IllegalVariant::Value { key, found: value.to_string() });
        };
        self.values[key as usize] = number as u8;
        let wrong =
            |key: Key, value: &str| IllegalVariant::Option { parts: self.parts(), key, value: value.to_string() };
        // Only idle lanes that are replaced one by one can ask for exactly their number.
        // Blocks are for the watertight test, of both triangles at once or one by one.
        let pair = key == Key::Triangle
            && if self.tree.holds_pairs() {
                ![TriangleTest::Pair.name(), TriangleTest::Watertight.name()].contains(&value)
            } else {
                value == TriangleTest::Pair.name()
            };
        let exact_batch = key == Key::Batch && value == EXACT && !self.supply.replaces();
        // Groups are in octant order, which is turned round for nothing; other nodes sort their hits, or do not.
        let other = if self.tree.groups_leaves() { Occlusion::Unsorted } else { Occlusion::Far };
        let order = key == Key::Occlusion && value == other.name();
        if !key.applies(self.supply, self.traversal_loop, self.tree) || exact_batch || pair || order {
            return Err(wrong(key, value));
        }
        if self.fetch() == Fetch::Needed && self.triangle() != TriangleTest::Woop {
            return Err(IllegalVariant::Together {
                first: format!("{}={}", Key::Fetch, self.fetch()),
                second: format!("{}={}", Key::Triangle, self.triangle()),
                why: "only Woop's record has rows that can be tested one by one",
            });
        }
        Ok(self)
    }

    /// Returns the variant with a vote at the end of each loop ([`Sync::Voted`]) that keeps its lanes together; itself
    /// where it has one. Every kernel has this form: it is how one that leaves its lanes to the hardware runs in
    /// lockstep.
    pub fn voted(&self) -> Self {
        let mut voted = *self;
        voted.values[Key::Sync as usize] = Sync::Voted as u8;
        voted
    }

    fn parts_fault(&self) -> Option<&'static str> {
        use TraversalLoop as L;
        if self.traversal_loop == L::Packet {
            if !self.tree.takes_packets() {
                return Some("packets walk bvh2 (AL09 3.1)");
            }
            if self.supply.refills() {
                return Some("the rays of a packet start and end together");
            }
        }
        if self.tree.shares_rays() && !self.traversal_loop.shares_rays() {
            return Some("lanes that share a ray have nothing else to do meanwhile (AL09 5.3 is while-while)");
        }
        if self.tree.shares_rays() && self.supply.is_queue() {
            return Some("a queue shuffles single lanes");
        }
        if self.supply.is_queue() && !self.traversal_loop.goes_with_a_queue() {
            return Some("a queue chooses between traversal and intersection itself (AL09 5.2)");
        }
        if self.traversal_loop == L::Phased && !self.tree.groups_leaves() {
            return Some("phased is for nodes that give their triangles as a group");
        }
        if self.traversal_loop == L::IfWhile && (!self.tree.groups_leaves() || self.tree.holds_pairs()) {
            return Some("if-while is for nodes that give their triangles as a group (YKL17)");
        }
        None
    }

    /// Returns how rays are supplied to lanes.
    pub fn supply(&self) -> Supply {
        self.supply
    }

    /// Returns the loop that lanes run (`TraversalLoop`).
    pub fn traversal_loop(&self) -> TraversalLoop {
        self.traversal_loop
    }

    /// Returns the kind of tree that the variant walks.
    pub fn tree(&self) -> Tree {
        self.tree
    }

    /// Returns the text `supply/loop/tree`, without options.
    pub fn parts(&self) -> String {
        format!("{}/{}/{}", self.supply, self.traversal_loop, self.tree)
    }

    /// Returns the value of an option of the variant as text.
    pub fn value(&self, key: Key) -> &'static str {
        key.values()[usize::from(self.values[key as usize])]
    }

    fn number(&self, key: Key) -> u32 {
        self.value(key).parse().unwrap_or(0)
    }

    /// Returns the number of rays that a warp takes from the global pool at once, in warps; `None` when it takes
    /// exactly as many as it has idle lanes.
    pub fn batch(&self) -> Option<u32> {
        self.value(Key::Batch).parse().ok()
    }

    /// Returns how box distances are compared ([`BoxTest`]).
    pub fn box_test(&self) -> BoxTest {
        BoxTest::ALL[usize::from(self.values[Key::Box as usize])]
    }

    /// Returns the number of lanes that share a ray: 1 but for trees that [share rays](Tree::shares_rays).
    pub fn lanes_per_ray(&self) -> u32 {
        if self.tree.shares_rays() { self.number(Key::Branching) } else { 1 }
    }

    /// Returns the rule by which the nodes of four were made from a binary tree ([`Collapse`]).
    pub fn collapse(&self) -> Collapse {
        Collapse::ALL[usize::from(self.values[Key::Collapse as usize])]
    }

    /// Returns the number of main-loop iterations between two looks for new rays.
    pub fn every(&self) -> u32 {
        self.number(Key::Every)
    }

    /// Returns when the parts of records are fetched ([`Fetch`]).
    pub fn fetch(&self) -> Fetch {
        Fetch::ALL[usize::from(self.values[Key::Fetch as usize])]
    }

    /// Returns when a lane goes on to its next leaf ([`LeafLoop`]).
    pub fn leaf_loop(&self) -> LeafLoop {
        LeafLoop::ALL[usize::from(self.values[Key::Leaves as usize])]
    }

    /// Returns the order in which any-hit rays visit children ([`Occlusion`]).
    pub fn occlusion(&self) -> Occlusion {
        Occlusion::ALL[usize::from(self.values[Key::Occlusion as usize])]
    }

    /// Returns the order in which hit children are visited ([`ChildOrder`]).
    pub fn child_order(&self) -> ChildOrder {
        ChildOrder::ALL[usize::from(self.values[Key::Order as usize])]
    }

    /// Returns how distances to box planes are computed ([`BoxPlanes`]).
    pub fn box_planes(&self) -> BoxPlanes {
        BoxPlanes::ALL[usize::from(self.values[Key::Planes as usize])]
    }

    /// Returns the number of leaves that a lane may put aside: 0 unless speculative or phased, 1 for if-while's
    /// triangle group.
    pub fn postpone(&self) -> usize {
        match self.traversal_loop {
            TraversalLoop::IfWhile => 1,
            TraversalLoop::SpeculativeWhileWhile | TraversalLoop::SpeculativeIfIf | TraversalLoop::Phased => {
                self.number(Key::Postpone) as usize
            }
            TraversalLoop::Packet | TraversalLoop::WhileWhile | TraversalLoop::IfIf | TraversalLoop::WhileIf => 0,
        }
    }

    /// Returns when idle lanes get new rays (`Refill`).
    pub fn refill(&self) -> Refill {
        self.value(Key::Refill).parse().map_or(Refill::LostIterations, Refill::Below)
    }

    /// Returns the largest number of iterations of an inner loop; `None` if it is not limited.
    pub fn rounds(&self) -> Option<u32> {
        let limited = Key::Rounds.applies(self.supply, self.traversal_loop, self.tree);
        self.value(Key::Rounds).parse().ok().filter(|_| limited)
    }

    /// Returns the percentage of the lanes with a ray that must have triangles for a warp to go on testing them
    /// (if-while).
    pub fn share(&self) -> u32 {
        self.number(Key::Share)
    }

    /// Returns the percentage of the lanes with a ray that must have a node for a warp to go on visiting nodes
    /// (phased).
    pub fn step(&self) -> u32 {
        self.number(Key::Step)
    }

    /// Returns the percentage of all lanes that must have triangles for a warp to go on testing them (phased).
    pub fn test(&self) -> u32 {
        self.number(Key::Test)
    }

    /// Returns how a warp's lanes are kept together ([`Sync`]).
    pub fn sync(&self) -> Sync {
        Sync::ALL[usize::from(self.values[Key::Sync as usize])]
    }

    /// Returns the ray-triangle test of the variant ([`TriangleTest`]).
    pub fn triangle(&self) -> TriangleTest {
        TriangleTest::ALL[usize::from(self.values[Key::Triangle as usize])]
    }

    /// Returns `true` if the variant may leave rays undecided, to be traced by [`Variant::fallback_variant`].
    /// With h8's pairs these are rays that start beyond twice the tree's reach, and those at triangles for whose area
    /// f32 has no exponent.
    pub fn may_leave_undecided(&self) -> bool {
        self.triangle() == TriangleTest::Pair
    }

    /// Returns `true` if this variant decides the rays that others leave: it walks the h8 tree with a test that takes
    /// any ray.
    pub fn takes_any_ray(&self) -> bool {
        self.tree.holds_pairs() && !self.may_leave_undecided()
    }

    /// Returns the variant that traces what this one leaves undecided, over the tree in memory.
    pub fn fallback_variant(&self) -> Self {
        let mut fallback = *self;
        if self.may_leave_undecided() {
            fallback.values[Key::Triangle as usize] = TriangleTest::Watertight as u8;
        }
        fallback
    }

    /// Returns the number of triangle tests between two looks at the triangle loop's condition.
    pub fn unroll(&self) -> u32 {
        self.number(Key::Unroll)
    }

    /// Returns what the variant requires of a machine.
    pub fn needs(&self) -> Needs {
        let refills = self.supply.refills();
        let shares = self.tree.shares_rays();
        Needs {
            lanes: self.lanes_per_ray(),
            votes: self.sync() == Sync::Voted || self.traversal_loop == TraversalLoop::Packet,
            prefix_sum: refills || shares,
            shared_memory: self.supply.is_queue(),
            global_counter: self.supply.is_persistent(),
            gpu: self.sync() == Sync::Implicit,
            t_min_not_negative: self.box_test() == BoxTest::Integer,
        }
    }

    /// Returns the layout of the variant's traversal stack. An entry is one word: a node, or a leaf's first record and
    /// how many; with compressed nodes two, a group.
    pub fn stack(&self) -> Stack {
        let entry_bytes = if self.tree.groups_leaves() { 8 } else { 4 };
        Stack { shared: self.traversal_loop == TraversalLoop::Packet, entry_bytes }
    }

    /// Returns the papers' kernels, which is what "every variant" means; [`rows`] has those of nobody's paper too.
    pub fn papers() -> &'static [PaperRow] {
        papers()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts())?;
        let mut separator = '?';
        for &key in Key::ALL {
            let value = self.value(key);
            if value != key.default(self.supply, self.tree) {
                write!(f, "{separator}{key}={value}")?;
                separator = '&';
            }
        }
        Ok(())
    }
}

impl FromStr for Variant {
    type Err = IllegalVariant;

    /// Parses a variant from its text form, `supply/loop/tree?key=value&...`, or from the name of a row of
    /// [`rows`].
    fn from_str(text: &str) -> Result<Self, IllegalVariant> {
        if let Some(row) = rows().find(|row| row.name == text) {
            return Ok(row.variant);
        }
        Self::parse_parts(text)
    }
}

impl Variant {
    /// Parses a variant from its text form, but not from the names of rows of [`rows`].
    pub(crate) fn parse_parts(text: &str) -> Result<Self, IllegalVariant> {
        let (parts, options) = text.split_once('?').unwrap_or((text, ""));
        let mut names = parts.split('/');
        let (Some(supply), Some(traversal_loop), Some(tree), None) =
            (names.next(), names.next(), names.next(), names.next())
        else {
            return Err(IllegalVariant::Form(text.to_string()));
        };
        let unknown = |part, found: &str, known: &[&str]| IllegalVariant::UnknownPart {
            part,
            found: found.to_string(),
            known: known.join(", "),
        };
        let mut variant = Self::new(
            Supply::parse(supply).ok_or_else(|| unknown("supply", supply, Supply::NAMES))?,
            TraversalLoop::parse(traversal_loop)
                .ok_or_else(|| unknown("loop", traversal_loop, TraversalLoop::NAMES))?,
            Tree::parse(tree).ok_or_else(|| unknown("tree", tree, Tree::NAMES))?,
        )?;
        let mut seen = [false; Key::ALL.len()];
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=') else {
                return Err(IllegalVariant::Form(text.to_string()));
            };
            let key = Key::parse(key).ok_or_else(|| IllegalVariant::UnknownKey { found: key.to_string() })?;
            if std::mem::replace(&mut seen[key as usize], true) {
                return Err(IllegalVariant::Twice(key));
            }
            variant = variant.with(key, value)?;
        }
        Ok(variant)
    }
}
