// Orthonormal frames of shading points. As raywarp-render's surface/frame.rs.
#pragma once

#include "../sample/warp/direction.h"
#include "../vector.h"

namespace raywarp::render {

struct Frame {
    Vec3 tangent, bitangent, normal;

    static RW_FUNCTION Frame around(Vec3 normal) {
        const warp::Onb basis = warp::onb(normal);
        return {basis.tangent, basis.bitangent, normal};
    }

    static RW_FUNCTION Frame along(Vec3 normal, Vec3 tangent) {
        const Option<Vec3> across = try_normalize(tangent - normal * dot(normal, tangent));
        return across ? Frame{*across, cross(normal, *across), normal} : around(normal);
    }

    RW_FUNCTION Vec3 to_local(Vec3 v) const { return {dot(tangent, v), dot(bitangent, v), dot(normal, v)}; }
    RW_FUNCTION Vec3 to_world(Vec3 v) const { return v.x * tangent + v.y * bitangent + v.z * normal; }
};

}  // namespace raywarp::render
