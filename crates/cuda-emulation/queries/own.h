// What the kernels of own.cpp are given, in one parameter each: tests/own_kernels.rs has the same words.
#pragma once

#include "raywarp.h"

namespace raywarp::own {

struct Rays {
    Tree tree;
    const Ray* rays;
    Hit* hits;
    AnyHit* shadows;
    u32 count;
    // How lanes come to ask: see own.cpp.
    u32 way;
};

struct Picture {
    Tree tree;
    const float* corners;
    u32* open;
    Ray* asked;
    u32 width, height;
    float eye[3];
    u32 unused;
};

static_assert(sizeof(Rays) == 104 && sizeof(Picture) == 120, "must match tests/own_kernels.rs");

}  // namespace raywarp::own
