// Twins of cameras and filters, and of what surfaces ask of raywarp-geom and of codes of unit vectors.
#include "filter.h"
#include "flat/octahedral.h"
#include "geom/offset.h"
#include "lens.h"
#include "twin.h"

using namespace raywarp::render;

TWIN(lens_ray) {
    // The camera, which Rust reads.
    in.at += 18;
    const Lens lens = in.record<Lens>();
    const float x = in.number(), y = in.number();
    const CameraRay ray = lens.ray(x, y, in.vec2());
    out.put(ray.origin);
    out.put(ray.direction);
}

TWIN(filter_sample) {
    // The filter, which Rust reads.
    in.at += 4;
    const float radius = in.number();
    const u32 count = in.word();
    const PixelFilter filter = {{in.at, count}, radius, 0};
    in.at += 257;
    const FilterSample sample = filter.sample(in.vec2());
    out.put(sample.offset);
    out.put(sample.weight);
}

TWIN(flat_octahedral) { out.put(decode_unit(in.word())); }

TWIN(geom_offset) {
    const Vec3 point = in.vec3(), normal = in.vec3();
    const float extent = in.number();
    out.put(offset_from_triangle(point, normal, extent));
}
