// The kernels by name.
#include "machine.h"

#define KERNEL(name) extern "C" void name(const raywarp::Launch&);
#include "kernels.inc"
#undef KERNEL

namespace {

struct Entry {
    const char* name;
    raywarp::emulation::Kernel kernel;
};

#define KERNEL(name) {#name, name},
constexpr Entry KERNELS[] = {
#include "kernels.inc"
};

}  // namespace

// Null for a name that no kernel has.
extern "C" raywarp::emulation::Kernel raywarp_emulation_kernel(const char* name) {
    for (const Entry& entry : KERNELS) {
        if (std::strcmp(entry.name, name) == 0) {
            return entry.kernel;
        }
    }
    return nullptr;
}
