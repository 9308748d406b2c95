// A bounce a launch for all paths of a batch, each of which stays in its place; between two launches those that go on are
// listed anew, so that warps are full (W11 3.4, B.2). Where batches are longer than that, paths begin in the places of those
// that have ended, behind those that go on (van Antwerpen 2011). Counts stay on the device, unless the host asks.
#pragma once

#include "burden.h"
#include "stage/queue.h"

namespace raywarp::render {

// What a place's mark says of its path: those that go on, and where a bounce is in parts (parts.h) those that have hit
// something, and those that have a connection.
namespace mark {
constexpr u32 GOES_ON = 1, HAS_HIT = 2, CONNECTS = 4;
}

// The place of an entry's path.
RW_FUNCTION u32 place_of(const MeasuredRender& render, u32 entry) {
    const u32* const list = render.places.list;
    return list != nullptr ? platform::get(list + entry) : entry;
}

// One lane: those that were listed are extended next, and as many begin as there is room for.
RW_FUNCTION void begin_bounce(const MeasuredRender& render) {
    if (platform::warp() != 0 || platform::lane() != 0) {
        return;
    }
    Counters c = platform::get(render.counters);
    const bool is_listed = render.places.next_list != nullptr;
    // Without a list nobody leaves.
    const u32 stayed = is_listed ? c.survivors : c.active;
    const u32 fresh = smaller(render.capacity - stayed, render.batch.path_count - c.begun);
    c.active = stayed + fresh;
    c.fresh = fresh;
    c.begun += fresh;
    c.refilled += fresh;
    if (c.active != 0) {
        // Without a list the bounce itself counts those that are left, and their warps; in parts, too, where a list may
        // hold some that have ended since.
        if (is_listed && render.places.in_parts == 0) {
            add_round(render, c.rounds, c.active, fresh);
        }
        c.rounds += 1;
    }
    c.survivors = 0;
    platform::put(render.counters, c);
    platform::put(render.places.counters, ListCounters{});
}

// The path that an entry begins with, or goes on with. None lives where it has ended.
template <class F>
RW_FUNCTION HeldPath path_of(const MeasuredRender& render, u32 entry, u32 place) {
    const u32 count = platform::get(&render.counters->active), begun = platform::get(&render.counters->begun);
    const u32 fresh = render.places.begun_before ? 0 : platform::get(&render.counters->fresh);
    if (entry >= count - fresh) {
        const HeldPath path = begin_path(render, begun - (count - entry));
        put_first_hit(render, path.number, {{}, {}, INFINITE});
        return path;
    }
    if (platform::get(render.places.alive + place) == 0) {
        return no_path();
    }
    const Queued queued = get_path<F>(render, render.queue, place);
    const float4 result = platform::get(render.results.radiance + queued.number);
    return {queued.number, true, queued.ray, queued.state, {result.x, result.y, result.z}, result.w};
}

// Extends the paths of a batch by some segments, commonly one.
template <class F, Walks W = PHASED>
RW_FUNCTION void bounce(const MeasuredRender& render) {
    const u32 count = platform::get(&render.counters->active);
    const u32 entry = platform::warp() * WARP + platform::lane();
    if (entry - platform::lane() >= count) {
        return;
    }
    HeldPath path = no_path();
    u32 place = 0;
    if (entry < count) {
        place = place_of(render, entry);
        path = path_of<F>(render, entry, place);
    }
    const bool lived = path.lives;
    LaneMask callers = platform::ballot_sync(EVERYONE, lived);
    if (callers == 0) {
        return;
    }
    if (render.places.next_list == nullptr && render.places.segments == 1 && platform::lane() == 0) {
        add_round(render, platform::get(&render.counters->rounds) - 1, platform::population(callers), 1);
    }
    RayCounts counts{};
    u32 iterations = 0;
    while (callers != 0 && iterations < render.places.segments) {
        extend_path<F, W>(render, callers, path, counts,
                       [&](const FirstHit& seen) { put_first_hit(render, path.number, seen); }, Burdened{render});
        iterations += 1;
        callers = platform::ballot_sync(EVERYONE, path.lives);
    }
    if (lived) {
        const Vec3 radiance = path.radiance;
        platform::put(render.results.radiance + path.number, float4{radiance.x, radiance.y, radiance.z, path.filter_weight});
        platform::put(render.places.alive + place, path.lives ? mark::GOES_ON : 0u);
        if (path.lives) {
            put_path<F>(render.queue, place, path.number, path.ray, path.state);
        }
    }
    count_rays(render, counts, iterations);
}

// Begins all paths of a batch, for a launch that takes them to their end (L9's split).
template <class F>
RW_FUNCTION void begin_paths(const MeasuredRender& render) {
    const u32 number = platform::warp() * WARP + platform::lane();
    if (number < render.batch.path_count) {
        const HeldPath path = begin_path(render, number);
        begin_result(render, number, path.filter_weight);
        platform::put(render.places.alive + number, mark::GOES_ON);
        put_path<F>(render.queue, number, number, path.ray, path.state);
    }
}

// The list of those that go on, in the order of the list before, in two launches: each warp counts those of its part of the
// entries, and then lists them behind those of the warps before it.
struct Part {
    u32 first, end;
};
RW_FUNCTION Part part_of_warp(u32 count) {
    const u32 warps = platform::warps(), full = (count + WARP - 1) / WARP;
    const u32 entries = (full + warps - 1) / warps * WARP, first = smaller(platform::warp() * entries, count);
    return {first, smaller(first + entries, count)};
}

RW_FUNCTION bool goes_on(const MeasuredRender& render, u32 entry, u32 place, u32 end) {
    return entry < end && (platform::get(render.places.alive + place) & render.places.listed_marks) != 0;
}

RW_FUNCTION void count_alive(const MeasuredRender& render) {
    const Part part = part_of_warp(platform::get(render.places.count));
    u32 alive = 0;
#pragma unroll 4
    for (u32 first = part.first; first < part.end; first += WARP) {
        const u32 entry = first + platform::lane();
        const u32 place = entry < part.end ? place_of(render, entry) : 0;
        alive += goes_on(render, entry, place, part.end) ? 1 : 0;
    }
#pragma unroll
    for (u32 bits = WARP / 2; bits > 0; bits /= 2) {
        alive += platform::shuffle_xor_sync(EVERYONE, alive, bits);
    }
    if (platform::lane() == 0) {
        platform::put(render.places.sums + platform::warp(), alive);
    }
}

RW_FUNCTION void list_alive(const MeasuredRender& render) {
    const Part part = part_of_warp(platform::get(render.places.count));
    u32 before = 0, all = 0;
    for (u32 i = platform::lane(); i < platform::warps(); i += WARP) {
        const u32 sum = platform::get(render.places.sums + i);
        before += i < platform::warp() ? sum : 0;
        all += sum;
    }
#pragma unroll
    for (u32 bits = WARP / 2; bits > 0; bits /= 2) {
        before += platform::shuffle_xor_sync(EVERYONE, before, bits);
        all += platform::shuffle_xor_sync(EVERYONE, all, bits);
    }
    // Places of those that have ended stand behind, where others may begin.
    const bool begins = render.batch.path_count > render.capacity;
    u32 ended = all + part.first - before;
#pragma unroll 1
    for (u32 first = part.first; first < part.end; first += WARP) {
        const u32 entry = first + platform::lane();
        const bool is_entry = entry < part.end;
        const u32 place = is_entry ? place_of(render, entry) : 0;
        const bool alive = goes_on(render, entry, place, part.end);
        const LaneMask going = platform::ballot_sync(EVERYONE, alive);
        const LaneMask ending = platform::ballot_sync(EVERYONE, is_entry && !alive);
        if (alive) {
            platform::put(render.places.next_list + before + platform::population(going & platform::lanes_below()), place);
        } else if (is_entry && begins) {
            platform::put(render.places.next_list + ended + platform::population(ending & platform::lanes_below()), place);
        }
        before += platform::population(going);
        ended += platform::population(ending);
    }
    if (platform::warp() == 0 && platform::lane() == 0) {
        platform::put(render.places.listed, all);
    }
}

// The same list in one launch, in the order in which warps come.
RW_FUNCTION void list_by_atomics(const MeasuredRender& render) {
    const u32 count = platform::get(render.places.count);
    const u32 entry = platform::warp() * WARP + platform::lane();
    if (entry - platform::lane() >= count) {
        return;
    }
    const u32 place = entry < count ? place_of(render, entry) : 0;
    const bool alive = goes_on(render, entry, place, count), ended = entry < count && !alive;
    const u32 own = take_place(render.places.listed, alive);
    if (alive) {
        platform::put(render.places.next_list + own, place);
    }
    if (render.batch.path_count > render.capacity) {
        const u32 from_end = take_place(&render.places.counters->ended, ended);
        if (ended) {
            platform::put(render.places.next_list + count - 1 - from_end, place);
        }
    }
}

}  // namespace raywarp::render
