// A CUDA driver without a GPU: the calls that Raywarp makes, on this machine's memory, with emulated kernels.
//
// It is a library of its own, named as the driver is, so that programs and tests find it where they look for the driver
// (LD_LIBRARY_PATH, or loaded before). Everything on a device happens at once and in turn, or as late as it may
// (queues.h). There are as many devices as asked for, each with memory of its own. Calls that mix them fail, as does a call for which the
// thread has chosen no device or another one than that of the stream: where a real driver forgives that, it is luck.
//
// Any call can be made to fail: every one that may has a number, counted from 0 on among all calls or among those of a
// device, and either the planned one fails (nothing is done then), or that one and all that follow, as when a GPU goes
// away.
#include <chrono>
#include <cstdio>
#include <vector>

#include "../queries/own.h"
#include "check/aimed.h"
#include "devices.h"
#include "graphs.h"
#include "images.h"
#include "launch.h"
#include "machine.h"
#include "measured_render.h"
#include "queues.h"

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
extern "C" bool raywarp_emulation_takes_measured(Kernel kernel);
extern "C" raywarp::emulation::Outcome* raywarp_emulation_run(const Request* request);
extern "C" void raywarp_emulation_free(raywarp::emulation::Outcome* outcome);
extern "C" const char* raywarp_emulation_error(const raywarp::emulation::Outcome* outcome);

namespace {

// One small multiprocessor.
constexpr int CAPABILITY[2] = {9, 0};
constexpr int RESIDENT_BLOCKS = 2;
// A slow GPU: 4 million warp instructions and 16 million bytes a second.
constexpr int CLOCK_KHZ = 1000, MEMORY_CLOCK_KHZ = 1000, MEMORY_BITS = 64;
// Of the clock that tests may ask for.
constexpr double LAUNCH_MS = 1.0, COPY_MS = 1000.0;

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
    add(ranges, device, launch.fallback_count, 4, Use::Change);
}

