// The watertight test of one triangle or two that share an edge (h8). As raywarp-layout's h8/pair.rs, whose text explains
// the record, and raywarp-geom's triangle/watertight.rs, of whose operations these are the ones that count.
#pragma once

#include "../tree/h8_ray.h"
#include "watertight.h"

namespace raywarp {

namespace pair {

// A ray as the test sees it: where the chunks of the axes x, y and z lie, in bytes; origin along them; shear; inverse.
struct Sheared {
    u32 chunk[3];
    float origin[3], x, y, inverse;
};

// Component i of a vector along the axes of the test, of which z is the first, the second or the third.
RW_FUNCTION float along(const float* v, bool first, bool second, u32 i) {
    return first ? v[(i + 1) % 3] : second ? v[(i + 2) % 3] : v[i];
}

template <Options O>
RW_FUNCTION Sheared sheared(const LaneRay<O>& ray) {
    // Hidden, or the compiler would keep what follows from a test to the next, and spill.
    auto chunk = [&](u32 i) { return platform::hidden(ray.near[i]) & 0x30; };
    const u32 z_chunk = chunk(1);
    const bool first = z_chunk == 0, second = z_chunk == 16;
    // The longest component's is not clamped.
    const float inverse = along(ray.inverse, first, second, 2);
    return {{chunk(2), chunk(0), z_chunk},
            {along(ray.origin, first, second, 0), along(ray.origin, first, second, 1),
             along(ray.origin, first, second, 2)},
            along(ray.direction, first, second, 0) * inverse,
            along(ray.direction, first, second, 1) * inverse,
            inverse};
}

// The sheared corners of a block, and its words.
struct Corners {
    float x[4], y[4], z[4];
    uint4 words;
};

RW_FUNCTION Corners corners(const Launch& launch, u32 block, const Sheared& ray) {
    // The places of a block's chunks are its first chunk's with other bits.
    const u64 first = reinterpret_cast<u64>(h8::chunk_at(launch, block, 0));
    auto chunk = [&](u64 place) { return platform::load4(reinterpret_cast<const uint4*>(place)); };
    const uint4 xs = chunk(first ^ ray.chunk[0]), ys = chunk(first ^ ray.chunk[1]), zs = chunk(first ^ ray.chunk[2]);
    Corners at{{}, {}, {}, chunk(first ^ 0x30)};
    // Wanted here, all loads are under way at once; the compiler would leave this one for later.
    at.words.z = platform::hidden(at.words.z);
    const u32 x[4] = {xs.x, xs.y, xs.z, xs.w}, y[4] = {ys.x, ys.y, ys.z, ys.w}, z[4] = {zs.x, zs.y, zs.z, zs.w};
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        at.z[i] = platform::float_of(z[i]) - ray.origin[2];
        at.x[i] = platform::fused(-ray.x, at.z[i], platform::float_of(x[i]) - ray.origin[0]);
        at.y[i] = platform::fused(-ray.y, at.z[i], platform::float_of(y[i]) - ray.origin[1]);
    }
    return at;
}

// The edge function of two corners.
RW_FUNCTION float edge(const Corners& at, u32 i, u32 j) {
    return watertight::difference_of_products(at.x[i], at.y[j], at.y[i], at.x[j]);
}

// Weights of a triangle's corners times its doubled area: of the shared edge's start, of the own corner, of the edge's end.
struct Weights {
    float start, own, end;

    // Not above zero where the line meets the triangle.
    RW_FUNCTION int outside() const { return platform::sides(start, own, end); }
};

// What a corner as given has, by its bits of the order.
RW_FUNCTION float given(u32 order, float start, float own, float end) {
    return (order & 2) != 0 ? start : (order & 4) != 0 ? own : end;
}

// Tests the triangles of a block, and gives those that the ray's line meets to `accept` with their word. Where f32 has too few
// exponents, or the triangle is a line as the ray sees it, `give_up` is told, and the test ends
// (`LEAVES`).
template <bool LEAVES, class Accept, class GiveUp>
RW_FUNCTION void test(const Sheared& ray, const Corners& at, Accept accept, GiveUp give_up) {
    const Weights first{edge(at, 2, 1), edge(at, 0, 2), edge(at, 1, 0)};
    const Weights second{edge(at, 3, 2), edge(at, 2, 0), edge(at, 0, 3)};
    // Lanes that are inside of either go on together; hardly any is inside of both, and comes by again.
    int outside = first.outside();
    const int outside_second = second.outside();
    bool goes_on = outside <= 0 || outside_second <= 0;
    int other = outside > outside_second ? outside : outside_second;
#pragma unroll 1
    while (goes_on) {
        const bool in_first = outside <= 0;
        goes_on = other <= 0;
        outside = other = 1;
        const u32 order = in_first ? at.words.z : at.words.w;
        const float start = in_first ? first.start : second.start, own = in_first ? first.own : second.own,
                    end = in_first ? first.end : second.end, own_z = in_first ? at.z[1] : at.z[3];
        const float u = given(order, start, own, end), v = given(order >> 2, start, own, end),
                    w = given(order >> 4, start, own, end);
        const float az = given(order, at.z[0], own_z, at.z[2]), bz = given(order >> 2, at.z[0], own_z, at.z[2]),
                    cz = given(order >> 4, at.z[0], own_z, at.z[2]);
        const float area = u + v + w;
        if (platform::magnitude(area) >= h8::LEAST_AREA && platform::magnitude(area) <= h8::LARGEST_AREA) {
            const float inverse = platform::reciprocal_of_middling(area);
            const float v1w = v * inverse, v2w = w * inverse;
            const float z = platform::fused(v1w, bz - az, platform::fused(v2w, cz - az, az));
            accept(in_first ? at.words.x : at.words.y, Tuv{z * ray.inverse, v1w, v2w, true});
        } else if (LEAVES && order != 0) {
            // Not of a second triangle that is none.
            give_up();
            goes_on = false;
        }
    }
}

}  // namespace pair

