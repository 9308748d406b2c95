// What the stages share. The same layout as `Constants` in ../pipeline.rs.
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require

// A hit as it is written, in bits: t, u, v and the primitive; a miss has t = t_max and this primitive.
const uint NO_PRIMITIVE = 0xffffffffu;

// Two vectors a ray: origin and t_min, direction and t_max.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Rays {
    vec4 values[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Hits {
    uvec4 values[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
    uint values[];
};
