// Stage 4: what arrives of a connection. As raywarp-render's stage/connect.rs.
#pragma once

#include "extend.h"
#include "../vertex/aim.h"

namespace raywarp::render {

// Salt of the alpha decisions of shadow rays.
constexpr u32 SHADOW_SALT = 0x80000000u;

// What a connection brings to its path, nothing where something is in the way. `candidate` is the nearest surface on its way
// that may be a hole, or a miss; where neither it nor what blocks is `FOUND` yet the connection asks for them, at the same
// place of the code as behind holes. `salt` is that of the alpha decisions. All lanes of the warp call together.
template <class F, bool FOUND = true>
RW_FUNCTION Option<Vec3> arriving(const Render& render, bool lives, bool blocked, const PathState& path,
                                  Connection connection, Hit candidate, u32 salt = SHADOW_SALT) {
    bool open = lives && !blocked;
    if constexpr (F::ALPHA || !FOUND) {
        const Holes holes{render.seed, path.bounce | salt};
        bool found = FOUND;
        for (;;) {
            bool is_hole = false;
            if constexpr (F::ALPHA) {
                const bool waits = found && open && candidate.is_hit();
                const bool is_surface = waits && holes.is_surface(render.scene, candidate.triangle, candidate.barycentrics, path.pixel, path.sample);
                open = open && !is_surface;
                is_hole = waits && !is_surface;
            }
            const bool asks = is_hole || (!found && open);
            const LaneMask callers = platform::ballot_sync(EVERYONE, asks);
            if (callers == 0) {
                break;
            }
            if (asks) {
                After behind{};
                if (is_hole) {
                    count_asked(render, callers);
                    if constexpr (F::MEDIA) {
                        const InMedia::Passed passed = connection.media.passed(render.scene, connection.ray, candidate);
                        connection.contribution *= passed.left;
                        connection.media = passed.media;
                    }
                    behind = after(render, candidate);
                }
                const AnyHit answer =
                    raywarp::any<ANY_HIT>(render.tree, query_of(connection.ray), callers, behind);
                open = !answer.blocked;
                candidate = hit_of(answer.candidate);
            }
            if constexpr (!F::ALPHA) {
                break;
            }
            found = true;
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
