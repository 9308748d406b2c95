//! The tables and figures of the papers: what each holds, how ours is made, and what of it was fitted.

use raywarp_papers::Measure;
use raywarp_study::simulate::Experiment;
use raywarp_workload::rays::{Order, RayKind, Workload};

/// A paper by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// Aila and Laine 2009.
    Al09,
    /// Aila, Laine and Karras 2012.
    Alk12,
    /// Guthe 2014, on latency.
    G14,
    /// Wald 2011, on compaction.
    W11,
    /// Bikker's lecture 9.
    L9,
}

impl Paper {
    /// All papers, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Al09, Self::Alk12, Self::G14, Self::W11, Self::L9];

    /// Returns the paper's key on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Al09 => "al09",
            Self::Alk12 => "alk12",
            Self::G14 => "g14",
            Self::W11 => "w11",
            Self::L9 => "l9",
        }
    }

    /// Returns the paper with this key; `None` if there is none.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|paper| paper.key() == key)
    }

    /// Returns authors, title and year.
    pub fn title(self) -> &'static str {
        match self {
            Self::Al09 => "Aila and Laine 2009, Understanding the Efficiency of Ray Traversal on GPUs",
            Self::Alk12 => "Aila, Laine and Karras 2012, the Kepler and Fermi addendum to it",
            Self::G14 => "Guthe 2014, Latency Considerations of Depth-first GPU Ray Tracing",
            Self::W11 => "Wald 2011, Active Thread Compaction for GPU Path Tracing",
            Self::L9 => "Bikker, lecture 9 of Advanced Graphics, GPU Ray Tracing (2)",
        }
    }
}

/// A quantity of an exhibit, a column of its table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// Key in records.
    pub key: &'static str,
    /// Heading of its columns.
    pub head: &'static str,
    /// Words on it for the title of its table, where it has a column; empty where the title says it already.
    pub says: &'static str,
    /// Kind of its numbers.
    pub measure: Measure,
    /// Unit of its numbers.
    pub unit: &'static str,
    /// Digits after the point.
    pub digits: usize,
    /// `true` if ours stands beside theirs to be compared; `false` if they are of two machines.
    pub is_compared: bool,
}

impl Quantity {
    const fn new(key: &'static str, head: &'static str, measure: Measure, unit: &'static str, digits: usize) -> Self {
        Self { key, head, says: "", measure, unit, digits, is_compared: true }
    }

    /// Makes a share in per cent.
    pub(super) const fn share(key: &'static str, head: &'static str) -> Self {
        Self::new(key, head, Measure::Share, "%", 0)
    }

    /// Makes a gain of rates in per cent.
    pub(super) const fn gain(key: &'static str, head: &'static str) -> Self {
        Self::new(key, head, Measure::Gain, "%", 0)
    }

    /// Makes a factor between two numbers.
    pub(super) const fn factor(key: &'static str, head: &'static str) -> Self {
        Self::new(key, head, Measure::Factor, "times", 2)
    }

    /// Makes a rate, time, size or count.
    pub(super) const fn amount(key: &'static str, head: &'static str, unit: &'static str, digits: usize) -> Self {
        Self::new(key, head, Measure::Amount, unit, digits)
    }

    /// Sets the digits after the point.
    pub(super) const fn digits(mut self, digits: usize) -> Self {
        self.digits = digits;
        self
    }

    /// Sets the words for the title of its table.
    pub(super) const fn says(mut self, says: &'static str) -> Self {
        self.says = says;
        self
    }

    /// Says that ours and theirs are of two machines or scenes, so that they are not compared.
    pub(super) const fn apart(mut self) -> Self {
        self.is_compared = false;
        self
    }
}

/// A table of an exhibit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExhibitTable {
    /// Title of the table, with the unit of its numbers; what its columns say of themselves follows it.
    pub title: &'static str,
    /// Quantities that are its columns.
    pub quantities: &'static [Quantity],
}

/// The way in which our numbers of an exhibit are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Making {
    /// Kernels are simulated on a GPU of the paper, by efficiencies and rates.
    Kernels(&'static SimulatedKernels),
    /// An experiment of AL09 is simulated. Its tables have these quantities; a list of none leaves a table out.
    Experiment(Experiment, &'static [&'static [&'static str]]),
    /// Trees are built and their nodes counted.
    Nodes,
    /// A GPU is needed, on which a suite of the benches measures it.
    Gpu,
}

/// Kernels that are simulated on machines of a paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedKernels {
    /// Rays that are traced.
    pub workload: Workload,
    /// Tree that the rays are traced in.
    pub tree: PaperTree,
    /// Kinds of rays.
    pub kinds: &'static [RayKind],
    /// Orders of the rays, each with what it adds to the name of a kind.
    pub orders: &'static [(Order, &'static str)],
    /// Largest numbers of triangles of a leaf, which begin the names of subjects; none for the builder's own.
    pub leaves: &'static [u32],
    /// Short name of a machine, a kernel that it runs, and the subject that the numbers are of.
    pub runs: &'static [(&'static str, &'static str, &'static str)],
    /// Keys of the quantities that are taken of them.
    pub quantities: &'static [&'static str],
    /// Further kernels of the exhibit, in another tree or of other quantities.
    pub beside: &'static [SimulatedKernels],
}

