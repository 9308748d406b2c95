// What lanes do beside meeting: events, loads, changes, shared memory.
#include "state.h"

#include <atomic>

namespace raywarp::emulation {

namespace {

void log_event(Lane& lane, Block block) {
    u32 index = NO_INDEX;
    switch (block) {
        case Block::VisitNode:
        case Block::VisitNodeLinks: index = lane.touched[static_cast<u32>(Space::Node)]; break;
        case Block::TestTriangle:
        case Block::TestTriangleT:
            lane.tested = lane.touched[static_cast<u32>(Space::Triangle)];
            // Records that stand among nodes.
            lane.tested = lane.tested == NO_INDEX ? lane.touched[static_cast<u32>(Space::Node)] : lane.tested;
            [[fallthrough]];
        // Others may be read again to compare with.
        case Block::TestTriangleU:
        case Block::TestTriangleV:
        case Block::TestTriangleAccept: index = lane.tested; break;
        case Block::FetchRay:
        case Block::SetupParked: index = lane.touched[static_cast<u32>(Space::Ray)]; break;
        default: break;
    }
    lane.log.push_back(static_cast<u32>(block) << 24 | (index & NO_INDEX));
}

// The range that holds the bytes, or null.
const Range* range_of(const void* at, u32 bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    for (u32 i = 0; i < machine->request.range_count; i++) {
        const Range& range = machine->request.ranges[i];
        const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
        if (address >= begin && address - begin < range.bytes && bytes <= range.bytes - (address - begin)) {
            return &range;
        }
    }
    return nullptr;
}

}  // namespace

void event(Block block) {
    Lane& lane = current();
    machine->spend(lane);
    if (!lane.watched) {
        return;
    }
    lane.announced = block == Block::Vote || block == Block::Ballot;
    lane.announced_as = block;
    if (machine->request.log) {
        log_event(lane, block);
    }
}

void watch(bool watched) { current().watched = watched; }

static std::atomic<u64> all_waits;

void has_waited() { all_waits++; }

u64 waits() { return all_waits; }

void read(const void* from, u32 bytes, Site site) {
    // A function that is called by itself, outside of a launch.
    if (machine == nullptr) {
        return;
    }
    Lane& lane = current();
    const Range* range = range_of(from, bytes);
    if (range == nullptr || range->use == Use::Change) {
        machine->fail(lane, text(site) + ": " + text(lane) + " reads " + std::to_string(bytes) +
                                " bytes that lie in none of the arrays that the kernel reads");
    }
    if (range->space < SPACES) {
        const auto offset = static_cast<u64>(static_cast<const u8*>(from) - range->begin);
        lane.touched[range->space] = static_cast<u32>(offset / range->record_bytes);
    }
}

void change(const void* word, u32 bytes, Site site) {
    Lane& lane = current();
    machine->spend(lane);
    const Range* range = range_of(word, bytes);
    if (range == nullptr || range->use == Use::Read) {
        machine->fail(lane, text(site) + ": " + text(lane) + " changes a word that lies in no array of words");
    }
    machine->hand_over(lane);
}

void touch(const void* at, u32 bytes, Site site) {
    if (machine == nullptr) {
        return;
    }
    const Range* range = range_of(at, bytes);
    if (range == nullptr || range->use == Use::Read) {
        Lane& lane = current();
        if (range == nullptr && lane.warp_state->block->holds(at, bytes)) {
            return;
        }
        machine->fail(lane, text(site) + ": " + text(lane) + " touches " + std::to_string(bytes) +
                                " bytes that lie in none of the arrays that the kernel changes");
    }
}

SharedArray* shared(u32 bytes, u32 count, const char* name, Site site) {
    Lane& lane = current();
    BlockState& block = *lane.warp_state->block;
    for (const auto& array : block.shared) {
        if (array->name == name && array->site.line == site.line && std::strcmp(array->site.file, site.file) == 0) {
            return array.get();
        }
    }
    block.shared.push_back(std::make_unique<SharedArray>(bytes, count, name, site));
    return block.shared.back().get();
}

u8* part_of_block(u32 offset, u32 bytes, Site site) {
    Lane& lane = current();
    if (offset + static_cast<u64>(bytes) > machine->request.shared_bytes) {
        machine->fail(lane, text(site) + ": " + text(lane) + " wants " + std::to_string(bytes) + " bytes from " +
                                std::to_string(offset) + " on of what its block shares, which the launch gave " +
                                std::to_string(machine->request.shared_bytes));
    }
    return reinterpret_cast<u8*>(lane.warp_state->block->memory.data()) + offset;
}

SharedArray* dynamic_shared(u32 bytes, u32 count, u32 offset, const char* name, Site site) {
    // In an array of its own, which notes who touches it.
    part_of_block(offset, bytes * count, site);
    return shared(bytes, count, name, site);
}

void* touch_shared(SharedArray* array, u32 index, bool write, Site site) {
    Lane& lane = current();
    machine->spend(lane);
    std::string fault = array->touch(index, write, lane.number_in_block, lane.clock, site);
    if (!fault.empty()) {
        machine->fail(lane, std::move(fault));
    }
    return array->element(index);
}

}  // namespace raywarp::emulation
