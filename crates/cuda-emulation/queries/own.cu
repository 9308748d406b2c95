#include "raywarp.h"

// A ray a thread: what it hits first, and whether anything is in its way.
extern "C" __global__ void trace_rays(raywarp::Tree tree, const raywarp::Ray* rays, raywarp::Hit* hits,
                                      raywarp::AnyHit* shadows, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        hits[i] = raywarp::closest(tree, rays[i]);
        shadows[i] = raywarp::any(tree, rays[i]);
    }
}
