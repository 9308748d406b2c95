//! Narrower warps with the same number of lanes in all (AL09 6).

use super::{Lab, SimulateError, Table, WARP, row};

/// A kernel, and what the paper has for 16 lanes over three scenes: the least (primary rays), the mean, the most (diffuse).
const TRIED: [(&str, &str, [&str; 3]); 4] = [
    ("while-while", "al09-while-while", ["9", "14", "19"]),
    ("speculative while-while", "al09-spec-while-while", ["6", "10", "15"]),
    ("if-if", "al09-if-if", ["8", "10", "13"]),
    ("speculative if-if", "al09-spec-if-if", ["6", "8", "12"]),
];

/// Other widths, and what the paper has for all kernels together.
const WIDTHS: [u32; 4] = [16, 8, 1, 64];

pub(super) const STEPS: usize = TRIED.len() * (WIDTHS.len() + 1);

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<Table>, SimulateError> {
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let mut tables = Vec::new();
    for width in WIDTHS {
        let mut rows = Vec::new();
        for (name, variant, theirs) in TRIED {
            let variant = row(variant);
            let base = lab.slots(&variant, WARP)?;
            let slots = lab.slots(&variant, width)?;
            let faster: Vec<f64> = base.iter().zip(&slots).map(|(base, slots)| 100.0 * (base / slots - 1.0)).collect();
            let theirs = match width {
                16 => theirs,
                1 => ["~30", "", "144"],
                _ => [""; 3],
            };
            rows.push(lab.row(name, theirs, &faster, 0));
        }
        let why = match width {
            16 => vec![
                "theirs are the least, the mean and the most over three scenes and kinds of rays, \"smallest in primary rays and largest in diffuse\"; beside primary, AO and diffuse here.".into(),
            ],
            1 => vec!["theirs are over all kernels: \"about 30 % (primary) to 144 % (diffuse)\".".into()],
            _ => vec![],
        };
        tables.push(Table {
            title: format!("warps of {width} with as many lanes in all, against 32 (AL09 6): faster by, %"),
            columns: columns.clone(),
            rows,
            why,
        });
    }
    Ok(tables)
}
