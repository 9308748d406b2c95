// Bodies that touch. As raywarp-render's vertex/touching.rs.
#pragma once

#include "../geom/ray.h"
#include "../surface/point.h"

namespace raywarp::render {

// What finds a boundary that the next ray of a path at `hit` would start behind: the closest hit after `hit` of this ray.
// Nothing where no body begins or ends.
RW_FUNCTION Option<Ray> search(const Scene& scene, const Ray& ray, const Hit& hit) {
    constexpr float LEAST_COS = 0.01f;
    if (!hit.is_hit()) {
        return none();
    }
    const u32 material = load(scene.triangles, hit.triangle).material();
    if (load(scene.materials, material).body() == NONE) {
        return none();
    }
    const SurfacePoint point = surface_point(scene, hit.triangle, hit.barycentrics);
    const Vec3 moved = point.origin_towards(ray.direction) - point.position;
    const float cos = most(magnitude(dot(point.geometric_normal, ray.direction)), LEAST_COS);
    const float way = 2.0f * magnitude(dot(moved, point.geometric_normal)) / cos;
    return some(ray.with_interval(hit.t, hit.t + way));
}

// The medium of the body whose boundary is at `found`, to which such a search came from `from`, or NONE if light does not
// leave one body there and come into the other.
RW_FUNCTION u32 touching(const Scene& scene, const Ray& ray, const Hit& from, const Hit& found) {
    if (!found.is_hit()) {
        return NONE;
    }
    const TriangleRecord first = load(scene.triangles, from.triangle), second = load(scene.triangles, found.triangle);
    const bool is_opposite = is_met_from_behind(first, ray.direction) != is_met_from_behind(second, ray.direction);
    return is_opposite ? load(scene.materials, second.material()).body() : NONE;
}

}  // namespace raywarp::render
