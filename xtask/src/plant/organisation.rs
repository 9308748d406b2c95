//! Bugs of organisations that keep paths in their places, in tiles, or in lanes.

use super::path_tracer::COUNTED;
use super::{Edit, Plant};

/// Pictures of a plain scene by all organisations, under several orders of lanes and warps.
const ORDERS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "pictures_depend_on_no_order"];
/// Kernels with other blocks and fewer registers: pictures, counts, and what the driver says of them.
const BOUNDED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "other_blocks_and_fewer_registers"];
/// Pixels of tiles in blocks.
const FILM: &[&str] = &["-p", "raywarp-render-cuda", "--lib", "film"];

const COMPACT: &str = "crates/render-cuda/kernels/organisation/compact.h";
const TILED: &str = "crates/render-cuda/kernels/organisation/tiled.h";
const REGENERATE: &str = "crates/render-cuda/kernels/organisation/regenerate.h";
const KERNELS: &str = "crates/render-cuda/src/kernels.rs";
const LAUNCHES: &str = "crates/render-cuda/src/engine/launches.rs";
const BOUNCES: &str = "crates/render-cuda/src/engine/compact.rs";
const FILM_SOURCE: &str = "crates/render-cuda/src/film.rs";

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "a path that compaction drops",
        edits: &[Edit {
            file: COMPACT,
            find: "next_list + before + platform::population(going & platform::lanes_below()), place);",
            replace: "next_list + before + platform::population(going & platform::lanes_below() & ~1u), place);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a path that compaction lists twice",
        edits: &[Edit {
            file: COMPACT,
            find: "next_list + before + platform::population(going & platform::lanes_below()), place);",
            replace: "next_list + before + platform::population(going & platform::lanes_below()), place & ~1u);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "compaction that counts one too few",
        edits: &[Edit {
            file: COMPACT,
            find: "platform::put(&render.counters->survivors, all);",
            replace: "platform::put(&render.counters->survivors, all != 0 ? all - 1 : 0);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "warps that list on each other's places",
        edits: &[Edit {
            file: COMPACT,
            find: "before += i < platform::warp() ? sum : 0;",
            replace: "before += i + 1 < platform::warp() ? sum : 0;",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "places of those that have ended among those that go on",
        edits: &[Edit {
            file: COMPACT,
            find: "render.places.next_list + count - 1 - from_end",
            replace: "render.places.next_list + from_end",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "places of those that have ended, one after the next",
        edits: &[Edit {
            file: COMPACT,
            find: "u32 ended = all + part.first - before;",
            replace: "u32 ended = all + part.first - before + 1;",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "marks that stand at entries",
        edits: &[Edit {
            file: COMPACT,
            find: "platform::put(render.places.alive + place, path.lives ? 1u : 0u);",
            replace: "platform::put(render.places.alive + entry, path.lives ? 1u : 0u);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "paths that begin without a mark",
        edits: &[Edit {
            file: COMPACT,
            find: "        platform::put(render.places.alive + number, 1u);\n",
            replace: "",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "warps of a bounce that count once a lane",
        edits: &[Edit {
            file: COMPACT,
            find: "render.places.segments == 1 && platform::lane() == 0) {",
            replace: "render.places.segments == 1) {",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a list that is read a bounce too late",
        edits: &[Edit {
            file: BOUNCES,
            find: "render.places.list = lists[bounce as usize % 2];",
            replace: "render.places.list = lists[(bounce as usize + 1) % 2];",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile whose paths are taken by their entries",
        edits: &[Edit { file: TILED, find: "                place = list.load(entry);\n", replace: "" }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile whose lists take no turns",
        edits: &[Edit { file: TILED, find: "auto& list = is_even ? even : odd;", replace: "auto& list = even;" }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile whose warps count before they have met",
        edits: &[Edit {
            file: TILED,
            find: "    platform::sync_block();\n    u32 place = 0, all = 0;",
            replace: "    u32 place = 0, all = 0;",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile whose list is read before it is there",
        edits: &[Edit {
            file: TILED,
            find: "    platform::sync_block();\n    return all;",
            replace: "    return all;",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile that is listed before its bounce has ended",
        edits: &[Edit {
            file: TILED,
            find: "        platform::sync_block();\n        active = list_tile",
            replace: "        active = list_tile",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile's paths at places of another",
        edits: &[Edit {
            file: TILED,
            find: "{all.rays + static_cast<u64>(first) * 2, all.weights + first,",
            replace: "{all.rays + static_cast<u64>(first) * 2, all.weights,",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a tile's last warp that counts twice",
        edits: &[Edit { file: TILED, find: "(active + WARP - 1) / WARP", replace: "(active + 2 * WARP - 1) / WARP" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a path that lanes begin twice",
        edits: &[Edit {
            file: REGENERATE,
            find: "number = lanes + taken;",
            replace: "number = lanes + (taken & ~1u);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a path that no lane begins",
        edits: &[Edit { file: REGENERATE, find: "number = lanes + taken;", replace: "number = lanes + taken + 1;" }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "launches of 128 threads a block whatever the kernel is for",
        edits: &[Edit { file: LAUNCHES, find: "(blocks, kernel.block_threads(), 0)", replace: "(blocks, 128, 0)" }],
        test: BOUNDED,
        hangs: false,
    },
    Plant {
        name: "blocks that are counted as if they had 128 threads",
        edits: &[Edit {
            file: LAUNCHES,
            find: "entries.div_ceil(kernel.block_threads())",
            replace: "entries.div_ceil(128)",
        }],
        test: BOUNDED,
        hangs: false,
    },
    Plant {
        name: "launch bounds that no kernel hears of",
        edits: &[Edit {
            file: KERNELS,
            find: "bounded(device, stage, features.set, &options.bounds)",
            replace: "shading(device, stage, features.set)",
        }],
        test: BOUNDED,
        hangs: false,
    },
    Plant {
        name: "pixels that stay in blocks",
        edits: &[Edit { file: FILM_SOURCE, find: "rows[pixel] = *value;", replace: "rows[pixel / 9 * 9] = *value;" }],
        test: FILM,
        hangs: false,
    },
];
