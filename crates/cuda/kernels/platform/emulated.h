// The platform on a CPU: a lane is a fibre, and every use of the warp is checked.
//
// Lanes meet at each `_sync` function: intrinsic, site and mask must match, the caller must be in its mask, and
// no named lane may have ended. Loads must lie in what the launch names. Shared memory notes who touches what.
// The machine behind is in crates/cuda-emulation/machine. Compiled without contraction, as on a GPU.
#pragma once

#include <cstring>
#include <new>

#include "binary16.h"
#include "texture_unit.h"

#define RW_FUNCTION inline
#define RW_COLD __attribute__((noinline, unused))
#define RW_KERNEL_OF(type, parameter, name, threads, blocks) extern "C" void name(const type& parameter)
#define RW_KERNEL(name, threads, blocks) RW_KERNEL_OF(raywarp::Launch, launch, name, threads, blocks)
// The lane notes that it runs a block of a micro-operation, by its name in raywarp-family.
#define RW_EVENT(block) raywarp::emulation::event(raywarp::emulation::Block::block)
// An array in the memory that the warps of a block share.
#define RW_SHARED(type, count, name)                                                            \
    auto& name = *reinterpret_cast<raywarp::platform::Shared<type, count>*>(raywarp::emulation::shared( \
        sizeof(type), count, #name, raywarp::platform::Site::here()))
// One whose length only the launch knows, from `offset` bytes on in what it asks for.
#define RW_DYNAMIC_SHARED(type, count, offset, name)                                        \
    auto& name = *reinterpret_cast<raywarp::platform::Shared<type, 0>*>(raywarp::emulation::dynamic_shared( \
        sizeof(type), count, offset, #name, raywarp::platform::Site::here()))

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

namespace raywarp {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using LaneMask = u32;

constexpr u32 WARP = 32;
constexpr LaneMask EVERYONE = 0xffffffffu;

namespace platform {

// Where in the source a function of the platform is called. As a default argument it is the caller's place.
struct Site {
    const char* file;
    u32 line;
    static constexpr Site here(const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace platform

namespace emulation {

using platform::Site;

// Generated from raywarp-family's blocks.
#include "blocks.h"

enum class Intrinsic : u32 { Any, Ballot, Shuffle, ShuffleXor, Sync, KeepInStep, SyncBlock, RunningTogether };

// The lane that runs now.
struct Here {
    u32 lane, warp, warp_in_block;
    // Of the launch.
    u32 warps;
};
extern __thread Here* here;

void event(Block block);
// From now on the lane tells no events, or tells them again.
void watch(bool watched);
// The lane waits for the lanes of the mask. What it gets depends on the intrinsic.
u32 meet(Intrinsic intrinsic, LaneMask mask, u32 value, u32 from, Site site);
// The lane waits until no other lane of its warp can go on: then some of those that wait at its site go on together.
LaneMask together(Site site);
// The lane is about to read what a kernel may only read.
void read(const void* from, u32 bytes, Site site);
// The lane is about to change a word that others may change: they may run before.
void change(const void* word, u32 bytes, Site site);

// The lane is about to read or write its own part of what the kernel changes.
void touch(const void* at, u32 bytes, Site site);

struct SharedArray;
SharedArray* shared(u32 bytes, u32 count, const char* name, Site site);
// The same, of what the launch has asked for.
SharedArray* dynamic_shared(u32 bytes, u32 count, u32 offset, const char* name, Site site);
u8* part_of_block(u32 offset, u32 bytes, Site site);
// The lane has waited for the launch before; how often lanes have.
void has_waited();
u64 waits();
void* touch_shared(SharedArray* array, u32 index, bool write, Site site);

}  // namespace emulation

namespace platform {

// Launches follow each other here; whoever lets one come early wants to know that it waits.
inline void let_next_launch_start() {}
inline void wait_for_launch_before() { emulation::has_waited(); }

// As long as it lives the lane tells no events.
struct Unwatched {
    Unwatched() { emulation::watch(false); }
    ~Unwatched() { emulation::watch(true); }
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;
};

inline u32 lane() { return emulation::here->lane; }
inline u32 warp() { return emulation::here->warp; }
inline u32 warps() { return emulation::here->warps; }
inline u32 warp_in_block() { return emulation::here->warp_in_block; }
inline LaneMask lanes_below() { return (1u << lane()) - 1; }

inline bool any_sync(LaneMask mask, bool x, Site site = Site::here()) {
    return emulation::meet(emulation::Intrinsic::Any, mask, x, 0, site) != 0;
}
inline LaneMask ballot_sync(LaneMask mask, bool x, Site site = Site::here()) {
    return emulation::meet(emulation::Intrinsic::Ballot, mask, x, 0, site);
}
inline u32 shuffle_sync(LaneMask mask, u32 x, u32 from, Site site = Site::here()) {
    return emulation::meet(emulation::Intrinsic::Shuffle, mask, x, from % WARP, site);
}
inline u32 shuffle_xor_sync(LaneMask mask, u32 x, u32 bits, Site site = Site::here()) {
    return emulation::meet(emulation::Intrinsic::ShuffleXor, mask, x, (lane() ^ bits) % WARP, site);
}
inline void sync(LaneMask mask, Site site = Site::here()) {
    emulation::meet(emulation::Intrinsic::Sync, mask, 0, 0, site);
}
// Warps do not wait here, so that nothing comes to rely on it; but all of a block must come equally often.
inline void keep_in_step(Site site = Site::here()) {
    emulation::meet(emulation::Intrinsic::KeepInStep, EVERYONE, 0, 0, site);
}
// All lanes of a block wait for each other, and what each wrote is there for all.
inline void sync_block(Site site = Site::here()) {
    emulation::meet(emulation::Intrinsic::SyncBlock, EVERYONE, 0, 0, site);
}
// Memory of the launch's that a block shares, so many bytes from `offset` on; each word belongs to one lane, between two
// `sync_block` at least, which nothing checks.
inline u8* block_memory(u32 offset, u32 bytes, Site site = Site::here()) {
    return emulation::part_of_block(offset, bytes, site);
}
// The lanes that come here at once, of whom each gets the same mask. Who they are is chance.
inline LaneMask running_together(Site site = Site::here()) { return emulation::together(site); }

inline u32 population(u32 x) { return static_cast<u32>(__builtin_popcount(x)); }
// Number of the highest set bit; undefined for 0.
inline u32 highest_bit(u32 x) { return 31u - static_cast<u32>(__builtin_clz(x)); }
// Number of the lowest set bit; undefined for 0.
inline u32 lowest_bit(u32 x) { return static_cast<u32>(__builtin_ctz(x)); }
// Byte i of a word, i from 0 to 3.
inline u32 byte(u32 word, u32 i) { return word >> (8 * i) & 0xffu; }
// The n-th set bit of x, counted from 0.
inline u32 nth_bit(u32 x, u32 n) {
    for (; n > 0; n--) {
        x &= x - 1;
    }
    return x != 0 ? lowest_bit(x) : 0xffffffffu;
}

inline float4 load4(const float4* p, Site site = Site::here()) {
    emulation::read(p, sizeof(*p), site);
    return *p;
}
inline void load_once(const float4* p, float4& first, float4& second, Site site = Site::here()) {
    first = load4(p, site);
    second = load4(p + 1, site);
}
inline uint4 load4(const uint4* p, Site site = Site::here()) {
    emulation::read(p, sizeof(*p), site);
    return *p;
}
inline uint2 load2(const uint2* p, Site site = Site::here()) {
    emulation::read(p, sizeof(*p), site);
    return *p;
}
inline u32 load1(const u32* p, Site site = Site::here()) {
    emulation::read(p, sizeof(*p), site);
    return *p;
}
// What texture units find in the image of a texture object, at normalised coordinates.
inline float4 sample_texture(u64 texture, float u, float v, Site site = Site::here()) {
    const auto* object = reinterpret_cast<const texture_unit::Texture*>(texture);
    emulation::read(object, sizeof(*object), site);
    const auto sees = [site](const void* texel, u32 bytes) { emulation::read(texel, bytes, site); };
    const texture_unit::Rgba found = texture_unit::sample(*object, u, v, sees);
    return {found.values[0], found.values[1], found.values[2], found.values[3]};
}
inline void store_once(float4* p, float4 value) { *p = value; }
template <class T, class N>
T add_to_counter(T* counter, N n, Site site = Site::here()) {
    emulation::change(counter, sizeof(*counter), site);
    const T old = *counter;
    *counter = old + static_cast<T>(n);
    return old;
}
inline void set_bits(u32* word, u32 bits, Site site = Site::here()) {
    emulation::change(word, sizeof(*word), site);
    *word |= bits;
}

// Memory that a kernel changes, of which each word belongs to one lane.
template <class T>
T get(const T* at, Site site = Site::here()) {
    emulation::touch(at, sizeof(T), site);
    return *at;
}
template <class T>
void put(T* at, T value, Site site = Site::here()) {
    emulation::touch(at, sizeof(T), site);
    *at = value;
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float reciprocal(float x) { return 1.0f / x; }
inline float divide(float a, float b) { return a / b; }
inline float reciprocal_of_middling(float x) { return 1.0f / x; }
inline float reciprocal_about(float x) { return 1.0f / x; }
// A NaN drops out of either.
inline float least(float a, float b) { return a < b || b != b ? a : b; }
inline float most(float a, float b) { return a > b || b != b ? a : b; }
inline float float_of(u32 bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}
inline u32 bits_of(float x) {
    u32 bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}
// Not above zero unless of a, b and c one is below zero and one above; of either sign where one is NaN.
inline int sides(float a, float b, float c) {
    const u32 bits[3] = {bits_of(a), bits_of(b), bits_of(c)};
    u32 below = 0;
    int above = -0x7fffffff - 1;
    for (const u32 x : bits) {
        below = x > below ? x : below;
        above = static_cast<int>(x) > above ? static_cast<int>(x) : above;
    }
    const int negative = static_cast<int>(below + 0x80000000u);
    return negative < above ? negative : above;
}
inline float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }
// Byte i of a word as a float; `power` is the bits of 2^23.
inline float byte_as_float(u32 word, u32 i, u32 power) {
    return float_of(power | byte(word, i)) - 8388608.0f;
}
// All bits if the sign is set, none otherwise.
inline u32 sign_mask(float x) { return bits_of(x) >> 31 != 0 ? 0xffffffffu : 0; }
// Neither infinite nor NaN.
inline bool is_finite(float x) { return (bits_of(x) & 0x7f800000u) != 0x7f800000u; }

// Correctly rounded.
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline float floor(float x) { return __builtin_floorf(x); }
// C's fmod: exact, with the sign of x.
inline float remainder(float x, float m) { return __builtin_fmodf(x, m); }
// Towards zero; what does not fit is the nearest that does, and NaN is 0.
inline u32 to_u32(float x) { return x >= 4294967296.0f ? 0xffffffffu : x > 0.0f ? static_cast<u32>(x) : 0; }
inline int to_i32(float x) {
    return x >= 2147483648.0f ? 0x7fffffff : x <= -2147483648.0f ? -0x7fffffff - 1 : x == x ? static_cast<int>(x) : 0;
}
inline u64 to_u64(double x) { return x >= 18446744073709551616.0 ? ~0ull : x > 0.0 ? static_cast<u64>(x) : 0; }
inline u32 reverse_bits(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline u64 reverse_bits(u64 x) {
    return static_cast<u64>(reverse_bits(static_cast<u32>(x))) << 32 | reverse_bits(static_cast<u32>(x >> 32));
}

// The bytes of a and b that the selector's digits name: those of a are 0 to 3. A digit with 8 gives its byte's sign.
inline u32 permute(u32 a, u32 b, u32 selector) {
    u32 x = 0;
    for (u32 i = 0; i < 4; i++) {
        const u32 digit = selector >> (4 * i) & 15u, chosen = byte((digit & 4) != 0 ? b : a, digit & 3);
        x |= ((digit & 8) != 0 ? (chosen >> 7) * 0xffu : chosen) << (8 * i);
    }
    return x;
}
inline u32 permute(u32 a, u32 selector) { return permute(a, 0, selector); }

// Two halves in a word, the first in the lower half.
struct Halves {
    u32 bits;
};
inline Halves halves_of_bits(u32 bits) { return {bits}; }
inline u32 bits_of(Halves x) { return x.bits; }
template <class F>
u32 each_half(F f) {
    return static_cast<u32>(f(0u) & 0xffff) | static_cast<u32>(f(16u) & 0xffff) << 16;
}
inline Halves halves(float first, float second) {
    return {binary16::from_double(first) | binary16::from_double(second) << 16};
}
inline Halves first_twice(Halves x) { return {permute(x.bits, 0x1010)}; }
inline Halves second_twice(Halves x) { return {permute(x.bits, 0x3232)}; }
inline Halves fused(Halves a, Halves b, Halves c) {
    return {each_half([&](u32 at) { return binary16::fused(a.bits >> at, b.bits >> at, c.bits >> at); })};
}
inline int signed_half(u32 x, u32 at) { return static_cast<short>(x >> at); }
// Of halves' bits as integers with a sign: the most of three and zero; the least of three, and of two.
inline u32 most_or_zero(Halves a, Halves b, Halves c) {
    return each_half([&](u32 at) {
        const int x = signed_half(a.bits, at), y = signed_half(b.bits, at), z = signed_half(c.bits, at);
        const int most = x > y ? x : y, all = most > z ? most : z;
        return all > 0 ? all : 0;
    });
}
inline u32 least_pairs(u32 a, u32 b) {
    return each_half([&](u32 at) {
        const int x = signed_half(a, at), y = signed_half(b, at);
        return x < y ? x : y;
    });
}
inline u32 least(Halves a, Halves b, Halves c) { return least_pairs(least_pairs(a.bits, b.bits), c.bits); }
// All bits of a half where a <= b.
inline u32 not_above(u32 a, u32 b) {
    return each_half([&](u32 at) { return binary16::to_double(a >> at) <= binary16::to_double(b >> at) ? 0xffffu : 0u; });
}

// x; hidden from the optimiser where that matters.
inline u32 hidden(u32 x) { return x; }

// An array that the lanes of a block share. Two lanes' accesses to an element, one of them a write, need a `sync`
// between them: other meetings do not order memory. It lives as long as its block, in the machine's form.
template <class T, u32 COUNT>
class Shared {
  public:
    T load(u32 index, Site site = Site::here()) const {
        T value;
        std::memcpy(&value, emulation::touch_shared(array(), index, false, site), sizeof(T));
        return value;
    }
    void store(u32 index, T value, Site site = Site::here()) {
        std::memcpy(emulation::touch_shared(array(), index, true, site), &value, sizeof(T));
    }

  private:
    emulation::SharedArray* array() const {
        return reinterpret_cast<emulation::SharedArray*>(const_cast<Shared*>(this));
    }
};

}  // namespace platform

}  // namespace raywarp
