// Rays aimed at the edges, vertices and faces of a closed mesh from inside of it, made where they are traced. None may be
// lost, and only those that are come back.
//
// A ray is a function of the seed and its number. Its target is a vertex, a point of an edge or of a face, with weights in
// f32, so that many meet an edge exactly. It starts at one of the given points; of 8 one is parallel to an axis, and starts
// beside the middle. As `Target::inner_ray` in crates/cpu/tests/closed/aim.rs, with other random numbers.
// Launch: warps in blocks of 4, as many as are resident; no shared memory.
#pragma once

#include "../raywarp.h"

namespace raywarp::check {

// A ray that was lost.
struct LostRay {
    float4 origin, direction;
    u64 number;
    // Who lost it: 1 the nearest hit, 2 any hit.
    u32 queries;
    u32 unused;
};

struct Aimed {
    Tree tree;
    // Three chunks a triangle, its corners.
    const float4* corners;
    // Points that are well inside, a chunk each.
    const float4* starts;
    // 4 times a triangle and an axis: rays parallel to the axis may come to any of its points from beside the middle.
    const u32* along;
    // The first of those that are lost.
    LostRay* lost;
    // Rays lost by the nearest hit, by any hit, and by either; zero at the start.
    u32* counts;
    u64 seed;
    // Number of the first ray.
    u64 first;
    u32 ray_count;
    // Of the launch.
    u32 warp_count;
    u32 triangle_count, start_count, along_count, lost_capacity;
    float middle[3];
    u32 unused;
};
static_assert(sizeof(LostRay) == 48 && sizeof(Aimed) == 168, "must match src/aimed.rs");

// SplitMix64 (Steele, Lea and Flood 2014), from a state that is mixed of seed and number.
struct Random {
    u64 state;

    static RW_FUNCTION u64 mixed(u64 x) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 27) * 0x94d049bb133111ebull;
        return x ^ x >> 31;
    }
    RW_FUNCTION u64 bits() {
        state += 0x9e3779b97f4a7c15ull;
        return mixed(state);
    }
};

// Of 32 bits a number below n, and one of 0 to 1 in steps of 2^-24.
RW_FUNCTION u32 below(u32 bits, u32 n) { return static_cast<u32>(static_cast<u64>(bits) * n >> 32); }
RW_FUNCTION float unit(u32 bits) { return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f); }

// A coordinate of a target: a vertex, on one of two edges, or of the face.
RW_FUNCTION float target(float a, float b, float c, u32 kind, float s, float r) {
    const float on_edge = a + s * (b - a);
    return kind == 0 ? a : kind < 3 ? on_edge : kind == 3 ? c + s * (b - c) : on_edge + r * (c - a);
}

// The ray of a number.
RW_FUNCTION Ray aimed_ray(const Aimed& aimed, u64 number) {
    Random random{Random::mixed(aimed.seed + number)};
    const u64 places = random.bits(), choices = random.bits(), weights = random.bits();
    // Five kinds of targets; a quarter of the weights are a half; an eighth of the rays parallel to an axis.
    const u32 choice = below(static_cast<u32>(choices), 5 * 4 * 8), kind = choice % 5;
    const bool is_half = choice / 5 % 4 == 0, is_along = choice / 20 == 0 && aimed.along_count != 0;
    const float s = is_half ? 0.5f : unit(static_cast<u32>(choices >> 32)), r = unit(static_cast<u32>(weights)) * (1.0f - s);
    const u32 place = static_cast<u32>(places);
    const u32 along = is_along ? platform::load1(aimed.along + below(place, aimed.along_count)) : 0;
    const u32 triangle = is_along ? along / 4 : below(place, aimed.triangle_count), axis = along % 4;
    const float4* corners = aimed.corners + static_cast<u64>(triangle) * 3;
    const float4 a = platform::load4(corners), b = platform::load4(corners + 1), c = platform::load4(corners + 2);
    const float x = target(a.x, b.x, c.x, kind, s, r), y = target(a.y, b.y, c.y, kind, s, r),
                z = target(a.z, b.z, c.z, kind, s, r);
    const float4 start = platform::load4(aimed.starts + below(static_cast<u32>(places >> 32), aimed.start_count));
    // Parallel to an axis only its coordinate is another than the target's.
    auto from = [&](u32 i, float target, float start) {
        return !is_along ? start : axis == i ? aimed.middle[i] : target;
    };
    const float ox = from(0, x, start.x), oy = from(1, y, start.y), oz = from(2, z, start.z);
    auto towards = [&](float target, float origin) {
        const float way = target - origin;
        return !is_along || way == 0.0f ? way : way < 0.0f ? -1.0f : 1.0f;
    };
    return {{ox, oy, oz, 0.0f}, {towards(x, ox), towards(y, oy), towards(z, oz), platform::float_of(0x7f800000u)}};
}

RW_FUNCTION void run(const Aimed& aimed) {
    // All lanes of a warp run the same iterations.
    for (u32 first = platform::warp() * WARP; first < aimed.ray_count; first += aimed.warp_count * WARP) {
        const u32 i = first + platform::lane();
        const bool exists = i < aimed.ray_count;
        const LaneMask callers = platform::ballot_sync(EVERYONE, exists);
        if (exists) {
            const u64 number = aimed.first + i;
            const Ray ray = aimed_ray(aimed, number);
            const bool missed = !closest(aimed.tree, ray, callers).is_hit();
            const bool unblocked = !any(aimed.tree, ray, callers).blocked;
            if (missed) {
                platform::add_to_counter(aimed.counts, 1);
            }
            if (unblocked) {
                platform::add_to_counter(aimed.counts + 1, 1);
            }
            if (missed || unblocked) {
                const u32 place = platform::add_to_counter(aimed.counts + 2, 1);
                if (place < aimed.lost_capacity) {
                    const u32 queries = (missed ? 1u : 0u) + (unblocked ? 2u : 0u);
                    platform::put(aimed.lost + place, LostRay{ray.origin, ray.direction, number, queries, 0});
                }
            }
        }
    }
}

}  // namespace raywarp::check
