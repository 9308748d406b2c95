// Nothing was hit.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) rayPayloadInEXT uvec4 found;

void main() {
    found = uvec4(floatBitsToUint(gl_RayTmaxEXT), 0, 0, NO_PRIMITIVE);
}
