// Pairs of halves: CUDA's own header, or where the compiler comes without headers (NVRTC) what cuda.h asks of it, by the same
// instructions and under the same names, so that cuda.h is one text.
#pragma once

#ifndef __CUDACC_RTC__
#include <cuda_fp16.h>
#else

namespace raywarp::platform {

struct __half2 {
    unsigned bits;
};

__device__ __forceinline__ __half2 __floats2half2_rn(float first, float second) {
    __half2 x;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(x.bits) : "f"(first), "f"(second));
#else
    asm("{.reg .f16 low, high; cvt.rn.f16.f32 low, %1; cvt.rn.f16.f32 high, %2; mov.b32 %0, {low, high};}"
        : "=r"(x.bits)
        : "f"(first), "f"(second));
#endif
    return x;
}

__device__ __forceinline__ __half2 __low2half2(__half2 x) {
    __half2 twice;
    asm("{.reg .f16 low, high; mov.b32 {low, high}, %1; mov.b32 %0, {low, low};}" : "=r"(twice.bits) : "r"(x.bits));
    return twice;
}

__device__ __forceinline__ __half2 __high2half2(__half2 x) {
    __half2 twice;
    asm("{.reg .f16 low, high; mov.b32 {low, high}, %1; mov.b32 %0, {high, high};}" : "=r"(twice.bits) : "r"(x.bits));
    return twice;
}

__device__ __forceinline__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    __half2 x;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(x.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
    return x;
}

__device__ __forceinline__ unsigned __hle2_mask(__half2 a, __half2 b) {
    unsigned mask;
    asm("set.le.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(a.bits), "r"(b.bits));
    return mask;
}

}  // namespace raywarp::platform

#endif
