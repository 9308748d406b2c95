// Clocks from a load that no first cache answers to the next: one lane follows pointers. chase.py makes them and runs
// it: nvcc -std=c++17 -cubin -arch=sm_90 -o chase.cubin chase.cu.
#include <cstdint>
extern "C" __global__ void chase(uint32_t* out, const uint64_t* at, uint32_t steps) {
    const uint32_t start = uint32_t(clock64());
    for (uint32_t i = 0; i < steps; ++i) {
        uint64_t next;
        // .cg: in the second cache only. The address is that of the load before, so that the loop's own work is hidden.
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        at = reinterpret_cast<const uint64_t*>(next);
    }
    out[0] = uint32_t(clock64()) - start;
    out[1] = uint32_t(reinterpret_cast<uint64_t>(at));
}
