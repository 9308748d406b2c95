//! Conclusions from bounds, in words, and the change that would pay most.

use super::{RowGain, WhatIf};
use crate::bounds::Bounded;
use crate::bounds::words::in_words;
use crate::launch::ExpectedGain;
use crate::simulate::fullness::capital;
use crate::simulate::name_of;
use raywarp_report::short_mrays;
use raywarp_sim::bounds::{Bound, Class, headroom};

/// Returns a paragraph for each kernel: what limits it, what would limit it next, and which change would pay most.
pub(in crate::bounds) fn by_kernel(all: &[WhatIf], machine: usize, rows: &[(usize, &Bounded)]) -> Vec<String> {
    let mut said = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (_, row) in rows {
        let name = name_of(&row.variant);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let mut text = format!("{name}. ");
        let mine: Vec<&(usize, &Bounded)> = rows.iter().filter(|(_, row)| name_of(&row.variant) == name).collect();
        if mine.iter().all(|(_, row)| row.instructions.is_none()) {
            text += "No table has what it costs here, so memory alone bounds it. ";
        }
        let several = mine.iter().any(|(_, row)| row.profile.counts.width != mine[0].1.profile.counts.width);
        for (index, (number, row)) in mine.iter().enumerate() {
            let Some(bound) = row.lowest() else { continue };
            let lanes = if several { format!(" (warps of {})", row.profile.counts.width) } else { String::new() };
            let sure = if bound.class == Class::Strict { ", a strict bound" } else { "" };
            text += if index > 0 { " " } else { "" };
            text += &format!(
                "{} rays{lanes}: at most {} Mrays/s, by {}{sure}",
                capital(row.kind.name()),
                short_mrays(bound.rays_per_s),
                in_words(bound.limit)
            );
            let other = |(next, _): &(&Bound, f64)| in_words(next.limit) != in_words(bound.limit);
            if let Some((next, gain)) = headroom(&row.bounds).filter(other) {
                text += &format!("; next {}, at +{:.0} %", in_words(next.limit), 100.0 * gain);
            }
            if let Some(best) = change_for(all, machine, *number) {
                text += &format!("; what would pay most: {}", best.in_words());
            }
            text += ".";
        }
        said.push(text);
    }
    said
}

/// The change that would raise a kernel's rate most.
#[derive(Clone, Copy)]
pub(in crate::bounds) struct Best<'a> {
    pub what_if: &'a WhatIf,
    gain: &'a RowGain,
}

impl Best<'_> {
    /// Returns the gain as a fraction, of the expected rate if there is one, else of the lowest bound.
    pub fn share(&self) -> f64 {
        self.expected().map_or(self.gain.bound, ExpectedGain::share)
    }

    /// Returns the gain of the expected rate with its interval; `None` where none is predicted.
    pub fn expected(&self) -> Option<ExpectedGain> {
        self.gain.expected
    }

    /// Returns the change and its gain as text: `twice the alu pipeline, +12 % (undecided) of the expected rate`.
    pub fn in_words(&self) -> String {
        let change = &self.what_if.change;
        match self.expected() {
            Some(gain) => format!("{change}, {} of the expected rate", gain.in_words()),
            None => format!("{change}, {:+.0} % of that bound", 100.0 * self.share()),
        }
    }
}

/// Returns the change that raises a row's rate most, except for larger machines: one that raises its expected rate, if
/// there is any.
pub(in crate::bounds) fn change_for(all: &[WhatIf], machine: usize, row: usize) -> Option<Best<'_>> {
    let mine = all.iter().filter(|what_if| what_if.machine == machine && !what_if.yardstick);
    let of_row: Vec<Best<'_>> = mine.filter_map(|what_if| Some(Best { what_if, gain: what_if.of(row)? })).collect();
    let is_told = of_row.iter().any(|best| best.expected().is_some());
    let comparable = of_row.into_iter().filter(|best| best.expected().is_some() == is_told && best.share() >= 5e-3);
    comparable.max_by(|a, b| a.share().total_cmp(&b.share()))
}
