// Instructions that a multiprocessor issues a clock of one pipeline: WARPS warps, each with CHAINS chains side by side.
// throughput.py runs it: nvcc -std=c++17 -cubin -arch=sm_90 -o throughput.cubin throughput.cu
#include <cstdint>
constexpr int ROUNDS = 64, LINKS = 16, CHAINS = 8;
// `values` and `clocks` of a thread go to `out`.
#define KERNEL(name, ...) extern "C" __global__ void __launch_bounds__(1024) name(uint32_t* out, float seed) { \
    float f[CHAINS]; \
    uint32_t x[CHAINS]; \
    for (int i = 0; i < CHAINS; ++i) { f[i] = seed + i + threadIdx.x; x[i] = __float_as_uint(f[i]); } \
    float g = seed; \
    uint32_t y = __float_as_uint(seed); \
    uint32_t start = 0, end = 0; \
    __syncthreads(); \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory"); \
    for (int round = 0; round < ROUNDS; ++round) { \
        _Pragma("unroll") for (int link = 0; link < LINKS; ++link) { \
            _Pragma("unroll") for (int i = 0; i < CHAINS; ++i) { __VA_ARGS__ } \
        } \
    } \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory"); \
    float sum = g + __uint_as_float(y); \
    for (int i = 0; i < CHAINS; ++i) { sum += f[i] + __uint_as_float(x[i]); } \
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x; \
    out[3 * thread] = start; out[3 * thread + 1] = end; out[3 * thread + 2] = __float_as_uint(sum); \
}
KERNEL(pipe_alu, asm volatile("min.f32 %0, %0, %1;" : "+f"(f[i]) : "f"(g));)
KERNEL(pipe_fma, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i]) : "f"(g));)
KERNEL(pipe_fmaheavy, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x[i]) : "r"(y));)
KERNEL(pipe_half, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x[i]) : "r"(y));)
KERNEL(pipe_xu, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[i]));)
KERNEL(pipe_lsu, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x[i]));)
// Two pipelines, in turns.
KERNEL(pipe_alu_fma, asm volatile("min.f32 %0, %0, %1;" : "+f"(f[i]) : "f"(g));
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[(i + 4) % CHAINS]) : "f"(g));)
// Products whose registers throughput.py sets: what reading them takes.
KERNEL(registers, asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(f[i]) : "f"(f[(i + 3) % CHAINS]), "f"(f[(i + 6) % CHAINS]));)
