// Kernels of somebody else's, which include raywarp.h alone and are written in CUDA's own words: that of docs/guide/gpu-programs.md (own.cu),
// that of examples/device-rays, and one that asks where its lanes have parted. Here those words are the platform's.
#include <cmath>

#include "own.h"

namespace {

struct Index {
    unsigned x;
};
// Blocks of two warps, as launches here have them.
constexpr unsigned OWN_THREADS = 64;
inline Index own_block() { return {raywarp::platform::warp() * 32 / OWN_THREADS}; }
inline Index own_thread() { return {raywarp::platform::warp() * 32 % OWN_THREADS + raywarp::platform::lane()}; }

}  // namespace

#define __global__
#define __device__
#define blockDim (Index{OWN_THREADS})
#define blockIdx (own_block())
#define threadIdx (own_thread())
#define __ballot_sync(mask, x) raywarp::platform::ballot_sync(mask, x)

#include "own.cu"

#include "../../../examples/device-rays/src/occlusion.cu"

// The same where lanes have parted before: a third asks here, others there, and some ask again.
extern "C" __global__ void trace_rays_apart(raywarp::Tree tree, const raywarp::Ray* rays, raywarp::Hit* hits,
                                            raywarp::AnyHit* shadows, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    for (unsigned turn = 0; turn <= i % 3; turn++) {
        if (i % 2 == 0) {
            hits[i] = raywarp::closest(tree, rays[i]);
            shadows[i] = raywarp::any(tree, rays[i]);
        } else {
            shadows[i] = raywarp::any(tree, rays[i]);
            hits[i] = raywarp::closest(tree, rays[i]);
        }
    }
}

// The same with a mask of those who ask.
extern "C" __global__ void trace_rays_voted(raywarp::Tree tree, const raywarp::Ray* rays, raywarp::Hit* hits,
                                            raywarp::AnyHit* shadows, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool asks = i < count && i % 5 != 0, asks_later = i < count && i % 5 == 0;
    const unsigned first = __ballot_sync(0xffffffff, asks), later = __ballot_sync(0xffffffff, asks_later);
    if (asks) {
        hits[i] = raywarp::closest(tree, rays[i], first);
        shadows[i] = raywarp::any(tree, rays[i], first);
    }
    if (asks_later) {
        hits[i] = raywarp::closest(tree, rays[i], later);
        shadows[i] = raywarp::any(tree, rays[i], later);
    }
}

RW_KERNEL_OF(raywarp::own::Rays, own, own_rays, 64, 8) {
    const auto kernel = own.way == 0 ? trace_rays : own.way == 1 ? trace_rays_apart : trace_rays_voted;
    kernel(own.tree, own.rays, own.hits, own.shadows, own.count);
}

RW_KERNEL_OF(raywarp::own::Picture, own, own_picture, 64, 8) {
    ambient_occlusion(own.tree, own.corners, own.open, own.asked, own.width, own.height, own.eye[0], own.eye[1], own.eye[2]);
}
