// What can occur where a kernel runs, as a type. Functions that take it contain nothing of what it rules out: a kernel for
// simple scenes has fewer instructions and registers, and the same bits.
//
//     using Plain = Features<FeatureSet{.models = set_of(BsdfKind::Diffuse), .media = false, .textures = false}>;
//     const Departure departure = leave<Plain>(scene, transport, path, ray, hit.t, point);
//
// Who launches such a kernel guarantees that the scene and the transport hold nothing of it: nothing checks that.
#pragma once

#include "bsdf/kind.h"

namespace raywarp::render {

// Values of an enum, a bit each.
template <class... Values>
RW_FUNCTION constexpr u32 set_of(Values... values) {
    return (0u | ... | (1u << static_cast<u32>(values)));
}
constexpr u32 ANY = 0xffffffffu;

struct FeatureSet {
    // Of BsdfKind: what materials scatter with (`models_of`), Dielectric too where media hide surfaces.
    u32 models = ANY;
    // Of LightKind: what connections are made to.
    u32 lights = ANY;
    // Of SamplerKind, DirectLight and Scattering: what the transport says.
    u32 samplers = ANY, direct = ANY, scattering = ANY;
    // Anything that fills space.
    bool media = true;
    // Materials that vary over a surface. What they send out, and holes, may vary all the same.
    bool textures = true;
    // Normal maps and bump maps.
    bool bent_normals = true;
    // Roughness that differs along tangent and bitangent.
    bool anisotropic = true;
    // Materials between whose parts a random number decides.
    bool choices = true;
    // Materials that show a colour and scatter nothing.
    bool unlit = true;
    // Surfaces with holes: candidates are decided.
    bool alpha = true;
    // Radiance from infinitely far, whether connections find it or not.
    bool environments = true;
};

template <FeatureSet SET>
struct Features {
    static constexpr u32 MODELS = SET.models, LIGHTS = SET.lights;
    static constexpr u32 SAMPLERS = SET.samplers, DIRECT = SET.direct, SCATTERING = SET.scattering;
    static constexpr bool MEDIA = SET.media, TEXTURES = SET.textures, BENT_NORMALS = SET.bent_normals,
                          ANISOTROPIC = SET.anisotropic, CHOICES = SET.choices, UNLIT = SET.unlit,
                          ENVIRONMENTS = SET.environments, ALPHA = SET.alpha;
};

template <class F>
struct WithoutHoles : F {
    static constexpr bool ALPHA = false;
};

// The general code.
using Everything = Features<FeatureSet{}>;
// All but what fills space.
using Surfaces = Features<FeatureSet{.media = false}>;
// Diffuse surfaces of constant colours without holes.
using Plain = Features<FeatureSet{.models = set_of(BsdfKind::Diffuse),
                                  .media = false,
                                  .textures = false,
                                  .bent_normals = false,
                                  .anisotropic = false,
                                  .choices = false,
                                  .unlit = false,
                                  .alpha = false}>;

// Scenes without media are shaded by classes of materials (shading_class.h): what a kernel for one of them can meet.
// Holes are passed before. `Mixed` is all else, and scenes with media: of a scene without any it finds no arrays of media.
using Simple = Features<FeatureSet{.models = set_of(BsdfKind::Black, BsdfKind::Diffuse, BsdfKind::DiffuseTransmission, BsdfKind::Mirror),
                                   .media = false,
                                   .choices = false,
                                   .alpha = false}>;
using Metal = Features<FeatureSet{.models = set_of(BsdfKind::Blinn, BsdfKind::Conductor),
                                  .media = false,
                                  .choices = false,
                                  .unlit = false,
                                  .alpha = false}>;
using Glass = Features<FeatureSet{.models = set_of(BsdfKind::Dielectric),
                                  .media = false,
                                  .choices = false,
                                  .unlit = false,
                                  .alpha = false}>;
using Layered = Features<FeatureSet{.models = set_of(BsdfKind::Principled),
                                    .media = false,
                                    .choices = false,
                                    .unlit = false,
                                    .alpha = false}>;

RW_FUNCTION constexpr u32 first_of(u32 set) {
    u32 bit = 0;
    while (bit < 32 && (set >> bit & 1) == 0) {
        bit++;
    }
    return bit;
}

// `value`, which is one of a set: a constant where there is no other.
template <u32 SET, class Value>
RW_FUNCTION Value one_of(Value value) {
    constexpr u32 FIRST = first_of(SET);
    return FIRST < 32 && SET >> FIRST % 32 == 1 ? static_cast<Value>(FIRST) : value;
}

}  // namespace raywarp::render
