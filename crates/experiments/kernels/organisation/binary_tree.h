// The megakernel and the bounce over a binary tree, by the loops that W11 chose between (3.2, 4.2.6): while-while, and
// speculative traversal.
#pragma once

#include "burdened_megakernel.h"
#include "compact.h"

namespace raywarp::render {

RW_FUNCTION constexpr Walks binary(Organisation organisation) {
    const auto of = [&](Query query) {
        return Options{.supply = Supply::Caller,
                       .organisation = organisation,
                       .tree = TreeKind::Bvh2,
                       .query = query,
                       .postpone = organisation == Organisation::SpeculativeWhileWhile ? 1u : 0u,
                       .triangle = TriangleTest::Watertight};
    };
    return {of(Query::Closest), of(Query::Any)};
}
constexpr Walks WHILE_WHILE = binary(Organisation::WhileWhile);
constexpr Walks SPECULATIVE = binary(Organisation::SpeculativeWhileWhile);

}  // namespace raywarp::render
