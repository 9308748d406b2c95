// Kernels that misuse the warp, each in one way: what the machine says of them is tested.
#include "machine.h"
extern "C" raywarp::emulation::Kernel raywarp_emulation_misuse(const char*) { return nullptr; }
