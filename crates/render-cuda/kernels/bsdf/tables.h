// Where the tables of the models begin in the scene's two arrays. As raywarp-render's bsdf/tables.rs.
#pragma once

#include "../flat/scene.h"

namespace raywarp::render::tables {

// Nodes; as the constants of albedo_table.rs, loss_table.rs, coat_table.rs and anisotropic_glass.rs.
constexpr u32 ALBEDO_NODES = 33;
constexpr u32 WHITE_NODES = 25, GLASS_NODES = 16, MEAN_NODES = 48;
constexpr u32 COAT_NODES_0 = 6, COAT_NODES_1 = 16, COAT_NODES_2 = 16;
constexpr u32 COAT_MEAN_NUMBERS = 5;
constexpr u32 ANISOTROPIC_NODES_0 = 7, ANISOTROPIC_NODES_1 = 5, ANISOTROPIC_NODES_2 = 4, ANISOTROPIC_NODES_3 = 9;
constexpr u32 ANISOTROPIC_GLASS_NODES_0 = 6, ANISOTROPIC_GLASS_NODES_1 = 5, ANISOTROPIC_GLASS_NODES_2 = 4;
constexpr u32 ANISOTROPIC_GLASS_NODES_3 = 7, ANISOTROPIC_GLASS_NODES_4 = 8;
constexpr u32 ANISOTROPIC_GLASS_MEAN_NODES_0 = 11, ANISOTROPIC_GLASS_MEAN_NODES_1 = 17;
constexpr u32 ANISOTROPIC_GLASS_MEAN_NODES_2 = 4;

// Numbers.
constexpr u32 GGX = 0;
// Rows of an alpha each, and one of means behind them.
constexpr u32 ALBEDOS = 2 * ALBEDO_NODES * (ALBEDO_NODES + 1);
constexpr u32 BLINN = GGX + ALBEDOS;
constexpr u32 WHITE_MEANS = BLINN + ALBEDOS;
constexpr u32 GLASS_MEANS = WHITE_MEANS + MEAN_NODES;
constexpr u32 NUMBERS = GLASS_MEANS + 2 * GLASS_NODES * MEAN_NODES;

// Fractions.
constexpr u32 WHITE = 0;
constexpr u32 GLASS = WHITE + WHITE_NODES * WHITE_NODES;
constexpr u32 COAT = GLASS + 2 * GLASS_NODES * GLASS_NODES * GLASS_NODES;
constexpr u32 COAT_MEANS = COAT + COAT_NODES_0 * COAT_NODES_1 * COAT_NODES_2;
constexpr u32 ANISOTROPIC = COAT_MEANS + COAT_NODES_0 * COAT_NODES_1 * COAT_MEAN_NUMBERS;
constexpr u32 ANISOTROPIC_MEANS =
    ANISOTROPIC + ANISOTROPIC_NODES_0 * ANISOTROPIC_NODES_1 * ANISOTROPIC_NODES_2 * ANISOTROPIC_NODES_3;
constexpr u32 ANISOTROPIC_GLASS = ANISOTROPIC_MEANS + ANISOTROPIC_NODES_0 * ANISOTROPIC_NODES_1;
constexpr u32 ANISOTROPIC_GLASS_SIDE = ANISOTROPIC_GLASS_NODES_0 * ANISOTROPIC_GLASS_NODES_1 * ANISOTROPIC_GLASS_NODES_2 *
                                       ANISOTROPIC_GLASS_NODES_3 * ANISOTROPIC_GLASS_NODES_4;
constexpr u32 ANISOTROPIC_GLASS_MEANS = ANISOTROPIC_GLASS + 2 * ANISOTROPIC_GLASS_SIDE;
constexpr u32 FRACTIONS =
    ANISOTROPIC_GLASS_MEANS +
    2 * ANISOTROPIC_GLASS_MEAN_NODES_0 * ANISOTROPIC_GLASS_MEAN_NODES_1 * ANISOTROPIC_GLASS_MEAN_NODES_2;

RW_FUNCTION float number(const Scene& scene, u32 index) { return float_of(load(scene.numbers, index)); }

// A fraction as the number that its 16 bits are.
RW_FUNCTION float fraction(const Scene& scene, u32 index) {
    const u32 both = load(scene.fractions, index / 2);
    return static_cast<float>((index & 1) != 0 ? both >> 16 : both & 0xffffu);
}

}  // namespace raywarp::render::tables
