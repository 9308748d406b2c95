// A picture of ambient occlusion by a kernel of the program's own, which traces from inside: a ray through each pixel, and from
// what it hits some rays in the half-space above. NVRTC compiles it when the program runs, with raywarp.h in the place of the
// line below.
#include "raywarp.h"

constexpr unsigned OCCLUSION_RAYS = 8;

// A number from -1 to below 1, another one for each of 2^32 seeds (the hash is PCG's).
__device__ inline float signed_number(unsigned seed) {
    const unsigned state = seed * 747796405u + 2891336453u;
    const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return static_cast<float>((word >> 22 ^ word) >> 8) * 1.1920929e-7f - 1.0f;
}

// `corners` has three corners a triangle. Of each pixel `open` counts the rays with nothing in their way. What was asked goes
// to `asked`, a row of 1 + OCCLUSION_RAYS rays a pixel, for the check by the host alone; rays that were not asked go nowhere.
extern "C" __global__ void ambient_occlusion(raywarp::Tree tree, const float* corners, unsigned* open, raywarp::Ray* asked,
                                             unsigned width, unsigned height, float eye_x, float eye_y, float eye_z) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) {
        return;
    }
    const float x = (i % width + 0.5f) / width - 0.5f, y = 0.5f - (i / width + 0.5f) / height;
    const raywarp::Ray ray = {{eye_x, eye_y, eye_z, 0.0f}, {x, y * height / width - 0.15f, -1.0f, 1e30f}};
    asked += i * (1 + OCCLUSION_RAYS);
    asked[0] = ray;
    open[i] = 0;
    const raywarp::Hit hit = raywarp::closest(tree, ray);
    if (!hit.is_hit()) {
        return;
    }
    // The triangle's normal, on the side that the ray comes from.
    const float* a = corners + 9 * hit.primitive;
    const float ux = a[3] - a[0], uy = a[4] - a[1], uz = a[5] - a[2], vx = a[6] - a[0], vy = a[7] - a[1], vz = a[8] - a[2];
    const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const float4 d = ray.direction;
    const float facing = nx * d.x + ny * d.y + nz * d.z > 0.0f ? -1.0f : 1.0f;
    // A little before the surface.
    const float t = hit.t * 0.9999f;
    const float4 origin = {eye_x + t * d.x, eye_y + t * d.y, eye_z + t * d.z, 0.0f};
    for (unsigned n = 0; n < OCCLUSION_RAYS; n++) {
        const unsigned seed = 3 * (i * OCCLUSION_RAYS + n);
        const float dx = signed_number(seed), dy = signed_number(seed + 1), dz = signed_number(seed + 2);
        const float above = (nx * dx + ny * dy + nz * dz) * facing < 0.0f ? -1.0f : 1.0f;
        // As far as the direction is long.
        const raywarp::Ray shadow = {origin, {above * dx, above * dy, above * dz, 1.0f}};
        asked[1 + n] = shadow;
        // Lanes that hit nothing are gone: those that are here ask together.
        open[i] += raywarp::any(tree, shadow).blocked ? 0 : 1;
    }
}
