// Twins of light.
#include "light/light.h"
#include "twin.h"

using namespace raywarp::render;

namespace {

void put(Writer& out, const Option<LightSample>& sample) {
    out.put(sample.some);
    out.put(sample.value.wi);
    out.put(sample.value.target);
    out.put(sample.value.weight);
    out.put(sample.value.pdf);
}

void put(Writer& out, const Option<light::planar::Inside>& inside) {
    out.put(inside.some), out.put(inside.value.place), out.put(inside.value.triangle);
}

}  // namespace

TWIN(light_step_of_turn) {
    const float y = in.number(), x = in.number();
    out.put(light::step_of_turn(y, x, in.word()));
}

TWIN(light_barycentrics) {
    const TriangleRecord triangle = in.record<TriangleRecord>();
    out.put(light::barycentrics(triangle, in.vec3()));
}

TWIN(light_connect) {
    const Vec3 position = in.vec3(), normal = in.vec3();
    const float extent = in.number();
    const light::Place place = {position, normal, extent, in.word()};
    const Vec3 wi = in.vec3();
    put(out, light::connect(scene, place, wi, in.number()));
}

TWIN(light_planar_seen) {
    const LightRecord record = in.record<LightRecord>();
    const Vec3 point = in.vec3();
    const Vec2 u = in.vec2();
    const float area = light::planar::area(record);
    const Option<light::planar::Seen> seen = light::planar::seen(record, area, point);
    out.put(area), out.put(seen.some);
    out.put(seen ? seen->half() : 0.0f);
    out.put(seen ? seen->direction(u) : Vec3::splat(0.0f));
}

TWIN(light_planar_place) {
    const LightRecord record = in.record<LightRecord>();
    const Vec3 point = in.vec3(), direction = in.vec3();
    const LightKind kind = record.kind();
    const Vec2 drawn = light::planar::by_area(kind, in.vec2());
    const Vec2 aimed = light::planar::in_plane(record, point, direction);
    out.put(drawn), put(out, light::planar::inside(kind, drawn));
    out.put(aimed), put(out, light::planar::inside(kind, aimed));
    const float cos = in.number(), distance_squared = in.number();
    out.put(light::planar::by_distance(record, light::planar::area(record), cos, distance_squared));
}

TWIN(light_planar_rim) { put(out, light::planar::inside(LightKind::Disk, in.vec2())); }

TWIN(light_planar_sample) {
    const LightRecord record = load(scene.lights, in.word());
    const Vec3 point = in.vec3();
    put(out, light::planar::sample(scene, record, point, in.vec2()));
    const float cos = in.number(), distance_squared = in.number();
    out.put(light::planar::pdf(record, point, cos, distance_squared));
}

TWIN(light_sphere_sample) {
    const LightRecord record = load(scene.lights, in.word());
    const Vec3 point = in.vec3();
    put(out, light::sphere::sample(scene, record, point, in.vec2()));
    out.put(light::sphere::pdf(record, point));
}

TWIN(light_punctual_sample) {
    const LightRecord record = in.record<LightRecord>();
    const Vec3 point = in.vec3();
    put(out, light::punctual::sample(record, point, in.number()));
}

TWIN(light_environment) {
    const light::Environment environment = light::Environment::of(scene, in.word());
    const light::FromEnvironment from = environment.eval(scene, in.vec3());
    out.put(from.radiance), out.put(from.pdf);
    const Vec2 u = in.vec2();
    put(out, environment.connect(scene, u, in.number()));
}

TWIN(light_environments) {
    const Vec3 direction = in.vec3();
    for (u32 i = 0; i < scene.environments.count; i++) {
        const light::FromEnvironment from = light::from_environment(scene, i, direction);
        out.put(from.radiance), out.put(from.pdf);
    }
}

TWIN(light_sample) {
    const Vec3 point = in.vec3();
    const float u_choice = in.number();
    put(out, light::sample(scene, point, u_choice, in.vec2()));
}

TWIN(light_pdf) {
    const u32 index = in.word();
    const Vec3 point = in.vec3();
    in.vec2();
    const float cos = in.number(), distance_squared = in.number();
    const bool is_none = in.flag();
    out.put(light::pdf(scene, is_none ? raywarp::render::NONE : index, point, cos, distance_squared));
}
