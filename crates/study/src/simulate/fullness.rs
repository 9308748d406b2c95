//! What reports conclude of full warps, in words and in charts.

use super::{Measurement, TracedRays, name_of, paper_variant};
use raywarp_family::Variant;
use raywarp_report::{
    Column, Document, ReportTable, Sheet, Unit, Value,
    chart::{Bar, Bars},
};
use raywarp_sim::WarpCounts;

const OPERATIONS: [&str; 2] = ["traversal", "intersection"];

/// SIMD efficiency of a kernel with its rays, warp width and leaf size.
pub(crate) struct Filled<'a> {
    pub variant: &'a Variant,
    pub kind: TracedRays,
    pub width: u32,
    pub leaf_size: u32,
    /// Percentage of lanes at work in traversal and in intersection; NaN for an operation that never ran.
    pub percent: [f64; 2],
}

impl<'a> Filled<'a> {
    /// Returns the efficiency in a measurement.
    pub fn new(measurement: &'a Measurement) -> Self {
        let Measurement { variant, kind, leaf_size, counts, .. } = measurement;
        Self { variant, kind: *kind, width: counts.width, leaf_size: *leaf_size, percent: measurement.percent() }
    }
}

/// Returns the kinds of rays that occur, in their order.
fn kinds_of(filled: &[Filled<'_>]) -> Vec<TracedRays> {
    let mut kinds = Vec::new();
    filled.iter().for_each(|one| add(&mut kinds, one.kind));
    kinds
}

/// Returns the warp width that conclusions are about: 32, or else the widest.
fn width_of(filled: &[Filled<'_>]) -> u32 {
    let widest = filled.iter().map(|one| one.width).max().unwrap_or(32);
    if filled.iter().any(|one| one.width == 32) { 32 } else { widest }
}

/// Returns for each kind of rays the kernels with the most lanes at work in traversal.
pub(super) fn fullest(filled: &[Filled<'_>]) -> ReportTable {
    let width = width_of(filled);
    let mut rows: Vec<&Filled<'_>> = Vec::new();
    for kind in kinds_of(filled) {
        let mine = filled.iter().filter(|one| one.kind == kind && one.width == width && one.percent[0].is_finite());
        let mut mine: Vec<&Filled<'_>> = mine.collect();
        mine.sort_by(|a, b| b.percent[0].total_cmp(&a.percent[0]).then(b.percent[1].total_cmp(&a.percent[1])));
        // Of several sizes of leaves the best.
        let mut named: Vec<&Variant> = Vec::new();
        mine.retain(|one| {
            !named.contains(&one.variant) && {
                named.push(one.variant);
                true
            }
        });
        rows.extend(mine.into_iter().take(5));
    }
    let share = |number: usize| Column::new(Unit::Plain, move |one: &Filled<'_>| Value::Number(one.percent[number]));
    let shared = |one: &Filled<'_>| match one.variant.lanes_per_ray() {
        1 => String::new(),
        lanes => format!("{lanes} lanes a ray"),
    };
    let sheet = Sheet(vec![
        Column::words(|one: &Filled<'_>| name_of(one.variant)).page(0, "kernel"),
        Column::words(|one: &Filled<'_>| one.kind.name()).page(1, "rays"),
        share(0).page(2, "traversal, %"),
        share(1).page(3, "intersection, %"),
        Column::words(shared).page(4, "shared"),
    ]);
    sheet.table(rows).on_page(format!(
        "The five kernels of each kind of rays with most lanes at work in traversal, warps of {width}"
    ))
}

/// Returns conclusions from the efficiencies as sentences.
pub(crate) fn conclusions(filled: &[Filled<'_>]) -> Vec<String> {
    let kinds = kinds_of(filled);
    let widest = filled.iter().map(|one| one.width).max().unwrap_or(32);
    let narrowest = filled.iter().map(|one| one.width).min().unwrap_or(widest);
    let width = width_of(filled);
    let mut said = Vec::new();
    for kind in kinds {
        let of = |width: u32| filled.iter().filter(move |one| one.kind == kind && one.width == width);
        // Lanes that share a ray agree by doing the same.
        let alone = || of(width).filter(|one| one.variant.lanes_per_ray() == 1);
        let fuller = |number: usize| {
            alone()
                .filter(|one| one.percent[number].is_finite())
                .max_by(|a, b| a.percent[number].total_cmp(&b.percent[number]))
        };
        let (Some(visit), Some(test)) = (fuller(0), fuller(1)) else { continue };
        let mut text = format!(
            "{} rays, warps of {width}: where each lane has its own ray, {} has most lanes at work in traversal, {:.0} %, and {} in intersection, {:.0} %.",
            capital(kind.name()),
            name_of(visit.variant),
            visit.percent[0],
            name_of(test.variant),
            test.percent[1],
        );
        let plain = of(width).find(|one| *one.variant == paper_variant("al09-while-while"));
        if let Some(plain) = plain {
            text +=
                &format!(" While-while, the plainest, has {:.0} % and {:.0} %.", plain.percent[0], plain.percent[1]);
        }
        if narrowest < widest {
            let mean = |width: u32| {
                let shares: Vec<f64> = of(width).map(|one| one.percent[0]).filter(|share| share.is_finite()).collect();
                shares.iter().sum::<f64>() / shares.len() as f64
            };
            text += &format!(
                " From {narrowest} lanes to {widest} the mean of all kernels falls from {:.0} % to {:.0} % in traversal.",
                mean(narrowest),
                mean(widest)
            );
        }
        said.push(text);
    }
    said
}

/// Returns the text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match (text, chars.next()) {
        ("ao", _) => "AO".into(),
        (_, Some(first)) => first.to_uppercase().chain(chars).collect(),
        (_, None) => String::new(),
    }
}

/// Adds bar charts of the efficiencies by kernel and warp width: one for each kind of rays, or for each operation where
/// there are several widths.
pub(crate) fn charts(document: &mut Document, filled: &[Filled<'_>]) {
    let (mut kinds, mut widths, mut sizes, mut variants) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for one in filled {
        add(&mut kinds, one.kind);
        add(&mut widths, one.width);
        add(&mut sizes, one.leaf_size);
        add(&mut variants, *one.variant);
    }
    // Of several sizes of leaves the largest that each kernel has: the tables have all.
    let of = |variant: &Variant, kind: TracedRays, width: u32| {
        let mine = filled.iter().filter(|one| one.variant == variant && one.kind == kind && one.width == width);
        mine.max_by_key(|one| one.leaf_size).map(|one| one.percent)
    };
    let bar = |share: f64| share.is_finite().then(|| Bar { value: share, label: format!("{share:.0}") });
    for &kind in &kinds {
        let chart = |series: Vec<String>, bars: &dyn Fn(&Variant) -> Vec<Option<Bar>>| Bars {
            axis: "lanes that take part, %".into(),
            series,
            groups: variants.iter().map(|variant| (name_of(variant), bars(variant))).collect(),
            least_most: 100.0,
        };
        if let [width] = widths[..] {
            let both =
                |variant: &Variant| of(variant, kind, width).map_or_else(Vec::new, |shares| shares.map(bar).to_vec());
            let chart = chart(OPERATIONS.map(String::from).to_vec(), &both);
            document.chart(
                format!("efficiency-{}", kind.name()),
                format!("SIMD efficiency, {} rays, warps of {width}", kind.name()),
                chart,
            );
        } else {
            for (number, operation) in OPERATIONS.iter().enumerate() {
                let by_width = |variant: &Variant| {
                    widths
                        .iter()
                        .map(|&width| of(variant, kind, width).and_then(|shares| bar(shares[number])))
                        .collect()
                };
                let chart = chart(widths.iter().map(|width| format!("{width} lanes")).collect(), &by_width);
                document.chart(
                    format!("{operation}-{}", kind.name()),
                    format!("SIMD efficiency of {operation} by width of the warp, {} rays", kind.name()),
                    chart,
                );
            }
        }
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// Returns the efficiency of a kernel with these counts, whose fractions of lanes at work are `shares`, 0 to 1.
pub(crate) fn of_counts<'a>(
    variant: &'a Variant,
    kind: TracedRays,
    leaf_size: u32,
    counts: &WarpCounts,
    shares: [f64; 2],
) -> Filled<'a> {
    Filled { variant, kind, width: counts.width, leaf_size, percent: shares.map(|share| 100.0 * share) }
}
