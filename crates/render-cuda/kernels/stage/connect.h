// Stage 4: what arrives of a connection. As raywarp-render's stage/connect.rs.
#pragma once

#include "extend.h"
#include "../vertex/aim.h"

namespace raywarp::render {

// Salt of the alpha decisions of shadow rays.
constexpr u32 SHADOW_SALT = 0x80000000u;

// What a connection brings to its path, nothing where something is in the way. `candidate` is the nearest surface on its way
// that may be a hole, or a miss. All lanes of the warp call together.
template <class F>
RW_FUNCTION Option<Vec3> arriving(const Render& render, bool lives, bool blocked, const PathState& path,
                                  Connection connection, Hit candidate) {
    bool open = lives && !blocked;
    if constexpr (F::ALPHA) {
        const Holes holes{render.seed, path.bounce | SHADOW_SALT};
        for (;;) {
            const bool waits = open && candidate.is_hit();
            const bool is_surface = waits && holes.is_surface(render.scene, candidate.triangle, candidate.barycentrics, path.pixel, path.sample);
            open = open && !is_surface;
            const bool asks = waits && !is_surface;
            const LaneMask callers = platform::ballot_sync(EVERYONE, asks);
            if (callers == 0) {
                break;
            }
            if (asks) {
                count_asked(render, callers);
                if constexpr (F::MEDIA) {
                    const InMedia::Passed passed = connection.media.passed(render.scene, connection.ray, candidate);
                    connection.contribution *= passed.left;
                    connection.media = passed.media;
                }
                const query::Occlusion found =
                    query::any<ANY_HIT>(render.tree, query_of(connection.ray), callers, after(render, candidate));
                open = !found.blocked;
                candidate = hit_of(found.candidate);
            }
        }
    }
    if (!open) {
        return none();
    }
    if constexpr (F::MEDIA) {
        const float way = length(connection.ray.direction);
        return some(connection.contribution * connection.media.transmittance(render.scene, connection.ray.t_max, way));
    }
    return some(connection.contribution);
}

}  // namespace raywarp::render
