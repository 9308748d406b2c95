// Where the tables of the models begin in the scene's two arrays. As raywarp-render's bsdf/tables.rs.
#pragma once

#include "../flat/scene.h"

namespace raywarp::render::tables {

// Nodes; as the constants of albedo_table.rs, loss_table.rs, coat_table.rs and turned_glass.rs.
constexpr u32 ALBEDO_NODES = 33;
constexpr u32 WHITE_NODES = 25, GLASS_NODES = 16, MEAN_NODES = 48;
constexpr u32 COAT_NODES[3] = {6, 16, 16};
constexpr u32 COAT_MEAN_NUMBERS = 5;
constexpr u32 TURNED_NODES[4] = {7, 5, 4, 9};
constexpr u32 TURNED_GLASS_NODES[5] = {6, 5, 4, 7, 8};
constexpr u32 TURNED_GLASS_MEAN_NODES[3] = {11, 17, 4};

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
constexpr u32 COAT_MEANS = COAT + COAT_NODES[0] * COAT_NODES[1] * COAT_NODES[2];
constexpr u32 TURNED = COAT_MEANS + COAT_NODES[0] * COAT_NODES[1] * COAT_MEAN_NUMBERS;
constexpr u32 TURNED_MEANS = TURNED + TURNED_NODES[0] * TURNED_NODES[1] * TURNED_NODES[2] * TURNED_NODES[3];
constexpr u32 TURNED_GLASS = TURNED_MEANS + TURNED_NODES[0] * TURNED_NODES[1];
constexpr u32 TURNED_GLASS_SIDE = TURNED_GLASS_NODES[0] * TURNED_GLASS_NODES[1] * TURNED_GLASS_NODES[2] *
                                  TURNED_GLASS_NODES[3] * TURNED_GLASS_NODES[4];
constexpr u32 TURNED_GLASS_MEANS = TURNED_GLASS + 2 * TURNED_GLASS_SIDE;
constexpr u32 FRACTIONS = TURNED_GLASS_MEANS + 2 * TURNED_GLASS_MEAN_NODES[0] * TURNED_GLASS_MEAN_NODES[1] *
                                                   TURNED_GLASS_MEAN_NODES[2];

RW_FUNCTION float number(const Scene& scene, u32 index) { return float_of(load(scene.numbers, index)); }

// A fraction as the number that its 16 bits are.
RW_FUNCTION float fraction(const Scene& scene, u32 index) {
    const u32 both = load(scene.fractions, index / 2);
    return static_cast<float>((index & 1) != 0 ? both >> 16 : both & 0xffffu);
}

}  // namespace raywarp::render::tables
