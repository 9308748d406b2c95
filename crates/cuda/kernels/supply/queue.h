// Work queue (AL09 5.2): a warp keeps twice as many rays as lanes, the extra ones parked in shared memory. Of traversal and
// intersection the one that more of the rays want is run, after rays have been exchanged so that as many lanes as
// possible take part.
#pragma once

#include "trace.h"

namespace raywarp {

// Words of a parked ray. What its boxes and triangles need is found again from the ray in memory; its stack stays where
// it is.
enum ParkedWord : u32 { RAY, WORK_X, WORK_Y, LIMIT, RECORD, STACK, STATE, PARKED_WORDS };

// What a parked ray wants.
constexpr u32 WANTS_NODE = 1, WANTS_TRIANGLE = 2, HAS_ENDED = 4, IS_IDLE = 8, LEAF_ENDED = 16, BLOCKED = 32;

template <Options O>
struct Queue {
    using Tree = typename Lane<O>::Tree;
    using Words = platform::Shared<u32, BLOCK_WARPS * PARKED_WORDS * WARP>;
    using Order = platform::Shared<u32, BLOCK_WARPS * WARP>;

    Words& words;
    Order& order;

    RW_FUNCTION u32 at(u32 word, u32 place) const {
        return (platform::warp_in_block() * PARKED_WORDS + word) * WARP + place;
    }
    RW_FUNCTION u32 state(u32 place) const { return words.load(at(STATE, place)); }

    // All places idle, each with a stack of its own.
    RW_FUNCTION void clear() {
        const u32 place = platform::lane();
        words.store(at(RAY, place), NONE);
        words.store(at(STACK, place), WARP + place);
        words.store(at(STATE, place), IS_IDLE);
        platform::sync(EVERYONE);
    }

    static RW_FUNCTION u32 state_of(const Lane<O>& lane) {
        return (lane.at_inner_node() ? WANTS_NODE : 0) | (lane.has_leaf() ? WANTS_TRIANGLE : 0) |
               (lane.has_ended() ? HAS_ENDED : 0) | (lane.is_idle() ? IS_IDLE : 0) |
               (lane.leaf_ended ? LEAF_ENDED : 0) | (lane.found.blocked ? BLOCKED : 0);
    }

    // Swaps lanes that are in none of these states with parked rays that are in one, one by one in order, while there are
    // both: a prefix sum over each tells a lane its partner. `parked` is the state of the lane's own place.
    RW_FUNCTION void swap(const Launch& launch, Lane<O>& lane, u32 parked, u32 states) {
        const LaneMask below = platform::lanes_below();
        const bool taken = (parked & states) != 0, gives = (state_of(lane) & states) == 0;
        RW_EVENT(PrefixSum);
        const LaneMask places = platform::ballot_sync(EVERYONE, taken);
        RW_EVENT(PrefixSum);
        const LaneMask givers = platform::ballot_sync(EVERYONE, gives);
        const u32 first = platform::warp_in_block() * WARP, count = platform::population(places);
        // The places that are wanted come first. Every lane writes, since a branch would cost more.
        const u32 rank = taken ? platform::population(places & below) : count + platform::population(~places & below);
        order.store(first + rank, platform::lane());
        platform::sync(EVERYONE);
        const u32 partner = platform::population(givers & below);
        if (gives && partner < count) {
            exchange(launch, lane, order.load(first + partner), states);
        }
        // The places and their order are read by other lanes next.
        platform::sync(EVERYONE);
    }

