// Environment maps, sampled by luminance times solid angle. As raywarp-render's light/environment.rs.
#pragma once

#include "../sample/elementary/angle.h"
#include "../sample/warp/direction.h"
#include "../sample/warp/distribution.h"
#include "../texture/image.h"
#include "light_sample.h"

namespace raywarp::render::light {

// Radiance from a direction, and the solid-angle density with which it is sampled.
struct FromEnvironment {
    Vec3 radiance;
    float pdf;
};

// A unit world direction, its radiance and its solid-angle density.
struct EnvironmentSample {
    Vec3 direction, radiance;
    float pdf;
};

// Radiance from everywhere around.
struct Environment {
    EnvironmentRecord record;

    static RW_FUNCTION Environment of(const Scene& scene, u32 index) { return {load(scene.environments, index)}; }

    // From the unit world `direction`.
    RW_FUNCTION FromEnvironment eval(const Scene& scene, Vec3 direction) const {
        if (record.image == NONE) {
            return {vec3(record.radiance), warp::uniform_sphere_pdf()};
        }
        const Vec3 d = {dot(vec3(record.rows[0]), direction), dot(vec3(record.rows[1]), direction),
                        dot(vec3(record.rows[2]), direction)};
        const float cos = clamp(d.y, -1.0f, 1.0f);
        const Vec2 uv = {clamp(0.5f + elementary::atan2(d.x, -d.z) * (1.0f / TAU), 0.0f, 1.0f), elementary::acos(cos) * FRAC_1_PI};
        const float sin = square_root(1.0f - cos * cos);
        const float pdf = sin > 0.0f ? tables(scene).pdf(uv) / (TAU * PI * sin) : 0.0f;
        return {radiance_at(scene, uv), pdf};
    }

    RW_FUNCTION Option<EnvironmentSample> sample(const Scene& scene, Vec2 u) const {
        if (record.image == NONE) {
            return some(EnvironmentSample{warp::uniform_sphere(u), vec3(record.radiance), warp::uniform_sphere_pdf()});
        }
        const warp::DensitySample found = tables(scene).sample(u);
        const auto [sin, cos] = warp::sin_cos_turn(0.5f * found.point.y);
        // The azimuth is 0 in the middle of the map: half a turn from its edge, which negates both.
        const auto [s, c] = warp::sin_cos_turn(found.point.x);
        const Vec3 d = {-sin * s, cos, sin * c};
        const float pdf = found.pdf / (TAU * PI * sin);
        if (!(pdf > 0.0f && is_finite(pdf))) {
            return none();
        }
        // Transposed rows turn the map's frame back into the world's.
        const Vec3 direction = d.x * vec3(record.rows[0]) + d.y * vec3(record.rows[1]) + d.z * vec3(record.rows[2]);
        return some(EnvironmentSample{direction, radiance_at(scene, found.point), pdf});
    }

    // A connection to it, chosen with `probability`.
    RW_FUNCTION Option<LightSample> connect(const Scene& scene, Vec2 u, float probability) const {
        const Option<EnvironmentSample> found = sample(scene, u);
        if (!found) {
            return none();
        }
        const float pdf = found->pdf * probability;
        return some(LightSample{found->direction, none(), found->radiance * (1.0f / pdf), pdf});
    }

    RW_FUNCTION warp::DensityTables tables(const Scene& scene) const {
        return {scene.tables.first + record.table, record.size[0], record.size[1]};
    }

    RW_FUNCTION Vec3 radiance_at(const Scene& scene, Vec2 uv) const {
        const ImageRecord image = load(scene.images, record.image);
        const Vec4 texel = look_up(scene, image, uv, Wrapping::Repeat, Wrapping::Clamp, ImageLookup::Bilinear);
        // A filter that rings leaves texels below 0, which are no light.
        return vec3(record.radiance) * most(truncated(texel), Vec3::splat(0.0f));
    }
};

// Radiance of an environment from `direction`, and the density with which connections find it, its choice included.
RW_FUNCTION FromEnvironment from_environment(const Scene& scene, u32 index, Vec3 direction) {
    const Environment environment = Environment::of(scene, index);
    const FromEnvironment from = environment.eval(scene, direction);
    return {from.radiance, from.pdf * environment.record.choice};
}

}  // namespace raywarp::render::light
