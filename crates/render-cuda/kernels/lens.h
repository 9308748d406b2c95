// Camera rays: from a place on the picture and a point on the lens to a ray. As raywarp-render's lens.rs.
#pragma once

#include "sample/warp/planar.h"

namespace raywarp::render {

// Of unit direction.
struct CameraRay {
    Vec3 origin, direction;
};

// A camera for a picture of a given size: the same words as `LensRecord` of raywarp-render.
struct alignas(16) Lens {
    Vec3 eye, right, up, forward;
    // Half the picture's width and height: at distance 1 (perspective) or in scene units.
    Vec2 half;
    Vec2 size;
    u32 perspective;
    float radius, focal_distance;
    u32 unused;

    // Through pixel coordinates (x, y) and the lens point of u.
    RW_FUNCTION CameraRay ray(float x, float y, Vec2 u) const {
        const float sx = (2.0f * x / size.x - 1.0f) * half.x;
        const float sy = (1.0f - 2.0f * y / size.y) * half.y;
        const Vec3 across = sx * right + sy * up;
        const bool is_perspective = perspective != 0;
        Vec3 origin = is_perspective ? eye : eye + across;
        Vec3 direction = is_perspective ? forward + across : forward;
        if (radius > 0.0f) {
            const Vec3 focus = origin + focal_distance * direction;
            const Vec2 at = warp::concentric_disk(u);
            origin += radius * (at.x * right + at.y * up);
            direction = focus - origin;
        }
        return {origin, try_normalize(direction).value_or(forward)};
    }
};
static_assert(sizeof(Lens) == 80);

}  // namespace raywarp::render
