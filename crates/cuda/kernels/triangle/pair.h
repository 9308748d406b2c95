// The test of one triangle or two that share an edge (h8): Moeller and Trumbore's, with the factors of the shared edge taken
// once. As raywarp-layout's h8/pair.rs, whose text explains the record.
#pragma once

#include "../tree/h8_ray.h"
#include "tuv.h"

namespace raywarp {

namespace pair {

// What the triangles of a pair share.
struct Shared {
    float s[3], p[3], edge[3], weight;
};

// Where the ray's line meets the plane of one triangle, with weights and t times `area`.
struct Crossing {
    float own, end, far, area;
    bool is_inside;
};

template <Options O>
RW_FUNCTION Crossing cross_plane(const LaneRay<O>& ray, const Shared& shared, uint4 own_edge) {
    using platform::bits_of;
    using platform::float_of;
    const float e[3] = {float_of(own_edge.x), float_of(own_edge.y), float_of(own_edge.z)};
    float q[3];
    h8::cross(shared.s, e, q);
    const float det = h8::dot(e, shared.p), area = platform::magnitude(det);
    const u32 sign = bits_of(det) & 0x80000000u;
    const float own = float_of(bits_of(shared.weight) ^ sign);
    const float end = float_of(bits_of(h8::dot(ray.direction, q)) ^ sign);
    const float far = float_of(bits_of(h8::dot(shared.edge, q)) ^ sign);
    return {own, end, far, area, own >= 0.0f && end >= 0.0f && own + end <= area};
}

// The t, u, v of a crossing, t scaled as the ray's and perhaps not finite; `order` says which weight is which.
RW_FUNCTION Tuv finish(const Crossing& at, u32 order) {
    const float inverse = platform::reciprocal_of_middling(at.area);
    const float own = at.own * inverse, end = at.end * inverse;
    const float rest = platform::most(1.0f - own - end, 0.0f);
    const float t = at.far * inverse;
    const float u = (order & 3) != 0 ? ((order & 1) != 0 ? own : end) : rest;
    const float v = (order & 12) != 0 ? ((order & 4) != 0 ? own : end) : rest;
    return {t, u, v, at.area >= h8::LEAST_AREA && at.area <= h8::LARGEST_AREA};
}

// Tests the triangles of a block, and gives those that the ray's line meets to `accept` with their number in the block and
// their word.
template <Options O, class Accept>
RW_FUNCTION void test(const LaneRay<O>& ray, const uint4 (&chunk)[4], Accept accept) {
    using platform::float_of;
    Shared shared;
    const float v0[3] = {float_of(chunk[0].x), float_of(chunk[0].y), float_of(chunk[0].z)};
    shared.edge[0] = float_of(chunk[2].x);
    shared.edge[1] = float_of(chunk[2].y);
    shared.edge[2] = float_of(chunk[2].z);
#pragma unroll
    for (u32 i = 0; i < 3; i++) {
        shared.s[i] = ray.origin[i] - v0[i];
    }
    // The last word is zero. Read here, all loads are under way at once; the compiler would leave the last one for later.
    shared.s[0] -= float_of(chunk[3].w);
    h8::cross(ray.direction, shared.edge, shared.p);
    shared.weight = h8::dot(shared.s, shared.p);
    const Crossing first = cross_plane(ray, shared, chunk[1]), second = cross_plane(ray, shared, chunk[3]);
    // Lanes that are inside of either go on together; hardly any is inside of both.
    u32 inside = static_cast<u32>(first.is_inside) | static_cast<u32>(second.is_inside) << 1;
#pragma unroll 1
    while (inside != 0) {
        // Or the compiler would write the body twice, for lanes apart.
        inside = platform::hidden(inside);
        const bool in_first = (inside & 1) != 0;
        inside &= inside - 1;
        const Crossing at{in_first ? first.own : second.own, in_first ? first.end : second.end,
                          in_first ? first.far : second.far, in_first ? first.area : second.area, true};
        const Tuv found = finish(at, in_first ? chunk[2].w : chunk[2].w >> 4);
        if (found.hit) {
            accept(in_first ? 0u : 1u, in_first ? chunk[0].w : chunk[1].w, found);
        }
    }
}

// A record is twice its block, and one more for the second triangle.
RW_FUNCTION u32 word_of(const Launch& launch, u32 record) {
    return platform::load1(&h8::chunk_at(launch, record / 2, record % 2)->w);
}

// The t, u, v of a record that was hit.
template <Options O>
RW_FUNCTION Tuv test_again(const Launch& launch, const LaneRay<O>& ray, u32 record) {
    uint4 chunk[4];
    h8::load_block(launch, record / 2, chunk);
    Tuv found{};
    test(ray, chunk, [&](u32 number, u32, Tuv tuv) {
        found = number == record % 2 ? tuv : found;
    });
    return found;
}

}  // namespace pair

template <Options O>
struct Pair {
    // A closest hit keeps its weights and its triangle's index in place of a record: a pair takes long to test again,
    // and warps that replace rays one by one would do it often.
    static constexpr bool KEEPS_WEIGHTS = !O.any_hit();

    static RW_FUNCTION Tuv found_hit(const Launch& launch, const Lane<O>& lane) {
        if constexpr (KEEPS_WEIGHTS) {
            return {lane.setup.given_t(lane.found.limit), lane.found.u, lane.found.v, true};
        } else {
            Tuv hit = pair::test_again(launch, lane.setup, lane.found.record);
            hit.t = lane.setup.given_t(hit.t);
            return hit;
        }
    }

    template <class Found>
    static RW_FUNCTION u32 index(const Launch& launch, const Found& found) {
        return KEEPS_WEIGHTS ? found.record : pair::word_of(launch, found.record) & ~NON_OPAQUE;
    }

    static RW_FUNCTION float candidate_t(const Launch&, const Lane<O>& lane) {
        return platform::float_of(lane.stack.look_aside());
    }
    static RW_FUNCTION void keep_candidate(Lane<O>& lane, float t) { lane.stack.put_aside(platform::bits_of(t)); }

    // Tests the triangles of a block.
    static RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 block, bool) {
        [[maybe_unused]] bool accepted = false;
        uint4 chunk[4];
        h8::load_block(launch, block, chunk);
        RW_EVENT(TestTriangle);
        pair::test(lane.setup, chunk, [&](u32 number, u32 word, Tuv hit) {
            if (is_within(lane, hit.t) && offer(launch, lane, 2 * block + number, word, hit)) {
                accepted = true;
            }
        });
        if (accepted) {
            RW_EVENT(TestTriangleAccept);
        }
    }
};

}  // namespace raywarp
