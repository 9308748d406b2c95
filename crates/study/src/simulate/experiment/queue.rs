//! Work queues (AL09 5.2).

use super::rates::lane_slots_per_s;
use super::{ComparedCell, ExperimentRow, ExperimentTable, Lab, NOT_TRIED, SimulateError, WARP, row, theirs_of, with};
use raywarp_family::{Key, Variant};
use raywarp_papers::al09;

/// Pairs of options that are tried: limit on iterations of inner loops, and main-loop iterations between two looks for
/// new rays.
const TRIED: [(&str, &str); 9] =
    [("4", "4"), ("2", "4"), ("1", "4"), ("4", "1"), ("4", "2"), ("4", "8"), ("8", "4"), ("8", "2"), ("8", "8")];

/// Number of kernels that are simulated: those tried, and the one that they are compared with.
pub(super) const STEPS: usize = TRIED.len() + 1;

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let base = row("al09-persistent-while-while");
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let (mut speed, mut filled) = (Vec::new(), Vec::new());
    let of_base = mrays(lab, &base)?;
    let mut rates = vec![lab.row("persistent while-while", NOT_TRIED, &of_base, 1)];
    for (rounds, every) in TRIED {
        let printed = al09().queue.row.iter().find(|row| row.iterations == rounds && row.every == every);
        let [faster, lanes, rate] = printed.map_or([NOT_TRIED; 3], |row| [&row.faster, &row.filled, &row.rate]);
        let queue: Variant = with(row("al09-queue"), &[(Key::Rounds, rounds), (Key::Every, every)]);
        if !lab.has_costs(&queue) {
            continue;
        }
        let name = format!("at most {rounds} iterations, new rays every {every}");
        let ours = lab.faster(&queue, &base)?;
        speed.push(lab.row(name.clone(), faster, &ours, 0));
        let ours = mrays(lab, &queue)?;
        rates.push(lab.row(name.clone(), rate, &ours, 1));
        let kinds = lab.kinds();
        let cells = lab.filled(&queue)?;
        let cells =
            kinds.into_iter().zip(cells).map(|(kind, pair)| ComparedCell::pair(theirs_of(kind, lanes), pair)).collect();
        filled.push(ExperimentRow { name, cells });
    }
    let speed = ExperimentTable {
        title: "work queue of 64 rays (AL09 5.2): how much faster than persistent while-while, %".into(),
        columns: columns.clone(),
        rows: speed,
        why: vec![
            format!(
                "theirs is {}, which is not to be had: its while-while fills {} of the lanes, so there is more to gain than where more are filled.",
                al09().queue.scene,
                filled_by_while_while()
            ),
            "\"less\": than with 4 and every 4, though lanes are fuller.".into(),
            "our fetch sets up lanes and then parked places: refilling both is paid twice.".into(),
        ],
    };
    let filled = ExperimentTable {
        title: "lanes filled in traversal/intersection, %".into(),
        columns: columns.clone(),
        rows: filled,
        why: vec![],
    };
    let title = format!("{} with memory for free: Mrays/s", lab.request.machine.name());
    let rates = ExperimentTable { title, columns, rows: rates, why: vec![] };
    Ok(vec![speed, filled, rates])
}

/// Returns the simulated rates of a kernel by kind of rays, in Mrays/s.
fn mrays(lab: &mut Lab<'_>, variant: &Variant) -> Result<Vec<f64>, SimulateError> {
    let per_s = lane_slots_per_s(&lab.request.machine);
    Ok(lab.slots(variant, WARP)?.into_iter().map(|slots| per_s / slots / 1e6).collect())
}

/// Returns the percentages of lanes that while-while fills in the paper's scene, for AO and diffuse rays.
fn filled_by_while_while() -> String {
    let filled = al09().table_1.printed_efficiencies(&al09().queue.scene, "al09-while-while");
    let [_, ao, diffuse] = filled.unwrap_or_default().map(|[nodes, triangles]| format!("{nodes}/{triangles}"));
    format!("{ao} (AO) and {diffuse} (diffuse)")
}
