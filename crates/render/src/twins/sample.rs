//! Twins of the crate raywarp-sample.

use super::Twin;
use raywarp_sample::hash;

pub(super) const TWINS: &[Twin] = &[Twin {
    name: "sample_hash",
    make: |numbers, _, case| {
        case.word(numbers.word()).word(numbers.word());
    },
    run: |_, case, answer| {
        let (key, value) = (case.word(), case.word());
        answer.word(hash::combine(key, value)).number(hash::to_unit(key));
    },
}];
