//! The sources that are compiled: a file a source, a kernel a stage and set of features.

use super::path_sources::{FeatureSet, FeatureStage, KernelTable};

/// Feature sets that kernels of whole paths are compiled for: scenes with features but without media seldom use these
/// large kernels, and have no set of their own.
const OF_PATHS: &[FeatureSet] = &[FeatureSet::Plain, FeatureSet::Everything];
const PLAIN: &[FeatureSet] = &[FeatureSet::Plain];

/// Names of the sources that are embedded as PTX only, for the driver to compile.
pub const PTX_ALONE: &[&str] = &["parts", "burdened_megakernel", "binary_tree"];

/// Table of the kernels that only experiments use, by source, stage and scene features.
pub const KERNEL_TABLE: KernelTable = KernelTable {
    parameters: "MeasuredRender",
    sources: &["compact", "tiled", "regenerate", "parts", "burdened_megakernel", "binary_tree"],
    of_features: &[
        FeatureStage::new("compact", "bounce", OF_PATHS, 4),
        FeatureStage::new("compact", "begin_paths", OF_PATHS, 8),
        FeatureStage::new("tiled", "tiled", OF_PATHS, 4),
        FeatureStage::new("regenerate", "regenerate", OF_PATHS, 4),
        FeatureStage::new("parts", "trace_paths", PLAIN, 8),
        FeatureStage::new("parts", "shade_paths", PLAIN, 4),
        FeatureStage::new("parts", "connect_paths", PLAIN, 8),
        FeatureStage::new("burdened_megakernel", "burdened_megakernel", OF_PATHS, 4),
        over_binary_tree("megakernel_while_while", ("burdened_megakernel", &["WHILE_WHILE"])),
        over_binary_tree("megakernel_speculative", ("burdened_megakernel", &["SPECULATIVE"])),
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

/// Describes a stage whose kernels trace rays through a binary tree, by another traversal loop than the product's.
const fn over_binary_tree(stage: &'static str, function: (&'static str, &'static [&'static str])) -> FeatureStage {
    FeatureStage { function, ..FeatureStage::new("binary_tree", stage, PLAIN, 4) }
}
