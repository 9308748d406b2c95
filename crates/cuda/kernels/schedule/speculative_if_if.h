// Speculative if-if (AL09 4): as if-if, and a lane whose leaf waits in the postpone buffer takes part in both
// halves of an iteration.
#pragma once

#include "if_if.h"

namespace raywarp {

template <Options O>
struct SpeculativeIfIf {
    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        // A lane that stands at a leaf puts it aside before the visit, so that it takes part.
        postpone(lane);
        pop_exhausted(lane);
        IfIf<O>::traverse(launch, lane);
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) { IfIf<O>::intersect(launch, lane); }
};

}  // namespace raywarp
