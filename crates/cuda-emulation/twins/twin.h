// Functions of crates/render-cuda/kernels as cases: words in, words out. As raywarp-render's twins/words.rs.
//
//     TWIN(name) { out.put(function(in.vec3(), in.number())); }
//
// One a line, at its beginning: the build makes its table of these lines.
#pragma once

#include "flat/scene.h"

namespace raywarp::render {

struct Reader {
    const u32* at;

    u32 word() { return *at++; }
    bool flag() { return word() != 0; }
    float number() { return float_of(word()); }
    // Each read in its turn: an initialiser in braces goes from left to right.
    Vec2 vec2() { return Vec2{number(), number()}; }
    Vec3 vec3() { return Vec3{number(), number(), number()}; }
    Vec4 vec4() { return Vec4{number(), number(), number(), number()}; }
    template <class T>
    T record() {
        T value;
        __builtin_memcpy(&value, at, sizeof(T));
        at += sizeof(T) / 4;
        return value;
    }
};

struct Writer {
    u32* at;

    void put(u32 word) { *at++ = word; }
    void put(bool flag) { put(flag ? 1u : 0u); }
    void put(float number) { put(is_nan(number) ? 0x7fc00000u : bits_of(number)); }
    void put(Vec2 v) { put(v.x), put(v.y); }
    void put(Vec3 v) { put(v.x), put(v.y), put(v.z); }
    void put(Vec4 v) { put(v.x), put(v.y), put(v.z), put(v.w); }
    // Nothing is a zero and the zeros of the value.
    template <class T>
    void put(Option<T> option) {
        put(option.some);
        put(option.some ? option.value : T{});
    }
};

}  // namespace raywarp::render

using raywarp::u32;
using raywarp::u64;

#define TWIN(name)                                                                                          \
    extern "C" void raywarp_twin_##name([[maybe_unused]] const raywarp::render::Scene& scene,               \
                                        [[maybe_unused]] raywarp::render::Reader& in,                       \
                                        [[maybe_unused]] raywarp::render::Writer& out)
