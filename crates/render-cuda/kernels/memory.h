// Records in memory that a kernel only reads.
#pragma once

#include "platform/platform.h"

namespace raywarp::render {

// Records of one array, and how many there are.
template <class T>
struct Array {
    const T* first;
    u64 count;
};

// A record: plain words, 4, 8 or a multiple of 16 bytes, aligned to 16 or as long as it is.
template <class T>
RW_FUNCTION T load(const T* record) {
    static_assert(sizeof(T) % 4 == 0 && __is_trivially_copyable(T));
    T value;
    if constexpr (sizeof(T) % 16 == 0) {
        uint4 chunks[sizeof(T) / 16];
#pragma unroll
        for (u32 i = 0; i < sizeof(T) / 16; i++) {
            chunks[i] = platform::load4(reinterpret_cast<const uint4*>(record) + i);
        }
        __builtin_memcpy(&value, chunks, sizeof(T));
    } else if constexpr (sizeof(T) % 8 == 0) {
        uint2 chunks[sizeof(T) / 8];
#pragma unroll
        for (u32 i = 0; i < sizeof(T) / 8; i++) {
            chunks[i] = platform::load2(reinterpret_cast<const uint2*>(record) + i);
        }
        __builtin_memcpy(&value, chunks, sizeof(T));
    } else {
        u32 words[sizeof(T) / 4];
#pragma unroll
        for (u32 i = 0; i < sizeof(T) / 4; i++) {
            words[i] = platform::load1(reinterpret_cast<const u32*>(record) + i);
        }
        __builtin_memcpy(&value, words, sizeof(T));
    }
    return value;
}

template <class T>
RW_FUNCTION T load(const Array<T>& records, u64 index) {
    return load(records.first + index);
}

}  // namespace raywarp::render
