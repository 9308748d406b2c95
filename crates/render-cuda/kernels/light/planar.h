// Emissive triangles, parallelograms and disks: by solid angle where that is not small, else by area.
// As raywarp-render's light/planar.rs.
#pragma once

#include "../sample/warp/planar.h"
#include "../sample/warp/spherical.h"
#include "../sample/warp/turn.h"
#include "connect.h"

namespace raywarp::render::light::planar {

// Solid angles that are sampled as such, and from how many times its size on a light is too far for that.
constexpr float LEAST_ANGLE = 1e-4f, MOST_ANGLE = 6.22f;
constexpr float FAR = 1.0f;
// tan(pi / 8).
constexpr float T = 0.41421357f;
// Area of the polygon of DISK_SECTORS corners in the unit circle.
constexpr float DISK_AREA = 3.1403312f;

// How many times its width a light of several triangles counts, as far as rays that end on it are concerned.
constexpr float OUT_OF_PLANE = 40.0f;

// What the kinds of flat lights differ in: the corners of the outline, where the middle is, and their area.
RW_FUNCTION u32 corner_count(LightKind kind) {
    return kind == LightKind::Triangle ? 3 : kind == LightKind::Parallelogram ? 4 : 8;
}
RW_FUNCTION float middle(LightKind kind) {
    return kind == LightKind::Triangle ? 1.0f / 3.0f : kind == LightKind::Parallelogram ? 0.5f : 0.0f;
}
RW_FUNCTION float share_of_parallelogram(LightKind kind) {
    return kind == LightKind::Triangle ? 0.5f : kind == LightKind::Parallelogram ? 1.0f : DISK_AREA;
}

// Corner `i` of the outline, in units of u and v. Computed: an array would be indexed in memory.
RW_FUNCTION Vec2 outline(LightKind kind, u32 i) {
    if (kind == LightKind::Disk) {
        // From (1, -T) around.
        const bool is_wide = (i & 2) == 0;
        const float x = is_wide ? 1.0f : T, y = is_wide ? T : 1.0f;
        return {((i - 3) & 7) < 4 ? -x : x, ((i - 5) & 7) < 4 ? -y : y};
    }
    // From (0, 0) around; a triangle's last corner is the parallelogram's.
    const u32 corner = kind == LightKind::Triangle && i == 2 ? 3 : i;
    return {corner == 1 || corner == 2 ? 1.0f : 0.0f, corner >= 2 ? 1.0f : 0.0f};
}

// A spherical triangle of the fan around the first corner of a light's outline, as a point sees it.
struct FanTriangle {
    // Unit vectors.
    Vec3 first, second, third;
    // Their triple product, and half the solid angle.
    float volume, half;
    // What is left of the halves that were to be walked, and the sum of those up to here.
    float rest, sum;
};

// The light as a point sees it.
struct Seen {
    LightKind kind;
    // From the point.
    Vec3 at;
    Vec3 u, v;
    // Area of the parallelogram of u and v, and the distance of its plane.
    float area, height;
    // Its first triangle, and the last, whose sum is half the solid angle of all.
    FanTriangle opening, last;

    static RW_FUNCTION Seen of(const LightRecord& light, float area, Vec3 point) {
        const Vec3 at = vec3(light.at) - point;
        Seen seen = {light.kind(), at, vec3(light.u), vec3(light.v), area, magnitude(dot(vec3(light.w), at)), {}, {}};
        seen.last = seen.walk(INFINITE, seen.opening);
        return seen;
    }

    RW_FUNCTION float half() const { return last.sum; }

    // Goes along the fan until the sum of the halves is above `rest`; at most to the last triangle. Keeps the first one.
    RW_FUNCTION FanTriangle walk(float rest, FanTriangle& opening) const {
        FanTriangle here = {};
        here.rest = rest;
        // Inverse lengths.
        float to_first = 0.0f, to_second = 0.0f, to_third = 0.0f;
        const u32 corners = corner_count(kind);
        const Vec2 origin = outline(kind, 0);
#pragma unroll 1
        for (u32 i = 0; i < corners; i++) {
            here.second = here.third;
            to_second = to_third;
            const Vec2 place = outline(kind, i);
            const Vec3 corner = at + place.x * u + place.y * v;
            to_third = 1.0f / length(corner);
            here.third = corner * to_third;
            if (i == 0) {
                here.first = here.third;
                to_first = to_third;
            }
            if (i < 2) {
                continue;
            }
            const float share = cross(outline(kind, i - 1) - origin, place - origin) * area;
            // By the plane's distance: the triple product of the unit vectors would cancel.
            here.volume = share * to_first * to_second * (height * to_third);
            here.half = warp::half_solid_angle(here.first, here.second, here.third, here.volume);
            here.sum += here.half;
            if (i == 2) {
                opening = here;
            }
            if (i + 1 == corners || !(here.rest >= here.half)) {
                break;
            }
            here.rest -= here.half;
        }
        return here;
    }

    // Whether the solid angle is one to sample. Not for a NaN, which a point on a corner gives.
    RW_FUNCTION bool is_near() const { return 2.0f * half() >= LEAST_ANGLE && 2.0f * half() <= MOST_ANGLE; }

