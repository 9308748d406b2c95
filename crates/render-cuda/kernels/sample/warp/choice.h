// Choice of one of two. As raywarp-sample's warp/choice.rs.
#pragma once

#include "../../scalar.h"

namespace raywarp::render::warp {

struct Choice {
    bool chosen;
    float probability;
};

// Whether u falls on the part of probability `share`; u is spread over the unit interval again.
RW_FUNCTION Choice choose(float share, float& u) {
    const bool chosen = u < share;
    const float probability = chosen ? share : 1.0f - share, rest = chosen ? u : u - share;
    u = clamp(rest / probability, 0.0f, ONE_MINUS_EPSILON);
    return {chosen, probability};
}

}  // namespace raywarp::render::warp

namespace raywarp::render {
using warp::choose;
}