    RW_FUNCTION void exchange(const Launch& launch, Lane<O>& lane, u32 place, u32 states) {
        u32 theirs[PARKED_WORDS];
        const u32 mine[PARKED_WORDS] = {lane.ray,
                                        Tree::word(lane.work, 0),
                                        Tree::word(lane.work, 1),
                                        platform::bits_of(lane.found.limit),
                                        lane.found.record,
                                        lane.stack.top << 8 | lane.stack.owner,
                                        state_of(lane)};
#pragma unroll
        for (u32 word = 0; word < PARKED_WORDS; word++) {
            theirs[word] = words.load(at(word, place));
            words.store(at(word, place), mine[word]);
        }
        lane.ray = theirs[RAY];
        lane.work = Tree::of_words(theirs[WORK_X], theirs[WORK_Y]);
        lane.stack.top = theirs[STACK] >> 8;
        lane.stack.owner = theirs[STACK] & 0xffu;
        lane.leaf_ended = (theirs[STATE] & LEAF_ENDED) != 0;
        lane.found = {platform::float_of(theirs[LIMIT]), theirs[RECORD], (theirs[STATE] & BLOCKED) != 0, 0.0f, 0.0f};
        RW_EVENT(Exchange);
        // Idle places are swapped among themselves only.
        if (states == IS_IDLE) {
            lane.work = Tree::DONE;
        } else {
            load_parked_ray(launch, lane, lane.ray);
            RW_EVENT(SetupParked);
        }
    }
};

template <Options O, class S>
RW_FUNCTION void queue(const Launch& launch, Lane<O>& lane) {
    RW_SHARED(u32, BLOCK_WARPS * PARKED_WORDS * WARP, words);
    RW_SHARED(u32, BLOCK_WARPS * WARP, order);
    Queue<O> queue{words, order};
    queue.clear();
    using Stack = OwnedStack<typename Lane<O>::Tree>;
    lane.stack.entries = reinterpret_cast<typename Stack::Entry*>(launch.stacks) +
                         static_cast<u64>(platform::warp()) * (STACK_DEPTH + 1) * Stack::COUNT;
    lane.stack.owner = platform::lane();
    Pool pool{0, 0, false};
    for (u32 t = 0;; t++) {
        RW_EVENT(Iteration);
        // Terminated rays are replaced when it is time, and when there is nothing else to do. They are stored and set up in
        // lanes, so that parked places change with lanes for it.
        const bool is_time = t % O.every == 0;
        bool refills = is_time, refilled = is_time;
        u32 states = 0;
        // Swapping is long: all that swap come to the same place.
        while (true) {
            u32 parked;
            if (refills) {
                RW_EVENT(Refill);
                store_hit(launch, lane);
                parked = queue.state(platform::lane());
                const bool idle = lane.is_idle(), dry = pool.dry && pool.next == pool.end;
                const u32 idle_lanes = ballot(lane, idle);
                const u32 ended = ballot(lane, (parked & HAS_ENDED) != 0);
                const u32 empty = ballot(lane, (parked & IS_IDLE) != 0);
                if (idle_lanes > 0 && !dry) {
                    if (idle) {
                        RW_EVENT(PrefixSum);
                    }
                    fetch_ray(launch, pool, lane);
                    continue;
                }
                states = ended > 0 ? HAS_ENDED : IS_IDLE;
                if (ended == 0 && (dry || empty == 0)) {
                    refills = false;
                    continue;
                }
            } else {
                // Count both populations among all rays, and choose the operation with greater support.
                parked = queue.state(platform::lane());
                const u32 nodes = ballot(lane, lane.at_inner_node()) + ballot(lane, (parked & WANTS_NODE) != 0);
                const u32 triangles = ballot(lane, lane.has_leaf()) + ballot(lane, (parked & WANTS_TRIANGLE) != 0);
                if (nodes == 0 && triangles == 0) {
                    if (refilled) {
                        return;
                    }
                    refills = refilled = true;
                    continue;
                }
                if (nodes >= triangles) {
                    RW_EVENT(ChooseNode);
                    states = WANTS_NODE;
                } else {
                    RW_EVENT(ChooseTriangle);
                    states = WANTS_TRIANGLE;
                }
            }
            queue.swap(launch, lane, parked, states);
            if (!refills) {
                break;
            }
        }
        if (states == WANTS_NODE) {
            S::traverse(launch, lane);
        } else {
            S::intersect(launch, lane);
        }
    }
}

}  // namespace raywarp
