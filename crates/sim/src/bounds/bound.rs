//! A bound of a rate: which resource limits it, how sure it is, and by which costs.

use raywarp_costs::Pipe;

/// Resource of the machine that limits a kernel's rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Instructions of lanes, over all lanes of the machine, as if every warp were full.
    Lanes,
    /// Issued warp instructions, over the schedulers' issue slots.
    Issue,
    /// Warp instructions of one pipeline, or of several that share its lanes, over its lanes.
    Pipe(Pipe),
    /// Products of integers, over their lanes on a machine whose `fma` pipeline has no heavy half that takes them.
    IntegerProducts,
    /// Warp instructions that are needed however rays are dealt to warps ([`crate::LeastWork`]), over the schedulers'
    /// issue slots.
    LeastIssue,
    /// Instructions of one pipeline, or of several that share its lanes, that are needed however rays are dealt to
    /// warps.
    LeastPipe(Pipe),
    /// Products of integers that are needed however rays are dealt to warps, over the lanes of
    /// [`Limit::IntegerProducts`].
    LeastIntegerProducts,
    /// Passes through the first cache's data stage, at the least number that the distinct bytes need.
    L1Least,
    /// Passes through the first cache's data stage, as an H200 was seen to make them
    /// ([`crate::memory::AccessCost::passes`]).
    L1Passes,
    /// Bytes that must be read from and written to memory, whatever the caches hold before and after.
    Dram,
    /// Bytes that must be read from memory if the caches are empty at first, and that are written in the end.
    DramCold,
    /// Bytes read from and written to memory by a model of least-recently-used caches ([`crate::memory::Traffic`]).
    DramLru,
    /// Bytes between the first and the second caches by a model of least-recently-used caches
    /// ([`crate::memory::Traffic`]).
    L2,
    /// Chains of dependent instructions, over the number of resident warps.
    Latency,
}

impl Limit {
    /// Returns the name of the limit in tables.
    pub fn name(self) -> String {
        match self {
            Self::Lanes => "full lanes".into(),
            Self::Issue => "issue".into(),
            Self::Pipe(pipe) => format!("pipe {}", pipe.name()),
            Self::IntegerProducts => "pipe imul".into(),
            Self::LeastIssue => "least issue".into(),
            Self::LeastPipe(pipe) => format!("least pipe {}", pipe.name()),
            Self::LeastIntegerProducts => "least pipe imul".into(),
            Self::L1Least => "L1 bytes".into(),
            Self::L1Passes => "L1 passes".into(),
            Self::Dram => "DRAM".into(),
            Self::DramCold => "DRAM, cold".into(),
            Self::DramLru => "DRAM, LRU".into(),
            Self::L2 => "L2".into(),
            Self::Latency => "latency".into(),
        }
    }

    /// Returns the limit that has a name in tables; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        let single = [
            Self::Lanes,
            Self::Issue,
            Self::IntegerProducts,
            Self::LeastIssue,
            Self::LeastIntegerProducts,
            Self::L1Least,
            Self::L1Passes,
            Self::Dram,
            Self::DramCold,
            Self::DramLru,
            Self::L2,
            Self::Latency,
        ];
        let of_pipes = Pipe::ALL.into_iter().flat_map(|pipe| [Self::Pipe(pipe), Self::LeastPipe(pipe)]);
        single.into_iter().chain(of_pipes).find(|limit| limit.name() == name)
    }

    /// Returns `true` if the limit is of the instructions that a kernel issues.
    pub fn is_of_instructions(self) -> bool {
        match self {
            Self::Lanes | Self::Issue | Self::Pipe(_) | Self::IntegerProducts => true,
            Self::LeastIssue | Self::LeastPipe(_) | Self::LeastIntegerProducts => true,
            Self::L1Least | Self::L1Passes | Self::Dram | Self::DramCold | Self::DramLru | Self::L2 | Self::Latency => {
                false
            }
        }
    }
}

/// Certainty of a bound: if a run can exceed it, and what it assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A true bound: every part of it is a minimum.
    Strict,
    /// A bound that assumes something of the machine or its caches.
    Modelled,
    /// An estimate, not a bound, by costs that were fitted to published rates of a simulator.
    Fitted,
    /// An estimate, not a bound, by the machine code of another, similar machine.
    Likened,
}

impl Class {
    /// Returns the name of the class in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Modelled => "modelled",
            Self::Fitted => "fitted",
            Self::Likened => "likened",
        }
    }

    /// Returns the mark behind a rate in tables: a star for strict bounds, a tilde for estimates that are no bounds.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Strict => "*",
            Self::Modelled => "",
            Self::Fitted | Self::Likened => "~",
        }
    }
}

/// Origin of a kernel's instruction costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CostBasis {
    /// Costs of machine code that the machine runs, or of a table that the user gives.
    #[default]
    Code,
    /// Costs that were fitted to published rates.
    Fitted,
    /// Costs of the machine code of another machine.
    Likened,
}

impl CostBasis {
    /// Returns the class of a rate from such costs if it is an estimate; `None` if it is a bound.
    pub(super) fn no_bound(self) -> Option<Class> {
        match self {
            Self::Code => None,
            Self::Fitted => Some(Class::Fitted),
            Self::Likened => Some(Class::Likened),
        }
    }
}

/// An upper bound on a kernel's rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Resource that limits the rate.
    pub limit: Limit,
    /// Largest possible number of rays a second.
    pub rays_per_s: f64,
    /// Class of the bound, which says whether it can be exceeded.
    pub class: Class,
    /// Text of the assumption behind the bound, or of what makes it a minimum.
    pub why: String,
}

/// Returns the lowest of the given bounds; `None` where none is given.
pub fn lowest<'a>(bounds: impl IntoIterator<Item = &'a Bound>) -> Option<&'a Bound> {
    bounds.into_iter().min_by(|a, b| a.rays_per_s.total_cmp(&b.rays_per_s))
}

/// Returns the second lowest bound, and the fraction by which the rate could rise if the resource of the lowest one did
/// not limit it. None of less than two bounds.
pub fn headroom(bounds: &[Bound]) -> Option<(&Bound, f64)> {
    let first = lowest(bounds)?;
    let next = lowest(bounds.iter().filter(|bound| bound.limit != first.limit))?;
    Some((next, next.rays_per_s / first.rays_per_s - 1.0))
}
