// Twins of bsdf.
#include "bsdf/bsdf.h"
#include "bsdf_model.h"

using namespace raywarp::render;

namespace {

void put(Writer& out, const Option<BsdfSample>& sample) {
    const BsdfSample s = sample ? *sample : BsdfSample{};
    out.put(sample.some), out.put(s.wi), out.put(s.weight), out.put(s.pdf), out.put(s.specular), out.put(s.transmitted);
}

template <u32 MODELS>
void sample(const Scene& scene, const Bsdf& bsdf, Vec3 wo, float u_lobe, Vec2 u, Writer& out) {
    Layers layers;
    put(out, bsdf.sample_prepared<MODELS>(scene, bsdf.prepare<MODELS>(scene, wo, layers), wo, u_lobe, u));
}

template <u32 MODELS>
void eval(const Scene& scene, const Bsdf& bsdf, Vec3 wo, Vec3 wi, Writer& out) {
    Layers layers;
    const BsdfValue found = bsdf.eval_prepared<MODELS>(scene, bsdf.prepare<MODELS>(scene, wo, layers), wo, wi);
    out.put(found.value), out.put(found.pdf);
    out.put(bsdf.albedo<MODELS>(scene, wo));
    out.put(bsdf.is_specular<MODELS>());
}

// The model among all, then alone.
template <BsdfKind KIND>
void sample_twice(const Scene& scene, Reader& in, Writer& out) {
    const Bsdf bsdf = read_bsdf(in);
    const Vec3 wo = in.vec3();
    const float u_lobe = in.number();
    const Vec2 u = in.vec2();
    sample<ALL_MODELS>(scene, bsdf, wo, u_lobe, u, out);
    sample<bit_of(KIND)>(scene, bsdf, wo, u_lobe, u, out);
}

template <BsdfKind KIND>
void eval_twice(const Scene& scene, Reader& in, Writer& out) {
    const Bsdf bsdf = read_bsdf(in);
    const Vec3 wo = in.vec3(), wi = in.vec3();
    eval<ALL_MODELS>(scene, bsdf, wo, wi, out);
    eval<bit_of(KIND)>(scene, bsdf, wo, wi, out);
}

// The model of a material where no others can occur.
Bsdf look_up_of(MaterialKind kind, const Inputs& m, float u) {
    switch (kind) {
        case MaterialKind::Diffuse: return Bsdf::look_up<models_of(MaterialKind::Diffuse)>(m, u);
        case MaterialKind::DiffuseTransmission:
            return Bsdf::look_up<models_of(MaterialKind::DiffuseTransmission)>(m, u);
        case MaterialKind::Blinn: return Bsdf::look_up<models_of(MaterialKind::Blinn)>(m, u);
        case MaterialKind::Mirror: return Bsdf::look_up<models_of(MaterialKind::Mirror)>(m, u);
        case MaterialKind::Conductor: return Bsdf::look_up<models_of(MaterialKind::Conductor)>(m, u);
        case MaterialKind::Dielectric: return Bsdf::look_up<models_of(MaterialKind::Dielectric)>(m, u);
        case MaterialKind::Coated: return Bsdf::look_up<models_of(MaterialKind::Coated)>(m, u);
        case MaterialKind::Principled: return Bsdf::look_up<models_of(MaterialKind::Principled)>(m, u);
        case MaterialKind::CarPaint: return Bsdf::look_up<models_of(MaterialKind::CarPaint)>(m, u);
        case MaterialKind::Mix: return Bsdf::look_up<models_of(MaterialKind::Mix)>(m, u);
        case MaterialKind::Invisible: return Bsdf::look_up<models_of(MaterialKind::Invisible)>(m, u);
        case MaterialKind::Unlit: return Bsdf::look_up<models_of(MaterialKind::Unlit)>(m, u);
    }
    return Bsdf::black();
}

}  // namespace

TWIN(bsdf_black_sample) { sample_twice<BsdfKind::Black>(scene, in, out); }
TWIN(bsdf_black_eval) { eval_twice<BsdfKind::Black>(scene, in, out); }
TWIN(bsdf_diffuse_sample) { sample_twice<BsdfKind::Diffuse>(scene, in, out); }
TWIN(bsdf_diffuse_eval) { eval_twice<BsdfKind::Diffuse>(scene, in, out); }
TWIN(bsdf_diffuse_transmission_sample) { sample_twice<BsdfKind::DiffuseTransmission>(scene, in, out); }
TWIN(bsdf_diffuse_transmission_eval) { eval_twice<BsdfKind::DiffuseTransmission>(scene, in, out); }
TWIN(bsdf_mirror_sample) { sample_twice<BsdfKind::Mirror>(scene, in, out); }
TWIN(bsdf_mirror_eval) { eval_twice<BsdfKind::Mirror>(scene, in, out); }
TWIN(bsdf_blinn_sample) { sample_twice<BsdfKind::Blinn>(scene, in, out); }
TWIN(bsdf_blinn_eval) { eval_twice<BsdfKind::Blinn>(scene, in, out); }
TWIN(bsdf_conductor_sample) { sample_twice<BsdfKind::Conductor>(scene, in, out); }
TWIN(bsdf_conductor_eval) { eval_twice<BsdfKind::Conductor>(scene, in, out); }
TWIN(bsdf_dielectric_sample) { sample_twice<BsdfKind::Dielectric>(scene, in, out); }
TWIN(bsdf_dielectric_eval) { eval_twice<BsdfKind::Dielectric>(scene, in, out); }
TWIN(bsdf_glazed_sample) { sample_twice<BsdfKind::Glazed>(scene, in, out); }
TWIN(bsdf_glazed_eval) { eval_twice<BsdfKind::Glazed>(scene, in, out); }
TWIN(bsdf_principled_sample) { sample_twice<BsdfKind::Principled>(scene, in, out); }
TWIN(bsdf_principled_eval) { eval_twice<BsdfKind::Principled>(scene, in, out); }
TWIN(bsdf_car_paint_sample) { sample_twice<BsdfKind::CarPaint>(scene, in, out); }
TWIN(bsdf_car_paint_eval) { eval_twice<BsdfKind::CarPaint>(scene, in, out); }

TWIN(bsdf_look_up) {
    const MaterialRecord material = load(scene.materials, in.word());
    const TexturePoint at = {{in.vec2(), in.vec2()}, in.vec4()};
    const Inputs inputs = {scene, material, at, in.flag() ? Scattering::Multiple : Scattering::Single};
    const float u = in.number();
    write_bsdf(out, Bsdf::look_up(inputs, u));
    write_bsdf(out, look_up_of(material.kind(), inputs, u));
}

TWIN(bsdf_material_kinds) { out.put(models_of(static_cast<MaterialKind>(in.word()))); }
