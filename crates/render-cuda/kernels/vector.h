// Vectors as the crate glam has them: the same operations in the same order, so that bits are the renderer's.
#pragma once

#include "option.h"
#include "scalar.h"

namespace raywarp::render {

struct Vec2 {
    float x, y;

    static RW_FUNCTION Vec2 splat(float v) { return {v, v}; }
    RW_FUNCTION float operator[](u32 i) const { return i == 0 ? x : y; }
};
RW_FUNCTION Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
RW_FUNCTION Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
RW_FUNCTION Vec2 operator*(Vec2 a, Vec2 b) { return {a.x * b.x, a.y * b.y}; }
RW_FUNCTION Vec2 operator/(Vec2 a, Vec2 b) { return {a.x / b.x, a.y / b.y}; }
RW_FUNCTION Vec2 operator*(Vec2 a, float b) { return {a.x * b, a.y * b}; }
RW_FUNCTION Vec2 operator*(float a, Vec2 b) { return {a * b.x, a * b.y}; }
RW_FUNCTION Vec2 operator/(Vec2 a, float b) { return {a.x / b, a.y / b}; }
RW_FUNCTION Vec2 operator/(float a, Vec2 b) { return {a / b.x, a / b.y}; }
RW_FUNCTION Vec2 operator+(Vec2 a, float b) { return {a.x + b, a.y + b}; }
RW_FUNCTION Vec2 operator+(float a, Vec2 b) { return {a + b.x, a + b.y}; }
RW_FUNCTION Vec2 operator-(Vec2 a, float b) { return {a.x - b, a.y - b}; }
RW_FUNCTION Vec2 operator-(float a, Vec2 b) { return {a - b.x, a - b.y}; }
RW_FUNCTION Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
RW_FUNCTION Vec2& operator+=(Vec2& a, Vec2 b) { return a = a + b; }
RW_FUNCTION Vec2& operator-=(Vec2& a, Vec2 b) { return a = a - b; }
RW_FUNCTION Vec2& operator*=(Vec2& a, Vec2 b) { return a = a * b; }
RW_FUNCTION Vec2& operator/=(Vec2& a, Vec2 b) { return a = a / b; }
RW_FUNCTION Vec2& operator*=(Vec2& a, float b) { return a = a * b; }
RW_FUNCTION Vec2& operator/=(Vec2& a, float b) { return a = a / b; }
RW_FUNCTION bool operator==(Vec2 a, Vec2 b) { return a.x == b.x && a.y == b.y; }
// Of equal elements, and beside NaN, the second.
RW_FUNCTION Vec2 least(Vec2 a, Vec2 b) { return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y}; }
RW_FUNCTION Vec2 most(Vec2 a, Vec2 b) { return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y}; }
RW_FUNCTION Vec2 clamp(Vec2 v, Vec2 low, Vec2 high) { return least(most(v, low), high); }
RW_FUNCTION Vec2 clamp(Vec2 v, float low, float high) { return clamp(v, Vec2::splat(low), Vec2::splat(high)); }
RW_FUNCTION Vec2 magnitude(Vec2 v) { return {magnitude(v.x), magnitude(v.y)}; }
RW_FUNCTION Vec2 reciprocal(Vec2 v) { return {1.0f / v.x, 1.0f / v.y}; }
RW_FUNCTION Vec2 square_root(Vec2 v) { return {square_root(v.x), square_root(v.y)}; }
RW_FUNCTION bool is_finite(Vec2 v) { return is_finite(v.x) && is_finite(v.y); }
RW_FUNCTION Vec2 lerp(Vec2 a, Vec2 b, float s) { return a * (1.0f - s) + b * s; }
RW_FUNCTION float dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
RW_FUNCTION float sum(Vec2 v) { return v.x + v.y; }
RW_FUNCTION float length_squared(Vec2 v) { return dot(v, v); }
RW_FUNCTION float length(Vec2 v) { return square_root(dot(v, v)); }
RW_FUNCTION Vec2 normalized(Vec2 v) { return v * (1.0f / length(v)); }
// Nothing where the length is zero, or out of the range of floats.
RW_FUNCTION Option<Vec2> try_normalize(Vec2 v) {
    const float inverse = 1.0f / length(v);
    return is_finite(inverse) && inverse > 0.0f ? some(v * inverse) : none();
}
RW_FUNCTION float largest_element(Vec2 v) { return v.x > v.y ? v.x : v.y; }
RW_FUNCTION float smallest_element(Vec2 v) { return v.x < v.y ? v.x : v.y; }
RW_FUNCTION bool is_nan(Vec2 v) { return is_nan(v.x) || is_nan(v.y); }
RW_FUNCTION float cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }

