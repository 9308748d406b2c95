// Stage 1: camera rays. As raywarp-render's stage/generate.rs.
#pragma once

#include "../render.h"
#include "../vertex/leave.h"

namespace raywarp::render {

struct Generated {
    Ray ray;
    PathState state;
    // Of the sample in the pixel filter.
    float filter_weight;
};

// Starts path `number` of the batch.
RW_FUNCTION Generated generate(const Render& render, u32 number) {
    const Batch& batch = render.batch;
    const u32 pixel = platform::load1(batch.pixels + batch.first_pixel + number % batch.pixel_count);
    const u32 sample = batch.first_sample + number / batch.pixel_count;
    const float x = static_cast<float>(pixel % batch.width), y = static_cast<float>(pixel / batch.width);
    Stream stream = render.transport.sampler.start(pixel, sample);
    const FilterSample moved = render.filter.sample(stream.next_2d());
    const CameraRay camera = render.lens.ray(x + 0.5f + moved.offset.x, y + 0.5f + moved.offset.y, stream.next_2d());
    const PathState state{pixel,
                          sample,
                          0,
                          Vec3::splat(1.0f),
                          0.0f,
                          stream.state,
                          SPECULAR | ALL_SPECULAR,
                          InMedia::at_start(render.media)};
    return {Ray::make(camera.origin, camera.direction), state, moved.weight};
}

// Puts down a result before the path has found anything.
RW_FUNCTION void begin_result(const Render& render, u32 number, float filter_weight) {
    platform::put(render.results.radiance + number, float4{0.0f, 0.0f, 0.0f, filter_weight});
    if (render.results.first_hits != nullptr) {
        platform::put(render.results.first_hits + number, FirstHit{{}, {}, INFINITE});
    } else {
        platform::put(render.results.depths + number, INFINITE);
    }
}

RW_FUNCTION void add_radiance(const Render& render, u32 number, Vec3 radiance) {
    float4* const at = render.results.radiance + number;
    const float4 old = platform::get(at);
    platform::put(at, float4{old.x + radiance.x, old.y + radiance.y, old.z + radiance.z, old.w});
}

RW_FUNCTION void put_first_hit(const Render& render, u32 number, const FirstHit& first) {
    if (render.results.first_hits != nullptr) {
        platform::put(render.results.first_hits + number, first);
    } else {
        platform::put(render.results.depths + number, first.depth);
    }
}

// Puts down the result of a path that has ended.
RW_FUNCTION void put_result(const Render& render, u32 number, Vec3 radiance, float filter_weight, const FirstHit& first) {
    platform::put(render.results.radiance + number, float4{radiance.x, radiance.y, radiance.z, filter_weight});
    put_first_hit(render, number, first);
}

}  // namespace raywarp::render
