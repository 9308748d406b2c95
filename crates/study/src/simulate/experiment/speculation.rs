//! What speculative traversal gains (AL09 4).

use super::{Lab, SimulateError, Table, row, with};
use raywarp_family::Key;

/// What the paper has for primary, AO and diffuse rays of a scene; of none, over its three.
type Theirs = (&'static str, [&'static str; 3]);

/// A kernel, what it is compared with, and the ratio of their simulated rates in Table 1 by scene, %.
const TRIED: [(&str, &str, &str, [Theirs; 3]); 2] = [
    (
        "if-if",
        "al09-if-if",
        "al09-spec-if-if",
        [("sibenik", ["3", "8", "13"]), ("conference", ["3", "6", "9"]), ("", ["3 to 5", "6 to 10", "9 to 15"])],
    ),
    (
        "persistent while-while",
        "al09-persistent-while-while",
        "al09-persistent-spec-while-while",
        [("sibenik", ["-2", "7", "20"]), ("conference", ["-1", "5", "14"]), ("", ["-2 to 1", "5 to 10", "14 to 20"])],
    ),
];

const BUFFERS: [&str; 5] = ["0", "1", "2", "3", "4"];

/// The kernels of the first table; a buffer of one is among them.
pub(super) const STEPS: usize = 2 * TRIED.len() + BUFFERS.len() - 1;

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<Table>, SimulateError> {
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let mut gains = Vec::new();
    for (name, plain, speculative, theirs) in TRIED {
        let ours = lab.faster(&row(speculative), &row(plain))?;
        let of_scene = theirs.iter().find(|(scene, _)| *scene == lab.request.rays.scene).unwrap_or(&theirs[2]);
        gains.push(lab.row(name, of_scene.1, &ours, 0));
    }
    let mut buffers = Vec::new();
    for buffer in BUFFERS {
        let variant = with(row("al09-persistent-spec-while-while"), &[(Key::Postpone, buffer)]);
        let ours = lab.faster(&variant, &row("al09-persistent-while-while"))?;
        buffers.push(lab.row(format!("buffer of {buffer}"), [""; 3], &ours, 0));
    }
    Ok(vec![
        Table {
            title: "speculative traversal (AL09 4): how much faster it is simulated to be, %".into(),
            columns: columns.clone(),
            rows: gains,
            why: vec![
                "theirs: ratios of the simulated rates of Table 1, for this scene or as a range over their three. They measured up to 5 (primary), up to 10 (AO) and nothing (diffuse): overfetch.".into(),
            ],
        },
        Table {
            title: "postpone buffers of several sizes, persistent speculative while-while against persistent while-while, %".into(),
            columns,
            rows: buffers,
            why: vec!["a buffer of 0 is while-while; larger ones are priced like one.".into()],
        },
    ])
}
