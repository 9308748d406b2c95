// Twins of the crate raywarp-sample.
#include "sample/elementary.h"
#include "sample/hash.h"
#include "sample/stream.h"
#include "sample/warp/alias.h"
#include "sample/warp/choice.h"
#include "sample/warp/direction.h"
#include "sample/warp/distribution.h"
#include "sample/warp/spherical.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

void put(Writer& out, SinCos turned) {
    out.put(turned.sin);
    out.put(turned.cos);
}

}  // namespace

TWIN(sample_hash) {
    const u32 key = in.word(), value = in.word();
    out.put(hash::combine(key, value));
    out.put(hash::to_unit(key));
}

TWIN(sample_sobol) {
    const u32 a = in.word(), b = in.word(), c = in.word();
    out.put(sobol::laine_karras(a, b));
    out.put(sobol::owen(a, b));
    out.put(sobol::dimension_1_reversed(a));
    out.put(sobol::pad_1d(a, b, c));
    out.put(sobol::pad_2d(a, b, c));
}

TWIN(sample_halton) {
    const u32 index = in.word(), state = in.word();
    const float value = in.number();
    out.put(halton::advance(state));
    out.put(halton::shuffle(index, state));
    out.put(halton::rotate(value, state));
    out.put(halton::radical_inverse_2(index));
    out.put(halton::radical_inverse_3(index));
}

TWIN(sample_xor32) {
    const u32 seed = in.word(), pixel = in.word(), sample = in.word();
    const u32 state = xor32::seed_state(seed, pixel, sample);
    out.put(state);
    out.put(xor32::advance(state));
    out.put(xor32::to_unit(state));
}

TWIN(sample_stream) {
    const Sampler sampler = in.record<Sampler>();
    const u32 pixel = in.word(), sample = in.word(), dimension = in.word(), state = in.word();
    Stream stream = in.flag() ? sampler.start(pixel, sample) : sampler.resume(pixel, sample, dimension, state);
    out.put(stream.next_1d());
    out.put(stream.next_2d());
    stream.skip(3);
    out.put(stream.next_2d());
    out.put(stream.next_1d());
    out.put(stream.dimension);
    out.put(stream.state);
}

TWIN(sample_elementary_angle) {
    put(out, elementary::sin_cos(in.number()));
    const float y = in.number(), x = in.number();
    out.put(elementary::atan2(y, x));
    out.put(elementary::acos(in.number()));
}

TWIN(sample_elementary_exponential) {
    const float x = in.number();
    out.put(elementary::exp(x));
    out.put(elementary::exp_m1(x));
}

TWIN(sample_elementary_logarithm) {
    const float x = in.number();
    out.put(elementary::ln(x));
    out.put(elementary::ln_1p(x));
}

TWIN(sample_warp_planar) {
    const Vec2 u = in.vec2();
    out.put(warp::concentric_disk(u));
    out.put(warp::uniform_triangle(u));
}

TWIN(sample_warp_direction) {
    const Vec2 u = in.vec2();
    const Vec3 direction = in.vec3();
    const float one_minus_cos = in.number();
    put(out, warp::sin_cos_turn(u.y));
    out.put(warp::cosine_hemisphere(u));
    out.put(warp::uniform_hemisphere(u));
    out.put(warp::cosine_hemisphere_pdf(direction.z));
    out.put(warp::uniform_sphere(u));
    out.put(warp::uniform_cone(u, one_minus_cos));
    out.put(warp::uniform_cone_pdf(one_minus_cos));
    out.put(warp::uniform_sphere_pdf());
    const warp::Onb frame = warp::onb(direction);
    out.put(frame.tangent);
    out.put(frame.bitangent);
}

TWIN(sample_warp_spherical) {
    const Vec3 a = in.vec3(), b = in.vec3(), c = in.vec3();
    const float volume = in.number(), half = in.number(), u = in.number();
    out.put(warp::half_solid_angle(a, b, c, volume));
    out.put(warp::spherical_triangle(a, b, c, volume, half, u));
}

TWIN(sample_warp_choice) {
    const float share = in.number();
    float u = in.number();
    const warp::Choice choice = warp::choose(share, u);
    out.put(choice.chosen);
    out.put(choice.probability);
    out.put(u);
}

TWIN(sample_warp_alias) {
    const warp::AliasChoice choice = warp::choose_by_alias(scene.light_choice, in.number());
    out.put(choice.index);
    out.put(choice.probability);
}

TWIN(sample_warp_distribution) {
    const EnvironmentRecord environment = load(scene.environments, in.word());
    const warp::DensityTables tables = {scene.tables.first + environment.table, environment.size[0],
                                        environment.size[1]};
    out.put(tables.pdf(in.vec2()));
    const warp::DensitySample sample = tables.sample(in.vec2());
    out.put(sample.point);
    out.put(sample.pdf);
}
