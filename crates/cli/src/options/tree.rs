//! Options of building a tree, which sub-commands share.

use crate::heading;
use clap::{Args, ValueEnum};
use raywarp::bvh::presets;
use raywarp::{BuildOptions, Builder};

/// Flags about the tree.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::TREE)]
pub struct TreeArgs {
    /// Options of the builder, from the fastest build to the best tree.
    ///
    /// The other options here change single ones [default: balanced; for trace with a GPU and for bench with --variant
    /// auto alone gpu; for bench else good, for simulate balanced with --builder sweep].
    #[arg(long, value_enum)]
    preset: Option<PresetArg>,
    /// Algorithm that builds the tree [default: the preset's].
    #[arg(long, value_enum)]
    builder: Option<BuilderArg>,
    /// Passes of reinsertion over the finished tree, 0 to 64 [default: the preset's].
    #[arg(long, value_name = "N")]
    reinsertion: Option<u32>,
    /// Most triangles of a leaf, 1 to 255 [default: 8].
    #[arg(long, value_name = "N")]
    max_leaf: Option<u32>,
    /// Cost of a node visit in triangle tests [default: 1].
    ///
    /// It decides where splitting stops.
    #[arg(long, value_name = "COST")]
    traversal_cost: Option<f32>,
    /// Early split clipping: extra references, as a share of the triangles [default: none].
    #[arg(long, value_name = "SHARE")]
    split: Option<f32>,
    /// Largest nodes that spatial splits cut, as a share of the root [default: the preset's].
    ///
    /// By the areas of their boxes, 0 to 1.
    #[arg(long, value_name = "SHARE")]
    split_below: Option<f32>,
}

/// Builders that `--builder` names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BuilderArg {
    /// Parallel binned SAH.
    Binned,
    /// Greedy SAH sweep (Aila and Laine 2009).
    Sweep,
    /// Binned SAH with spatial splits.
    Sbvh,
    /// Along the Morton curve.
    Lbvh,
    /// Merging neighbours from below.
    Ploc,
}

/// Presets that `--preset` names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PresetArg {
    /// Along the Morton curve.
    Fastest,
    /// Splits by binned SAH, for kernels that test four triangles at once.
    Blocks,
    /// As fastest, improved by reinsertion.
    Fast,
    /// Splits by binned SAH.
    Balanced,
    /// The same, improved by reinsertion.
    Good,
    /// Spatial splits, improved by reinsertion.
    Best,
    /// One triangle a leaf, for h8: every split tried, improved by reinsertion.
    Single,
    /// The same with spatial splits.
    SingleSplit,
    /// The same with spatial splits in all but the largest nodes.
    SingleSplitInner,
    /// The cheaper one of that and the same without spatial splits: both are built.
    Gpu,
}

impl BuilderArg {
    fn builder(self) -> Builder {
        match self {
            Self::Binned => Builder::BinnedSah,
            Self::Sweep => Builder::SweepSah,
            Self::Sbvh => Builder::Sbvh,
            Self::Lbvh => Builder::Lbvh,
            Self::Ploc => Builder::Ploc,
        }
    }
}

impl TreeArgs {
    /// Returns the first given flag about the tree, for commands or modes in which these mean nothing.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.preset.is_some(), "--preset"),
            (self.builder.is_some(), "--builder"),
            (self.reinsertion.is_some(), "--reinsertion"),
            (self.max_leaf.is_some(), "--max-leaf"),
            (self.traversal_cost.is_some(), "--traversal-cost"),
            (self.split.is_some(), "--split"),
            (self.split_below.is_some(), "--split-below"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }

    /// Returns the tree options for the library, which checks their ranges.
    pub fn options(&self) -> BuildOptions {
        self.with_builder(None)
    }

    /// Returns the tree options as [`TreeArgs::options`] does, but with `builder` if neither a builder nor a preset is
    /// given.
    pub fn options_or(&self, builder: Builder) -> BuildOptions {
        self.with_builder(self.preset.is_none().then_some(builder))
    }

    /// Returns the tree options as [`TreeArgs::options`] does, but with `preset` if neither a builder nor a preset is
    /// given.
    pub fn options_or_preset(&self, preset: BuildOptions) -> BuildOptions {
        if self.preset.is_some() || self.builder.is_some() {
            return self.options();
        }
        let reinsertion = self.reinsertion.unwrap_or(preset.reinsertion);
        BuildOptions { reinsertion, ..self.with_builder(Some(preset.builder)) }
    }

    fn with_builder(&self, default: Option<Builder>) -> BuildOptions {
        let preset = match self.preset.unwrap_or(PresetArg::Balanced) {
            PresetArg::Fastest => presets::FASTEST,
            PresetArg::Blocks => presets::BLOCKS,
            PresetArg::Fast => presets::FAST,
            PresetArg::Balanced => presets::BALANCED,
            PresetArg::Good => presets::GOOD,
            PresetArg::Best => presets::BEST,
            PresetArg::Single => presets::SINGLE,
            PresetArg::SingleSplit => presets::SINGLE_SPLIT,
            PresetArg::SingleSplitInner => presets::SINGLE_SPLIT_INNER,
            PresetArg::Gpu => presets::GPU,
        };
        BuildOptions {
            builder: self.builder.map(BuilderArg::builder).or(default).unwrap_or(preset.builder),
            reinsertion: self.reinsertion.unwrap_or(preset.reinsertion),
            max_leaf: if preset.max_leaf == 1 { 1 } else { self.max_leaf.unwrap_or(BuildOptions::default().max_leaf) },
            split_clipping: self.split,
            split_below: self.split_below.unwrap_or(preset.split_below),
            traversal_cost: self.traversal_cost.unwrap_or(preset.traversal_cost),
            ..preset
        }
    }
}

/// Returns the name of a tree builder on the command line.
pub fn builder_name(builder: Builder) -> String {
    let arg = BuilderArg::value_variants().iter().find(|arg| arg.builder() == builder);
    arg.and_then(ValueEnum::to_possible_value).map(|value| value.get_name().to_string()).unwrap_or_default()
}
