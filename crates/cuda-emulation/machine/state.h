// The state of a launch: lanes, warps and blocks, and who runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fibre.h"
#include "machine.h"
#include "shared.h"

namespace raywarp::emulation {

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
    // Its events are told.
    bool watched = true;
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
    // It waits for the other warps of its block.
    bool at_barrier = false;
    struct BlockState* block = nullptr;
    // How often it kept in step with the block, and where last.
    u64 steps = 0;
    Site last_step{};
    std::array<Lane, WARP> lanes;
    std::vector<u64> votes;
};

struct BlockState {
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<std::unique_ptr<SharedArray>> shared;
    // What the launch has asked for, in words of 16 bytes.
    std::vector<uint4> memory;

    // Whether so many bytes lie in it.
    bool holds(const void* at, u32 bytes) const {
        const auto begin = reinterpret_cast<u64>(memory.data()), address = reinterpret_cast<u64>(at);
        return address >= begin && address + bytes <= begin + memory.size() * sizeof(uint4);
    }
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
    u32 next_block = 0, next_warp = 0;
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
    void check_steps(const BlockState& block);
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
    bool release_together(Warp& warp);
    void wait_for_block(Warp& warp);
    void check_barrier(Lane& lane);
};

extern __thread Machine* machine;

inline Lane& current() { return *static_cast<Lane*>(here); }

const char* name(Intrinsic intrinsic);
std::string hex(LaneMask mask);
std::string text(const Lane& lane);

}  // namespace raywarp::emulation