template <Options O>
struct Pair {
    // A hit keeps its weights and its triangle's index in place of a record: a pair takes long to test again, and warps
    // that replace rays one by one would do it often. An any-hit ray's candidate, which is seldom there, lies aside.
    static constexpr bool KEEPS_WEIGHTS = true;

    static RW_FUNCTION Tuv found_hit(const Launch&, const Lane<O>& lane) {
        if constexpr (O.any_hit()) {
            auto aside = [&](u32 i) { return platform::float_of(lane.stack.look_aside(i)); };
            return {lane.setup.given_t(aside(0)), aside(1), aside(2), true};
        } else {
            return {lane.setup.given_t(lane.found.limit), lane.found.u, lane.found.v, true};
        }
    }

    template <class Found>
    static RW_FUNCTION u32 index(const Launch&, const Found& found) {
        return found.record;
    }

    static RW_FUNCTION float candidate_t(const Launch&, const Lane<O>& lane) {
        return platform::float_of(lane.stack.look_aside(0));
    }
    static RW_FUNCTION void keep_candidate(Lane<O>& lane, const Tuv& hit) {
        lane.stack.put_aside(platform::bits_of(hit.t), platform::bits_of(hit.u), platform::bits_of(hit.v));
    }

    // Tests the triangles of a block.
    static RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 block, bool) {
        [[maybe_unused]] bool accepted = false;
        const pair::Sheared shear = pair::sheared(lane.setup);
        const pair::Corners corners = pair::corners(launch, block, shear);
        RW_EVENT(TestTriangle);
        pair::test<O.may_leave_undecided()>(shear, corners, [&](u32 word, Tuv hit) {
            if (is_within(lane, hit.t) && offer(launch, lane, block, word, hit)) {
                accepted = true;
            }
        }, [&] {
            if constexpr (O.may_leave_undecided()) {
                accepted = true;
                lane.found.record = BEYOND;
                lane.end();
            }
        });
        if (accepted) {
            RW_EVENT(TestTriangleAccept);
        }
    }
};

// The triangles of a block one by one, by the test that knows no limits: for the few rays that pairs leave.
template <Options O>
struct EachOfPair : Pair<O> {
    static RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 block, bool) {
        uint4 chunks[4];
        h8::load_block(launch, block, chunks);
        const u32 orders[2] = {chunks[3].z, chunks[3].w}, words[2] = {chunks[3].x, chunks[3].y};
        auto corner = [&](u32 own, u32 code) {
            auto of = [&](const uint4& chunk) {
                const u32 bits = (code & 2) != 0 ? chunk.x : (code & 4) == 0 ? chunk.z : own == 0 ? chunk.y : chunk.w;
                return platform::float_of(bits);
            };
            return float4{of(chunks[0]), of(chunks[1]), of(chunks[2]), 0.0f};
        };
        bool accepted = false;
        RW_EVENT(TestTriangle);
#pragma unroll 1
        for (u32 own = 0; own < 2; own++) {
            const u32 order = orders[own];
            // No second triangle.
            if (order == 0) {
                break;
            }
            const Tuv hit = watertight::test(lane.setup.from, lane.setup.towards, corner(own, order),
                                             corner(own, order >> 2), corner(own, order >> 4));
            if (hit.hit && is_within(lane, hit.t) && offer(launch, lane, block, words[own], hit)) {
                accepted = true;
            }
        }
        if (accepted) {
            RW_EVENT(TestTriangleAccept);
        }
    }
};

}  // namespace raywarp
