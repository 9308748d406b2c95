//! Variants: legal combinations of parts and options, and their text form.

use crate::key::{
    BoxPlanes, BoxTest, ChildOrder, Collapse, EXACT, Fetch, Key, LeafLoop, Occlusion, Sync, TriangleTest,
};
use crate::{PaperRow, Supply, TraversalLoop, Tree, papers};
use std::fmt;
use std::str::FromStr;

/// A kernel of the family: three parts and options. Only legal ones exist.
///
/// # Examples
/// ```
/// use raywarp_family::Variant;
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
    organisation: TraversalLoop,
    tree: Tree,
    /// Number of the value of each key; that of the default where the key does not apply.
    values: [u8; Key::ALL.len()],
}

/// Reasons why a combination does not exist, or a text is not a variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalVariant {
    /// The text is not of the form `supply/organisation/tree`.
    #[error(
        "\"{0}\" is not supply/organisation/tree?key=value&..., such as direct/while-while/bvh2, nor the name of a paper's row"
    )]
    Form(String),
    /// A part has a name that does not exist.
    #[error("\"{found}\" is no {part}; there are {known}")]
    UnknownPart {
        /// supply, organisation or tree.
        part: &'static str,
        /// Name that was given.
        found: String,
        /// Names that exist, as a list.
        known: String,
    },
    /// There is no key of this name.
    #[error("\"{found}\" is no option; there are {}", Key::NAMES.join(", "))]
    UnknownKey {
        /// Name that was given.
        found: String,
    },
    /// The key does not take this value.
    #[error("{key}={found}: it takes {}", key.values().join(", "))]
    Value {
        /// Option that does not take the value.
        key: Key,
        /// Value that was given.
        found: String,
    },
    /// The three parts do not go together.
    #[error("{parts} does not exist: {why}")]
    Parts {
        /// The three parts.
        parts: String,
        /// Reason why they do not go together.
        why: &'static str,
    },
    /// An option is given twice.
    #[error("{0} is given twice")]
    Twice(Key),
    /// Options that do not go together.
    #[error("{first} and {second} do not go together: {why}")]
    Together {
        /// One option, with its value.
        first: String,
        /// Other option and its value.
        second: String,
        /// Reason why they do not go together.
        why: &'static str,
    },
    /// An option means nothing, or not this, for these parts.
    #[error("{key}={value} does not apply to {parts}")]
    Option {
        /// The three parts.
        parts: String,
        /// Option that does not apply.
        key: Key,
        /// Value that was given for it.
        value: String,
    },
}

/// Requirements of a variant: lanes, warp-wide operations, memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Lanes that a warp must have at least.
    pub lanes: u32,
    /// `true` if votes and ballots of a whole warp are needed.
    pub votes: bool,
    /// `true` if prefix sums over lanes, or population counts of a ballot, are needed.
    pub prefix_sum: bool,
    /// `true` if shared memory for parked rays is needed.
    pub shared_memory: bool,
    /// `true` if an atomic counter of rays is needed.
    pub global_counter: bool,
    /// `true` if hardware that keeps lanes together by itself is needed: a GPU.
    pub gpu: bool,
    /// `true` if rays must have a `t_min` that is not negative.
    pub t_min_not_negative: bool,
}

/// Condition on which idle lanes get new rays ([`Supply::Replace`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refill {
    /// When fewer than this share of the lanes live, per cent (ALK12: 60).
    Below(u32),
    /// When the iterations that idle lanes have lost since the last fetch, less [`Refill::FREE`] an iteration, come
    /// to [`Refill::LOST`] (YKL17 4.4: N_d, N_w). Both are for warps of 32, others in proportion.
    LostIterations,
}

impl Refill {
    /// Idle lanes that count for nothing.
    pub const FREE: u32 = 4;
    /// Lost iterations that are worth a fetch.
    pub const LOST: u32 = 16;
}

/// Layout of the traversal stack: one a ray or one a warp, and the size of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    /// `true` for one stack a warp, `false` for one a ray.
    pub shared: bool,
    /// Bytes of an entry.
    pub entry_bytes: u32,
}

impl Variant {
    /// Makes the variant of three parts with every option at its default.
    ///
    /// # Errors
    /// [`IllegalVariant::Parts`] when they do not go together.
    pub fn new(supply: Supply, organisation: TraversalLoop, tree: Tree) -> Result<Self, IllegalVariant> {
        let variant = Self::known(supply, organisation, tree, &[]);
        match variant.parts_fault() {
            Some(why) => Err(IllegalVariant::Parts { parts: variant.parts(), why }),
            None => Ok(variant),
        }
    }

    /// Makes a variant when the program is compiled, with the options of `set` and others at their defaults. It is not
    /// checked to be legal: tests do.
    pub(crate) const fn known(supply: Supply, organisation: TraversalLoop, tree: Tree, set: &[(Key, &str)]) -> Self {
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
        Self { supply, organisation, tree, values }
    }

