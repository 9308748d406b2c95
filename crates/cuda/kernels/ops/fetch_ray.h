// fetch_ray, setup_ray: take a ray from the supply (AL09 appendix A) and prepare it.
#pragma once

#include "../lane.h"

namespace raywarp {

// Rays that the warp has taken and not yet given to lanes: the same in all lanes.
struct Pool {
    u32 next, end;
    // No ray will come any more.
    bool dry;
};

// The later of where a ray begins and of what its hits come after.
template <Options O>
RW_FUNCTION float begin_of(const Launch& launch, const Lane<O>& lane, float t_min) {
    if constexpr (O.supply == Supply::Caller) {
        return platform::most(t_min, lane.after.t);
    } else {
        if (launch.after == nullptr) {
            return t_min;
        }
        const u32* after = launch.after + static_cast<u64>(lane.ray) * 3;
        return platform::most(t_min, platform::float_of(platform::load1(after)));
    }
}

// Reciprocal direction, origin times reciprocal, empty stack, at the root. A ray that can hit nothing ends.
template <Options O>
RW_FUNCTION void setup_ray(const Launch& launch, Lane<O>& lane, float4 o, float4 d) {
    using Tree = typename Lane<O>::Tree;
    const float limit = Tree::setup(launch, lane, o, d);
    lane.found = {limit, NONE, false, 0.0f, 0.0f};
    lane.leaf_ended = false;
    lane.clear_postponed();
    lane.stack.clear();
    // Of rays that the test may leave most are valid and near, which is fewer looks than whether a ray is valid.
    bool is_traced;
    if constexpr (O.may_leave_undecided()) {
        is_traced = Tree::is_near(launch, lane.setup, o, d);
    } else {
        is_traced = is_valid(o, d);
    }
    if (is_traced) {
        lane.work = Tree::root(launch, lane.setup);
    } else {
        lane.work = Tree::DONE;
        if (O.may_leave_undecided() && is_valid(o, d)) {
            lane.found.record = BEYOND;
        } else if constexpr (O.supply != Supply::Caller) {
            if (lane_in_group<O>() == 0) {
                platform::add_to_counter(launch.invalid, 1);
            }
        }
    }
    RW_EVENT(SetupRay);
}

// Whether the ray is to be traced: all are, or those that the kernel before has left.
template <Options O>
RW_FUNCTION bool is_asked(const Launch& launch, u32 ray) {
    if constexpr (O.takes_any_ray() && O.supply != Supply::Caller) {
        return launch.fallback_count == nullptr || platform::bits_of(launch.hits[ray].w) == BEYOND;
    } else {
        return true;
    }
}

template <Options O>
RW_FUNCTION void load_ray(const Launch& launch, Lane<O>& lane, u32 ray) {
    lane.ray = ray;
    if constexpr (O.may_leave_undecided()) {
        float4 o, d;
        platform::load_once(launch.rays + static_cast<u64>(ray) * 2, o, d);
        RW_EVENT(FetchRay);
        setup_ray(launch, lane, with_t_min<O>(o), with_t_max<O>(d));
    } else {
        const float4 o = with_t_min<O>(platform::load4(launch.rays + static_cast<u64>(ray) * 2));
        const float4 d = with_t_max<O>(platform::load4(launch.rays + static_cast<u64>(ray) * 2 + 1));
        RW_EVENT(FetchRay);
        setup_ray(launch, lane, o, d);
    }
}

// The same of a ray that was parked, which another lane may have had before: what boxes and triangles need, and nothing else.
template <Options O>
RW_FUNCTION void load_parked_ray(const Launch& launch, Lane<O>& lane, u32 ray) {
    lane.ray = ray;
    const float4 o = with_t_min<O>(platform::load4(launch.rays + static_cast<u64>(ray) * 2));
    const float4 d = with_t_max<O>(platform::load4(launch.rays + static_cast<u64>(ray) * 2 + 1));
    Lane<O>::Tree::setup(launch, lane, o, d);
}

// One lane adds n to the global counter and tells all what it was.
RW_FUNCTION u32 fetch_batch(const Launch& launch, u32 n) {
    u32 first = 0;
    if (platform::lane() == 0) {
        first = platform::add_to_counter(launch.counter, n);
        RW_EVENT(FetchBatch);
    }
    return platform::shuffle_sync(EVERYONE, first, 0);
}

// Gives idle lanes the next rays of the warp's pool. All lanes of the warp call together; whether any got a ray.
template <Options O>
RW_FUNCTION bool fetch_ray(const Launch& launch, Pool& pool, Lane<O>& lane) {
    LaneMask wanting = platform::ballot_sync(EVERYONE, lane.is_idle());
    if constexpr (O.supply != Supply::Direct && O.batch == EXACT) {
        const u32 n = rays_of<O>(wanting), first = fetch_batch(launch, n);
        const u32 ray = first + rays_below<O>(wanting);
        if (lane.is_idle() && ray < launch.ray_count && is_asked<O>(launch, ray)) {
            load_ray(launch, lane, ray);
        }
        order_stack<O>();
        pool.dry = first + n >= launch.ray_count;
        return n != 0 && first < launch.ray_count;
    } else {
        bool fetched = false;
        while (wanting != 0) {
            if (pool.next == pool.end) {
                if (pool.dry) {
                    break;
                }
                if constexpr (O.supply == Supply::Direct) {
                    pool.next = platform::warp() * O.width();
                    pool.end = pool.next + O.width();
                    pool.dry = true;
                } else {
                    pool.next = fetch_batch(launch, O.batch * O.width());
                    pool.end = pool.next + O.batch * O.width();
                }
                if (pool.next >= launch.ray_count) {
                    pool.next = pool.end;
                    pool.dry = true;
                    break;
                }
                pool.end = pool.end < launch.ray_count ? pool.end : launch.ray_count;
            }
            const u32 ray = pool.next + rays_below<O>(wanting);
            if (lane.is_idle() && ray < pool.end && is_asked<O>(launch, ray)) {
                load_ray(launch, lane, ray);
            }
            order_stack<O>();
            const u32 n = rays_of<O>(wanting), left = pool.end - pool.next;
            pool.next += n < left ? n : left;
            fetched = true;
            wanting = platform::ballot_sync(EVERYONE, lane.is_idle());
        }
        return fetched;
    }
}

}  // namespace raywarp
