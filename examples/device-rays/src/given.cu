// The nearest hit of each given ray, by kernels of the program's own: what the library's kernels do, a ray a thread. NVRTC
// compiles them when the program runs, with raywarp.h in the place of the line below.
#include "raywarp.h"

template <raywarp::Options O>
__device__ void closest_of(const raywarp::Tree& tree, const raywarp::Ray* rays, float4* hits, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const raywarp::Hit hit = raywarp::closest<O>(tree, rays[i]);
        hits[i] = {hit.t, hit.u, hit.v, __uint_as_float(hit.primitive)};
    }
}

// The loop whose lanes meet as in "raywarp-h8-direct".
__device__ constexpr raywarp::Options as_direct() {
    raywarp::Options options = raywarp::BEST_CLOSEST;
    options.step = 75;
    options.test = 37;
    return options;
}

// As one writes it first.
extern "C" __global__ void plain(raywarp::Tree tree, const raywarp::Ray* rays, float4* hits, unsigned count) {
    closest_of<raywarp::BEST_CLOSEST>(tree, rays, hits, count);
}

// With as few registers as let 8 blocks of 128 threads run at once.
extern "C" __global__ void __launch_bounds__(128, 8)
bounded(raywarp::Tree tree, const raywarp::Ray* rays, float4* hits, unsigned count) {
    closest_of<raywarp::BEST_CLOSEST>(tree, rays, hits, count);
}

extern "C" __global__ void __launch_bounds__(128, 8)
bounded_as_direct(raywarp::Tree tree, const raywarp::Ray* rays, float4* hits, unsigned count) {
    closest_of<as_direct()>(tree, rays, hits, count);
}