struct Vec3 {
    float x, y, z;

    static RW_FUNCTION Vec3 splat(float v) { return {v, v, v}; }
    RW_FUNCTION float operator[](u32 i) const { return i == 0 ? x : i == 1 ? y : z; }
};
RW_FUNCTION Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
RW_FUNCTION Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
RW_FUNCTION Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
RW_FUNCTION Vec3 operator/(Vec3 a, Vec3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
RW_FUNCTION Vec3 operator*(Vec3 a, float b) { return {a.x * b, a.y * b, a.z * b}; }
RW_FUNCTION Vec3 operator*(float a, Vec3 b) { return {a * b.x, a * b.y, a * b.z}; }
RW_FUNCTION Vec3 operator/(Vec3 a, float b) { return {a.x / b, a.y / b, a.z / b}; }
RW_FUNCTION Vec3 operator/(float a, Vec3 b) { return {a / b.x, a / b.y, a / b.z}; }
RW_FUNCTION Vec3 operator+(Vec3 a, float b) { return {a.x + b, a.y + b, a.z + b}; }
RW_FUNCTION Vec3 operator+(float a, Vec3 b) { return {a + b.x, a + b.y, a + b.z}; }
RW_FUNCTION Vec3 operator-(Vec3 a, float b) { return {a.x - b, a.y - b, a.z - b}; }
RW_FUNCTION Vec3 operator-(float a, Vec3 b) { return {a - b.x, a - b.y, a - b.z}; }
RW_FUNCTION Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
RW_FUNCTION Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
RW_FUNCTION Vec3& operator-=(Vec3& a, Vec3 b) { return a = a - b; }
RW_FUNCTION Vec3& operator*=(Vec3& a, Vec3 b) { return a = a * b; }
RW_FUNCTION Vec3& operator/=(Vec3& a, Vec3 b) { return a = a / b; }
RW_FUNCTION Vec3& operator*=(Vec3& a, float b) { return a = a * b; }
RW_FUNCTION Vec3& operator/=(Vec3& a, float b) { return a = a / b; }
RW_FUNCTION bool operator==(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
// Of equal elements, and beside NaN, the second.
RW_FUNCTION Vec3 least(Vec3 a, Vec3 b) { return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z}; }
RW_FUNCTION Vec3 most(Vec3 a, Vec3 b) { return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z}; }
RW_FUNCTION Vec3 clamp(Vec3 v, Vec3 low, Vec3 high) { return least(most(v, low), high); }
RW_FUNCTION Vec3 clamp(Vec3 v, float low, float high) { return clamp(v, Vec3::splat(low), Vec3::splat(high)); }
RW_FUNCTION Vec3 magnitude(Vec3 v) { return {magnitude(v.x), magnitude(v.y), magnitude(v.z)}; }
RW_FUNCTION Vec3 reciprocal(Vec3 v) { return {1.0f / v.x, 1.0f / v.y, 1.0f / v.z}; }
RW_FUNCTION Vec3 square_root(Vec3 v) { return {square_root(v.x), square_root(v.y), square_root(v.z)}; }
RW_FUNCTION bool is_finite(Vec3 v) { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z); }
RW_FUNCTION Vec3 lerp(Vec3 a, Vec3 b, float s) { return a * (1.0f - s) + b * s; }
RW_FUNCTION float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
RW_FUNCTION float sum(Vec3 v) { return v.x + v.y + v.z; }
RW_FUNCTION float length_squared(Vec3 v) { return dot(v, v); }
RW_FUNCTION float length(Vec3 v) { return square_root(dot(v, v)); }
RW_FUNCTION Vec3 normalized(Vec3 v) { return v * (1.0f / length(v)); }
// Nothing where the length is zero, or out of the range of floats.
RW_FUNCTION Option<Vec3> try_normalize(Vec3 v) {
    const float inverse = 1.0f / length(v);
    return is_finite(inverse) && inverse > 0.0f ? some(v * inverse) : none();
}
RW_FUNCTION Vec3 normalized_or(Vec3 v, Vec3 fallback) {
    const float inverse = 1.0f / length(v);
    return is_finite(inverse) && inverse > 0.0f ? v * inverse : fallback;
}
RW_FUNCTION Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y};
}
RW_FUNCTION float largest_element(Vec3 v) {
    const float yz = v.y > v.z ? v.y : v.z;
    return v.x > yz ? v.x : yz;
}
RW_FUNCTION float smallest_element(Vec3 v) {
    const float yz = v.y < v.z ? v.y : v.z;
    return v.x < yz ? v.x : yz;
}
RW_FUNCTION Vec3 with_z(Vec3 v, float z) { return {v.x, v.y, z}; }
RW_FUNCTION Vec3 vec3(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
RW_FUNCTION Vec2 vec2(const float (&v)[2]) { return {v[0], v[1]}; }

struct Vec4 {
    float x, y, z, w;

    static RW_FUNCTION Vec4 splat(float v) { return {v, v, v, v}; }
    RW_FUNCTION float operator[](u32 i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
};
RW_FUNCTION Vec4 operator+(Vec4 a, Vec4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
RW_FUNCTION Vec4 operator-(Vec4 a, Vec4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
RW_FUNCTION Vec4 operator*(Vec4 a, Vec4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
RW_FUNCTION Vec4 operator/(Vec4 a, Vec4 b) { return {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
RW_FUNCTION Vec4 operator*(Vec4 a, float b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }
RW_FUNCTION Vec4 operator*(float a, Vec4 b) { return {a * b.x, a * b.y, a * b.z, a * b.w}; }
RW_FUNCTION Vec4 operator/(Vec4 a, float b) { return {a.x / b, a.y / b, a.z / b, a.w / b}; }
RW_FUNCTION Vec4 operator/(float a, Vec4 b) { return {a / b.x, a / b.y, a / b.z, a / b.w}; }
RW_FUNCTION Vec4 operator+(Vec4 a, float b) { return {a.x + b, a.y + b, a.z + b, a.w + b}; }
RW_FUNCTION Vec4 operator+(float a, Vec4 b) { return {a + b.x, a + b.y, a + b.z, a + b.w}; }
RW_FUNCTION Vec4 operator-(Vec4 a, float b) { return {a.x - b, a.y - b, a.z - b, a.w - b}; }
RW_FUNCTION Vec4 operator-(float a, Vec4 b) { return {a - b.x, a - b.y, a - b.z, a - b.w}; }
RW_FUNCTION Vec4 operator-(Vec4 a) { return {-a.x, -a.y, -a.z, -a.w}; }
RW_FUNCTION Vec4& operator+=(Vec4& a, Vec4 b) { return a = a + b; }
RW_FUNCTION Vec4& operator-=(Vec4& a, Vec4 b) { return a = a - b; }
RW_FUNCTION Vec4& operator*=(Vec4& a, Vec4 b) { return a = a * b; }
RW_FUNCTION Vec4& operator/=(Vec4& a, Vec4 b) { return a = a / b; }
RW_FUNCTION Vec4& operator*=(Vec4& a, float b) { return a = a * b; }
RW_FUNCTION Vec4& operator/=(Vec4& a, float b) { return a = a / b; }
RW_FUNCTION bool operator==(Vec4 a, Vec4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
// Of equal elements, and beside NaN, the second.
RW_FUNCTION Vec4 least(Vec4 a, Vec4 b) { return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w}; }
RW_FUNCTION Vec4 most(Vec4 a, Vec4 b) { return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z, a.w > b.w ? a.w : b.w}; }
RW_FUNCTION Vec4 clamp(Vec4 v, Vec4 low, Vec4 high) { return least(most(v, low), high); }
RW_FUNCTION Vec4 clamp(Vec4 v, float low, float high) { return clamp(v, Vec4::splat(low), Vec4::splat(high)); }
RW_FUNCTION Vec4 magnitude(Vec4 v) { return {magnitude(v.x), magnitude(v.y), magnitude(v.z), magnitude(v.w)}; }
RW_FUNCTION Vec4 reciprocal(Vec4 v) { return {1.0f / v.x, 1.0f / v.y, 1.0f / v.z, 1.0f / v.w}; }
RW_FUNCTION Vec4 square_root(Vec4 v) { return {square_root(v.x), square_root(v.y), square_root(v.z), square_root(v.w)}; }
RW_FUNCTION bool is_finite(Vec4 v) { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z) && is_finite(v.w); }
RW_FUNCTION Vec4 lerp(Vec4 a, Vec4 b, float s) { return a * (1.0f - s) + b * s; }
RW_FUNCTION Vec4 vec4(const float (&v)[4]) { return {v[0], v[1], v[2], v[3]}; }
RW_FUNCTION Vec3 truncated(Vec4 v) { return {v.x, v.y, v.z}; }

}  // namespace raywarp::render
