// Switching stacks. POSIX's swapcontext calls the kernel each time; this keeps what a callee must, and no more.
#include "fibre.h"

#ifdef RAYWARP_UCONTEXT

namespace raywarp::emulation {

void Fibre::start(void* stack, std::size_t bytes, void (*run)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, run, 0);
}

void Fibre::switch_to(Fibre& from, Fibre& to) { swapcontext(&from.context, &to.context); }

}  // namespace raywarp::emulation

#else

#ifdef __APPLE__
#define RW_SYMBOL "_raywarp_emulation_switch"
#else
#define RW_SYMBOL "raywarp_emulation_switch"
#endif

// Saves what the System V and AAPCS64 conventions ask a callee to keep, and goes on with another stack.
extern "C" void raywarp_emulation_switch(void** from, void* to);

#ifdef __x86_64__
asm(".text\n"
    ".globl " RW_SYMBOL "\n" RW_SYMBOL ":\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n");
#else
asm(".text\n"
    ".p2align 2\n"
    ".globl " RW_SYMBOL "\n" RW_SYMBOL ":\n"
    "    sub sp, sp, #160\n"
    "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
    "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
    "    stp d14, d15, [sp, #144]\n"
    "    mov x9, sp\n"
    "    str x9, [x0]\n"
    "    mov sp, x1\n"
    "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
    "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
    "    ldp d14, d15, [sp, #144]\n"
    "    add sp, sp, #160\n"
    "    ret\n");
#endif

namespace raywarp::emulation {

void Fibre::start(void* stack, std::size_t bytes, void (*run)()) {
    // As if `run` had been called and had switched at once.
    auto end = (reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{15};
    auto words = reinterpret_cast<std::uintptr_t*>(end);
#ifdef __x86_64__
    // Below it six registers; above it an address to return to that is never used, which leaves the stack
    // aligned as a call does.
    words -= 8;
    for (int i = 0; i < 8; i++) {
        words[i] = 0;
    }
    words[6] = reinterpret_cast<std::uintptr_t>(run);
#else
    words -= 20;
    for (int i = 0; i < 20; i++) {
        words[i] = 0;
    }
    words[11] = reinterpret_cast<std::uintptr_t>(run);
#endif
    top = words;
}

void Fibre::switch_to(Fibre& from, Fibre& to) { raywarp_emulation_switch(&from.top, to.top); }

}  // namespace raywarp::emulation

#endif
