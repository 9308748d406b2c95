// What the kernels of experiments are given beside a render. The same words as `MeasuredRecord` in src/launch.rs.
#pragma once

#include "render.h"

namespace raywarp::render {

// What kernels count of the places that they list.
struct ListCounters {
    // Paths that have ended, where their places are listed by atomics.
    u32 ended;
    // Where a bounce is in parts and its paths are listed between them: those that have hit something, and those that have
    // a connection.
    u32 hit, connecting;
};

// Of an organisation whose paths keep their places in the queue (organisation/compact.h).
struct Places {
    ListCounters* counters;
    // Marks of each place's path, none where it has ended: organisation/compact.h.
    u32* alive;
    // The places of those that are extended, null where each entry is its own place; and of those of the next bounce, null
    // where nobody leaves.
    const u32* list;
    u32* next_list;
    // Of each warp that lists them, how many it found.
    u32* sums;
    // How many entries there are, and where to put how many are listed: counters of the batch, or of its lists.
    const u32* count;
    u32* listed;
    // By how many segments a launch extends a path.
    u32 segments;
    // Paths have begun before they are extended.
    u32 begun_before;
    // Of a place's mark, for those that are listed.
    u32 listed_marks;
    // A bounce is in parts (organisation/parts.h).
    u32 in_parts;
};

// Of an organisation whose blocks each take a tile of paths (organisation/tiled.h).
struct Tile {
    u32 paths_per_lane;
    // Of memory that a block shares: its lists, and with them all of it. No more than the lists where the device's memory
    // holds the paths.
    u32 list_bytes, shared_bytes;
    u32 has_sampler_states;
};

// What each vertex of a path does beside its own work, and nothing needs (W11 4.2.5; burden.h): where lanes hold paths.
struct Burden {
    // A table of 2^search_steps numbers that rise: of which texel a random number is.
    const u32* table;
    u32 search_steps;
    u32 multiply_adds;
};

struct MeasuredRender : Render {
    Places places;
    Tile tile;
    Burden burden;
    u32 unused[2];
};

// src/launch.rs asserts the same: there is no room for padding.
static_assert(sizeof(Places) == 72 && sizeof(MeasuredRender) == sizeof(Render) + 72 + 16 + 16 + 8);

}  // namespace raywarp::render
