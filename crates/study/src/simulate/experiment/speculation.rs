//! The gain of speculative traversal (AL09 4).

use super::{ExperimentTable, Lab, NOT_TRIED, SimulateError, row, with};
use raywarp_family::Key;
use raywarp_papers::al09;

/// Names of the kernels without speculation that are tried; the paper has a speculative one for each.
const TRIED: [(&str, &str); 2] = [("if-if", "al09-if-if"), ("persistent while-while", "al09-persistent-while-while")];

const BUFFERS: [&str; 5] = ["0", "1", "2", "3", "4"];

/// Number of kernels that are simulated: those of the first table and those with other postpone buffers.
pub(super) const STEPS: usize = 2 * TRIED.len() + BUFFERS.len() - 1;

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let mut gains = Vec::new();
    let printed = &al09().speculation;
    let [primary, ao, diffuse] = &printed.measured;
    for printed in &printed.row {
        let name =
            TRIED.iter().find(|(_, kernel)| *kernel == printed.over).map_or(printed.over.as_str(), |(name, _)| *name);
        let ours = lab.faster(&row(&printed.kernel), &row(&printed.over))?;
        let theirs = printed.of_scene(&lab.request.rays.scene);
        gains.push(lab.row(name, theirs, &ours, 0));
    }
    let mut buffers = Vec::new();
    for buffer in BUFFERS {
        let variant = with(row("al09-persistent-spec-while-while"), &[(Key::Postpone, buffer)]);
        let ours = lab.faster(&variant, &row("al09-persistent-while-while"))?;
        buffers.push(lab.row(format!("buffer of {buffer}"), NOT_TRIED, &ours, 0));
    }
    Ok(vec![
        ExperimentTable {
            title: "speculative traversal (AL09 4): how much faster it is simulated to be, %".into(),
            columns: columns.clone(),
            rows: gains,
            why: vec![
                format!("theirs: ratios of the simulated rates of Table 1, for this scene or as a range over their three. They measured {primary} (primary), {ao} (AO) and {diffuse} (diffuse): {}.", printed.why),
            ],
        },
        ExperimentTable {
            title: "postpone buffers of several sizes, persistent speculative while-while against persistent while-while, %".into(),
            columns,
            rows: buffers,
            why: vec!["a buffer of 0 is while-while; larger ones cost what one does.".into()],
        },
    ])
}
