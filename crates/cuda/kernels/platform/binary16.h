// Halves (IEEE 754 binary16) on a CPU, in doubles. As raywarp-geom's half.rs.
#pragma once

#include <cstring>

namespace raywarp::platform::binary16 {

using u32 = unsigned int;
using u64 = unsigned long long;

inline u64 bits_of(double x) {
    u64 bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

inline double double_of(u64 bits) {
    double x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

// 2^exponent, normal.
inline double power(int exponent) { return double_of(static_cast<u64>(exponent + 1023) << 52); }

// The value of the lower 16 bits.
inline double to_double(u32 half) {
    const u64 sign = static_cast<u64>(half & 0x8000u) << 48, size = half & 0x7fffu;
    if (size >= 0x7c00u) {
        return double_of(sign | (size == 0x7c00u ? 0x7ff0000000000000u : 0x7ff8000000000000u));
    }
    // The same digits as a double, whose exponents are counted from 1023 and not from 15.
    return double_of(sign | size << 42) * power(1023 - 15);
}

// The nearest half; of two equally near ones the even one.
inline u32 from_double(double x) {
    const u32 sign = static_cast<u32>(bits_of(x) >> 48) & 0x8000u;
    const double size = double_of(bits_of(x) & 0x7fffffffffffffffu);
    if (size != size) {
        return sign | 0x7fffu;
    }
    if (size >= 65520.0) {
        return sign | 0x7c00u;
    }
    // In units of the last place; adding 2^52 and taking it away rounds to whole ones.
    int exponent = static_cast<int>(bits_of(size) >> 52) - 1023;
    exponent = exponent < -14 ? -14 : exponent;
    const double whole = size * power(10 - exponent) + 4503599627370496.0;
    const u32 units = static_cast<u32>(whole - 4503599627370496.0);
    // 1024 units are the next exponent, in the bits as in the value.
    return sign | (static_cast<u32>(exponent + 14) * 1024u + units);
}

// a * b + c, rounded once.
inline u32 fused(u32 a, u32 b, u32 c) {
    const double product = to_double(a) * to_double(b), term = to_double(c);
    const double sum = product + term;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + (term - part);
    const bool is_finite = (bits_of(sum) & 0x7ff0000000000000u) != 0x7ff0000000000000u;
    if (lost == 0.0 || !is_finite || (bits_of(sum) & 1) != 0) {
        return from_double(sum);
    }
    // Rounding to odd keeps which side of a middle the exact sum is on.
    const bool outward = (lost > 0.0) == (sum > 0.0);
    return from_double(double_of(outward ? bits_of(sum) + 1 : bits_of(sum) - 1));
}

}  // namespace raywarp::platform::binary16
