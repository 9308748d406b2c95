// A CUDA driver without a GPU: the calls that Raywarp makes, on this machine's memory, with emulated kernels.
//
// It is a library of its own, named as the driver is, so that programs and tests find it where they look for the driver
// (LD_LIBRARY_PATH, or loaded before). Everything happens at once and in turn; a stream is a name.
//
// Any call can be made to fail: every one that may has a number, counted from 0 on, and either the planned one
// fails (nothing is done then), or that one and all that follow, as when a GPU goes away.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "launch.h"
#include "machine.h"

using raywarp::u32;
using raywarp::u64;
using raywarp::u8;
using namespace raywarp::emulation;

namespace raywarp::emulation {
struct Outcome;
}
extern "C" Kernel raywarp_emulation_kernel(const char* name);
extern "C" bool raywarp_emulation_takes_launch(Kernel kernel);
extern "C" raywarp::emulation::Outcome* raywarp_emulation_run(const Request* request);
extern "C" void raywarp_emulation_free(raywarp::emulation::Outcome* outcome);
extern "C" const char* raywarp_emulation_error(const raywarp::emulation::Outcome* outcome);

namespace {

using Result = int;
constexpr Result SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, LAUNCH_FAILED = 719;

// One small multiprocessor.
constexpr int CAPABILITY[2] = {9, 0};
constexpr int RESIDENT_BLOCKS = 2;
constexpr u64 NEVER = ~0ull;

struct Driver {
    std::mutex mutex;
    // By address.
    std::map<u64, u64> allocations;
    u64 memory = 1ull << 30;
    u64 taken = 0;
    u64 calls = 0;
    u64 fails_at = NEVER;
    bool fails_once = false;
    u64 allocation_calls = 0;
    u64 next_handle = 1;
    Order order = Order::Up;
    u64 seed = 1;

    Driver() {
        memory = number("RAYWARP_PRETEND_MEMORY", memory);
        fails_at = number("RAYWARP_PRETEND_FAILS_AT", fails_at);
        fails_once = std::getenv("RAYWARP_PRETEND_FAILS_ONCE") != nullptr;
    }

