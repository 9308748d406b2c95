// A connection to a light. As raywarp-render's vertex/aim.rs.
#pragma once

#include "../geom/ray.h"
#include "../light/light.h"
#include "vertex.h"

namespace raywarp::render {

// A shadow ray, and what it brings if nothing blocks it and no medium absorbs.
struct Connection {
    Ray ray;
    Vec3 contribution;
    // What the ray starts in.
    InMedia media;
};

// Connects a vertex to a light; the path's random numbers go on behind.
template <class F>
RW_FUNCTION Option<Connection> aim(const Scene& scene, const Transport& transport, PathState& path, const Vertex& vertex,
                                   const Prepared& prepared) {
    const Bsdf& bsdf = vertex.shading.bsdf;
    if (transport.direct == DirectLight::Scattering || bsdf.is_specular<F::MODELS>()) {
        return none();
    }
    Stream stream = path.stream(transport, dimension::LIGHT, path.sampler_state);
    const float u_choice = stream.next_1d();
    const Vec2 u = stream.next_2d();
    path.sampler_state = stream.state;
    const Option<LightSample> light = light::sample<F::LIGHTS>(scene, vertex.point.position, u_choice, u);
    if (!light) {
        return none();
    }
    const Vec3 wi = vertex.shading.frame.to_local(light->wi);
    const BsdfValue scattered = bsdf.eval_prepared<F::MODELS>(scene, prepared, vertex.wo, wi);
    if (scattered.value == Vec3::splat(0.0f) || !vertex.passes(light->wi, wi.z)) {
        return none();
    }
    // From the last vertex no ray goes on that could find the light, too.
    const bool is_found_twice = transport.direct == DirectLight::Both && !transport.is_last(path.bounce);
    const bool is_weighted = is_found_twice && light->pdf > 0.0f;
    const float weight = is_weighted ? power_heuristic(light->pdf, scattered.pdf) : 1.0f;
    const Vec3 contribution = path.throughput * scattered.value * light->weight * weight;
    if (!is_finite(contribution) || contribution == Vec3::splat(0.0f)) {
        return none();
    }
    const Vec3 origin = vertex.point.origin_towards(light->wi);
    Ray ray = Ray::make(origin, light->wi);
    if (light->target) {
        // The target is already off the light's surface: stop there.
        ray = Ray::make(origin, *light->target - origin).with_interval(0.0f, 1.0f);
    }
    return some(Connection{ray, contribution, vertex.media_beyond<F>(scene, path, wi.z)});
}

}  // namespace raywarp::render
