// Where lanes meet: who may wait for whom, and what each gets.
#include <cstdio>

#include "state.h"

namespace raywarp::emulation {

const char* name(Intrinsic intrinsic) {
    switch (intrinsic) {
        case Intrinsic::Any: return "any_sync";
        case Intrinsic::Ballot: return "ballot_sync";
        case Intrinsic::Shuffle: return "shuffle_sync";
        case Intrinsic::ShuffleXor: return "shuffle_xor_sync";
        case Intrinsic::Sync: return "sync";
        case Intrinsic::KeepInStep: return "keep_in_step";
        case Intrinsic::SyncBlock: return "sync_block";
        case Intrinsic::RunningTogether: return "running_together";
    }
    return "?";
}

std::string hex(LaneMask mask) {
    char text[16];
    std::snprintf(text, sizeof(text), "0x%08x", mask);
    return text;
}

std::string text(const Lane& lane) {
    return "lane " + std::to_string(lane.lane) + " of warp " + std::to_string(lane.warp);
}

std::string text(Site site) {
    const char* file = std::strstr(site.file, "kernels/");
    return std::string(file != nullptr ? file : site.file) + ":" + std::to_string(site.line);
}

// A lane that waits must be able to meet those that it names.
void Machine::check_alone(Lane& lane) {
    const Warp& warp = *lane.warp_state;
    const Meeting& meeting = lane.meeting;
    const auto place = [&] { return text(meeting.site) + ": " + name(meeting.intrinsic) + ": " + text(lane); };
    if (!(meeting.mask >> lane.lane & 1)) {
        fail(lane, place() + " is not in its mask " + hex(meeting.mask));
    }
    if ((meeting.mask & warp.ended) != 0) {
        fail(lane, place() + " waits for lanes " + hex(meeting.mask) + ", but lane " +
                       std::to_string(platform::lowest_bit(meeting.mask & warp.ended)) + " has ended");
    }
    for (LaneMask left = meeting.mask & warp.waiting; left != 0; left &= left - 1) {
        const Lane& other = warp.lanes[platform::lowest_bit(left)];
        if (other.meeting.mask >> lane.lane & 1 && !(other.meeting == meeting)) {
            fail(lane, place() + " waits for lanes " + hex(meeting.mask) + ", but lane " + std::to_string(other.lane) +
                           " waits for lanes " + hex(other.meeting.mask) + " at " + text(other.meeting.site) + ": " +
                           name(other.meeting.intrinsic));
        }
    }
}

// Each of them knows from now on what any of them knew.
static void join_clocks(const std::vector<Lane*>& lanes) {
    Clock joined;
    for (const Lane* lane : lanes) {
        for (u32 i = 0; i < MOST_LANES; i++) {
            joined.known[i] = joined.known[i] > lane->clock.known[i] ? joined.known[i] : lane->clock.known[i];
        }
    }
    for (Lane* lane : lanes) {
        lane->clock = joined;
        lane->clock.known[lane->number_in_block] += 1;
    }
}

void Machine::complete(Warp& warp, LaneMask mask) {
    const Intrinsic intrinsic = warp.lanes[platform::lowest_bit(mask)].meeting.intrinsic;
    LaneMask bits = 0;
    bool announced = true;
    for (LaneMask left = mask; left != 0; left &= left - 1) {
        const Lane& lane = warp.lanes[platform::lowest_bit(left)];
        bits |= static_cast<u32>(lane.value != 0) << lane.lane;
        announced &= lane.announced;
    }
    for (LaneMask left = mask; left != 0; left &= left - 1) {
        Lane& lane = warp.lanes[platform::lowest_bit(left)];
        lane.announced = false;
        switch (intrinsic) {
            case Intrinsic::Any: lane.result = bits != 0; break;
            case Intrinsic::Ballot: lane.result = bits; break;
            case Intrinsic::Shuffle:
            case Intrinsic::ShuffleXor: lane.result = warp.lanes[lane.from].value; break;
            case Intrinsic::Sync:
            case Intrinsic::KeepInStep:
            case Intrinsic::SyncBlock:
            case Intrinsic::RunningTogether: break;
        }
    }
    if (announced && request.log) {
        const Block block = warp.lanes[platform::lowest_bit(mask)].announced_as;
        warp.votes.push_back(static_cast<u64>(block) << 32 | mask);
    }
    if (intrinsic == Intrinsic::Sync && !warp.block->shared.empty()) {
        std::vector<Lane*> lanes;
        for (LaneMask left = mask; left != 0; left &= left - 1) {
            lanes.push_back(&warp.lanes[platform::lowest_bit(left)]);
        }
        join_clocks(lanes);
    }
    if (intrinsic == Intrinsic::KeepInStep) {
        warp.steps += 1;
        warp.last_step = warp.lanes[0].meeting.site;
    }
    warp.waiting &= ~mask;
    if (intrinsic == Intrinsic::SyncBlock) {
        wait_for_block(warp);
    } else {
        warp.ready |= mask;
    }
}

// A warp has come to the barrier of its block: the last one lets all go on.
void Machine::wait_for_block(Warp& warp) {
    warp.at_barrier = true;
    std::vector<Lane*> lanes;
    for (const auto& other : warp.block->warps) {
        if (other->ended != 0) {
            fail(warp.lanes[0], text(warp.lanes[0].meeting.site) + ": sync_block: warp " + std::to_string(warp.number) +
                                    " waits for warp " + std::to_string(other->number) + ", which has ended");
        }
        for (Lane& lane : other->lanes) {
            lanes.push_back(&lane);
        }
    }
    for (const auto& other : warp.block->warps) {
        if (!other->at_barrier) {
            list_running();
            return;
        }
    }
    const Site first = warp.block->warps[0]->lanes[0].meeting.site;
    for (const auto& other : warp.block->warps) {
        const Site site = other->lanes[0].meeting.site;
        if (site.line != first.line || std::strcmp(site.file, first.file) != 0) {
            fail(warp.lanes[0], text(site) + ": sync_block: warp " + std::to_string(other->number) +
                                    " waits here, and warp " + std::to_string(warp.block->warps[0]->number) + " at " +
                                    text(first));
        }
        other->at_barrier = false;
        other->ready |= EVERYONE;
    }
    join_clocks(lanes);
    list_running();
}

// A lane ends: nobody may wait for it.
void Machine::check_barrier(Lane& lane) {
    for (const auto& other : lane.warp_state->block->warps) {
        if (other->at_barrier) {
            fail(lane, text(other->lanes[0].meeting.site) + ": sync_block: warp " + std::to_string(other->number) +
                           " waits for " + text(lane) + ", which has ended");
        }
    }
}

u32 meet(Intrinsic intrinsic, LaneMask mask, u32 value, u32 from, Site site) {
    Lane& lane = current();
    Warp& warp = *lane.warp_state;
    machine->spend(lane);
    lane.meeting = {intrinsic, mask, site};
    lane.value = value;
    lane.from = from;
    const LaneMask bit = 1u << lane.lane;
    const bool as_others = warp.waiting != 0 && warp.same &&
                           warp.lanes[platform::lowest_bit(warp.waiting)].meeting == lane.meeting;
    if (!as_others || !(mask & bit) || (mask & warp.ended)) {
        machine->check_alone(lane);
        warp.same = warp.waiting == 0;
    }
    if (!(mask >> from & 1) && (intrinsic == Intrinsic::Shuffle || intrinsic == Intrinsic::ShuffleXor)) {
        machine->fail(lane, text(site) + ": " + name(intrinsic) + ": " + text(lane) + " takes from lane " +
                                std::to_string(from) + ", which is not in the mask " + hex(mask));
    }
    warp.waiting |= bit;
    warp.ready &= ~bit;
    // Those in the mask that wait for this lane too are in the same meeting, as was checked; others may come yet.
    bool complete = (warp.waiting & mask) == mask;
    for (LaneMask left = complete && !warp.same ? mask : 0; left != 0; left &= left - 1) {
        complete &= warp.lanes[platform::lowest_bit(left)].meeting == lane.meeting;
    }
    if (complete) {
        machine->complete(warp, mask);
    }
    machine->hand_over(lane);
    return lane.result;
}

// A meeting that names nobody else, so that others may wait for this lane elsewhere.
LaneMask together(Site site) {
    Lane& lane = current();
    Warp& warp = *lane.warp_state;
    machine->spend(lane);
    const LaneMask bit = 1u << lane.lane;
    lane.meeting = {Intrinsic::RunningTogether, bit, site};
    warp.same = warp.waiting == 0;
    warp.waiting |= bit;
    warp.ready &= ~bit;
    machine->hand_over(lane);
    return lane.result;
}

// Lets lanes go on that run together: of one site all (`Order::Up`), one (`Order::Down`), or some. Whether there are any.
bool Machine::release_together(Warp& warp) {
    auto waits = [&](u32 i) {
        return (warp.waiting >> i & 1) != 0 && warp.lanes[i].meeting.intrinsic == Intrinsic::RunningTogether;
    };
    LaneMask all = 0;
    for (u32 i = 0; i < WARP; i++) {
        all |= static_cast<u32>(waits(i)) << i;
    }
    if (all == 0) {
        return false;
    }
    const u32 first = choose_lane(all);
    const Site site = warp.lanes[first].meeting.site;
    LaneMask group = 1u << first;
    for (LaneMask left = all; left != 0; left &= left - 1) {
        const u32 i = platform::lowest_bit(left);
        const Site other = warp.lanes[i].meeting.site;
        const bool same = other.line == site.line && std::strcmp(other.file, site.file) == 0;
        const bool comes = request.order == Order::Up || (request.order != Order::Down && random.below(4) != 0);
        group |= static_cast<u32>(same && comes) << i;
    }
    for (LaneMask left = group; left != 0; left &= left - 1) {
        warp.lanes[platform::lowest_bit(left)].result = group;
    }
    warp.waiting &= ~group;
    warp.ready |= group;
    return true;
}

}  // namespace raywarp::emulation
