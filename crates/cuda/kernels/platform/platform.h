// What kernels ask of the machine: lanes, votes, memory, arithmetic that rounds as written.
//
// Two implementations: a GPU's intrinsics, and fibres on a CPU that check how they are used.
#pragma once

#ifdef RAYWARP_EMULATED
#include "emulated.h"
#else
#include "cuda.h"
#endif
