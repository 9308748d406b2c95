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

// What a vertex does beside shading: nothing. Experiments measure other things.
struct NothingBeside {
    RW_FUNCTION void operator()(const PathState&, float) const {}
};

// Takes a path to its next vertex, connects it to a light there, and sends it on; it lives no longer where it ends.
// `looks` is called with its first vertex, and `beside` with the path and the ray's length where one is shaded. All lanes of
// the warp call together; `callers` are those whose path lives.
template <class F, Walks W = PHASED, class Looks, class Beside = NothingBeside>
RW_FUNCTION void extend_path(const Render& render, LaneMask callers, HeldPath& path, RayCounts& counts, Looks looks,
                             Beside beside = {}) {
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
            beside(path.state, hit.t);
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
