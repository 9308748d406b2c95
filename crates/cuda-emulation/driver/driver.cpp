// A CUDA driver without a GPU: the calls that Raywarp makes, on this machine's memory, with emulated kernels.
//
// It is a library of its own, named as the driver is, so that programs and tests find it where they look for the driver
// (LD_LIBRARY_PATH, or loaded before). Everything on a device happens at once and in turn; a stream is a name. There
// are as many devices as asked for, each with memory of its own. Calls that mix them fail, as does a call for which the
// thread has chosen no device or another one than that of the stream: where a real driver forgives that, it is luck.
//
// Any call can be made to fail: every one that may has a number, counted from 0 on among all calls or among those of a
// device, and either the planned one fails (nothing is done then), or that one and all that follow, as when a GPU goes
// away.
#include <chrono>
#include <cstdio>
#include <vector>

#include "devices.h"
#include "launch.h"
#include "machine.h"
#include "images.h"

using raywarp::u32;
using raywarp::u64;
using raywarp::u8;
using namespace raywarp::emulation;
using namespace raywarp::pretended;

namespace raywarp::emulation {
struct Outcome;
}
extern "C" Kernel raywarp_emulation_kernel(const char* name);
extern "C" bool raywarp_emulation_takes_launch(Kernel kernel);
extern "C" raywarp::emulation::Outcome* raywarp_emulation_run(const Request* request);
extern "C" void raywarp_emulation_free(raywarp::emulation::Outcome* outcome);
extern "C" const char* raywarp_emulation_error(const raywarp::emulation::Outcome* outcome);

namespace {

// One small multiprocessor.
constexpr int CAPABILITY[2] = {9, 0};
constexpr int RESIDENT_BLOCKS = 2;
// A slow GPU: 4 million warp instructions and 16 million bytes a second.
constexpr int CLOCK_KHZ = 1000, MEMORY_CLOCK_KHZ = 1000, MEMORY_BITS = 64;

// A range of what a launch names: `bytes` of it, or all that is left of its allocation.
void add(std::vector<Range>& ranges, int device, const void* begin, u64 bytes, Use use) {
    if (begin != nullptr) {
        const u64 left = room(device, reinterpret_cast<u64>(begin));
        ranges.push_back({static_cast<const u8*>(begin), bytes != 0 && bytes < left ? bytes : left, 1, NO_SPACE, use, 0});
    }
}

// What a launch of the family names.
void add_launch(std::vector<Range>& ranges, int device, const raywarp::Launch& launch) {
    for (const void* array : {static_cast<const void*>(launch.nodes), static_cast<const void*>(launch.triangles),
                              static_cast<const void*>(launch.slots), static_cast<const void*>(launch.ids),
                              static_cast<const void*>(launch.rays), static_cast<const void*>(launch.after)}) {
        add(ranges, device, array, 0, Use::Read);
    }
    add(ranges, device, launch.blocked, 0, Use::Change);
    add(ranges, device, launch.undecided, 0, Use::Change);
    add(ranges, device, launch.counter, 4, Use::Change);
    add(ranges, device, launch.invalid, 4, Use::Change);
}

// The memory that a launch on a device may touch.
std::vector<Range> ranges_of(int device, Kernel kernel, const void* parameter) {
    std::vector<Range> ranges;
    if (raywarp_emulation_takes_launch(kernel)) {
        add_launch(ranges, device, *static_cast<const raywarp::Launch*>(parameter));
    } else {
        for (const auto& [address, allocation] : driver().allocations) {
            if (allocation.device == device) {
                ranges.push_back({reinterpret_cast<const u8*>(address), allocation.bytes, 1, NO_SPACE, Use::Either, 0});
            }
        }
        add_textures(ranges, device);
    }
    return ranges;
}

Result run(Kernel kernel, u32 blocks, u32 threads, u32 shared_bytes, const void* parameter,
           const std::vector<Range>& ranges, Order order, u64 seed) {
    // As many warps, in blocks of the size that the machine takes.
    const u32 warps = blocks * (threads / raywarp::WARP);
    const u32 range_count = static_cast<u32>(ranges.size());
    const Request request = {kernel,          parameter, ranges.data(), range_count, (warps + 1) / 2, 2,
                             RESIDENT_BLOCKS, order,     0,             seed,        NEVER, shared_bytes};
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
        case INVALID_DEVICE: return "CUDA_ERROR_INVALID_DEVICE";
        case INVALID_CONTEXT: return "CUDA_ERROR_INVALID_CONTEXT";
        case NOT_FOUND: return "CUDA_ERROR_NOT_FOUND";
        case LAUNCH_FAILED: return "CUDA_ERROR_LAUNCH_FAILED";
        default: return "CUDA_ERROR_UNKNOWN";
    }
}

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result handle(int device, void** out) {
    Lock lock(driver().mutex);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    if (device == NO_DEVICE) {
        return INVALID_CONTEXT;
    }
    *out = new_handle(device);
    return SUCCESS;
}

