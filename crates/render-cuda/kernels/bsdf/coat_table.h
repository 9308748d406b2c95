// What a coat's scale takes too much of, tabulated. As raywarp-render's bsdf/coat_table.rs.
#pragma once

#include "loss_table.h"

namespace raywarp::render {

constexpr float COAT_F0 = 0.04f;

struct CoatMeans {
    float loss;
    Vec2 lost;
    Vec2 covered;
};

// A coat of one alpha over facets of another.
struct CoatLoss {
    u32 row;
    float base, coat;

    static RW_FUNCTION CoatLoss make(float base_alpha, float coat_alpha) {
        const loss_table::Place b = loss_table::locate(square_root(most(base_alpha, 0.0f)), tables::COAT_NODES_1);
        const loss_table::Place a = loss_table::locate(square_root(most(coat_alpha, 0.0f)), tables::COAT_NODES_0);
        return {a.node * tables::COAT_NODES_1 + b.node, b.beyond, a.beyond};
    }

    RW_FUNCTION float at(const Scene& scene, float cos) const {
        constexpr u32 COSINES = tables::COAT_NODES_2;
        const loss_table::Place x = loss_table::locate(cos, COSINES);
        const u32 at = tables::COAT + row * COSINES + x.node;
        const float low = loss_table::between_rows(scene, at, COSINES, x.beyond, base);
        const float high =
            loss_table::between_rows(scene, at + tables::COAT_NODES_1 * COSINES, COSINES, x.beyond, base);
        return loss_table::SCALE * (low + coat * (high - low));
    }

    // Number `i` of the means.
    RW_FUNCTION float mean(const Scene& scene, u32 i) const {
        constexpr u32 NUMBERS = tables::COAT_MEAN_NUMBERS, NEXT = tables::COAT_NODES_1 * NUMBERS;
        const u32 at = tables::COAT_MEANS + row * NUMBERS + i;
        const float first = tables::fraction(scene, at), second = tables::fraction(scene, at + NEXT);
        const float low = first + base * (tables::fraction(scene, at + NUMBERS) - first);
        const float high = second + base * (tables::fraction(scene, at + NEXT + NUMBERS) - second);
        return loss_table::SCALE * (low + coat * (high - low));
    }

    RW_FUNCTION CoatMeans means(const Scene& scene) const {
        return {mean(scene, 0), {mean(scene, 1), mean(scene, 2)}, {mean(scene, 3), mean(scene, 4)}};
    }
};

}  // namespace raywarp::render
