// How light is carried: the same for all paths of a render. As raywarp-render's vertex/mod.rs.
#pragma once

#include "../feature_set.h"
#include "../flat/tags.h"
#include "../sample/stream.h"

namespace raywarp::render {

struct Transport {
    Sampler sampler;
    DirectLight direct;
    // Which bounces between facets of rough surfaces count.
    Scattering scattering;
    // Bounces: 0 is emission only.
    u32 max_depth;
    // Camera rays that miss bring nothing.
    bool transparent;
    // Albedos of first hits are wanted: those of what scatters are zeros otherwise.
    bool first_albedos;
    // The last vertex is connected to a light, too.
    bool connect_last;
    // Throughput below which Russian roulette begins, and one over it.
    float roulette_below, roulette_scale;

    // Whether no ray goes on from a vertex with so many behind it.
    RW_FUNCTION bool is_last(u32 bounce) const { return bounce >= max_depth; }
};

// The same, with constants for what a kernel's features leave no choice of.
template <class F>
RW_FUNCTION Transport narrowed(Transport transport) {
    transport.sampler.kind = one_of<F::SAMPLERS>(transport.sampler.kind);
    transport.direct = one_of<F::DIRECT>(transport.direct);
    transport.scattering = one_of<F::SCATTERING>(transport.scattering);
    return transport;
}

// Sampler dimensions that a camera ray takes.
constexpr u32 CAMERA_DIMENSIONS = 4;

// Sampler dimensions of a vertex, from its first on.
namespace dimension {
constexpr u32 MATERIAL = 0, LIGHT = 1, SCATTER = 4, ROULETTE = 7, COUNT = 8;
}

// The power heuristic with exponent 2 for one sample of each technique.
RW_FUNCTION float power_heuristic(float pdf, float other) {
    if (is_infinite(pdf)) {
        return 1.0f;
    }
    const float ratio = other / pdf;
    return 1.0f / (1.0f + ratio * ratio);
}

}  // namespace raywarp::render
