//! How a tree is built: flags that sub-commands share.

use clap::{Args, ValueEnum};
use raywarp::{BuildOptions, Builder};

/// Flags about the tree.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tree")]
pub struct TreeArgs {
    /// How the tree is built.
    #[arg(long, value_enum, default_value_t = BuilderArg::Binned)]
    builder: BuilderArg,
    /// Most triangles of a leaf, 1 to 255.
    #[arg(long, value_name = "N", default_value_t = BuildOptions::default().max_leaf)]
    max_leaf: u32,
    /// Cost of a node visit in triangle tests, for deciding where to stop splitting.
    #[arg(long, value_name = "COST", default_value_t = BuildOptions::default().traversal_cost)]
    traversal_cost: f32,
    /// Early split clipping: extra references as a share of the triangles.
    #[arg(long, value_name = "SHARE")]
    split: Option<f32>,
    /// Passes that move subtrees to better places once the tree is built, 0 to 64.
    #[arg(long, value_name = "PASSES", default_value_t = BuildOptions::default().reinsertion)]
    reinsertion: u32,
}

/// `--builder`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BuilderArg {
    /// Parallel binned SAH.
    Binned,
    /// Greedy SAH sweep (Aila and Laine 2009).
    Sweep,
    /// Binned SAH with spatial splits (Stich, Friedrich and Dietrich 2009).
    Sbvh,
    /// Along the Morton curve: the fastest to build, the slowest to trace.
    Lbvh,
    /// Neighbours along the Morton curve merged from below (Meister and Bittner 2018).
    Ploc,
}

impl TreeArgs {
    /// The flags as the library takes them, which checks their ranges.
    pub fn options(&self) -> BuildOptions {
        let builder = match self.builder {
            BuilderArg::Binned => Builder::BinnedSah,
            BuilderArg::Sweep => Builder::SweepSah,
            BuilderArg::Sbvh => Builder::Sbvh,
            BuilderArg::Lbvh => Builder::Lbvh,
            BuilderArg::Ploc => Builder::Ploc,
        };
        BuildOptions {
            builder,
            max_leaf: self.max_leaf,
            split_clipping: self.split,
            traversal_cost: self.traversal_cost,
            reinsertion: self.reinsertion,
            ..BuildOptions::default()
        }
    }

    /// The builder as it is named on the command line.
    pub fn builder(&self) -> String {
        self.builder.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
}
