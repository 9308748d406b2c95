//! Bugs of the path tracer's kernels, and of who launches them.

use super::{Edit, Plant};

/// Pictures and counts of queues of all lengths, of a scene of everything and of a plain one.
pub(super) const COUNTED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "counted::"];
/// Pictures with all samplers and several filters.
const PICTURES: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "pictures_of_all"];
/// Pictures of scenes whose paths are sorted by class.
const SORTED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "pictures_of_surfaces"];
/// Pictures with connections at the last vertex.
const LAST_VERTEX: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "connections_at_the_last"];
/// Devices with exactly the memory that a picture is said to need, and with less.
const MEMORY: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "what_does_not_fit"];
/// Pictures and counts of the integrators beside path tracing.
const FIRST_HITS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "first_hits::"];
/// Pictures whose images texture units look up.
const FILTERED: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "render", "filtered::"];
/// Single look-ups by texture units.
const LOOK_UPS: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "textures"];
/// Which images they look up.
const SAMPLED: &[&str] = &["-p", "raywarp-render-cuda", "--lib", "textures"];
const COUNTS: &[&str] = &["-p", "raywarp-render-cuda", "--lib", "counts"];
const FORETOLD: &[&str] = &["-p", "raywarp-render-cuda", "--lib", "roofline"];

