//! Trees of a report, and the names that they can be built again by.

use crate::DataHash;
use raywarp_bvh::{BuildOptions, Builder, presets};

/// Facts about a tree that was built: options, time and size.
#[derive(Debug, Clone, Copy)]
pub struct TreeFacts {
    /// Options that the tree was built with.
    pub options: BuildOptions,
    /// Builder of the tree; for [`Builder::BestOf`], the builder whose tree was taken.
    pub builder: Builder,
    /// Seconds that building the tree took.
    pub seconds: f64,
    /// Number of nodes of the binary tree.
    pub nodes: usize,
    /// Hash of the binary tree, of which every encoding is made.
    pub hash: DataHash,
}

/// A numeric build option in a tree's name: its word, how to read it, and how to set it.
type Number = (&'static str, fn(&BuildOptions) -> Option<f32>, fn(&mut BuildOptions, f32));

/// Numeric build options that a tree's name gives where they are not the defaults.
const NUMBERS: [Number; 7] = [
    ("cost", |options| Some(options.traversal_cost), |options, cost| options.traversal_cost = cost),
    ("split", |options| options.split_clipping, |options, share| options.split_clipping = Some(share)),
    ("test", |options| Some(options.intersection_cost), |options, cost| options.intersection_cost = cost),
    ("alpha", |options| Some(options.split_alpha), |options, share| options.split_alpha = share),
    ("budget", |options| Some(options.split_budget), |options, share| options.split_budget = share),
    ("below", |options| Some(options.split_below), |options, share| options.split_below = share),
    ("worth", |options| (options.builder == Builder::BestOf).then_some(options.split_worth), best_of),
];

/// Makes options for a tree with spatial splits choose that tree only where it is better by `share`; changes no other
/// options.
fn best_of(options: &mut BuildOptions, share: f32) {
    if options.builder == Builder::Sbvh {
        (options.builder, options.split_worth) = (Builder::BestOf, share);
    }
}

impl TreeFacts {
    /// Returns the name of the preset, whatever the leaf size; else builder, number of reinsertion passes, and each
    /// option that is not that of [`BuildOptions::default`], so that [`TreeFacts::named`] gives the same tree.
    pub fn name(&self) -> String {
        let options = &self.options;
        match presets::name_of(options) {
            Some(name) => name.to_string(),
            None => {
                let mut name = format!("{}+{}", builder_name(options.builder), options.reinsertion);
                let default = BuildOptions::default();
                for (word, of, _) in NUMBERS {
                    if let Some(number) = of(options).filter(|number| of(&default) != Some(*number)) {
                        name += &format!(" {word} {number}");
                    }
                }
                name
            }
        }
    }

    /// Returns the build options for a name as [`TreeFacts::name`] returns it, with leaves of `max_leaf` triangles;
    /// `None` for other texts. What a name does not say is as in [`BuildOptions::default`].
    pub fn named(name: &str, max_leaf: u32) -> Option<BuildOptions> {
        if let Some(preset) = presets::named(name) {
            return Some(BuildOptions { max_leaf, ..preset });
        }
        let mut words = name.split(' ');
        let (builder, reinsertion) = words.next()?.split_once('+')?;
        const BUILDERS: [Builder; 6] =
            [Builder::SweepSah, Builder::BinnedSah, Builder::BinnedBlocks, Builder::Sbvh, Builder::Lbvh, Builder::Ploc];
        let builder = BUILDERS.into_iter().find(|&known| builder_name(known) == builder)?;
        let mut options =
            BuildOptions { builder, reinsertion: reinsertion.parse().ok()?, max_leaf, ..Default::default() };
        while let Some(key) = words.next() {
            let value = words.next()?.parse().ok().filter(|value: &f32| value.is_finite())?;
            let (_, _, set) = NUMBERS.into_iter().find(|(word, ..)| *word == key)?;
            set(&mut options, value);
        }
        Some(options)
    }
}

/// Returns the name of a tree builder on the command line.
pub(crate) fn builder_name(builder: Builder) -> &'static str {
    match builder {
        Builder::SweepSah => "sweep",
        Builder::BinnedSah => "binned",
        Builder::BinnedBlocks => "blocks",
        // With what it is worth, as a number of the tree.
        Builder::Sbvh | Builder::BestOf => "sbvh",
        Builder::Lbvh => "lbvh",
        Builder::Ploc => "ploc",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_known_by_its_name() {
        let own = BuildOptions { builder: Builder::Sbvh, reinsertion: 2, max_leaf: 4, ..Default::default() };
        let costly = BuildOptions { traversal_cost: 1.5, split_clipping: Some(0.25), ..own };
        let presets = presets::ALL.iter().chain(&presets::OF_SINGLES).map(|(_, preset)| *preset);
        // Every field by name: one that is added must be in the name, too.
        let all = BuildOptions {
            builder: Builder::BestOf,
            max_leaf: 3,
            split_clipping: Some(0.3),
            split_alpha: 2e-6,
            split_budget: 0.7,
            split_below: 0.5,
            split_worth: 0.9,
            reinsertion: 3,
            traversal_cost: 1e6,
            intersection_cost: 0.1,
        };
        // A preset with one option changed, as the command line makes it.
        let changed = BuildOptions { reinsertion: 4, ..presets::SINGLE_SPLIT_INNER };
        let singly = [
            BuildOptions { split_alpha: 0.5, ..own },
            BuildOptions { split_budget: 0.0, ..own },
            BuildOptions { split_below: 0.25, ..own },
            BuildOptions { builder: Builder::BestOf, split_worth: 0.75, ..own },
            BuildOptions { intersection_cost: 2.0, ..own },
        ];
        for options in presets.chain([own, costly, all, changed]).chain(singly) {
            let name =
                TreeFacts { options, builder: options.builder, seconds: 0.0, nodes: 1, hash: DataHash::default() }
                    .name();
            assert_eq!(TreeFacts::named(&name, options.max_leaf), Some(options), "{name}");
        }
        assert_eq!(
            TreeFacts { options: costly, builder: costly.builder, seconds: 0.0, nodes: 1, hash: DataHash::default() }
                .name(),
            "sbvh+2 cost 1.5 split 0.25"
        );
        for name in ["", "oak", "sweep", "sweep+", "oak+1", "sweep+1 cost", "sweep+1 cost x", "sweep+1 height 3"] {
            assert_eq!(TreeFacts::named(name, 8), None, "{name}");
        }
    }
}
