// Queues of rays between kernels (L9; Laine, Karras and Aila 2013): each round extends and shades all paths of a queue, fills
// it up from those of the batch that have not begun, and traces what connects them to lights. Counts stay on the device.
#pragma once

#include "kernel.h"
#include "../stage/connect.h"
#include "../stage/finalize.h"
#include "../stage/generate.h"
#include "../stage/queue.h"
#include "../stage/shading_class.h"
#include "../vertex/arrive.h"

namespace raywarp::render {

// In the places of intervals stand other words: stage/queue.h.
constexpr Options QUEUED = walk(Supply::Replace, Query::Closest, Interval::Unbounded);
constexpr Options QUEUED_ANY = walk(Supply::Replace, Query::Any, Interval::FromZero);

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
    c.may_be_holes = 0;
    c.undecided = 0;
#pragma unroll
    for (u32 i = 0; i < SHADING_CLASSES; i++) {
        c.classes[i] = 0;
    }
    platform::put(render.counters, c);
}

// Does something for each of so many entries, of which only the device knows how many: the launch has as many warps as are
// resident, and each takes one entry a lane until none are left. All lanes of a warp call `work(lives, entry)` together.
template <class Work>
RW_FUNCTION void for_each_entry(u32 count, Work work) {
#pragma unroll 1
    for (u32 first = platform::warp() * WARP; first < count; first += platform::warps() * WARP) {
        const u32 entry = first + platform::lane();
        work(entry < count, entry);
    }
}

// Starts the paths at the end of the queue.
template <class F>
RW_FUNCTION void refill(const Render& render) {
    const u32 active = platform::get(&render.counters->active), begun = platform::get(&render.counters->begun);
    const u32 fresh = platform::get(&render.counters->fresh);
    for_each_entry(fresh, [&](bool lives, u32 place) {
        if (lives) {
            const u32 number = begun - fresh + place;
            const Generated path = generate(render, number);
            begin_result(render, number, path.filter_weight);
            put_path<F>(render.queue, active - fresh + place, number, path.ray, path.state);
        }
    });
}

// A launch of the tracing kernels over a queue whose length the device knows.
RW_FUNCTION Launch launch_over(const Render& render) {
    Launch launch = launch_of(render.tree);
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

// Paths a lane lists at once: a warp asks a list for the places of all of them together. Asked for by each warp alone, the
// few counts of a launch hold it up.
constexpr u32 LISTED_AT_ONCE = 8;
// Beside the classes: who waits for holes, and nobody.
constexpr u32 WAITING = SHADING_CLASSES, NO_LIST = SHADING_CLASSES + 1;

// Puts places of the queue on lists. A lane has `AT_ONCE` of them, at most eight, of which it knows the lists, four bits
// each. All lanes of a warp call together.
template <u32 LISTS, u32 AT_ONCE, class PlaceOf>
RW_FUNCTION void put_on_lists(const Render& render, u32 lists, PlaceOf place_of) {
    static_assert(AT_ONCE <= 8 && LISTS <= 15);
#pragma unroll 1
    for (u32 list = 0; list < LISTS; list++) {
        u32 wanted = 0;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            wanted += platform::population(platform::ballot_sync(EVERYONE, (lists >> 4 * i & 15) == list));
        }
        if (wanted == 0) {
            continue;
        }
        u32* const count = list == WAITING ? &render.counters->may_be_holes : &render.counters->classes[list];
        u32 entry = 0;
        if (platform::lane() == 0) {
            entry = platform::add_to_counter(count, wanted);
        }
        entry = platform::shuffle_sync(EVERYONE, entry, 0);
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            const bool is_on_it = (lists >> 4 * i & 15) == list;
            const LaneMask all = platform::ballot_sync(EVERYONE, is_on_it);
            if (is_on_it) {
                const u32 own = entry + platform::population(all & platform::lanes_below());
                u32* const all_lists = list == WAITING ? render.next.waiting() : render.order;
                const ShadingClass own_class = static_cast<ShadingClass>(list);
                const u32 at = list == WAITING ? own : place_in_order(own_class, own, render.capacity);
                platform::put(all_lists + at, place_of(i));
            }
            entry += platform::population(all);
        }
    }
}

// The list of a path that has come to a hit.
RW_FUNCTION u32 list_of(const Hit& hit, const MaterialRecord& material) {
    return static_cast<u32>(hit.is_hit() ? class_of(material) : ShadingClass::Simple);
}

RW_FUNCTION MaterialRecord material_of(const Render& render, const Hit& hit) {
    return hit.is_hit() ? load(render.scene.materials, load(render.scene.triangles, hit.triangle).material())
                        : MaterialRecord{};
}

