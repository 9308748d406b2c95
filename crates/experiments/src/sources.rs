//! The sources that are compiled: a file a source, a kernel a stage and set of features.

use super::path_sources::{FeatureSet, FeatureStage, KernelTable};

/// Scenes without media are rare guests of kernels that do all of a path, which are large.
const OF_PATHS: &[FeatureSet] = &[FeatureSet::Plain, FeatureSet::Everything];
const PLAIN: &[FeatureSet] = &[FeatureSet::Plain];

/// Sources of which there is PTX alone, for drivers to compile.
pub const PTX_ALONE: &[&str] = &["parts", "binary_tree"];

/// Table of the kernels that only experiments use.
pub const KERNEL_TABLE: KernelTable = KernelTable {
    sources: &["compact", "tiled", "regenerate", "parts", "binary_tree"],
    of_features: &[
        FeatureStage::new("compact", "bounce", OF_PATHS, 4),
        FeatureStage::new("compact", "begin_paths", OF_PATHS, 8),
        FeatureStage::new("tiled", "tiled", OF_PATHS, 4),
        FeatureStage::new("regenerate", "regenerate", OF_PATHS, 4),
        FeatureStage::new("parts", "trace_paths", PLAIN, 8),
        FeatureStage::new("parts", "shade_paths", PLAIN, 4),
        FeatureStage::new("parts", "connect_paths", PLAIN, 8),
        over_binary_tree("megakernel_while_while", ("megakernel", &["WHILE_WHILE"])),
        over_binary_tree("megakernel_speculative", ("megakernel", &["SPECULATIVE"])),
        over_binary_tree("bounce_while_while", ("bounce", &["WHILE_WHILE"])),
        over_binary_tree("bounce_speculative", ("bounce", &["SPECULATIVE"])),
    ],
    plain: &[
        ("compact", "begin_bounce", 1),
        ("compact", "count_alive", 8),
        ("compact", "list_alive", 8),
        ("compact", "list_by_atomics", 8),
    ],
    by_class: None,
};

/// Describes a stage of another loop over the tree.
const fn over_binary_tree(stage: &'static str, function: (&'static str, &'static [&'static str])) -> FeatureStage {
    FeatureStage { function, ..FeatureStage::new("binary_tree", stage, PLAIN, 4) }
}
