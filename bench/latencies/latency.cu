// Clocks from an instruction to one that needs its result: one warp, chains of LINKS alike, clocks read around them.
// latency.py runs it: nvcc -std=c++17 -cubin -arch=sm_90 -o latency.cubin latency.cu. Each kernel must keep its 256
// instructions (nvdisasm -c): an assembler that sees through a chain shortens it.
#include <cstdint>
constexpr int LINKS = 256;
// `apart`: 0 for all lanes at one place, 1 for each at its own.
#define KERNEL(name, ...) extern "C" __global__ void name(uint32_t* out, uint64_t* ring, uint32_t apart) { \
    __shared__ uint32_t words[1024]; \
    uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(words)); \
    for (int i = threadIdx.x; i < 1024; i += 32) { words[i] = base + 4 * ((i + 32) % 1024); } \
    __syncwarp(); \
    uint32_t x = 4 * apart * threadIdx.x, s = base + x; \
    uint64_t p = reinterpret_cast<uint64_t>(ring + x / 2); \
    float f = 1.0f + x; \
    uint32_t start = 0, end = 0; \
    for (int round = 0; round < 3; ++round) { \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory"); \
        _Pragma("unroll") for (int i = 0; i < LINKS; ++i) { \
            __VA_ARGS__ \
        } \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(end) : "l"(p), "r"(x), "f"(f), "r"(s) : "memory"); \
    } \
    if (threadIdx.x == 0) { out[0] = end - start; out[1] = uint32_t(p) + x + uint32_t(f) + s; } \
}
// A pointer to the next pointer, 16 bytes apart: hits the first cache from the second pass on.
KERNEL(load_64, asm volatile("ld.global.nc.u64 %0, [%0];" : "+l"(p));)
KERNEL(load_128, uint64_t q; asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(q)); x ^= uint32_t(q);)
KERNEL(shared_32, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(s)); )
KERNEL(inverse_root, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(f));)
KERNEL(exponential, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));)
KERNEL(count, asm volatile("popc.b32 %0, %0;" : "+r"(x));)
KERNEL(leading, asm volatile("bfind.u32 %0, %0;" : "+r"(x));)
KERNEL(reverse, asm volatile("brev.b32 %0, %0;" : "+r"(x));)
KERNEL(shuffle, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x));)
KERNEL(match, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
KERNEL(reduce, asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(x));)
__constant__ uint32_t table[4096];
KERNEL(constant_32, asm volatile("{ .reg .u64 a, b; mov.u64 a, table; cvt.u64.u32 b, %0; add.u64 a, a, b; ld.const.u32 %0, [a]; }" : "+r"(x));)
// A comparison and a vote.
KERNEL(vote, asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0; vote.sync.ballot.b32 %0, q, 0xffffffff; }" : "+r"(x));)
KERNEL(product, asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));)
KERNEL(minimum, asm volatile("min.f32 %0, %0, %1;" : "+f"(f) : "f"(__uint_as_float(apart)));)
KERNEL(atomic, asm volatile("atom.global.exch.b32 %0, [%1], %0;" : "+r"(x) : "l"(out + 32 + threadIdx.x));)
