// One kernel a path (W11 3.3): a lane takes its path from the camera to its end.
#pragma once

#include "../stage/connect.h"
#include "../stage/generate.h"
#include "../vertex/arrive.h"
#include "count.h"

namespace raywarp::render {

template <class F>
RW_FUNCTION void megakernel(const Render& render) {
    const u32 number = platform::warp() * WARP + platform::lane();
    bool lives = number < render.batch.path_count;
    Generated path{};
    if (lives) {
        path = generate(render, number);
    }
    Vec3 radiance{};
    FirstHit first{{}, {}, INFINITE};
    u32 walked = 0, connected = 0;
    for (;;) {
        const LaneMask callers = platform::ballot_sync(EVERYONE, lives);
        if (callers == 0) {
            break;
        }
        Hit hit{};
        if (lives) {
            hit = hit_of(query::closest<CLOSEST_HIT>(render.tree, query_of(path.ray), callers));
            walked += 1;
        }
        pass_holes<F>(render, lives, path.ray, path.state, hit);
        const u32 touching = touch<F>(render, lives, path.ray, hit);
        Option<Connection> connection{};
        const PathState before = path.state;
        if (lives) {
            SurfacePoint point = hit.is_hit() ? surface_point(render.scene, hit.triangle, hit.barycentrics) : SurfacePoint::none();
            point.touching = touching;
            const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, path.ray, hit, point);
            radiance += arrival.radiance;
            if (arrival.first_hit.some) {
                first = arrival.first_hit.value;
            }
            path.state.throughput = arrival.throughput;
            lives = arrival.scatters;
            if (lives) {
                const Departure departure = leave<F>(render.scene, render.transport, path.state, path.ray, hit.t, point);
                if (departure.first_hit.some) {
                    first = departure.first_hit.value;
                }
                connection = departure.connection;
                lives = departure.next.some;
                path.ray = departure.next.value.ray;
                path.state = departure.next.value.path;
            }
        }
        const LaneMask connecting = platform::ballot_sync(EVERYONE, connection.some);
        query::Occlusion found{};
        if (connection.some) {
            found = query::any<ANY_HIT>(render.tree, query_of(connection.value.ray), connecting);
            connected += 1;
        }
        const Option<Vec3> arrived = arriving<F>(render, connection.some, found.blocked, before, connection.value,
                                                 hit_of(found.candidate));
        if (arrived.some) {
            radiance += arrived.value;
        }
    }
    count_rays(render, walked, connected);
    if (number < render.batch.path_count) {
        put_result(render, number, radiance, path.filter_weight, first);
    }
}

}  // namespace raywarp::render
