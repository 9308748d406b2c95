//! Bugs of trees of the family: boxes in bytes, and nodes that hold them.

use super::{EMULATION, Edit, Plant};

/// Boxes on a grid: what is put there, and the nodes that are made of it.
const BYTE_GRID: &[&str] = &["-p", "raywarp-layout", "--lib", "byte_grid"];
const QBVH4_NODES: &[&str] = &["-p", "raywarp-layout", "--lib", "qbvh4"];
/// Every legal combination of parts, on every case.
const COMBINED: &[&str] = &["-p", "raywarp", "--test", "conformance"];

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "layout: an upper plane in bytes that is a step too low",
        edits: &[Edit {
            file: "crates/layout/src/byte_grid.rs",
            find: "axis.hi[slot] = Offset::new(max, origin).steps_above(step).unwrap_or(255);",
            replace: "axis.hi[slot] = Offset::new(max, origin).steps_below(step);",
        }],
        test: BYTE_GRID,
        hangs: false,
    },
    Plant {
        name: "qbvh4: lower and upper planes exchanged in the node",
        edits: &[Edit {
            file: "crates/layout/src/tree/qbvh4.rs",
            find: "(node.planes[2 * axis], node.planes[2 * axis + 1]) = (grid.lo, grid.hi);",
            replace: "(node.planes[2 * axis], node.planes[2 * axis + 1]) = (grid.hi, grid.lo);",
        }],
        test: QBVH4_NODES,
        hangs: false,
    },
    Plant {
        name: "qbvh4: a walk that takes each step for half of it",
        edits: &[Edit {
            file: "crates/traverse/src/tree/qbvh4.rs",
            find: "node.scale(), ray)",
            replace: "node.scale().map(|step| 0.5 * step), ray)",
        }],
        test: COMBINED,
        hangs: false,
    },
    Plant {
        name: "cuda: upper planes of qbvh4 from the corner of lower ones",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/qbvh4.h",
            find: "{plane(xy.y, i, grid.step.x, grid.hi.x),",
            replace: "{plane(xy.y, i, grid.step.x, grid.lo.x),",
        }],
        test: EMULATION,
        hangs: false,
    },
];
