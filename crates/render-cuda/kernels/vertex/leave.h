// A path leaves the surface that it is at. As raywarp-render's vertex/leave.rs.
#pragma once

#include "aim.h"
#include "scatter.h"

namespace raywarp::render {

// What becomes of a path at a surface.
struct Departure {
    // What the surface looks like, where it is the first.
    Option<FirstHit> first_hit;
    // A shadow ray, and what it brings.
    Option<Connection> connection;
    Option<Onward> next;
};

// The random number that decides between the parts of a material, if it has any.
template <class F>
RW_FUNCTION float part_of_material(const Scene& scene, const Transport& transport, PathState& path,
                                   const SurfacePoint& point) {
    if (!F::CHOICES || !load(scene.materials, point.material).has(material_flags::CHOOSES)) {
        return 0.5f;
    }
    Stream stream = path.stream(transport, dimension::MATERIAL, path.sampler_state);
    const float choice = stream.next_1d();
    path.sampler_state = stream.state;
    return choice;
}

// Gives glass the index of refraction that it has where it is, or takes it away where it is not there.
template <class F>
RW_FUNCTION void place_in_media(const Scene& scene, const PathState& path, const SurfacePoint& point, Vec3 wo,
                                Bsdf& bsdf) {
    const bool is_dielectric = is_model<F::MODELS>(bsdf.kind, BsdfKind::Dielectric);
    if (!is_dielectric && !is_model<F::MODELS>(bsdf.kind, BsdfKind::Glazed)) {
        return;
    }
    const Boundary at = {load(scene.materials, point.material), point.touching, dot(point.geometric_normal, wo) < 0.0f};
    const MediaStack stack = path.media.stack;
    if (is_dielectric && !bsdf.dielectric.thin) {
        bsdf.dielectric.ior = stack.relative_ior(scene, at, bsdf.dielectric.ior);
    } else if (!is_dielectric && !bsdf.glazed.thin) {
        bsdf.glazed = bsdf.glazed.of_ior(stack.relative_ior(scene, at, bsdf.glazed.ior));
    }
    if (stack.hides(at)) {
        bsdf = Bsdf::nothing();
    }
}

// The surface that is come to along `wo`, looked up: the first part of leaving it.
template <class F>
RW_FUNCTION Vertex vertex_at(const Scene& scene, const Transport& transport, PathState& path, Vec3 wo,
                             const SurfacePoint& point) {
    const float choice = part_of_material<F>(scene, transport, path, point);
    Vertex vertex = {point, shading<F>(scene, transport.scattering, point, wo, choice), {}};
    if (F::MEDIA && scene.media.count != 0) {
        place_in_media<F>(scene, path, point, wo, vertex.shading.bsdf);
    }
    vertex.wo = vertex.shading.frame.to_local(wo);
    return vertex;
}

// What a surface looks like from the distance `t`.
template <class F>
RW_FUNCTION FirstHit look(const Scene& scene, const Transport& transport, const Vertex& vertex, float t) {
    const Vec3 albedo = transport.first_albedos ? vertex.shading.bsdf.template albedo<F::MODELS>(scene, vertex.wo)
                                                : Vec3::splat(0.0f);
    return {albedo, vertex.shading.frame.normal, t};
}

// Takes `path` on from `point`, which it came to along `ray` after the distance `t`. Kernels whose warps keep in step call
// its parts one by one.
template <class F>
RW_FUNCTION Departure leave(const Scene& scene, const Transport& transport, PathState path, const Ray& ray, float t,
                            const SurfacePoint& point) {
    const Transport carried = narrowed<F>(transport);
    const Vertex vertex = vertex_at<F>(scene, carried, path, -ray.direction, point);
    Departure departure = {none(), none(), none()};
    if (path.bounce == 0) {
        departure.first_hit = some(look<F>(scene, carried, vertex, t));
    }
    const bool is_last = carried.is_last(path.bounce);
    if (is_last && !carried.connect_last) {
        return departure;
    }
    Layers layers;
    const Prepared prepared = vertex.shading.bsdf.template prepare<F::MODELS>(scene, vertex.wo, layers);
    departure.connection = aim<F>(scene, carried, path, vertex, prepared);
    if (!is_last) {
        departure.next = scatter<F>(scene, carried, path, vertex, prepared);
    }
    return departure;
}

}  // namespace raywarp::render
