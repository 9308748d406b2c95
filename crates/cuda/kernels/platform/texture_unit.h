// Texture units on a CPU. Source: NVIDIA, CUDA C++ Programming Guide, "Texture Fetching".
//
// A weight of linear filtering is rounded to 8 bits of fraction, 1 being one of its values. What the guide does not say
// is exact here: how a byte of sRGB becomes a number, the sum of the four weighted texels, and positions, which a GPU
// may round.
#pragma once

#include <cmath>
#include <cstring>

namespace raywarp::platform::texture_unit {

using u32 = unsigned int;
using i64 = long long;

// Numbers of the driver's interface.
enum class Address : u32 { Wrap, Clamp, Mirror, Border };
// Four channels: bytes from 0 to 1, of which the first three may be sRGB; or floats.
enum class Format : u32 { Srgb8, Linear8, Float };

// What a texture object says. Its handle is its address.
struct Texture {
    // Row by row.
    const void* texels;
    u32 width, height;
    Format format;
    u32 is_linear;
    Address address[2];
};

struct Rgba {
    float values[4];
};

inline float from_srgb(unsigned char byte) {
    static const struct Table {
        float values[256];
        Table() {
            for (int i = 0; i < 256; i++) {
                const double x = i / 255.0;
                values[i] = static_cast<float>(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
            }
        }
    } table;
    return table.values[byte];
}

// The texel index that i falls on, or -1 for the border.
inline i64 addressed(i64 i, i64 size, Address address) {
    if (i >= 0 && i < size) {
        return i;
    }
    const i64 period = address == Address::Mirror ? 2 * size : size;
    const i64 rest = ((i % period) + period) % period;
    switch (address) {
        case Address::Wrap: return rest;
        case Address::Clamp: return i < 0 ? 0 : size - 1;
        case Address::Mirror: return rest < size ? rest : period - 1 - rest;
        default: return -1;
    }
}

// The texel at integers x and y; `sees` is told what is read.
template <class Sees>
Rgba texel(const Texture& texture, i64 x, i64 y, const Sees& sees) {
    x = addressed(x, texture.width, texture.address[0]);
    y = addressed(y, texture.height, texture.address[1]);
    Rgba rgba = {};
    if (x < 0 || y < 0) {
        return rgba;
    }
    const i64 i = y * texture.width + x;
    if (texture.format == Format::Float) {
        const auto* from = static_cast<const Rgba*>(texture.texels) + i;
        sees(from, sizeof(*from));
        return *from;
    }
    const unsigned char* from = static_cast<const unsigned char*>(texture.texels) + 4 * i;
    sees(from, 4);
    for (int channel = 0; channel < 4; channel++) {
        const bool is_srgb = texture.format == Format::Srgb8 && channel < 3;
        rgba.values[channel] = is_srgb ? from_srgb(from[channel]) : static_cast<float>(from[channel]) * (1.0f / 255.0f);
    }
    return rgba;
}

// A weight as the filter has it.
inline float weight(double fraction) { return static_cast<float>(std::floor(fraction * 256.0 + 0.5) / 256.0); }

template <class Sees>
Rgba sample(const Texture& texture, float u, float v, const Sees& sees) {
    // A product of a float and a size is exact.
    const double x = static_cast<double>(u) * texture.width, y = static_cast<double>(v) * texture.height;
    if (texture.is_linear == 0) {
        return texel(texture, static_cast<i64>(std::floor(x)), static_cast<i64>(std::floor(y)), sees);
    }
    const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
    const float a = weight(x - 0.5 - left), b = weight(y - 0.5 - top);
    const float weights[4] = {(1.0f - a) * (1.0f - b), a * (1.0f - b), (1.0f - a) * b, a * b};
    Rgba sum = {};
    for (int i = 0; i < 4; i++) {
        const Rgba at = texel(texture, static_cast<i64>(left) + (i & 1), static_cast<i64>(top) + (i >> 1), sees);
        for (int channel = 0; channel < 4; channel++) {
            sum.values[channel] += weights[i] * at.values[channel];
        }
    }
    return sum;
}

}  // namespace raywarp::platform::texture_unit
