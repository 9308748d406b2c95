// Kernels that ask with kernels/raywarp.h, as those of other crates do: a ray a lane, and of a warp's lanes only some at a time.
#include "raywarp.h"

namespace raywarp {

namespace {

// Asks with a ray of the launch, together with `callers`, and stores what comes back as kernels of the family do.
template <Options O>
void ask(const Launch& launch, const Tree& tree, u32 number, LaneMask callers) {
    const Ray ray{platform::load4(launch.rays + static_cast<u64>(number) * 2),
                         platform::load4(launch.rays + static_cast<u64>(number) * 2 + 1)};
    RW_EVENT(FetchRay);
    if (!is_valid(ray.origin, ray.direction)) {
        platform::add_to_counter(launch.invalid, 1);
    }
    After after;
    if (launch.after != nullptr) {
        const u32* words = launch.after + static_cast<u64>(number) * 3;
        after = {platform::float_of(platform::load1(words)), platform::load1(words + 1), platform::load1(words + 2)};
    }
    Hit hit;
    if constexpr (O.any_hit()) {
        const AnyHit found = any<O>(tree, ray, callers, after);
        hit = found.candidate;
        if (found.blocked) {
            platform::set_bits(launch.blocked + number / 32, 1u << number % 32);
        } else if (hit.is_hit()) {
            platform::set_bits(launch.undecided + number / 32, 1u << number % 32);
        }
    } else {
        hit = closest<O>(tree, ray, callers, after);
    }
    if (!O.any_hit() || hit.is_hit()) {
        write_hit<O>(launch, number, float4{hit.t, hit.u, hit.v, platform::float_of(hit.primitive)}, hit.instance);
    }
    RW_EVENT(StoreHit);
}

// Every third ray asks apart from the others of its warp, and lanes beyond the last ray not at all.
template <Options O>
void kernel(const Launch& launch) {
    Tree tree{launch.nodes, launch.triangles, launch.slots, launch.ids, launch.node_count, {}, launch.grid,
                     launch.farthest};
    for (u32 i = 0; i < 6; i++) {
        tree.bounds[i] = launch.bounds[i];
    }
    const u32 number = platform::warp() * WARP + platform::lane();
    const bool exists = number < launch.ray_count;
    const bool is_first = exists && number % 3 != 0, is_second = exists && number % 3 == 0;
    const LaneMask first = platform::ballot_sync(EVERYONE, is_first), second = platform::ballot_sync(EVERYONE, is_second);
    if (is_first) {
        ask<O>(launch, tree, number, first);
    } else if (is_second) {
        ask<O>(launch, tree, number, second);
    }
}

constexpr Options without_votes(Options options) {
    options.sync = Sync::Implicit;
    return options;
}

}  // namespace

}  // namespace raywarp

#define QUERY(name, kind, query) \
    RW_KERNEL(name, 128, 8) { raywarp::kernel<raywarp::preferred(raywarp::TreeKind::kind, raywarp::Query::query)>(launch); }
#define IMPLICIT(name, kind, query)                                                                             \
    RW_KERNEL(name, 128, 8) {                                                                                   \
        raywarp::kernel<raywarp::without_votes(                                                                 \
            raywarp::preferred(raywarp::TreeKind::kind, raywarp::Query::query))>(launch);                       \
    }
#include "queries.inc"
