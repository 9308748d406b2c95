// Rays as they lie in memory, and what they hit. As raywarp-geom's ray.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

struct alignas(16) Ray {
    Vec3 origin;
    float t_min;
    Vec3 direction;
    float t_max;

    static RW_FUNCTION Ray make(Vec3 origin, Vec3 direction) { return {origin, 0.0f, direction, INFINITE}; }
    RW_FUNCTION Ray with_interval(float least, float largest) const { return {origin, least, direction, largest}; }
};
static_assert(sizeof(Ray) == 32);

// A hit in lengths of the ray's direction, with the flat scene's triangle where raywarp-geom has instance and primitive.
struct alignas(16) Hit {
    float t;
    Vec2 barycentrics;
    // NONE for a miss.
    u32 triangle;

    RW_FUNCTION bool is_hit() const { return triangle != NONE; }
};
static_assert(sizeof(Hit) == 16);

}  // namespace raywarp::render
