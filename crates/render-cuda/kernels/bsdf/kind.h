// Which models of scattering there are, and sets of them. As raywarp-render's bsdf/mod.rs.
#pragma once

#include "../flat/tags.h"

namespace raywarp::render {

enum class BsdfKind : u32 {
    Black, Diffuse, DiffuseTransmission, Mirror, Blinn, Conductor, Dielectric, Glazed, Principled, CarPaint
};

// Sets of models: a bit each.
RW_FUNCTION constexpr u32 bit_of(BsdfKind kind) { return 1u << static_cast<u32>(kind); }
constexpr u32 ALL_MODELS = (1u << 10) - 1;
// Which input of a material of kind Principled says how much of it is glass.
constexpr u32 TRANSMISSION = 6;

// The models that a material of a kind can be at a point. A mixture is one of its parts.
RW_FUNCTION constexpr u32 models_of(MaterialKind kind) {
    switch (kind) {
        case MaterialKind::Diffuse: return bit_of(BsdfKind::Diffuse);
        case MaterialKind::DiffuseTransmission: return bit_of(BsdfKind::DiffuseTransmission);
        case MaterialKind::Blinn: return bit_of(BsdfKind::Blinn);
        case MaterialKind::Mirror: return bit_of(BsdfKind::Mirror);
        case MaterialKind::Conductor: return bit_of(BsdfKind::Conductor);
        case MaterialKind::Dielectric: return bit_of(BsdfKind::Dielectric);
        case MaterialKind::Coated: return bit_of(BsdfKind::Principled);
        case MaterialKind::Principled:
            return bit_of(BsdfKind::Principled) | bit_of(BsdfKind::Dielectric) | bit_of(BsdfKind::Glazed);
        case MaterialKind::CarPaint: return bit_of(BsdfKind::CarPaint);
        case MaterialKind::Invisible: return bit_of(BsdfKind::Dielectric);
        case MaterialKind::Mix:
        case MaterialKind::Unlit: return bit_of(BsdfKind::Black);
    }
    return 0;
}

// Whether a model can occur, where those of the set `MODELS` do.
template <u32 MODELS>
RW_FUNCTION constexpr bool can_be(BsdfKind model) {
    return (MODELS & bit_of(model)) != 0;
}

// Whether `kind`, one of `MODELS`, is `model`: a constant where there is no other, or not this one.
template <u32 MODELS>
RW_FUNCTION bool is_model(BsdfKind kind, BsdfKind model) {
    return MODELS == bit_of(model) || (can_be<MODELS>(model) && kind == model);
}

}  // namespace raywarp::render
