// Balls of triangles: by the cone that their sphere covers, from inside by all directions.
// As raywarp-render's light/sphere.rs.
#pragma once

#include "../flat/shapes.h"
#include "../sample/warp/direction.h"
#include "connect.h"

namespace raywarp::render::light::sphere {

// How much larger the sphere of directions is than that of the light's record.
constexpr float MARGIN = 1.001f;
// Places this near to a face, in radii and in ulps of the centre, are on it.
constexpr float NEAR_RADII = 2e-5f, NEAR_ULPS = 8.0f * 1.1920929e-7f;
// Faces that are tried on the way.
constexpr u32 STEPS = 64;

// A line past the centre: the nearest place to it, from there, a unit direction, and how far along it a search starts.
struct Line {
    Vec3 nearest, direction;
    float start;
};

// A face of the polyhedron: its first triangle, a corner from the centre, and the normal outwards, of any length.
struct Face {
    u32 triangle;
    Vec3 corner, normal;
};

// Where a line enters, from the centre, and the first triangle of the face there.
struct Entry {
    Vec3 place;
    u32 triangle;
};

// A light's polyhedron.
struct Ball {
    LightRecord light;
    Vec3 center;
    float radius;

    static RW_FUNCTION Ball of(const LightRecord& light) {
        return {light, vec3(light.at), length(vec3(light.u)) * MARGIN};
    }

    // The face in whose row and column a place lies, counted from the centre.
    RW_FUNCTION Face face(const Scene& scene, Vec3 place) const {
        const float x = dot(place, vec3(light.u)), y = dot(place, vec3(light.v)), z = dot(place, vec3(light.w));
        const float scale = length_squared(vec3(light.w));
        const float polar = elementary::acos(clamp(-z / scale, -1.0f, 1.0f));
        const float rows = polar * warp::ONE_OVER_PI * static_cast<float>(SPHERE_ROWS);
        const u32 row = smaller(platform::to_u32(rows), SPHERE_ROWS - 1);
        const u32 column = step_of_turn(y, x, SPHERE_COLUMNS);
        const u32 triangle = light.index + cell_triangle(row, column);
        const TriangleRecord record = load(scene.triangles, triangle);
        const Vec3 a = record.corner(0);
        const Vec3 corner = a - center, normal = cross(record.corner(1) - a, record.corner(2) - a);
        return {triangle, corner, dot(normal, corner) < 0.0f ? -normal : normal};
    }

    // The first face that a line enters, going on from its start, which is outside.
    RW_FUNCTION Option<Entry> entry(const Scene& scene, const Line& line) const {
        float at = line.start;
        u32 before = NONE;
        // One place that asks for a face, the first and the next ones: they are long.
#pragma unroll 1
        for (u32 step = 0;; step++) {
            const Vec3 place = line.nearest + at * line.direction;
            const Face now = face(scene, place);
            if (now.triangle == before || step == STEPS) {
                return some(Entry{place, now.triangle});
            }
            const float height = dot(now.normal, place - now.corner), speed = dot(now.normal, line.direction);
            if (height <= 0.0f) {
                return some(Entry{place, now.triangle});
            }
            if (speed >= 0.0f) {
                return none();
            }
            at -= height / speed;
            if (is_nan(at) || at > radius) {
                return none();
            }
            before = now.triangle;
        }
    }

    // How far inside a triangle a place of the scene is, by its least barycentric.
    static RW_FUNCTION float depth_in(const TriangleRecord& triangle, Vec3 position) {
        const Vec2 at = barycentrics(triangle, position);
        return least(at.x < at.y ? at.x : at.y, 1.0f - at.x - at.y);
    }

