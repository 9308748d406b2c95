// What moves with a path, to and from the queues.
#pragma once

#include "../feature_set.h"
#include "../render.h"
#include "../vertex/aim.h"

namespace raywarp::render {

RW_FUNCTION void put_ray(float4* rays, u32 place, const Ray& ray) {
    platform::put(rays + static_cast<u64>(place) * 2, float4{ray.origin.x, ray.origin.y, ray.origin.z, ray.t_min});
    platform::put(rays + static_cast<u64>(place) * 2 + 1,
                  float4{ray.direction.x, ray.direction.y, ray.direction.z, ray.t_max});
}

RW_FUNCTION Ray get_ray(const float4* rays, u32 place) {
    const float4 o = platform::get(rays + static_cast<u64>(place) * 2);
    const float4 d = platform::get(rays + static_cast<u64>(place) * 2 + 1);
    return {{o.x, o.y, o.z}, o.w, {d.x, d.y, d.z}, d.w};
}

// A path's number in its batch, and what it carries.
struct Queued {
    u32 number;
    PathState state;
};

constexpr u32 BOUNCE_SHIFT = 8;

template <class F>
RW_FUNCTION void put_path(const Queue& queue, u32 place, u32 number, const Ray& ray, const PathState& path) {
    put_ray(queue.rays, place, ray);
    platform::put(queue.weights + place,
                  float4{path.throughput.x, path.throughput.y, path.throughput.z, path.previous_pdf});
    platform::put(queue.paths + place, uint2{number, path.bounce << BOUNCE_SHIFT | path.flags});
    if (queue.sampler_states != nullptr) {
        platform::put(queue.sampler_states + place, path.sampler_state);
    }
    if (F::MEDIA && queue.media != nullptr) {
        platform::put(queue.media + place, uint2{path.media.stack.words[0], path.media.stack.words[1]});
        platform::put(queue.since + place, path.media.since);
    }
}

template <class F>
RW_FUNCTION Queued get_path(const Render& render, const Queue& queue, u32 place) {
    const Batch& batch = render.batch;
    const float4 weight = platform::get(queue.weights + place);
    const uint2 path = platform::get(queue.paths + place);
    PathState state{};
    state.pixel = platform::load1(batch.pixels + batch.first_pixel + path.x % batch.pixel_count);
    state.sample = batch.first_sample + path.x / batch.pixel_count;
    state.bounce = path.y >> BOUNCE_SHIFT;
    state.throughput = {weight.x, weight.y, weight.z};
    state.previous_pdf = weight.w;
    state.sampler_state = queue.sampler_states != nullptr ? platform::get(queue.sampler_states + place) : 0;
    state.flags = static_cast<u8>(path.y);
    if (F::MEDIA && queue.media != nullptr) {
        const uint2 media = platform::get(queue.media + place);
        state.media = {MediaStack{{media.x, media.y}}, platform::get(queue.since + place)};
    }
    return {path.x, state};
}

// Places behind those that are taken, one for each lane of the warp that wants one: one lane asks for all. All lanes call
// together.
RW_FUNCTION u32 take_place(u32* count, bool wants) {
    const LaneMask wanting = platform::ballot_sync(EVERYONE, wants);
    u32 first = 0;
    if (wanting != 0 && platform::lane() == platform::lowest_bit(wanting)) {
        first = platform::add_to_counter(count, platform::population(wanting));
    }
    first = platform::shuffle_sync(EVERYONE, first, wanting != 0 ? platform::lowest_bit(wanting) : 0);
    return first + platform::population(wanting & platform::lanes_below());
}

}  // namespace raywarp::render
