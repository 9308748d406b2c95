// What a path carries from vertex to vertex. As raywarp-render's vertex/path.rs.
#pragma once

#include "media.h"
#include "transport.h"

namespace raywarp::render {

// The path's last vertex was specular, or it has no vertex yet: emission counts in full.
constexpr u8 SPECULAR = 1;
// Every vertex so far was specular.
constexpr u8 ALL_SPECULAR = 2;

struct PathState {
    u32 pixel, sample;
    // Vertices behind it.
    u32 bounce;
    Vec3 throughput;
    // Solid-angle density of the last scattering direction.
    float previous_pdf;
    u32 sampler_state;
    u8 flags;
    InMedia media;

    // The path's random numbers from `dimension` of its vertex on, for a generator that has come to `state`.
    RW_FUNCTION Stream stream(const Transport& transport, u32 dimension, u32 state) const {
        const u32 at = CAMERA_DIMENSIONS + bounce * dimension::COUNT + dimension;
        return transport.sampler.resume(pixel, sample, at, state);
    }
};
static_assert(sizeof(PathState) == 48);

// What a path says of its first vertex.
struct FirstHit {
    Vec3 albedo, normal;
    // Distance from the camera; infinite for a miss.
    float depth;
};
static_assert(sizeof(FirstHit) == 28);

}  // namespace raywarp::render
