// Reflectance of smooth boundaries for unpolarised light. As raywarp-render's bsdf/fresnel.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render::fresnel {

RW_FUNCTION float f0_of_ior(float ior) {
    const float r = (ior - 1.0f) / (ior + 1.0f);
    return r * r;
}

RW_FUNCTION float schlick_weight(float cos) {
    const float m = clamp(1.0f - cos, 0.0f, 1.0f);
    const float m2 = m * m;
    return m2 * m2 * m;
}

RW_FUNCTION Vec3 schlick(Vec3 f0, float f90, float cos) { return f0 + (Vec3::splat(f90) - f0) * schlick_weight(cos); }

RW_FUNCTION Vec3 schlick_mean(Vec3 f0) { return f0 + (1.0f - f0) / 21.0f; }

RW_FUNCTION Vec3 further(float share, Vec3 f, float lost) { return share * f * f * (1.0f - lost) / (1.0f - f * lost); }

RW_FUNCTION float f90_of_f0(Vec3 f0) { return clamp(50.0f * largest_element(f0), 0.0f, 1.0f); }

// The share that is reflected, and the cosine of the refracted direction.
struct Boundary {
    float reflected;
    float cos_t;
};

RW_FUNCTION Boundary dielectric(float cos, float eta) {
    const float sin2_t = most(1.0f - cos * cos, 0.0f) / (eta * eta);
    if (sin2_t >= 1.0f) {
        return {1.0f, 0.0f};
    }
    const float cos_t = square_root(1.0f - sin2_t);
    const float parallel = (eta * cos - cos_t) / (eta * cos + cos_t);
    const float perpendicular = (cos - eta * cos_t) / (cos + eta * cos_t);
    return {0.5f * (parallel * parallel + perpendicular * perpendicular), cos_t};
}

RW_FUNCTION float finite_reflectance(float r) { return is_nan(r) ? 1.0f : clamp(r, 0.0f, 1.0f); }

RW_FUNCTION Vec3 conductor(float cos, Vec3 eta, Vec3 k) {
    cos = clamp(cos, 0.0f, 1.0f);
    const float cos2 = cos * cos;
    const float sin2 = 1.0f - cos2;
    const Vec3 eta2 = eta * eta, k2 = k * k;
    const Vec3 t0 = eta2 - k2 - sin2;
    const Vec3 a2_b2 = square_root(t0 * t0 + 4.0f * eta2 * k2);
    const Vec3 a = square_root(most(0.5f * (a2_b2 + t0), Vec3::splat(0.0f)));
    const Vec3 t1 = a2_b2 + cos2, t2 = 2.0f * cos * a;
    const Vec3 perpendicular = (t1 - t2) / (t1 + t2);
    const Vec3 t3 = cos2 * a2_b2 + sin2 * sin2, t4 = t2 * sin2;
    const Vec3 parallel = perpendicular * (t3 - t4) / (t3 + t4);
    const Vec3 reflectance = 0.5f * (perpendicular + parallel);
    return {finite_reflectance(reflectance.x), finite_reflectance(reflectance.y), finite_reflectance(reflectance.z)};
}

RW_FUNCTION Vec3 conductor_mean(Vec3 eta, Vec3 k) {
    return 0.5f * (conductor(0.45970084f, eta, k) + conductor(0.8880738f, eta, k));
}

RW_FUNCTION float dielectric_mean(float n) { return (n - 1.0f) / (4.08567f + 1.00071f * n); }

}  // namespace raywarp::render::fresnel
