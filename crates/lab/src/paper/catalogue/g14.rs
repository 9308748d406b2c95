//! Exhibits of G14 (Guthe 2014).

use super::{OTHER_SCENES, SAN_MIGUEL};
use crate::paper::exhibit::{Exhibit, ExhibitTable, Formed, Making, Paper, PictureForm, Quantity, SimulatedKernels};
use raywarp_workload::rays::Workload;
/// Key of the speedup, which follows from rates.
pub(in crate::paper) const SPEEDUP: &str = "speedup";

/// Kernels of G14's Table 2.
const BEFORE_AND_AFTER: SimulatedKernels = SimulatedKernels::of(
    Workload::G14,
    &[
        ("gtx480", "alk12-kepler", "GTX 480, ALK12's"),
        ("gtx480", "g14", "GTX 480, improved"),
        ("gtx680", "alk12-kepler", "GTX 680, ALK12's"),
        ("gtx680", "g14", "GTX 680, improved"),
        ("gtxtitan", "alk12-kepler", "Titan, ALK12's"),
        ("gtxtitan", "g14", "Titan, improved"),
        ("h200", "alk12-kepler", "NVIDIA H200, ALK12's"),
        ("h200", "g14", "NVIDIA H200, improved"),
    ],
    &["bound", "expected"],
);

/// Kernels of G14's Tables 1 and 3 on machines for which code is known.
const LATENCIES: SimulatedKernels = SimulatedKernels::of(
    Workload::G14,
    &[
        ("gtx680", "alk12-kepler", "ALK12's, GTX 680"),
        ("gtx680", "g14", "improved, GTX 680"),
        ("gtxtitan", "alk12-kepler", "ALK12's, GTX Titan"),
        ("gtxtitan", "g14", "improved, GTX Titan"),
    ],
    &["ipc", "memory", "dependency"],
);

/// What ALK12's kernel is called among those of G14's improvements.
const BASE: &str = "ALK12's";
/// Scene that stands for the mean of all.
const MEAN: &str = "sibenik and conference";

/// ALK12's kernel with each improvement of G14, alone and in pairs.
const IMPROVEMENTS: SimulatedKernels = SimulatedKernels::of(
    Workload::G14,
    &[
        ("gtx680", "alk12-kepler", "GTX 680, ALK12's"),
        ("gtx680", "g14-wide4", "GTX 680, 4-ary"),
        ("gtx680", "g14-unroll", "GTX 680, unrolled"),
        ("gtx680", UNSORTED, "GTX 680, unsorted"),
        ("gtx680", WIDE_UNROLLED, "GTX 680, 4-ary, unrolled"),
        ("gtx680", "g14-wide4-unsorted", "GTX 680, 4-ary, unsorted"),
        ("gtx680", UNROLLED_UNSORTED, "GTX 680, unrolled, unsorted"),
        ("gtx680", "g14", "GTX 680, all"),
        ("gtx680", "g14-wide4-merge", "GTX 680, 4-ary, five comparisons"),
        ("gtxtitan", "alk12-kepler", "Titan, ALK12's"),
        ("gtxtitan", "g14-wide4", "Titan, 4-ary"),
        ("gtxtitan", "g14-unroll", "Titan, unrolled"),
        ("gtxtitan", UNSORTED, "Titan, unsorted"),
        ("gtxtitan", WIDE_UNROLLED, "Titan, 4-ary, unrolled"),
        ("gtxtitan", "g14-wide4-unsorted", "Titan, 4-ary, unsorted"),
        ("gtxtitan", UNROLLED_UNSORTED, "Titan, unrolled, unsorted"),
        ("gtxtitan", "g14", "Titan, all"),
        ("gtxtitan", "g14-wide4-merge", "Titan, 4-ary, five comparisons"),
    ],
    &["expected"],
);
const UNSORTED: &str = "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted";
const UNROLLED_UNSORTED: &str =
    "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&occlusion=unsorted&unroll=2";
const WIDE_UNROLLED: &str = "replace/speculative-while-while/wide4?batch=exact&box=integer&leaves=nested&unroll=2";

