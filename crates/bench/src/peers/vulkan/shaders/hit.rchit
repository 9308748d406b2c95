// The nearest hit into the payload.
#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uvec4 found;
hitAttributeEXT vec2 weights;

void main() {
    found = uvec4(floatBitsToUint(gl_HitTEXT), floatBitsToUint(weights), gl_PrimitiveID);
}