    static u64 number(const char* name, u64 otherwise) {
        const char* text = std::getenv(name);
        return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
    }
};

Driver& driver() {
    // Never destroyed: calls come until the process ends.
    static Driver* const driver = new Driver;
    return *driver;
}

// Counts a call; whether it is to fail.
bool fails() {
    Driver& d = driver();
    const u64 call = d.calls++;
    return d.fails_once ? call == d.fails_at : call >= d.fails_at;
}

using Lock = std::lock_guard<std::mutex>;

// What is left of the allocation that an address lies in; 0 for none.
u64 room(u64 address) {
    const auto& all = driver().allocations;
    auto at = all.upper_bound(address);
    if (at == all.begin()) {
        return 0;
    }
    --at;
    return address - at->first < at->second ? at->second - (address - at->first) : 0;
}

Result allocate(u64* address, u64 bytes) {
    Lock lock(driver().mutex);
    if (fails()) {
        return OUT_OF_MEMORY;
    }
    Driver& d = driver();
    d.allocation_calls += 1;
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
    d.allocations[*address] = bytes;
    d.taken += bytes;
    return SUCCESS;
}

Result release(u64 address) {
    Lock lock(driver().mutex);
    Driver& d = driver();
    const auto at = d.allocations.find(address);
    if (at == d.allocations.end()) {
        return INVALID_VALUE;
    }
    d.taken -= at->second;
    d.allocations.erase(at);
    std::free(reinterpret_cast<void*>(address));
    return SUCCESS;
}

// A range of what a launch names: `bytes` of it, or all that is left of its allocation.
void add(std::vector<Range>& ranges, const void* begin, u64 bytes, Use use) {
    if (begin != nullptr) {
        const u64 left = room(reinterpret_cast<u64>(begin));
        ranges.push_back({static_cast<const u8*>(begin), bytes != 0 && bytes < left ? bytes : left, 1, NO_SPACE, use, 0});
    }
}

// What a launch of the family names.
void add_launch(std::vector<Range>& ranges, const raywarp::Launch& launch) {
    for (const void* array : {static_cast<const void*>(launch.nodes), static_cast<const void*>(launch.triangles),
                              static_cast<const void*>(launch.slots), static_cast<const void*>(launch.ids),
                              static_cast<const void*>(launch.rays), static_cast<const void*>(launch.after)}) {
        add(ranges, array, 0, Use::Read);
    }
    add(ranges, launch.blocked, 0, Use::Change);
    add(ranges, launch.undecided, 0, Use::Change);
    add(ranges, launch.counter, 4, Use::Change);
    add(ranges, launch.invalid, 4, Use::Change);
}

Result run(Kernel kernel, u32 blocks, u32 threads, const void* parameter) {
    std::vector<Range> ranges;
    if (raywarp_emulation_takes_launch(kernel)) {
        add_launch(ranges, *static_cast<const raywarp::Launch*>(parameter));
    } else {
        for (const auto& [address, bytes] : driver().allocations) {
            ranges.push_back({reinterpret_cast<const u8*>(address), bytes, 1, NO_SPACE, Use::Either, 0});
        }
    }
    // As many warps, in blocks of the size that the machine takes.
    const u32 warps = blocks * (threads / raywarp::WARP);
    const Request request = {kernel, parameter, ranges.data(), static_cast<u32>(ranges.size()), (warps + 1) / 2, 2, RESIDENT_BLOCKS, driver().order, 0, driver().seed,
                             NEVER};
    auto* const outcome = raywarp_emulation_run(&request);
    const bool ok = *raywarp_emulation_error(outcome) == 0;
    if (!ok) {
        std::fprintf(stderr, "pretended GPU: %s\n", raywarp_emulation_error(outcome));
    }
    raywarp_emulation_free(outcome);
    return ok ? SUCCESS : LAUNCH_FAILED;
}

const char* name_of(Result result) {
    switch (result) {
        case INVALID_VALUE: return "CUDA_ERROR_INVALID_VALUE";
        case OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
        case NOT_FOUND: return "CUDA_ERROR_NOT_FOUND";
        case LAUNCH_FAILED: return "CUDA_ERROR_LAUNCH_FAILED";
        default: return "CUDA_ERROR_UNKNOWN";
    }
}

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result handle(void** out) {
    Lock lock(driver().mutex);
    if (fails()) {
        return LAUNCH_FAILED;
    }
    *out = reinterpret_cast<void*>(driver().next_handle++ << 4);
    return SUCCESS;
}

Result may_fail() {
    Lock lock(driver().mutex);
    return fails() ? LAUNCH_FAILED : SUCCESS;
}

}  // namespace

// What tests plan and ask.
extern "C" {

// The call from now on that fails, all later ones too unless `once`.
void raywarp_pretend_fails_at(u64 call, int once) {
    Lock lock(driver().mutex);
    driver().calls = 0;
    driver().allocation_calls = 0;
    driver().fails_at = call;
    driver().fails_once = once != 0;
}
// Calls that might have failed since then.
u64 raywarp_pretend_calls() { return driver().calls; }
u64 raywarp_pretend_allocations() { return driver().allocation_calls; }
// Bytes of memory beyond those that are taken now.
void raywarp_pretend_memory(u64 bytes) {
    Lock lock(driver().mutex);
    driver().memory = driver().taken + bytes;
}
// The order in which lanes and warps of later launches run: upwards, downwards, or any by a seed from 2 on.
void raywarp_pretend_order(u64 order) {
    Lock lock(driver().mutex);
    driver().order = order < 2 ? static_cast<Order>(order) : Order::Seeded;
    driver().seed = order;
}
u64 raywarp_pretend_taken() { return driver().taken; }

}  // extern "C"

