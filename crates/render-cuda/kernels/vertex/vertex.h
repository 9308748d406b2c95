// A vertex that a path is at. As raywarp-render's vertex/leave.rs.
#pragma once

#include "../surface/shading.h"
#include "path.h"

namespace raywarp::render {

struct Vertex {
    SurfacePoint point;
    Shading shading;
    // The direction that it is seen from, in the shading frame.
    Vec3 wo;

    // Whether light can go between `wo` and the world direction `wi`, `cos` its cosine to the shading normal.
    RW_FUNCTION bool passes(Vec3 wi, float cos) const { return dot(shading.geometric_normal, wi) * cos > 0.0f; }

    // The media of light that goes on from here, `cos` the cosine of its direction to the shading normal.
    template <class F>
    RW_FUNCTION InMedia media_beyond(const Scene& scene, const PathState& path, float cos) const {
        if (!F::MEDIA || scene.media.count == 0) {
            return path.media;
        }
        const Boundary at = {load(scene.materials, point.material), point.touching, wo.z < 0.0f};
        return InMedia::at_start(path.media.stack.beyond(at, cos < 0.0f));
    }
};

}  // namespace raywarp::render
