// What the pretended driver knows: its devices, their memory and handles, and which calls are to fail.
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine.h"
#include "modules.h"
#include "platform/texture_unit.h"

namespace raywarp::pretended {

using namespace raywarp::emulation;
namespace texture_unit = raywarp::platform::texture_unit;

using Result = int;
constexpr Result SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
                 INVALID_HANDLE = 400, ILLEGAL_STATE = 401, NOT_FOUND = 500, NOT_READY = 600, LAUNCH_FAILED = 719, CAPTURE_UNSUPPORTED = 900,
                 CAPTURE_INVALIDATED = 901;

constexpr u64 NEVER = ~0ull;

constexpr int MOST_DEVICES = 8, NO_DEVICE = -1;

// Which of a row of calls fail.
struct Plan {
    u64 calls = 0;
    u64 fails_at = NEVER;
    bool once = false;

    bool next() {
        const u64 call = calls++;
        return once ? call == fails_at : call >= fails_at;
    }
};

struct Device {
    u64 memory = 1ull << 30;
    u64 taken = 0;
    Plan plan;
    // One launch at a time.
    std::mutex running;
    // The context that all share who ask for it.
    void* primary = nullptr;
    // Launches until now, and the last one on each stream with launches that nobody has waited for.
    u64 launches = 0;
    std::map<u64, u64> busy;
    // Of two streams, which launch of the second the first has waited for on the device.
    std::map<std::pair<u64, u64>, u64> passed;
    // What its clock shows that tests ask for: a launch takes a millisecond, a copy, or a setting of memory, a second.
    double clock_ms = 0.0;
};

struct Allocation {
    u64 bytes;
    int device;
};

// An image for texture units.
struct Array {
    u64 width, height;
    texture_unit::Format format;
    u64 bytes;
    int device;
    void* memory;
    // Texture objects that name it.
    u64 objects;
};

// A texture object, and whose it is.
struct TextureObject {
    texture_unit::Texture texture;
    Array* array;
};

// A kernel of a module, which belongs to a device.
struct LoadedKernel {
    Kernel kernel;
    int device;
    const void* context;
    // Of its one parameter.
    u64 parameter_bytes;
    KernelBounds bounds;
};

// A launch, with a copy of its parameter; or memory that is set, where there is no kernel.
struct Recorded {
    const LoadedKernel* kernel;
    u32 blocks, threads, shared_bytes;
    std::vector<u64> parameter;
    u64 address, bytes;
    u8 value;
};

// Of a stream. Nothing can be made of a spoiled one.
struct Recording {
    bool spoiled = false;
    std::vector<Recorded> steps;
};

// A graph of steps in a row, or what was made of it to be launched.
struct Graph {
    int device;
    bool is_executable;
    std::vector<Recorded> steps;
};

// What a stream has to do yet, where it does everything as late as it may.
struct Queue {
    std::deque<std::function<Result()>> steps;
    // Steps that it was given, and that are done.
    u64 issued = 0, done = 0;
    // What the first step that failed said, until somebody is told.
    Result failed = SUCCESS;
};

// A place in a stream's queue.
struct Event {
    double ms = 0.0;
    const void* stream = nullptr;
    u64 position = 0, launch = 0;
};

struct Driver {
    std::mutex mutex;
    int device_count = 1;
    Device devices[MOST_DEVICES];
    // By address.
    std::map<u64, Allocation> allocations;
    std::map<const void*, std::unique_ptr<Array>> arrays;
    // By handle, which is the address of what emulated texture units look at.
    std::map<u64, std::unique_ptr<TextureObject>> textures;
    // By handle, and their kernels.
    std::map<const void*, Module> modules;
    std::map<std::pair<const void*, Kernel>, std::unique_ptr<LoadedKernel>> kernels;
    // Contexts beside the primary ones, and streams with the context of each.
    std::set<const void*> contexts;
    std::map<const void*, const void*> streams;
    std::map<const void*, Queue> queues;
    // Pinned memory by address: bytes, and whether it was somebody else's memory before.
    std::map<u64, std::pair<u64, bool>> pinned;
    // By stream.
    std::map<const void*, Recording> recordings;
    std::map<const void*, std::unique_ptr<Graph>> graphs;
    // All calls, whichever the device.
    Plan plan;
    u64 allocation_calls = 0;
    // Of all launches.
    u64 blocks = 0;
    // Memory that was freed on one stream while launches on another may have used it.
    u64 early_frees = 0;
    // Calls that let the host wait for a device.
    u64 waits = 0;
    // Whether streams do everything as late as they may: 1, but what gives memory back runs ahead; 2, that too.
    int late = 0;
    u64 next_handle = 1;
    Order order = Order::Up;
    u64 seed = 1;
    // Whether events tell the devices' own clocks.
    bool ticks = false;

