#include "shared.h"

namespace raywarp::emulation {

namespace {

std::string lane_text(u32 lane) {
    return "lane " + std::to_string(lane % WARP) + " of warp " + std::to_string(lane / WARP) + " of the block";
}

}  // namespace

std::string SharedArray::touch(u32 index, bool write, u32 lane, const Clock& clock, Site here) {
    const auto place = [&] {
        return text(here) + ": " + lane_text(lane) + (write ? " writes" : " reads") + " element " +
               std::to_string(index) + " of `" + name + "`";
    };
    if (index >= count) {
        return place() + ", which has " + std::to_string(count);
    }
    const auto conflict = [&](const Access& before, const char* did) -> std::string {
        if (before.time == 0 || before.lane == lane || clock.known[before.lane] >= before.time) {
            return {};
        }
        return place() + ", which " + lane_text(before.lane) + " " + did + " at " + text(before.site) +
               ", with no sync between";
    };
    std::string fault = conflict(writes[index], "wrote");
    Access* const reads_here = &reads[static_cast<u64>(index) * MOST_LANES];
    const Access access{clock.known[lane], lane, here};
    if (!write) {
        reads_here[lane] = access;
        readers[index] |= u64{1} << lane;
        return fault;
    }
    for (u64 left = readers[index]; left != 0 && fault.empty(); left &= left - 1) {
        fault = conflict(reads_here[__builtin_ctzll(left)], "read");
    }
    readers[index] = 0;
    writes[index] = access;
    return fault;
}

}  // namespace raywarp::emulation
