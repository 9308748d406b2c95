// From a hit to a point on a surface. As raywarp-render's surface/point.rs.
#pragma once

#include "../flat/octahedral.h"
#include "../flat/triangle.h"
#include "../geom/offset.h"
#include "../texture/point.h"

namespace raywarp::render {

struct alignas(16) SurfacePoint {
    Vec3 position;
    float extent;
    Vec3 geometric_normal, shading_normal;
    u32 material, triangle, attributes;
    Vec2 barycentrics;
    u32 touching;

    // Stands where a ray missed.
    static RW_FUNCTION SurfacePoint none() { return {{}, 0.0f, {}, {}, 0, 0, NONE, {}, NONE}; }

    // Where a ray starts that leaves on the side that `direction` points to.
    RW_FUNCTION Vec3 origin_towards(Vec3 direction) const {
        const Vec3 side = geometric_normal * signum(dot(geometric_normal, direction));
        return offset_from_triangle(position, side, extent);
    }
};
static_assert(sizeof(SurfacePoint) == 64);

// The point at the barycentrics `at` of a triangle, which `triangle_of` a hit names.
RW_FUNCTION SurfacePoint surface_point(const Scene& scene, u32 triangle, Vec2 at) {
    const TriangleRecord record = load(scene.triangles, triangle);
    const Vec3 c0 = record.corner(0), c1 = record.corner(1), c2 = record.corner(2);
    const float u = at.x, v = at.y;
    const Vec3 position = c0 + u * (c1 - c0) + v * (c2 - c0);
    const Vec3 geometric_normal = front_normal(record);
    Vec3 shading_normal = geometric_normal;
    if (record.is_smooth()) {
        const Vec3 a = decode_unit(record.normals[0]), b = decode_unit(record.normals[1]);
        const Vec3 c = decode_unit(record.normals[2]);
        shading_normal = try_normalize((1.0f - u - v) * a + u * b + v * c).value_or(geometric_normal);
    }
    float extent = most(0.0f, largest_element(magnitude(c0 - position)));
    extent = most(extent, largest_element(magnitude(c1 - position)));
    extent = most(extent, largest_element(magnitude(c2 - position)));
    const u32 material = record.material();
    return {position, extent, geometric_normal, shading_normal, material, triangle, record.attributes, at, NONE};
}

RW_FUNCTION float interpolated(float a, float b, float c, Vec2 at) {
    return (1.0f - at.x - at.y) * a + at.x * b + at.y * c;
}
RW_FUNCTION Vec2 interpolated(const float (&corners)[3][2], Vec2 at) {
    return {interpolated(corners[0][0], corners[1][0], corners[2][0], at),
            interpolated(corners[0][1], corners[1][1], corners[2][1], at)};
}
RW_FUNCTION Vec3 interpolated(Vec3 a, Vec3 b, Vec3 c, Vec2 at) {
    return {interpolated(a.x, b.x, c.x, at), interpolated(a.y, b.y, c.y, at), interpolated(a.z, b.z, c.z, at)};
}
RW_FUNCTION Vec4 interpolated(const float (&corners)[3][4], Vec2 at) {
    return {interpolated(corners[0][0], corners[1][0], corners[2][0], at),
            interpolated(corners[0][1], corners[1][1], corners[2][1], at),
            interpolated(corners[0][2], corners[1][2], corners[2][2], at),
            interpolated(corners[0][3], corners[1][3], corners[2][3], at)};
}

// Texture coordinates and vertex colour at the barycentrics `at` of a triangle.
RW_FUNCTION TexturePoint texture_point(const Scene& scene, u32 attributes, Vec2 at) {
    if (attributes == NONE) {
        return {{at, at}, Vec4::splat(1.0f)};
    }
    const AttributeRecord record = load(scene.attributes, attributes);
    const u32 colors = record.colors();
    const Vec4 color = colors == NONE ? Vec4::splat(1.0f) : interpolated(load(scene.colors, colors).corners, at);
    return {{interpolated(record.uv0, at), interpolated(record.uv1, at)}, color};
}

// How the position changes with the first texture coordinates.
struct PositionDerivatives {
    Vec3 dpdu, dpdv;
};

RW_FUNCTION Option<PositionDerivatives> position_derivatives(const Scene& scene, const SurfacePoint& point) {
    const TriangleRecord triangle = load(scene.triangles, point.triangle);
    const Vec3 a = triangle.corner(0);
    const Vec3 e1 = triangle.corner(1) - a, e2 = triangle.corner(2) - a;
    if (point.attributes == NONE) {
        return some(PositionDerivatives{e1, e2});
    }
    const AttributeRecord record = load(scene.attributes, point.attributes);
    const Vec2 ua = vec2(record.uv0[0]);
    const Vec2 d1 = vec2(record.uv0[1]) - ua, d2 = vec2(record.uv0[2]) - ua;
    const float det = cross(d1, d2);
    if (det == 0.0f || !is_finite(det)) {
        return none();
    }
    return some(PositionDerivatives{(e1 * d2.y - e2 * d1.y) / det, (e2 * d1.x - e1 * d2.x) / det});
}

// Unit tangent along increasing u, and the sign of the bitangent.
struct Tangent {
    Vec3 direction;
    float sign;
};

RW_FUNCTION Option<Tangent> tangent(const Scene& scene, const SurfacePoint& point) {
    if (point.attributes != NONE) {
        const AttributeRecord record = load(scene.attributes, point.attributes);
        if ((record.colors_and_flags & AttributeRecord::TANGENTS) != 0) {
            const Vec3 a = decode_unit(record.tangents[0]), b = decode_unit(record.tangents[1]);
            const Vec3 c = decode_unit(record.tangents[2]);
            const Option<Vec3> direction = try_normalize(interpolated(a, b, c, point.barycentrics));
            const float sign = (record.colors_and_flags & AttributeRecord::LEFT_HANDED) != 0 ? -1.0f : 1.0f;
            return direction ? some(Tangent{*direction, sign}) : none();
        }
    }
    const Option<PositionDerivatives> change = position_derivatives(scene, point);
    if (!change) {
        return none();
    }
    const Option<Vec3> direction = try_normalize(change->dpdu);
    // v grows downwards in images, and a tangent-space map's y grows upwards.
    const float sign = dot(cross(point.shading_normal, change->dpdu), change->dpdv) > 0.0f ? -1.0f : 1.0f;
    return direction ? some(Tangent{*direction, sign}) : none();
}

}  // namespace raywarp::render
