//! Exhibits of G14 (Guthe 2014).

use super::{OTHER_SCENES, other_machines, quantity};
use crate::paper::exhibit::{Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity, SimulatedKernels};
use raywarp_papers::Measure;
use raywarp_workload::rays::Workload;
/// Kernels of G14's Table 2.
const BEFORE_AND_AFTER: SimulatedKernels = SimulatedKernels {
    workload: Workload::G14,
    has_full_leaves: false,
    runs: &[
        ("gtx480", "alk12-kepler", "GTX 480, ALK12's"),
        ("gtx480", "g14", "GTX 480, improved"),
        ("gtx680", "alk12-kepler", "GTX 680, ALK12's"),
        ("gtx680", "g14", "GTX 680, improved"),
        ("gtxtitan", "alk12-kepler", "Titan, ALK12's"),
        ("gtxtitan", "g14", "Titan, improved"),
    ],
};

/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::G14,
        name: "table1",
        place: "Tables 1 and 3",
        what: "instructions a clock, eligible warps and stalls, of ALK12's kernel and of the improved one, conference",
        parts: &[
            ExhibitTable {
                title: "instructions a clock, and eligible warps (GTX Titan: theirs measured, ours expected; H200: counted)",
                quantities: &[quantity("ipc", "IPC", Measure::Amount, 2), other_machines("eligible", "eligible", 1)],
            },
            ExhibitTable {
                title: "stalls by cause, % of all",
                quantities: &[
                    quantity("memory", "memory", Measure::Share, 0),
                    quantity("dependency", "depend.", Measure::Share, 0),
                    other_machines("fetch", "fetch", 0),
                ],
            },
        ],
        making: Making::Gpu,
        scenes: &["conference"],
        suite: None,
        fitted: &[],
        notes: &[
            "ours on a GTX Titan are expected by the model of its multiprocessor, without a Titan; on an H200 they are a profiler's counts; fetching of instructions is not modelled",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/g14-table1.csv"),
    },
    Exhibit {
        paper: Paper::G14,
        name: "table2",
        place: "Table 2",
        what: "rates of ALK12's kernel and of the improved one on three GPUs",
        parts: &[ExhibitTable {
            title: "Mrays/s: measured, expected, and the lowest bound",
            quantities: &[
                other_machines("measured", "measured", 1),
                quantity("expected", "expected", Measure::Amount, 0),
                quantity("bound", "bound", Measure::Amount, 0),
            ],
        }],
        making: Making::Kernels(&BEFORE_AND_AFTER),
        scenes: &["conference", "fairy", "sibenik", "san_miguel"],
        suite: Some("guthe"),
        fitted: &[],
        notes: &[
            "bounds of a GTX 480 and 680 do not depend on machine code; those of a Titan and its expected rates are of code compiled for it",
            OTHER_SCENES,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/g14-table2.csv"),
    },
    Exhibit {
        paper: Paper::G14,
        name: "improvements",
        place: "5",
        what: "what each improvement gains alone and in pairs",
        parts: &[ExhibitTable {
            title: "gain over ALK12's kernel, %: theirs on a GTX 680, ours on an H200",
            quantities: &[Quantity { key: "gain", head: "gain", measure: Measure::Gain, digits: 1, is_compared: true }],
        }],
        making: Making::Gpu,
        scenes: &["sibenik", "conference"],
        suite: Some("guthe"),
        fitted: &[],
        notes: &["theirs are the least and the most that the paper names, over scenes and kinds of rays"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/g14-improvements.csv"),
    },
];
