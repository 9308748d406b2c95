// A block takes a tile of paths to their ends, several for each of its lanes, and lists those that go on after each bounce
// (W11 3.5, B.3): no block waits for another. Paths are kept in the device's memory or in that which the block shares.
#pragma once

#include "burden.h"
#include "stage/queue.h"

namespace raywarp::render {

// Warps of a block.
constexpr u32 TILE_WARPS = 2;
constexpr u32 TILE_LANES = TILE_WARPS * WARP;
// In a list: the path has ended.
constexpr u16 ENDED = 0xffff;

// The paths of a tile, by their number in it.
struct TilePaths {
    Queue queue;
    // With the weights in the pixel filter.
    float4* radiance;
};

// In the memory that the block shares, behind its lists. As src/tiles.rs.
template <class F>
RW_FUNCTION TilePaths in_shared_memory(const MeasuredRender& render, u32 paths) {
    u8* at = platform::block_memory(render.tile.list_bytes, render.tile.shared_bytes - render.tile.list_bytes);
    const auto take = [&](u32 bytes) {
        u8* const taken = at;
        at += static_cast<u64>(paths) * bytes;
        return taken;
    };
    TilePaths in{};
    in.queue.rays = reinterpret_cast<float4*>(take(32));
    in.queue.weights = reinterpret_cast<float4*>(take(16));
    in.radiance = reinterpret_cast<float4*>(take(16));
    in.queue.media = F::MEDIA && render.scene.media.count != 0 ? reinterpret_cast<uint2*>(take(8)) : nullptr;
    in.queue.sampler_states = render.tile.has_sampler_states != 0 ? reinterpret_cast<u32*>(take(4)) : nullptr;
    return in;
}

RW_FUNCTION TilePaths in_device_memory(const MeasuredRender& render, u32 first) {
    const Queue& all = render.queue;
    return {{all.rays + static_cast<u64>(first) * 2, all.weights + first,
             all.sampler_states != nullptr ? all.sampler_states + first : nullptr,
             all.media != nullptr ? all.media + first : nullptr},
            render.results.radiance + first};
}

// Lists those of a list's `count` entries that go on, in their order; how many there are. All lanes of the block call
// together, and `next` is there for all of them after it.
template <class List, class Sums>
RW_FUNCTION u32 list_tile(const List& list, List& next, Sums& sums, u32 count) {
    const u32 half = (count + TILE_LANES - 1) / TILE_LANES * WARP, first = platform::warp_in_block() * half;
    const u32 end = smaller(first + half, count);
    const auto goes_on = [&](u32 entry) { return entry < end && list.load(entry) != ENDED; };
    u32 own = 0;
    for (u32 at = first; at < end; at += WARP) {
        own += platform::population(platform::ballot_sync(EVERYONE, goes_on(at + platform::lane())));
    }
    if (platform::lane() == 0) {
        sums.store(platform::warp_in_block(), own);
    }
    platform::sync_block();
    u32 place = 0, all = 0;
#pragma unroll
    for (u32 warp = 0; warp < TILE_WARPS; warp++) {
        const u32 sum = sums.load(warp);
        place += warp < platform::warp_in_block() ? sum : 0;
        all += sum;
    }
    for (u32 at = first; at < end; at += WARP) {
        const bool alive = goes_on(at + platform::lane());
        const LaneMask going = platform::ballot_sync(EVERYONE, alive);
        if (alive) {
            next.store(place + platform::population(going & platform::lanes_below()), list.load(at + platform::lane()));
        }
        place += platform::population(going);
    }
    platform::sync_block();
    return all;
}

template <class F>
RW_FUNCTION void tiled(const MeasuredRender& render) {
    const u32 paths = render.tile.paths_per_lane * TILE_LANES, tile = platform::warp() / TILE_WARPS, first = tile * paths;
    const u32 own = platform::warp_in_block() * WARP + platform::lane();
    RW_DYNAMIC_SHARED(u16, paths, 0, even);
    RW_DYNAMIC_SHARED(u16, paths, sizeof(u16) * paths, odd);
    RW_SHARED(u32, TILE_WARPS, sums);
    const TilePaths kept =
        render.tile.shared_bytes != render.tile.list_bytes ? in_shared_memory<F>(render, paths) : in_device_memory(render, first);
    RayCounts counts{};
    u32 active = smaller(paths, render.batch.path_count - first), iterations = 0;
    for (u32 bounce = 0; active != 0; bounce++) {
        const bool is_even = bounce % 2 == 0;
        auto& list = is_even ? even : odd;
        if (own == 0) {
            add_round(render, bounce, active, (active + WARP - 1) / WARP);
        }
        // Entries of a warp follow each other: only its last ones may be missing.
        for (u32 at = platform::warp_in_block() * WARP; at < active; at += TILE_LANES) {
            const u32 entry = at + platform::lane();
            HeldPath path = no_path();
            u32 place = entry;
            if (entry < active && bounce == 0) {
                path = begin_path(render, first + entry);
                put_first_hit(render, path.number, {{}, {}, INFINITE});
            } else if (entry < active) {
                place = list.load(entry);
                const Queued queued = get_path<F>(render, kept.queue, place);
                const float4 result = platform::get(kept.radiance + place);
                path = {queued.number, true, queued.ray, queued.state, {result.x, result.y, result.z}, result.w};
            }
            const LaneMask callers = platform::ballot_sync(EVERYONE, path.lives);
            extend_path<F>(render, callers, path, counts,
                           [&](const FirstHit& seen) { put_first_hit(render, path.number, seen); }, Burdened{render});
            iterations += 1;
            if (entry < active) {
                const float4 result{path.radiance.x, path.radiance.y, path.radiance.z, path.filter_weight};
                float4* const results = path.lives ? kept.radiance + place : render.results.radiance + path.number;
                platform::put(results, result);
                if (path.lives) {
                    put_path<F>(kept.queue, place, path.number, path.ray, path.state);
                }
                list.store(entry, path.lives ? static_cast<u16>(place) : ENDED);
            }
        }
        platform::sync_block();
        active = list_tile(list, is_even ? odd : even, sums, active);
    }
    count_rays(render, counts, iterations);
}

}  // namespace raywarp::render
