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

    // How many parked rays are in one of these states: each lane looks at one.
    RW_FUNCTION u32 count(u32 states) const { return ballot((state(platform::lane()) & states) != 0); }

    // Swaps lanes that give their ray away with parked rays in these states, one by one in order, while there are both:
    // a prefix sum over each tells a lane its partner.
    RW_FUNCTION void swap(const Launch& launch, Lane<O>& lane, bool gives, u32 states) {
        const bool taken = (state(platform::lane()) & states) != 0;
        RW_EVENT(PrefixSum);
        const LaneMask places = platform::ballot_sync(EVERYONE, taken);
        RW_EVENT(PrefixSum);
        const LaneMask givers = platform::ballot_sync(EVERYONE, gives);
        const u32 first = platform::warp_in_block() * WARP;
        if (taken) {
            order.store(first + platform::population(places & platform::lanes_below()), platform::lane());
        }
        platform::sync(EVERYONE);
        const u32 rank = platform::population(givers & platform::lanes_below());
        if (gives && rank < platform::population(places)) {
            exchange(launch, lane, order.load(first + rank));
        }
        // The places and their order are read by other lanes next.
        platform::sync(EVERYONE);
    }

    RW_FUNCTION void exchange(const Launch& launch, Lane<O>& lane, u32 place) {
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
        if (lane.ray == NONE) {
            lane.work = Tree::DONE;
        } else {
            read_ray(launch, lane, lane.ray);
            prepare_ray(launch, lane);
        }
        RW_EVENT(Exchange);
    }

    // Replaces all terminated rays, those in lanes and the parked ones. Rays are stored and set up in lanes, so that
    // parked places change with lanes for it.
    RW_FUNCTION void refill(const Launch& launch, Lane<O>& lane, Pool& pool) {
        while (true) {
            store_hit(launch, lane);
            const bool idle = lane.is_idle();
            const bool dry = pool.dry && pool.next == pool.end;
            if (ballot(idle) > 0 && !dry) {
                if (idle) {
                    RW_EVENT(PrefixSum);
                }
                fetch_ray(launch, pool, lane);
            } else if (count(HAS_ENDED) > 0) {
                swap(launch, lane, !lane.has_ended(), HAS_ENDED);
            } else if (!dry && count(IS_IDLE) > 0) {
                swap(launch, lane, lane.is_alive(), IS_IDLE);
            } else {
                break;
            }
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
        RW_EVENT(Turn);
        if (t % O.every == 0) {
            queue.refill(launch, lane, pool);
        }
        // Count both populations among all rays, and choose the operation with greater support.
        u32 nodes = ballot(lane.at_inner_node()) + queue.count(WANTS_NODE);
        u32 triangles = ballot(lane.has_leaf()) + queue.count(WANTS_TRIANGLE);
        if (nodes == 0 && triangles == 0) {
            queue.refill(launch, lane, pool);
            nodes = ballot(lane.at_inner_node()) + queue.count(WANTS_NODE);
            triangles = ballot(lane.has_leaf()) + queue.count(WANTS_TRIANGLE);
            if (nodes == 0 && triangles == 0) {
                break;
            }
        }
        if (nodes >= triangles) {
            queue.swap(launch, lane, !lane.at_inner_node(), WANTS_NODE);
            S::traverse(launch, lane);
        } else {
            queue.swap(launch, lane, !lane.has_leaf(), WANTS_TRIANGLE);
            S::intersect(launch, lane);
        }
    }
    store_hit(launch, lane);
}

}  // namespace raywarp
