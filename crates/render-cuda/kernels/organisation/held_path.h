// A path that a lane holds, and one more segment of it: what all organisations do whose kernels trace and shade (W11 A.2).
#pragma once

#include "../stage/connect.h"
#include "../stage/generate.h"
#include "../vertex/arrive.h"
#include "count.h"

namespace raywarp::render {

struct HeldPath {
    // In its batch.
    u32 number;
    bool lives;
    Ray ray;
    PathState state;
    Vec3 radiance;
    float filter_weight;
};

RW_FUNCTION HeldPath no_path() {
    HeldPath path{};
    path.number = NONE;
    return path;
}

RW_FUNCTION HeldPath begin_path(const Render& render, u32 number) {
    const Generated begun = generate(render, number);
    return {number, true, begun.ray, begun.state, Vec3::splat(0.0f), begun.filter_weight};
}

// How rays are walked.
struct Walks {
    Options closest, any;
};
constexpr Walks PHASED{CLOSEST_HIT, ANY_HIT};

// As much for each vertex as the render asks for, on which nothing depends: heavier shading, for W11 4.2.5. Multiply-adds, and
// a search as for a texel of an environment: half of what is left of the table at each step, wherever that is.
RW_FUNCTION void shade_longer(const Render& render, const PathState& path, float from) {
    const Burden& burden = render.burden;
    float x = from;
#pragma unroll 1
    for (u32 i = 0; i < burden.multiply_adds; i++) {
        x = platform::fused(x, 0.75f, 0.5f);
    }
    const u32 wanted = hash::combine(hash::combine(path.pixel, path.sample), path.bounce);
    u32 first = 0;
#pragma unroll 1
    for (u32 step = burden.search_steps; step > 0; step--) {
        const u32 middle = first + (1u << (step - 1));
        first = platform::load1(burden.table + middle) <= wanted ? middle : first;
    }
    // Never: of finite numbers there come none like this one, and no place is so far. Without a use nothing would be computed.
    if (platform::bits_of(x) == 0x7fc0dead || first == NONE) {
        platform::add_to_counter(&render.counters->invalid_rays, 1);
    }
}

// Takes a path to its next vertex, connects it to a light there, and sends it on; it lives no longer where it ends.
// `looks` is called with its first vertex. All lanes of the warp call together; `callers` are those whose path lives.
template <class F, Walks W = PHASED, class Looks>
RW_FUNCTION void extend_path(const Render& render, LaneMask callers, HeldPath& path, RayCounts& counts, Looks looks) {
    Hit hit{};
    if (path.lives) {
        hit = hit_of(raywarp::closest<W.closest>(render.tree, query_of(path.ray), callers));
        counts.walked += 1;
    }
    pass_holes<F>(render, path.lives, path.ray, path.state, hit);
    const u32 touching = touch<F>(render, path.lives, path.ray, hit);
    Option<Connection> connection{};
    const PathState before = path.state;
    if (path.lives) {
        SurfacePoint point = hit.is_hit() ? surface_point(render.scene, hit.triangle, hit.barycentrics) : SurfacePoint::none();
        point.touching = touching;
        const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, path.ray, hit, point);
        path.radiance += arrival.radiance;
        if (arrival.first_hit.some) {
            looks(arrival.first_hit.value);
        }
        path.state.throughput = arrival.throughput;
        path.lives = arrival.scatters;
        if (path.lives) {
            shade_longer(render, path.state, hit.t);
            const Departure departure = leave<F>(render.scene, render.transport, path.state, path.ray, hit.t, point);
            if (departure.first_hit.some) {
                looks(departure.first_hit.value);
            }
            connection = departure.connection;
            path.lives = departure.next.some;
            path.ray = departure.next.value.ray;
            path.state = departure.next.value.path;
        }
    }
    const LaneMask connecting = platform::ballot_sync(EVERYONE, connection.some);
    AnyHit found{};
    if (connection.some) {
        found = raywarp::any<W.any>(render.tree, query_of(connection.value.ray), connecting);
        counts.connected += 1;
    }
    const Option<Vec3> arrived =
        arriving<F>(render, connection.some, found.blocked, before, connection.value, hit_of(found.candidate));
    if (arrived.some) {
        path.radiance += arrived.value;
    }
}

}  // namespace raywarp::render
