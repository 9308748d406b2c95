// A connection from a surface point to a light. As raywarp-render's light/mod.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

struct LightSample {
    // Unit direction to the light.
    Vec3 wi;
    // Where the shadow ray ends; nothing at infinity.
    Option<Vec3> target;
    // Incident radiance over the density.
    Vec3 weight;
    // Solid-angle density, choice of the light included; 0 for a light that no other ray can find.
    float pdf;
};

}  // namespace raywarp::render
