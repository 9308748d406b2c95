//! Exhibits of W11 (Wald 2011) and L9 (Bikker's lecture 9), whose numbers are of a path tracer.

use super::{other_machines, quantity};
use crate::paper::exhibit::{Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity};
use raywarp_papers::Measure;

/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::W11,
        name: "table1",
        place: "Table 1",
        what: "frames a second of the path tracer's organisations over the naive one",
        parts: &[
            ExhibitTable {
                title: "frames a second of the naive kernel",
                quantities: &[other_machines("frames", "frames/s", 2)],
            },
            ExhibitTable {
                title: "multiples of the naive kernel's frames a second",
                quantities: &[Quantity {
                    key: "of naive",
                    head: "of naive",
                    measure: Measure::Factor,
                    digits: 2,
                    is_compared: false,
                }],
            },
        ],
        making: Making::Gpu,
        scenes: &["dragon", "hairball_synthetic", "bmw_m6", "killeroo", "sibenik", "conference", "coffee", "bathroom2"],
        suite: Some("w11"),
        fitted: &[],
        notes: &["none of the paper's scenes is here; what the organisations are: docs/papers/w11.md"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/w11-table1.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "table2",
        place: "Table 2",
        what: "active paths and warps of each bounce",
        parts: &[ExhibitTable {
            title: "paths that go on, % of all; paths of a naive warp; and how many times fewer warps compaction needs",
            quantities: &[
                Quantity { key: "paths", head: "paths, %", measure: Measure::Share, digits: 0, is_compared: false },
                Quantity {
                    key: "paths a warp",
                    head: "a warp",
                    measure: Measure::Amount,
                    digits: 1,
                    is_compared: false,
                },
                Quantity { key: "saved", head: "saved", measure: Measure::Factor, digits: 2, is_compared: false },
            ],
        }],
        making: Making::Gpu,
        scenes: &["coffee", "hairball_synthetic", "bmw_m6", "sibenik", "conference"],
        suite: Some("w11"),
        fitted: &[],
        notes: &["theirs are of fairy, ours of other scenes; the experiment `compaction` counts it for any scene"],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-table2.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "table3",
        place: "Table 3",
        what: "time of a warp at each bounce, compacted over naive",
        parts: &[ExhibitTable {
            title: "times of a compacted warp over those of a naive one",
            quantities: &[Quantity {
                key: "quotient",
                head: "quotient",
                measure: Measure::Factor,
                digits: 1,
                is_compared: false,
            }],
        }],
        making: Making::Gpu,
        scenes: &["bmw_m6", "coffee", "hairball_synthetic"],
        suite: Some("w11"),
        fitted: &[],
        notes: &["bmw_m6: times on an H200; coffee and hairball_synthetic: simulated steps of the rays alone"],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-table3.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "figure2",
        place: "Figure 2",
        what: "tiles of 64 x M paths in shared memory: rate and occupancy by M",
        parts: &[ExhibitTable {
            title: "occupancy in %, and rates of tiles in shared memory over the naive kernel's and over tiles' in global memory",
            quantities: &[
                quantity("occupancy", "occupancy", Measure::Share, 0),
                Quantity { key: "of naive", head: "of naive", measure: Measure::Factor, digits: 2, is_compared: false },
                Quantity {
                    key: "of global",
                    head: "of global",
                    measure: Measure::Factor,
                    digits: 2,
                    is_compared: false,
                },
            ],
        }],
        making: Making::Gpu,
        scenes: &["bmw_m6", "hairball_synthetic", "sibenik", "dragon"],
        suite: Some("w11"),
        fitted: &[],
        notes: &[
            "occupancy of a GTX 480 is computed from its machine file and the paper's 64 registers; rates were measured on an H200",
        ],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-figure2.csv"),
    },
    Exhibit {
        paper: Paper::L9,
        name: "in-flight",
        place: "N",
        what: "rate of the wavefront path tracer by the number of paths in flight",
        parts: &[ExhibitTable {
            title: "million paths a second, kernel a material",
            quantities: &[Quantity {
                key: "paths",
                head: "Mpaths/s",
                measure: Measure::Amount,
                digits: 0,
                is_compared: false,
            }],
        }],
        making: Making::Gpu,
        scenes: &["dragon", "sibenik", "bmw_m6", "coffee", "bathroom2"],
        suite: Some("l9"),
        fitted: &[],
        notes: &["the lecture gives no numbers"],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/l9-in-flight.csv"),
    },
];