// Lists the paths of the queue by class, and those that may have hit a hole for `pass_holes`: asked for together, lanes are
// not idle while a few others walk the tree again. Nobody is in the next queue yet.
template <class F>
RW_FUNCTION void sort(const Render& render) {
    constexpr u32 PER_WARP = LISTED_AT_ONCE * WARP;
    const u32 count = platform::get(&render.counters->active);
#pragma unroll 1
    for (u32 first = platform::warp() * PER_WARP; first < count; first += platform::warps() * PER_WARP) {
        u32 lists = 0;
#pragma unroll
        for (u32 i = 0; i < LISTED_AT_ONCE; i++) {
            const u32 place = first + i * WARP + platform::lane();
            u32 list = NO_LIST;
            if (place < count) {
                const Hit hit = hit_of(platform::get(render.hits + place));
                const MaterialRecord material = material_of(render, hit);
                const bool may_be_hole = F::ALPHA && hit.is_hit() && material.alpha != NONE;
                list = may_be_hole ? WAITING : list_of(hit, material);
            }
            lists |= list << 4 * i;
        }
        put_on_lists<F::ALPHA ? SHADING_CLASSES + 1 : SHADING_CLASSES, LISTED_AT_ONCE>(
            render, lists, [&](u32 i) { return first + i * WARP + platform::lane(); });
    }
}

// Passes the holes of those that wait, and lists them by class.
template <class F>
RW_FUNCTION void sort_waiting(const Render& render) {
    for_each_entry(platform::get(&render.counters->may_be_holes), [&](bool lives, u32 entry) {
        u32 place = 0;
        Hit hit{0.0f, {}, NONE};
        Queued path{};
        Ray ray{};
        if (lives) {
            place = platform::get(render.next.waiting() + entry);
            hit = hit_of(platform::get(render.hits + place));
            path = get_path<F>(render, render.queue, place);
            ray = path.ray;
        }
        const u32 first = hit.triangle;
        pass_holes<F>(render, lives, ray, path.state, hit);
        if (hit.triangle != first) {
            platform::put(render.hits + place,
                          float4{hit.t, hit.barycentrics.x, hit.barycentrics.y, float_of(hit.triangle)});
        }
        const u32 list = lives ? list_of(hit, material_of(render, hit)) : NO_LIST;
        put_on_lists<SHADING_CLASSES, 1>(render, list, [&](u32) { return place; });
    });
}

// As `for_each_entry`, where work is long: the warps of a block begin an entry together, and so use what one of them has
// fetched of the code. All of them call `work` as often.
template <class Work>
RW_FUNCTION void for_each_entry_in_step(u32 count, Work work) {
    const u32 own = platform::warp_in_block() * WARP + platform::lane();
#pragma unroll 1
    for (u32 first = (platform::warp() - platform::warp_in_block()) * WARP; first < count;
         first += platform::warps() * WARP) {
        platform::keep_in_step();
        work(first + own < count, first + own);
    }
}

// What a path does at the place of the queue where it is: light that it comes to, and the surface that it leaves.
struct Visit {
    Queued path;
    Ray ray;
    Hit hit;
    SurfacePoint point;
    // Whether it goes on from there, if it can.
    bool scatters;
};

// Emission, up to where a path scatters. All lanes of a warp call together, those without a path with `lives` unset.
template <class F>
RW_FUNCTION Visit arrive_at(const Render& render, bool lives, u32 place) {
    Visit visit{{}, {}, {}, SurfacePoint::none(), false};
    auto& [path, ray, hit, point, scatters] = visit;
    if (lives) {
        path = get_path<F>(render, render.queue, place);
        ray = path.ray;
        hit = hit_of(platform::get(render.hits + place));
    }
    pass_holes<F>(render, lives, ray, path.state, hit);
    const u32 touching = touch<F>(render, lives, ray, hit);
    if (lives) {
        if (hit.is_hit()) {
            point = surface_point(render.scene, hit.triangle, hit.barycentrics);
        }
        point.touching = touching;
        const Arrival arrival = arrive<F>(render.scene, render.transport, path.state, ray, hit, point);
        if (!(arrival.radiance == Vec3::splat(0.0f))) {
            add_radiance(render, path.number, arrival.radiance);
        }
        if (arrival.first_hit.some) {
            put_first_hit(render, path.number, arrival.first_hit.value);
        }
        scatters = arrival.scatters;
        path.state.throughput = scatters ? arrival.throughput : path.state.throughput;
    }
    return visit;
}

