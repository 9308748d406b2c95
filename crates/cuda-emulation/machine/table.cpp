// The kernels by name.
#include "launch.h"
#include "machine.h"

namespace raywarp::check {
struct Aimed;
}
namespace raywarp::render {
struct Render;
}
namespace raywarp::own {
struct Rays;
struct Picture;
}  // namespace raywarp::own

#define KERNEL(parameter, name) extern "C" void name(const raywarp::parameter&);
#include "kernels.inc"
#undef KERNEL

namespace {

struct Entry {
    const char* name;
    raywarp::emulation::Kernel kernel;
    bool takes_launch;
};

template <class P>
constexpr bool IS_LAUNCH = false;
template <>
constexpr bool IS_LAUNCH<raywarp::Launch> = true;

#define KERNEL(parameter, name) \
    {#name, reinterpret_cast<raywarp::emulation::Kernel>(name), IS_LAUNCH<raywarp::parameter>},
const Entry KERNELS[] = {
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

// Whether a kernel's parameter is a Launch.
extern "C" bool raywarp_emulation_takes_launch(raywarp::emulation::Kernel kernel) {
    for (const Entry& entry : KERNELS) {
        if (entry.kernel == kernel) {
            return entry.takes_launch;
        }
    }
    return false;
}
