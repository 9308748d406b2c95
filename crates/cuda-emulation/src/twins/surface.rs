//! Twins of surface, and of triangles' normals.

use super::{Numbers, Reader, Twin, Writer};
use bytemuck::Zeroable;
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::Hit;
use raywarp_render::flat::{MaterialFlags, MaterialRecord, NONE, ShadingScene, TriangleRecord, normalize};
use raywarp_render::functions::bsdf::Scattering;
use raywarp_render::functions::surface::{
    Frame, Holes, SurfacePoint, coverage, emitted, shading, surface_point, texture_point,
};
use raywarp_render::functions::surface::{bent_normal, decided, facing, lifted, position_derivatives, tangent};

/// Returns random barycentric coordinates, sometimes on an edge or in a corner.
pub(super) fn barycentrics(numbers: &mut Numbers) -> Vec2 {
    let [u, v] = numbers.square();
    let at = if u + v > 1.0 { Vec2::new(1.0 - u, 1.0 - v) } else { Vec2::new(u, v) };
    match numbers.below(32) {
        0 => Vec2::new(at.x, 0.0),
        1 => Vec2::new(0.0, at.y),
        2 => Vec2::new(at.x, 1.0 - at.x),
        _ => at,
    }
}

/// Writes the place of a random hit: instance, primitive, barycentric coordinates.
fn make_hit(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    let instance = numbers.below(scene.placements.len() as u32);
    let primitive = numbers.below(scene.placements[instance as usize].triangle_count);
    let at = barycentrics(numbers);
    case.word(instance).word(primitive).number(at.x).number(at.y);
}

fn hit(case: &mut Reader) -> (Hit, u32) {
    let (instance, primitive, u, v) = (case.word(), case.word(), case.number(), case.number());
    (Hit { t: 1.0, u, v, primitive }, instance)
}

fn hit_point(scene: &ShadingScene, case: &mut Reader) -> SurfacePoint {
    let (hit, instance) = hit(case);
    surface_point(scene, &hit, instance)
}

/// Writes a random hit, and a shading normal that may be unrelated to it.
fn make_point(numbers: &mut Numbers, scene: &ShadingScene, case: &mut Writer) {
    make_hit(numbers, scene, case);
    case.flag(numbers.below(4) == 0).numbers(numbers.direction());
}

fn point(scene: &ShadingScene, case: &mut Reader) -> SurfacePoint {
    let mut point = hit_point(scene, case);
    let (is_other, normal) = (case.flag(), case.vec3());
    if is_other {
        point.shading_normal = normal;
    }
    point
}

fn put_point(answer: &mut Writer, point: &SurfacePoint) {
    answer.numbers(point.position).number(point.extent).numbers(point.geometric_normal).numbers(point.shading_normal);
    answer.word(point.material).word(point.triangle).word(point.attributes);
    answer.numbers(point.barycentrics).word(point.touching);
}

fn put_frame(answer: &mut Writer, frame: Frame) {
    answer.numbers(frame.tangent).numbers(frame.bitangent).numbers(frame.normal);
}

/// Returns a random vector whose squared length may exceed the range of f32, or be zero.
fn any_vector(numbers: &mut Numbers) -> Vec3 {
    let scale = [1.0, 1e-15, 1e-30, 1e-38, 1e15, 1e25, 1e30, 0.0][numbers.below(8) as usize];
    numbers.direction() * numbers.any() * scale
}

/// Returns a random triangle: an ordinary one, or one that is tiny, huge, far away or without area.
pub(super) fn any_triangle(numbers: &mut Numbers) -> TriangleRecord {
    let at = if numbers.coin() { Vec3::ZERO } else { numbers.direction() * numbers.between(0.0, 10.0) };
    let scale = [1.0, 1.0, 1.0, 1e-20, 1e12, 1e-4][numbers.below(6) as usize];
    let mut corners = [0; 3].map(|_| at + numbers.direction() * scale);
    if numbers.below(16) == 0 {
        corners[2] = corners[1];
    }
    TriangleRecord {
        corners: corners.map(Vec3::into),
        material_and_flags: if numbers.coin() { TriangleRecord::FLIPPED } else { 0 },
        ..TriangleRecord::zeroed()
    }
}

