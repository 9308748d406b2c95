// The next direction of a path. As raywarp-render's vertex/scatter.rs.
#pragma once

#include "../geom/ray.h"
#include "roulette.h"
#include "vertex.h"

namespace raywarp::render {

// Where a path goes on, and with what.
struct Onward {
    Ray ray;
    PathState path;
};

// Sends a path on; nothing where it ends.
template <class F>
RW_FUNCTION Option<Onward> scatter(const Scene& scene, const Transport& transport, const PathState& path,
                                   const Vertex& vertex, const Prepared& prepared) {
    const Bsdf& bsdf = vertex.shading.bsdf;
    Stream stream = path.stream(transport, dimension::SCATTER, path.sampler_state);
    float u_lobe = 0.5f;
    if (is_model<F::MODELS>(bsdf.kind, BsdfKind::Diffuse)) {
        stream.skip(1);
    } else {
        u_lobe = stream.next_1d();
    }
    const Vec2 u = stream.next_2d();
    const Option<BsdfSample> sample = bsdf.sample_prepared<F::MODELS>(scene, prepared, vertex.wo, u_lobe, u);
    if (!sample) {
        return none();
    }
    const Vec3 wi = vertex.shading.frame.to_world(sample->wi);
    if (!vertex.passes(wi, sample->wi.z)) {
        return none();
    }
    // The numbers are those of the vertex that it leaves.
    const Option<Survivor> survivor = roulette(transport, path, path.throughput * sample->weight, stream.state);
    if (!survivor) {
        return none();
    }
    PathState on = path;
    on.bounce = path.bounce + 1;
    on.throughput = survivor->throughput;
    on.previous_pdf = sample->pdf;
    on.sampler_state = survivor->sampler_state;
    on.flags = sample->specular ? static_cast<u8>(SPECULAR | (path.flags & ALL_SPECULAR)) : static_cast<u8>(0);
    on.media = vertex.media_beyond<F>(scene, path, sample->wi.z);
    return some(Onward{Ray::make(vertex.point.origin_towards(wi), wi), on});
}

}  // namespace raywarp::render
