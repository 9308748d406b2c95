//! Narrower warps with the same number of lanes in all (AL09 6).

use super::{ExperimentTable, Lab, NOT_TRIED, SimulateError, WARP, row};
use raywarp_papers::al09;

/// Kernels that are tried, by the paper's names and ours.
const TRIED: [(&str, &str); 4] = [
    ("while-while", "al09-while-while"),
    ("speculative while-while", "al09-spec-while-while"),
    ("if-if", "al09-if-if"),
    ("speculative if-if", "al09-spec-if-if"),
];

/// Other warp widths that are tried.
const WIDTHS: [u32; 4] = [16, 8, 1, 64];

pub(super) const STEPS: usize = TRIED.len() * (WIDTHS.len() + 1);

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let mut tables = Vec::new();
    let printed = &al09().width;
    for width in WIDTHS {
        let mut rows = Vec::new();
        for (name, kernel) in TRIED {
            let variant = row(kernel);
            let base = lab.slots(&variant, WARP)?;
            let slots = lab.slots(&variant, width)?;
            let faster: Vec<f64> = base.iter().zip(&slots).map(|(base, slots)| 100.0 * (base / slots - 1.0)).collect();
            let theirs = match width {
                16 => printed.sixteen_lanes.iter().find(|row| row.kernel == kernel).map(|row| &row.faster),
                1 => Some(&printed.one_lane),
                _ => None,
            };
            rows.push(lab.row(name, theirs.unwrap_or(NOT_TRIED), &faster, 0));
        }
        let why = match width {
            16 => vec![format!(
                "theirs are the least, the mean and the most over three scenes and kinds of rays, \"{}\"; beside primary, AO and diffuse here.",
                printed.sixteen_lanes_said
            )],
            1 => vec![format!("theirs are over all kernels: \"{}\".", printed.one_lane_said)],
            _ => vec![],
        };
        tables.push(ExperimentTable {
            title: format!("warps of {width} with as many lanes in all, against 32 (AL09 6): faster by, %"),
            columns: columns.clone(),
            rows,
            why,
        });
    }
    Ok(tables)
}