/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::G14,
        name: "table1",
        place: "Tables 1 and 3",
        what: "instructions a clock, eligible warps and stalls, of ALK12's kernel and of the improved one, conference",
        parts: &[
            ExhibitTable {
                title: "instructions a clock, and eligible warps",
                quantities: &[
                    Quantity::amount("ipc", "IPC", "instructions a clock", 2),
                    Quantity::amount("eligible", "eligible", "warps", 1).apart(),
                ],
            },
            ExhibitTable {
                title: "stalls by cause, % of all",
                quantities: &[
                    Quantity::share("memory", "memory"),
                    Quantity::share("dependency", "depend."),
                    Quantity::share("fetch", "fetch").apart(),
                ],
            },
        ],
        making: Making::Kernels(&LATENCIES),
        formed: None,
        scenes: &["conference"],
        suite: None,
        fitted: &[],
        notes: &[
            "ours on a GTX 680 and a Titan are expected by the model of their multiprocessor, without these GPUs, a GTX 680's by the Titan's code and without waits for loads, whose latency is not known there; on an H200 they are a profiler's counts",
            "memory: warps of the model that wait for loads; dependency: those that wait for earlier instructions; fetching of instructions is not modelled",
            "of a GTX 480 theirs stand alone: no machine code of Fermi is known",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/g14-table1.csv"),
    },
    Exhibit {
        paper: Paper::G14,
        name: "table2",
        place: "Table 2",
        what: "rates of ALK12's kernel and of the improved one on three GPUs",
        parts: &[
            ExhibitTable {
                title: "Mrays/s",
                quantities: &[
                    Quantity::amount("measured", "measured", "Mrays/s", 1).apart().says("measured"),
                    Quantity::amount("expected", "expected", "Mrays/s", 0).says("expected"),
                    Quantity::amount("bound", "bound", "Mrays/s", 0).says("the lowest bound"),
                ],
            },
            ExhibitTable {
                title: "speedup by the improvements, %",
                quantities: &[Quantity::gain(SPEEDUP, "speedup").digits(1)],
            },
        ],
        making: Making::Kernels(&BEFORE_AND_AFTER),
        formed: Some(Formed::Gains { ends: [", improved", ", ALK12's"], of: &[(SPEEDUP, &["expected", "measured"])] }),
        scenes: &["conference", "fairy", "sibenik", "san_miguel"],
        suite: Some("guthe"),
        fitted: &[],
        notes: &[
            "a GTX 480's bounds do not depend on machine code, of which none is known; a Titan's bounds and expected rates are of code compiled for it; a GTX 680's are by the Titan's code, and so no bounds; an H200's are of the code that runs there",
            "expected rates and bounds are without a launch's start and tail, which short launches feel, such as an H200's of primary rays",
            "ours of speedups are quotients of expected rates on GPUs of the paper and in san_miguel, and of measured ones elsewhere; a GTX 480 has neither; our san_miguel is a part of theirs, and cannot be compared",
            SAN_MIGUEL,
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
            title: "gain over ALK12's kernel, %",
            quantities: &[
                Quantity::gain("gain", "H200").digits(1).says("ours measured on an H200, theirs on a GTX 680"),
                Quantity::gain("gtx680", "680").digits(1).says("ours expected of a GTX 680"),
                Quantity::gain("gtxtitan", "Titan").digits(1).says("and of a Titan"),
            ],
        }],
        making: Making::Kernels(&IMPROVEMENTS),
        formed: Some(Formed::OnMachines {
            rate: "expected",
            base: BASE,
            of: &[("gtx680", "GTX 680"), ("gtxtitan", "Titan")],
            mean: MEAN,
        }),
        scenes: &["sibenik", "conference"],
        suite: Some("guthe"),
        fitted: &[],
        notes: &[
            "theirs of all improvements are Table 2's of a GTX 680; of others the least and the most that the paper names, over scenes and kinds of rays",
            "theirs on a Titan are Table 2's of all improvements alone",
            "expected gains are quotients of expected rates as in table2, by the model of a multiprocessor and the Titan's code, without these GPUs and a GTX 680's without waits for loads",
            "ours of sibenik and conference together are geometric means",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/g14-improvements.csv"),
    },
];