/// A tree in which kernels of a paper are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaperTree {
    /// By the greedy surface area heuristic, with leaves of at most 8 (AL09 2).
    Greedy,
    /// With leaves that are filled, and as many extra references by splits as triangles: the one that was chosen for
    /// AL09.
    FullLeaves,
    /// That of preset `good`, in which kernels are measured.
    Good,
}

impl SimulatedKernels {
    /// Kernels of all kinds of rays, in their workload's order, in leaves of the builder's own size.
    pub(super) const fn of(
        workload: Workload,
        runs: &'static [(&'static str, &'static str, &'static str)],
        quantities: &'static [&'static str],
    ) -> Self {
        let orders = &[(Order::Workload, "")];
        let tree = PaperTree::Greedy;
        Self { workload, tree, kinds: &RayKind::ALL, orders, leaves: &[], runs, quantities, beside: &[] }
    }

    /// Returns these kernels and those beside them.
    pub(super) fn all(&'static self) -> impl Iterator<Item = &'static Self> {
        std::iter::once(self).chain(self.beside)
    }
}

/// Numbers of an exhibit that follow from its rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Formed {
    /// Gains of half of the subjects over the others.
    Gains {
        /// Ends of the names of a subject that gains and of the one below it, after a beginning that both have.
        ends: [&'static str; 2],
        /// Keys of the gains, each with those of the rates that it follows from; the last that is there counts.
        of: &'static [(&'static str, &'static [&'static str])],
    },
    /// Gains of subjects over one of them on several machines. Their rates are no quantity of the exhibit.
    OnMachines {
        /// Key of the rates, whose subjects are a machine and what it runs: `GTX 680, 4-ary`.
        rate: &'static str,
        /// What is run that the others are compared with.
        base: &'static str,
        /// Keys of the gains, each with its machine.
        of: &'static [(&'static str, &'static str)],
        /// Name that the geometric mean over all scenes has as a scene.
        mean: &'static str,
    },
    /// Shares of measured rates in bounds of the same subject on the same GPU.
    Share {
        /// Key of the shares.
        key: &'static str,
        /// Key of the measured rates.
        of: &'static str,
        /// Key of the bounds.
        bound: &'static str,
        /// The GPU that the bounds are of. A rate of another GPU has no share.
        gpu: &'static str,
    },
}

/// Form of an exhibit's picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureForm {
    /// Bars of ours beside theirs.
    Bars,
    /// Lines over the numbers that subjects are.
    Lines,
    /// Relative rates over relative operations and bandwidth (ALK12 figure 3).
    Generations,
}

/// A table or figure of a paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exhibit {
    /// Paper that has it.
    pub paper: Paper,
    /// Name on the command line.
    pub name: &'static str,
    /// The table, figure or section.
    pub place: &'static str,
    /// Subject of the table or figure.
    pub what: &'static str,
    /// Tables that it consists of.
    pub parts: &'static [ExhibitTable],
    /// The way in which our numbers are made.
    pub making: Making,
    /// Numbers that follow from its rates.
    pub formed: Option<Formed>,
    /// Scenes of which ours is made where they are there.
    pub scenes: &'static [&'static str],
    /// Suite of `raywarp bench` that measures it on a GPU.
    pub suite: Option<&'static str>,
    /// Parts of our numbers that were fitted to theirs, or chosen by them.
    pub fitted: &'static [&'static str],
    /// Notes for readers of the table.
    pub notes: &'static [&'static str],
    /// Form of its picture.
    pub picture: PictureForm,
    /// The file of our numbers on the reference scenes.
    pub(super) stored: &'static str,
}

impl Exhibit {
    /// Returns the quantity with this key; `None` if the exhibit has none of that key.
    pub fn quantity(&self, key: &str) -> Option<&'static Quantity> {
        self.parts.iter().flat_map(|part| part.quantities).find(|quantity| quantity.key == key)
    }
}

/// Rays of a kind and view that simulated kernels trace.
pub const SAMPLE: usize = 50_000;

/// Returns `true` if our numbers of an exhibit can be simulated.
pub fn is_simulated(exhibit: &Exhibit) -> bool {
    exhibit.making != Making::Gpu
}

/// Returns the number of rays of a kind and view of which our numbers of an exhibit are made; `None` where no rays are
/// sampled.
pub(super) fn own_sample(exhibit: &Exhibit) -> Option<usize> {
    match exhibit.making {
        Making::Kernels(_) => Some(SAMPLE),
        Making::Experiment(which, _) => Some(which.sample()),
        Making::Nodes | Making::Gpu => None,
    }
}