Result may_fail(int device) {
    Lock lock(driver().mutex);
    return fails(device) ? LAUNCH_FAILED : SUCCESS;
}

// As may_fail, of a call that goes to the device that the thread has chosen.
Result may_fail_here() {
    const Result result = may_fail(chosen);
    return result == SUCCESS && chosen == NO_DEVICE ? INVALID_CONTEXT : result;
}

// Whether a copy of `bytes` at `address` on a stream is to fail, or cannot be.
bool no_copy(const void* stream, u64 address, u64 bytes) {
    const int device = device_of(stream);
    return fails(device) || chosen != device || bytes > room(device, address);
}

}  // namespace

// What tests plan and ask.
extern "C" {

// How many devices there are from now on.
void raywarp_pretend_devices(u64 count) {
    Lock lock(driver().mutex);
    driver().device_count = static_cast<int>(count < MOST_DEVICES ? count : MOST_DEVICES);
}
// The call from now on that fails, all later ones too unless `once`.
void raywarp_pretend_fails_at(u64 call, int once) {
    Lock lock(driver().mutex);
    driver().allocation_calls = 0;
    driver().early_frees = 0;
    driver().plan = {0, call, once != 0};
    for (Device& device : driver().devices) {
        device.plan = Plan{};
        device.busy.clear();
    }
}
// The same among the calls on one device, beside the plan for all.
void raywarp_pretend_device_fails_at(u64 device, u64 call, int once) {
    Lock lock(driver().mutex);
    driver().devices[device % MOST_DEVICES].plan = {0, call, once != 0};
}
// Calls that might have failed since then.
u64 raywarp_pretend_calls() {
    Lock lock(driver().mutex);
    return driver().plan.calls;
}
u64 raywarp_pretend_device_calls(u64 device) {
    Lock lock(driver().mutex);
    return driver().devices[device % MOST_DEVICES].plan.calls;
}
u64 raywarp_pretend_allocations() { return driver().allocation_calls; }
u64 raywarp_pretend_early_frees() { return driver().early_frees; }
// Bytes of memory of each device beyond those that are taken now.
void raywarp_pretend_memory(u64 bytes) {
    Lock lock(driver().mutex);
    for (Device& device : driver().devices) {
        device.memory = device.taken + bytes;
    }
}
void raywarp_pretend_device_memory(u64 device, u64 bytes) {
    Lock lock(driver().mutex);
    Device& d = driver().devices[device % MOST_DEVICES];
    d.memory = d.taken + bytes;
}
// The order in which lanes and warps of later launches run: upwards, downwards, or any by a seed from 2 on.
void raywarp_pretend_order(u64 order) {
    Lock lock(driver().mutex);
    driver().order = order < 2 ? static_cast<Order>(order) : Order::Seeded;
    driver().seed = order;
}
// Images for texture units and texture objects that are there.
u64 raywarp_pretend_images() {
    Lock lock(driver().mutex);
    return driver().arrays.size() + driver().textures.size();
}
// Bytes that are taken on all devices.
u64 raywarp_pretend_taken() {
    Lock lock(driver().mutex);
    u64 taken = 0;
    for (const Device& device : driver().devices) {
        taken += device.taken;
    }
    return taken;
}

}  // extern "C"

