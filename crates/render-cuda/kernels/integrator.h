// The integrators beside path tracing: what a camera ray's first hit shows. As raywarp-render's integrator.rs.
#pragma once

#include "feature_set.h"
#include "geom/offset.h"
#include "geom/ray.h"
#include "sample/warp/direction.h"
#include "surface/shading_frame.h"
#include "vertex/path.h"

namespace raywarp::render {

// Salt of the alpha decisions of occlusion rays.
constexpr u32 OCCLUSION_SALT = 0x40000000u;

// The ray of a sample that asks whether a direction of the hemisphere is free, and what the sample says of where it starts.
struct OcclusionRay {
    Ray ray;
    FirstHit first_hit;
};

// About the normal on the viewer's side of `hit`, to which `path` came along `ray`.
RW_FUNCTION OcclusionRay occlusion_ray(const Scene& scene, const Sampler& sampler, float distance, const PathState& path,
                                       const Ray& ray, const Hit& hit) {
    const SurfacePoint point = surface_point(scene, hit.triangle, hit.barycentrics);
    const Vec3 toward = -ray.direction;
    const float side = dot(point.geometric_normal, toward) < 0.0f ? -1.0f : 1.0f;
    const Frame frame = Frame::around(point.geometric_normal * side);
    Stream stream = sampler.resume(path.pixel, path.sample, CAMERA_DIMENSIONS, path.sampler_state);
    const Vec3 direction = frame.to_world(cosine_hemisphere(stream.next_2d()));
    const Vec3 origin = offset_from_triangle(point.position, frame.normal, point.extent);
    return {Ray::make(origin, direction).with_interval(0.0f, distance), {Vec3::splat(1.0f), frame.normal, hit.t}};
}

// The shading normal of the surface at `point`, seen from the unit direction `wo`: that of the frame of `shading`, without
// the BSDF in it.
template <class F>
RW_FUNCTION Vec3 shown_normal(const Scene& scene, const SurfacePoint& point, Vec3 wo) {
    // All samples take the same part of a mixture.
    constexpr float PART = 0.5f;
    const MaterialRecord outer = load(scene.materials, point.material);
    const TexturePoint at = texture_point(scene, point.attributes, point.barycentrics);
    Decided part = {outer, PART};
    if constexpr (F::CHOICES) {
        part = decided(scene, outer, at, PART);
    }
    // Tangents turn a frame about its normal.
    return shading_frame<F::BENT_NORMALS, false>(scene, outer, part.material, point, at, wo).normal;
}

}  // namespace raywarp::render
