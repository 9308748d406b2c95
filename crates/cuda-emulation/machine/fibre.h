// A stackful fibre: a function with a stack of its own, which runs until it hands over.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(RAYWARP_UCONTEXT) && !(defined(__x86_64__) || defined(__aarch64__))
#define RAYWARP_UCONTEXT
#endif
#ifdef RAYWARP_UCONTEXT
#include <ucontext.h>
#endif

namespace raywarp::emulation {

class Fibre {
  public:
    // Prepares `run`, which must never return, on a stack of `bytes` at `stack`.
    void start(void* stack, std::size_t bytes, void (*run)());
    // From one to another, on the same thread.
    static void switch_to(Fibre& from, Fibre& to);

  private:
#ifdef RAYWARP_UCONTEXT
    ucontext_t context;
#else
    void* top = nullptr;
#endif
};

}  // namespace raywarp::emulation
