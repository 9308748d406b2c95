//! The set of all legal variants: their number, and a seeded sample of them.

use crate::{Key, Supply, TraversalLoop, Tree, Variant};

/// Returns every legal combination of supply, loop and tree, with all options at their defaults.
pub fn parts() -> impl Iterator<Item = Variant> {
    Supply::ALL.iter().flat_map(|&supply| {
        TraversalLoop::ALL.iter().flat_map(move |&traversal_loop| {
            Tree::ALL.iter().filter_map(move |&tree| Variant::new(supply, traversal_loop, tree).ok())
        })
    })
}

/// Returns every legal variant that differs from its parts' defaults in at most one option: a few hundred, for a reader
/// to go through.
pub fn single_changes() -> impl Iterator<Item = Variant> {
    parts().flat_map(|variant| {
        let changes = Key::ALL.iter().flat_map(move |&key| {
            key.values().iter().filter_map(move |value| variant.with(key, value).ok().filter(|v| *v != variant))
        });
        std::iter::once(variant).chain(changes)
    })
}

/// Draws a random legal variant by `seed`: parts first, each with the same chance, then a value for each option that
/// applies. Every legal variant comes up for some seed.
pub fn sample(seed: u64) -> Variant {
    let mut state = seed;
    let mut draw = |count: usize| {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count as u64) as usize
    };
    let all: Vec<Variant> = parts().collect();
    let mut variant = all[draw(all.len())];
    for &key in Key::ALL {
        let value = key.values()[draw(key.values().len())];
        variant = variant.with(key, value).unwrap_or(variant);
    }
    variant
}

/// Returns the number of legal variants of the family.
pub fn count() -> u64 {
    parts().map(|variant| count_from(variant, Key::ALL)).sum()
}

/// Returns the number of legal variants with the parts of `variant` and any values of `keys`: a product, as options are
/// independent but for `fetch` and `triangle`.
fn count_from(variant: Variant, keys: &[Key]) -> u64 {
    let Some((&key, rest)) = keys.split_first() else { return 1 };
    if key == Key::Fetch {
        let values = key.values().iter().filter_map(|value| variant.with(key, value).ok());
        return values.map(|v| count_from(v, rest)).sum::<u64>().max(count_from(variant, rest));
    }
    let choices = key.values().iter().filter(|value| variant.with(key, value).is_ok()).count().max(1);
    choices as u64 * count_from(variant, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fetch, IllegalVariant, Sync, TriangleTest};

    #[test]
    fn samples_print_and_parse_back() {
        for seed in 0..2000 {
            let variant = sample(seed);
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
    }

    #[test]
    fn samples_reach_every_combination_of_parts() {
        let seen: std::collections::BTreeSet<String> = (0..2000).map(|seed| sample(seed).parts()).collect();
        assert_eq!(seen.len(), parts().count());
    }

    #[test]
    fn there_are_hundreds_to_read_and_many_more_to_combine() {
        let count_to_read = single_changes().count();
        assert!(
            (300..2500).contains(&count_to_read),
            "{count_to_read} variants with one change: where a new part or option brings so many that nobody goes \
             through them, let it apply to fewer parts (Key::applies, Variant::parts_fault); else raise the limit \
             of this test and say so in the commit"
        );
        assert!(count() > 100_000, "{}", count());
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_a_reason() {
        let fault = |text: &str| text.parse::<Variant>().unwrap_err();
        assert!(matches!(fault("direct/packet/wide4"), IllegalVariant::Parts { .. }));
        assert!(matches!(fault("queue/packet/bvh2"), IllegalVariant::Parts { .. }));
        assert!(matches!(fault("direct/if-while/bvh2"), IllegalVariant::Parts { .. }));
        assert!(matches!(fault("direct/while-while/bvh2?postpone=1"), IllegalVariant::Option { .. }));
        assert!(matches!(fault("direct/while-while/bvh2?order=network5"), IllegalVariant::Option { .. }));
        assert!(matches!(fault("direct/while-while/bvh2?unroll=9"), IllegalVariant::Value { .. }));
        assert!(matches!(fault("direct/while-while/bvh2?speed=9"), IllegalVariant::UnknownKey { .. }));
        assert!(matches!(fault("direct/for-for/bvh2"), IllegalVariant::UnknownPart { .. }));
        assert!(matches!(fault("while-while"), IllegalVariant::Form(_)));
        assert!(matches!(
            fault("direct/while-while/bvh2?fetch=needed&triangle=watertight"),
            IllegalVariant::Together { .. }
        ));
        assert!(matches!(fault("direct/while-while/bvh2?unroll=2&unroll=3"), IllegalVariant::Twice(Key::Unroll)));
        assert!(matches!(fault("persistent/while-while/bvh2?batch=exact"), IllegalVariant::Option { .. }));
    }

    #[test]
    fn every_variant_has_a_voted_form_that_differs_in_nothing_else() {
        for variant in single_changes().chain((0..500).map(sample)) {
            let voted = variant.voted();
            assert_eq!(Ok(voted), variant.with(Key::Sync, "voted"), "{variant}");
            assert_eq!((voted.sync(), voted.voted()), (Sync::Voted, voted), "{variant}");
            let differ: Vec<Key> =
                Key::ALL.iter().copied().filter(|&key| voted.value(key) != variant.value(key)).collect();
            let expected = if variant.sync() == Sync::Voted { vec![] } else { vec![Key::Sync] };
            assert_eq!((voted.parts(), differ), (variant.parts(), expected), "{variant}");
        }
    }

    #[test]
    fn groups_are_turned_round_and_other_nodes_left_as_they_stand() {
        let with = |text: &str, value: &str| text.parse::<Variant>().unwrap().with(Key::Occlusion, value).is_ok();
        for text in ["replace/phased/h8", "replace/if-while/cwbvh8"] {
            assert_eq!(["sorted", "unsorted", "far"].map(|value| with(text, value)), [true, false, true], "{text}");
        }
        for text in ["direct/if-if/bvh2", "direct/while-while/wide4"] {
            assert_eq!(["sorted", "unsorted", "far"].map(|value| with(text, value)), [true, true, false], "{text}");
        }
    }

    #[test]
    fn defaults_may_be_written_and_are_left_out_when_printed() {
        let variant: Variant = "queue/while-while/bvh2?every=4&rounds=4&triangle=woop&fetch=needed".parse().unwrap();
        assert_eq!(variant.to_string(), "queue/while-while/bvh2?fetch=needed");
        assert_eq!((variant.fetch(), variant.triangle()), (Fetch::Needed, TriangleTest::Woop));
        assert_eq!((variant.every(), variant.rounds()), (4, Some(4)));
    }
}