    Driver() {
        device_count = static_cast<int>(number("RAYWARP_PRETEND_DEVICES", 1));
        const bool once = std::getenv("RAYWARP_PRETEND_FAILS_ONCE") != nullptr;
        const Plan from = {0, number("RAYWARP_PRETEND_FAILS_AT", NEVER), once};
        const u64 failing = number("RAYWARP_PRETEND_FAILS_DEVICE", NEVER);
        (failing == NEVER ? plan : devices[failing % MOST_DEVICES].plan) = from;
        for (int i = 0; i < MOST_DEVICES; i++) {
            const std::string own = "RAYWARP_PRETEND_MEMORY_" + std::to_string(i);
            devices[i].memory = number(own.c_str(), number("RAYWARP_PRETEND_MEMORY", devices[i].memory));
        }
    }

    static u64 number(const char* name, u64 otherwise) {
        const char* text = std::getenv(name);
        return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
    }
};

inline Driver& driver() {
    // Never destroyed: calls come until the process ends.
    static Driver* const driver = new Driver;
    return *driver;
}

// The device that this thread has chosen, by its context.
inline thread_local int chosen = NO_DEVICE;
inline thread_local void* current_context = nullptr;

// Handles of contexts, streams and modules say whose they are.
inline void* new_handle(int device) {
    return reinterpret_cast<void*>(driver().next_handle++ << 8 | static_cast<u64>(device) << 4);
}
inline int device_of(const void* handle) { return static_cast<int>(reinterpret_cast<u64>(handle) >> 4 & 15); }

// Whether a stream is not one of the current context. No stream is the context's own.
inline bool is_foreign(const void* stream) {
    if (stream == nullptr) {
        return current_context == nullptr;
    }
    const auto at = driver().streams.find(stream);
    return at == driver().streams.end() || at->second != current_context;
}

// Counts a call on a device, or on none; whether it is to fail.
inline bool fails(int device) {
    // Both count.
    const bool any = driver().plan.next();
    return (device != NO_DEVICE && driver().devices[device].plan.next()) || any;
}

using Lock = std::lock_guard<std::mutex>;

// What is left of the allocation of a device that an address lies in; 0 for none.
inline u64 room(int device, u64 address) {
    const auto& all = driver().allocations;
    auto at = all.upper_bound(address);
    if (at == all.begin()) {
        return 0;
    }
    --at;
    const auto& [first, allocation] = *at;
    const bool inside = allocation.device == device && address - first < allocation.bytes;
    return inside ? allocation.bytes - (address - first) : 0;
}

inline Result allocate(int device, u64* address, u64 bytes) {
    Lock lock(driver().mutex);
    if (fails(device)) {
        return OUT_OF_MEMORY;
    }
    if (device == NO_DEVICE || device != chosen) {
        return INVALID_CONTEXT;
    }
    Device& d = driver().devices[device];
    driver().allocation_calls += 1;
    if (bytes == 0) {
        return INVALID_VALUE;
    }
    if (bytes > d.memory - d.taken) {
        return OUT_OF_MEMORY;
    }
    void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (memory == nullptr) {
        return OUT_OF_MEMORY;
    }
    // A GPU's memory holds anything at first.
    std::memset(memory, 0xa5, bytes);
    *address = reinterpret_cast<u64>(memory);
    driver().allocations[*address] = {bytes, device};
    d.taken += bytes;
    return SUCCESS;
}

// Whether memory lies in one piece of the host's that is pinned.
inline bool is_pinned(const void* memory, u64 bytes) {
    const u64 address = reinterpret_cast<u64>(memory);
    auto at = driver().pinned.upper_bound(address);
    if (at == driver().pinned.begin()) {
        return false;
    }
    --at;
    return address - at->first < at->second.first && bytes <= at->second.first - (address - at->first);
}

inline Result release(u64 address, u64 stream) {
    Lock lock(driver().mutex);
    const auto at = driver().allocations.find(address);
    if (at == driver().allocations.end()) {
        return INVALID_VALUE;
    }
    Device& d = driver().devices[at->second.device];
    for (const auto& [other, launch] : d.busy) {
        const auto passed = d.passed.find({stream, other});
        driver().early_frees += other != stream && (passed == d.passed.end() || passed->second < launch);
    }
    d.taken -= at->second.bytes;
    driver().allocations.erase(at);
    std::free(reinterpret_cast<void*>(address));
    return SUCCESS;
}

}  // namespace raywarp::pretended
