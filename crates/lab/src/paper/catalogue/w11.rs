//! Exhibits of W11 (Wald 2011) and L9 (Bikker's lecture 9), whose numbers are of a path tracer.

use crate::paper::exhibit::{Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity};

/// Note on the materials of scenes.
const CLAY: &str = "clay: all materials diffuse, reflecting 0.7; a scene without that word has its own";
/// Scenes in which the path tracer's organisations were measured.
const SCENES: [&str; 8] = ["dragon", "hairball", "bmw_m6", "killeroo", "sibenik", "conference", "coffee", "bathroom2"];
/// Those with scenes whose paths were simulated alone.
const COUNTED: [&str; 11] = [
    "dragon",
    "hairball",
    "bmw_m6",
    "killeroo",
    "sibenik",
    "conference",
    "coffee",
    "bathroom2",
    "classroom",
    "crytek_sponza",
    "san_miguel",
];

/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::W11,
        name: "table1",
        place: "Table 1",
        what: "frames a second of the path tracer's organisations over the naive one",
        parts: &[ExhibitTable {
            title: "frames a second, and multiples of the naive kernel's",
            quantities: &[
                Quantity::amount("frames", "frames/s", "frames/s", 2).apart(),
                Quantity::factor("of naive", "of naive").apart(),
            ],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &SCENES,
        suite: Some("w11"),
        fitted: &[],
        notes: &[
            "none of the paper's scenes is here; what the organisations are: docs/papers/w11.md",
            "theirs of naive are computed from his frames; he prints +12 to +16 % and -64 to -66 %",
            CLAY,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/w11-table1.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "table2",
        place: "Table 2",
        what: "active paths and warps of each bounce",
        parts: &[
            ExhibitTable {
                title: "active paths in thousands and in % of all, naive warps, paths of one, and compacted warps in thousands",
                quantities: &[
                    Quantity::amount("kilo paths", "paths, K", "thousand", 0).apart(),
                    Quantity::share("paths", "%").apart(),
                    Quantity::amount("naive warps", "naive", "warps", 0).apart(),
                    Quantity::amount("paths a warp", "a warp", "paths", 1).apart(),
                    Quantity::amount("compacted warps", "compact, K", "thousand", 1).apart(),
                ],
            },
            ExhibitTable {
                title: "the same of this bounce and all before, in thousands, and how many times fewer warps compaction needs",
                quantities: &[
                    Quantity::amount("all paths", "paths, K", "thousand", 0).apart(),
                    Quantity::amount("all naive warps", "naive, K", "thousand", 0).apart(),
                    Quantity::amount("all paths a warp", "a warp", "paths", 1).apart(),
                    Quantity::amount("all compacted warps", "compact, K", "thousand", 0).apart(),
                    Quantity::factor("saved", "saved").apart(),
                ],
            },
        ],
        making: Making::Gpu,
        formed: None,
        scenes: &COUNTED,
        suite: Some("w11"),
        fitted: &[],
        notes: &[
            "theirs are of fairy, ours of other scenes; % of all is computed from his numbers of paths",
            "counted: on an H200, by the whole-frame organisation; simulated: paths of a frame by the experiment `compaction`, mean of the scene's views",
            CLAY,
            "our copy of the paper prints other naive warps of bounce 8, and other compacted ones up to bounce 2, than its own sums and paths have: here is what these have, and two-numbers-of-table-2 is what it prints",
        ],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-table2.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "table3",
        place: "Table 3",
        what: "time of a warp at each bounce, compacted over naive",
        parts: &[ExhibitTable {
            title: "time of a compacted warp over that of a naive one",
            quantities: &[
                Quantity::amount("naive", "naive, us", "us", 3)
                    .apart()
                    .says("microseconds of a warp without compaction"),
                Quantity::amount("compacted", "compacted, us", "us", 3).apart().says("and with it"),
                Quantity::factor("quotient", "quotient").digits(1).apart(),
            ],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &COUNTED,
        suite: Some("w11"),
        fitted: &[],
        notes: &[
            "theirs are of fairy on a GTX 480; the quotients are computed from his times",
            "times: on an H200; steps: the rays alone, simulated with memory for free by the experiment `compaction`; of san_miguel, whose paths alone were counted, there are none",
            CLAY,
        ],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-table3.csv"),
    },
    Exhibit {
        paper: Paper::W11,
        name: "figure2",
        place: "Figure 2",
        what: "tiles of 64 x M paths in shared memory: rate and occupancy by M",
        parts: &[ExhibitTable {
            title: "tiles in shared memory",
            quantities: &[
                Quantity::share("occupancy", "occupancy").says("occupancy in %"),
                Quantity::factor("of naive", "of naive").apart().says("rates over the naive kernel's"),
                Quantity::factor("of global", "of global").apart().says("rates over those of tiles in global memory"),
            ],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &["dragon", "hairball", "bmw_m6", "sibenik"],
        suite: Some("w11"),
        fitted: &[],
        notes: &[
            "occupancy of a GTX 480 is computed from its machine file, the paper's 64 registers and its 24 KB of shared memory at M = 4; rates were measured on an H200",
            CLAY,
        ],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/w11-figure2.csv"),
    },
    Exhibit {
        paper: Paper::L9,
        name: "in-flight",
        place: "N, paths in flight",
        what: "rate of the wavefront path tracer by the number of paths in flight",
        parts: &[ExhibitTable {
            title: "million paths a second: a kernel for each material, one for all, and regenerated paths",
            quantities: &[
                Quantity::amount("paths", "by material", "Mpaths/s", 0).apart(),
                Quantity::amount("unsorted", "unsorted", "Mpaths/s", 0).apart(),
                Quantity::amount("regenerated", "regenerated", "Mpaths/s", 0).apart(),
            ],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &["dragon", "sibenik", "bmw_m6", "coffee", "bathroom2"],
        suite: Some("l9"),
        fitted: &[],
        notes: &["the lecture gives no numbers"],
        picture: PictureForm::Lines,
        stored: include_str!("../../../records/l9-in-flight.csv"),
    },
];
