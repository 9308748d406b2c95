// Twins by name.
#include "twin.h"

using namespace raywarp::render;

#define TWIN_OF(name) TWIN(name);
#include "twins.inc"
#undef TWIN_OF

namespace {

using Run = void (*)(const Scene&, Reader&, Writer&);
struct Entry {
    const char* name;
    Run run;
};

#define TWIN_OF(name) {#name, raywarp_twin_##name},
constexpr Entry TWINS[] = {
#include "twins.inc"
    {nullptr, nullptr},
};

}  // namespace

// Answers `count` cases, of `in_words` each, with `out_words` each; false where there is no such twin. What a twin writes
// beyond its words is seen by a word that is put there first.
extern "C" bool raywarp_twins_run(const char* name, const Scene* scene, const u32* in, u64 in_words, u32* out,
                                  u64 out_words, u64 count) {
    for (const Entry* twin = TWINS; twin->name != nullptr; twin++) {
        if (__builtin_strcmp(twin->name, name) != 0) {
            continue;
        }
        for (u64 i = 0; i < count; i++) {
            Reader reader{in + i * in_words};
            Writer writer{out + i * out_words};
            twin->run(*scene, reader, writer);
            if (reader.at != in + (i + 1) * in_words || writer.at != out + (i + 1) * out_words) {
                return false;
            }
        }
        return true;
    }
    return false;
}

// All names, null behind the last.
extern "C" const char* raywarp_twins_name(u64 index) { return TWINS[index].name; }
