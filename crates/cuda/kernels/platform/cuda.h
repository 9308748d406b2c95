// The platform on an NVIDIA GPU. The only file that names intrinsics.
//
// Compiled without contraction (-fmad=false): a product and a sum are fused where they say so.
#pragma once

#include "halves.h"

#define RW_FUNCTION __device__ __forceinline__
#define RW_COLD __device__ __noinline__
// A kernel with one parameter.
#define RW_KERNEL_OF(type, parameter, name, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ type parameter)
#define RW_KERNEL(name, threads, blocks) RW_KERNEL_OF(raywarp::Launch, launch, name, threads, blocks)
// An event for the checks that run on a CPU: on a GPU nothing.
#define RW_EVENT(block)
// An array in the memory that the warps of a block share.
#define RW_SHARED(type, count, name) __shared__ raywarp::platform::Shared<type, count> name
// One whose length only the launch knows, from `offset` bytes on in what it asks for. Elements as in RW_SHARED.
#define RW_DYNAMIC_SHARED(type, count, offset, name) \
    raywarp::platform::SharedView<type> name{reinterpret_cast<type*>(raywarp::platform::block_memory(offset, 0))}

namespace raywarp {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using LaneMask = u32;

constexpr u32 WARP = 32;
constexpr LaneMask EVERYONE = 0xffffffffu;

namespace platform {

// Where in the source a function is called: only the checks on a CPU want to know.
struct Site {
    static RW_FUNCTION constexpr Site here() { return {}; }
};

// What the stream launches next may take its place on the device once all blocks are here, and waits there
// (`wait_for_launch_before`). Of GPUs from Hopper on; others start it when this launch is over.
RW_FUNCTION void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Until the launch before this one is over and all that it wrote is there.
RW_FUNCTION void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// As long as it lives the checks on a CPU are told no events.
struct Unwatched {};

RW_FUNCTION u32 lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// Number of the warp in its launch; warps of a block follow each other.
RW_FUNCTION u32 warp() { return (blockIdx.x * blockDim.x + threadIdx.x) / WARP; }

// Warps of the launch.
RW_FUNCTION u32 warps() { return gridDim.x * blockDim.x / WARP; }

// Number of the warp in its block.
RW_FUNCTION u32 warp_in_block() { return threadIdx.x / WARP; }

RW_FUNCTION LaneMask lanes_below() {
    LaneMask mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

RW_FUNCTION bool any_sync(LaneMask mask, bool x, Site = {}) { return __any_sync(mask, x) != 0; }
RW_FUNCTION LaneMask ballot_sync(LaneMask mask, bool x, Site = {}) { return __ballot_sync(mask, x); }
RW_FUNCTION u32 shuffle_sync(LaneMask mask, u32 x, u32 from) { return __shfl_sync(mask, x, static_cast<int>(from)); }
RW_FUNCTION u32 shuffle_xor_sync(LaneMask mask, u32 x, u32 bits) {
    return __shfl_xor_sync(mask, x, static_cast<int>(bits));
}
RW_FUNCTION void sync(LaneMask mask) { __syncwarp(mask); }
RW_FUNCTION void sync(LaneMask mask, Site) { sync(mask); }
// The warps of a block wait for each other, all lanes of all of them. For speed alone: nothing that one wrote is there for
// another.
RW_FUNCTION void keep_in_step() { __syncthreads(); }
// The same, and what each wrote is there for all.
RW_FUNCTION void sync_block() { __syncthreads(); }
// The lanes that come here at once, of whom each gets the same mask. Who they are is chance.
RW_FUNCTION LaneMask running_together(Site = {}) { return __activemask(); }

RW_FUNCTION u32 population(u32 x) { return static_cast<u32>(__popc(static_cast<int>(x))); }
// Number of the highest set bit; undefined for 0.
RW_FUNCTION u32 highest_bit(u32 x) {
    u32 bit;
    asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(x));
    return bit;
}
// Number of the lowest set bit; undefined for 0.
RW_FUNCTION u32 lowest_bit(u32 x) { return static_cast<u32>(__ffs(static_cast<int>(x))) - 1; }
// Byte i of a word, i from 0 to 3.
RW_FUNCTION u32 byte(u32 word, u32 i) {
    u32 x;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(0x4440u + i));
    return x;
}
// The same as a float. A conversion takes the pipeline of integers: 2^23 with the byte in its last places, less 2^23,
// takes that of multiply-adds. `power` is the bits of 2^23, computed: with a constant every selector is moved to a register.
RW_FUNCTION float byte_as_float(u32 word, u32 i, u32 power) {
    u32 x;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(word), "r"(power), "r"(0x7440u | i));
    return __fadd_rn(__uint_as_float(x), -8388608.0f);
}
// The n-th set bit of x, counted from 0.
RW_FUNCTION u32 nth_bit(u32 x, u32 n) { return __fns(x, 0, static_cast<int>(n) + 1); }

