// The machine that runs emulated kernels: what the Rust side asks for and gets. As src/machine.rs.
#pragma once

#include "platform/platform.h"

namespace raywarp::emulation {

// A kernel, whatever its parameter is: all take one, by reference.
using Kernel = void (*)(const void*);

// Read: as what no kernel changes while this one runs. Either: where nothing is known of an array.
enum class Use : u32 { Read, Change, Either };

// Memory that a kernel may touch through the platform.
struct Range {
    const u8* begin;
    u64 bytes;
    // Bytes of a record, for a log that tells which.
    u32 record_bytes;
    // What it is to a log: a number of raywarp-family's Space, or NO_SPACE.
    u32 space;
    // What a kernel may do with it.
    Use use;
    u32 unused;
};
constexpr u32 NO_SPACE = 0xffffffffu;

enum class Order : u32 { Up, Down, Seeded };

struct Request {
    Kernel kernel;
    const void* parameter;
    const Range* ranges;
    u32 range_count;
    u32 blocks, warps_per_block, resident_blocks;
    Order order;
    // Whether to keep logs.
    u32 log;
    u64 seed;
    // Events and meetings after which a kernel counts as endless.
    u64 budget;
    // Bytes that each block shares beside the arrays that its kernel declares.
    u64 shared_bytes;
};

static_assert(sizeof(Request) == 72 && sizeof(Range) == 32, "as src/machine.rs has them");

}  // namespace raywarp::emulation
