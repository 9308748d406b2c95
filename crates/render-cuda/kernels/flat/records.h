// Records of the flat scene: the same bytes as raywarp-render's flat/*.rs, which say what they mean.
#pragma once

#include "../memory.h"
#include "../vector.h"
#include "tags.h"

namespace raywarp::render {

struct alignas(16) TriangleRecord {
    float corners[3][3];
    // Unit vectors in codes (flat/octahedral.h).
    u32 normals[3];
    u32 material_and_flags, instance, attributes, light;

    static constexpr u32 FLIPPED = 1u << 31, SMOOTH = 1u << 30, MATERIAL = SMOOTH - 1;
    RW_FUNCTION u32 material() const { return material_and_flags & MATERIAL; }
    RW_FUNCTION bool is_smooth() const { return (material_and_flags & SMOOTH) != 0; }
    RW_FUNCTION Vec3 corner(u32 i) const { return vec3(corners[i]); }
};
static_assert(sizeof(TriangleRecord) == 64);

struct alignas(16) AttributeRecord {
    float uv0[3][2], uv1[3][2];
    u32 tangents[3];
    u32 colors_and_flags;

    static constexpr u32 TANGENTS = 1u << 31, LEFT_HANDED = 1u << 30;
    RW_FUNCTION u32 colors() const { return (colors_and_flags & (LEFT_HANDED - 1)) - 1; }
};
static_assert(sizeof(AttributeRecord) == 64);

struct alignas(16) ColorRecord {
    float corners[3][4];
};
static_assert(sizeof(ColorRecord) == 48);

struct alignas(8) PlacementRecord {
    u32 first_triangle, triangle_count;
};

struct alignas(16) Input {
    float factor[3];
    u32 source;

    static constexpr u32 CHANNEL = 28;
    RW_FUNCTION bool is_textured() const { return source != NONE; }
    RW_FUNCTION u32 texture() const { return source & ((1u << CHANNEL) - 1); }
    RW_FUNCTION InputChannel channel() const { return static_cast<InputChannel>(source >> CHANNEL); }
};
static_assert(sizeof(Input) == 16);

struct alignas(16) MaterialRecord {
    u32 kind_tag, flags, first_input, remap_tag;
    u32 emission, normal, alpha;
    float cutoff;
    u32 inside, outside;
    u32 parts[2];
    u32 unused[4];

    RW_FUNCTION MaterialKind kind() const { return static_cast<MaterialKind>(kind_tag); }
    RW_FUNCTION Remap remap() const { return static_cast<Remap>(remap_tag); }
    RW_FUNCTION bool has(u32 flag) const { return (flags & flag) != 0; }
    // The medium of the body whose surface it is, or NONE.
    RW_FUNCTION u32 body() const { return has(material_flags::INTERFACE) ? NONE : inside; }
};
static_assert(sizeof(MaterialRecord) == 64);

struct alignas(16) MediumRecord {
    float absorption[3];
    float ior;
};
static_assert(sizeof(MediumRecord) == 16);

struct alignas(8) ProgramRecord {
    u32 first, end;
};

struct alignas(16) TextureOp {
    u32 kind_tag, image;
    u32 wrap[2];
    u32 lookup, uv_set;
    float rows[2][3];
    float value[4];

    RW_FUNCTION TextureKind kind() const { return static_cast<TextureKind>(kind_tag); }
    // The texture object of a sampled image, which knows how it wraps and is looked up.
    RW_FUNCTION u64 texture() const { return static_cast<u64>(wrap[1]) << 32 | wrap[0]; }
};
static_assert(sizeof(TextureOp) == 64);

// An image; its texels lie row by row, as 4 bytes or 4 floats each.
struct alignas(16) ImageRecord {
    u32 width, height;
    u32 texels_tag;
    u32 unused;
    // Address of the first one.
    u64 texels;
    u64 unused2;

    RW_FUNCTION Texels format() const { return static_cast<Texels>(texels_tag); }
};
static_assert(sizeof(ImageRecord) == 32);

struct alignas(16) LightRecord {
    u32 kind_tag, index, material;
    float value;
    float at[3], u[3], v[3], w[3];

    RW_FUNCTION LightKind kind() const { return static_cast<LightKind>(kind_tag); }
};
static_assert(sizeof(LightRecord) == 64);

struct alignas(16) AliasCell {
    float own;
    u32 alias;
    float probability, alias_probability;
};

struct alignas(16) EnvironmentRecord {
    float radiance[3];
    float choice;
    float rows[3][3];
    u32 image;
    u32 size[2];
    u32 table;
    u32 unused[3];
};
static_assert(sizeof(EnvironmentRecord) == 80);

}  // namespace raywarp::render
