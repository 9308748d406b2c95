//! Exhibits of AL09 (Aila and Laine 2009).

use super::OTHER_SCENES;
use crate::paper::exhibit::{
    Exhibit, ExhibitTable, Formed, Making, Paper, PaperTree, PictureForm, Quantity, SimulatedKernels,
};
use raywarp_study::simulate::Experiment;
use raywarp_workload::rays::{Order, RayKind, Workload};

/// Unit of rates.
const MRAYS: &str = "Mrays/s";
const TRAVERSAL: Quantity = Quantity::share("traversal", "trav.");
const INTERSECTION: Quantity = Quantity::share("intersection", "isect.");

/// Kernels of AL09's Table 1, and their bounds on the GPU that measured them.
const TABLE1: SimulatedKernels = SimulatedKernels {
    tree: PaperTree::FullLeaves,
    beside: &[ON_AN_H200],
    ..SimulatedKernels::of(
        Workload::Al09,
        &[
            ("gtx285", "al09-packet", "packet"),
            ("gtx285", "al09-while-while", "while-while"),
            ("gtx285", "al09-if-if", "if-if"),
            ("gtx285", "al09-spec-if-if", "speculative if-if"),
            ("gtx285", "al09-persistent-packet", "persistent packet"),
            ("gtx285", "al09-persistent-while-while", "persistent while-while"),
            ("gtx285", "al09-persistent-spec-while-while", "pers. spec. while-while"),
        ],
        &["traversal", "intersection", "simulated"],
    )
};

/// The same kernels in the tree in which an H200 traced.
const ON_AN_H200: SimulatedKernels = SimulatedKernels {
    tree: PaperTree::Good,
    ..SimulatedKernels::of(
        Workload::Al09,
        &[
            ("h200", "al09-packet", "packet"),
            ("h200", "al09-while-while", "while-while"),
            ("h200", "al09-if-if", "if-if"),
            ("h200", "al09-spec-if-if", "speculative if-if"),
            ("h200", "al09-persistent-packet", "persistent packet"),
            ("h200", "al09-persistent-while-while", "persistent while-while"),
            ("h200", "al09-persistent-spec-while-while", "pers. spec. while-while"),
        ],
        &["bound"],
    )
};

/// Kernels whose gain depends on the size of leaves (AL09 3.2).
const LEAVES: SimulatedKernels = SimulatedKernels {
    tree: PaperTree::FullLeaves,
    leaves: &[1, 2, 4, 8],
    ..SimulatedKernels::of(
        Workload::Al09,
        &[("gtx285", "al09-while-while", "while-while"), ("gtx285", "al09-if-if", "if-if")],
        &["simulated"],
    )
};

/// Kernels of rays that are shuffled (AL09 6).
const SHUFFLED: SimulatedKernels = SimulatedKernels {
    tree: PaperTree::FullLeaves,
    kinds: &[RayKind::Diffuse],
    orders: &[(Order::Workload, ""), (Order::Shuffled(0), ", shuffled")],
    ..SimulatedKernels::of(
        Workload::Al09,
        &[
            ("gtx285", "al09-while-while", "while-while"),
            ("gtx285", "al09-persistent-while-while", "persistent while-while"),
            ("gtx285", "al09-persistent-spec-while-while", "pers. spec. while-while"),
        ],
        &["simulated"],
    )
};

/// Kernels of trees with as many children as lanes share a ray (AL09 5.3), below the binary tree's.
const WIDE: SimulatedKernels = SimulatedKernels {
    tree: PaperTree::FullLeaves,
    ..SimulatedKernels::of(
        Workload::Al09,
        &[
            ("gtx285", "al09-while-while", "binary tree"),
            ("gtx285", "al09-wide4", "4 lanes a ray"),
            ("gtx285", "al09-wide8", "8 lanes a ray"),
            ("gtx285", "al09-wide16", "16 lanes a ray"),
            ("gtx285", "al09-wide32", "32 lanes a ray"),
        ],
        &["traversal", "intersection", "boxes"],
    )
};

/// Note on trees of recorded rates.
const RECORDED_TREE: &str =
    "recorded rates of the H200 are of the tree of preset `good`, which has more nodes than the simulated one";

const COSTS_ARE_FITTED: &str = "four costs of the GTX 285 are fitted to the paper's twelve simulated rates of sibenik that are not of packets, so that these test nothing there; conference had no part in it";
const TREE_WAS_CHOSEN: &str = "the tree (full leaves, as many extra references by splits as triangles) was chosen among four, since it has as many nodes as theirs and fits the efficiencies of if-if";
const NO_GPU: &str =
    "measured: theirs on the paper's GPU, of which there is none here; ours on another machine, for orientation";
