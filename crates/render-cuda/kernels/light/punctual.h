// Point, spot and directional lights. As raywarp-render's light/punctual.rs.
#pragma once

#include "../flat/records.h"
#include "light_sample.h"

namespace raywarp::render::light::punctual {

// Share of the axial intensity at an angle of cosine `cos`.
RW_FUNCTION float spot(float cos, float cos_inner, float cos_outer, SpotRamp ramp) {
    const float x = cos_inner > cos_outer ? clamp((cos - cos_outer) / (cos_inner - cos_outer), 0.0f, 1.0f)
                    : cos >= cos_outer    ? 1.0f
                                          : 0.0f;
    switch (ramp) {
        case SpotRamp::Square: return x * x;
        case SpotRamp::Fourth: return x * x * x * x;
        case SpotRamp::Smooth: break;
    }
    return x * x * (3.0f - 2.0f * x);
}

// The one connection to `point`, chosen with `probability`.
RW_FUNCTION Option<LightSample> sample(const LightRecord& light, Vec3 point, float probability) {
    const Vec3 strength = vec3(light.w);
    if (light.kind() == LightKind::Directional) {
        return some(LightSample{-vec3(light.u), none(), strength / probability, 0.0f});
    }
    const Vec3 position = vec3(light.at);
    const Vec3 to_light = position - point;
    const float distance_squared = length_squared(to_light);
    const Option<Vec3> wi = try_normalize(to_light);
    if (!wi) {
        return none();
    }
    const float share = light.kind() != LightKind::Spot ? 1.0f
                        : spot(-dot(vec3(light.u), *wi), light.v[0], light.v[1], static_cast<SpotRamp>(light.index));
    const Vec3 weight = strength * share / (distance_squared * probability);
    if (!is_finite(weight) || weight == Vec3{0.0f, 0.0f, 0.0f}) {
        return none();
    }
    return some(LightSample{*wi, some(position), weight, 0.0f});
}

}  // namespace raywarp::render::light::punctual
