//! Planted bugs: each must make the tests fail that are there to catch its kind.
//!
//! `cargo xtask plant [NAME...]` copies the tracked files to target/plant, changes them, runs the tests, and
//! says which bugs were caught. It takes a minute or two a bug, and so is not part of the tests.

mod gpu_defaults;
mod organisation;
mod path_tracer;
mod shading;
mod tree;

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A text in a file and what stands there instead.
struct Edit {
    file: &'static str,
    find: &'static str,
    replace: &'static str,
}

/// A bug and the tests that must fail: arguments of `cargo test --release`.
struct Plant {
    name: &'static str,
    edits: &'static [Edit],
    test: &'static [&'static str],
    /// The bug keeps a warp from ever ending, so that not ending is how it is caught.
    hangs: bool,
}

const CONFORMANCE: &[&str] = &["-p", "raywarp", "--test", "conformance"];
const EVENTS: &[&str] = &["-p", "raywarp-traverse", "--test", "events"];
const REPLAY: &[&str] = &["-p", "raywarp-traverse", "--test", "replay"];

const SIMULATOR: &[&str] = &["-p", "raywarp-sim", "--lib"];

const REPORTS: &[&str] = &["-p", "raywarp-cli", "--test", "simulate_report"];

const MEASURED: &[&str] = &["-p", "raywarp", "--test", "measured"];

const EMULATION: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "schedules"];

const QUERIES: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "queries"];

const OWN_KERNELS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "own_kernels"];

const HEADERS: &[&str] = &["-p", "raywarp-cuda", "--lib", "headers"];

const AIMED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "aimed"];

const SCRIPTS: &[&str] = &["-p", "xtask", "--test", "scripts"];

const PACE: &[&str] = &["-p", "raywarp-sim", "--lib", "pace"];

const TALLY: &[&str] = &["-p", "raywarp-family", "--lib", "tally"];

const COSTS: &[&str] = &["-p", "raywarp-cuda", "--lib", "costs"];

const EMBEDDED: &[&str] = &["-p", "raywarp-cuda", "--lib", "kernel_set"];

const SEVERAL: &[&str] = &["-p", "raywarp-cuda", "--lib", "several"];

const AUTO_RAYS: &[&str] = &["-p", "raywarp", "--lib", "auto_rays"];

const GPU_QUERIES: &[&str] = &["-p", "raywarp", "--test", "gpu_queries"];

/// Tests of the command on a pretended GPU: few rays, a scene that h8 cannot hold.
const FEW_RAYS: &[&str] = &["-p", "raywarp-cli", "--test", "gpu", "few_rays"];
const NEXT_KERNEL: &[&str] = &["-p", "raywarp-cli", "--test", "gpu", "h8"];

const CHAINS: &[&str] = &["-p", "xtask", "chains"];

/// `--test` has cargo make the program `raywarp` too, which the test of xtask reads; any test does.
const LANES: &[&str] = &["-p", "xtask", "-p", "raywarp-cli", "--bin", "xtask", "--test", "closed_pipe", "lanes"];

const PACKETS: &[&str] = &["-p", "raywarp-cpu", "--test", "packets"];

const BATCHES: &[&str] = &["-p", "raywarp-cpu", "--test", "batches"];

const OPERATIONS: &[&str] = &["-p", "raywarp-lanes", "--test", "operations"];

const MEMORY: &[&str] = &["-p", "raywarp-lanes", "--test", "memory"];