const BESIDE: &str = "crytek_sponza is no scene of the paper: its numbers count in no statement";
const OF_SIMULATED: &str = "% of sim.: theirs over their simulated rates; an H200's over its lowest bound, which is simulated in the tree of preset `good`, the measured one, and in which instructions and caches count where theirs has memory for free; a rate of another GPU has no share, since its bounds are not simulated here";
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
                        .says("and in % of what was simulated for that GPU"),
                    Quantity::amount("bound", "bound", MRAYS, 0).says("the H200's lowest bound"),
                ],
            },
        ],
        making: Making::Kernels(&TABLE1),
        formed: Some(Formed::Share { key: "of simulated", of: "measured", bound: "bound", gpu: "NVIDIA H200" }),
        scenes: &["conference", "fairy", "sibenik"],
        suite: Some("table1"),
        fitted: &[COSTS_ARE_FITTED, TREE_WAS_CHOSEN],
        notes: &[
            NO_GPU,
            OF_SIMULATED,
            "intervals of what is recorded are of 50,000 rays of a kind and view, its numbers of more, and so nearer",
            RECORDED_TREE,
            OTHER_SCENES,
        ],
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
        formed: None,
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
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &[
            COSTS_ARE_FITTED,
            "the latency of a load (some 6,000 clocks) is set so that while-while needs all warps",
        ],
        notes: &[
            "theirs of times are computed: the paper says \"about 20% slower\" and \"about 30% faster\", of speeds",
            "theirs of the slots are measured rates over simulated ones in that scene",
            BESIDE,
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
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &["the cost of postponing is fitted to the paper's cells of sibenik"],
        notes: &[
            "theirs are ratios of the simulated rates of Table 1; nodes fetched in vain cost nothing here",
            BESIDE,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-speculation.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "leaves",
        place: "3.2, smaller leaves",
        what: "if-if against while-while by the size of leaves",
        parts: &[
            ExhibitTable {
                title: "gain of if-if over while-while, %",
                quantities: &[
                    Quantity::gain("gain", "gain").digits(1).says("simulated on a GTX 285 with memory for free"),
                    Quantity::gain("measured gain", "H200").digits(1).says("measured on an H200"),
                ],
            },
            ExhibitTable {
                title: "Mrays/s",
                quantities: &[
                    Quantity::amount("simulated", "simulated", MRAYS, 1).says("simulated on a GTX 285"),
                    Quantity::amount("measured", "measured", MRAYS, 1).says("measured on an H200"),
                ],
            },
        ],
        making: Making::Kernels(&LEAVES),
        formed: Some(Formed::Gains {
            ends: [", if-if", ", while-while"],
            of: &[("gain", &["simulated"]), ("measured gain", &["measured"])],
        }),
        scenes: &["sibenik", "conference", "kitchen"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED, TREE_WAS_CHOSEN],
        notes: &[
            "\"much faster\" is all that the paper says of leaves of at most 4; Table 1 has leaves of at most 8",
            "simulated: rays of workload `al09` from all five views, in the tree of Table 1; measured: rays of workload `raywarp` from view 1, in the tree of preset `good` and without splits: compare gains down each column, not rates across",
            "kitchen is no scene of the paper: its numbers count in no statement",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-leaves.csv"),
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
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &["what it costs to look for ended rays the paper does not state; here it is free", BESIDE],
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
            ExhibitTable {
                title: "Mrays/s, simulated on a GTX 285 with memory for free",
                quantities: &[Quantity::amount("rate", "simulated", MRAYS, 1).apart()],
            },
        ],
        making: Making::Experiment(Experiment::Queue, &[&["gain"], &["traversal", "intersection"], &["rate"]]),
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &["theirs are of fairy, which is not to be had: they stand beside ours for orientation", BESIDE],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-queue.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "wide",
        place: "5.3",
        what: "trees of 4 to 32 children, whose rays are on as many lanes each",
        parts: &[ExhibitTable {
            title: "lanes that take part in traversal and in intersection, %, boxes of a ray",
            quantities: &[
                TRAVERSAL,
                INTERSECTION,
                Quantity::amount("boxes", "boxes", "boxes a ray", 0),
                Quantity::factor("of binary", "of binary")
                    .apart()
                    .says("rate over persistent while-while's on an H200"),
            ],
        }],
        making: Making::Kernels(&WIDE),
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &[TREE_WAS_CHOSEN],
        notes: &[
            "the paper gives words alone; no rate is simulated, since nothing is known of what these kernels cost on a GTX 285",
            "the H200's rates are of a profiler's launches on the tree of preset `good`; persistent while-while, the same kernel on a binary tree, was launched in 2026-11-21-h200-4",
            BESIDE,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-wide.csv"),
    },
    Exhibit {
        paper: Paper::Al09,
        name: "shuffled",
        place: "6, shuffled rays",
        what: "rates of diffuse rays in order and shuffled",
        parts: &[ExhibitTable {
            title: "Mrays/s",
            quantities: &[
                Quantity::amount("simulated", "simulated", MRAYS, 1)
                    .says("simulated on a GTX 285 with memory for free"),
                Quantity::amount("measured", "measured", MRAYS, 1).apart().says("measured"),
            ],
        }],
        making: Making::Kernels(&SHUFFLED),
        formed: None,
        scenes: &["conference", "fairy", "sibenik"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED, TREE_WAS_CHOSEN],
        notes: &[
            "the paper's 20 to 40 Mrays/s are of its fastest speculative kernel in all three scenes",
            RECORDED_TREE,
            "of shuffled rays memory is what is slow, which costs nothing in the simulation",
            NO_GPU,
            OTHER_SCENES,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-shuffled.csv"),
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
        formed: None,
        scenes: &["sibenik", "conference", "crytek_sponza"],
        suite: None,
        fitted: &[COSTS_ARE_FITTED],
        notes: &[
            "theirs are the least, the mean and the most over three scenes, beside primary, AO and diffuse rays here",
            BESIDE,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/al09-width.csv"),
    },
];
