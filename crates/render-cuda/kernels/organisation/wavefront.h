// Queues of rays between kernels (L9; Laine, Karras and Aila 2013): each round extends and shades all paths of a queue, fills
// it up from those of the batch that have not begun, and traces what connects them to lights. Counts stay on the device.
#pragma once

#include "kernel.h"
#include "../stage/connect.h"
#include "../stage/finalize.h"
#include "../stage/generate.h"
#include "../stage/queue.h"
#include "../vertex/arrive.h"

namespace raywarp::render {

constexpr Options QUEUED = walk(Supply::Replace, Query::Closest);
constexpr Options QUEUED_ANY = walk(Supply::Replace, Query::Any);

// One lane: paths that went on become those that are extended, and as many begin as there is room for.
RW_FUNCTION void begin_round(const Render& render) {
    if (platform::warp() != 0 || platform::lane() != 0) {
        return;
    }
    Counters c = platform::get(render.counters);
    const u32 room = render.capacity - c.survivors, left = render.batch.path_count - c.begun;
    const u32 fresh = smaller(room, left);
    c.active = c.survivors + fresh;
    c.fresh = fresh;
    c.refilled += fresh;
    c.begun += fresh;
    c.extended += c.active;
    c.connected += c.shadows;
    if (c.active != 0) {
        uint2* const at = render.rounds + smaller(c.rounds, render.rounds_kept - 1);
        const uint2 round = platform::get(at);
        platform::put(at, uint2{round.x + c.active, round.y + fresh});
        c.rounds += 1;
    }
    c.survivors = 0;
    c.shadows = 0;
    c.extend_pool = 0;
    c.connect_pool = 0;
    platform::put(render.counters, c);
}

// Starts the paths at the end of the queue.
template <class F>
RW_FUNCTION void refill(const Render& render) {
    const u32 place = platform::warp() * WARP + platform::lane();
    const u32 active = platform::get(&render.counters->active), begun = platform::get(&render.counters->begun);
    const u32 fresh = platform::get(&render.counters->fresh);
    if (place < fresh) {
        const u32 number = begun - fresh + place;
        const Generated path = generate(render, number);
        begin_result(render, number, path.filter_weight);
        put_path<F>(render.queue, active - fresh + place, number, path.ray, path.state);
    }
}

// A launch of the tracing kernels over a queue whose length the device knows.
RW_FUNCTION Launch launch_over(const Render& render) {
    Launch launch = query::launch_of(render.tree);
    launch.after = nullptr;
    launch.instances = nullptr;
    launch.stacks = nullptr;
    launch.invalid = &render.counters->invalid_rays;
    return launch;
}

RW_FUNCTION void extend(const Render& render) {
    Launch launch = launch_over(render);
    launch.rays = render.queue.rays;
    launch.hits = render.hits;
    launch.blocked = nullptr;
    launch.undecided = nullptr;
    launch.counter = &render.counters->extend_pool;
    launch.ray_count = platform::get(&render.counters->active);
    run<QUEUED>(launch);
}

RW_FUNCTION void connect(const Render& render) {
    Launch launch = launch_over(render);
    launch.rays = render.shadows.rays;
    launch.hits = render.shadows.candidates;
    launch.blocked = render.shadows.blocked;
    launch.undecided = render.shadows.undecided;
    launch.counter = &render.counters->connect_pool;
    launch.ray_count = platform::get(&render.counters->shadows);
    run<QUEUED_ANY>(launch);
}

// Emission, a connection to a light and the next direction of each path of the queue.
template <class F>
RW_FUNCTION void shade(const Render& render) {
    const u32 place = platform::warp() * WARP + platform::lane();
    bool lives = place < platform::get(&render.counters->active);
    Queued path{};
    Ray ray{};
    Hit hit{};
    if (lives) {
        path = get_path<F>(render, render.queue, place);
        ray = get_ray(render.queue.rays, place);
        hit = hit_of(platform::get(render.hits + place));
    }
    pass_holes<F>(render, lives, ray, path.state, hit);
    const u32 touching = touch<F>(render, lives, ray, hit);
    Departure departure{};
    if (lives) {
        SurfacePoint point = hit.is_hit() ? surface_point(render.scene, hit.triangle, hit.barycentrics) : SurfacePoint::none();
        point.touching = touching;
        const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, ray, hit, point);
        if (!(arrival.radiance == Vec3::splat(0.0f))) {
            add_radiance(render, path.number, arrival.radiance);
        }
        if (arrival.first_hit.some) {
            put_first_hit(render, path.number, arrival.first_hit.value);
        }
        if (arrival.scatters) {
            path.state.throughput = arrival.throughput;
            departure = leave<F>(render.scene, render.transport, path.state, ray, hit.t, point);
            if (departure.first_hit.some) {
                put_first_hit(render, path.number, departure.first_hit.value);
            }
        }
    }
    const bool connects = departure.connection.some, goes_on = departure.next.some;
    const u32 shadow = take_place(&render.counters->shadows, connects);
    if (connects) {
        const Connection& connection = departure.connection.value;
        const Vec3 contribution = connection.contribution;
        put_ray(render.shadows.rays, shadow, connection.ray);
        platform::put(render.shadows.contributions + shadow,
                      float4{contribution.x, contribution.y, contribution.z, float_of(path.number)});
        if constexpr (F::MEDIA) {
            const MediaStack stack = connection.media.stack;
            platform::put(render.shadows.media + shadow, uint2{stack.words[0], stack.words[1]});
            platform::put(render.shadows.since + shadow, connection.media.since);
        }
        if constexpr (F::ALPHA) {
            platform::put(render.shadows.bounces + shadow, path.state.bounce);
        }
    }
    const u32 next = take_place(&render.counters->survivors, goes_on);
    if (goes_on) {
        put_path<F>(render.next, next, path.number, departure.next.value.ray, departure.next.value.path);
    }
}

// Adds what nothing blocks.
template <class F>
RW_FUNCTION void arrive_light(const Render& render) {
    const u32 place = platform::warp() * WARP + platform::lane();
    const bool lives = place < platform::get(&render.counters->shadows);
    const u32 word = lives ? platform::get(render.shadows.blocked + place / 32) : 0;
    const bool blocked = (word >> (place % 32) & 1) != 0;
    Connection connection{};
    PathState path{};
    u32 number = 0;
    Hit candidate{0.0f, {}, NONE};
    if (lives && !blocked) {
        const float4 contribution = platform::get(render.shadows.contributions + place);
        connection.contribution = {contribution.x, contribution.y, contribution.z};
        number = bits_of(contribution.w);
        if constexpr (F::ALPHA || F::MEDIA) {
            connection.ray = get_ray(render.shadows.rays, place);
        }
        if constexpr (F::MEDIA) {
            const uint2 stack = platform::get(render.shadows.media + place);
            connection.media = {MediaStack{{stack.x, stack.y}}, platform::get(render.shadows.since + place)};
        }
        if constexpr (F::ALPHA) {
            const Batch& batch = render.batch;
            path.pixel = platform::load1(batch.pixels + batch.first_pixel + number % batch.pixel_count);
            path.sample = batch.first_sample + number / batch.pixel_count;
            path.bounce = platform::get(render.shadows.bounces + place);
            if ((platform::get(render.shadows.undecided + place / 32) >> (place % 32) & 1) != 0) {
                candidate = hit_of(platform::get(render.shadows.candidates + place));
            }
        }
    }
    const Option<Vec3> arrived = arriving<F>(render, lives, blocked, path, connection, candidate);
    if (arrived.some) {
        add_radiance(render, number, arrived.value);
    }
}

}  // namespace raywarp::render
