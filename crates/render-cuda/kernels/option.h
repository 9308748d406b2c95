// A value or nothing, as Rust's Option. Without it the value is zeros.
#pragma once

#include "platform/platform.h"

namespace raywarp::render {

template <class T>
struct Option {
    bool some;
    T value;

    RW_FUNCTION explicit operator bool() const { return some; }
    RW_FUNCTION const T& operator*() const { return value; }
    RW_FUNCTION const T* operator->() const { return &value; }
    RW_FUNCTION T value_or(T other) const { return some ? value : other; }
};

template <class T>
RW_FUNCTION Option<T> some(T value) {
    return {true, value};
}

struct None {
    template <class T>
    RW_FUNCTION operator Option<T>() const {
        return Option<T>{false, {}};
    }
};
RW_FUNCTION None none() { return {}; }

}  // namespace raywarp::render
