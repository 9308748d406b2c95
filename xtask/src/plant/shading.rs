//! Bugs of the renderer's shading.

use super::{Edit, Plant};

const MEDIA: &[&str] = &["-p", "raywarp-render", "--test", "media"];
const ANALYTIC: &[&str] = &["-p", "raywarp-render", "--test", "analytic"];
const LAST_VERTEX: &[&str] = &["-p", "raywarp-render", "--test", "last_vertex"];
const NEAR_LIGHTS: &[&str] = &["-p", "raywarp", "--test", "near_lights"];
const ENERGY: &[&str] = &["-p", "raywarp-render", "--lib", "energy"];
/// Vectors beside the functions of one path.
const VECTORS: &[&str] = &["-p", "raywarp-render", "--lib", "lanes"];
const LAYERS: &[&str] = &["-p", "raywarp-render", "--test", "layers"];
const PORTABLE: &[&str] = &["-p", "raywarp-render", "--test", "portable"];
const ELEMENTARY: &[&str] = &["-p", "raywarp-sample", "--lib", "elementary"];
const DISTRIBUTION: &[&str] = &["-p", "raywarp-sample", "--lib", "distribution"];
/// Functions of kernels beside those that they are copies of.
const DISTRIBUTION_TWIN: &[&str] = &["-p", "raywarp-cuda-emulation", "--test", "twins"];

