// What a texture may ask of the surface point. As raywarp-render's texture/mod.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

struct TexturePoint {
    Vec2 uv[2];
    Vec4 color;
};

}  // namespace raywarp::render
