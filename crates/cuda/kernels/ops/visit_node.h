// visit_node: fetch a node, test the ray against all its child boxes, order the hits, push all but the nearest.
#pragma once

#include "../lane.h"

namespace raywarp {

template <Options O>
RW_FUNCTION void visit_node(const Launch& launch, Lane<O>& lane) {
    Lane<O>::Tree::visit(launch, lane);
}

}  // namespace raywarp
