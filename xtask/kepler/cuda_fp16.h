// What platform/cuda.h takes from NVIDIA's headers, for a compiler that has none of them: Clang without a CUDA toolkit, which
// makes PTX for machines that NVIDIA's own front end of C++20 no longer knows. Names and meanings are those of the CUDA
// Programming Guide; of what no kernel for such machines uses, only the declaration is here.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// Parameters that are only read stay where they are anyway.
#define __grid_constant__

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(8) float2 {
    float x, y;
};
struct __half2 {
    unsigned bits;
};

#define RW_SHIM __device__ __forceinline__

// Special registers by the names that C++ for CUDA has for them.
struct RwThread {
    __declspec(property(get = get_x)) unsigned x;
    RW_SHIM static unsigned get_x() { return __nvvm_read_ptx_sreg_tid_x(); }
};
struct RwBlock {
    __declspec(property(get = get_x)) unsigned x;
    RW_SHIM static unsigned get_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
};
struct RwThreads {
    __declspec(property(get = get_x)) unsigned x;
    RW_SHIM static unsigned get_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
};
struct RwBlocks {
    __declspec(property(get = get_x)) unsigned x;
    RW_SHIM static unsigned get_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
};
extern const __device__ __attribute__((weak)) RwThread threadIdx;
extern const __device__ __attribute__((weak)) RwBlock blockIdx;
extern const __device__ __attribute__((weak)) RwThreads blockDim;
extern const __device__ __attribute__((weak)) RwBlocks gridDim;

// Votes and shuffles: on these machines lanes that run together, whatever the mask says.
RW_SHIM int __any_sync(unsigned mask, int x) { return __nvvm_vote_any_sync(mask, x != 0); }
RW_SHIM unsigned __ballot_sync(unsigned mask, int x) { return __nvvm_vote_ballot_sync(mask, x != 0); }
RW_SHIM unsigned __shfl_sync(unsigned mask, unsigned x, int from) {
    return __nvvm_shfl_sync_idx_i32(mask, static_cast<int>(x), from, 31);
}
RW_SHIM unsigned __shfl_xor_sync(unsigned mask, unsigned x, int bits) {
    return __nvvm_shfl_sync_bfly_i32(mask, static_cast<int>(x), bits, 31);
}
RW_SHIM void __syncwarp(unsigned mask) { __nvvm_bar_warp_sync(mask); }
RW_SHIM unsigned __activemask() {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

RW_SHIM int __popc(int x) { return __builtin_popcount(static_cast<unsigned>(x)); }
RW_SHIM int __ffs(int x) { return __builtin_ffs(x); }
RW_SHIM unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
RW_SHIM unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
RW_SHIM unsigned __fns(unsigned x, unsigned base, int n) {
    unsigned place = 0xffffffffu;
    for (unsigned bit = base; bit < 32 && n > 0; bit++) {
        if ((x >> bit & 1) != 0 && --n == 0) {
            place = bit;
        }
    }
    return place;
}

RW_SHIM float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
RW_SHIM unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
RW_SHIM int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
RW_SHIM float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
RW_SHIM float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
RW_SHIM float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
RW_SHIM float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
RW_SHIM float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
RW_SHIM double __dsqrt_rn(double x) { return __nvvm_sqrt_rn_d(x); }
RW_SHIM float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
RW_SHIM float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
RW_SHIM float fabsf(float x) { return __builtin_fabsf(x); }
RW_SHIM float floorf(float x) { return __nvvm_floor_f(x); }
__device__ float fmodf(float x, float m);
RW_SHIM unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
RW_SHIM int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
RW_SHIM unsigned long long __double2ull_rz(double x) { return __nvvm_d2ull_rz(x); }

// By the cache for what is only read. As the compiler's own functions, which know that addresses have parts in common.
typedef float RwFloat4 __attribute__((ext_vector_type(4)));
typedef int RwInt4 __attribute__((ext_vector_type(4)));
typedef int RwInt2 __attribute__((ext_vector_type(2)));
RW_SHIM float4 __ldg(const float4* p) {
    return __builtin_bit_cast(float4, __nvvm_ldg_f4((const RwFloat4*)p));
}
RW_SHIM uint4 __ldg(const uint4* p) { return __builtin_bit_cast(uint4, __nvvm_ldg_i4((const RwInt4*)p)); }
RW_SHIM uint2 __ldg(const uint2* p) { return __builtin_bit_cast(uint2, __nvvm_ldg_i2((const RwInt2*)p)); }
RW_SHIM unsigned __ldg(const unsigned* p) { return static_cast<unsigned>(__nvvm_ldg_i((const int*)p)); }
RW_SHIM unsigned atomicAdd(unsigned* at, unsigned n) {
    return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}
RW_SHIM unsigned long long atomicAdd(unsigned long long* at, unsigned long long n) {
    return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}
RW_SHIM unsigned atomicOr(unsigned* at, unsigned bits) { return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED); }
template <class T>
__device__ T tex2D(unsigned long long texture, float u, float v);

// Greatest and least of three.
RW_SHIM unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) {
    const unsigned ab = a > b ? a : b;
    return ab > c ? ab : c;
}
RW_SHIM int __vimax3_s32(int a, int b, int c) {
    const int ab = a > b ? a : b;
    return ab > c ? ab : c;
}

// Halves: no such machine computes with them.
__device__ __half2 __floats2half2_rn(float first, float second);
__device__ __half2 __low2half2(__half2 x);
__device__ __half2 __high2half2(__half2 x);
__device__ __half2 __hfma2(__half2 a, __half2 b, __half2 c);
__device__ unsigned __hle2_mask(__half2 a, __half2 b);
__device__ unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c);
__device__ unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c);
__device__ unsigned __vmins2(unsigned a, unsigned b);
