//! How fast GPUs render paths by each organisation: the experiments of W11 and L9 on this machine's GPU.
//!
//! A *frame* is one sample of each pixel, as in W11; its seconds are the device's own, from the camera to the film's sums, by
//! events. All pictures of a table are compared with the first one's: they have to be the same, bit for bit.

mod causes;
mod frames;
mod l9;
mod published;
mod table;
mod w11;

pub use frames::{Bench, BenchPathsError, Setup};
pub(crate) use published::TABLE_1;
pub use table::Table;

/// The experiments of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathSuite {
    /// Wald 2011.
    W11,
    /// The lecture.
    L9,
}

/// One of them.
type Experiment = fn(&Bench<'_>) -> Result<Table, BenchPathsError>;

impl PathSuite {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::W11, Self::L9];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::W11 => "w11",
            Self::L9 => "l9",
        }
    }

    /// What it is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::W11 => "W11: paths by megakernel, compaction and tiles, bounce by bounce; on a GPU",
            Self::L9 => "L9: queues of all lengths, kernels and their registers, random numbers; on a GPU",
        }
    }

    /// Runs its experiments one after the other, and hands over each table as it is done; `goes_on` is asked between two.
    ///
    /// # Errors
    /// [`BenchPathsError`].
    pub fn run(
        self,
        bench: &Bench<'_>,
        goes_on: &dyn Fn() -> bool,
        done: &mut dyn FnMut(Table),
    ) -> Result<(), BenchPathsError> {
        let experiments: &[Experiment] = match self {
            Self::W11 => &[
                w11::table_1,
                w11::bounces,
                w11::bounces_of_while_while,
                w11::figure_2,
                causes::steps,
                causes::places,
                causes::walks,
                causes::shading,
                causes::resolutions,
                causes::accumulation,
            ],
            Self::L9 => &[l9::queues, l9::counts, l9::stages, l9::rounds, l9::kernels, l9::shares, l9::samplers],
        };
        for experiment in experiments {
            if !goes_on() {
                break;
            }
            done(experiment(bench)?);
        }
        Ok(())
    }
}
