// The program's own kernels: one that makes rays, and one that reads what they hit. NVRTC compiles them when it runs.

struct Ray {
    float ox, oy, oz, t_min, dx, dy, dz, t_max;
};

struct Hit {
    float t, u, v;
    unsigned primitive;
};

// A ray a pixel, from a pinhole at `eye_*` along -z.
extern "C" __global__ void make_rays(Ray* rays, unsigned width, unsigned height, float eye_x, float eye_y, float eye_z) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height) {
        const float x = (i % width + 0.5f) / width - 0.5f, y = 0.5f - (i / width + 0.5f) / height;
        const Ray ray = {eye_x, eye_y, eye_z, 0.0f, x, y * height / width - 0.15f, -1.0f, 1e30f};
        rays[i] = ray;
    }
}

// How far each ray came, in sixteenths; 0 for a miss.
extern "C" __global__ void depths(const Hit* hits, unsigned* depths, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        depths[i] = hits[i].primitive == 0xffffffff ? 0 : static_cast<unsigned>(hits[i].t * 16.0f) + 1;
    }
}