const WAVEFRONT: &str = "crates/render-cuda/kernels/organisation/wavefront.h";
const AIM: &str = "crates/render-cuda/kernels/vertex/aim.h";
const LEAVE: &str = "crates/render-cuda/kernels/vertex/leave.h";
const SHADING_CLASS: &str = "crates/render-cuda/kernels/stage/shading_class.h";
const MEGAKERNEL: &str = "crates/render-cuda/kernels/organisation/megakernel.h";
/// What kernels share that trace and shade.
const HELD_PATH: &str = "crates/render-cuda/kernels/organisation/held_path.h";
const FIRST: &str = "crates/render-cuda/kernels/organisation/first_hits.h";
const INTEGRATOR: &str = "crates/render-cuda/kernels/integrator.h";
const COUNT: &str = "crates/render-cuda/kernels/organisation/count.h";
const CONNECT: &str = "crates/render-cuda/kernels/stage/connect.h";
const FINALIZE: &str = "crates/render-cuda/kernels/stage/finalize.h";
const QUEUE: &str = "crates/render-cuda/kernels/stage/queue.h";
const GENERATE: &str = "crates/render-cuda/kernels/stage/generate.h";
const EXTEND: &str = "crates/render-cuda/kernels/stage/extend.h";
const TEXTURE: &str = "crates/cuda/src/texture.rs";
const TEXTURES: &str = "crates/render-cuda/src/textures.rs";
const TEXTURE_UNIT: &str = "crates/cuda/kernels/platform/texture_unit.h";
const ROOFLINE: &str = "crates/render-cuda/src/roofline.rs";
const ENGINE: &str = "crates/render-cuda/src/engine.rs";
const QUEUES: &str = "crates/render-cuda/src/engine/queues.rs";
const LAUNCHES: &str = "crates/render-cuda/src/engine/launches.rs";

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "texture units that clamp what is to be mirrored",
        edits: &[Edit {
            file: TEXTURE,
            find: "TextureAddress::Mirror => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR",
            replace: "TextureAddress::Mirror => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP",
        }],
        test: FILTERED,
        hangs: false,
    },
    Plant {
        name: "texture units that take sRGB for linear",
        edits: &[Edit {
            file: TEXTURE,
            find: "if self.format == TexelFormat::Srgb8 { sys::CU_TRSF_SRGB } else { 0 }",
            replace: "if self.format == TexelFormat::Float { sys::CU_TRSF_SRGB } else { 0 }",
        }],
        test: FILTERED,
        hangs: false,
    },
    Plant {
        name: "texture objects that stay behind",
        edits: &[Edit {
            file: TEXTURE,
            find: "for (_, object) in &self.objects {",
            replace: "for (_, object) in self.objects.iter().skip(1) {",
        }],
        test: FILTERED,
        hangs: false,
    },
    Plant {
        name: "images that lie in memory twice",
        edits: &[Edit {
            file: TEXTURES,
            find: "let by = if *sampled { &mut by_units } else { &mut by_kernels };",
            replace: "by_units[op.image as usize] |= *sampled;\n            let by = &mut by_kernels;",
        }],
        test: SAMPLED,
        hangs: false,
    },
    Plant {
        name: "bumps by weights of 8 bits",
        edits: &[Edit { file: TEXTURES, find: ".fill(false);", replace: ".fill(true);" }],
        test: SAMPLED,
        hangs: false,
    },
    Plant {
        name: "weights of 7 bits",
        edits: &[Edit {
            file: TEXTURE_UNIT,
            find: "std::floor(fraction * 256.0 + 0.5) / 256.0",
            replace: "std::floor(fraction * 128.0 + 0.5) / 128.0",
        }],
        test: LOOK_UPS,
        hangs: false,
    },
    Plant {
        name: "texture coordinates that are no numbers",
        edits: &[Edit {
            file: "crates/render-cuda/kernels/texture/image.h",
            find: "RW_FUNCTION Vec4 sampled(u64 texture, Vec2 uv) {\n    uv = within_reach(uv);",
            replace: "RW_FUNCTION Vec4 sampled(u64 texture, Vec2 uv) {",
        }],
        test: LOOK_UPS,
        hangs: false,
    },
    Plant {
        name: "occlusion from the other side of a surface",
        edits: &[Edit {
            file: INTEGRATOR,
            find: "dot(point.geometric_normal, toward) < 0.0f ? -1.0f : 1.0f",
            replace: "dot(point.geometric_normal, toward) < 0.0f ? 1.0f : 1.0f",
        }],
        test: FIRST_HITS,
        hangs: false,
    },
    Plant {
        name: "holes for occlusion that are those for light",
        edits: &[Edit {
            file: INTEGRATOR,
            find: "OCCLUSION_SALT = 0x40000000u",
            replace: "OCCLUSION_SALT = 0x80000000u",
        }],
        test: FIRST_HITS,
        hangs: false,
    },
    Plant {
        name: "connections that nothing blocks",
        edits: &[Edit { file: CONNECT, find: "open = !answer.blocked;", replace: "open = true;" }],
        test: FIRST_HITS,
        hangs: false,
    },
    Plant {
        name: "distances that are weighted",
        edits: &[Edit {
            file: FIRST,
            find: "integrator == Integrator::Depth ? 1.0f : path.filter_weight",
            replace: "path.filter_weight",
        }],
        test: FIRST_HITS,
        hangs: false,
    },
    Plant {
        name: "a background that is free where it is left out",
        edits: &[Edit {
            file: FIRST,
            find: "render.transport.transparent ? 0.0f : 1.0f",
            replace: "render.transport.transparent ? 1.0f : 1.0f",
        }],
        test: FIRST_HITS,
        hangs: false,
    },
    Plant {
        name: "a path that is dropped at compaction",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "survivors, next.some);\n    if (next) {",
            replace: "survivors, next.some && platform::lane() != 7);\n    if (next && platform::lane() != 7) {",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "warps of a block out of step",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "    between();\n    Layers layers;",
            replace: "    if (scatters) {\n        between();\n    }\n    Layers layers;",
        }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "a wavefront that leaves the last vertex alone",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "connects = scatters || transport.connect_last;",
            replace: "connects = scatters;",
        }],
        test: LAST_VERTEX,
        hangs: false,
    },
    Plant {
        name: "a megakernel that leaves the last vertex alone",
        edits: &[Edit { file: LEAVE, find: "if (is_last && !carried.connect_last) {", replace: "if (is_last) {" }],
        test: LAST_VERTEX,
        hangs: false,
    },
    Plant {
        name: "a last connection on a GPU that counts by its share",
        edits: &[Edit {
            file: AIM,
            find: "transport.direct == DirectLight::Both && !transport.is_last(path.bounce);",
            replace: "transport.direct == DirectLight::Both;",
        }],
        test: LAST_VERTEX,
        hangs: false,
    },
    Plant {
        name: "a path that is kept twice",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "    const u32 own = take_place(&render.counters->survivors, next.some);",
            replace: "    const bool twice = next.some && path.number == 37 && path.state.bounce == 0;\n    \
                      const u32 again = take_place(&render.counters->survivors, twice);\n    if (twice) {\n        \
                      put_path<F>(render.next, again, path.number, next->ray, next->path);\n    }\n    \
                      const u32 own = take_place(&render.counters->survivors, next.some);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a place of the queue before",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "path = get_path<F>(render, render.queue, place);\n        ray = path.ray;\n        hit",
            replace: "path = get_path<F>(render, render.next, place);\n        ray = path.ray;\n        hit",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a queue whose last place is not refilled",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "        if (lives) {\n            const u32 number = begun",
            replace: "        if (lives && place + 1 < fresh) {\n            const u32 number = begun",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a refill that leaves a place empty",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "const u32 fresh = smaller(room, left);",
            replace: "const u32 fresh = smaller(c.rounds != 0 && room > 1 ? room - 1 : room, left);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a path that begins twice",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "const u32 number = begun - fresh + place;",
            replace: "const u32 number = begun - fresh + (place == 5 ? 4 : place);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "light that arrives at another path",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "add_radiance(render, connected.number, arrived.value);",
            replace: "add_radiance(render, (connected.number + 1) % render.batch.path_count, arrived.value);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "light that nothing blocks",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "const bool blocked = (word >> (place % 32) & 1) != 0;",
            replace: "const bool blocked = lives && (word >> (place % 32) & 1) == 2;",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "light that nothing blocks in a megakernel",
        edits: &[Edit {
            file: HELD_PATH,
            find: "connection.some, found.blocked, before",
            replace: "connection.some, false, before",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "light that is added before the answer is there",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "        put_connection<F>(",
            replace: "        add_radiance(render, path.number, connection->contribution);\n        \
                      connection.value.contribution = Vec3::splat(0.0f);\n        put_connection<F>(",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "answers of the round before",
        edits: &[Edit { file: QUEUES, find: "        picture.state.clear_answers(&self.stream)?;\n", replace: "" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a last round that is left out",
        edits: &[Edit {
            file: QUEUES,
            find: "if round >= max_depth &&",
            replace: "if round + 1 >= max_depth.max(1) &&",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a batch that ends while paths wait",
        edits: &[Edit {
            file: "crates/render-cuda/src/engine/batch.rs",
            find: "(all > 0).then_some",
            replace: "(counters.survivors > 0).then_some",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a dimension that is taken twice",
        edits: &[Edit {
            file: GENERATE,
            find: "render.filter.sample(stream.next_2d());",
            replace: "render.filter.sample(Stream(stream).next_2d());",
        }],
        test: PICTURES,
        hangs: false,
    },
    Plant {
        name: "samples that are added the last first",
        edits: &[Edit {
            file: FINALIZE,
            find: "const u32 number = sample * batch.pixel_count + place;",
            replace: "const u32 number = (batch.sample_count - 1 - sample) * batch.pixel_count + place;",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "samples without their filter weight",
        edits: &[Edit {
            file: FINALIZE,
            find: "Vec3{result.x, result.y, result.z} * result.w;",
            replace: "Vec3{result.x, result.y, result.z};",
        }],
        test: PICTURES,
        hangs: false,
    },
    Plant {
        name: "a lane that leaves out a vote",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "const u32 shadow = take_place(&render.counters->shadows, connection.some);",
            replace: "const u32 shadow = lives ? take_place(&render.counters->shadows, connection.some) : 0;",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a megakernel's lane that leaves before its warp",
        edits: &[Edit {
            file: MEGAKERNEL,
            find: "        extend_path<F, W>(render, callers, path, counts,",
            replace: "        if (!path.lives) {\n            break;\n        }\n        extend_path<F, W>(render, callers, path, counts,",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "an array that is written where there is none",
        edits: &[Edit { file: QUEUE, find: "if (F::MEDIA && shadows.media != nullptr) {", replace: "if (F::MEDIA) {" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a path's words that are taken for its ray's interval",
        edits: &[Edit { file: WAVEFRONT, find: "Query::Closest, Interval::Unbounded);", replace: "Query::Closest);" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a connection of another bounce",
        edits: &[Edit {
            file: QUEUE,
            find: "put_ray(shadows.rays, place, connection.ray, bounce,",
            replace: "put_ray(shadows.rays, place, connection.ray, bounce + 1,",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "places of those that wait where paths are",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "list == WAITING ? render.next.waiting()",
            replace: "list == WAITING ? render.queue.waiting()",
        }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "a material of another class",
        edits: &[Edit {
            file: SHADING_CLASS,
            find: "case MaterialKind::Conductor: return ShadingClass::Metal;",
            replace: "case MaterialKind::Conductor: return ShadingClass::Glass;",
        }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "lists of classes that lie on each other",
        edits: &[Edit {
            file: SHADING_CLASS,
            find: "case ShadingClass::Mixed: return capacity - 1 - i;",
            replace: "case ShadingClass::Mixed: return i;",
        }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "a path that is shaded before its holes are passed",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "list = may_be_hole ? WAITING : list_of(hit, material);",
            replace: "list = list_of(hit, material);",
        }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "light that arrives before holes decide, and again",
        edits: &[Edit { file: WAVEFRONT, find: "            open = open && !waits;\n", replace: "" }],
        test: SORTED,
        hangs: false,
    },
    Plant {
        name: "a write behind an array's end",
        edits: &[Edit {
            file: WAVEFRONT,
            find: "uint2* const at = render.rounds + smaller(c.rounds, render.rounds_kept - 1);",
            replace: "uint2* const at = render.rounds + smaller(c.rounds, render.rounds_kept - 1);\n        \
                      platform::put(render.rounds + render.rounds_kept, uint2{0, 0});",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "connections that are not counted",
        edits: &[Edit { file: WAVEFRONT, find: "    c.connected += c.shadows;\n", replace: "" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a round that counts as its paths began in it",
        edits: &[Edit { file: WAVEFRONT, find: "round.y + fresh}", replace: "round.y + c.active}" }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "turns of a warp that are those of its lanes",
        edits: &[Edit {
            file: COUNT,
            find: "platform::add_to_counter(&render.counters->turns, turns);",
            replace: "platform::add_to_counter(&render.counters->turns, turns * WARP);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "rays asked again that count as one a warp",
        edits: &[Edit {
            file: EXTEND,
            find: "&render.counters->asked, platform::population(callers));",
            replace: "&render.counters->asked, 1);",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "a launch that is not counted",
        edits: &[Edit {
            file: LAUNCHES,
            find: "self.counts[stage as usize] += 1;",
            replace: "self.counts[stage as usize] = 1;",
        }],
        test: COUNTED,
        hangs: false,
    },
    Plant {
        name: "memory of records that is not asked for",
        edits: &[Edit { file: ENGINE, find: "records: records + filter,", replace: "records: filter," }],
        test: MEMORY,
        hangs: false,
    },
    Plant {
        name: "connections whose bytes are not all counted",
        edits: &[Edit {
            file: "crates/render-cuda/src/counts.rs",
            find: "* queue + connected * put)",
            replace: "* queue + connected * taken)",
        }],
        test: COUNTS,
        hangs: false,
    },
    Plant {
        name: "connections that are foretold as rays",
        edits: &[Edit {
            file: ROOFLINE,
            find: "Stage::Connect => (Each::Connection,",
            replace: "Stage::Connect => (Each::Ray,",
        }],
        test: FORETOLD,
        hangs: false,
    },
    Plant {
        name: "memory that moves once a clock",
        edits: &[Edit {
            file: "crates/cuda/src/peak.rs",
            find: "2.0 * f64::from(self.memory_khz)",
            replace: "f64::from(self.memory_khz)",
        }],
        test: FORETOLD,
        hangs: false,
    },
];