pub(super) const PLANTS: &[Plant] = &[
    Plant {
        name: "a body that is never left",
        edits: &[Edit {
            file: "crates/render/src/vertex/media.rs",
            find: "found |= entries[i] == left;",
            replace: "found |= entries[i] == 0;",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "a medium that begins at the eye",
        edits: &[Edit {
            file: "crates/render/src/vertex/media.rs",
            find: "(t - self.since) * length",
            replace: "t * length",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "an interface that is entered as a body",
        edits: &[Edit {
            file: "crates/render/src/vertex/media.rs",
            find: "if to_behind { at.material.inside } else { at.material.outside }",
            replace: "if to_behind { at.material.inside } else { NONE }",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "a body in another that bends as in air",
        edits: &[Edit {
            file: "crates/render/src/vertex/media.rs",
            find: "if around > 0.0 { ior / around } else { ior }",
            replace: "if around > 1e9 { ior / around } else { ior }",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "touching bodies that nobody looks for",
        edits: &[Edit {
            file: "crates/render/src/vertex/touching.rs",
            find: "if is_opposite { material.body() } else { NONE }",
            replace: "if !is_opposite { material.body() } else { NONE }",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "a body too many that nobody counts",
        edits: &[Edit {
            file: "crates/render/src/vertex/media.rs",
            find: "(self.unnamed() + 1).min(MOST_UNNAMED)",
            replace: "self.unnamed().min(MOST_UNNAMED)",
        }],
        test: MEDIA,
        hangs: false,
    },
    Plant {
        name: "a ball whose density is that from half as far",
        edits: &[Edit {
            file: "crates/render/src/light/sphere.rs",
            find: "density(light, cone(light, (Vec3::from(light.at) - point).length_squared()))",
            replace: "density(light, cone(light, 0.25 * (Vec3::from(light.at) - point).length_squared()))",
        }],
        test: NEAR_LIGHTS,
        hangs: false,
    },
    Plant {
        name: "a disk as large as its octagon",
        edits: &[Edit {
            file: "crates/render/src/light/planar.rs",
            find: "const DISK_AREA: f32 = 3.140_331_2;",
            replace: "const DISK_AREA: f32 = 3.313_708_5;",
        }],
        test: NEAR_LIGHTS,
        hangs: false,
    },
    Plant {
        name: "emission that counts twice",
        edits: &[Edit {
            file: "crates/render/src/vertex/emission.rs",
            find: "DirectLight::Both => power_heuristic(path.previous_pdf, light_pdf),",
            replace: "DirectLight::Both => 0.0 * light_pdf + 1.0,",
        }],
        test: NEAR_LIGHTS,
        hangs: false,
    },
    Plant {
        name: "a last connection that counts by its share",
        edits: &[Edit {
            file: "crates/render/src/vertex/aim.rs",
            find: " && !transport.is_last(path.bounce) => {",
            replace: " => {",
        }],
        test: LAST_VERTEX,
        hangs: false,
    },
    Plant {
        name: "a path that goes on from its last vertex",
        edits: &[Edit {
            file: "crates/render/src/vertex/leave.rs",
            find: "let next = if is_last { None }",
            replace: "let next = if is_last && path.bounce > transport.max_depth { None }",
        }],
        test: LAST_VERTEX,
        hangs: false,
    },
    Plant {
        name: "roulette that does not make up for the dead",
        edits: &[Edit {
            file: "crates/render/src/vertex/roulette.rs",
            find: "(throughput * (1.0 / survival), stream.state())",
            replace: "(throughput, stream.state())",
        }],
        test: ANALYTIC,
        hangs: false,
    },
    Plant {
        name: "metal that returns a tenth too little of what it lost",
        edits: &[Edit {
            file: "crates/render/src/bsdf/conductor.rs",
            find: "factor: reflectance * (lost / mean)",
            replace: "factor: reflectance * (0.9 * lost / mean)",
        }],
        test: ENERGY,
        hangs: false,
    },
    Plant {
        name: "glass whose lost light comes from its own side alone",
        edits: &[Edit {
            file: "crates/render/src/bsdf/dielectric.rs",
            find: "over_beyond: lost * through,",
            replace: "over_beyond: 0.0,",
        }],
        test: ENERGY,
        hangs: false,
    },
    Plant {
        name: "vectors of metal without the density of further bounces",
        edits: &[Edit {
            file: "crates/render/src/lanes/metal.rs",
            find: "* pdf + self.p * self.horizon.pdf(wi.z);",
            replace: "* pdf;",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors under Blinn's facets whose faint lobes fade out too late",
        edits: &[Edit {
            file: "crates/render/src/lanes/blinn.rs",
            find: "V::splat(set, 50.0) * f0",
            replace: "V::splat(set, 49.0) * f0",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors of Blinn's facets without twins",
        edits: &[Edit {
            file: "crates/render/src/lanes/blinn.rs",
            find: "Vec3s::select(u_lobe.lt(self.p_specular * first), h, twin)",
            replace: "Vec3s::select(u_lobe.lt(self.p_specular * first), h, h)",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors of a metal's part over a whole base",
        edits: &[Edit {
            file: "crates/render/src/lanes/principled.rs",
            find: "base * (one - m) * left",
            replace: "base * left",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors of a metal's part without its lobe about the horizon",
        edits: &[Edit {
            file: "crates/render/src/lanes/principled.rs",
            find: ".scaled(bounces.returned / p_diffuse)",
            replace: ".scaled(one - one)",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors whose maps bend nothing",
        edits: &[Edit {
            file: "crates/render/src/lanes/vertices.rs",
            find: "if bent != 0 {",
            replace: "if bent == u32::MAX {",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors of smooth glass that pass on all light",
        edits: &[Edit {
            file: "crates/render/src/lanes/specular.rs",
            find: "self.second * (one / (eta * eta))",
            replace: "self.second",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "vectors with frames of the other hand along tangents",
        edits: &[Edit {
            file: "crates/render/src/lanes/tangent.rs",
            find: "normal.cross(tangent)",
            replace: "tangent.cross(normal)",
        }],
        test: VECTORS,
        hangs: false,
    },
    Plant {
        name: "a stage that reads the importer's scene",
        edits: &[Edit {
            file: "crates/render/src/stage/connect.rs",
            find: "use crate::flat::",
            replace: "use raywarp_scene as _;\nuse crate::flat::",
        }],
        test: LAYERS,
        hangs: false,
    },
    Plant {
        name: "a sine of the platform",
        edits: &[Edit {
            file: "crates/render/src/vertex/roulette.rs",
            find: "let survival = largest * transport.roulette_scale;",
            replace: "let survival = (largest * transport.roulette_scale).sin().asin();",
        }],
        test: PORTABLE,
        hangs: false,
    },
    Plant {
        name: "a product and a sum rounded once",
        edits: &[Edit {
            file: "crates/render/src/vertex/emission.rs",
            find: "DirectLight::Lights => 0.0,",
            replace: "DirectLight::Lights => light_pdf.mul_add(0.0, 0.0),",
        }],
        test: PORTABLE,
        hangs: false,
    },
    Plant {
        name: "a polynomial with a digit wrong",
        edits: &[Edit {
            file: "crates/sample/src/elementary/exponential.rs",
            find: "0.166_665_39",
            replace: "0.166_655_39",
        }],
        test: ELEMENTARY,
        hangs: false,
    },
    Plant {
        name: "a bucket that begins at a rounded quotient",
        edits: &[Edit {
            file: "crates/sample/src/warp/distribution.rs",
            find: "while u > 0.0 && reaches(u.next_down())",
            replace: "while u > 1.0 && reaches(u.next_down())",
        }],
        test: DISTRIBUTION,
        hangs: false,
    },
    Plant {
        name: "a search that ends a cell too early",
        edits: &[Edit {
            file: "crates/sample/src/warp/distribution.rs",
            find: "self.cdf[low + 1..=high].partition_point",
            replace: "self.cdf[low + 1..=high.max(low + 1) - 1].partition_point",
        }],
        test: DISTRIBUTION,
        hangs: false,
    },
    Plant {
        name: "a kernel's search that ends a cell too early",
        edits: &[Edit {
            file: "crates/render-cuda/kernels/sample/warp/distribution.h",
            find: "load(table.guide + bucket + 1))",
            replace: "larger(load(table.guide + bucket + 1), 1) - 1)",
        }],
        test: DISTRIBUTION_TWIN,
        hangs: false,
    },
];
