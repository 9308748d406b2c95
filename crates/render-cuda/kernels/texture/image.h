// Texels, and what lies between and outside of them. As raywarp-render's texture/image.rs.
#pragma once

#include "../flat/scene.h"

namespace raywarp::render {

using i64 = long long;

// Linear RGBA of a texel that is there.
RW_FUNCTION Vec4 texel(const Scene& scene, const ImageRecord& image, u32 x, u32 y) {
    const u64 i = static_cast<u64>(y) * image.width + x;
    if (image.format() == Texels::Float) {
        const uint4 bits = load(reinterpret_cast<const uint4*>(image.texels) + i);
        return {float_of(bits.x), float_of(bits.y), float_of(bits.z), float_of(bits.w)};
    }
    const u32 bytes = load(reinterpret_cast<const u32*>(image.texels) + i);
    const u32 r = platform::byte(bytes, 0), g = platform::byte(bytes, 1), b = platform::byte(bytes, 2);
    const float a = static_cast<float>(platform::byte(bytes, 3)) * (1.0f / 255.0f);
    if (image.format() == Texels::Srgb8) {
        return {float_of(load(scene.srgb, r)), float_of(load(scene.srgb, g)), float_of(load(scene.srgb, b)), a};
    }
    return {static_cast<float>(r) * (1.0f / 255.0f), static_cast<float>(g) * (1.0f / 255.0f), static_cast<float>(b) * (1.0f / 255.0f), a};
}

// The remainder of i, 0 to size - 1. In 32 bits where they hold it: division is long.
RW_FUNCTION u32 remainder_of(i64 i, u32 size) {
    if (i == static_cast<int>(i)) {
        // Of a negative number, that of its complement counts from the other end.
        const u32 bits = static_cast<u32>(i);
        return i < 0 ? size - 1 - ~bits % size : bits % size;
    }
    const i64 remainder = i % static_cast<i64>(size);
    return static_cast<u32>(remainder < 0 ? remainder + size : remainder);
}

// The texel index that integer position i falls on, or none for black outside.
RW_FUNCTION Option<u32> wrapped(i64 i, u32 size, Wrapping wrap) {
    // All agree inside.
    if (i >= 0 && i < static_cast<i64>(size)) {
        return some(static_cast<u32>(i));
    }
    if (wrap == Wrapping::Repeat) {
        return some(remainder_of(i, size));
    }
    if (wrap == Wrapping::Clamp) {
        return some(i < 0 ? 0 : size - 1);
    }
    if (wrap == Wrapping::Mirror) {
        const u32 m = remainder_of(i, 2 * size);
        return some(m < size ? m : 2 * size - 1 - m);
    }
    return none();
}

RW_FUNCTION Vec4 texel_or_black(const Scene& scene, const ImageRecord& image, Option<u32> x, Option<u32> y) {
    return x.some && y.some ? texel(scene, image, x.value, y.value) : Vec4::splat(0.0f);
}

// Texture coordinates for which there are texels.
RW_FUNCTION Vec2 within_reach(Vec2 uv) { return is_finite(uv) ? clamp(uv, -1e9f, 1e9f) : Vec2::splat(0.0f); }

// An image at texture coordinates uv.
RW_FUNCTION Vec4 look_up(const Scene& scene, const ImageRecord& image, Vec2 uv, Wrapping wrap_x, Wrapping wrap_y,
                         ImageLookup lookup) {
    uv = within_reach(uv);
    const bool nearest = lookup == ImageLookup::Nearest;
    Vec2 p = uv * Vec2{static_cast<float>(image.width), static_cast<float>(image.height)};
    p = nearest ? p : p - 0.5f;
    const Vec2 low = {platform::floor(p.x), platform::floor(p.y)};
    const i64 x = static_cast<i64>(low.x), y = static_cast<i64>(low.y);
    const Option<u32> x0 = wrapped(x, image.width, wrap_x), y0 = wrapped(y, image.height, wrap_y);
    const Vec4 first = texel_or_black(scene, image, x0, y0);
    if (nearest) {
        return first;
    }
    const Vec2 f = p - low;
    const Option<u32> x1 = wrapped(x + 1, image.width, wrap_x), y1 = wrapped(y + 1, image.height, wrap_y);
    const Vec4 top = lerp(first, texel_or_black(scene, image, x1, y0), f.x);
    const Vec4 bottom =
        lerp(texel_or_black(scene, image, x0, y1), texel_or_black(scene, image, x1, y1), f.x);
    return lerp(top, bottom, f.y);
}

// About the same by the GPU's texture units, whose weights have 8 bits.
RW_FUNCTION Vec4 sampled(u64 texture, Vec2 uv) {
    uv = within_reach(uv);
    const float4 found = platform::sample_texture(texture, uv.x, uv.y);
    return {found.x, found.y, found.z, found.w};
}

}  // namespace raywarp::render
