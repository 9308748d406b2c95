// What a module says of its kernels' launch bounds: as text (PTX) in words, as machine code nothing that is read here.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "machine.h"

namespace raywarp::pretended {

using namespace raywarp::emulation;

// Threads of a block at most, and registers of a thread at most. All kernels that are compiled ahead of time are for blocks of
// 128 threads (BLOCK_THREADS in crates/cuda/src/names.rs), and have 32 registers here.
struct KernelBounds {
    u32 threads = 128, registers = 32;
};

struct Module {
    bool is_text = false;
    const void* context = nullptr;
    // Of text: the kernels that it holds.
    std::map<std::string, KernelBounds> kernels;
};

// The number behind a word between `from` and `end`, or what it is otherwise.
inline u32 number_behind(const char* word, const char* from, const char* end, u32 otherwise) {
    const char* const at = std::strstr(from, word);
    return at != nullptr && at < end ? static_cast<u32>(std::strtoul(at + std::strlen(word), nullptr, 10)) : otherwise;
}

inline Module read_module(const char* image) {
    Module module;
    module.is_text = std::strncmp(image, "\x7f" "ELF", 4) != 0;
    constexpr const char* ENTRY = "\n.visible .entry ";
    const char* at = module.is_text ? std::strstr(image, ENTRY) : nullptr;
    while (at != nullptr) {
        const char* const name = at + std::strlen(ENTRY);
        // Bounds stand between the parameters and the body.
        const char* const parameters = std::strchr(name, '(');
        const char* const body = parameters != nullptr ? std::strchr(parameters, '{') : nullptr;
        if (body == nullptr) {
            break;
        }
        const KernelBounds otherwise;
        module.kernels[std::string(name, parameters)] = {number_behind("\n.maxntid ", parameters, body, otherwise.threads),
                                                         number_behind("\n.maxnreg ", parameters, body, otherwise.registers)};
        at = std::strstr(body, ENTRY);
    }
    return module;
}

}  // namespace raywarp::pretended