    // The entry as a place of the scene, which a ray from `point` ends at: of the face's two triangles, on that whose far corner is nearer.
    RW_FUNCTION Place place(const Scene& scene, const Entry& entry, Vec3 point) const {
        const Vec3 position = center + entry.place;
        const u32 first = entry.triangle, last = light.index + triangle_count(light.kind()) - 1;
        const u32 second = smaller(first + 1, last);
        const float in_first = depth_in(load(scene.triangles, first), position);
        const u32 triangle = in_first >= depth_in(load(scene.triangles, second), position) ? first : second;
        // Loaded again: a choice between records would put both of them into memory.
        const float extent = radius + largest_element(magnitude(position - point));
        return {position, front_normal(load(scene.triangles, triangle)), extent, triangle};
    }
};

// The cone that the sphere covers, as 1 - cos, from a squared distance to its centre; nothing from inside.
RW_FUNCTION Option<float> cone(const LightRecord& light, float distance_squared) {
    const float radius = length(vec3(light.u)) * MARGIN;
    const float sin_squared = radius * radius / distance_squared;
    if (!(sin_squared < 1.0f)) {
        return none();
    }
    return some(sin_squared / (1.0f + square_root(1.0f - sin_squared)));
}

// Density from a cone, the choice of the light included.
RW_FUNCTION float density(const LightRecord& light, Option<float> cone) {
    return light.value * (cone ? warp::uniform_cone_pdf(*cone) : warp::uniform_sphere_pdf());
}

// A uniform line of the cone around `to_center`.
RW_FUNCTION Line towards(const Ball& ball, Vec3 to_center, float one_minus_cos, Vec2 u) {
    const float distance = length(to_center);
    const Vec3 axis = to_center / distance;
    const warp::Onb across = warp::onb(axis);
    const Vec3 direction = warp::uniform_cone(u, one_minus_cos);
    const Vec3 side = direction.x * across.tangent + direction.y * across.bitangent;
    const float sin_squared = length_squared(side), cos = direction.z;
    // From the parts of the direction: the distance of a far point would cancel.
    return {distance * (cos * side - sin_squared * axis), side + cos * axis, -ball.radius};
}

// The line on which `direction` from `place`, inside the sphere and counted from its centre, meets the polyhedron.
RW_FUNCTION Option<Line> from_inside(const Scene& scene, const Ball& ball, Vec3 place, Vec3 direction) {
    const float along = dot(place, direction);
    const Vec3 nearest = place - along * direction;
    const Face face = ball.face(scene, place);
    const float height = dot(face.normal, place - face.corner) / length_in_any_range(face.normal);
    const float near = NEAR_RADII * ball.radius + NEAR_ULPS * largest_element(magnitude(ball.center));
    if (height > near) {
        return some(Line{nearest, direction, along});
    }
    // From a face outwards nothing of a convex body is met.
    if (height >= -near && dot(face.normal, direction) >= 0.0f) {
        return none();
    }
    // Where a line leaves is where the way back enters.
    return some(Line{nearest, -direction, -ball.radius});
}

// A connection to a point on the ball.
RW_FUNCTION Option<LightSample> sample(const Scene& scene, const LightRecord& light, Vec3 point, Vec2 u) {
    const Ball ball = Ball::of(light);
    const Vec3 to_center = ball.center - point;
    const Option<float> one_minus_cos = cone(light, length_squared(to_center));
    Vec3 wi = {};
    Option<Line> line;
    if (one_minus_cos) {
        line = some(towards(ball, to_center, *one_minus_cos, u));
    } else {
        wi = warp::uniform_sphere(u);
        line = from_inside(scene, ball, -to_center, wi);
    }
    const Option<Entry> found = line ? ball.entry(scene, *line) : none();
    if (!found) {
        return none();
    }
    const Place place = ball.place(scene, *found, point);
    if (one_minus_cos) {
        const Option<Vec3> direction = try_normalize(place.position - point);
        if (!direction) {
            return none();
        }
        wi = *direction;
    }
    return connect(scene, place, wi, density(light, one_minus_cos));
}

// Solid-angle density of a point on the ball, seen from `point`.
RW_FUNCTION float pdf(const LightRecord& light, Vec3 point) {
    return density(light, cone(light, length_squared(vec3(light.at) - point)));
}

}  // namespace raywarp::render::light::sphere