// The driver's calls, with the names and arguments of NVIDIA's CUDA driver API.
extern "C" {

Result cuInit(u32) { return may_fail(); }
Result cuDriverGetVersion(int* version) {
    *version = 13000;
    return SUCCESS;
}
Result cuGetErrorName(Result result, const char** text) {
    *text = name_of(result);
    return SUCCESS;
}
Result cuGetErrorString(Result, const char** text) {
    *text = "as planned";
    return SUCCESS;
}
Result cuDeviceGetCount(int* count) {
    *count = 1;
    return may_fail();
}
Result cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return may_fail();
}
Result cuDeviceGetName(char* name, int length, int) {
    std::snprintf(name, static_cast<size_t>(length), "pretended GPU");
    return may_fail();
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
        case 16: *value = 1; break;   // multiprocessors
        case 75: *value = CAPABILITY[0]; break;
        case 76: *value = CAPABILITY[1]; break;
        case 115: *value = 1; break;  // memory pools
        default: *value = 0;
    }
    return may_fail();
}
Result cuDevicePrimaryCtxRetain(void** context, int) { return handle(context); }
Result cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
Result cuCtxSetCurrent(void*) { return may_fail(); }
Result cuCtxGetCurrent(void** context) {
    *context = nullptr;
    return SUCCESS;
}
Result cuStreamCreate(void** stream, u32) { return handle(stream); }
Result cuStreamDestroy_v2(void*) { return SUCCESS; }
Result cuStreamSynchronize(void*) { return may_fail(); }
Result cuStreamWaitEvent(void*, void*, u32) { return may_fail(); }
Result cuCtxSynchronize() { return may_fail(); }
Result cuMemGetInfo_v2(u64* free, u64* total) {
    Lock lock(driver().mutex);
    *free = driver().memory - driver().taken;
    *total = driver().memory;
    return fails() ? LAUNCH_FAILED : SUCCESS;
}
Result cuMemAlloc_v2(u64* address, u64 bytes) { return allocate(address, bytes); }
Result cuMemAllocAsync(u64* address, u64 bytes, void*) { return allocate(address, bytes); }
Result cuMemFree_v2(u64 address) { return release(address); }
Result cuMemFreeAsync(u64 address, void*) { return release(address); }
Result cuMemsetD8Async(u64 address, u8 value, u64 bytes, void*) {
    Lock lock(driver().mutex);
    if (fails() || bytes > room(address)) {
        return LAUNCH_FAILED;
    }
    std::memset(reinterpret_cast<void*>(address), value, bytes);
    return SUCCESS;
}
Result cuMemcpyHtoDAsync_v2(u64 to, const void* from, u64 bytes, void*) {
    Lock lock(driver().mutex);
    if (fails() || bytes > room(to)) {
        return LAUNCH_FAILED;
    }
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return SUCCESS;
}
Result cuMemcpyDtoHAsync_v2(void* to, u64 from, u64 bytes, void*) {
    Lock lock(driver().mutex);
    if (fails() || bytes > room(from)) {
        // Half of it, and rubbish, is what there may be after a failure.
        std::memset(to, 0x3f, bytes / 2);
        return LAUNCH_FAILED;
    }
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return SUCCESS;
}
Result cuModuleLoadData(void** module, const void*) { return handle(module); }
Result cuModuleUnload(void*) { return SUCCESS; }
Result cuModuleGetFunction(void** function, void*, const char* name) {
    Lock lock(driver().mutex);
    if (fails()) {
        return LAUNCH_FAILED;
    }
    *function = reinterpret_cast<void*>(raywarp_emulation_kernel(name));
    return *function == nullptr ? NOT_FOUND : SUCCESS;
}
Result cuFuncGetAttribute(int* value, int, void*) {
    *value = 32;
    return may_fail();
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, u64) {
    *blocks = RESIDENT_BLOCKS;
    return may_fail();
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void*, int, u64, u32) {
    *blocks = RESIDENT_BLOCKS;
    return may_fail();
}
Result cuLaunchKernel(void* function, u32 blocks, u32 blocks_y, u32 blocks_z, u32 threads, u32 threads_y, u32 threads_z,
                      u32 shared_bytes, void*, void** parameters, void**) {
    Lock lock(driver().mutex);
    if (fails() || blocks_y * blocks_z * threads_y * threads_z != 1 || shared_bytes != 0) {
        return LAUNCH_FAILED;
    }
    return run(reinterpret_cast<Kernel>(function), blocks, threads, parameters[0]);
}
Result cuEventCreate(void** event, u32) {
    const Result result = may_fail();
    *event = result == SUCCESS ? new double(0.0) : nullptr;
    return result;
}
Result cuEventDestroy_v2(void* event) {
    delete static_cast<double*>(event);
    return SUCCESS;
}
Result cuEventRecord(void* event, void*) {
    *static_cast<double*>(event) = now_ms();
    return may_fail();
}
Result cuEventSynchronize(void*) { return may_fail(); }
Result cuEventQuery(void*) { return SUCCESS; }
Result cuEventElapsedTime(float* ms, void* from, void* to) {
    *ms = static_cast<float>(*static_cast<double*>(to) - *static_cast<double*>(from));
    return may_fail();
}
Result cuEventElapsedTime_v2(float* ms, void* from, void* to) { return cuEventElapsedTime(ms, from, to); }

}  // extern "C"
