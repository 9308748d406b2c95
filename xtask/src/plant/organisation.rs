//! Bugs of organisations that keep paths in their places, in tiles, or in lanes.

use super::path_tracer::COUNTED;
use super::{Edit, Plant};

/// Pictures of a plain scene by all organisations, under several orders of lanes and warps.
const ORDERS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "pictures_depend_on_no_order"];
/// Bounces in parts, with paths listed at all places of them.
const IN_PARTS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "bounces_in_parts"];
/// Kernels with other blocks and fewer registers: pictures, counts, and what the driver says of them.
const BOUNDED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "other_blocks_and_fewer_registers"];
/// Pixels of tiles in blocks.
const FILM: &[&str] = &["-p", "raywarp-render-cuda", "--lib", "film"];
/// Launches by stage and round, on a clock of launches.
const SECONDS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "seconds::"];
/// What a stream records.
const RECORDED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "graph"];

const COMPACT: &str = "crates/render-cuda/kernels/organisation/compact.h";
const TILED: &str = "crates/render-cuda/kernels/organisation/tiled.h";
const REGENERATE: &str = "crates/render-cuda/kernels/organisation/regenerate.h";
const KERNELS: &str = "crates/render-cuda/src/kernels.rs";
const LAUNCHES: &str = "crates/render-cuda/src/engine/launches.rs";
const BOUNCES: &str = "crates/render-cuda/src/engine/compact.rs";
const QUEUES: &str = "crates/render-cuda/src/engine/queues.rs";
const GRAPH: &str = "crates/cuda/src/graph.rs";
const FILM_SOURCE: &str = "crates/render-cuda/src/film.rs";

const PARTS: &str = "crates/render-cuda/kernels/organisation/parts.h";

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "a path that left the scene among those that are shaded",
        edits: &[Edit { file: PARTS, find: "hit.is_hit() ? mark::HAS_HIT : 0u", replace: "mark::HAS_HIT" }],
        test: IN_PARTS,
        hangs: false,
    },
    Plant {
        name: "shadow rays of those that go on",
        edits: &[Edit { file: BOUNCES, find: "(connecting, mark::CONNECTS)", replace: "(connecting, mark::GOES_ON)" }],
        test: IN_PARTS,
        hangs: false,
    },
    Plant {
        name: "a list of connections that the next bounce takes",
        edits: &[Edit { file: BOUNCES, find: "        render.places = of_shaded;\n", replace: "" }],
        test: IN_PARTS,
        hangs: false,
    },
    Plant {
        name: "lists of another organisation's options",
        edits: &[Edit {
            file: BOUNCES,
            find: "let at = picture.state.layout().listed_at;",
            replace: "let at = self.options.listed_at;",
        }],
        test: &["-p", "raywarp-cuda-emulation", "--test", "render", "an_organisation_that_lists_at_the_end"],
        hangs: false,
    },
    Plant {
        name: "a connection that is traced again",
        edits: &[Edit {
            file: PARTS,
            find: "platform::put(render.places.alive + place, marks & mark::GOES_ON);",
            replace: "platform::put(render.places.alive + place, marks);",
        }],
        test: IN_PARTS,
        hangs: false,
    },
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
            find: "platform::put(render.places.listed, all);",
            replace: "platform::put(render.places.listed, all != 0 ? all - 1 : 0);",
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
            find: "platform::put(render.places.alive + place, path.lives ? mark::GOES_ON : 0u);",
            replace: "platform::put(render.places.alive + entry, path.lives ? mark::GOES_ON : 0u);",
        }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "paths that begin without a mark",
        edits: &[Edit {
            file: COMPACT,
            find: "        platform::put(render.places.alive + number, mark::GOES_ON);\n",
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
            find: "(render.places.next_list, render.places.listed);",
            replace: "(lists.both[1 - lists.next], render.places.listed);",
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
        name: "a graph that is launched a time too few",
        edits: &[Edit { file: QUEUES, find: "for done in 1..=graphs {", replace: "for done in 1..graphs {" }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a graph after which queues are not where they were",
        edits: &[Edit { file: QUEUES, find: "for _ in 0..ROUNDS_A_GRAPH {", replace: "for _ in 1..ROUNDS_A_GRAPH {" }],
        test: ORDERS,
        hangs: false,
    },
    Plant {
        name: "a graph that ends while paths wait",
        edits: &[Edit {
            file: QUEUES,
            find: "if looks && self.left(launches, picture, paths)?.is_none() {",
            replace: "if looks {",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "kernels of a graph that count once, however often it is launched",
        edits: &[Edit { file: LAUNCHES, find: "            *own += more;\n", replace: "            *own = more;\n" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a stream that records on after a failure",
        edits: &[Edit {
            file: GRAPH,
            find: "let worked = work();",
            replace: "work()?;\n        let worked: Result<(), CudaError> = Ok(());",
        }],
        test: RECORDED,
        hangs: false,
    },
    Plant {
        name: "a host that counts, and looks as seldom as one that does not",
        edits: &[Edit { file: QUEUES, find: "if self.options.host_counts || (", replace: "if (" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a host that counts, and launches as many lanes as one that does not",
        edits: &[Edit {
            file: QUEUES,
            find: "entries = capacity.min(left.all);",
            replace: "entries = capacity.min(paths);",
        }],
        test: SECONDS,
        hangs: false,
    },
    Plant {
        name: "rounds that are timed as one",
        edits: &[Edit { file: QUEUES, find: "            launches.round = round as usize;\n", replace: "" }],
        test: SECONDS,
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