// Arrays that a launch of the family names and that are not there any more.
u64 gone_of(int device, Kernel kernel, const void* parameter) {
    if (!raywarp_emulation_takes_launch(kernel)) {
        return 0;
    }
    const auto& launch = *static_cast<const raywarp::Launch*>(parameter);
    u64 gone = 0;
    for (const void* array : {static_cast<const void*>(launch.nodes), static_cast<const void*>(launch.triangles),
                              static_cast<const void*>(launch.slots), static_cast<const void*>(launch.ids),
                              static_cast<const void*>(launch.rays), static_cast<const void*>(launch.after),
                              static_cast<const void*>(launch.hits), static_cast<const void*>(launch.instances),
                              static_cast<const void*>(launch.blocked), static_cast<const void*>(launch.undecided),
                              static_cast<const void*>(launch.counter), static_cast<const void*>(launch.stacks)}) {
        gone += array != nullptr && room(device, reinterpret_cast<u64>(array)) == 0;
    }
    return gone;
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

u64 parameter_bytes(Kernel kernel) {
    if (raywarp_emulation_takes_launch(kernel)) {
        return sizeof(raywarp::Launch);
    }
    if (raywarp_emulation_takes_measured(kernel)) {
        return sizeof(raywarp::render::MeasuredRender);
    }
    const auto is = [&](const char* name) { return kernel == raywarp_emulation_kernel(name); };
    return is("check_aimed")   ? sizeof(raywarp::check::Aimed)
           : is("own_rays")    ? sizeof(raywarp::own::Rays)
           : is("own_picture") ? sizeof(raywarp::own::Picture)
                               : sizeof(raywarp::render::Render);
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

// Runs a kernel on a stream now. Nobody holds the driver's lock.
Result launch(const LoadedKernel& loaded, u32 blocks, u32 threads, u32 shared_bytes, const void* parameter, void* stream) {
    const int device = loaded.device;
    std::unique_lock<std::mutex> lock(driver().mutex);
    Device& own = driver().devices[device];
    own.launches += 1;
    if (driver().late == 0) {
        own.busy[reinterpret_cast<u64>(stream)] = own.launches;
    }
    own.clock_ms += LAUNCH_MS;
    if (const u64 gone = gone_of(device, loaded.kernel, parameter); gone != 0) {
        std::fprintf(stderr, "pretended GPU: a launch names memory that was given back\n");
        driver().early_frees += gone;
        return LAUNCH_FAILED;
    }
    driver().blocks += blocks;
    const std::vector<Range> ranges = ranges_of(device, loaded.kernel, parameter);
    const Order order = driver().order;
    const u64 seed = driver().seed;
    lock.unlock();
    // Other devices work meanwhile.
    Lock running(driver().devices[device].running);
    return run(loaded.kernel, blocks, threads, shared_bytes, parameter, ranges, order, seed);
}

const char* name_of(Result result) {
    switch (result) {
        case INVALID_VALUE: return "CUDA_ERROR_INVALID_VALUE";
        case OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
        case INVALID_DEVICE: return "CUDA_ERROR_INVALID_DEVICE";
        case INVALID_CONTEXT: return "CUDA_ERROR_INVALID_CONTEXT";
        case INVALID_HANDLE: return "CUDA_ERROR_INVALID_HANDLE";
        case NOT_READY: return "CUDA_ERROR_NOT_READY";
        case ILLEGAL_STATE: return "CUDA_ERROR_ILLEGAL_STATE";
        case CAPTURE_UNSUPPORTED: return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
        case CAPTURE_INVALIDATED: return "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
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

// Counts a copy of `bytes` at `address` on a stream; what it fails with, or cannot be for.
Result copies(const void* stream, u64 address, u64 bytes) {
    const int device = device_of(stream);
    if (fails(device) || is_foreign(stream) || chosen != device || bytes > room(device, address)) {
        return LAUNCH_FAILED;
    }
    if (cannot_be_recorded(stream)) {
        return CAPTURE_UNSUPPORTED;
    }
    driver().devices[device].clock_ms += COPY_MS;
    return SUCCESS;
}

// A call on a stream that nothing records.
Result on_stream(const void* stream) {
    Lock lock(driver().mutex);
    if (fails(device_of(stream))) {
        return LAUNCH_FAILED;
    }
    if (is_foreign(stream)) {
        return INVALID_HANDLE;
    }
    return cannot_be_recorded(stream) ? CAPTURE_UNSUPPORTED : SUCCESS;
}

bool refused(const void* stream) {
    Lock lock(driver().mutex);
    return cannot_be_recorded(stream);
}

// The steps of a graph that a stream is to do now.
Result steps_of(const void* executable, const void* stream, std::vector<Recorded>& steps) {
    Lock lock(driver().mutex);
    const int device = device_of(stream);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    const auto at = driver().graphs.find(executable);
    if (at == driver().graphs.end() || !at->second->is_executable) {
        return INVALID_VALUE;
    }
    if (chosen != device || at->second->device != device) {
        return INVALID_CONTEXT;
    }
    if (cannot_be_recorded(stream)) {
        return CAPTURE_UNSUPPORTED;
    }
    steps = at->second->steps;
    return SUCCESS;
}

// Whether memory that a step uses is still there; counts it if not.
bool is_there(int device, u64 address, u64 bytes) {
    const bool there = bytes <= room(device, address);
    driver().early_frees += !there;
    return there;
}

Result set_memory(u64 address, u8 value, u64 bytes, const void* stream) {
    const int device = device_of(stream);
    if (!is_there(device, address, bytes)) {
        return LAUNCH_FAILED;
    }
    driver().devices[device].clock_ms += COPY_MS;
    std::memset(reinterpret_cast<void*>(address), value, bytes);
    return SUCCESS;
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
    driver().waits = 0;
    driver().plan = {0, call, once != 0};
    for (Device& device : driver().devices) {
        device.plan = Plan{};
        device.busy.clear();
    }
}
// Whether streams do everything as late as they may from now on: 1, but what gives memory back runs ahead; 2, that too.
void raywarp_pretend_late(u64 late) {
    for (int device = 0; device < MOST_DEVICES; device++) {
        drain_device(device);
    }
    Lock lock(driver().mutex);
    driver().late = static_cast<int>(late);
}
// Calls since the last plan that let the host wait for a device.
u64 raywarp_pretend_waits() { return driver().waits; }
// A context beside the primary one, as somebody else makes it; and its end.
u64 raywarp_pretend_context(u64 device) {
    Lock lock(driver().mutex);
    void* const context = new_handle(static_cast<int>(device % MOST_DEVICES));
    driver().contexts.insert(context);
    return reinterpret_cast<u64>(context);
}
// Such contexts that are there.
u64 raywarp_pretend_contexts() {
    Lock lock(driver().mutex);
    return driver().contexts.size();
}
// Modules that are loaded.
u64 raywarp_pretend_modules() {
    Lock lock(driver().mutex);
    return driver().modules.size();
}
// Pieces of pinned memory that are there.
u64 raywarp_pretend_pinned() {
    Lock lock(driver().mutex);
    return driver().pinned.size();
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
// Whether events tell from now on the clock of their device: a launch takes a millisecond, a copy, or a setting of
// memory, a second.
void raywarp_pretend_ticks(u64 ticks) {
    Lock lock(driver().mutex);
    driver().ticks = ticks != 0;
}
// Blocks of all launches until now.
u64 raywarp_pretend_blocks() {
    Lock lock(driver().mutex);
    return driver().blocks;
}
// Graphs that are there, to be launched or not, and streams that record.
u64 raywarp_pretend_graphs() {
    Lock lock(driver().mutex);
    return driver().graphs.size() + driver().recordings.size();
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
Result cuDevicePrimaryCtxRetain(void** context, int device) {
    Lock lock(driver().mutex);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    void*& primary = driver().devices[device].primary;
    if (primary == nullptr) {
        primary = new_handle(device);
    }
    *context = primary;
    return SUCCESS;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
Result cuCtxSetCurrent(void* context) {
    // None, as where nobody had chosen one before: that does not fail.
    const Result result = context == nullptr ? SUCCESS : may_fail(device_of(context));
    if (result == SUCCESS) {
        chosen = context == nullptr ? NO_DEVICE : device_of(context);
        current_context = context;
    }
    return result;
}
Result cuCtxGetCurrent(void** context) {
    *context = current_context;
    return SUCCESS;
}
Result cuCtxGetDevice(int* device) {
    *device = chosen;
    return may_fail_here();
}
Result cuCtxDestroy_v2(void* context) {
    Lock lock(driver().mutex);
    return driver().contexts.erase(context) == 1 ? SUCCESS : INVALID_CONTEXT;
}
Result cuStreamCreate(void** stream, u32) {
    const Result result = handle(chosen, stream);
    if (result == SUCCESS) {
        Lock lock(driver().mutex);
        driver().streams[*stream] = current_context;
    }
    return result;
}
Result cuStreamDestroy_v2(void* stream) {
    // It ends what it has to do.
    Lock lock(driver().mutex);
    return driver().streams.erase(stream) == 1 ? SUCCESS : INVALID_HANDLE;
}
Result cuStreamSynchronize(void* stream) {
    const Result result = on_stream(stream);
    const Result done = wait_for(stream, NEVER);
    Lock lock(driver().mutex);
    driver().waits += 1;
    // After a failure too: there is nothing left to wait for.
    driver().devices[device_of(stream)].busy.erase(reinterpret_cast<u64>(stream));
    return result != SUCCESS ? result : done;
}
Result cuStreamWaitEvent(void* stream, void* event, u32) {
    if (const Result result = on_stream(stream); result != SUCCESS) {
        return result;
    }
    const Event until = *static_cast<Event*>(event);
    {
        Lock lock(driver().mutex);
        const std::pair streams = {reinterpret_cast<u64>(stream), reinterpret_cast<u64>(until.stream)};
        u64& passed = driver().devices[device_of(stream)].passed[streams];
        passed = until.launch > passed ? until.launch : passed;
    }
    return submit(stream, [until] {
        drain(until.stream, until.position);
        return SUCCESS;
    });
}
Result cuStreamBeginCapture_v2(void* stream, int) { return begin_recording(stream); }
Result cuStreamEndCapture(void* stream, void** graph) { return end_recording(stream, graph); }
Result cuCtxSynchronize() {
    if (const Result result = may_fail_here(); result != SUCCESS) {
        return result;
    }
    drain_device(chosen);
    Lock lock(driver().mutex);
    driver().waits += 1;
    return a_stream_records(chosen) ? CAPTURE_UNSUPPORTED : SUCCESS;
}
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
Result cuMemAllocAsync(u64* address, u64 bytes, void* stream) {
    return refused(stream) ? CAPTURE_UNSUPPORTED : allocate(device_of(stream), address, bytes);
}
Result cuMemFree_v2(u64 address) {
    drain_device(chosen);
    {
        Lock lock(driver().mutex);
        driver().waits += 1;
    }
    return release(address, 0);
}
Result cuMemFreeAsync(u64 address, void* stream) {
    {
        Lock lock(driver().mutex);
        if (is_foreign(stream) && !(stream != nullptr && driver().streams.count(stream) != 0)) {
            return INVALID_HANDLE;
        }
    }
    const Result result = submit(stream, [=] { return release(address, reinterpret_cast<u64>(stream)); });
    if (driver().late == 1) {
        drain(stream);
    }
    return result;
}
Result cuMemHostAlloc(void** memory, u64 bytes, u32) {
    if (const Result result = may_fail_here(); result != SUCCESS) {
        return result == LAUNCH_FAILED ? OUT_OF_MEMORY : result;
    }
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (*memory == nullptr) {
        return OUT_OF_MEMORY;
    }
    std::memset(*memory, 0x5a, bytes);
    Lock lock(driver().mutex);
    driver().pinned[reinterpret_cast<u64>(*memory)] = {bytes, false};
    return SUCCESS;
}
Result cuMemFreeHost(void* memory) {
    Lock lock(driver().mutex);
    if (driver().pinned.erase(reinterpret_cast<u64>(memory)) != 1) {
        return INVALID_VALUE;
    }
    std::free(memory);
    return SUCCESS;
}
Result cuMemHostRegister_v2(void* memory, u64 bytes, u32) {
    Lock lock(driver().mutex);
    driver().pinned[reinterpret_cast<u64>(memory)] = {bytes, true};
    return SUCCESS;
}
Result cuMemHostUnregister(void* memory) {
    Lock lock(driver().mutex);
    return driver().pinned.erase(reinterpret_cast<u64>(memory)) == 1 ? SUCCESS : INVALID_VALUE;
}
Result cuPointerGetAttribute(void* data, int attribute, u64 address) {
    constexpr int MEMORY_TYPE = 2, BUFFER_ID = 7, HOST = 1, DEVICE = 2;
    Lock lock(driver().mutex);
    const auto host = driver().pinned.upper_bound(address);
    const bool pinned = is_pinned(reinterpret_cast<const void*>(address), 1);
    const bool on_device = !pinned && room(chosen, address) != 0;
    if (!pinned && !on_device) {
        return INVALID_VALUE;
    }
    switch (attribute) {
        case MEMORY_TYPE: *static_cast<u32*>(data) = pinned ? HOST : DEVICE; return SUCCESS;
        case BUFFER_ID: *static_cast<u64*>(data) = pinned ? std::prev(host)->first : address; return SUCCESS;
        default: return INVALID_VALUE;
    }
}
Result cuMemsetD8Async(u64 address, u8 value, u64 bytes, void* stream) {
    {
        Lock lock(driver().mutex);
        const int device = device_of(stream);
        if (fails(device) || is_foreign(stream) || chosen != device || bytes > room(device, address)) {
            return LAUNCH_FAILED;
        }
        if (Recording* const own = recording(stream)) {
            return record(*own, {nullptr, 0, 0, 0, {}, address, bytes, value});
        }
    }
    return submit(stream, [=] {
        Lock lock(driver().mutex);
        return set_memory(address, value, bytes, stream);
    });
}
Result cuMemcpyHtoDAsync_v2(u64 to, const void* from, u64 bytes, void* stream) {
    // What is not pinned is read before the call returns.
    std::shared_ptr<std::vector<u8>> copy;
    {
        Lock lock(driver().mutex);
        if (const Result result = copies(stream, to, bytes); result != SUCCESS) {
            return result;
        }
        if (!is_pinned(from, bytes)) {
            const u8* const first = static_cast<const u8*>(from);
            copy = std::make_shared<std::vector<u8>>(first, first + bytes);
            driver().waits += 1;
        }
    }
    return submit(stream, [=] {
        Lock lock(driver().mutex);
        if (!is_there(device_of(stream), to, bytes)) {
            return LAUNCH_FAILED;
        }
        if (copy == nullptr && !is_pinned(from, bytes)) {
            driver().early_frees += 1;
            return LAUNCH_FAILED;
        }
        std::memcpy(reinterpret_cast<void*>(to), copy != nullptr ? copy->data() : from, bytes);
        return SUCCESS;
    });
}
Result cuMemcpyDtoHAsync_v2(void* to, u64 from, u64 bytes, void* stream) {
    bool pinned = false;
    {
        Lock lock(driver().mutex);
        if (const Result result = copies(stream, from, bytes); result != SUCCESS) {
            // Half of it, and rubbish, is what there may be after a failure.
            std::memset(to, 0x3f, bytes / 2);
            return result;
        }
        pinned = is_pinned(to, bytes);
        driver().waits += !pinned;
    }
    const Result result = submit(stream, [=] {
        Lock lock(driver().mutex);
        if (!is_there(device_of(stream), from, bytes)) {
            return LAUNCH_FAILED;
        }
        if (pinned && !is_pinned(to, bytes)) {
            driver().early_frees += 1;
            return LAUNCH_FAILED;
        }
        std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
        return SUCCESS;
    });
    // What is not pinned is there when the call returns.
    const Result done = pinned ? SUCCESS : wait_for(stream, NEVER);
    return result != SUCCESS ? result : done;
}
Result cuArrayCreate_v2(void** array, const ArrayDescriptor* descriptor) { return make_array(array, *descriptor); }
Result cuArrayDestroy(void* array) { return destroy_array(array); }
Result cuMemcpy2DAsync_v2(const Copy2D* copy, void* stream) {
    drain(stream);
    return refused(stream) ? CAPTURE_UNSUPPORTED : copy_to_array(*copy, stream);
}
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
        driver().modules[*module].context = current_context;
    }
    return result;
}
Result cuModuleUnload(void* module) {
    drain_device(device_of(module));
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
        loaded = std::make_unique<LoadedKernel>(LoadedKernel{kernel, device, own.context, parameter_bytes(kernel), bounds});
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
// A launch of one kind or the other: `early` for one that may come before the launch before it is over, and has to wait by
// itself.
Result launch_on(void* function, const u32 (&blocks)[3], const u32 (&threads)[3], u32 shared_bytes, void* stream,
                 void** parameters, bool early) {
    const LoadedKernel& loaded = *static_cast<LoadedKernel*>(function);
    {
        Lock lock(driver().mutex);
        if (fails(loaded.device) || blocks[1] * blocks[2] * threads[1] * threads[2] != 1) {
            return LAUNCH_FAILED;
        }
        if (chosen != loaded.device || is_foreign(stream) || current_context != loaded.context) {
            return INVALID_CONTEXT;
        }
        if (threads[0] > loaded.bounds.threads) {
            return INVALID_VALUE;
        }
        if (Recording* const own = recording(stream)) {
            // The parameter may be gone when the graph is launched.
            std::vector<u64> parameter((loaded.parameter_bytes + 7) / 8);
            std::memcpy(parameter.data(), parameters[0], loaded.parameter_bytes);
            return record(*own, {&loaded, blocks[0], threads[0], shared_bytes, std::move(parameter), 0, 0, 0});
        }
    }
    std::vector<u64> parameter((loaded.parameter_bytes + 7) / 8);
    std::memcpy(parameter.data(), parameters[0], loaded.parameter_bytes);
    const u32 block_count = blocks[0], thread_count = threads[0];
    return submit(stream, [&loaded, block_count, thread_count, shared_bytes, stream, early, parameter = std::move(parameter)] {
        const u64 waits = raywarp::emulation::waits();
        const Result result = launch(loaded, block_count, thread_count, shared_bytes, parameter.data(), stream);
        if (early && waits == raywarp::emulation::waits()) {
            std::fprintf(stderr, "pretended GPU: a launch that may come early did not wait for the one before\n");
            return LAUNCH_FAILED;
        }
        return result;
    });
}
Result cuLaunchKernel(void* function, u32 blocks, u32 blocks_y, u32 blocks_z, u32 threads, u32 threads_y, u32 threads_z,
                      u32 shared_bytes, void* stream, void** parameters, void**) {
    return launch_on(function, {blocks, blocks_y, blocks_z}, {threads, threads_y, threads_z}, shared_bytes, stream, parameters,
                     false);
}
// As CUlaunchConfig, whose attributes here are those of launches that may take their places early: they come one by one.
struct LaunchConfig {
    u32 blocks[3], threads[3], shared_bytes;
    void* stream;
    const u32* attributes;
    u32 attribute_count;
};
Result cuLaunchKernelEx(const LaunchConfig* config, void* function, void** parameters, void**) {
    constexpr u32 PROGRAMMATIC_STREAM_SERIALIZATION = 6;
    if (config->attribute_count != 1 || config->attributes[0] != PROGRAMMATIC_STREAM_SERIALIZATION) {
        return INVALID_VALUE;
    }
    return launch_on(function, config->blocks, config->threads, config->shared_bytes, config->stream, parameters, true);
}
Result cuStreamIsCapturing(void* stream, int* status) {
    Lock lock(driver().mutex);
    *status = recording(stream) != nullptr ? 1 : 0;
    return SUCCESS;
}
Result cuGraphInstantiateWithFlags(void** executable, void* graph, u64 flags) {
    return instantiate(executable, graph, flags);
}
Result cuGraphLaunch(void* executable, void* stream) {
    // A copy: it may be destroyed while it runs.
    std::vector<Recorded> steps;
    if (const Result result = steps_of(executable, stream, steps); result != SUCCESS) {
        return result;
    }
    return submit(stream, [stream, steps = std::move(steps)] {
        Result result = SUCCESS;
        for (const Recorded& step : steps) {
            if (result != SUCCESS) {
                break;
            }
            if (step.kernel != nullptr) {
                const void* const parameter = step.parameter.data();
                result = launch(*step.kernel, step.blocks, step.threads, step.shared_bytes, parameter, stream);
            } else {
                Lock lock(driver().mutex);
                result = set_memory(step.address, step.value, step.bytes, stream);
            }
        }
        return result;
    });
}
Result cuGraphExecDestroy(void* executable) { return destroy_graph(executable, true); }
Result cuGraphDestroy(void* graph) { return destroy_graph(graph, false); }
Result cuEventCreate(void** event, u32) {
    const Result result = may_fail_here();
    *event = result == SUCCESS ? new Event : nullptr;
    return result;
}
Result cuEventDestroy_v2(void* event) {
    delete static_cast<Event*>(event);
    return SUCCESS;
}
Result cuEventRecord(void* event, void* stream) {
    const Result result = may_fail_here();
    Lock lock(driver().mutex);
    if (result == SUCCESS && is_foreign(stream)) {
        return INVALID_HANDLE;
    }
    const Device& device = driver().devices[device_of(stream)];
    const double ms = driver().ticks ? device.clock_ms : now_ms();
    if (result == SUCCESS) {
        *static_cast<Event*>(event) = {ms, stream, driver().queues[stream].issued, device.launches};
    }
    return result == SUCCESS && cannot_be_recorded(stream) ? CAPTURE_UNSUPPORTED : result;
}
Result cuEventSynchronize(void* event) {
    const Result result = may_fail_here();
    const Event until = *static_cast<Event*>(event);
    const Result done = wait_for(until.stream, until.position);
    Lock lock(driver().mutex);
    driver().waits += 1;
    auto& busy = driver().devices[device_of(until.stream)].busy;
    const auto at = busy.find(reinterpret_cast<u64>(until.stream));
    if (at != busy.end() && at->second <= until.launch) {
        busy.erase(at);
    }
    return result != SUCCESS ? result : done;
}
Result cuEventQuery(void* event) {
    const Event until = *static_cast<Event*>(event);
    u64 done = 0;
    {
        Lock lock(driver().mutex);
        done = driver().queues[until.stream].done;
    }
    if (done >= until.position) {
        return SUCCESS;
    }
    // So that who asks again and again is told in the end.
    drain(until.stream, done + 1);
    return NOT_READY;
}
Result cuEventElapsedTime(float* ms, void* from, void* to) {
    *ms = static_cast<float>(static_cast<Event*>(to)->ms - static_cast<Event*>(from)->ms);
    return may_fail_here();
}
Result cuEventElapsedTime_v2(float* ms, void* from, void* to) { return cuEventElapsedTime(ms, from, to); }

}  // extern "C"
