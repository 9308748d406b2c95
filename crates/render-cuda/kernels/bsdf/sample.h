// A sampled direction, a value with its density, and the sides of a surface. As raywarp-render's bsdf/mod.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

constexpr float MIN_COS = 1e-6f;

struct BsdfSample {
    Vec3 wi;
    Vec3 weight;
    float pdf;
    bool specular;
    bool transmitted;

    RW_FUNCTION bool is_usable() const { return is_finite(weight) && largest_element(weight) > 0.0f && is_finite(wi); }

    static RW_FUNCTION Option<BsdfSample> delta(Vec3 wo, Vec3 wi, Vec3 weight) {
        const BsdfSample s = {wi, weight, 0.0f, true, wo.z * wi.z < 0.0f};
        return s.is_usable() ? some(s) : none();
    }

    static RW_FUNCTION Option<BsdfSample> smooth(Vec3 wo, Vec3 wi, Vec3 weight, float pdf) {
        const BsdfSample s = {wi, weight, pdf, false, wo.z * wi.z < 0.0f};
        return s.is_usable() && pdf > 0.0f && is_finite(pdf) ? some(s) : none();
    }
};

// `f |cos wi|` and the solid-angle density of `wi`.
struct BsdfValue {
    Vec3 value;
    float pdf;

    static RW_FUNCTION BsdfValue zero() { return {{0.0f, 0.0f, 0.0f}, 0.0f}; }
};

RW_FUNCTION Vec3 above(Vec3 v) { return with_z(v, most(magnitude(v.z), MIN_COS)); }

RW_FUNCTION Vec3 turned_as(Vec3 wo, Vec3 wi) { return wo.z < 0.0f ? with_z(wi, -wi.z) : wi; }

// A sample of an opaque model for `above(wo)`, put on the side of `wo`.
RW_FUNCTION Option<BsdfSample> two_sided(Vec3 wo, Option<BsdfSample> sample) {
    if (!sample) {
        return none();
    }
    sample.value.wi.z = copysign(sample.value.wi.z, wo.z);
    return sample;
}

// Whether an opaque model scatters from `wi` to `wo` at all: its `eval` is given `above(wo)` and `upward(wi)`.
RW_FUNCTION bool one_side(Vec3 wo, Vec3 wi) { return wo.z * wi.z > 0.0f; }
RW_FUNCTION Vec3 upward(Vec3 wi) { return with_z(wi, magnitude(wi.z)); }

// The direction between two; up where there is none.
RW_FUNCTION Vec3 half_vector(Vec3 wo, Vec3 wi) { return normalized_or(wo + wi, {0.0f, 0.0f, 1.0f}); }

RW_FUNCTION Vec3 mirrored(Vec3 w) { return {-w.x, -w.y, w.z}; }

}  // namespace raywarp::render