RW_FUNCTION float4 load4(const float4* p) { return __ldg(p); }
RW_FUNCTION uint4 load4(const uint4* p) { return __ldg(p); }
// Two chunks that no other lane asks for: they take no lines of the L1 from what is asked for again.
RW_FUNCTION void load_once(const float4* p, float4& first, float4& second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(first.x), "=f"(first.y), "=f"(first.z), "=f"(first.w)
        : "l"(p));
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4+16];"
        : "=f"(second.x), "=f"(second.y), "=f"(second.z), "=f"(second.w)
        : "l"(p));
#else
    first = load4(p);
    second = load4(p + 1);
#endif
}
RW_FUNCTION uint2 load2(const uint2* p) { return __ldg(p); }
RW_FUNCTION u32 load1(const u32* p) { return __ldg(p); }
// What texture units find in the image of a texture object, at normalised coordinates.
RW_FUNCTION float4 sample_texture(u64 texture, float u, float v) { return tex2D<float4>(texture, u, v); }
// What nobody reads soon: the first to leave the caches.
RW_FUNCTION void store_once(float4* p, float4 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    __stcs(p, value);
#else
    *p = value;
#endif
}
RW_FUNCTION u32 add_to_counter(u32* counter, u32 n) { return atomicAdd(counter, n); }
RW_FUNCTION u64 add_to_counter(u64* counter, u64 n) { return atomicAdd(counter, n); }
RW_FUNCTION void set_bits(u32* word, u32 bits) { atomicOr(word, bits); }

// Memory that a kernel changes, of which each word belongs to one lane.
template <class T>
RW_FUNCTION T get(const T* at) {
    return *at;
}
template <class T>
RW_FUNCTION void put(T* at, T value) {
    *at = value;
}

RW_FUNCTION float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
// IEEE division and reciprocal: every engine's bits.
RW_FUNCTION float reciprocal(float x) { return __frcp_rn(x); }
RW_FUNCTION float divide(float a, float b) { return __fdiv_rn(a, b); }
// The same for x within 2^-120 to 2^120: what the compiler's own does without looking for others.
RW_FUNCTION float reciprocal_of_middling(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return __fmaf_rn(y, -__fmaf_rn(x, y, -1.0f), y);
}
// Within 1 ulp here, exact when emulated: for tests that promise no bits (Woop's).
RW_FUNCTION float reciprocal_about(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// A NaN drops out of either.
RW_FUNCTION float least(float a, float b) { return fminf(a, b); }
RW_FUNCTION float most(float a, float b) { return fmaxf(a, b); }
// Not above zero unless of a, b and c one is below zero and one above; of either sign where one is NaN. As integers,
// which order floats of one sign: three of them are one instruction on some GPUs, as floats they are two.
RW_FUNCTION int sides(float a, float b, float c) {
    const u32 below = __vimax3_u32(__float_as_uint(a), __float_as_uint(b), __float_as_uint(c));
    const int above = __vimax3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c));
    int sides;  // The sum may overflow, which C++ would have no meaning for.
    asm("{.reg .s32 x; add.s32 x, %1, 0x80000000; min.s32 %0, x, %2;}" : "=r"(sides) : "r"(below), "r"(above));
    return sides;
}
RW_FUNCTION float float_of(u32 bits) { return __uint_as_float(bits); }
RW_FUNCTION u32 bits_of(float x) { return __float_as_uint(x); }
RW_FUNCTION float magnitude(float x) { return fabsf(x); }
// Neither infinite nor NaN.
RW_FUNCTION bool is_finite(float x) { return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u; }
// Correctly rounded.
RW_FUNCTION float square_root(float x) { return __fsqrt_rn(x); }
RW_FUNCTION double square_root(double x) { return __dsqrt_rn(x); }
RW_FUNCTION float floor(float x) { return floorf(x); }
// C's fmod: exact, with the sign of x.
RW_FUNCTION float remainder(float x, float m) { return fmodf(x, m); }
// Towards zero; what does not fit is the nearest that does, and NaN is 0.
RW_FUNCTION u32 to_u32(float x) { return __float2uint_rz(x); }
RW_FUNCTION int to_i32(float x) { return x == x ? __float2int_rz(x) : 0; }
RW_FUNCTION u64 to_u64(double x) { return x == x ? __double2ull_rz(x) : 0; }
RW_FUNCTION u32 reverse_bits(u32 x) { return __brev(x); }
RW_FUNCTION u64 reverse_bits(u64 x) { return __brevll(x); }
// All bits if the sign is set, none otherwise.
RW_FUNCTION u32 sign_mask(float x) { return static_cast<u32>(__float_as_int(x) >> 31); }

