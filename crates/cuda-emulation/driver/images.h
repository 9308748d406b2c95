// Images and texture objects of the pretended driver: four channels, bytes or floats, in two dimensions.
#pragma once

#include <vector>

#include "devices.h"

namespace raywarp::pretended {

// As the driver's own, with the names of their fields.
struct ArrayDescriptor {
    u64 Width, Height;
    u32 Format, NumChannels;
};
struct Copy2D {
    u64 srcXInBytes, srcY;
    u32 srcMemoryType;
    const void* srcHost;
    u64 srcDevice;
    void* srcArray;
    u64 srcPitch;
    u64 dstXInBytes, dstY;
    u32 dstMemoryType;
    void* dstHost;
    u64 dstDevice;
    void* dstArray;
    u64 dstPitch;
    u64 WidthInBytes, Height;
};
struct ResourceDescriptor {
    u32 resType;
    alignas(8) void* array;
    u32 reserved[30];
    u32 flags;
};
struct TextureDescriptor {
    u32 addressMode[3];
    u32 filterMode, flags, maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    u32 reserved[12];
};
static_assert(sizeof(ArrayDescriptor) == 24 && sizeof(Copy2D) == 128 && sizeof(ResourceDescriptor) == 144 &&
              sizeof(TextureDescriptor) == 104);

constexpr u32 BYTES = 1, FLOATS = 32;
constexpr u32 ON_HOST = 1, IN_ARRAY = 3;
constexpr u32 NORMALIZED = 2, SRGB = 16;

inline Result make_array(void** out, const ArrayDescriptor& d) {
    Lock lock(driver().mutex);
    if (fails(chosen)) {
        return OUT_OF_MEMORY;
    }
    if (chosen == NO_DEVICE) {
        return INVALID_CONTEXT;
    }
    if (d.Width == 0 || d.Height == 0 || d.NumChannels != 4 || (d.Format != BYTES && d.Format != FLOATS)) {
        return INVALID_VALUE;
    }
    const u64 row = d.Width * (d.Format == BYTES ? 4 : 16);
    // Blocks of 64 bytes by 8 rows.
    const u64 bytes = (row + 63) / 64 * 64 * ((d.Height + 7) / 8 * 8);
    Device& device = driver().devices[chosen];
    driver().allocation_calls += 1;
    void* const memory = bytes > device.memory - device.taken ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (memory == nullptr) {
        return OUT_OF_MEMORY;
    }
    std::memset(memory, 0xa5, bytes);
    device.taken += bytes;
    const auto format = d.Format == BYTES ? texture_unit::Format::Linear8 : texture_unit::Format::Float;
    auto array = std::make_unique<Array>(Array{d.Width, d.Height, format, bytes, chosen, memory, 0});
    *out = array.get();
    driver().arrays[*out] = std::move(array);
    return SUCCESS;
}

inline Result destroy_array(void* handle) {
    Lock lock(driver().mutex);
    const auto at = driver().arrays.find(handle);
    if (at == driver().arrays.end() || at->second->objects != 0) {
        return INVALID_VALUE;
    }
    Device& device = driver().devices[at->second->device];
    driver().early_frees += device.busy.size();
    device.taken -= at->second->bytes;
    std::free(at->second->memory);
    driver().arrays.erase(at);
    return SUCCESS;
}

// All rows of an array, from the host.
inline Result copy_to_array(const Copy2D& copy, const void* stream) {
    Lock lock(driver().mutex);
    const int device = device_of(stream);
    if (fails(device)) {
        return LAUNCH_FAILED;
    }
    const auto at = driver().arrays.find(copy.dstArray);
    if (chosen != device || at == driver().arrays.end() || at->second->device != device) {
        return INVALID_VALUE;
    }
    const Array& array = *at->second;
    const u64 row = array.width * (array.format == texture_unit::Format::Float ? 16 : 4);
    const bool all = copy.WidthInBytes == row && copy.Height == array.height && copy.srcXInBytes == 0 && copy.srcY == 0 &&
                     copy.dstXInBytes == 0 && copy.dstY == 0;
    if (copy.srcMemoryType != ON_HOST || copy.dstMemoryType != IN_ARRAY || !all || copy.srcPitch < row) {
        return INVALID_VALUE;
    }
    for (u64 y = 0; y < array.height; y++) {
        std::memcpy(static_cast<u8*>(array.memory) + y * row, static_cast<const u8*>(copy.srcHost) + y * copy.srcPitch, row);
    }
    return SUCCESS;
}

inline Result make_texture(u64* out, const ResourceDescriptor& resource, const TextureDescriptor& d) {
    Lock lock(driver().mutex);
    if (fails(chosen)) {
        return LAUNCH_FAILED;
    }
    const auto at = driver().arrays.find(resource.array);
    if (chosen == NO_DEVICE || at == driver().arrays.end() || at->second->device != chosen) {
        return INVALID_CONTEXT;
    }
    Array& array = *at->second;
    const bool is_srgb = (d.flags & SRGB) != 0;
    const bool is_border_zero = d.borderColor[0] == 0 && d.borderColor[1] == 0 && d.borderColor[2] == 0 && d.borderColor[3] == 0;
    if (resource.resType != 0 || resource.flags != 0 || (d.flags & ~SRGB) != NORMALIZED || !is_border_zero ||
        d.addressMode[0] > 3 || d.addressMode[1] > 3 || d.filterMode > 1 || d.maxAnisotropy > 1 ||
        (is_srgb && array.format != texture_unit::Format::Linear8)) {
        return INVALID_VALUE;
    }
    auto object = std::make_unique<TextureObject>(TextureObject{
        {array.memory, static_cast<u32>(array.width), static_cast<u32>(array.height),
         is_srgb ? texture_unit::Format::Srgb8 : array.format, d.filterMode,
         {static_cast<texture_unit::Address>(d.addressMode[0]), static_cast<texture_unit::Address>(d.addressMode[1])}},
        &array});
    *out = reinterpret_cast<u64>(&object->texture);
    array.objects += 1;
    driver().textures[*out] = std::move(object);
    return SUCCESS;
}

inline Result destroy_texture(u64 handle) {
    Lock lock(driver().mutex);
    const auto at = driver().textures.find(handle);
    if (at == driver().textures.end()) {
        return INVALID_VALUE;
    }
    at->second->array->objects -= 1;
    driver().textures.erase(at);
    return SUCCESS;
}

// What texture units of a device may read.
inline void add_textures(std::vector<Range>& ranges, int device) {
    for (const auto& [handle, object] : driver().textures) {
        const Array& array = *object->array;
        if (array.device == device) {
            const auto* of = reinterpret_cast<const u8*>(handle);
            ranges.push_back({of, sizeof(texture_unit::Texture), 1, NO_SPACE, Use::Read, 0});
            ranges.push_back({static_cast<const u8*>(array.memory), array.bytes, 1, NO_SPACE, Use::Read, 0});
        }
    }
}

}  // namespace raywarp::pretended
