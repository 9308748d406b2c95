// What moves with a path, to and from the queues.
#pragma once

#include "../feature_set.h"
#include "../render.h"
#include "../vertex/aim.h"

namespace raywarp::render {

// Rays of queues begin at 0: in place of t_min stands something else, and of those that end nowhere in place of t_max too.
RW_FUNCTION void put_ray(float4* rays, u32 place, const Ray& ray, u32 word, float end) {
    platform::put(rays + static_cast<u64>(place) * 2,
                  float4{ray.origin.x, ray.origin.y, ray.origin.z, float_of(word)});
    platform::put(rays + static_cast<u64>(place) * 2 + 1,
                  float4{ray.direction.x, ray.direction.y, ray.direction.z, end});
}

// A path's number in its batch, its ray, and what it carries.
struct Queued {
    u32 number;
    Ray ray;
    PathState state;
};

// A connection, with its path's number and the bounce that it belongs to.
struct Connected {
    u32 number, bounce;
    Connection connection;
};

constexpr u32 BOUNCE_SHIFT = 8;

template <class F>
RW_FUNCTION void put_path(const Queue& queue, u32 place, u32 number, const Ray& ray, const PathState& path) {
    put_ray(queue.rays, place, ray, number, float_of(path.bounce << BOUNCE_SHIFT | path.flags));
    platform::put(queue.weights + place,
                  float4{path.throughput.x, path.throughput.y, path.throughput.z, path.previous_pdf});
    if (queue.sampler_states != nullptr) {
        platform::put(queue.sampler_states + place, path.sampler_state);
    }
    if (F::MEDIA && queue.media != nullptr) {
        platform::put(queue.media + place, uint2{path.media.stack.words[0], path.media.stack.words[1]});
    }
}

template <class F>
RW_FUNCTION Queued get_path(const Render& render, const Queue& queue, u32 place) {
    const Batch& batch = render.batch;
    const float4 o = platform::get(queue.rays + static_cast<u64>(place) * 2);
    const float4 d = platform::get(queue.rays + static_cast<u64>(place) * 2 + 1);
    const float4 weight = platform::get(queue.weights + place);
    const u32 number = bits_of(o.w), bounce_and_flags = bits_of(d.w);
    PathState state{};
    state.pixel = platform::load1(batch.pixels + batch.first_pixel + number % batch.pixel_count);
    state.sample = batch.first_sample + number / batch.pixel_count;
    state.bounce = bounce_and_flags >> BOUNCE_SHIFT;
    state.throughput = {weight.x, weight.y, weight.z};
    state.previous_pdf = weight.w;
    state.sampler_state = queue.sampler_states != nullptr ? platform::get(queue.sampler_states + place) : 0;
    state.flags = static_cast<u8>(bounce_and_flags);
    if (F::MEDIA && queue.media != nullptr) {
        const uint2 media = platform::get(queue.media + place);
        state.media = InMedia::at_start(MediaStack{{media.x, media.y}});
    }
    return {number, Ray::make({o.x, o.y, o.z}, {d.x, d.y, d.z}), state};
}

template <class F>
RW_FUNCTION void put_connection(const Shadows& shadows, u32 place, u32 number, u32 bounce, const Connection& connection) {
    const Vec3 contribution = connection.contribution;
    put_ray(shadows.rays, place, connection.ray, bounce, connection.ray.t_max);
    platform::put(shadows.contributions + place,
                  float4{contribution.x, contribution.y, contribution.z, float_of(number)});
    if (F::MEDIA && shadows.media != nullptr) {
        const MediaStack stack = connection.media.stack;
        platform::put(shadows.media + place, uint2{stack.words[0], stack.words[1]});
    }
}

// Of what a connection does not need where nothing is in its way nothing is read: its ray and its media, and of its path the
// bounce.
template <class F>
RW_FUNCTION Connected get_connection(const Shadows& shadows, u32 place) {
    const float4 contribution = platform::get(shadows.contributions + place);
    Connected connected{bits_of(contribution.w), 0, {}};
    connected.connection.contribution = {contribution.x, contribution.y, contribution.z};
    if constexpr (F::ALPHA || F::MEDIA) {
        const float4 o = platform::get(shadows.rays + static_cast<u64>(place) * 2);
        const float4 d = platform::get(shadows.rays + static_cast<u64>(place) * 2 + 1);
        connected.bounce = bits_of(o.w);
        connected.connection.ray = Ray::make({o.x, o.y, o.z}, {d.x, d.y, d.z}).with_interval(0.0f, d.w);
    }
    if constexpr (F::MEDIA) {
        const uint2 stack = platform::get(shadows.media + place);
        connected.connection.media = InMedia::at_start(MediaStack{{stack.x, stack.y}});
    }
    return connected;
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