    // A uniform direction of the outline. Along a disk's it walks again: to keep all triangles would take an array in memory.
    RW_FUNCTION Vec3 direction(Vec2 u) const {
        FanTriangle found = last;
        found.rest = u.x * half();
        if (kind == LightKind::Disk) {
            FanTriangle passed;
            found = walk(found.rest, passed);
        } else if (kind == LightKind::Parallelogram) {
            const float rest = found.rest;
            const bool is_beyond = rest >= opening.half;
            found = is_beyond ? last : opening;
            found.rest = is_beyond ? rest - opening.half : rest;
        }
        const float part = least(found.rest, found.half);
        return warp::spherical_triangle(found.first, found.second, found.third, found.volume, part, u.y);
    }
};

// The light as `point` sees it, where it is near enough for its solid angle to matter.
RW_FUNCTION Option<Seen> seen(const LightRecord& light, float area, Vec3 point) {
    const Vec3 u = vec3(light.u), v = vec3(light.v);
    const Vec3 away = vec3(light.at) + middle(light.kind()) * (u + v) - point;
    if (length_squared(away) > FAR * FAR * (length_squared(u) + length_squared(v))) {
        return none();
    }
    const Seen seen = Seen::of(light, area, point);
    return seen.is_near() ? some(seen) : none();
}

// Area of the parallelogram of u and v.
RW_FUNCTION float area(const LightRecord& light) {
    return length_in_any_range(cross(vec3(light.u), vec3(light.v)));
}

// Density of points by area; the choice of the light is included.
RW_FUNCTION float per_area(const LightRecord& light, float area) {
    return light.value / (share_of_parallelogram(light.kind()) * area);
}

// The rim of the unit disk so many sectors on.
RW_FUNCTION Vec2 rim(float sectors) {
    const auto turned = warp::sin_cos_turn(sectors / static_cast<float>(DISK_SECTORS));
    return {turned.cos, turned.sin};
}

// A uniform point of the light in units of u and v.
RW_FUNCTION Vec2 by_area(LightKind kind, Vec2 u) {
    if (kind == LightKind::Parallelogram) {
        return u;
    }
    if (kind == LightKind::Triangle) {
        return warp::uniform_triangle(u);
    }
    const float sectors = u.x * static_cast<float>(DISK_SECTORS);
    const float sector = static_cast<float>(smaller(platform::to_u32(sectors), DISK_SECTORS - 1));
    const Vec2 b = warp::uniform_triangle({least(sectors - sector, 1.0f), u.y});
    return b.x * rim(sector) + b.y * rim(sector + 1.0f);
}

// Where `direction` from `point` meets the light's plane, in units of u and v.
RW_FUNCTION Vec2 in_plane(const LightRecord& light, Vec3 point, Vec3 direction) {
    const Vec3 u = vec3(light.u), v = vec3(light.v);
    const Vec3 s = point - vec3(light.at);
    const Vec3 p = cross(direction, v);
    return Vec2{dot(s, p), dot(direction, cross(s, u))} * (1.0f / dot(u, p));
}

// A place in units of u and v, and the triangle that it is on, counted from the light's first one.
struct Inside {
    Vec2 place;
    u32 triangle;
};

// The place itself, where rounding has left it outside of the light, moved in; nothing outside of a disk.
RW_FUNCTION Option<Inside> inside(LightKind kind, Vec2 place) {
    if (kind == LightKind::Triangle) {
        const Vec2 in = most(place, Vec2{0.0f, 0.0f});
        return some(Inside{in / most(in.x + in.y, 1.0f), 0});
    }
    if (kind == LightKind::Parallelogram) {
        const Vec2 in = clamp(place, 0.0f, 1.0f);
        return some(Inside{in, in.x + in.y > 1.0f ? 1u : 0u});
    }
    const u32 sector = step_of_turn(place.y, place.x, DISK_SECTORS);
    // cos(pi / 128): how far the chord is from the centre.
    if (!(dot(place, rim(static_cast<float>(sector) + 0.5f)) <= 0.9996988f)) {
        return none();
    }
    return some(Inside{place, sector});
}

// Density of directions from one of points.
RW_FUNCTION float by_distance(const LightRecord& light, float area, float cos, float distance_squared) {
    const float facing = magnitude(cos);
    return facing < 1e-7f ? 0.0f : per_area(light, area) * distance_squared / facing;
}

// A connection to a point on the light.
RW_FUNCTION Option<LightSample> sample(const Scene& scene, const LightRecord& light, Vec3 point, Vec2 u) {
    const Vec3 at = vec3(light.at), normal = vec3(light.w);
    const bool is_behind = dot(normal, point - at) <= 0.0f;
    if (is_behind && !load(scene.materials, light.material).has(material_flags::EMITS_ON_BOTH_SIDES)) {
        return none();
    }
    const LightKind kind = light.kind();
    const float area = planar::area(light);
    const Option<Seen> seen = planar::seen(light, area, point);
    const Vec2 aim = seen ? in_plane(light, point, seen->direction(u)) : by_area(kind, u);
    const Option<Inside> found = inside(kind, aim);
    if (!found) {
        return none();
    }
    const Vec3 on_light = at + found->place.x * vec3(light.u) + found->place.y * vec3(light.v);
    const Vec3 to_light = on_light - point;
    const Option<Vec3> wi = try_normalize(to_light);
    if (!wi) {
        return none();
    }
    const float cos = -dot(normal, *wi);
    const float pdf = seen ? 0.5f * light.value / seen->half()
                           : by_distance(light, area, cos, length_squared(to_light));
    const float width = largest_element(magnitude(vec3(light.u)) + magnitude(vec3(light.v)));
    const float extent = (kind == LightKind::Triangle ? width : OUT_OF_PLANE * width) + largest_element(magnitude(to_light));
    return connect(scene, {on_light, normal, extent, light.index + found->triangle}, *wi, pdf);
}

// Solid-angle density of a point on the light, seen from `point` at a squared distance and a cosine to its normal.
RW_FUNCTION float pdf(const LightRecord& light, Vec3 point, float cos, float distance_squared) {
    const float area = planar::area(light);
    const Option<Seen> seen = planar::seen(light, area, point);
    return seen ? 0.5f * light.value / seen->half() : by_distance(light, area, cos, distance_squared);
}

}  // namespace raywarp::render::light::planar
