// Stage 5: finished paths to the film, in sample order. As raywarp-render's stage/finalize.rs.
#pragma once

#include "../render.h"

namespace raywarp::render {

// Adds the samples of a pixel of the batch.
RW_FUNCTION void finalize(const Render& render, u32 place) {
    const Batch& batch = render.batch;
    PixelSums* const at = render.film.pixels + batch.first_pixel + place;
    PixelSums sums = platform::get(at);
    FeatureSums features{};
    FeatureSums* const features_at = render.film.features;
    if (features_at != nullptr) {
        features = platform::get(features_at + batch.first_pixel + place);
    }
    u32 invalid = 0;
    for (u32 sample = 0; sample < batch.sample_count; sample++) {
        const u32 number = sample * batch.pixel_count + place;
        const float4 result = platform::get(render.results.radiance + number);
        const Vec3 radiance = Vec3{result.x, result.y, result.z} * result.w;
        if (features_at != nullptr) {
            const FirstHit first = platform::get(render.results.first_hits + number);
            invalid += add_sample(sums, radiance, first.depth) ? 0 : 1;
            add_features(features, first);
        } else {
            invalid += add_sample(sums, radiance, platform::get(render.results.depths + number)) ? 0 : 1;
        }
    }
    platform::put(at, sums);
    if (features_at != nullptr) {
        platform::put(features_at + batch.first_pixel + place, features);
    }
    if (invalid != 0) {
        platform::add_to_counter(&render.counters->invalid_samples, invalid);
    }
}

}  // namespace raywarp::render
