// What a material is made of, at a point. As raywarp-render's texture/inputs.rs.
#pragma once

#include "../sample/elementary/logarithm.h"
#include "program.h"

namespace raywarp::render {

// A colour at a point.
RW_FUNCTION Vec3 color(const Scene& scene, const Input& input, const TexturePoint& at) {
    const Vec3 factor = vec3(input.factor);
    return input.is_textured() ? factor * truncated(value(scene, input.texture(), at)) : factor;
}

// A number at a point.
RW_FUNCTION float scalar(const Scene& scene, const Input& input, const TexturePoint& at) {
    const float factor = input.factor[0];
    if (!input.is_textured()) {
        return factor;
    }
    const Vec4 v = value(scene, input.texture(), at);
    const InputChannel channel = input.channel();
    return factor * (channel == InputChannel::R   ? v.x
                     : channel == InputChannel::G ? v.y
                     : channel == InputChannel::B ? v.z
                     : channel == InputChannel::A ? v.w
                                                  : (v.x + v.y + v.z) / 3.0f);
}

// A file's roughness as GGX alpha.
RW_FUNCTION float remapped(float roughness, Remap remap) {
    const float r = most(roughness, 0.0f);
    if (remap == Remap::None || (remap == Remap::Pbrt3 && r == 0.0f)) {
        return remap == Remap::None ? r : 0.0f;
    }
    if (remap == Remap::Square) {
        return r * r;
    }
    if (remap == Remap::Sqrt) {
        return square_root(r);
    }
    const float x = elementary::ln(most(r, 1e-3f));
    return 1.62142f + x * (0.819955f + x * (0.1734f + x * (0.0171201f + x * 0.000640711f)));
}

// The inputs of a material at a point, by their number in the order of its kind.
struct Inputs {
    const Scene& scene;
    const MaterialRecord& material;
    const TexturePoint& at;
    // Which bounces between facets count.
    Scattering scattering;
    // Whether any of the scene's materials has one that varies.
    bool textures = true;

    RW_FUNCTION Input input(u32 number) const {
        Input input = load(scene.inputs, material.first_input + number);
        input.source = textures ? input.source : NONE;
        return input;
    }
    // A colour as it is, and from 0 to 1.
    RW_FUNCTION Vec3 color(u32 number) const { return render::color(scene, input(number), at); }
    RW_FUNCTION Vec3 share(u32 number) const { return clamp(color(number), 0.0f, 1.0f); }
    // A number as it is, and from 0 to 1.
    RW_FUNCTION float scalar(u32 number) const { return render::scalar(scene, input(number), at); }
    RW_FUNCTION float fraction(u32 number) const { return clamp(scalar(number), 0.0f, 1.0f); }
    // Three numbers that never vary.
    RW_FUNCTION Vec3 numbers(u32 number) const { return vec3(input(number).factor); }

    // GGX alpha, `lowest` to 1, along the tangent and the bitangent: the input `number` and the one after it.
    RW_FUNCTION Vec2 alpha(u32 number, float lowest) const {
        const float x = clamp(remapped(scalar(number), material.remap()), lowest, 1.0f);
        if (!material.has(material_flags::ANISOTROPIC)) {
            return {x, x};
        }
        return {x, clamp(remapped(scalar(number + 1), material.remap()), lowest, 1.0f)};
    }

    // Whether transmission does not bend.
    RW_FUNCTION bool is_thin() const { return material.has(material_flags::THIN); }
};

}  // namespace raywarp::render
