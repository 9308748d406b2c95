// Russian roulette. As raywarp-render's vertex/roulette.rs.
#pragma once

#include "path.h"

namespace raywarp::render {

// What a path goes on with.
struct Survivor {
    Vec3 throughput;
    u32 sampler_state;
};

RW_FUNCTION Option<Survivor> roulette(const Transport& transport, const PathState& path, Vec3 throughput, u32 state) {
    const float largest = largest_element(throughput);
    if (!(largest > 0.0f && is_finite(largest))) {
        return none();
    }
    if (largest >= transport.roulette_below) {
        return some(Survivor{throughput, state});
    }
    const float survival = largest * transport.roulette_scale;
    Stream stream = path.stream(transport, dimension::ROULETTE, state);
    if (!(stream.next_1d() < survival)) {
        return none();
    }
    return some(Survivor{throughput * (1.0f / survival), stream.state});
}

}  // namespace raywarp::render
