// Stage 2: the next vertex of a path; transparent candidates are decided here. As raywarp-render's stage/extend.rs and
// stage/touch.rs.
#pragma once

#include "../render.h"
#include "../feature_set.h"
#include "../surface/alpha.h"
#include "../vertex/touching.h"

namespace raywarp::render {

// The loop and the tests that find the CPU's hits, bit for bit, and lose none.
RW_FUNCTION constexpr Options walk(Supply supply, Query query, Interval interval = Interval::Given) {
    return {.supply = supply,
            .organisation = Organisation::Phased,
            .tree = TreeKind::H8,
            .query = query,
            .batch = EXACT,
            .occlusion = Occlusion::Far,
            .postpone = 1,
            .refill = 80,
            .triangle = TriangleTest::Pair,
            .interval = interval,
            // The tree reaches wherever paths begin, and a scene with triangles that pairs may not decide is not given to
            // these kernels (areas.rs). What is left are rays that lie in a triangle's plane to 2^-24, and miss it here.
            .has_fallback = false};
}
constexpr Options CLOSEST_HIT = walk(Supply::Caller, Query::Closest);
constexpr Options ANY_HIT = walk(Supply::Caller, Query::Any);

RW_FUNCTION raywarp::Ray query_of(const Ray& ray) {
    return {{ray.origin.x, ray.origin.y, ray.origin.z, ray.t_min},
            {ray.direction.x, ray.direction.y, ray.direction.z, ray.t_max}};
}
// The tree's primitives are the flat scene's triangles.
RW_FUNCTION Hit hit_of(const raywarp::Hit& hit) { return {hit.t, {hit.u, hit.v}, hit.primitive}; }
RW_FUNCTION Hit hit_of(float4 hit) { return {hit.x, {hit.y, hit.z}, bits_of(hit.w)}; }

RW_FUNCTION After after(const Render& render, const Hit& hit) {
    return {hit.t, load(render.scene.triangles, hit.triangle).instance, hit.triangle};
}

// Counts rays that lanes ask with; one lane of those that call together adds for all.
RW_FUNCTION void count_asked(const Render& render, LaneMask callers) {
    if (platform::lane() == platform::lowest_bit(callers)) {
        platform::add_to_counter(&render.counters->asked, platform::population(callers));
    }
}

// Of a hit that is a hole, the first behind it that is none: what light loses on the way is taken from the path. Where the
// hit is not `FOUND` yet the ray asks for it, at the same place of the code as those behind holes. All lanes of the warp
// call together, those without a path with `lives` unset.
template <class F, bool FOUND = true>
RW_FUNCTION void pass_holes(const Render& render, bool lives, const Ray& ray, PathState& path, Hit& hit) {
    if constexpr (F::ALPHA || !FOUND) {
        const Holes holes{render.seed, path.bounce};
        bool found = FOUND;
        for (;;) {
            bool is_hole = false;
            if constexpr (F::ALPHA) {
                is_hole = found && lives && hit.is_hit() && !holes.is_surface(render.scene, hit.triangle, hit.barycentrics, path.pixel, path.sample);
            }
            const bool asks = is_hole || (!found && lives);
            const LaneMask callers = platform::ballot_sync(EVERYONE, asks);
            if (callers == 0) {
                return;
            }
            if (asks) {
                After behind{};
                if (is_hole) {
                    count_asked(render, callers);
                    if constexpr (F::MEDIA) {
                        const InMedia::Passed passed = path.media.passed(render.scene, ray, hit);
                        path.throughput *= passed.left;
                        path.media = passed.media;
                    }
                    behind = after(render, hit);
                }
                hit = hit_of(raywarp::closest<CLOSEST_HIT>(render.tree, query_of(ray), callers, behind));
            }
            if constexpr (!F::ALPHA) {
                return;
            }
            found = true;
        }
    }
}

// The medium of a body that touches the one whose boundary a path has come to, or NONE. All lanes call together.
template <class F>
RW_FUNCTION u32 touch(const Render& render, bool lives, const Ray& ray, const Hit& hit) {
    if constexpr (F::MEDIA) {
        const Option<Ray> wanted = lives ? search(render.scene, ray, hit) : Option<Ray>{false, {}};
        const LaneMask callers = platform::ballot_sync(EVERYONE, wanted.some);
        if (wanted.some) {
            count_asked(render, callers);
            const raywarp::Hit found =
                raywarp::closest<CLOSEST_HIT>(render.tree, query_of(wanted.value), callers, after(render, hit));
            return touching(render.scene, ray, hit, hit_of(found));
        }
    }
    return NONE;
}

}  // namespace raywarp::render
