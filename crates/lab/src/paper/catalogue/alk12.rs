//! Exhibits of ALK12 (Aila, Laine and Karras 2012).

use super::{OTHER_SCENES, SAN_MIGUEL};
use crate::paper::exhibit::{Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity, SimulatedKernels};
use raywarp_workload::rays::Workload;
/// Kernels of ALK12's Table 1.
const GENERATIONS: SimulatedKernels = SimulatedKernels::of(
    Workload::Al09,
    &[
        ("gtx285", "al09-persistent-spec-while-while", "GTX 285"),
        ("gtx480", "alk12-fermi", "GTX 480"),
        ("gtx680", "alk12-kepler", "GTX 680"),
        ("h200", "alk12-fermi", "NVIDIA H200"),
        ("h200", "alk12-kepler", "NVIDIA H200"),
    ],
    &["bound", "expected"],
);

/// Exhibits of the paper.
pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        paper: Paper::Alk12,
        name: "table1",
        place: "Table 1",
        what: "rates of three generations of GPUs",
        parts: &[
            ExhibitTable {
                title: "Mrays/s",
                quantities: &[
                    Quantity::amount("measured", "measured", "Mrays/s", 1).apart().says("measured"),
                    Quantity::amount("expected", "expected", "Mrays/s", 0).says("expected"),
                    Quantity::amount("bound", "bound", "Mrays/s", 0)
                        .says("the lowest bound, or what stands in its place"),
                ],
            },
            ExhibitTable {
                title: "multiples of the previous generation's rate",
                quantities: &[Quantity::factor("of previous", "x previous").apart()],
            },
        ],
        making: Making::Kernels(&GENERATIONS),
        formed: None,
        scenes: &["conference", "fairy", "sibenik", "san_miguel"],
        suite: Some("alk12"),
        fitted: &[],
        notes: &[
            "expected: by the model of a multiprocessor, where machine code is known: a GTX 680's by the Titan's",
            "expected rates and bounds are without a launch's start and tail, which short launches feel, such as an H200's of primary rays",
            "bound: a GTX 480's does not depend on machine code, of which none is known; a GTX 680's is by the code of a Titan, whose GPU is alike, and so no bound: it may lie below what was measured",
            "a GTX 285's is its simulated rate by fitted costs, no bound either, and on another tree than in al09 table1",
            "an H200, and a GPU that measures here, has the faster of \"alk12-fermi\" and \"alk12-kepler\" for each kind of rays, and of their expected rates and bounds the larger; our san_miguel is a part of theirs, and cannot be compared",
            SAN_MIGUEL,
            "multiples of the previous generation are theirs alone: ours would need two of these GPUs",
            OTHER_SCENES,
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/alk12-table1.csv"),
    },
    Exhibit {
        paper: Paper::Alk12,
        name: "table2",
        place: "Table 2",
        what: "what each choice gains",
        parts: &[ExhibitTable {
            title: "gain in rate on an H200, %",
            quantities: &[Quantity::gain("gain", "gain").digits(1).apart()],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &["sibenik", "conference"],
        suite: Some("alk12"),
        fitted: &[],
        notes: &[
            "theirs are of a GTX 480 (Fermi) or GTX 680 (Kepler), and name no scene: they stand beside ours of both scenes, which are geometric means",
            "persistent threads: AL09's persistent while-while over its while-while, from al09 table1; theirs are of a GTX 480, on a GTX 285 they double the rate",
            "fetching nodes and triangles by texture is not tried: since Maxwell loads by texture and others go through one cache",
        ],
        picture: PictureForm::Bars,
        stored: include_str!("../../../records/alk12-table2.csv"),
    },
    Exhibit {
        paper: Paper::Alk12,
        name: "figure3",
        place: "Figure 3",
        what: "rates, operations and bandwidth over those of the GTX 285",
        parts: &[ExhibitTable {
            title: "multiples of the GTX 285's",
            quantities: &[Quantity::factor("multiple", "multiple")],
        }],
        making: Making::Gpu,
        formed: None,
        scenes: &["sibenik"],
        suite: Some("alk12"),
        fitted: &[],
        notes: &[
            "theirs of a GTX 480 and 680 are means of the paper's Table 1 over three scenes, since San Miguel has no number of the GTX 285; ours of a GTX 680 are expected rates over the GTX 285's simulated ones, both of table1, and the mean is that of sibenik and conference",
            "ours of a GTX 480 is not there: no machine code of one is known, so that no rate is expected of it, and its bounds, nearly four times what the paper measured, say nothing of its rate",
            "H200: the measured rate of table1, which is the faster of two kernels for each kind of rays, over the paper's of the GTX 285 in that scene",
        ],
        picture: PictureForm::Generations,
        stored: include_str!("../../../records/alk12-figure3.csv"),
    },
];
