//! Shares of a measured time by where it went, of a launch and of several.

use super::{MeasuredRate, MeasuredRow};
use raywarp_sim::bounds::{Bound, Class, Limit};
use raywarp_sim::gap::{Part, split};

/// A part of the measured time of a launch, by what took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeShare {
    /// A time that the simulator knows separately.
    Of(Part),
    /// All but the useful work, which is not split further for lanes that are left to the hardware.
    Rest,
}

impl TimeShare {
    /// All parts of the time, in the order of a table's columns.
    pub const ALL: [Self; 7] = [
        Self::Of(Part::Work),
        Self::Of(Part::Lanes),
        Self::Of(Part::Pipe),
        Self::Of(Part::Passes),
        Self::Of(Part::Latency),
        Self::Of(Part::Tail),
        Self::Rest,
    ];

    /// Returns the name of the part in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Of(part) => part.name(),
            Self::Rest => "the rest",
        }
    }
}

/// Returns the fractions of a launch's measured time by part. Where nobody timed halves of the launch, start and tail
/// are part of what is left over, which is called latency.
pub(super) fn shares(rate: &MeasuredRate, implicit: bool, bounds: &[Bound]) -> Option<Vec<(TimeShare, f64)>> {
    let elapsed = 1.0 / rate.rays_per_s;
    // What is charged first keeps at least nothing.
    let tail = rate.start_and_tail.map(|seconds| (seconds / rate.rays as f64).min(elapsed));
    let busy = elapsed - tail.unwrap_or(0.0);
    if implicit {
        // Only the work is known of lanes that may run apart.
        let work = bounds.iter().find(|bound| bound.limit == Limit::Lanes)?;
        let work = (1.0 / work.rays_per_s).min(busy) / elapsed;
        let tail = tail.map(|tail| tail / elapsed);
        let known = [Some((TimeShare::Of(Part::Work), work)), tail.map(|tail| (TimeShare::Of(Part::Tail), tail))];
        let rest = (TimeShare::Rest, 1.0 - work - tail.unwrap_or(0.0));
        return Some(known.into_iter().flatten().chain([rest]).collect());
    }
    // A launch that is nothing but start and tail has no parts otherwise.
    let parts = split(elapsed, busy.max(f64::MIN_POSITIVE), bounds)?;
    let parts = Part::ALL.into_iter().zip(parts).filter(|(part, _)| *part != Part::Tail || tail.is_some());
    Some(parts.map(|(part, share)| (TimeShare::Of(part), share)).collect())
}

/// Returns a row of all viewpoints from those of each, as of launches one after the other.
pub(super) fn total<'a>(row: &MeasuredRow, parts: impl Iterator<Item = &'a MeasuredRow>) -> MeasuredRow {
    let parts: Vec<&MeasuredRow> = parts.collect();
    let rays: f64 = parts.iter().map(|part| part.rate.rays as f64).sum();
    let mut sum = MeasuredRow { bounds: bounds_of_all(&parts), ..row.clone() };
    let mean = |of: fn(&MeasuredRow) -> Option<f64>| -> Option<f64> {
        let weighed = parts.iter().map(|part| Some(of(part)? * part.rate.rays as f64));
        Some(weighed.sum::<Option<f64>>()? / rays)
    };
    let expected = parts.iter().map(|part| Some(part.rate.rays as f64 / part.expected?));
    sum.expected = expected.sum::<Option<f64>>().map(|seconds| rays / seconds);
    sum.assumed = mean(|part| part.assumed);
    sum.instructions = mean(|part| part.instructions);
    let seconds = |part: &MeasuredRow| part.rate.rays as f64 / part.rate.rays_per_s;
    let all: f64 = parts.iter().map(|part| seconds(part)).sum();
    let of_parts: Option<Vec<_>> =
        parts.iter().map(|part| Some((part.shares.as_ref()?, seconds(part) / all))).collect();
    sum.shares = of_parts.and_then(|of_parts| {
        let names: Vec<TimeShare> = of_parts.first()?.0.iter().map(|(share, _)| *share).collect();
        let of = |wanted: TimeShare| -> f64 {
            let found =
                |shares: &Vec<(TimeShare, f64)>| shares.iter().find(|(share, _)| *share == wanted).map_or(0.0, |s| s.1);
            of_parts.iter().map(|(shares, weight)| weight * found(shares)).sum()
        };
        Some(names.into_iter().map(|share| (share, of(share))).collect())
    });
    sum
}

/// Returns the bounds of several launches that run one after the other, by limit. A launch without a bound takes no
/// time of that resource.
fn bounds_of_all(parts: &[&MeasuredRow]) -> Vec<Bound> {
    let rays: f64 = parts.iter().map(|part| part.rate.rays as f64).sum();
    let mut all: Vec<Bound> = Vec::new();
    for bound in parts.iter().flat_map(|part| &part.bounds) {
        if all.iter().any(|known| known.limit == bound.limit) {
            continue;
        }
        let mut sum = Bound { class: Class::Strict, why: String::new(), ..bound.clone() };
        let mut seconds = 0.0;
        for part in parts {
            let Some(one) = part.bounds.iter().find(|one| one.limit == bound.limit) else { continue };
            seconds += part.rate.rays as f64 / one.rays_per_s;
            if one.class != Class::Strict {
                sum.class = one.class;
            }
            if !sum.why.contains(&one.why) {
                sum.why += if sum.why.is_empty() { "" } else { "; " };
                sum.why += &one.why;
            }
        }
        sum.rays_per_s = rays / seconds;
        all.push(sum);
    }
    all
}
