// A bounce in three launches, between which paths can be listed anew (W11 3): behind the rays that extend them, which some
// leave the scene with, and before the rays that connect them to lights, which some do not need. Scenes without holes and
// media.
#pragma once

#include "compact.h"

namespace raywarp::render {

RW_FUNCTION void add_radiance_at(const MeasuredRender& render, u32 number, float filter_weight, Vec3 before, Vec3 more) {
    const Vec3 all = before + more;
    platform::put(render.results.radiance + number, float4{all.x, all.y, all.z, filter_weight});
}

// Extends each path by a ray. Those that leave the scene end here.
template <class F>
RW_FUNCTION void trace_paths(const MeasuredRender& render) {
    const u32 count = platform::get(&render.counters->active);
    const u32 entry = platform::warp() * WARP + platform::lane();
    if (entry - platform::lane() >= count) {
        return;
    }
    HeldPath path = no_path();
    u32 place = 0;
    if (entry < count) {
        place = place_of(render, entry);
        path = path_of<F>(render, entry, place);
    }
    const LaneMask callers = platform::ballot_sync(EVERYONE, path.lives);
    if (path.lives) {
        const raywarp::Hit found = raywarp::closest<CLOSEST_HIT>(render.tree, query_of(path.ray), callers);
        const Hit hit = hit_of(found);
        if (!hit.is_hit()) {
            const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, path.ray, hit, SurfacePoint::none());
            add_radiance_at(render, path.number, path.filter_weight, path.radiance, arrival.radiance);
        } else {
            platform::put(render.hits + place, float4{hit.t, hit.barycentrics.x, hit.barycentrics.y, float_of(hit.triangle)});
            if (path.state.bounce == 0) {
                add_radiance_at(render, path.number, path.filter_weight, path.radiance, Vec3::splat(0.0f));
                put_path<F>(render.queue, place, path.number, path.ray, path.state);
            }
        }
        platform::put(render.places.alive + place, hit.is_hit() ? mark::HAS_HIT : 0u);
    }
    if (callers != 0 && platform::lane() == 0) {
        add_round(render, platform::get(&render.counters->rounds) - 1, platform::population(callers), 1);
    }
    count_rays(render, {path.lives ? 1u : 0u, 0}, callers != 0 ? 1 : 0);
}

// Shades what each ray has hit.
template <class F>
RW_FUNCTION void shade_paths(const MeasuredRender& render) {
    const u32 entry = platform::warp() * WARP + platform::lane();
    if (entry >= platform::get(render.places.count)) {
        return;
    }
    const u32 place = place_of(render, entry);
    if (platform::get(render.places.alive + place) != mark::HAS_HIT) {
        return;
    }
    const Queued path = get_path<F>(render, render.queue, place);
    const Hit hit = hit_of(platform::get(render.hits + place));
    const SurfacePoint point = surface_point(render.scene, hit.triangle, hit.barycentrics);
    const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, path.ray, hit, point);
    add_radiance(render, path.number, arrival.radiance);
    if (arrival.first_hit.some) {
        put_first_hit(render, path.number, arrival.first_hit.value);
    }
    u32 marks = 0;
    if (arrival.scatters) {
        PathState state = path.state;
        state.throughput = arrival.throughput;
        const Departure departure = leave<F>(render.scene, render.transport, state, path.ray, hit.t, point);
        if (departure.first_hit.some) {
            put_first_hit(render, path.number, departure.first_hit.value);
        }
        if (departure.connection.some) {
            put_connection<F>(render.shadows, place, path.number, state.bounce, departure.connection.value);
            marks |= mark::CONNECTS;
        }
        if (departure.next.some) {
            const Onward& next = departure.next.value;
            put_path<F>(render.queue, place, path.number, next.ray, next.path);
            marks |= mark::GOES_ON;
        }
    }
    platform::put(render.places.alive + place, marks);
}

// Traces what connects paths to lights.
template <class F>
RW_FUNCTION void connect_paths(const MeasuredRender& render) {
    const u32 entry = platform::warp() * WARP + platform::lane();
    const u32 count = platform::get(render.places.count);
    if (entry - platform::lane() >= count) {
        return;
    }
    const u32 place = entry < count ? place_of(render, entry) : 0;
    const u32 marks = entry < count ? platform::get(render.places.alive + place) : 0;
    const bool connects = (marks & mark::CONNECTS) != 0;
    const LaneMask callers = platform::ballot_sync(EVERYONE, connects);
    if (connects) {
        const float4* const rays = render.shadows.rays + static_cast<u64>(place) * 2;
        const float4 o = platform::get(rays), d = platform::get(rays + 1);
        const raywarp::Ray ray{{o.x, o.y, o.z, 0.0f}, d};
        const AnyHit found = raywarp::any<ANY_HIT>(render.tree, ray, callers);
        if (!found.blocked) {
            const Connected connected = get_connection<F>(render.shadows, place);
            add_radiance(render, connected.number, connected.connection.contribution);
        }
        platform::put(render.places.alive + place, marks & mark::GOES_ON);
    }
    count_rays(render, {0, connects ? 1u : 0u}, 0);
}

}  // namespace raywarp::render
