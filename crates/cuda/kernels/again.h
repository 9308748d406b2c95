// Rays that the test of pairs cannot decide: they start beyond the tree's reach, or meet a triangle whose area as they see it
// f32 has no exponent for. They are traced again from the start, a ray a lane, by the test of each triangle, with boxes that
// grow by the ray; a call, since it is rare, and would take registers of what is not.
#pragma once

#include "lane.h"

namespace raywarp {

// What a ray hits, as in memory; an any-hit ray that nothing blocks its first candidate.
struct Again {
    float t, u, v;
    u32 instance, primitive;
    bool blocked;
};

// The options of the walk.
RW_FUNCTION constexpr Options again_options(Query query) {
    Options options = preferred(TreeKind::H8, query);
    options.triangle = TriangleTest::Watertight;
    return options;
}

// Traces a ray of a launch's tree; `callers` are the lanes that call together. Defined in walk.h.
template <Options O>
RW_COLD Again trace_again(Launch launch, float4 o, float4 d, After after, LaneMask callers);

}  // namespace raywarp
