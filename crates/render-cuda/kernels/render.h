// What the kernels of a render are given. The same words as `RenderRecord` in src/launch.rs.
#pragma once

#include "film.h"
#include "filter.h"
#include "lens.h"
#include "kernel.h"
#include "raywarp.h"

namespace raywarp::render {

// Which paths a launch takes: all samples of a range of some pixels. Path p is sample p / pixel_count of pixel
// p % pixel_count, so that neighbours look through neighbouring pixels.
struct Batch {
    // Indices y * width + x of the film's pixels, in the order of its sums.
    const u32* pixels;
    u32 first_pixel, pixel_count;
    u32 first_sample, sample_count;
    u32 path_count;
    // Columns of the whole picture.
    u32 width;
};

// What paths leave, by path.
struct Results {
    // Radiance, and the weight of the sample in the pixel filter.
    float4* radiance;
    // Null where nobody wants to know of first hits but whether there was one; then the depth alone.
    FirstHit* first_hits;
    float* depths;
};

struct FilmSums {
    PixelSums* pixels;
    // Null where the film has none.
    FeatureSums* features;
};

// Paths between two vertices, one place each: what `extend` and `shade` read. Structure of arrays. Every ray here begins at 0
// and ends nowhere, and has just come into the media that it is in.
struct Queue {
    // Two chunks a path: origin and the path's number, direction and its bounce with its flags.
    float4* rays;
    // Throughput, and the density of the last direction. Where its queue holds no paths, the places of others: `waiting`.
    float4* weights;
    // Null where the sampler has none.
    u32* sampler_states;
    // Null where no medium counts.
    uint2* media;

    // Room for a number for each place, before its paths are put down or after they are shaded.
    RW_FUNCTION u32* waiting() const { return reinterpret_cast<u32*>(weights); }
};

// Connections to lights, one place each. They begin at 0 too.
struct Shadows {
    // Origin and the bounce that each belongs to, direction and t_max.
    float4* rays;
    // What arrives where nothing is in the way, and the path's number.
    float4* contributions;
    uint2* media;
    // A bit a ray, zeros before they are traced.
    u32* blocked;
    u32* undecided;
    // Of the undecided.
    float4* candidates;
};

// What kernels count, and read of each other.
struct Counters {
    // Paths in the queue that is extended; paths that go on, in the next one.
    u32 active, survivors;
    u32 shadows;
    // Paths of the batch that have begun.
    u32 begun;
    // Of them those that begin in this round.
    u32 fresh;
    // Pools of the two traversal kernels, and rays that can hit nothing.
    u32 extend_pool, connect_pool, invalid_rays;
    // Samples whose radiance was invalid.
    u32 invalid_samples;
    // Rounds that had paths.
    u32 rounds;
    // Of kernels that hold paths in lanes, whose connections are all in `shadows`: rays that extend paths, and how often
    // a warp had one to extend.
    u32 walked, iterations;
    // Paths of each class in this round, where they are sorted.
    u32 classes[5];
    // Paths that may have hit a hole, and connections that holes decide.
    u32 may_be_holes, undecided;
    // Rays of the queues, and paths that began.
    u64 extended, connected, refilled;
    // Rays that were asked again behind holes, of which a path may meet any number, and searches for touching bodies.
    u64 asked;
};

// What pixels show, and how long the rays of ambient occlusion are.
struct Shown {
    Integrator integrator;
    float distance;
};

struct Render {
    Scene scene;
    Tree tree;
    Lens lens;
    PixelFilter filter;
    Transport transport;
    // Of the alpha decisions.
    u32 seed;
    // The media that the camera is in.
    MediaStack media;
    Batch batch;
    Results results;
    FilmSums film;
    // Extended now, and next.
    Queue queue, next;
    float4* hits;
    Shadows shadows;
    // Places of a queue.
    u32 capacity;
    // Of each round that had paths: those that were extended, and a second number as the organisation counts, those of them
    // that began or warps that had one. Rounds past the last place are added up there.
    u32 rounds_kept;
    Counters* counters;
    uint2* rounds;
    // Places of the queue by class (stage/shading_class.h), null where a kernel shades all of it in its own order.
    u32* order;
    Shown shown;
};

// src/launch.rs asserts the same.
static_assert(sizeof(Counters) == 112 && sizeof(Render) == 736);
static_assert(__builtin_offsetof(Render, lens) == 352 && __builtin_offsetof(Render, batch) == 504);
static_assert(__builtin_offsetof(Render, queue) == 576 && __builtin_offsetof(Render, counters) == 704);

}  // namespace raywarp::render
