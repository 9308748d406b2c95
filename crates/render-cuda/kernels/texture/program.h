// Textures are short programs on a small stack. As raywarp-render's texture/program.rs.
#pragma once

#include "image.h"
#include "point.h"

namespace raywarp::render {

// Deepest stack a program may need.
constexpr u32 STACK = 12;

RW_FUNCTION Vec2 mapped(const TextureOp& op, const TexturePoint& point) {
    const Vec2 uv = op.uv_set == 0 ? point.uv[0] : point.uv[1];
    return {op.rows[0][0] * uv.x + op.rows[0][1] * uv.y + op.rows[0][2],
            op.rows[1][0] * uv.x + op.rows[1][1] * uv.y + op.rows[1][2]};
}

// Linear RGBA of a texture at a point. By calls, since materials have many inputs. The top of the stack is in
// registers, so that a program of one step, as most are, touches no memory.
inline RW_COLD Vec4 value(const Scene& scene, u32 program, TexturePoint point) {
    const ProgramRecord steps = load(scene.programs, program);
    Vec4 below[STACK - 1];
    Vec4 top = Vec4::splat(0.0f);
    u32 held = 0;
#pragma unroll 1
    for (u32 i = steps.first; i < steps.end; i++) {
        const TextureOp op = load(scene.texture_ops, i);
        const TextureKind kind = op.kind();
        if (kind == TextureKind::Scale) {
            held -= 1;
            top = below[held - 1] * top;
        } else if (kind == TextureKind::Mix) {
            held -= 2;
            const Vec4 amount = clamp(top, Vec4::splat(0.0f), Vec4::splat(1.0f));
            top = below[held - 1] * (Vec4::splat(1.0f) - amount) + below[held] * amount;
        } else if (kind == TextureKind::Checkerboard) {
            const Vec2 at = mapped(op, point);
            const float cell = platform::floor(at.x) + platform::floor(at.y);
            held -= 1;
            if (!(remainder_euclid(cell, 2.0f) >= 1.0f)) {
                top = below[held - 1];
            }
        } else {
            if (held > 0) {
                below[held - 1] = top;
            }
            held += 1;
            if (kind == TextureKind::Image) {
                const ImageRecord image = load(scene.images, op.image);
                top = look_up(scene, image, mapped(op, point), static_cast<Wrapping>(op.wrap[0]),
                              static_cast<Wrapping>(op.wrap[1]), static_cast<ImageLookup>(op.lookup));
            } else if (kind == TextureKind::SampledImage) {
                top = sampled(op.texture(), mapped(op, point));
            } else {
                top = kind == TextureKind::Constant ? vec4(op.value) : point.color;
            }
        }
    }
    return top;
}

}  // namespace raywarp::render
