// Lambert reflection and transmission. As raywarp-render's bsdf/diffuse.rs.
#pragma once

#include "../sample/warp/direction.h"
#include "sample.h"

namespace raywarp::render::diffuse {

RW_FUNCTION Option<BsdfSample> sample(Vec3 reflectance, Vec3 wo, Vec2 u) {
    const Vec3 wi = cosine_hemisphere(u);
    return BsdfSample::smooth(wo, wi, reflectance, cosine_hemisphere_pdf(wi.z));
}

// `wi` above.
RW_FUNCTION BsdfValue eval(Vec3 reflectance, Vec3 wi) {
    const float pdf = cosine_hemisphere_pdf(wi.z);
    return {reflectance * pdf, pdf};
}

RW_FUNCTION float reflection_share(Vec3 reflectance, Vec3 transmittance) {
    const float r = largest_element(reflectance), t = largest_element(transmittance);
    return r + t > 0.0f ? r / (r + t) : 0.0f;
}

RW_FUNCTION Option<BsdfSample> sample_both(Vec3 r, Vec3 t, Vec3 wo, float u_lobe, Vec2 u) {
    const float share = reflection_share(r, t);
    Vec3 wi = cosine_hemisphere(u);
    const float cosine_pdf = cosine_hemisphere_pdf(wi.z);
    wi.z = copysign(wi.z, wo.z);
    if (u_lobe < share) {
        return BsdfSample::smooth(wo, wi, r / share, cosine_pdf * share);
    }
    wi.z = -wi.z;
    return BsdfSample::smooth(wo, wi, t / (1.0f - share), cosine_pdf * (1.0f - share));
}

RW_FUNCTION BsdfValue eval_both(Vec3 r, Vec3 t, Vec3 wo, Vec3 wi) {
    const float share = reflection_share(r, t);
    const float pdf = cosine_hemisphere_pdf(magnitude(wi.z));
    if (is_negative(wo.z) == is_negative(wi.z)) {
        return {r * pdf, pdf * share};
    }
    if (largest_element(r) + largest_element(t) > 0.0f) {
        return {t * pdf, pdf * (1.0f - share)};
    }
    return BsdfValue::zero();
}

}  // namespace raywarp::render::diffuse
