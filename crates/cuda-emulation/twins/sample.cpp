// Twins of the crate raywarp-sample.
#include "sample/hash.h"
#include "twin.h"

using namespace raywarp::render;

TWIN(sample_hash) {
    const u32 key = in.word(), value = in.word();
    out.put(hash::combine(key, value));
    out.put(hash::to_unit(key));
}
