// A path comes to what its ray found. As raywarp-render's vertex/arrive.rs.
#pragma once

#include "../texture/inputs.h"
#include "emission.h"

namespace raywarp::render {

// What is there for a path.
struct Arrival {
    // What it brings.
    Vec3 radiance;
    // What is left of its throughput.
    Vec3 throughput;
    // The first vertex, where a path ends at it.
    Option<FirstHit> first_hit;
    // Whether it is at a surface that scatters.
    bool scatters;
};

// Takes `path` along `ray` to `hit`, where `point` is, if anything was hit.
template <class F>
RW_FUNCTION Arrival arrive(const Scene& scene, const Transport& transport, PathState path, const Ray& ray, const Hit& hit,
                           const SurfacePoint& point) {
    const Transport carried = narrowed<F>(transport);
    if constexpr (F::MEDIA) {
        path.throughput *= path.media.transmittance(scene, hit.is_hit() ? hit.t : INFINITE, 1.0f);
    }
    if (!hit.is_hit()) {
        const Vec3 radiance = emission::from_environments<F>(scene, carried, path, ray.direction);
        return {radiance, path.throughput, none(), false};
    }
    const MaterialRecord material = load(scene.materials, point.material);
    const float cos = -dot(point.geometric_normal, ray.direction);
    Vec3 radiance = emission::from_surface<F>(scene, carried, path, ray, material, point, cos, hit.t);
    if (!F::UNLIT || material.kind() != MaterialKind::Unlit) {
        return {radiance, path.throughput, none(), true};
    }
    const TexturePoint at = texture_point(scene, point.attributes, point.barycentrics);
    const Vec3 color = render::color(scene, load(scene.inputs, material.first_input), at);
    if ((path.flags & ALL_SPECULAR) != 0) {
        radiance += path.throughput * color;
    }
    const FirstHit first_hit = {color, point.shading_normal, hit.t};
    return {radiance, path.throughput, path.bounce == 0 ? some(first_hit) : none(), false};
}

}  // namespace raywarp::render
