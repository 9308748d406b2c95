// Runs emulated kernels: two blocks at a time, their lanes as fibres, one after the other on one thread.
//
// A lane runs until it waits for others or ends. Which goes next is the order's choice, among the lanes of a warp
// and among warps: a kernel that works only in one order has a race.
#include "machine.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "fibre.h"
#include "shared.h"

namespace raywarp::emulation {

__thread Here* here = nullptr;

namespace {

constexpr std::size_t STACK_BYTES = 64 * 1024;
// At the end of a stack, to see an overflow.
constexpr u64 CANARY = 0x5ca1ab1e0ddba11full;
constexpr u32 NO_INDEX = 0xffffffu;
constexpr u32 SPACES = 8;

// Seeded: xorshift64*.
struct Random {
    u64 state;
    u32 below(u32 n) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return static_cast<u32>((state * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
    }
};

// What lanes meet in.
struct Meeting {
    Intrinsic intrinsic;
    LaneMask mask;
    Site site;
    bool operator==(const Meeting& other) const {
        return intrinsic == other.intrinsic && mask == other.mask && site.line == other.site.line &&
               (site.file == other.site.file || std::strcmp(site.file, other.site.file) == 0);
    }
};

struct Lane : Here {
    Fibre fibre;
    char* stack = nullptr;
    u32 number_in_block = 0;
    struct Warp* warp_state = nullptr;
    // Where it waits, and with what.
    Meeting meeting{};
    u32 value = 0, from = 0, result = 0;
    // Since its last event it has met nobody: the event names the meeting.
    bool announced = false;
    Block announced_as{};
    // Last record of each space that was read.
    std::array<u32, SPACES> touched{};
    // The triangle that is being tested.
    u32 tested = NO_INDEX;
    std::vector<u32> log;
    Clock clock;
};

struct Warp {
    u32 number = 0;
    LaneMask ready = EVERYONE, waiting = 0, ended = 0;
    // All that wait are in the same meeting.
    bool same = true;
    struct BlockState* block = nullptr;
    std::array<Lane, WARP> lanes;
    std::vector<u64> votes;
};

struct BlockState {
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<std::unique_ptr<SharedArray>> shared;
};

struct Outcome {
    std::string error;
    std::vector<std::array<std::vector<u32>, WARP>> logs;
    std::vector<std::vector<u64>> votes;
};

struct Machine {
    const Request& request;
    Outcome& outcome;
    Fibre scheduler;
    Random random;
    u64 budget;
    u32 next_block = 0, turn = 0;
    std::vector<std::unique_ptr<BlockState>> resident;
    // Warps with lanes that have not ended.
    std::vector<Warp*> running;

    Machine(const Request& request, Outcome& outcome)
        : request(request),
          outcome(outcome),
          random{request.seed * 0x9e3779b97f4a7c15ull | 1},
          budget(request.budget),
          resident(request.resident_blocks) {}