// The driver's calls, with the names and arguments of NVIDIA's CUDA driver API.
extern "C" {

Result cuInit(u32) { return may_fail(NO_DEVICE); }
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
    *count = driver().device_count;
    return may_fail(NO_DEVICE);
}
Result cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal < 0 || ordinal >= driver().device_count ? INVALID_DEVICE : may_fail(ordinal);
}
Result cuDeviceGetName(char* name, int length, int device) {
    std::snprintf(name, static_cast<size_t>(length), "pretended GPU");
    return may_fail(device);
}
Result cuDeviceGetAttribute(int* value, int attribute, int device) {
    switch (attribute) {
        case 13: *value = static_cast<int>(Driver::number("RAYWARP_PRETEND_CLOCK", CLOCK_KHZ)); break;
        case 16: *value = 1; break;   // multiprocessors
        case 36: *value = MEMORY_CLOCK_KHZ; break;
        case 37: *value = MEMORY_BITS; break;
        case 75: *value = CAPABILITY[0]; break;
        case 76: *value = CAPABILITY[1]; break;
        case 97: *value = 227 << 10; break;  // bytes that a block may share
        case 39: *value = 2048; break;  // threads of a multiprocessor
        case 115: *value = 1; break;  // memory pools
        default: *value = 0;
    }
    return may_fail(device);
}
Result cuDevicePrimaryCtxRetain(void** context, int device) { return handle(device, context); }
Result cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
Result cuCtxSetCurrent(void* context) {
    const Result result = may_fail(device_of(context));
    if (result == SUCCESS) {
        chosen = device_of(context);
    }
    return result;
}
Result cuCtxGetCurrent(void** context) {
    // So that it is chosen again each time, which may fail.
    *context = nullptr;
    return SUCCESS;
}
Result cuStreamCreate(void** stream, u32) { return handle(chosen, stream); }
Result cuStreamDestroy_v2(void*) { return SUCCESS; }
Result cuStreamSynchronize(void* stream) {
    const Result result = may_fail(device_of(stream));
    Lock lock(driver().mutex);
    // After a failure too: there is nothing left to wait for.
    driver().devices[device_of(stream)].busy.erase(reinterpret_cast<u64>(stream));
    return result;
}
Result cuStreamWaitEvent(void* stream, void*, u32) { return may_fail(device_of(stream)); }
Result cuCtxSynchronize() { return may_fail_here(); }
Result cuMemGetInfo_v2(u64* free, u64* total) {
    if (const Result result = may_fail_here(); result != SUCCESS) {
        return result;
    }
    Lock lock(driver().mutex);
    const Device& device = driver().devices[chosen];
    *free = device.memory - device.taken;
    *total = device.memory;
    return SUCCESS;
}
Result cuMemAlloc_v2(u64* address, u64 bytes) { return allocate(chosen, address, bytes); }
Result cuMemAllocAsync(u64* address, u64 bytes, void* stream) { return allocate(device_of(stream), address, bytes); }
Result cuMemFree_v2(u64 address) { return release(address, 0); }
Result cuMemFreeAsync(u64 address, void* stream) { return release(address, reinterpret_cast<u64>(stream)); }
Result cuMemsetD8Async(u64 address, u8 value, u64 bytes, void* stream) {
    Lock lock(driver().mutex);
    if (no_copy(stream, address, bytes)) {
        return LAUNCH_FAILED;
    }
    std::memset(reinterpret_cast<void*>(address), value, bytes);
    return SUCCESS;
}
Result cuMemcpyHtoDAsync_v2(u64 to, const void* from, u64 bytes, void* stream) {
    Lock lock(driver().mutex);
    if (no_copy(stream, to, bytes)) {
        return LAUNCH_FAILED;
    }
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return SUCCESS;
}
Result cuMemcpyDtoHAsync_v2(void* to, u64 from, u64 bytes, void* stream) {
    Lock lock(driver().mutex);
    if (no_copy(stream, from, bytes)) {
        // Half of it, and rubbish, is what there may be after a failure.
        std::memset(to, 0x3f, bytes / 2);
        return LAUNCH_FAILED;
    }
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return SUCCESS;
}
Result cuArrayCreate_v2(void** array, const ArrayDescriptor* descriptor) { return make_array(array, *descriptor); }
Result cuArrayDestroy(void* array) { return destroy_array(array); }
Result cuMemcpy2DAsync_v2(const Copy2D* copy, void* stream) { return copy_to_array(*copy, stream); }
Result cuTexObjectCreate(u64* texture, const ResourceDescriptor* resource, const TextureDescriptor* descriptor,
                         const void* view) {
    return view != nullptr ? INVALID_VALUE : make_texture(texture, *resource, *descriptor);
}
Result cuTexObjectDestroy(u64 texture) { return destroy_texture(texture); }
Result cuModuleLoadData(void** module, const void* image) {
    const Result result = handle(chosen, module);
    if (result == SUCCESS) {
        Lock lock(driver().mutex);
        driver().modules[*module] = read_module(static_cast<const char*>(image));
    }
    return result;
}
Result cuModuleUnload(void* module) {
    Lock lock(driver().mutex);
    driver().modules.erase(module);
    std::erase_if(driver().kernels, [&](const auto& loaded) { return loaded.first.first == module; });
    return SUCCESS;
}
Result cuModuleGetFunction(void** function, void* module, const char* name) {
    Lock lock(driver().mutex);
    const int device = device_of(module);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    if (chosen != device) {
        return INVALID_CONTEXT;
    }
    const Kernel kernel = raywarp_emulation_kernel(name);
    const Module& own = driver().modules[module];
    const auto said = own.kernels.find(name);
    if (kernel == nullptr || (own.is_text && said == own.kernels.end())) {
        return NOT_FOUND;
    }
    auto& loaded = driver().kernels[{module, kernel}];
    if (loaded == nullptr) {
        const KernelBounds bounds = own.is_text ? said->second : KernelBounds{};
        loaded = std::make_unique<LoadedKernel>(LoadedKernel{kernel, device, bounds});
    }
    *function = loaded.get();
    return SUCCESS;
}
Result cuFuncGetAttribute(int* value, int attribute, void* function) {
    const LoadedKernel& loaded = *static_cast<LoadedKernel*>(function);
    switch (attribute) {
        case 0: *value = static_cast<int>(loaded.bounds.threads); break;
        case 4: *value = static_cast<int>(loaded.bounds.registers); break;
        default: *value = 32;
    }
    return may_fail(loaded.device);
}
Result cuFuncSetAttribute(void* function, int, int) {
    return may_fail(static_cast<LoadedKernel*>(function)->device);
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, u64) {
    *blocks = RESIDENT_BLOCKS;
    return may_fail_here();
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void*, int, u64, u32) {
    *blocks = RESIDENT_BLOCKS;
    return may_fail_here();
}
Result cuLaunchKernel(void* function, u32 blocks, u32 blocks_y, u32 blocks_z, u32 threads, u32 threads_y, u32 threads_z,
                      u32 shared_bytes, void* stream, void** parameters, void**) {
    const auto [kernel, device, bounds] = *static_cast<LoadedKernel*>(function);
    std::unique_lock<std::mutex> lock(driver().mutex);
    if (fails(device) || blocks_y * blocks_z * threads_y * threads_z != 1) {
        return LAUNCH_FAILED;
    }
    if (chosen != device || device_of(stream) != device) {
        return INVALID_CONTEXT;
    }
    if (threads > bounds.threads) {
        return INVALID_VALUE;
    }
    driver().devices[device].busy.insert(reinterpret_cast<u64>(stream));
    const std::vector<Range> ranges = ranges_of(device, kernel, parameters[0]);
    const Order order = driver().order;
    const u64 seed = driver().seed;
    lock.unlock();
    // Other devices work meanwhile.
    Lock running(driver().devices[device].running);
    return run(kernel, blocks, threads, shared_bytes, parameters[0], ranges, order, seed);
}
Result cuEventCreate(void** event, u32) {
    const Result result = may_fail_here();
    *event = result == SUCCESS ? new double(0.0) : nullptr;
    return result;
}
Result cuEventDestroy_v2(void* event) {
    delete static_cast<double*>(event);
    return SUCCESS;
}
Result cuEventRecord(void* event, void*) {
    *static_cast<double*>(event) = now_ms();
    return may_fail_here();
}
Result cuEventSynchronize(void*) { return may_fail_here(); }
Result cuEventQuery(void*) { return SUCCESS; }
Result cuEventElapsedTime(float* ms, void* from, void* to) {
    *ms = static_cast<float>(*static_cast<double*>(to) - *static_cast<double*>(from));
    return may_fail_here();
}
Result cuEventElapsedTime_v2(float* ms, void* from, void* to) { return cuEventElapsedTime(ms, from, to); }

}  // extern "C"
