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
        if (before.time == 0 || before.lane == lane || clock[before.lane] >= before.time) {
            return {};
        }
        return place() + ", which " + lane_text(before.lane) + " " + did + " at " + text(before.site) +
               ", with no sync between";
    };
    const Access& written = writes[index];
    if (written.time == 0 && !write) {
        return place() + ", which nobody has written";
    }
    std::string fault = conflict(written, "wrote");
    Access* const readers = &reads[static_cast<u64>(index) * lanes];
    const Access access{clock[lane], lane, here};
    if (!write) {
        readers[lane] = access;
        return fault;
    }
    for (u32 other = 0; other < lanes; other++) {
        if (fault.empty()) {
            fault = conflict(readers[other], "read");
        }
        readers[other] = {};
    }
    writes[index] = access;
    return fault;
}

}  // namespace raywarp::emulation
