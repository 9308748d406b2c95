// The media that light runs in along a path. As raywarp-render's vertex/media.rs.
#pragma once

#include "../flat/triangle.h"
#include "../geom/ray.h"
#include "../sample/elementary.h"

namespace raywarp::render {

// A surface that light has come to, as what lies on its sides.
struct Boundary {
    MaterialRecord material;
    // The medium of another body that begins or ends in the same place, or NONE.
    u32 touching;
    bool from_behind;
};

// Four entries of 16 bits, the first lowest: indices of media plus one, 0 behind the last. The upper two bits of the four
// count the bodies that a path came into when there was no room.
struct MediaStack {
    u32 words[2];

    static constexpr u32 ENTRIES = 4, MEDIUM = 0x3fff, MOST_UNNAMED = 255;

    static RW_FUNCTION MediaStack empty() { return {{0, 0}}; }
    static RW_FUNCTION MediaStack of(u32 medium) { return medium == NONE ? empty() : empty().entered(medium); }
    static RW_FUNCTION MediaStack of_bits(u64 bits) {
        return {{static_cast<u32>(bits), static_cast<u32>(bits >> 32)}};
    }

    RW_FUNCTION u64 bits() const { return static_cast<u64>(words[1]) << 32 | words[0]; }
    // With its share of the count.
    RW_FUNCTION u32 entry(u32 i) const { return words[i / 2] >> (16 * (i % 2)) & 0xffffu; }

    RW_FUNCTION u32 medium() const {
        const u32 first = words[0] & MEDIUM;
        return first == 0 ? NONE : first - 1;
    }
    RW_FUNCTION u32 unnamed() const {
        return entry(0) >> 14 | entry(1) >> 14 << 2 | entry(2) >> 14 << 4 | entry(3) >> 14 << 6;
    }
    RW_FUNCTION MediaStack with_unnamed(u32 count) const {
        constexpr u32 MEDIA = MEDIUM << 16 | MEDIUM;
        const u32 low = (count & 3) << 14 | (count >> 2 & 3) << 30, high = (count >> 4 & 3) << 14 | (count >> 6 & 3) << 30;
        return {{(words[0] & MEDIA) | low, (words[1] & MEDIA) | high}};
    }
    RW_FUNCTION bool is_full() const { return (words[1] >> 16 & MEDIUM) != 0; }

    RW_FUNCTION MediaStack entered(u32 medium) const {
        if (is_full()) {
            return with_unnamed(smaller(unnamed() + 1, MOST_UNNAMED));
        }
        return of_bits(bits() << 16 | ((medium + 1) & 0xffffu));
    }
    RW_FUNCTION MediaStack left(u32 medium) const {
        if (unnamed() > 0) {
            return with_unnamed(unnamed() - 1);
        }
        const u32 left = (medium + 1) & 0xffffu;
        u32 place = ENTRIES;
#pragma unroll
        for (u32 i = ENTRIES; i-- > 0;) {
            place = entry(i) == left ? i : place;
        }
        if (place == ENTRIES) {
            return *this;
        }
        const u64 before = (1ull << (16 * place)) - 1;
        return of_bits((bits() & before) | (bits() >> 16 & ~before));
    }
    RW_FUNCTION bool holds(u32 medium) const {
        const u32 wanted = (medium + 1) & 0xffffu;
        return (entry(0) & MEDIUM) == wanted || (entry(1) & MEDIUM) == wanted || (entry(2) & MEDIUM) == wanted ||
               (entry(3) & MEDIUM) == wanted;
    }

    // The medium of the body that touches another at a boundary, or NONE.
    RW_FUNCTION u32 touching(const Boundary& at) const {
        const u32 held = at.from_behind ? at.material.inside : at.touching;
        return at.touching != NONE && holds(held) ? at.touching : NONE;
    }
    RW_FUNCTION MediaStack through(const Boundary& at) const {
        const u32 inside = at.material.inside, touching = this->touching(at);
        const u32 left = at.from_behind ? inside : touching, entered = at.from_behind ? touching : inside;
        const MediaStack stack = left == NONE ? *this : this->left(left);
        return entered == NONE ? stack : stack.entered(entered);
    }
    RW_FUNCTION bool hides(const Boundary& at) const {
        const u32 inside = at.material.body();
        if (inside == NONE) {
            return false;
        }
        if (unnamed() > 0) {
            return true;
        }
        if (at.from_behind) {
            return holds(inside) && medium() != inside;
        }
        return is_full() && touching(at) == NONE;
    }
    // The index of refraction behind a surface over that in front, `ior` what its material says.
    RW_FUNCTION float relative_ior(const Scene& scene, const Boundary& at, float ior) const {
        if (at.material.body() == NONE) {
            return ior;
        }
        const u32 outside = at.from_behind ? through(at).medium() : medium();
        const float around = outside == NONE ? 0.0f : load(scene.media, outside).ior;
        return around > 0.0f ? ior / around : ior;
    }
    // After light has come to a surface and goes on: behind it or in front.
    RW_FUNCTION MediaStack beyond(const Boundary& at, bool to_behind) const {
        if (at.material.has(material_flags::INTERFACE)) {
            return of(to_behind ? at.material.inside : at.material.outside);
        }
        if (at.material.inside == NONE || at.from_behind == to_behind) {
            return *this;
        }
        return through(at);
    }
};
static_assert(sizeof(MediaStack) == 8);

// The media that a path is in, and where on its ray it came into the first.
struct InMedia {
    MediaStack stack;
    float since;

    static RW_FUNCTION InMedia at_start(MediaStack stack) { return {stack, 0.0f}; }

    // What is left of light up to `t` on a ray whose direction has `length`.
    RW_FUNCTION Vec3 transmittance(const Scene& scene, float t, float length) const {
        const u32 medium = stack.medium();
        if (medium == NONE) {
            return Vec3::splat(1.0f);
        }
        const Vec3 absorption = vec3(load(scene.media, medium).absorption);
        const float distance = (t - since) * length;
        const Vec3 exponents = -absorption * distance;
        // Zero times an infinite way is no number, and takes nothing away.
        return {absorption.x > 0.0f ? elementary::exp(exponents.x) : 1.0f, absorption.y > 0.0f ? elementary::exp(exponents.y) : 1.0f,
                absorption.z > 0.0f ? elementary::exp(exponents.z) : 1.0f};
    }

    struct Passed;
    // What is left of light that comes along `ray` to a surface that is not there, and the media that it is in behind.
    RW_FUNCTION Passed passed(const Scene& scene, const Ray& ray, const Hit& hit) const;
};
static_assert(sizeof(InMedia) == 12);

struct InMedia::Passed {
    Vec3 left;
    InMedia media;
};

RW_FUNCTION InMedia::Passed InMedia::passed(const Scene& scene, const Ray& ray, const Hit& hit) const {
    const TriangleRecord triangle = load(scene.triangles, hit.triangle);
    const MaterialRecord material = load(scene.materials, triangle.material());
    if (material.inside == NONE && !material.has(material_flags::INTERFACE)) {
        return {Vec3::splat(1.0f), *this};
    }
    const Vec3 left = transmittance(scene, hit.t, length(ray.direction));
    const bool from_behind = is_met_from_behind(triangle, ray.direction);
    const Boundary at{material, NONE, from_behind};
    return {left, {stack.beyond(at, !from_behind), hit.t}};
}

}  // namespace raywarp::render