// Emission, a connection to a light and the next direction of the path at a place of the queue: what `leave` does, part by
// part, where `between` is called by all lanes. All lanes of a warp call together.
template <class F, class Between>
RW_FUNCTION void shade_at(const Render& render, bool lives, u32 place, Between between) {
    const Scene& scene = render.scene;
    const Transport transport = narrowed<F>(render.transport);
    auto [path, ray, hit, point, scatters] = arrive_at<F>(render, lives, place);
    between();
    Vertex vertex;
    bool connects = false;
    if (scatters) {
        vertex = vertex_at<F>(scene, transport, path.state, -ray.direction, point);
        if (path.state.bounce == 0) {
            put_first_hit(render, path.number, look<F>(scene, transport, vertex, hit.t));
        }
        scatters = !transport.is_last(path.state.bounce);
        connects = scatters || transport.connect_last;
    }
    between();
    Layers layers;
    Prepared prepared = Prepared::nothing();
    if (connects) {
        prepared = vertex.shading.bsdf.template prepare<F::MODELS>(scene, vertex.wo, layers);
    }
    between();
    Option<Connection> connection = none();
    if (connects) {
        connection = aim<F>(scene, transport, path.state, vertex, prepared);
    }
    between();
    Option<Onward> next = none();
    if (scatters) {
        next = scatter<F>(scene, transport, path.state, vertex, prepared);
    }
    const u32 shadow = take_place(&render.counters->shadows, connection.some);
    if (connection) {
        put_connection<F>(render.shadows, shadow, path.number, path.state.bounce, *connection);
    }
    const u32 own = take_place(&render.counters->survivors, next.some);
    if (next) {
        put_path<F>(render.next, own, path.number, next->ray, next->path);
    }
}

// Shades the paths of a class, or the whole queue where it is not sorted.
template <class F, ShadingClass CLASS>
RW_FUNCTION void shade(const Render& render) {
    const bool is_sorted = render.order != nullptr;
    const u32* const count_at =
        is_sorted ? &render.counters->classes[static_cast<u32>(CLASS)] : &render.counters->active;
    const u32 count = platform::get(count_at);
    // The code of diffuse surfaces alone fits the caches. Scenes of nothing else are not sorted.
    if constexpr (F::MODELS == set_of(BsdfKind::Diffuse)) {
        for_each_entry(count, [&](bool lives, u32 entry) { shade_at<F>(render, lives, entry, [] {}); });
    } else {
        for_each_entry_in_step(count, [&](bool lives, u32 entry) {
            u32 place = entry;
            if (is_sorted && lives) {
                place = platform::get(render.order + place_in_order(CLASS, entry, render.capacity));
            }
            shade_at<F>(render, lives, place, [] { platform::keep_in_step(); });
        });
    }
}

// Adds what a connection brings that nothing blocks, or with holes what its candidate lets through. All lanes of a warp call
// together.
template <class F>
RW_FUNCTION void arrive_light_at(const Render& render, bool open, u32 place) {
    Connected connected{};
    PathState path{};
    Hit candidate{0.0f, {}, NONE};
    if (open) {
        connected = get_connection<F>(render.shadows, place);
        if constexpr (F::ALPHA) {
            const Batch& batch = render.batch;
            path.pixel = platform::load1(batch.pixels + batch.first_pixel + connected.number % batch.pixel_count);
            path.sample = batch.first_sample + connected.number / batch.pixel_count;
            path.bounce = connected.bounce;
            candidate = hit_of(platform::get(render.shadows.candidates + place));
        }
    }
    const Option<Vec3> arrived = arriving<F>(render, open, false, path, connected.connection, candidate);
    if (arrived.some) {
        add_radiance(render, connected.number, arrived.value);
    }
}

// Adds what nothing blocks; what holes decide waits for `decide_light`. All in the queue are shaded.
template <class F>
RW_FUNCTION void arrive_light(const Render& render) {
    for_each_entry(platform::get(&render.counters->shadows), [&](bool lives, u32 place) {
        const u32 word = lives ? platform::get(render.shadows.blocked + place / 32) : 0;
        const bool blocked = (word >> (place % 32) & 1) != 0;
        bool open = lives && !blocked;
        if constexpr (F::ALPHA) {
            const u32 undecided = open ? platform::get(render.shadows.undecided + place / 32) : 0;
            const bool waits = (undecided >> (place % 32) & 1) != 0;
            const u32 entry = take_place(&render.counters->undecided, waits);
            if (waits) {
                platform::put(render.queue.waiting() + entry, place);
            }
            open = open && !waits;
        }
        arrive_light_at<WithoutHoles<F>>(render, open, place);
    });
}

// Adds what arrives through holes.
template <class F>
RW_FUNCTION void decide_light(const Render& render) {
    for_each_entry(platform::get(&render.counters->undecided), [&](bool lives, u32 entry) {
        const u32 place = lives ? platform::get(render.queue.waiting() + entry) : 0;
        arrive_light_at<F>(render, lives, place);
    });
}

}  // namespace raywarp::render
