// What a film adds up. As raywarp-render's film/sums.rs.
#pragma once

#include "flat/scene.h"
#include "vertex/path.h"

namespace raywarp::render {

// Largest magnitude that a sample may have in any number.
constexpr float LARGEST_SAMPLE = 1e28f;

struct PixelSums {
    double radiance[3];
    double luminance_squared;
    u32 samples, hits;
};
static_assert(sizeof(PixelSums) == 40);

struct FeatureSums {
    double albedo[3], normal[3];
    double depth;
};
static_assert(sizeof(FeatureSums) == 56);

// A NaN is not valid either.
RW_FUNCTION bool is_valid_sample(float x) { return magnitude(x) <= LARGEST_SAMPLE; }
RW_FUNCTION bool is_valid_sample(Vec3 v) { return is_valid_sample(v.x) && is_valid_sample(v.y) && is_valid_sample(v.z); }

RW_FUNCTION void add(double (&sum)[3], Vec3 v) {
    sum[0] += static_cast<double>(v.x);
    sum[1] += static_cast<double>(v.y);
    sum[2] += static_cast<double>(v.z);
}

// Adds a sample, and where depth is finite a hit; false if its radiance was invalid and black was added in its place.
RW_FUNCTION bool add_sample(PixelSums& sums, Vec3 radiance, float depth) {
    sums.samples += 1;
    sums.hits += is_valid_sample(depth) ? 1 : 0;
    if (!is_valid_sample(radiance)) {
        return false;
    }
    const double r = static_cast<double>(radiance.x), g = static_cast<double>(radiance.y);
    const double b = static_cast<double>(radiance.z);
    const double luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    add(sums.radiance, radiance);
    sums.luminance_squared += luminance * luminance;
    return true;
}

RW_FUNCTION void add_features(FeatureSums& sums, const FirstHit& first) {
    add(sums.albedo, is_valid_sample(first.albedo) ? first.albedo : Vec3::splat(0.0f));
    add(sums.normal, is_valid_sample(first.normal) ? first.normal : Vec3::splat(0.0f));
    sums.depth += is_valid_sample(first.depth) ? static_cast<double>(first.depth) : 0.0;
}

}  // namespace raywarp::render