    /// Returns the same variant with one option changed.
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
        let exact_batch = key == Key::Batch && value == EXACT && self.supply != Supply::Replace;
        // Groups are in octant order, which is turned round for nothing; other nodes sort their hits, or do not.
        let other = if self.tree.groups_leaves() { Occlusion::Unsorted } else { Occlusion::Far };
        let order = key == Key::Occlusion && value == other.name();
        if !key.applies(self.supply, self.organisation, self.tree) || exact_batch || pair || order {
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

    /// Returns the same kernel with lanes that wait for each other at the end of each loop ([`Sync::Voted`]); itself
    /// where it is one. Every kernel has this form: it is how one that leaves its lanes to the hardware runs in
    /// lockstep.
    pub fn voted(&self) -> Self {
        let mut voted = *self;
        voted.values[Key::Sync as usize] = Sync::Voted as u8;
        voted
    }

    fn parts_fault(&self) -> Option<&'static str> {
        use TraversalLoop as O;
        if self.organisation == O::Packet {
            if !self.tree.takes_packets() {
                return Some("packets walk bvh2 (AL09 3.1)");
            }
            if matches!(self.supply, Supply::Replace | Supply::Queue) {
                return Some("the rays of a packet start and end together");
            }
        }
        if self.tree.shares_rays() && self.organisation != O::WhileWhile {
            return Some("lanes that share a ray have nothing else to do meanwhile (AL09 5.3 is while-while)");
        }
        if self.tree.shares_rays() && self.supply == Supply::Queue {
            return Some("a queue shuffles single lanes");
        }
        if self.supply == Supply::Queue && !matches!(self.organisation, O::WhileWhile | O::IfIf) {
            return Some("a queue chooses between traversal and intersection itself (AL09 5.2)");
        }
        if self.organisation == O::Phased && !self.tree.groups_leaves() {
            return Some("phased is for nodes that give their triangles as a group");
        }
        if self.organisation == O::IfWhile && (!self.tree.groups_leaves() || self.tree.holds_pairs()) {
            return Some("if-while is for nodes that give their triangles as a group (YKL17)");
        }
        None
    }

    /// Returns the supply of rays to lanes.
    pub fn supply(&self) -> Supply {
        self.supply
    }

    /// Returns the loop that lanes run.
    pub fn organisation(&self) -> TraversalLoop {
        self.organisation
    }

    /// Returns the kind of tree that is walked.
    pub fn tree(&self) -> Tree {
        self.tree
    }

    /// Returns the three parts as text.
    pub fn parts(&self) -> String {
        format!("{}/{}/{}", self.supply, self.organisation, self.tree)
    }

