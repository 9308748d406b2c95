// The kernels by name.
#include "launch.h"
#include "machine.h"

namespace raywarp::check {
struct Aimed;
}
namespace raywarp::render {
struct Render;
struct MeasuredRender;
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
    bool takes_launch, takes_measured;
};

template <class P, class Q>
constexpr bool ARE_SAME = false;
template <class P>
constexpr bool ARE_SAME<P, P> = true;

#define KERNEL(parameter, name) \
    {#name, reinterpret_cast<raywarp::emulation::Kernel>(name), ARE_SAME<raywarp::parameter, raywarp::Launch>, \
     ARE_SAME<raywarp::parameter, raywarp::render::MeasuredRender>},
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

// Whether a kernel's parameter is a MeasuredRender.
extern "C" bool raywarp_emulation_takes_measured(raywarp::emulation::Kernel kernel) {
    for (const Entry& entry : KERNELS) {
        if (entry.kernel == kernel) {
            return entry.takes_measured;
        }
    }
    return false;
}