pub(super) fn triangle(case: &mut Reader) -> TriangleRecord {
    bytemuck::cast(std::array::from_fn::<u32, 16, _>(|_| case.word()))
}

/// Writes a random normal, geometric normal and outgoing direction, unit vectors that are often nearly parallel or at
/// right angles.
fn make_normals(numbers: &mut Numbers, _: &ShadingScene, case: &mut Writer) {
    let geometric = numbers.direction();
    let near = |numbers: &mut Numbers| match numbers.below(4) {
        0 => geometric,
        1 => (geometric + numbers.direction() * 0.3).normalize(),
        2 => geometric.cross(numbers.direction()).try_normalize().unwrap_or(geometric),
        _ => numbers.direction(),
    };
    let (shading, wo) = (near(numbers), near(numbers));
    let wo = if numbers.coin() { -wo } else { wo };
    case.numbers(shading).numbers(geometric).numbers(wo);
}

/// Returns the index of a random material for which `wanted` holds.
fn material(numbers: &mut Numbers, scene: &ShadingScene, wanted: impl Fn(&MaterialRecord) -> bool) -> u32 {
    loop {
        let index = numbers.below(scene.materials.len() as u32);
        if wanted(&scene.materials[index as usize]) {
            return index;
        }
    }
}

pub(super) const TWINS: &[Twin] = &[
    Twin {
        name: "surface_normalize",
        make: |numbers, _, case| {
            let v = any_vector(numbers);
            case.numbers(v);
        },
        run: |_, case, answer| {
            answer.numbers(normalize(case.vec3()));
        },
    },
    Twin {
        name: "surface_front_normal",
        make: |numbers, _, case| {
            case.record(&any_triangle(numbers)).numbers(numbers.direction());
        },
        run: |_, case, answer| {
            let triangle = triangle(case);
            answer.numbers(triangle.front_normal()).flag(triangle.is_met_from_behind(case.vec3()));
        },
    },
    Twin {
        name: "surface_frame",
        make: |numbers, _, case| {
            let normal = numbers.direction();
            let tangent = if numbers.below(16) == 0 { normal } else { any_vector(numbers) };
            case.numbers(normal).numbers(tangent).numbers(numbers.direction());
        },
        run: |_, case, answer| {
            let (normal, tangent, v) = (case.vec3(), case.vec3(), case.vec3());
            let frame = Frame::along(normal, tangent);
            put_frame(answer, Frame::around(normal));
            put_frame(answer, frame);
            answer.numbers(frame.to_local(v)).numbers(frame.to_world(v));
        },
    },
    Twin {
        name: "surface_point",
        make: |numbers, scene, case| {
            make_hit(numbers, scene, case);
            case.numbers(numbers.direction());
        },
        run: |scene, case, answer| {
            let point = hit_point(scene, case);
            put_point(answer, &point);
            answer.numbers(point.origin_towards(case.vec3()));
        },
    },
    Twin {
        name: "surface_texture_point",
        make: make_hit,
        run: |scene, case, answer| {
            let point = hit_point(scene, case);
            let at = texture_point(scene, point.attributes, point.barycentrics);
            answer.numbers(at.uv[0]).numbers(at.uv[1]).numbers(at.color);
        },
    },
    Twin {
        name: "surface_tangent",
        make: make_point,
        run: |scene, case, answer| {
            let point = point(scene, case);
            answer.option(tangent(scene, &point), (Vec3::ZERO, 0.0), |answer, (direction, sign)| {
                answer.numbers(direction).number(sign);
            });
            answer.option(position_derivatives(scene, &point), (Vec3::ZERO, Vec3::ZERO), |answer, (dpdu, dpdv)| {
                answer.numbers(dpdu).numbers(dpdv);
            });
        },
    },
    Twin {
        name: "surface_holes",
        make: |numbers, scene, case| {
            make_hit(numbers, scene, case);
            for _ in 0..4 {
                case.word(numbers.word() >> numbers.below(32));
            }
        },
        run: |scene, case, answer| {
            let (hit, instance) = hit(case);
            let triangle = scene.triangle_of(&hit, instance);
            let holes = Holes { seed: case.word(), salt: case.word() };
            let (pixel, sample) = (case.word(), case.word());
            answer.number(coverage(scene, instance, triangle, Vec2::new(hit.u, hit.v)));
            answer.flag(holes.is_surface(scene, &hit, instance, pixel, sample));
        },
    },
    Twin {
        name: "surface_emitted",
        make: |numbers, scene, case| {
            let wanted = numbers.below(8) != 0;
            case.word(material(numbers, scene, |m| !wanted || m.emission != NONE));
            make_hit(numbers, scene, case);
            case.number(numbers.direction().z);
        },
        run: |scene, case, answer| {
            let material = scene.materials[case.word() as usize];
            let point = hit_point(scene, case);
            answer.numbers(emitted(scene, &material, point.attributes, point.barycentrics, case.number()));
        },
    },
    Twin {
        name: "surface_facing",
        make: make_normals,
        run: |_, case, answer| {
            answer.numbers(facing(case.vec3(), case.vec3(), case.vec3()));
        },
    },
    Twin {
        name: "surface_lifted",
        make: make_normals,
        run: |_, case, answer| {
            let (shading, geometric, wo) = (case.vec3(), case.vec3(), case.vec3());
            answer.numbers(lifted(shading, geometric, wo));
            answer.numbers(lifted(facing(shading, geometric, wo), geometric, wo));
        },
    },
    Twin {
        name: "surface_bent_normal",
        make: |numbers, scene, case| {
            let is_bump = numbers.coin();
            case.word(material(numbers, scene, |m| m.normal != NONE && m.has(MaterialFlags::BUMP) == is_bump));
            make_point(numbers, scene, case);
        },
        run: |scene, case, answer| {
            let material = scene.materials[case.word() as usize];
            let point = point(scene, case);
            let at = texture_point(scene, point.attributes, point.barycentrics);
            answer.numbers(bent_normal(scene, &material, &point, &at));
        },
    },
    Twin {
        name: "surface_decided",
        make: |numbers, scene, case| {
            let has_parts = numbers.below(8) != 0;
            case.word(material(numbers, scene, |m| !has_parts || m.parts[0] != NONE));
            case.numbers(numbers.square()).numbers(numbers.square()).numbers([0.0; 4].map(|_| numbers.unit()));
            case.number(numbers.unit());
        },
        run: |scene, case, answer| {
            let material = scene.materials[case.word() as usize];
            let at = raywarp_render::functions::texture::TexturePoint {
                uv: [case.vec2(), case.vec2()],
                color: Vec4::from(case.numbers::<4>()),
            };
            let (material, u) = decided(scene, &material, &at, case.number());
            answer.record(material).number(u);
        },
    },
    Twin {
        name: "surface_shading_frame",
        make: |numbers, scene, case| {
            let is_bent = numbers.coin();
            case.word(material(numbers, scene, |m| !is_bent || m.normal != NONE));
            make_point(numbers, scene, case);
            case.numbers(numbers.direction()).number(numbers.unit());
        },
        run: |scene, case, answer| {
            let material = case.word();
            let point = SurfacePoint { material, ..point(scene, case) };
            let shading = shading(scene, Scattering::Multiple, &point, case.vec3(), case.number());
            put_frame(answer, shading.frame);
        },
    },
];
