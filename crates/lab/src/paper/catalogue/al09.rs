//! Exhibits of AL09 (Aila and Laine 2009).

use super::OTHER_SCENES;
use crate::paper::exhibit::{Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity, SimulatedKernels};
use raywarp_study::simulate::Experiment;
use raywarp_workload::rays::Workload;

/// Unit of rates.
const MRAYS: &str = "Mrays/s";
const TRAVERSAL: Quantity = Quantity::share("traversal", "trav.");
const INTERSECTION: Quantity = Quantity::share("intersection", "isect.");

/// Kernels of AL09's Table 1.
const TABLE1: SimulatedKernels = SimulatedKernels {
    workload: Workload::Al09,
    has_full_leaves: true,
    runs: &[
        ("gtx285", "al09-packet", "packet"),
        ("gtx285", "al09-while-while", "while-while"),
        ("gtx285", "al09-if-if", "if-if"),
        ("gtx285", "al09-spec-if-if", "speculative if-if"),
        ("gtx285", "al09-persistent-packet", "persistent packet"),
        ("gtx285", "al09-persistent-while-while", "persistent while-while"),
        ("gtx285", "al09-persistent-spec-while-while", "pers. spec. while-while"),
    ],
};

const COSTS_ARE_FITTED: &str = "four costs of the GTX 285 are fitted to the paper's twelve simulated rates of sibenik that are not of packets, so that these test nothing there; conference had no part in it";
const TREE_WAS_CHOSEN: &str = "the tree (full leaves, as many extra references by splits as triangles) was chosen among four, since it has as many nodes as theirs and fits the efficiencies of if-if";
const NO_GPU: &str =
    "measured: theirs on the paper's GPU, of which there is none here; ours on another machine, for orientation";
/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::Al09,
        name: "table1",
        place: "Table 1",
        what: "SIMD efficiency, simulated and measured rates of seven kernels",
        parts: &[
            ExhibitTable {
                title: "SIMD efficiency, % of a warp's lanes in traversal and in intersection",
                quantities: &[TRAVERSAL, INTERSECTION],
            },
            ExhibitTable {
                title: "Mrays/s, simulated on a GTX 285 with memory for free",
                quantities: &[Quantity::amount("simulated", "simulated", MRAYS, 1)],
            },
            ExhibitTable {
                title: "Mrays/s, measured",
                quantities: &[
                    Quantity::amount("measured", "measured", MRAYS, 1).apart(),
                    Quantity::share("of simulated", "% of sim.")
                        .apart()
                        .says("and theirs in % of their simulated ones"),
                ],
            },
        ],
        making: Making::Kernels(&TABLE1),
        scenes: &["conference", "fairy", "sibenik"],
        suite: Some("table1"),
        fitted: &[COSTS_ARE_FITTED, TREE_WAS_CHOSEN],
        notes: &[NO_GPU, OTHER_SCENES],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-table1.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "nodes",
        place: "Table 1, node counts",
        what: "nodes of the tree, inner nodes and leaves together",
        parts: &[ExhibitTable {
            title: "thousands of nodes",
            quantities: &[Quantity::amount("nodes", "nodes, K", "thousand", 1)],
        }],
        making: Making::Nodes,
        scenes: &["conference", "fairy", "sibenik"],
        suite: None,
        fitted: &[TREE_WAS_CHOSEN],
        notes: &["the paper says neither what a visit costs beside a test, nor how much it splits"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-nodes.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "times",
        place: "3.2 and 3.3",
        what: "how long warps take, and issue slots that are used as work is dealt out",
        parts: &[
            ExhibitTable {
                title: "times of warps under if-if against those under while-while, %",
                quantities: &[Quantity::gain("time", "longer")],
            },
            ExhibitTable {
                title: "issue slots used, %, if warps wait for instructions alone",
                quantities: &[Quantity::share("slots", "slots")],
            },
            ExhibitTable {
                title: "issue slots used, %, if they wait for loads too, so that while-while's primary rays need all 24 warps",
                quantities: &[Quantity::share("slots with loads", "slots")],
            },
        ],
        making: Making::Experiment(
            Experiment::Distribution,
            &[&["time"], &[], &[], &["slots"], &["slots with loads"], &[]],
        ),
        scenes: &["sibenik", "crytek_sponza"],
        suite: None,
        fitted: &[
            COSTS_ARE_FITTED,
            "the latency of a load (some 6,000 clocks) is set so that while-while needs all warps",
        ],
        notes: &[
            "theirs of the slots are measured rates over simulated ones, in sibenik",
            "the slowest warp depends on which rays were drawn: see the slowest 1 and 0.1 %",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-times.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "speculation",
        place: "4",
        what: "gain by speculative traversal, simulated",
        parts: &[
            ExhibitTable { title: "gain by speculation, %", quantities: &[Quantity::gain("gain", "gain")] },
            ExhibitTable {
                title: "persistent speculative while-while over persistent while-while, by entries of the postpone buffer, %",
                quantities: &[Quantity::gain("buffer", "gain")],
            },
        ],
        making: Making::Experiment(Experiment::Speculation, &[&["gain"], &["buffer"]]),
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &["the cost of postponing is fitted to the paper's cells of sibenik"],
        notes: &["theirs are ratios of the simulated rates of Table 1; nodes fetched in vain cost nothing here"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-speculation.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "replacement",
        place: "5.1",
        what: "gain by replacing terminated rays, simulated",
        parts: &[
            ExhibitTable {
                title: "best gain over persistent while-while of 20 settings, %",
                quantities: &[Quantity::gain("gain", "gain")],
            },
            ExhibitTable {
                title: "with the two instructions and inner loops of 4, without a threshold, %",
                quantities: &[Quantity::gain("gain without threshold", "gain")],
            },
        ],
        making: Making::Experiment(Experiment::Replacement, &[&["gain"], &["gain without threshold"]]),
        scenes: &["sibenik", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &["what it costs to look for ended rays the paper does not state; here it is free"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-replacement.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "queue",
        place: "5.2",
        what: "gain by work queues, simulated; theirs of fairy",
        parts: &[
            ExhibitTable {
                title: "gain over persistent while-while, %",
                quantities: &[Quantity::gain("gain", "gain")],
            },
            ExhibitTable {
                title: "lanes filled in traversal and in intersection, %",
                quantities: &[TRAVERSAL, INTERSECTION],
            },
        ],
        making: Making::Experiment(Experiment::Queue, &[&["gain"], &["traversal", "intersection"]]),
        scenes: &["sibenik", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &["theirs are of fairy, which is not to be had: they stand beside ours for orientation"],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-queue.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "width",
        place: "6",
        what: "gain by narrower warps with as many lanes in all, simulated",
        parts: &[
            ExhibitTable { title: "warps of 16 against 32, %", quantities: &[Quantity::gain("of 16", "gain")] },
            ExhibitTable { title: "warps of 8 against 32, %", quantities: &[Quantity::gain("of 8", "gain")] },
            ExhibitTable {
                title: "single lanes against warps of 32, %",
                quantities: &[Quantity::gain("of 1", "gain")],
            },
            ExhibitTable { title: "warps of 64 against 32, %", quantities: &[Quantity::gain("of 64", "gain")] },
        ],
        making: Making::Experiment(Experiment::Width, &[&["of 16"], &["of 8"], &["of 1"], &["of 64"]]),
        scenes: &["sibenik", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &[
            "theirs are the least, the mean and the most over three scenes, beside primary, AO and diffuse rays here",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-width.csv"),
    },
];
