//! Options that are worth choosing, from the fastest build to the best tree.
//!
//! What they cost and give, on sibenik (75,284 triangles), conference (331,179), crytek_sponza (262,205)
//! and kitchen (1,443,517): processor time, compared with that of [`BALANCED`] in the same run on two
//! threads of a busy machine; [`Bvh2::sah_cost`](crate::Bvh2::sah_cost); and
//! [`Bvh2::epo_cost`](crate::Bvh2::epo_cost), what rays visit for nothing.
//!
//! | preset | time | SAH cost | end-point overlap |
//! |---|---|---|---|
//! | [`FASTEST`] | 0.56, 0.42, 0.53, 0.44 | 58.1, 49.8, 98.6, 45.7 | 8.7, 13.8, 20.5, 11.4 |
//! | [`FAST`] | 0.9, 0.7, 1.1, 1.0 | 50.2, 31.4, 66.4, 29.8 | 6.0, 6.2, 6.9, 4.1 |
//! | [`BLOCKS`] | 0.5, 0.6, 0.5, 0.6 | 50.1, 38.9, 78.1, 40.7 | 4.5, 8.7, 11.9, 7.7 |
//! | [`BALANCED`] | 1, 1, 1, 1 | 47.2, 36.9, 75.9, 39.0 | 4.1, 7.1, 11.7, 7.7 |
//! | [`GOOD`] | 1.4, 1.4, 1.5, 1.4 | 44.6, 30.3, 61.8, 29.0 | 3.7, 5.4, 5.0, 4.4 |
//! | [`BEST`] | 4.6, 3.1, 3.9, 2.5 | 42.3, 28.7, 56.9, 29.7 | 1.7, 2.2, 1.9, 1.5 |

use crate::{BuildOptions, Builder};

/// Preset of the Morton-curve builder: built in half the time of [`BALANCED`], and traced slower than any other. For
/// geometry that changes from frame to frame.
pub const FASTEST: BuildOptions = BuildOptions { builder: Builder::Lbvh, ..BALANCED };

/// Preset of [`FASTEST`] with four passes of reinsertion: built in the time of [`BALANCED`], and cheaper to trace in
/// all scenes but sibenik. Deep: 32 to 48 nodes, where [`BALANCED`] has 23 to 31.
pub const FAST: BuildOptions = BuildOptions { reinsertion: 4, ..FASTEST };

/// Preset of the binned builder for kernels that test four triangles at once, as the CPU's do: the default of scenes
/// that no GPU is named for. A tenth less memory than with [`BALANCED`]; rays take 0.95 to 1.04 of the time.
pub const BLOCKS: BuildOptions =
    BuildOptions { builder: Builder::BinnedBlocks, max_leaf: 8, traversal_cost: 0.1, ..BALANCED };

/// Preset of the binned builder: the default of [`BuildOptions`], field by field.
pub const BALANCED: BuildOptions = BuildOptions {
    builder: Builder::BinnedSah,
    max_leaf: 8,
    split_clipping: None,
    split_alpha: 1e-5,
    split_budget: 1.0,
    split_below: 1.0,
    split_worth: crate::build::SPLIT_WORTH,
    reinsertion: 0,
    traversal_cost: 1.0,
    intersection_cost: 1.0,
};

/// Preset of [`BALANCED`] with eight passes of reinsertion: the best tree without cut triangles.
pub const GOOD: BuildOptions = BuildOptions { reinsertion: 8, ..BALANCED };

/// Preset with spatial splits and eight passes of reinsertion: the fewest triangles tested. Holds 7 to 24 % more
/// references than triangles in the four scenes, never more than twice as many.
pub const BEST: BuildOptions = BuildOptions { builder: Builder::Sbvh, ..GOOD };

/// Preset with one triangle per leaf, for encodings that group triangles themselves, such as the eight-wide ones for
/// GPUs. Every split is tried, since such trees are built once and walked often, and ten passes of reinsertion.
pub const SINGLE: BuildOptions = BuildOptions { builder: Builder::SweepSah, max_leaf: 1, reinsertion: 10, ..BALANCED };

/// Preset with one triangle per leaf and spatial splits: better than [`SINGLE`] for closest-hit rays, less so for
/// shadow rays. These end early in large triangles that are not split.
pub const SINGLE_SPLIT: BuildOptions = BuildOptions { builder: Builder::Sbvh, ..SINGLE };

/// Preset with one triangle per leaf and spatial splits in all but the largest nodes. In a room of walls that end most
/// rays it takes a sixth less work than [`SINGLE`] or [`SINGLE_SPLIT`], and more in an atrium whose large triangles lie
/// aslant.
pub const SINGLE_SPLIT_INNER: BuildOptions = BuildOptions { split_below: 0.5, ..SINGLE_SPLIT };

/// Default preset of the GPU kernels: [`SINGLE_SPLIT_INNER`], or that without cuts where cuts do not pay.
pub const GPU: BuildOptions = BuildOptions { builder: Builder::BestOf, ..SINGLE_SPLIT_INNER };

/// Presets for trees that are traversed as built, by name, from the fastest build to the best tree.
pub const ALL: [(&str, BuildOptions); 6] =
    [("fastest", FASTEST), ("blocks", BLOCKS), ("fast", FAST), ("balanced", BALANCED), ("good", GOOD), ("best", BEST)];

/// Presets with one triangle per leaf, by name, for encodings that merge leaves; as built they cost more to traverse.
pub const OF_SINGLES: [(&str, BuildOptions); 4] =
    [("single", SINGLE), ("single-split", SINGLE_SPLIT), ("single-split-inner", SINGLE_SPLIT_INNER), ("gpu", GPU)];

/// Returns the preset called `name` in [`ALL`] or [`OF_SINGLES`], if there is one.
pub fn named(name: &str) -> Option<BuildOptions> {
    ALL.into_iter().chain(OF_SINGLES).find(|(known, _)| *known == name).map(|(_, options)| options)
}

/// Returns the name of the preset in [`ALL`] or [`OF_SINGLES`] that has these options, whatever their leaf size; `None`
/// if there is none.
pub fn name_of(options: &BuildOptions) -> Option<&'static str> {
    let is_it = |preset: &BuildOptions| BuildOptions { max_leaf: options.max_leaf, ..*preset } == *options;
    ALL.iter().chain(&OF_SINGLES).find(|(_, preset)| is_it(preset)).map(|&(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_and_the_balanced_one_is_the_default() {
        assert_eq!(BALANCED, BuildOptions::default());
        assert_eq!(named("best"), Some(BEST));
        assert_eq!(name_of(&BuildOptions { max_leaf: 3, ..BEST }), Some("best"));
        assert_eq!(name_of(&BuildOptions { reinsertion: 3, ..BEST }), None);
        assert_eq!(named("Best"), None);
        assert_eq!(named("single"), Some(SINGLE));
        assert_eq!((named("gpu"), name_of(&SINGLE_SPLIT_INNER)), (Some(GPU), Some("single-split-inner")));
        for (name, options) in ALL.into_iter().chain(OF_SINGLES) {
            assert_eq!(options.check(1), Ok(()), "{name}");
        }
    }
}
