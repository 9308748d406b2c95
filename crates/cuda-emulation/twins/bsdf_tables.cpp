// Twins of what models of scattering share: facets, Fresnel's terms, coats, and their tables.
#include "bsdf/blinn.h"
#include "bsdf/coat.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

void put(Writer& out, const Returned& returned) { out.put(returned.scale_bias), out.put(returned.lost); }
void put(Writer& out, const Left& left) { out.put(left.dielectric), out.put(left.metal); }

void put_row(const Scene& scene, const AlbedoRow& row, float wo, float wi, Vec3 f0, float f90, Writer& out) {
    using albedo_table::albedo;
    const Vec2 at = row.at(scene, wo);
    const Vec3 e_wo = albedo(f0, f90, at), e_wi = albedo(f0, f90, row.at(scene, wi)), mean = albedo(f0, f90, row.mean);
    out.put(at), out.put(row.mean), out.put(e_wo), out.put(albedo_table::coupling(e_wo, e_wi, mean));
}

}  // namespace

TWIN(bsdf_ggx) {
    const Vec2 alpha = in.vec2();
    const Ggx ggx = Ggx::make(alpha);
    const Vec3 wo = in.vec3(), h = in.vec3();
    out.put(Ggx::is_smooth(alpha)), out.put(ggx.d(h)), out.put(ggx.g1(wo)), out.put(ggx.reflection_pdf(wo, h));
    out.put(ggx.sample_visible(upward(wo), in.vec2()));
}

TWIN(bsdf_horizon) {
    const float alpha = in.number();
    const Horizon horizon = Horizon::make(alpha).scaled(in.number());
    const float cos = in.number();
    out.put(horizon.pdf(cos)), out.put(Horizon::none().pdf(cos));
    const float u_lobe = in.number();
    out.put(horizon.sample(u_lobe, in.vec2()));
}

TWIN(bsdf_fresnel) {
    const float cos = in.number(), ior = in.number();
    const Vec3 eta = in.vec3(), k = in.vec3(), f0 = in.vec3();
    const float f90 = in.number(), lost = in.number();
    const fresnel::Boundary at = fresnel::dielectric(cos, ior);
    out.put(at.reflected), out.put(at.cos_t), out.put(fresnel::dielectric_mean(ior)), out.put(fresnel::f0_of_ior(ior));
    out.put(fresnel::conductor(cos, eta, k)), out.put(fresnel::conductor_mean(eta, k));
    out.put(fresnel::schlick(f0, f90, cos)), out.put(fresnel::schlick_mean(f0));
    out.put(fresnel::further(f90, f0, lost)), out.put(fresnel::f90_of_f0(0.03f * f0));
}

TWIN(bsdf_albedo_table) {
    const AlbedoRow ggx = AlbedoRow::make(scene, tables::GGX, in.number());
    const AlbedoRow blinn = AlbedoRow::make(scene, tables::BLINN, blinn::alpha_of_exponent(in.number()));
    const float wo = in.number(), wi = in.number();
    const Vec3 f0 = in.vec3();
    const float f90 = in.number();
    put_row(scene, ggx, wo, wi, f0, f90, out);
    put_row(scene, blinn, wo, wi, f0, f90, out);
}

TWIN(bsdf_white_losses) {
    const WhiteLosses losses = WhiteLosses::make(scene, in.vec2());
    out.put(losses.mean()), out.put(losses.at(scene, in.vec3())), out.put(losses.horizon().pdf(0.1f));
}

TWIN(bsdf_facets) {
    const AlbedoRow row = AlbedoRow::make(scene, tables::GGX, in.number());
    const Vec2 alpha = in.vec2();
    const Vec3 w = in.vec3();
    const Facets facets = Facets::make(scene, row, alpha, in.flag() ? Scattering::Multiple : Scattering::Single);
    put(out, facets.at(scene, w));
    put(out, facets.mean());
}

TWIN(bsdf_coat) {
    const float strength = in.number(), f0 = in.number(), alpha = in.number();
    const Vec3 wo = in.vec3(), wi = in.vec3();
    const float base_alpha = in.number();
    const Vec3 base_f0 = in.vec3();
    const float f90 = in.number();
    const Option<Coat> made = Coat::make(scene, strength, f0, alpha, wo);
    out.put(made.some);
    if (!made) {
        for (u32 i = 0; i < 18; i++) {
            out.put(0.0f);
        }
        return;
    }
    const Coat coat = *made;
    const AlbedoRow row = AlbedoRow::make(scene, tables::GGX, base_alpha);
    const Facets facets = Facets::make(scene, row, Vec2::splat(base_alpha), Scattering::Multiple);
    const float e = coat.e(scene, wi);
    const Returned at = facets.at(scene, wi), mean = facets.mean();
    out.put(coat.albedo()), out.put(e), out.put(coat.transmitted(e)), out.put(coat.let_in(e));
    out.put(coat.let_in_wo()), out.put(coat.let_in_mean());
    const Beneath beneath = coat.beneath(base_alpha);
    const Vec3 e_at = albedo_table::albedo(base_f0, f90, at.scale_bias);
    const Vec3 e_mean = albedo_table::albedo(base_f0, f90, mean.scale_bias);
    put(out, beneath.left(scene, wi.z, at, e_at, coat.let_in(e)));
    put(out, coat.left_mean(scene, beneath, mean, base_f0, f90, e_mean));
    out.put(beneath.left_metal(scene, wi.z, at.lost, coat.let_in(e)));
    out.put(coat.left_mean_metal(scene, beneath, mean.lost));
    const Coat::Reflection reflection = coat.eval(wo, wi, half_vector(wo, wi));
    out.put(reflection.value), out.put(reflection.pdf);
}
