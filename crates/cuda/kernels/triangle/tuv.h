// What a triangle test finds.
#pragma once

#include "../ray.h"

namespace raywarp {

struct Tuv {
    float t, u, v;
    bool hit;
};

}  // namespace raywarp
