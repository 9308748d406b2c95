// Light that a path finds by scattering. As raywarp-render's vertex/emission.rs.
#pragma once

#include "../feature_set.h"
#include "../geom/ray.h"
#include "../light/light.h"
#include "../surface/emitted.h"
#include "../surface/point.h"
#include "path.h"

namespace raywarp::render::emission {

// How much emission found by scattering counts, beside the connection to the same light, whose density is `light_pdf`.
RW_FUNCTION float weight(const Transport& transport, const PathState& path, float light_pdf) {
    if ((path.flags & SPECULAR) != 0 || transport.direct == DirectLight::Scattering) {
        return 1.0f;
    }
    return transport.direct == DirectLight::Lights ? 0.0f : power_heuristic(path.previous_pdf, light_pdf);
}

// What a path brings that leaves the scene along `direction`.
template <class F>
RW_FUNCTION Vec3 from_environments(const Scene& scene, const Transport& transport, const PathState& path,
                                   Vec3 direction) {
    Vec3 sum = {0.0f, 0.0f, 0.0f};
    if (!F::ENVIRONMENTS || (transport.transparent && path.bounce == 0)) {
        return sum;
    }
    for (u32 i = 0; i < scene.environments.count; i++) {
        const light::FromEnvironment from = light::from_environment(scene, i, direction);
        sum += path.throughput * from.radiance * weight(transport, path, from.pdf);
    }
    return sum;
}

// What the surface that a path has come to along `ray` sends along it: `t` away, seen under `cos` to the front normal.
template <class F>
RW_FUNCTION Vec3 from_surface(const Scene& scene, const Transport& transport, const PathState& path, const Ray& ray,
                              const MaterialRecord& material, const SurfacePoint& point, float cos, float t) {
    const Vec3 emitted = render::emitted(scene, material, point.attributes, point.barycentrics, cos);
    if (emitted == Vec3{0.0f, 0.0f, 0.0f}) {
        return emitted;
    }
    if ((path.flags & SPECULAR) != 0) {
        // What connections find does not matter, and the density of a near light is no cheap number.
        return path.throughput * emitted;
    }
    const u32 light = load(scene.triangles, point.triangle).light;
    const float light_pdf = light::pdf<F::LIGHTS>(scene, light, ray.origin, cos, t * t);
    return path.throughput * emitted * weight(transport, path, light_pdf);
}

}  // namespace raywarp::render::emission