/// Tests that run so long will never end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Those of kernels, simulator and reports.
const PLANTS: &[Plant] = &[
    Plant {
        name: "cpu: intrinsics in a closure",
        edits: &[Edit {
            file: "crates/cpu/src/simd/avx2.rs",
            find: "let [low, high] = entries(near.register(), children, mask);",
            replace: "let [low, high] = [mask].map(|mask| entries(near.register(), children, mask))[0];",
        }],
        test: LANES,
        hangs: false,
    },
    Plant {
        name: "cpu: rays that want a node, kept among those at leaves",
        edits: &[Edit {
            file: "crates/cpu/src/simd/queue.rs",
            find: "let (stays, goes) = if LEAVES { (at_leaf, at_node) } else { (at_node, at_leaf) };",
            replace: "let (stays, goes) = (at_node, at_leaf);",
        }],
        test: BATCHES,
        hangs: true,
    },
    Plant {
        name: "cpu: a ray lost of eight that are sorted out",
        edits: &[Edit {
            file: "crates/cpu/src/simd/queue.rs",
            find: "Mask::first(set, from.len - first);",
            replace: "Mask::first(set, (from.len - first).min(7));",
        }],
        test: BATCHES,
        hangs: false,
    },
    Plant {
        name: "cpu: a packet that leaves by its least inverse",
        edits: &[Edit {
            file: "crates/cpu/src/simd/packet.rs",
            find: "far = (leave * least).max(leave * most).min(far);",
            replace: "far = (leave * least).min(leave * most).min(far);",
        }],
        test: PACKETS,
        hangs: false,
    },
    Plant {
        name: "cpu: a packet that takes any of equal hits",
        edits: &[Edit {
            file: "crates/cpu/src/simd/packet.rs",
            find: "let taken = within & (t.lt(nearest.t) | index.lt(nearest.index));",
            replace: "let taken = within & t.lt(nearest.t);",
        }],
        test: PACKETS,
        hangs: false,
    },
    Plant {
        name: "cpu: a packet across octants",
        edits: &[Edit {
            file: "crates/cpu/src/simd/packet.rs",
            find: "&& signs.iter().all(|&signs| signs == 0 || signs == every)",
            replace: "&& signs.iter().all(|&signs| signs <= every)",
        }],
        test: PACKETS,
        hangs: false,
    },
    Plant {
        name: "lanes: words compared as signed numbers",
        edits: &[Edit {
            file: "crates/lanes/src/x86/avx2.rs",
            find: "(self ^ sign).lt_signed(other ^ sign)",
            replace: "self.lt_signed(other)",
        }],
        test: OPERATIONS,
        hangs: false,
    },
    Plant {
        name: "lanes: a fused difference of the other sign",
        edits: &[Edit {
            file: "crates/lanes/src/x86/widths.rs",
            find: "_mm256_fnmadd_ps fnmadd_ps",
            replace: "_mm256_fnmsub_ps fnmadd_ps",
        }],
        test: OPERATIONS,
        hangs: false,
    },
    Plant {
        name: "lanes: a gather that trusts its indices",
        edits: &[Edit {
            file: "crates/lanes/src/x86/shared.rs",
            find: "if outside.any() {",
            replace: "if outside.count() > 16 {",
        }],
        test: MEMORY,
        hangs: false,
    },
    Plant {
        name: "pipelines that are always free",
        edits: &[Edit {
            file: "crates/sim/src/pace/multiprocessor.rs",
            find: "unit => free(unit),",
            replace: "_ => true,",
        }],
        test: PACE,
        hangs: false,
    },
    Plant {
        name: "places that are filled before their block has ended",
        edits: &[Edit {
            file: "crates/sim/src/pace/multiprocessor.rs",
            find: ".all(|slot| self.slots[slot].next.is_none())",
            replace: ".any(|slot| self.slots[slot].next.is_none())",
        }],
        test: PACE,
        hangs: false,
    },
    Plant {
        name: "an ALU a twentieth too fast",
        edits: &[Edit { file: "machines/h200.toml", find: "alu = { value = 64,", replace: "alu = { value = 67," }],
        test: &["-p", "raywarp-sim", "--test", "pipes"],
        hangs: false,
    },
    Plant {
        name: "a page that calls fitted rates bounds",
        edits: &[Edit {
            file: "crates/study/src/report/ranking.rs",
            find: "Class::Fitted => Some(\"fitted prices\"),",
            replace: "Class::Fitted => None,",
        }],
        test: REPORTS,
        hangs: false,
    },
    Plant {
        name: "a pace without waits",
        edits: &[Edit {
            file: "crates/sim/src/pace/multiprocessor.rs",
            find: "(known, 0, next.waits)",
            replace: "(known, 0, 0)",
        }],
        test: PACE,
        hangs: false,
    },
    Plant {
        name: "tests of an unrolled loop that count alike",
        edits: &[Edit {
            file: "crates/family/src/costs/tally.rs",
            find: "_ => self.step.filter(|_| tests),",
            replace: "_ => None,",
        }],
        test: TALLY,
        hangs: false,
    },
    Plant {
        name: "integers on the pipeline of floats",
        edits: &[Edit {
            file: "crates/family/src/costs/word.rs",
            find: "0x024 | 0x025 => Pipe::FmaHeavy",
            replace: "0x024 | 0x025 => Pipe::Fma",
        }],
        test: COSTS,
        hangs: false,
    },
    Plant {
        name: "cuda: what was unpacked of a damaged image",
        edits: &[Edit {
            file: "crates/cuda/src/kernel_set.rs",
            find: "unpacked.map_err(|error| CudaError::DamagedImage { message: error.to_string() })?;",
            replace: "let _ = unpacked;",
        }],
        test: EMBEDDED,
        hangs: false,
    },
    Plant {
        name: "cuda: candidates of a stretch that are counted from its start",
        edits: &[Edit {
            file: "crates/cuda/src/several.rs",
            find: "candidate.ray += first as u32",
            replace: "candidate.ray += 0 * first as u32",
        }],
        test: SEVERAL,
        hangs: false,
    },
    Plant {
        name: "cuda: stretches that end within a word of bits",
        edits: &[Edit {
            file: "crates/cuda/src/several.rs",
            find: "rays.div_ceil(self.tracers.len()).next_multiple_of(WORD).max(WORD)",
            replace: "rays.div_ceil(self.tracers.len()).max(WORD)",
        }],
        test: SEVERAL,
        hangs: false,
    },
    Plant {
        name: "cuda: a failure behind those whom it has stopped",
        edits: &[Edit {
            file: "crates/cuda/src/several.rs",
            find: "filter(|error| **error != TraceError::Cancelled)",
            replace: "filter(|_| true)",
        }],
        test: SEVERAL,
        hangs: false,
    },
    Plant {
        name: "cuda: many rays by the kernel for few",
        edits: &[Edit {
            file: "crates/cuda/src/pair.rs",
            find: "if rays < *limit => few",
            replace: "if rays >= *limit => few",
        }],
        test: FEW_RAYS,
        hangs: false,
    },
    Plant {
        name: "auto: a GPU for few rays",
        edits: &[Edit {
            file: "crates/raywarp/src/auto_rays.rs",
            find: "Some(least) if rays >= least => None,",
            replace: "Some(least) if rays >= least / 2 => None,",
        }],
        test: AUTO_RAYS,
        hangs: false,
    },
    Plant {
        name: "auto: a GPU that has failed is lost for the batch",
        edits: &[Edit {
            file: "crates/raywarp/src/auto_tracer.rs",
            find: "Err(TraceError::Device(error)) => {",
            replace: "Err(TraceError::Device(error)) if error.is_empty() => {",
        }],
        test: GPU_QUERIES,
        hangs: false,
    },
    Plant {
        name: "gpu: a limit of h8 that is everybody's",
        edits: &[Edit {
            file: "crates/raywarp/src/gpu.rs",
            find: "if error.is_limit() && !self.is_named => error,",
            replace: "if !error.is_limit() && !self.is_named => error,",
        }],
        test: NEXT_KERNEL,
        hangs: false,
    },
    Plant {
        name: "gpu: the last kernel that is tried, whatever becomes of it",
        edits: &[Edit {
            file: "crates/raywarp/src/gpu.rs",
            find: "Err(PrepareError::Cuda(error)) if error.is_limit() => {}",
            replace: "Err(PrepareError::Cuda(error)) if error.is_limit() && name != HOLDS_MORE => {}",
        }],
        test: NEXT_KERNEL,
        hangs: false,
    },
    Plant {
        name: "gpu: a kernel that is sure of all coordinates",
        edits: &[Edit {
            file: "crates/cuda/src/error.rs",
            find: "let is_near = farthest <= limit;",
            replace: "let is_near = farthest <= f32::MAX;",
        }],
        test: &["-p", "raywarp-cli", "--test", "gpu", "huge_coordinates"],
        hangs: false,
    },
    Plant {
        name: "cuda: rays that are traced again under the name of the kernel that left them",
        edits: &[Edit {
            file: "crates/cuda/src/tracer.rs",
            find: ".with_again(again, self.names[1])",
            replace: ".with_again(again, self.names[0])",
        }],
        test: &["-p", "raywarp-cli", "--test", "gpu", "far_outside"],
        hangs: false,
    },
    Plant {
        name: "geom: kernels of two batches, of which the first one's are kept",
        edits: &[Edit { file: "crates/geom/src/tracer.rs", find: "self.kernels += other.kernels;", replace: "" }],
        test: &["-p", "raywarp", "--test", "gpu_queries"],
        hangs: false,
    },
    Plant {
        name: "cpu: more entries than the count of a mask's cut holds",
        edits: &[Edit {
            file: "crates/cpu/src/simd/avx2.rs",
            find: "2 * (top - i).min(4) as u32",
            replace: "2 * (top - i) as u32",
        }],
        test: &["-p", "raywarp-cpu", "--test", "deep"],
        hangs: false,
    },
    Plant {
        name: "render-cuda: triangles that whole paths miss",
        edits: &[Edit {
            file: "crates/render-cuda/src/engine.rs",
            find: ".filter(|_| walk == Walk::Phased)",
            replace: ".filter(|_| walk != Walk::Phased)",
        }],
        test: &["-p", "raywarp-cli", "--test", "gpu", "whole_paths_would_miss"],
        hangs: false,
    },
    Plant {
        name: "cuda: a third test that is told as a second",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/test_triangle.h",
            find: "RW_EVENT(ThirdTest);",
            replace: "RW_EVENT(SecondTest);",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a turn over leaves that is no event",
        edits: &[Edit {
            file: "crates/cuda/kernels/schedule/while_while.h",
            find: "                RW_EVENT(TurnLeaf);\n",
            replace: "",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "a lone warp that ignores stalls",
        edits: &[Edit {
            file: "crates/family/src/costs/word.rs",
            find: "self.bits(105, 4).max(1) as i32",
            replace: "self.bits(105, 0).max(1) as i32",
        }],
        test: CHAINS,
        hangs: false,
    },
    Plant {
        name: "waits for the next barrier",
        edits: &[Edit {
            file: "crates/family/src/costs/word.rs",
            find: "self.bits(116, 6) >> barrier & 1 == 1",
            replace: "self.bits(117, 6) >> barrier & 1 == 1",
        }],
        test: CHAINS,
        hangs: false,
    },
    Plant {
        name: "a load that nobody waits for",
        edits: &[Edit {
            file: "crates/family/src/costs/word.rs",
            find: "0x180 | 0x181 | 0x183 => Wait::L1",
            replace: "0x180 | 0x183 => Wait::L1",
        }],
        test: CHAINS,
        hangs: false,
    },
    Plant {
        name: "waits behind a block that not all ways come to",
        edits: &[Edit { file: "xtask/src/kernels/chains.rs", find: "times.min_by_key(", replace: "times.max_by_key(" }],
        test: CHAINS,
        hangs: false,
    },
    Plant {
        name: "one block more than fits",
        edits: &[Edit {
            file: "crates/sim/src/machine/occupancy.rs",
            find: "let resident = blocks * warps;",
            replace: "let resident = (blocks + 1) * warps;",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "waits that take no time",
        edits: &[Edit {
            file: "crates/sim/src/bounds/latency.rs",
            find: "Wait::L1 => keys::LATENCY_L1,",
            replace: "Wait::L1 => keys::LATENCY_ALU,",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "a lost pop",
        edits: &[Edit {
            file: "crates/traverse/src/ops/pop.rs",
            find: "let (entry, index) = lane.stack.pop();",
            replace: "if i == 1 { lane.stack.pop(); }\nlet (entry, index) = lane.stack.pop();",
        }],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "a wrong child order with early exit",
        edits: &[
            Edit {
                file: "crates/traverse/src/tree/bvh2.rs",
                find: "rules.order.is_some() & (t[1] < t[0])",
                replace: "rules.order.is_some() & (t[1] > t[0])",
            },
            Edit {
                file: "crates/traverse/src/ops/test_triangle.rs",
                find: "if lane.found.blocked || lane.found.beyond {",
                replace: "if lane.found.blocked || lane.found.beyond || (lane.found.index != u32::MAX && !launch.any_hit) {",
            },
        ],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "a vote that counts dead lanes",
        edits: &[Edit {
            file: "crates/traverse/src/supply/replace.rs",
            find: "let alive = warp.alive();",
            replace: "let alive = warp.holding();",
        }],
        test: EVENTS,
        hangs: false,
    },
    Plant {
        name: "a postponed leaf dropped at ray end",
        edits: &[Edit { file: "crates/traverse/src/lane.rs", find: "postponed | !done", replace: "!done" }],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "a t_max not shortened",
        edits: &[Edit { file: "crates/traverse/src/lane.rs", find: "self.limit = t;", replace: "let _ = t;" }],
        test: EVENTS,
        hangs: false,
    },
    Plant {
        name: "a parked ray forgotten",
        edits: &[Edit {
            file: "crates/traverse/src/supply/queue.rs",
            find: "} else if ended > 0 {",
            replace: "} else if false {",
        }],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "a lane left out of a mask",
        edits: &[Edit {
            file: "crates/traverse/src/lanes/lockstep.rs",
            find: "let mut left = mask.0;",
            replace: "let mut left = mask.0 & !(1 << 31);",
        }],
        test: EVENTS,
        hangs: true,
    },
    Plant {
        name: "a child of the wrong slot",
        edits: &[Edit {
            file: "crates/traverse/src/tree/node_group.rs",
            find: "self.first + (self.inner & ((1 << slot) - 1)).count_ones()",
            replace: "self.first + (self.inner & ((2 << slot) - 1)).count_ones() - u32::from(slot < 7)",
        }],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "boxes without their padding",
        edits: &[
            Edit {
                file: "crates/traverse/src/ray.rs",
                find: "BoxPlanes::Padded => {",
                replace: "BoxPlanes::Padded if ray.t_min > 1e30 => {",
            },
            Edit { file: "crates/traverse/src/ray.rs", find: "BoxPlanes::Plain => {", replace: "_ => {" },
        ],
        test: CONFORMANCE,
        hangs: false,
    },
    Plant {
        name: "cuda: a missing vote",
        edits: &[Edit {
            file: "crates/cuda/kernels/schedule/while_while.h",
            find: "any(lane, lane.has_leaf())",
            replace: "lane.has_leaf()",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a vote with the wrong mask",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/vote.h",
            find: "platform::any_sync(voters(lane), x, site)",
            replace: "platform::any_sync(voters(lane) >> 1, x, site)",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a query that waits for lanes that do not ask",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/vote.h",
            find: "return lane.callers;",
            replace: "return EVERYONE;",
        }],
        test: QUERIES,
        hangs: false,
    },
    Plant {
        name: "cuda: a query that finds a hit again",
        edits: &[Edit { file: "crates/cuda/kernels/walk.h", find: "lane.after = after;", replace: "lane.after = {};" }],
        test: QUERIES,
        hangs: false,
    },
    Plant {
        name: "cuda: a call without a mask that waits for the whole warp",
        edits: &[Edit {
            file: "crates/cuda/kernels/raywarp.h",
            find: "return closest<O>(tree, ray, platform::running_together(site), after);",
            replace: "return closest<O>(tree, ray, EVERYONE, after);",
        }],
        test: OWN_KERNELS,
        hangs: false,
    },
    Plant {
        name: "cuda: rays that are traced again with those that are not",
        edits: &[Edit {
            file: "crates/cuda/kernels/walk.h",
            find: "(launch, o, d, after, left);",
            replace: "(launch, o, d, after, callers);",
        }],
        test: OWN_KERNELS,
        hangs: false,
    },
    Plant {
        name: "cuda: a header that leaves out a file",
        edits: &[Edit { file: "crates/cuda/src/headers.rs", find: "\"schedule/phased.h\" ", replace: "" }],
        test: HEADERS,
        hangs: false,
    },
    Plant {
        name: "cuda: a lost pop",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/pop.h",
            find: "lane.work = lane.stack.pop();",
            replace: "if (lane.stack.top > 1) { lane.stack.pop(); }\nlane.work = lane.stack.pop();",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a shifted index",
        edits: &[Edit {
            file: "crates/cuda/kernels/triangle/rows.h",
            find: "static_cast<u64>(record) * 3;",
            replace: "static_cast<u64>(record) * 3 + 1;",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: an unwritten result",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/store_hit.h",
            find: "} else if (!O.any_hit()) {",
            replace: "} else if (false) {",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a shared-memory race",
        edits: &[Edit {
            file: "crates/cuda/kernels/ops/together.h",
            find: "platform::sync(EVERYONE);\n        top -= 1;",
            replace: "top -= 1;",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a lane that exits early",
        edits: &[Edit {
            file: "crates/cuda/kernels/supply/direct.h",
            find: "fetch_ray(launch, pool, lane);",
            replace: "fetch_ray(launch, pool, lane);\nif (lane.is_idle()) { return; }",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: any-hit rays from near to far",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/h8_ray.h",
            find: "0xaaccf0u : 0x55330fu",
            replace: "0x55330fu : 0x55330fu",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: boxes in halves without a guard",
        edits: &[Edit {
            file: "crates/cuda/kernels/tree/h8.h",
            find: "fused(place, inverse, -guard)",
            replace: "fused(place, inverse, h8::GUARD)",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: no pop after a second group of leaves",
        edits: &[Edit {
            file: "crates/cuda/kernels/schedule/phased.h",
            find: "if (Tree::is_empty(lane.work)) {\n                lane.work = lane.stack.pop();",
            replace: "if (false) {\n                lane.work = lane.stack.pop();",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "cuda: a parked ray that is not read again",
        edits: &[Edit {
            file: "crates/cuda/kernels/supply/queue.h",
            find: "load_ray_again(launch, lane, lane.ray);",
            replace: "",
        }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "what is rare makes up for anything",
        edits: &[Edit {
            file: "xtask/src/kernels/measured.rs",
            find: "(false, [(_, count)]) if !count.full => 2.0,",
            replace: "(false, [_]) => MOST_TURNS,",
        }],
        test: &["-p", "xtask", "measured"],
        hangs: false,
    },
    Plant {
        name: "cuda: pairs without their borders",
        edits: &[Edit {
            file: "crates/cuda/kernels/triangle/pair.h",
            find: "return platform::sides(start, own, end);",
            replace: "return start * own * end == 0.0f ? 1 : platform::sides(start, own, end);",
        }],
        test: AIMED,
        hangs: false,
    },
    Plant {
        name: "cuda: an aimed ray that is lost without a word",
        edits: &[Edit {
            file: "crates/cuda/kernels/check/aimed.h",
            find: "if (missed || unblocked) {",
            replace: "if (missed && !unblocked) {",
        }],
        test: AIMED,
        hangs: false,
    },
    Plant {
        name: "cuda: aimed rays that all start in the middle",
        edits: &[Edit {
            file: "crates/cuda/kernels/check/aimed.h",
            find: "return !is_along ? start :",
            replace: "return !is_along ? aimed.middle[i] :",
        }],
        test: AIMED,
        hangs: false,
    },
    Plant {
        name: "cuda: a shared stack that nobody orders",
        edits: &[Edit { file: "crates/cuda/kernels/ops/pop.h", find: "order_stack<O>();", replace: "" }],
        test: EMULATION,
        hangs: false,
    },
    Plant {
        name: "large nodes are cut all the same",
        edits: &[Edit {
            file: "crates/bvh/src/build/sbvh/mod.rs",
            find: "range.budget == 0 || large || overlap",
            replace: "range.budget == 0 || (large && overlap < 0.0) || overlap",
        }],
        test: &["-p", "raywarp-bvh", "--test", "sbvh"],
        hangs: false,
    },
    Plant {
        name: "a cache that drops what was used last",
        edits: &[Edit {
            file: "crates/sim/src/memory/cache.rs",
            find: "let place = self.oldest;",
            replace: "let place = self.newest;",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "lanes of a warp that share no pass of the L1",
        edits: &[Edit {
            file: "crates/sim/src/memory/wavefronts.rs",
            find: "at_place[(address % LINE / bytes) as usize] += unit;",
            replace: "at_place[(address % LINE / bytes) as usize] += 1;",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "a strict bound from a sample",
        edits: &[Edit {
            file: "crates/sim/src/bounds/mod.rs",
            find: "if !profile.is_whole() {",
            replace: "if false {",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "integer products on lanes of their own",
        edits: &[Edit {
            file: "crates/sim/src/bounds/mod.rs",
            find: "&[Pipe::Fma, Pipe::FmaHeavy, Pipe::Half]",
            replace: "&[Pipe::Fma]",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "a dump that forgets some pops",
        edits: &[Edit {
            file: "crates/traverse/src/dump.rs",
            find: "Block::Pop => Code::Pop,",
            replace: "Block::Pop if self.len % 977 != 0 => Code::Pop,",
        }],
        test: REPLAY,
        hangs: false,
    },
    Plant {
        name: "a replay that mistakes a needed row for a hit",
        edits: &[Edit {
            file: "crates/traverse/src/replay.rs",
            find: "if rules.by_rows { 2 }",
            replace: "if rules.by_rows { 1 }",
        }],
        test: REPLAY,
        hangs: false,
    },
    Plant {
        name: "a replay of what depends on other lanes",
        edits: &[Edit {
            file: "crates/traverse/src/replay.rs",
            find: "variant.postpone() > 0",
            replace: "variant.postpone() > 1",
        }],
        test: REPLAY,
        hangs: false,
    },
    Plant {
        name: "a box test by floats where integers differ",
        edits: &[Edit { file: "crates/traverse/src/ray.rs", find: "if INTEGER {", replace: "if INTEGER && false {" }],
        test: &["-p", "raywarp-traverse", "--lib", "ray"],
        hangs: false,
    },
    Plant {
        name: "a block's place that is free when its first warp ends",
        edits: &[Edit {
            file: "crates/sim/src/distribution.rs",
            find: "if work.left[ended.block] == 0 {",
            replace: "if work.left[ended.block] < 6 {",
        }],
        test: &["-p", "raywarp-sim", "--lib", "distribution"],
        hangs: false,
    },
    Plant {
        name: "multiprocessors of a cluster that do not wait for each other",
        edits: &[Edit {
            file: "crates/sim/src/distribution.rs",
            find: "neighbours.iter().all(",
            replace: "neighbours.iter().any(",
        }],
        test: &["-p", "raywarp-sim", "--lib", "distribution"],
        hangs: false,
    },
    Plant {
        name: "latency of instructions where it is of loads",
        edits: &[Edit {
            file: "crates/sim/src/distribution.rs",
            find: "{ wait * loads / issued }",
            replace: "{ wait * loads / 100.0 }",
        }],
        test: &["-p", "raywarp-sim", "--lib", "distribution"],
        hangs: false,
    },
    Plant {
        name: "warps that are served whatever their clocks",
        edits: &[Edit {
            file: "crates/sim/src/turns.rs",
            find: "last.filter(|&last| last < (clock, warp))",
            replace: "last.filter(|_| false)",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "memory of some warps of a pool that nobody counts",
        edits: &[Edit {
            file: "crates/sim/src/profile.rs",
            find: "for probe in &memory {",
            replace: "for probe in memory.iter().skip(1) {",
        }],
        test: &["-p", "raywarp-sim", "--test", "turns"],
        hangs: false,
    },
    Plant {
        name: "lanes that part without waiting, counted as all",
        edits: &[Edit {
            file: "crates/sim/src/lanes.rs",
            find: "let goes_on = || !costs",
            replace: "let goes_on = || costs",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "a warp's start that costs what turns are set to",
        edits: &[Edit {
            file: "crates/sim/src/price.rs",
            find: "&& self.block.operation() != Operation::Loop",
            replace: "",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "costs that were set and may still be off",
        edits: &[Edit {
            file: "crates/sim/src/price.rs",
            find: "self.verified && !self.set[block]",
            replace: "self.verified",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "average prices without what no event pays",
        edits: &[Edit {
            file: "crates/sim/src/block_prices.rs",
            find: "0 => rest += price.block(block),",
            replace: "0 => rest += 0.0,",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "a fit that forgets what has a stated price",
        edits: &[Edit {
            file: "crates/sim/src/al09.rs",
            find: "scaled[i] * (1.0 - cell.stated / cell.time)",
            replace: "scaled[i]",
        }],
        test: SIMULATOR,
        hangs: false,
    },
    Plant {
        name: "prices that are not what the paper's cells say",
        edits: &[Edit {
            file: "crates/sim/src/al09.rs",
            find: "visit_node: 68.4, test_triangle: 23.9",
            replace: "visit_node: 64.0, test_triangle: 31.0",
        }],
        test: &["-p", "raywarp", "--test", "recorded_bounds", "gtx_285"],
        hangs: false,
    },
    Plant {
        name: "a form for lockstep that is none",
        edits: &[Edit {
            file: "crates/family/src/variant.rs",
            find: "Key::Sync as usize] = Sync::Voted as u8;",
            replace: "Key::Sync as usize] = Sync::Implicit as u8;",
        }],
        test: &["-p", "raywarp-family", "--lib"],
        hangs: false,
    },
    Plant {
        name: "another change than the ranking says",
        edits: &[Edit {
            file: "crates/study/src/bounds/what_if/changes.rs",
            find: "\"0.75x\", Change::Times(0.75)",
            replace: "\"0.75x\", Change::Times(0.5)",
        }],
        test: REPORTS,
        hangs: false,
    },
    Plant {
        name: "a ratio upside down",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "self.rate.rays_per_s / bound.rays_per_s)",
            replace: "bound.rays_per_s / self.rate.rays_per_s)",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a tail that is counted twice",
        edits: &[Edit {
            file: "crates/study/src/measured/shares.rs",
            find: "let busy = elapsed - tail.unwrap_or(0.0);",
            replace: "let busy = elapsed;",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "parts without idle lanes",
        edits: &[Edit {
            file: "crates/study/src/measured/shares.rs",
            find: "*part != Part::Tail || tail.is_some()",
            replace: "*part != Part::Lanes && (*part != Part::Tail || tail.is_some())",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a rate beside the bounds of other rays",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "let of_kind = self.rays.samples.iter().find(|(kind, _)| *kind == rate.kind);",
            replace: "let of_kind = self.rays.samples.first();",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a rate beside the bounds of another tree",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "left.iter().partition(|&&row| jobs[row].0.build == options);",
            replace: "left.iter().partition(|&&row| jobs[row].0.build.max_leaf > 0);",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a rate beside the bounds of another viewpoint",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "Job::Launch(vec![place.ok_or(MeasuredError::View(number))?])",
            replace: "Job::Launch(vec![place.map(|_| 0).ok_or(MeasuredError::View(number))?])",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a strict bound that the fastest run may pass",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "self.rate.most_rays_per_s > bound.rays_per_s",
            replace: "self.rate.rays_per_s > bound.rays_per_s",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "bounds of a tree that is not the run's",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "tree_nodes.is_none_or(|nodes| nodes == bvh.nodes.len())",
            replace: "tree_nodes.is_none_or(|nodes| nodes > 0)",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "a tree's name without an option",
        edits: &[Edit {
            file: "crates/bench/src/report/tree.rs",
            find: "(\"below\", |options| Some(options.split_below)",
            replace: "(\"below\", |_| None",
        }],
        test: &["-p", "raywarp-bench", "--lib", "a_tree_is_known_by_its_name"],
        hangs: false,
    },
    Plant {
        name: "a peer whose answers nobody compares",
        edits: &[Edit {
            file: "crates/bench/src/peers/embree/mod.rs",
            find: "if agreement.rays < rays {",
            replace: "if agreement.rays < rays && place != 3 {",
        }],
        test: &["-p", "raywarp-bench", "--lib", "peers"],
        hangs: false,
    },
    Plant {
        name: "a peer's missed hits",
        edits: &[Edit {
            file: "crates/bench/src/peers/embree/agreement.rs",
            find: "if !is_stray(got, want, diagonal) {",
            replace: "if !got.is_finite() || !is_stray(got, want, diagonal) {",
        }],
        test: &["-p", "raywarp-bench", "--lib", "peers"],
        hangs: false,
    },
    Plant {
        name: "rates of other rays",
        edits: &[Edit {
            file: "crates/study/src/measured/mod.rs",
            find: "        if is_wrong {\n",
            replace: "        if is_wrong && rate.rays == 0 {\n",
        }],
        test: MEASURED,
        hangs: false,
    },
    Plant {
        name: "counters of the launch that is checked",
        edits: &[Edit {
            file: "peers/nsight/counters.py",
            find: "zip(counted[::2], cells)",
            replace: "zip(counted[1::2], cells)",
        }],
        test: SCRIPTS,
        hangs: false,
    },
    Plant {
        name: "counters of any kernel",
        edits: &[Edit {
            file: "peers/nsight/counters.py",
            find: ".endswith(f\"__{query}\")",
            replace: ".endswith(\"\")",
        }],
        test: SCRIPTS,
        hangs: false,
    },
    Plant {
        name: "a warp alone among many",
        edits: &[Edit {
            file: "peers/nsight/alone.py",
            find: "[\"--size\", arguments.size, \"--variant\"",
            replace: "[\"--variant\"",
        }],
        test: SCRIPTS,
        hangs: false,
    },
    Plant {
        name: "tables as wide as they like",
        edits: &[Edit {
            file: "crates/study/src/report/page/style.rs",
            find: ".wide{overflow-x:auto",
            replace: ".wide{overflow-x:visible",
        }],
        // Caught where a browser is installed.
        test: REPORTS,
        hangs: false,
    },
    Plant {
        name: "text of others as markup",
        edits: &[Edit {
            file: "crates/study/src/report/page.rs",
            find: "'<' => escaped.push_str(\"&lt;\")",
            replace: "'<' => escaped.push('<')",
        }],
        test: &["-p", "raywarp-study", "--lib", "report"],
        hangs: false,
    },
];

fn all() -> impl Iterator<Item = &'static Plant> {
    [PLANTS, gpu_defaults::PLANTS, shading::PLANTS, path_tracer::PLANTS, organisation::PLANTS, tree::PLANTS]
        .into_iter()
        .flatten()
}

/// What became of the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    NoEnd,
    DoesNotCompile,
}

/// Runs the plants of the given names, or all; true when each was caught. First, without a bug, the tests must pass.
pub fn run(names: &[String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has no folder")?;
    if let Some(unknown) = names.iter().find(|&name| all().all(|plant| name != plant.name)) {
        return Err(format!("no planted bug is named {unknown:?}; xtask/src/plant has them"));
    }
    let copy = root.join("target/plant");
    let mut all_caught = true;
    let mut sound: Vec<&[&str]> = Vec::new();
    for plant in all().filter(|plant| names.is_empty() || names.iter().any(|name| name == plant.name)) {
        copy_tracked(root, &copy)?;
        if !sound.contains(&plant.test) {
            let (outcome, seconds) = test(&copy, plant.test)?;
            if outcome != Outcome::Passed {
                return Err(format!("without any bug, cargo test {}: {outcome:?}", plant.test.join(" ")));
            }
            println!("{:<40} passes in {seconds:.1} s", plant.test.join(" "));
            sound.push(plant.test);
        }
        for edit in plant.edits {
            let file = copy.join(edit.file);
            let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            if !text.contains(edit.find) {
                return Err(format!("{}: the text to change is not there; update xtask/src/plant.rs", edit.file));
            }
            let changed = text.replacen(edit.find, edit.replace, 1);
            std::fs::write(&file, changed).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let (outcome, seconds) = test(&copy, plant.test)?;
        let caught = outcome == Outcome::Failed || (outcome == Outcome::NoEnd && plant.hangs);
        let verdict = if caught { "caught" } else { "NOT CAUGHT" };
        println!("{:<40} {verdict} in {seconds:.1} s ({outcome:?})", plant.name);
        all_caught &= caught;
    }
    Ok(all_caught)
}

/// Runs the tests in `folder`: what happened, and in how many seconds.
fn test(folder: &Path, args: &[&str]) -> Result<(Outcome, f64), String> {
    let cargo = || {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("../plant-build"));
        command.args(["test", "--release", "--offline"]).args(args);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command
    };
    let error = |error| format!("cargo cannot be run: {error}");
    if !cargo().arg("--no-run").status().map_err(error)?.success() {
        return Ok((Outcome::DoesNotCompile, 0.0));
    }
    let start = Instant::now();
    let mut child = cargo().spawn().map_err(error)?;
    loop {
        if let Some(status) = child.try_wait().map_err(error)? {
            let outcome = if status.success() { Outcome::Passed } else { Outcome::Failed };
            return Ok((outcome, start.elapsed().as_secs_f64()));
        }
        if start.elapsed() > PATIENCE {
            // The whole group: the test is a child of cargo.
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            return Ok((Outcome::NoEnd, PATIENCE.as_secs_f64()));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Brings `copy` to what stands in `root` and git does not ignore; unchanged files keep their times, so that
/// cargo builds little.
fn copy_tracked(root: &Path, copy: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|error| format!("git: {error}"))?;
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut kept = BTreeSet::new();
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        let (from, to): (PathBuf, PathBuf) = (root.join(name), copy.join(name));
        let Ok(bytes) = std::fs::read(&from) else { continue };
        kept.insert(to.clone());
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        let folder = to.parent().ok_or("a file without a folder")?;
        std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        std::fs::write(&to, bytes).map_err(|error| at(&to, error))?;
    }
    // What was deleted since the last run would be found by cargo all the same.
    let mut folders = vec![copy.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| at(&folder, error))?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !kept.contains(&path) {
                std::fs::remove_file(&path).map_err(|error| at(&path, error))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planted_text_stands_where_it_is_looked_for() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for plant in all() {
            for edit in plant.edits {
                let text = std::fs::read_to_string(root.join(edit.file)).unwrap();
                assert!(text.contains(edit.find), "{}: {}", plant.name, edit.file);
            }
        }
    }
}
