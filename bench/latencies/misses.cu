// Clocks of a warp's load that misses the first cache, by how many sectors it asks for and how many warps ask: what
// queues behind that cache. misses.py runs it: nvcc -std=c++17 -cubin -arch=sm_90 -o misses.cubin misses.cu.
#include <cstdint>
// `1 << shared` lanes are a group, of which one loads a word; `1 << beside` groups beside each other load from the
// sectors of one line. The line follows from the word of the load before (all words are 0), with `pause` dependent
// products between. With few lines (their number is `mask` and one) all are in the first cache before it begins.
extern "C" __global__ void __launch_bounds__(1024) misses(uint32_t* out, const uint32_t* data, uint32_t mask, uint32_t shared,
    uint32_t beside, uint32_t steps, uint32_t pause) {
    const uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, group = lane >> shared;
    uint32_t warm = 0;
    for (uint32_t word = 8 * threadIdx.x; mask < 1024 && word < 32 * (mask + 1); word += 8 * blockDim.x) { warm += data[word]; }
    __syncthreads();
    if ((lane & ((1u << shared) - 1)) != 0) { return; }
    const uint32_t line = group >> beside, sector = group & ((1u << beside) - 1);
    uint32_t state = (warp * 32 + line) * 2654435761u + 12345u + warm;
    const uint32_t begin = uint32_t(clock64());
    for (uint32_t i = 0; i < steps; ++i) {
        state = state * 1664525u + 1013904223u;
        const uint32_t* at = data + (((state >> 7) & mask) * 4 + sector) * 8;
        uint32_t value;
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
        float product = __uint_as_float(value);
        for (uint32_t k = 0; k < pause; ++k) { asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(product)); }
        state += __float_as_uint(product);
    }
    const uint32_t end = uint32_t(clock64());
    if (lane == 0) {
        out[3 * warp] = begin;
        out[3 * warp + 1] = end;
        out[3 * warp + 2] = state;
    }
}
