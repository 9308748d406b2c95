// Rays and hits as they lie in memory. As raywarp-geom's ray.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

struct alignas(16) Ray {
    Vec3 origin;
    float t_min;
    Vec3 direction;
    float t_max;

    static RW_FUNCTION Ray of(Vec3 origin, Vec3 direction) { return {origin, 0.0f, direction, INFINITE}; }
    RW_FUNCTION Ray with_interval(float least, float largest) const { return {origin, least, direction, largest}; }
};
static_assert(sizeof(Ray) == 32);

struct alignas(16) Hit {
    float t, u, v;
    u32 primitive;

    RW_FUNCTION bool is_hit() const { return primitive != NONE; }
};
static_assert(sizeof(Hit) == 16);

}  // namespace raywarp::render
