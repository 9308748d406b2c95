//! Benches of the GPU path tracer's organisations: the experiments of W11 and L9 on this machine's GPU.
//!
//! A *frame* is one sample of each pixel, as in W11; its seconds are the device's own, from the camera to the film's
//! sums, by events. All pictures of a table are compared with the first one's: they have to be the same, bit for bit.

mod blocks;
mod causes;
mod frames;
mod l9;
mod page;
mod resident_then;
mod table;
mod table_name;
mod w11;

pub use frames::{Bench, BenchPathsError, Setup};
pub use page::path_bench_report;
pub use table::Table;
pub use table_name::TableName;

/// Function that runs an experiment on a scene and makes its table.
type Experiment = fn(&Bench<'_>) -> Result<Table, BenchPathsError>;

/// Set of experiments that repeat those of one paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathSuite {
    /// Experiments of Wald 2011, on compaction of light paths.
    W11,
    /// Experiments of the lecture L9, on wavefront path tracing.
    L9,
}

impl PathSuite {
    /// All sets of experiments, in the order of their papers.
    pub const ALL: [Self; 2] = [Self::W11, Self::L9];

    /// Returns the name of the set of experiments on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::W11 => "w11",
            Self::L9 => "l9",
        }
    }

    /// Returns one line that says what the set of experiments measures.
    pub const fn about(self) -> &'static str {
        match self {
            Self::W11 => "W11: paths by megakernel, compaction and tiles, bounce by bounce; on a GPU",
            Self::L9 => "L9: queues of all lengths, kernels and their registers, random numbers; on a GPU",
        }
    }

    /// Returns the experiments of the set, each with the name of its table.
    const fn experiments(self) -> &'static [(TableName, Experiment)] {
        match self {
            Self::W11 => &[
                (TableName::Table1, w11::table_1),
                (TableName::Bounces, w11::bounces),
                (TableName::BouncesWhileWhile, w11::bounces_of_while_while),
                (TableName::Figure2, w11::figure_2),
                (TableName::Steps, causes::steps),
                (TableName::Places, causes::places),
                (TableName::Walks, causes::walks),
                (TableName::Shading, causes::shading),
                (TableName::Resolutions, causes::resolutions),
                (TableName::Accumulation, causes::accumulation),
                (TableName::Blocks, blocks::blocks),
            ],
            Self::L9 => &[
                (TableName::Queues, l9::queues),
                (TableName::Counts, l9::counts),
                (TableName::Stages, l9::stages),
                (TableName::Rounds, l9::rounds),
                (TableName::Kernels, l9::kernels),
                (TableName::Shares, l9::shares),
                (TableName::Samplers, l9::samplers),
            ],
        }
    }

    /// Returns the tables that the set of experiments can make, in the order in which they are made.
    pub fn tables(self) -> impl Iterator<Item = TableName> {
        self.experiments().iter().map(|(name, _)| *name)
    }

    /// Returns the tables made by default: all but those for which the driver compiles kernels for
    /// minutes.
    pub fn usual_tables(self) -> impl Iterator<Item = TableName> {
        self.tables().filter(|name| *name != TableName::Blocks)
    }

    /// Makes these tables one after the other and hands over each as it is done; asks `goes_on` before
    /// each further one.
    ///
    /// # Errors
    /// [`BenchPathsError`].
    pub fn run(
        self,
        bench: &Bench<'_>,
        names: &[TableName],
        goes_on: &dyn Fn() -> bool,
        done: &mut dyn FnMut(Table),
    ) -> Result<(), BenchPathsError> {
        for (name, experiment) in self.experiments().iter().filter(|(name, _)| names.contains(name)) {
            if !goes_on() {
                break;
            }
            let table = experiment(bench)?;
            debug_assert_eq!(table.name, *name);
            done(table);
        }
        Ok(())
    }
}
