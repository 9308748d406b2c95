// Pictures of the integrators beside path tracing: a lane takes a camera ray to its first hit, and asks from there what its
// integrator wants to know. Media do not count: such a ray shows what it hits first, whatever fills the space before. There
// are no models of materials here, and so no albedo: layers beside normals and distances are not rendered.
#pragma once

#include "../integrator.h"
#include "../stage/connect.h"
#include "../stage/generate.h"
#include "count.h"

namespace raywarp::render {

// What a sample shows, and the first hit that it tells of.
struct Seen {
    Vec3 value;
    FirstHit first;
};

// Free share of the hemisphere, one ray a sample. All lanes of the warp call together, those whose camera ray hits nothing
// with `asks` unset.
template <class F>
RW_FUNCTION Seen ambient_occlusion(const Render& render, bool asks, const Generated& path, const Hit& hit) {
    FirstHit first{{}, {}, INFINITE};
    Connection connection{};
    if (asks) {
        const Sampler& sampler = render.transport.sampler;
        const OcclusionRay from =
            occlusion_ray(render.scene, sampler, render.shown.distance, path.state, path.ray, hit);
        first = from.first_hit;
        connection.ray = from.ray;
        connection.contribution = Vec3::splat(1.0f);
    }
    const Hit unknown{0.0f, {}, NONE};
    const Option<Vec3> arrived =
        arriving<F, false>(render, asks, false, path.state, connection, unknown, OCCLUSION_SALT);
    const Vec3 missed = Vec3::splat(render.transport.transparent ? 0.0f : 1.0f);
    return {asks ? arrived.value_or(Vec3{}) : missed, first};
}

// The shading normal as a colour, or the distance. Of the first hit only that is told which a film without layers asks for:
// how far it is.
template <class F>
RW_FUNCTION Seen show(const Render& render, bool is_depth, const Generated& path, const Hit& hit) {
    const FirstHit first{{}, {}, hit.t};
    if (is_depth) {
        return {Vec3::splat(hit.t), first};
    }
    const SurfacePoint point = surface_point(render.scene, hit.triangle, hit.barycentrics);
    const Vec3 normal = shown_normal<F>(render.scene, point, -path.ray.direction);
    return {0.5f * normal + Vec3::splat(0.5f), first};
}

template <class F>
RW_FUNCTION void first_hits(const Render& render) {
    const u32 number = platform::warp() * WARP + platform::lane();
    const bool lives = number < render.batch.path_count;
    Generated path{};
    if (lives) {
        path = generate(render, number);
    }
    Hit hit{0.0f, {}, NONE};
    pass_holes<F, false>(render, lives, path.ray, path.state, hit);
    const bool is_hit = lives && hit.is_hit();
    const Integrator integrator = render.shown.integrator;
    const bool asks = is_hit && integrator == Integrator::AmbientOcclusion;
    Seen seen{{}, {{}, {}, INFINITE}};
    if (integrator == Integrator::AmbientOcclusion) {
        seen = ambient_occlusion<F>(render, asks, path, hit);
    } else if (is_hit) {
        seen = show<F>(render, integrator == Integrator::Depth, path, hit);
    }
    const u32 iterations = platform::any_sync(EVERYONE, lives) ? 1 : 0;
    count_rays(render, {lives ? 1u : 0u, asks ? 1u : 0u}, iterations);
    if (lives) {
        // A weighted distance may lie outside of those that were found.
        const float weight = integrator == Integrator::Depth ? 1.0f : path.filter_weight;
        put_result(render, number, seen.value, weight, seen.first);
    }
}

}  // namespace raywarp::render
