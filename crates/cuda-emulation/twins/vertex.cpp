// Twins of vertex.
#include "twin.h"
#include "vertex/arrive.h"
#include "vertex/leave.h"
#include "vertex/touching.h"

using namespace raywarp::render;

namespace {

MediaStack stack(Reader& in) { return MediaStack{{in.word(), in.word()}}; }

InMedia media(Reader& in) { return InMedia{stack(in), in.number()}; }

Boundary boundary(Reader& in) {
    MaterialRecord material = {};
    material.inside = in.word(), material.outside = in.word();
    material.flags = in.flag() ? material_flags::INTERFACE : 0;
    return Boundary{material, in.word(), in.flag()};
}

Hit hit(const Scene& scene, Reader& in) {
    Hit hit = {in.number(), in.vec2(), NONE};
    const u32 instance = in.word(), primitive = in.word();
    hit.triangle = primitive == NONE ? NONE : triangle_of(scene, instance, primitive);
    return hit;
}

Ray ray(Reader& in) {
    const Vec3 origin = in.vec3();
    return Ray::make(origin, in.vec3());
}

PathState path(Reader& in) {
    return PathState{in.word(), in.word(), in.word(), in.vec3(), in.number(), in.word(), static_cast<raywarp::u8>(in.word()),
                     media(in)};
}

Transport transport(Reader& in) {
    const auto kind = static_cast<SamplerKind>(in.word());
    const u32 seed = in.word();
    return Transport{{kind, seed}, static_cast<DirectLight>(in.word()), static_cast<Scattering>(in.word()), in.word(),
                     in.flag(), in.flag(), in.flag(), in.number(), in.number()};
}

// The surface that a path is at, and a body that touches it there.
struct Place {
    Hit hit;
    Ray ray;
    SurfacePoint point;
};

Place place(const Scene& scene, Reader& in) {
    Place place = {hit(scene, in), ray(in), SurfacePoint::none()};
    if (place.hit.is_hit()) {
        place.point = surface_point(scene, place.hit.triangle, place.hit.barycentrics);
    }
    place.point.touching = in.word();
    return place;
}

void put(Writer& out, MediaStack stack) { out.put(stack.words[0]), out.put(stack.words[1]); }
void put(Writer& out, const InMedia& media) { put(out, media.stack), out.put(media.since); }
void put(Writer& out, const Ray& ray) {
    out.put(ray.origin), out.put(ray.t_min), out.put(ray.direction), out.put(ray.t_max);
}
void put(Writer& out, const PathState& path) {
    out.put(path.pixel), out.put(path.sample), out.put(path.bounce), out.put(path.throughput), out.put(path.previous_pdf);
    out.put(path.sampler_state), out.put(static_cast<u32>(path.flags)), put(out, path.media);
}
void put(Writer& out, const FirstHit& hit) { out.put(hit.albedo), out.put(hit.normal), out.put(hit.depth); }
void put(Writer& out, const Connection& connection) {
    put(out, connection.ray), out.put(connection.contribution), put(out, connection.media);
}
void put(Writer& out, const Onward& onward) { put(out, onward.ray), put(out, onward.path); }
void put(Writer& out, const Survivor& survivor) { out.put(survivor.throughput), out.put(survivor.sampler_state); }
template <class T>
void put(Writer& out, const Option<T>& option) {
    out.put(option.some), put(out, option ? *option : T{});
}

// Little of what there is.
using Sparse = Features<FeatureSet{
    .models = set_of(BsdfKind::Diffuse),
    .samplers = set_of(SamplerKind::Sobol),
    .direct = set_of(DirectLight::Both),
    .scattering = set_of(Scattering::Single),
    .media = false,
    .textures = false,
    .bent_normals = false,
    .anisotropic = false,
    .choices = false,
    .unlit = false,
}>;

template <class F>
void put_arrival(const Scene& scene, Reader& in, Writer& out) {
    const Place at = place(scene, in);
    const PathState path = ::path(in);
    const Arrival arrival = arrive<F>(scene, transport(in), path, at.ray, at.hit, at.point);
    out.put(arrival.radiance), out.put(arrival.throughput), put(out, arrival.first_hit), out.put(arrival.scatters);
}

template <class F>
void put_departure(const Scene& scene, Reader& in, Writer& out) {
    const Place at = place(scene, in);
    const PathState path = ::path(in);
    const Departure departure = leave<F>(scene, transport(in), path, at.ray, at.hit.t, at.point);
    put(out, departure.first_hit), put(out, departure.connection), put(out, departure.next);
}

}  // namespace

TWIN(vertex_media_stack) {
    const MediaStack stack = ::stack(in);
    const Boundary at = boundary(in);
    const bool to_behind = in.flag();
    const u32 medium = in.word();
    const float ior = in.number();
    out.put(stack.medium());
    put(out, MediaStack::of(medium));
    put(out, medium != NONE ? stack.entered(medium) : MediaStack::empty());
    put(out, medium != NONE ? stack.left(medium) : MediaStack::empty());
    out.put(stack.hides(at)), out.put(stack.relative_ior(scene, at, ior));
    put(out, stack.beyond(at, to_behind));
}

TWIN(vertex_media_absorb) {
    const Hit hit = ::hit(scene, in);
    Ray stretched = ray(in);
    const InMedia media = ::media(in);
    const float scale = in.number();
    stretched.direction *= least(scale, 1e6f);
    const InMedia::Passed passed = media.passed(scene, stretched, hit);
    out.put(media.transmittance(scene, scale, 1.0f)), out.put(passed.left), put(out, passed.media);
}

TWIN(vertex_roulette) {
    const PathState path = ::path(in);
    const Transport transport = ::transport(in);
    put(out, roulette(transport, path, path.throughput, in.word()));
}

TWIN(vertex_power_heuristic) {
    const float pdf = in.number();
    out.put(power_heuristic(pdf, in.number()));
}

TWIN(vertex_touching) {
    const Hit first = hit(scene, in);
    const Ray ray = ::ray(in);
    Hit second = hit(scene, in);
    if (in.flag()) {
        second.triangle = NONE;
    }
    put(out, search(scene, ray, first));
    out.put(touching(scene, ray, first, second));
}

TWIN(vertex_arrive) { put_arrival<Everything>(scene, in, out); }
TWIN(vertex_arrive_plain) { put_arrival<Sparse>(scene, in, out); }
TWIN(vertex_leave) { put_departure<Everything>(scene, in, out); }
TWIN(vertex_leave_plain) { put_departure<Sparse>(scene, in, out); }
