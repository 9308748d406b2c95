// Runs emulated kernels: two blocks at a time, their lanes as fibres, one after the other on one thread.
//
// A lane runs until it waits for others or ends. Which goes next is the order's choice, among the lanes of a warp
// and among warps: a kernel that works only in one order has a race.
#include "state.h"

namespace raywarp::emulation {

__thread Here* here = nullptr;
__thread Machine* machine = nullptr;

namespace {

// Kept for the next launch on this thread.
char* stack_of(u32 number) {
    thread_local std::vector<std::unique_ptr<char[]>> stacks;
    while (stacks.size() <= number) {
        stacks.emplace_back(new char[STACK_BYTES]);
    }
    return stacks[number].get();
}

void lane_main() {
    Lane& lane = current();
    machine->request.kernel(machine->request.parameter);
    Warp& warp = *lane.warp_state;
    const LaneMask bit = 1u << lane.lane;
    u64 canary;
    std::memcpy(&canary, lane.stack, sizeof(canary));
    if (canary != CANARY) {
        machine->fail(lane, text(lane) + " used more than " + std::to_string(STACK_BYTES) + " bytes of stack");
    }
    for (const Lane& other : warp.lanes) {
        if (warp.waiting >> other.lane & 1 && other.meeting.mask & bit) {
            machine->fail(lane, text(other.meeting.site) + ": " + name(other.meeting.intrinsic) + ": " +
                                    text(other) + " waits for lanes " + hex(other.meeting.mask) +
                                    ", but lane " + std::to_string(lane.lane) + " has ended");
        }
    }
    machine->check_barrier(lane);
    warp.ready &= ~bit;
    warp.ended |= bit;
    machine->leave(lane);
    __builtin_unreachable();
}

}  // namespace

void Machine::fail(Lane& lane, std::string error) {
    outcome.error = std::move(error);
    leave(lane);
    __builtin_unreachable();
}

bool Machine::start_block(std::unique_ptr<BlockState>& slot, u32 first_stack) {
    slot.reset();
    if (next_block == request.blocks) {
        return false;
    }
    slot = std::make_unique<BlockState>();
    // At first it holds junk.
    constexpr u32 JUNK = 0x7fc0deadu;
    slot->memory.assign((request.shared_bytes + sizeof(uint4) - 1) / sizeof(uint4), uint4{JUNK, JUNK, JUNK, JUNK});
    for (u32 w = 0; w < request.warps_per_block; w++) {
        auto warp = std::make_unique<Warp>();
        warp->number = next_block * request.warps_per_block + w;
        warp->block = slot.get();
        for (u32 i = 0; i < WARP; i++) {
            Lane& lane = warp->lanes[i];
            static_cast<Here&>(lane) = {i, warp->number, w, request.blocks * request.warps_per_block};
            lane.number_in_block = w * WARP + i;
            lane.clock.known[lane.number_in_block] = 1;
            lane.warp_state = warp.get();
            lane.touched.fill(NO_INDEX);
            lane.stack = stack_of(first_stack + w * WARP + i);
            std::memcpy(lane.stack, &CANARY, sizeof(CANARY));
            lane.fibre.start(lane.stack, STACK_BYTES, lane_main);
        }
        slot->warps.push_back(std::move(warp));
    }
    next_block += 1;
    return true;
}

// On a GPU the warp that comes more often would wait for ever.
void Machine::check_steps(const BlockState& block) {
    for (const auto& warp : block.warps) {
        const Warp& first = *block.warps[0];
        if (warp->steps != first.steps) {
            const Warp& last = warp->steps > first.steps ? *warp : first;
            outcome.error = text(last.last_step) + ": keep_in_step: warp " + std::to_string(warp->number) + " came " +
                            std::to_string(warp->steps) + " times, and warp " + std::to_string(first.number) +
                            " of its block " + std::to_string(first.steps);
            return;
        }
    }
}

void Machine::end_block(BlockState& block) {
    check_steps(block);
    for (auto& warp : block.warps) {
        for (u32 i = 0; i < WARP; i++) {
            outcome.logs[warp->number][i] = std::move(warp->lanes[i].log);
        }
        outcome.votes[warp->number] = std::move(warp->votes);
    }
}

void Machine::list_running() {
    running.clear();
    for (const auto& block : resident) {
        for (u32 w = 0; block && w < block->warps.size(); w++) {
            if (block->warps[w]->ended != EVERYONE && !block->warps[w]->at_barrier) {
                running.push_back(block->warps[w].get());
            }
        }
    }
}

Warp* Machine::choose_warp() {
    const u32 count = static_cast<u32>(running.size());
    next_warp = next_warp + 1 < count ? next_warp + 1 : 0;
    switch (request.order) {
        case Order::Up: return running[next_warp];
        case Order::Down: return running[count - 1 - next_warp];
        default: return running[random.below(count)];
    }
}

u32 Machine::choose_lane(LaneMask ready) {
    switch (request.order) {
        case Order::Up: return platform::lowest_bit(ready);
        case Order::Down: return platform::highest_bit(ready);
        default: return platform::nth_bit(ready, random.below(platform::population(ready)));
    }
}

// All lanes of a warp wait, and no meeting is complete.
static std::string stuck(const Warp& warp) {
    std::string error;
    for (const Lane& lane : warp.lanes) {
        if (warp.waiting >> lane.lane & 1) {
            error += error.empty() ? "" : "; ";
            error += text(lane.meeting.site) + ": " + name(lane.meeting.intrinsic) + ": " + text(lane) +
                     " waits for lanes " + hex(lane.meeting.mask);
        }
    }
    return "all lanes wait: " + error;
}

// The lane that goes on next; null, with an error, if the warp that was chosen cannot.
Lane* Machine::choose() {
    Warp& warp = *choose_warp();
    if (warp.ready == 0 && !release_together(warp)) {
        outcome.error = stuck(warp);
        return nullptr;
    }
    return &warp.lanes[choose_lane(warp.ready)];
}

void Machine::run() {
    outcome.logs.resize(request.blocks * request.warps_per_block);
    outcome.votes.resize(outcome.logs.size());
    const u32 stacks = request.warps_per_block * WARP;
    for (u32 i = 0; i < resident.size(); i++) {
        start_block(resident[i], i * stacks);
    }
    list_running();
    while (!running.empty()) {
        Lane* const first = choose();
        if (first != nullptr) {
            here = first;
            Fibre::switch_to(scheduler, first->fibre);
        }
        if (!outcome.error.empty()) {
            return;
        }
        // Lanes come back here only to end.
        BlockState& block = *current().warp_state->block;
        bool all = true;
        for (const auto& warp : block.warps) {
            all &= warp->ended == EVERYONE;
        }
        for (u32 i = 0; all && i < resident.size(); i++) {
            if (resident[i].get() == &block) {
                end_block(block);
                start_block(resident[i], i * stacks);
                break;
            }
        }
        list_running();
    }
}

}  // namespace raywarp::emulation

using raywarp::u32;
using raywarp::u64;
using raywarp::emulation::Machine;
using raywarp::emulation::Outcome;
using raywarp::emulation::Request;

// Runs a launch. The outcome is freed by raywarp_emulation_free.
extern "C" Outcome* raywarp_emulation_run(const Request* request) {
    auto outcome = std::make_unique<Outcome>();
    Machine machine(*request, *outcome);
    raywarp::emulation::machine = &machine;
    machine.run();
    raywarp::emulation::machine = nullptr;
    raywarp::emulation::here = nullptr;
    return outcome.release();
}

extern "C" void raywarp_emulation_free(Outcome* outcome) { delete outcome; }

// What went wrong, a text; empty if nothing did.
extern "C" const char* raywarp_emulation_error(const Outcome* outcome) { return outcome->error.c_str(); }

extern "C" const u32* raywarp_emulation_log(const Outcome* outcome, u32 warp, u32 lane, u64* count) {
    const auto& log = outcome->logs[warp][lane];
    *count = log.size();
    return log.data();
}

extern "C" const u64* raywarp_emulation_votes(const Outcome* outcome, u32 warp, u64* count) {
    const auto& votes = outcome->votes[warp];
    *count = votes.size();
    return votes.data();
}
