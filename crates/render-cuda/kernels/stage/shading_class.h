// Which kernel shades a path: paths are sorted by what they have hit, so that lanes of a warp do the same (Hoberock et al.
// 2009; Laine, Karras and Aila 2013), and each kernel is small enough for the caches of instructions. As src/features.rs.
#pragma once

#include "../render.h"

namespace raywarp::render {

enum class ShadingClass : u32 { Simple, Metal, Glass, Layered, Mixed };
constexpr u32 SHADING_CLASSES = 5;

// The class of a material. Misses are simple.
RW_FUNCTION ShadingClass class_of(const MaterialRecord& material) {
    if (material.has(material_flags::CHOOSES)) {
        return ShadingClass::Mixed;
    }
    switch (material.kind()) {
        case MaterialKind::Diffuse:
        case MaterialKind::DiffuseTransmission:
        case MaterialKind::Mirror:
        case MaterialKind::Unlit: return ShadingClass::Simple;
        case MaterialKind::Blinn:
        case MaterialKind::Conductor: return ShadingClass::Metal;
        case MaterialKind::Dielectric:
        case MaterialKind::Invisible: return ShadingClass::Glass;
        // Without a choice it has no glass.
        case MaterialKind::Coated:
        case MaterialKind::Principled: return ShadingClass::Layered;
        case MaterialKind::CarPaint:
        case MaterialKind::Mix: break;
    }
    return ShadingClass::Mixed;
}

// Where the list of a class has its entry i, in `order`: of three times the queue's length, of which each part is shared by
// two lists that grow towards each other.
RW_FUNCTION u32 place_in_order(ShadingClass shading_class, u32 i, u32 capacity) {
    switch (shading_class) {
        case ShadingClass::Simple: return i;
        case ShadingClass::Mixed: return capacity - 1 - i;
        case ShadingClass::Metal: return capacity + i;
        case ShadingClass::Glass: return 2 * capacity - 1 - i;
        case ShadingClass::Layered: break;
    }
    return 2 * capacity + i;
}

}  // namespace raywarp::render
