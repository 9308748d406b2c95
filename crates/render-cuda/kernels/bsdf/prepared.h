// What sampling and evaluating share for one `wo`, so that a vertex that does both finds it once. As raywarp-render's
// bsdf/mod.rs.
#pragma once

#include "car_paint.h"
#include "conductor.h"
#include "dielectric.h"
#include "kind.h"
#include "principled.h"

namespace raywarp::render {

// What layered models share, apart from the rest: in memory.
union Layers {
    Option<principled::Lobes> principled;
    Option<car_paint::Lobes> car_paint;

    RW_FUNCTION Layers() {}
};

struct Prepared {
    // Conductor, Dielectric, or Black for nothing here.
    BsdfKind kind;
    const Layers* layers;
    union {
        conductor::Bounces metal;
        dielectric::Bounces glass;
    };

    static RW_FUNCTION Prepared nothing() {
        Prepared prepared;
        prepared.kind = BsdfKind::Black;
        prepared.layers = nullptr;
        return prepared;
    }
    static RW_FUNCTION Prepared of(const Option<conductor::Bounces>& bounces) {
        Prepared prepared = nothing();
        if (bounces) {
            prepared.kind = BsdfKind::Conductor;
            prepared.metal = *bounces;
        }
        return prepared;
    }
    static RW_FUNCTION Prepared of(const Option<dielectric::Bounces>& bounces) {
        Prepared prepared = nothing();
        if (bounces) {
            prepared.kind = BsdfKind::Dielectric;
            prepared.glass = *bounces;
        }
        return prepared;
    }
    static RW_FUNCTION Prepared of(const Layers& layers) {
        Prepared prepared = nothing();
        prepared.layers = &layers;
        return prepared;
    }
    RW_FUNCTION Option<conductor::Bounces> of_conductor() const { return {kind == BsdfKind::Conductor, metal}; }
    RW_FUNCTION Option<dielectric::Bounces> of_dielectric() const { return {kind == BsdfKind::Dielectric, glass}; }
};

}  // namespace raywarp::render
