// Unit vectors in 32 bits. As raywarp-render's flat/octahedral.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

// A coordinate of the square, from -1 to 1.
RW_FUNCTION float square_coordinate(u32 half) {
    return static_cast<float>(static_cast<short>(half & 0xffff)) / 32767.0f;
}

// The unit vector of a code, or the zero vector.
RW_FUNCTION Vec3 decode_unit(u32 code) {
    if (code == 0x80008000u) {
        return Vec3::splat(0.0f);
    }
    const Vec2 square = {square_coordinate(code), square_coordinate(code >> 16)};
    const float z = 1.0f - magnitude(square.x) - magnitude(square.y);
    const float depth = most(-z, 0.0f);
    const float x = square.x >= 0.0f ? square.x - depth : square.x + depth;
    const float y = square.y >= 0.0f ? square.y - depth : square.y + depth;
    return normalized(Vec3{x, y, z});
}

}  // namespace raywarp::render