// The bytes of a and b that the selector's digits name: those of a are 0 to 3. A digit with 8 gives its byte's sign.
RW_FUNCTION u32 permute(u32 a, u32 b, u32 selector) {
    u32 x;  // The intrinsic would mask the selector first.
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b), "r"(selector));
    return x;
}
// The same of a and zero.
RW_FUNCTION u32 permute(u32 a, u32 selector) {
    u32 x;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(a), "r"(selector));
    return x;
}

// Two halves in a word, the first in the lower half.
using Halves = __half2;
RW_FUNCTION Halves halves_of_bits(u32 bits) { return *reinterpret_cast<Halves*>(&bits); }
RW_FUNCTION u32 bits_of(Halves x) { return *reinterpret_cast<u32*>(&x); }
// Rounded to the nearest, of two equally near ones to the even one.
RW_FUNCTION Halves halves(float first, float second) { return __floats2half2_rn(first, second); }
RW_FUNCTION Halves first_twice(Halves x) { return __low2half2(x); }
RW_FUNCTION Halves second_twice(Halves x) { return __high2half2(x); }
// a * b + c, rounded once.
RW_FUNCTION Halves fused(Halves a, Halves b, Halves c) { return __hfma2(a, b, c); }
// Of halves' bits as integers with a sign: the most of three and zero; the least of three, and of two.
RW_FUNCTION u32 most_or_zero(Halves a, Halves b, Halves c) {
    return __vimax3_s16x2_relu(bits_of(a), bits_of(b), bits_of(c));
}
RW_FUNCTION u32 least(Halves a, Halves b, Halves c) { return __vimin3_s16x2(bits_of(a), bits_of(b), bits_of(c)); }
RW_FUNCTION u32 least_pairs(u32 a, u32 b) { return __vmins2(a, b); }
// All bits of a half where a <= b.
RW_FUNCTION u32 not_above(u32 a, u32 b) { return __hle2_mask(halves_of_bits(a), halves_of_bits(b)); }

// x, hidden from the optimiser.
RW_FUNCTION u32 hidden(u32 x) {
    asm volatile("" : "+r"(x));
    return x;
}

// An array that the lanes of a block share. Two lanes' accesses to an element, one of them a write, need a `sync`
// between them.
template <class T, u32 COUNT>
struct Shared {
    T values[COUNT];
    RW_FUNCTION T load(u32 index) const { return values[index]; }
    RW_FUNCTION void store(u32 index, T value) { values[index] = value; }
};

// Memory of the launch's that a block shares, so many bytes from `offset` on; each word belongs to one lane, between two
// `sync_block` at least.
RW_FUNCTION u8* block_memory(u32 offset, u32 /*bytes*/) {
    extern __shared__ uint4 raywarp_block_memory[];
    return reinterpret_cast<u8*>(raywarp_block_memory) + offset;
}

template <class T>
struct SharedView {
    T* values;
    RW_FUNCTION T load(u32 index) const { return values[index]; }
    RW_FUNCTION void store(u32 index, T value) const { values[index] = value; }
};

}  // namespace platform

}  // namespace raywarp