    /// Returns the value of an option as text.
    pub fn value(&self, key: Key) -> &'static str {
        key.values()[usize::from(self.values[key as usize])]
    }

    fn number(&self, key: Key) -> u32 {
        self.value(key).parse().unwrap_or(0)
    }

    /// Returns how many rays a batch from the global pool has, in warps; `None` when a warp takes exactly as many as it
    /// has idle lanes.
    pub fn batch(&self) -> Option<u32> {
        self.value(Key::Batch).parse().ok()
    }

    /// Returns the comparison of box distances: see [`BoxTest`].
    pub fn box_test(&self) -> BoxTest {
        BoxTest::ALL[usize::from(self.values[Key::Box as usize])]
    }

    /// Returns the number of lanes that share a ray: 1 but for trees that [share rays](Tree::shares_rays).
    pub fn lanes_per_ray(&self) -> u32 {
        if self.tree.shares_rays() { self.number(Key::Branching) } else { 1 }
    }

    /// Returns the rule that made the tree's nodes of four: see [`Collapse`].
    pub fn collapse(&self) -> Collapse {
        Collapse::ALL[usize::from(self.values[Key::Collapse as usize])]
    }

    /// Returns the number of main-loop iterations between two looks for new rays.
    pub fn every(&self) -> u32 {
        self.number(Key::Every)
    }

    /// Returns the time at which the parts of records are fetched: see [`Fetch`].
    pub fn fetch(&self) -> Fetch {
        Fetch::ALL[usize::from(self.values[Key::Fetch as usize])]
    }

    /// Returns the loop over a lane's leaves: see [`LeafLoop`].
    pub fn leaf_loop(&self) -> LeafLoop {
        LeafLoop::ALL[usize::from(self.values[Key::Leaves as usize])]
    }

    /// Returns the order of children for any-hit rays: see [`Occlusion`].
    pub fn occlusion(&self) -> Occlusion {
        Occlusion::ALL[usize::from(self.values[Key::Occlusion as usize])]
    }

    /// Returns the order of hit children: see [`ChildOrder`].
    pub fn child_order(&self) -> ChildOrder {
        ChildOrder::ALL[usize::from(self.values[Key::Order as usize])]
    }

    /// Returns the way to compute distances to planes: see [`BoxPlanes`].
    pub fn box_planes(&self) -> BoxPlanes {
        BoxPlanes::ALL[usize::from(self.values[Key::Planes as usize])]
    }

    /// Returns the number of leaves that a lane may put aside: 0 unless speculative or phased, 1 for if-while's
    /// triangle group.
    pub fn postpone(&self) -> usize {
        match self.organisation {
            TraversalLoop::IfWhile => 1,
            organisation if organisation.is_speculative() || organisation == TraversalLoop::Phased => {
                self.number(Key::Postpone) as usize
            }
            _ => 0,
        }
    }

    /// Returns the condition on which idle lanes get new rays.
    pub fn refill(&self) -> Refill {
        self.value(Key::Refill).parse().map_or(Refill::LostIterations, Refill::Below)
    }

    /// Returns the largest number of iterations of an inner loop, where it is limited.
    pub fn rounds(&self) -> Option<u32> {
        let limited = Key::Rounds.applies(self.supply, self.organisation, self.tree);
        self.value(Key::Rounds).parse().ok().filter(|_| limited)
    }

    /// Returns the share of live lanes, per cent: triangles are tested while so many have some.
    pub fn share(&self) -> u32 {
        self.number(Key::Share)
    }

    /// Returns the share of the live lanes, per cent: nodes are visited while so many can.
    pub fn step(&self) -> u32 {
        self.number(Key::Step)
    }

    /// Returns the share of all lanes, per cent: triangles are tested while so many have some.
    pub fn test(&self) -> u32 {
        self.number(Key::Test)
    }

    /// Returns the way in which a warp's lanes keep together: see [`Sync`].
    pub fn sync(&self) -> Sync {
        Sync::ALL[usize::from(self.values[Key::Sync as usize])]
    }

    /// Returns the ray-triangle test: see [`TriangleTest`].
    pub fn triangle(&self) -> TriangleTest {
        TriangleTest::ALL[usize::from(self.values[Key::Triangle as usize])]
    }

    /// Returns `true` if some rays may be left undecided, to be traced again by [`Variant::fallback_variant`]: with
    /// h8's pairs, rays that start beyond twice the tree's reach, and those at triangles for whose area f32 has no
    /// exponent.
    pub fn may_leave_undecided(&self) -> bool {
        self.triangle() == TriangleTest::Pair
    }

    /// Returns `true` if this variant decides the rays that others leave: it walks h8's blocks with a test that takes
    /// any ray.
    pub fn takes_any_ray(&self) -> bool {
        self.tree.holds_pairs() && !self.may_leave_undecided()
    }

    /// Returns the variant that decides what this one leaves, on the same bytes.
    pub fn fallback_variant(&self) -> Self {
        let mut fallback = *self;
        if self.may_leave_undecided() {
            fallback.values[Key::Triangle as usize] = TriangleTest::Watertight as u8;
        }
        fallback
    }

    /// Returns the number of triangle tests between two looks at the loop's condition.
    pub fn unroll(&self) -> u32 {
        self.number(Key::Unroll)
    }

    /// Returns the requirements of the variant.
    pub fn needs(&self) -> Needs {
        let refills = matches!(self.supply, Supply::Replace | Supply::Queue);
        let shares = self.tree.shares_rays();
        Needs {
            lanes: self.lanes_per_ray(),
            votes: self.sync() == Sync::Voted || self.organisation == TraversalLoop::Packet,
            prefix_sum: refills || shares,
            shared_memory: self.supply == Supply::Queue,
            global_counter: self.supply != Supply::Direct,
            gpu: self.sync() == Sync::Implicit,
            t_min_not_negative: self.box_test() == BoxTest::Integer,
        }
    }

    /// Returns the layout of the variant's stack. An entry is one word: a node, or a leaf's first record and how many;
    /// with compressed nodes two, a group.
    pub fn stack(&self) -> Stack {
        let entry_bytes = if self.tree.groups_leaves() { 8 } else { 4 };
        Stack { shared: self.organisation == TraversalLoop::Packet, entry_bytes }
    }

    /// Returns the papers' kernels. "Every variant" means these.
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

    /// Parses the text form; the name of a row of [`papers`] stands for its variant.
    fn from_str(text: &str) -> Result<Self, IllegalVariant> {
        if let Some(row) = papers().iter().find(|row| row.name == text) {
            return Ok(row.variant);
        }
        Self::parse_parts(text)
    }
}

impl Variant {
    /// Parses as [`FromStr`], without the names of rows.
    pub(crate) fn parse_parts(text: &str) -> Result<Self, IllegalVariant> {
        let (parts, options) = text.split_once('?').unwrap_or((text, ""));
        let mut names = parts.split('/');
        let (Some(supply), Some(organisation), Some(tree), None) =
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
            TraversalLoop::parse(organisation)
                .ok_or_else(|| unknown("organisation", organisation, TraversalLoop::NAMES))?,
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
