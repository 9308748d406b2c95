//! Bugs of what a GPU does where nobody says how, which the command's tests on a pretended GPU must catch.

use super::{Edit, Plant};

const TREE: &[&str] = &["-p", "raywarp-cli", "--test", "gpu", "the_tree_is_the_one_for_gpus"];
const AGAIN: &[&str] = &["-p", "raywarp-cli", "--test", "gpu", "rays_from_far_outside"];
const FEW_RAYS: &[&str] = &["-p", "raywarp-cli", "--test", "gpu", "few_rays"];
const ANYWHERE: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "anywhere"];
const CONFORMANCE: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "conformance"];
const DRIVER: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "driver"];
const BATCHES: &[&str] = &["-p", "raywarp-cpu", "--test", "batches"];

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "gpu: trace on the CPU's tree",
        edits: &[Edit {
            file: "crates/cli/src/command/trace.rs",
            find: "if gpu.is_some() { presets::GPU }",
            replace: "if gpu.is_none() { presets::GPU }",
        }],
        test: TREE,
        hangs: false,
    },
    Plant {
        name: "gpu: bench on the tree of those who name a kernel",
        edits: &[Edit {
            file: "crates/cli/src/command/bench_args.rs",
            find: "true => presets::GPU,",
            replace: "true => presets::GOOD,",
        }],
        test: TREE,
        hangs: false,
    },
    Plant {
        name: "gpu: rays that are traced again without a word",
        edits: &[Edit {
            file: "crates/cli/src/command/trace.rs",
            find: "if stats.again == 0 {",
            replace: "if stats.again <= stats.rays {",
        }],
        test: AGAIN,
        hangs: false,
    },
    Plant {
        name: "gpu: few rays by a kernel for many, which was found by chance",
        edits: &[Edit {
            file: "crates/cuda/src/names.rs",
            find: "FOR_MANY.iter().any(",
            replace: "FOR_MANY.iter().take(1).any(",
        }],
        test: FEW_RAYS,
        hangs: false,
    },
    Plant {
        name: "cuda: a kernel that comes early and does not wait",
        edits: &[Edit {
            file: "crates/cuda/kernels/kernel.h",
            find: "        platform::wait_for_launch_before();\n",
            replace: "",
        }],
        test: DRIVER,
        hangs: false,
    },
    Plant {
        name: "cuda: boxes that do not grow by the ray",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/h8_ray.h",
            find: "ray.pad = is_plain ? h8::FAR_PAD * farthest + underflow",
            replace: "ray.pad = is_plain ? 0.0f * farthest + underflow",
        }],
        test: ANYWHERE,
        hangs: false,
    },
    Plant {
        name: "cuda: rays from beyond that are near",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/h8.h",
            find: "(farthest <= 2.0f * reach)",
            replace: "(farthest <= 2e6f * reach)",
        }],
        test: ANYWHERE,
        hangs: false,
    },
    Plant {
        name: "cuda: rays that are no numbers are near",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/h8.h",
            find: "(magnitude(ray.along) <= slab::LARGEST) & ",
            replace: "",
        }],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "cpu: words behind those of the rays are cleared",
        edits: &[Edit {
            file: "crates/cpu/src/tracer.rs",
            find: "blocked[..rays.len().div_ceil(32)].chunks_mut(",
            replace: "blocked.chunks_mut(",
        }],
        test: BATCHES,
        hangs: false,
    },
];
