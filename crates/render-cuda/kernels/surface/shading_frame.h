// Normals bent, mixtures decided: what comes before the BSDF. As raywarp-render's surface/shading.rs.
#pragma once

#include "../sample/warp/choice.h"
#include "../texture/inputs.h"
#include "frame.h"
#include "point.h"

namespace raywarp::render {

// Step in texture coordinates over which a bump map's slope is taken.
constexpr float BUMP_STEP = 1.0f / 2048.0f;

// The normal of a tangent-space normal map.
RW_FUNCTION Option<Vec3> mapped(const Scene& scene, const Input& input, const SurfacePoint& point,
                                const TexturePoint& at) {
    const Option<Tangent> along = tangent(scene, point);
    if (!along) {
        return none();
    }
    const Vec3 normal = point.shading_normal;
    const float scale = input.factor[0];
    const Frame frame = Frame::along(normal, along->direction);
    const Vec3 m = truncated(value(scene, input.texture(), at)) * 2.0f - 1.0f;
    return try_normalize(frame.tangent * (m.x * scale) + frame.bitangent * (m.y * scale * along->sign) + normal * m.z);
}

// The height `step` away in texture coordinates.
RW_FUNCTION float height(const Scene& scene, const Input& input, const TexturePoint& at, Vec2 step) {
    return scalar(scene, input, TexturePoint{{at.uv[0] + step, at.uv[1] + step}, at.color});
}

// The normal of a height field.
RW_FUNCTION Option<Vec3> bumped(const Scene& scene, const Input& input, const SurfacePoint& point,
                                const TexturePoint& at) {
    const Option<PositionDerivatives> change = position_derivatives(scene, point);
    if (!change) {
        return none();
    }
    const Vec3 normal = point.shading_normal;
    const float here = height(scene, input, at, {0.0f, 0.0f});
    const float along_u = height(scene, input, at, {BUMP_STEP, 0.0f});
    const float along_v = height(scene, input, at, {0.0f, BUMP_STEP});
    const Vec2 slope = Vec2{along_u - here, along_v - here} / BUMP_STEP;
    const Vec3 across = cross(change->dpdu + slope.x * normal, change->dpdv + slope.y * normal);
    const Option<Vec3> bent = normalize_in_any_range(across);
    if (!bent) {
        return none();
    }
    return some(dot(*bent, normal) < 0.0f ? -*bent : *bent);
}

// The shading normal after a material's normal map or bump map, the input `number`.
RW_FUNCTION Vec3 bent_normal(const Scene& scene, u32 number, bool is_bump, const SurfacePoint& point,
                             const TexturePoint& at) {
    const Input input = load(scene.inputs, number);
    const Option<Vec3> bent = is_bump ? bumped(scene, input, point, at) : mapped(scene, input, point, at);
    return bent && is_finite(*bent) ? *bent : point.shading_normal;
}

// A shading normal on the geometric normal's side, or the geometric normal where the viewer sees the surface from one
// side and the shading normal from the other.
RW_FUNCTION Vec3 facing(Vec3 shading, Vec3 geometric, Vec3 wo) {
    const Vec3 normal = dot(shading, geometric) < 0.0f ? -shading : shading;
    return dot(normal, wo) * dot(geometric, wo) > 0.0f ? normal : geometric;
}

// A normal that a map bent, turned back as little as it takes for the mirrored direction to leave the surface. It must
// come from `facing`.
RW_FUNCTION Vec3 lifted(Vec3 normal, Vec3 geometric, Vec3 wo) {
    const Vec3 side = geometric * signum(dot(geometric, wo));
    // At grazing views even the flat surface mirrors along itself.
    const float lowest = least(0.9f * dot(side, wo), 0.01f);
    const Vec3 mirrored = 2.0f * dot(normal, wo) * normal - wo;
    const float height = dot(mirrored, side);
    if (height >= lowest) {
        return normal;
    }
    const Option<Vec3> wi = try_normalize(mirrored + (lowest - height) * side);
    const Option<Vec3> halfway = wi ? try_normalize(wo + *wi) : none();
    if (!halfway) {
        return geometric;
    }
    return dot(*halfway, geometric) < 0.0f ? -*halfway : *halfway;
}

// A material, and what is left of the number that has decided for it.
struct Decided {
    MaterialRecord material;
    float u;
};

// The part of a mixture that `u` falls on. Parts come before the mixtures that hold them, so this ends.
RW_FUNCTION Decided decided(const Scene& scene, MaterialRecord material, const TexturePoint& at, float u) {
#pragma unroll 1
    while (material.kind() == MaterialKind::Mix) {
        const float amount = clamp(scalar(scene, load(scene.inputs, material.first_input), at), 0.0f, 1.0f);
        const bool is_second = warp::choose(amount, u).chosen;
        material = load(scene.materials, is_second ? material.parts[1] : material.parts[0]);
    }
    return {material, u};
}

// Whether it has a lobe about the mirrored direction that is more than a gloss.
RW_FUNCTION bool mirrors(MaterialKind kind) {
    return kind >= MaterialKind::Mirror && kind <= MaterialKind::CarPaint;
}

// The frame in which `material`, a part of `outer` or it itself, scatters. `BENT` and `ANISOTROPIC` say whether any
// material of the scene bends normals, or has roughness that differs along tangent and bitangent.
template <bool BENT = true, bool ANISOTROPIC = true>
RW_FUNCTION Frame shading_frame(const Scene& scene, const MaterialRecord& outer, const MaterialRecord& material,
                                const SurfacePoint& point, const TexturePoint& at, Vec3 wo) {
    const Vec3 geometric_normal = point.geometric_normal;
    Vec3 normal = point.shading_normal;
    // A mixture's own bumps hold where its part has none.
    const u32 bent_by = material.normal == NONE ? outer.normal : material.normal;
    const u32 flags = material.normal == NONE ? outer.flags : material.flags;
    if (BENT && bent_by != NONE) {
        normal = bent_normal(scene, bent_by, (flags & material_flags::BUMP) != 0, point, at);
    }
    normal = facing(normal, geometric_normal, wo);
    if (BENT && bent_by != NONE && mirrors(material.kind())) {
        normal = lifted(normal, geometric_normal, wo);
    }
    if (ANISOTROPIC && material.has(material_flags::ANISOTROPIC)) {
        const Option<Tangent> along = tangent(scene, point);
        return along ? Frame::along(normal, along->direction) : Frame::around(normal);
    }
    return Frame::around(normal);
}

}  // namespace raywarp::render
