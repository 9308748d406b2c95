// Twins of glass.
#include "bsdf/dielectric.h"
#include "bsdf/glazed.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

Scattering scattering(Reader& in) { return in.flag() ? Scattering::Multiple : Scattering::Single; }

Dielectric glass(Reader& in) {
    return Dielectric{in.number(), in.vec2(), in.vec3(), in.vec3(), in.flag(), scattering(in)};
}

// One that glass gives, or one of any reflectance, also where glass alone would do; in another medium or in none.
Glazed glazed(Reader& in) {
    const Dielectric glass = ::glass(in);
    const Vec3 tint = in.vec3();
    const float strength = in.number(), coat = in.number(), coat_alpha = in.number();
    const bool is_any = in.flag(), moves = in.flag();
    const float other_ior = in.number();
    const Vec3 f0 = is_any ? least(tint, Vec3::splat(1.0f)) : Vec3::splat(fresnel::f0_of_ior(glass.ior));
    const Glazed any = {glass.ior, glass.alpha, glass.transmittance, glass.thin, glass.scattering, f0, strength, coat,
                        coat_alpha};
    const Option<Glazed> of_glass = Glazed::make(glass, tint, strength, coat, coat_alpha);
    const Glazed glazed = is_any ? any : of_glass.value_or(any);
    return moves ? glazed.of_ior(other_ior) : glazed;
}

void put(Writer& out, const Option<BsdfSample>& sample) {
    const BsdfSample s = sample ? *sample : BsdfSample{};
    out.put(sample.some), out.put(s.wi), out.put(s.weight), out.put(s.pdf), out.put(s.specular), out.put(s.transmitted);
}

template <class Model>
void put_sampled(const Scene& scene, const Model& model, const Option<dielectric::Bounces>& bounces, Vec3 wo, Reader& in,
                 Writer& out) {
    const float u_lobe = in.number();
    put(out, model.sample(scene, bounces, wo, u_lobe, in.vec2()));
}

template <class Model>
void put_evaluated(const Scene& scene, const Model& model, const Option<dielectric::Bounces>& bounces, Vec3 wo,
                   Reader& in, Writer& out) {
    const BsdfValue found = model.eval(scene, bounces, wo, in.vec3());
    out.put(found.value), out.put(found.pdf);
}

void put(Writer& out, const Dielectric& d) {
    out.put(d.ior), out.put(d.alpha), out.put(d.reflectance), out.put(d.transmittance);
    out.put(d.thin), out.put(d.scattering == Scattering::Multiple);
}

}  // namespace

TWIN(glass_dielectric_sample) {
    const Dielectric d = glass(in);
    const Vec3 wo = in.vec3();
    put_sampled(scene, d, d.bounces(scene, wo), wo, in, out);
}

TWIN(glass_dielectric_eval) {
    const Dielectric d = glass(in);
    const Vec3 wo = in.vec3();
    put_evaluated(scene, d, d.bounces(scene, wo), wo, in, out);
    out.put(d.albedo(above(wo))), out.put(d.is_smooth());
}

TWIN(glass_dielectric_look_up) {
    const MaterialRecord material = load(scene.materials, in.word());
    const Scattering scattering = ::scattering(in);
    const Vec2 uv0 = in.vec2(), uv1 = in.vec2();
    const TexturePoint at = {{uv0, uv1}, in.vec4()};
    put(out, Dielectric::look_up(Inputs{scene, material, at, scattering}));
}

TWIN(glass_glazed_new) {
    const Glazed g = glazed(in);
    out.put(g.ior), out.put(g.alpha), out.put(g.transmittance);
    out.put(g.thin), out.put(g.scattering == Scattering::Multiple);
    out.put(g.f0), out.put(g.strength), out.put(g.coat), out.put(g.coat_alpha);
}

TWIN(glass_glazed_sample) {
    const Glazed g = glazed(in);
    const Vec3 wo = in.vec3();
    put_sampled(scene, g, g.glass().bounces(scene, wo), wo, in, out);
}

TWIN(glass_glazed_eval) {
    const Glazed g = glazed(in);
    const Vec3 wo = in.vec3();
    put_evaluated(scene, g, g.glass().bounces(scene, wo), wo, in, out);
    out.put(g.albedo(scene, above(wo))), out.put(g.is_smooth());
}