    void run();
    bool start_block(std::unique_ptr<BlockState>& slot, u32 first_stack);
    void end_block(BlockState& block);
    Warp* choose_warp();
    u32 choose_lane(LaneMask ready);
    Lane* choose();
    void list_running();
    // Another lane goes on, or the same.
    void hand_over(Lane& lane) {
        Lane* const next = choose();
        if (next != &lane) {
            here = next;
            Fibre::switch_to(lane.fibre, next != nullptr ? next->fibre : scheduler);
        }
    }
    // The lane has ended or failed.
    void leave(Lane& lane) { Fibre::switch_to(lane.fibre, scheduler); }
    [[noreturn]] void fail(Lane& lane, std::string error);
    void spend(Lane& lane) {
        if (budget-- == 0) {
            fail(lane, "the kernel does not end: " + std::to_string(request.budget) + " events and meetings");
        }
    }
    void check_alone(Lane& lane);
    void complete(Warp& warp, LaneMask mask);
};

__thread Machine* machine = nullptr;

Lane& current() { return *static_cast<Lane*>(here); }

// Kept for the next launch on this thread.
char* stack_of(u32 number) {
    thread_local std::vector<std::unique_ptr<char[]>> stacks;
    while (stacks.size() <= number) {
        stacks.emplace_back(new char[STACK_BYTES]);
    }
    return stacks[number].get();
}

const char* name(Intrinsic intrinsic) {
    switch (intrinsic) {
        case Intrinsic::Any: return "any_sync";
        case Intrinsic::Ballot: return "ballot_sync";
        case Intrinsic::Shuffle: return "shuffle_sync";
        case Intrinsic::ShuffleXor: return "shuffle_xor_sync";
        case Intrinsic::Sync: return "sync";
    }
    return "?";
}

std::string hex(LaneMask mask) {
    char text[16];
    std::snprintf(text, sizeof(text), "0x%08x", mask);
    return text;
}

std::string lane_text(const Lane& lane) {
    return "lane " + std::to_string(lane.lane) + " of warp " + std::to_string(lane.warp);
}

void lane_main() {
    Lane& lane = current();
    machine->request.kernel(*machine->request.launch);
    Warp& warp = *lane.warp_state;
    const LaneMask bit = 1u << lane.lane;
    u64 canary;
    std::memcpy(&canary, lane.stack, sizeof(canary));
    if (canary != CANARY) {
        machine->fail(lane, lane_text(lane) + " used more than " + std::to_string(STACK_BYTES) + " bytes of stack");
    }
    for (const Lane& other : warp.lanes) {
        if (warp.waiting >> other.lane & 1 && other.meeting.mask & bit) {
            machine->fail(lane, text(other.meeting.site) + ": " + name(other.meeting.intrinsic) + ": " +
                                    lane_text(other) + " waits for lanes " + hex(other.meeting.mask) +
                                    ", but lane " + std::to_string(lane.lane) + " has ended");
        }
    }
    warp.ready &= ~bit;
    warp.ended |= bit;
    machine->leave(lane);
    __builtin_unreachable();
}

}  // namespace

std::string text(Site site) {
    const char* file = std::strstr(site.file, "kernels/");
    return std::string(file != nullptr ? file : site.file) + ":" + std::to_string(site.line);
}

namespace {

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
    for (u32 w = 0; w < request.warps_per_block; w++) {
        auto warp = std::make_unique<Warp>();
        warp->number = next_block * request.warps_per_block + w;
        warp->block = slot.get();
        for (u32 i = 0; i < WARP; i++) {
            Lane& lane = warp->lanes[i];
            static_cast<Here&>(lane) = {i, warp->number, w};
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

void Machine::end_block(BlockState& block) {
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
            if (block->warps[w]->ended != EVERYONE) {
                running.push_back(block->warps[w].get());
            }
        }
    }
}

Warp* Machine::choose_warp() {
    const u32 count = static_cast<u32>(running.size());
    turn = turn + 1 < count ? turn + 1 : 0;
    switch (request.order) {
        case Order::Up: return running[turn];
        case Order::Down: return running[count - 1 - turn];
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
std::string stuck(const Warp& warp) {
    std::string error;
    for (const Lane& lane : warp.lanes) {
        if (warp.waiting >> lane.lane & 1) {
            error += error.empty() ? "" : "; ";
            error += text(lane.meeting.site) + ": " + name(lane.meeting.intrinsic) + ": " + lane_text(lane) +
                     " waits for lanes " + hex(lane.meeting.mask);
        }
    }
    return "all lanes wait: " + error;
}

// The lane that goes on next; null, with an error, if the warp that was chosen cannot.
Lane* Machine::choose() {
    Warp& warp = *choose_warp();
    if (warp.ready == 0) {
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

// A lane that waits must be able to meet those that it names.
void Machine::check_alone(Lane& lane) {
    const Warp& warp = *lane.warp_state;
    const Meeting& meeting = lane.meeting;
    const auto place = [&] { return text(meeting.site) + ": " + name(meeting.intrinsic) + ": " + lane_text(lane); };
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
            case Intrinsic::Sync: break;
        }
    }
    if (announced && request.log) {
        const Block block = warp.lanes[platform::lowest_bit(mask)].announced_as;
        warp.votes.push_back(static_cast<u64>(block) << 32 | mask);
    }
    if (intrinsic == Intrinsic::Sync && !warp.block->shared.empty()) {
        Clock joined;
        for (LaneMask left = mask; left != 0; left &= left - 1) {
            const Clock& clock = warp.lanes[platform::lowest_bit(left)].clock;
            for (u32 i = 0; i < MOST_LANES; i++) {
                joined.known[i] = joined.known[i] > clock.known[i] ? joined.known[i] : clock.known[i];
            }
        }
        for (LaneMask left = mask; left != 0; left &= left - 1) {
            Lane& lane = warp.lanes[platform::lowest_bit(left)];
            lane.clock = joined;
            lane.clock.known[lane.number_in_block] += 1;
        }
    }
    warp.waiting &= ~mask;
    warp.ready |= mask;
}

void log_event(Lane& lane, Block block) {
    u32 index = NO_INDEX;
    switch (block) {
        case Block::VisitNode:
        case Block::VisitNodeLinks: index = lane.touched[static_cast<u32>(Space::Node)]; break;
        case Block::TestTriangle:
        case Block::TestTriangleT: lane.tested = lane.touched[static_cast<u32>(Space::Triangle)]; [[fallthrough]];
        // Others may be read again to compare with.
        case Block::TestTriangleU:
        case Block::TestTriangleV:
        case Block::TestTriangleAccept: index = lane.tested; break;
        case Block::FetchRay:
        case Block::Exchange: index = lane.touched[static_cast<u32>(Space::Ray)]; break;
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
    lane.announced = block == Block::Vote || block == Block::Ballot;
    lane.announced_as = block;
    if (machine->request.log) {
        log_event(lane, block);
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
        machine->fail(lane, text(site) + ": " + name(intrinsic) + ": " + lane_text(lane) + " takes from lane " +
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

LaneMask active() {
    Lane& lane = current();
    machine->spend(lane);
    return (lane.warp_state->ready & machine->random.below(0xffffffffu)) | 1u << lane.lane;
}

void read(const void* from, u32 bytes, Site site) {
    Lane& lane = current();
    const Range* range = range_of(from, bytes);
    if (range == nullptr || range->writable) {
        machine->fail(lane, text(site) + ": " + lane_text(lane) + " reads " + std::to_string(bytes) +
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
    if (range == nullptr || !range->writable) {
        machine->fail(lane, text(site) + ": " + lane_text(lane) + " changes a word that lies in no array of words");
    }
    machine->hand_over(lane);
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
