// Twins of surface, and of triangles' normals.
#include "surface/shading_frame.h"
#include "surface/alpha.h"
#include "surface/emitted.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

struct HitPlace {
    u32 instance, primitive;
    Vec2 at;
};

HitPlace hit(Reader& in) { return HitPlace{in.word(), in.word(), in.vec2()}; }

SurfacePoint hit_point(const Scene& scene, Reader& in) {
    const HitPlace place = hit(in);
    return surface_point(scene, triangle_of(scene, place.instance, place.primitive), place.at);
}

SurfacePoint point(const Scene& scene, Reader& in) {
    SurfacePoint point = hit_point(scene, in);
    const bool is_other = in.flag();
    const Vec3 normal = in.vec3();
    if (is_other) {
        point.shading_normal = normal;
    }
    return point;
}

void put(Writer& out, const Frame& frame) { out.put(frame.tangent), out.put(frame.bitangent), out.put(frame.normal); }

}  // namespace

TWIN(surface_normalize) { out.put(normalize(in.vec3())); }

TWIN(surface_front_normal) {
    const TriangleRecord triangle = in.record<TriangleRecord>();
    out.put(front_normal(triangle));
    out.put(is_met_from_behind(triangle, in.vec3()));
}

TWIN(surface_frame) {
    const Vec3 normal = in.vec3(), tangent = in.vec3(), v = in.vec3();
    const Frame frame = Frame::along(normal, tangent);
    put(out, Frame::around(normal));
    put(out, frame);
    out.put(frame.to_local(v));
    out.put(frame.to_world(v));
}

TWIN(surface_point) {
    const SurfacePoint point = hit_point(scene, in);
    out.put(point.position), out.put(point.extent), out.put(point.geometric_normal), out.put(point.shading_normal);
    out.put(point.material), out.put(point.triangle), out.put(point.attributes);
    out.put(point.barycentrics), out.put(point.touching);
    out.put(point.origin_towards(in.vec3()));
}

TWIN(surface_texture_point) {
    const SurfacePoint point = hit_point(scene, in);
    const TexturePoint at = texture_point(scene, point.attributes, point.barycentrics);
    out.put(at.uv[0]), out.put(at.uv[1]), out.put(at.color);
}

TWIN(surface_tangent) {
    const SurfacePoint at = point(scene, in);
    const Option<Tangent> along = tangent(scene, at);
    out.put(along.some), out.put(along.value.direction), out.put(along.value.sign);
    const Option<PositionDerivatives> change = position_derivatives(scene, at);
    out.put(change.some), out.put(change.value.dpdu), out.put(change.value.dpdv);
}

TWIN(surface_holes) {
    const HitPlace place = hit(in);
    const u32 seed = in.word(), salt = in.word(), pixel = in.word(), sample = in.word();
    const u32 triangle = triangle_of(scene, place.instance, place.primitive);
    out.put(coverage(scene, load(scene.triangles, triangle), place.at));
    out.put(Holes{seed, salt}.is_surface(scene, triangle, place.at, pixel, sample));
}

TWIN(surface_emitted) {
    const MaterialRecord material = load(scene.materials, in.word());
    const SurfacePoint point = hit_point(scene, in);
    out.put(emitted(scene, material, point.attributes, point.barycentrics, in.number()));
}

TWIN(surface_facing) {
    const Vec3 shading = in.vec3(), geometric = in.vec3(), wo = in.vec3();
    out.put(facing(shading, geometric, wo));
}

TWIN(surface_lifted) {
    const Vec3 shading = in.vec3(), geometric = in.vec3(), wo = in.vec3();
    out.put(lifted(shading, geometric, wo));
    out.put(lifted(facing(shading, geometric, wo), geometric, wo));
}

TWIN(surface_bent_normal) {
    const MaterialRecord material = load(scene.materials, in.word());
    const SurfacePoint at = point(scene, in);
    const TexturePoint texture = texture_point(scene, at.attributes, at.barycentrics);
    out.put(bent_normal(scene, material.normal, material.has(material_flags::BUMP), at, texture));
}

TWIN(surface_decided) {
    const MaterialRecord material = load(scene.materials, in.word());
    const Vec2 uv0 = in.vec2(), uv1 = in.vec2();
    const TexturePoint at = {{uv0, uv1}, in.vec4()};
    const Decided found = decided(scene, material, at, in.number());
    u32 words[sizeof(MaterialRecord) / 4];
    __builtin_memcpy(words, &found.material, sizeof(words));
    for (const u32 word : words) {
        out.put(word);
    }
    out.put(found.u);
}

TWIN(surface_shading_frame) {
    const MaterialRecord outer = load(scene.materials, in.word());
    const SurfacePoint at = point(scene, in);
    const Vec3 wo = in.vec3();
    const TexturePoint texture = texture_point(scene, at.attributes, at.barycentrics);
    const Decided found = decided(scene, outer, texture, in.number());
    put(out, shading_frame(scene, outer, found.material, at, texture, wo));
}
