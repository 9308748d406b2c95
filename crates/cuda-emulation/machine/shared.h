// Shared memory of a block that notes who touched what, and when.
//
// Time is a vector clock a lane: a lane knows of another what both knew when they last met in a `sync`. Two
// accesses to an element, one of them a write, are in order if the later lane knows of the earlier one.
#pragma once

#include <string>
#include <vector>

#include "platform/platform.h"

namespace raywarp::emulation {

// File and line, the file from kernels/ on.
std::string text(Site site);

// Lanes of a block, at most.
constexpr u32 MOST_LANES = 64;

// For each lane of the block, the number of its last `sync` that is known.
struct Clock {
    u32 known[MOST_LANES] = {};
};

struct Access {
    // 0 for none.
    u32 time = 0;
    u32 lane = 0;
    Site site{};
};

struct SharedArray {
    std::string name;
    Site site;
    u32 bytes, count;
    std::vector<u64> memory;
    std::vector<Access> writes;
    // For each element and lane the last read since the last write, and which lanes read.
    std::vector<Access> reads;
    std::vector<u64> readers;

    // What it holds at first is junk.
    SharedArray(u32 bytes, u32 count, const char* name, Site site)
        : name(name),
          site(site),
          bytes(bytes),
          count(count),
          memory((static_cast<u64>(bytes) * count + 7) / 8, 0x7fc0dead7fc0deadull),
          writes(count),
          reads(static_cast<u64>(count) * MOST_LANES),
          readers(count) {}

    // Notes an access; what is wrong with it, or nothing.
    std::string touch(u32 index, bool write, u32 lane, const Clock& clock, Site site);
    void* element(u32 index) { return reinterpret_cast<u8*>(memory.data()) + static_cast<u64>(index) * bytes; }
};

}  // namespace raywarp::emulation
