//! Choice between all lights by power, half of it for local and half for distant ones.

use super::environments;
use crate::flat::{
    LightKind, LightRecord, MaterialFlags, NONE, ShadingScene, Shape, SpotRamp, TriangleRecord, length, shape, triangle,
};
use crate::texture::{TexturePoint, color};
use bytemuck::Zeroable;
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::Aabb;
use raywarp_sample::warp::AliasTable;
use raywarp_scene::{Description, Light, SpotFalloff};
use std::f64::consts::PI;

/// Returns the luminance of a colour, by which lights are weighted.
pub(super) fn luminance(c: Vec3) -> f32 {
    c.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// Returns the power if it is finite and positive, else 0, so that powers can be compared.
fn finite(power: f64) -> f64 {
    if power.is_finite() { power.max(0.0) } else { 0.0 }
}

/// Replaces the lights of `flat` by those of `scene`; triangles, materials and images are already there.
pub(super) fn set(flat: &mut ShadingScene, scene: &Description, bounds: &Aabb) {
    flat.environments.clear();
    flat.tables.clear();
    // Of a scene without size any number will do.
    let radius = (0.5 * bounds.diagonal()).max(f32::MIN_POSITIVE);
    let disk = f64::from(radius) * f64::from(radius) * PI;
    let per_area = power_per_area(flat);
    let (mut lights, mut powers) = (Vec::new(), Vec::new());
    add_triangles(flat, &per_area, &mut lights, &mut powers);
    for light in &scene.lights {
        let (record, power) = light_and_power(flat, light, disk);
        lights.push(record);
        powers.push(finite(power));
    }
    choose_by_power(flat, lights, &powers);
}

fn of(kind: LightKind) -> LightRecord {
    LightRecord { kind: kind.tag(), ..LightRecord::zeroed() }
}

/// Returns for each material the luminous power that it emits per area.
fn power_per_area(flat: &ShadingScene) -> Vec<f64> {
    let of = |material: &crate::flat::MaterialRecord| {
        if material.emission == NONE {
            return 0.0;
        }
        let sides = if material.has(MaterialFlags::EMITS_ON_BOTH_SIDES) { 2.0 } else { 1.0 };
        let mean = mean_color(flat, material.emission);
        // In f32: the probabilities of pictures depend on it.
        finite(f64::from(luminance(mean)) * f64::from(std::f32::consts::PI) * sides)
    };
    flat.materials.iter().map(of).collect()
}

/// Returns the mean of a material input over the unit square; images are averaged at 256 x 256 places.
fn mean_color(flat: &ShadingScene, input: u32) -> Vec3 {
    const SIDE: u32 = 256;
    let input = &flat.inputs[input as usize];
    if !input.is_textured() {
        return input.factor.into();
    }
    let at = |i: u32| {
        let uv = (Vec2::new((i % SIDE) as f32, (i / SIDE) as f32) + 0.5) / SIDE as f32;
        color(flat, input, &TexturePoint { uv: [uv; 2], color: Vec4::ONE }).max(Vec3::ZERO)
    };
    (0..SIDE * SIDE).map(at).sum::<Vec3>() / (SIDE * SIDE) as f32
}

/// Adds a light for each shape formed by emissive triangles with area.
fn add_triangles(flat: &mut ShadingScene, per_area: &[f64], lights: &mut Vec<LightRecord>, powers: &mut Vec<f64>) {
    if per_area.iter().all(|&power| power <= 0.0) {
        return;
    }
    let ShadingScene { triangles, materials, placements, .. } = flat;
    for placement in placements {
        let (first, end) = (placement.first_triangle, placement.first_triangle + placement.triangle_count);
        let mut index = first;
        while index < end {
            let rest = &mut triangles[index as usize..end as usize];
            rest[0].light = NONE;
            let material = rest[0].material();
            let per_area = per_area[material as usize];
            if per_area <= 0.0 {
                index += 1;
                continue;
            }
            let opaque = materials[material as usize].alpha == NONE;
            let (kind, Shape { at, u, v, w }) = first_shape(rest, index == first, opaque);
            let part = &mut rest[..kind.triangle_count() as usize];
            let area: f64 = part.iter().map(|triangle| f64::from(area(triangle))).sum();
            let across = length(u.cross(v));
            let is_light = (LEAST_AREA..=MOST_AREA).contains(&across) && area.is_finite();
            for triangle in &mut *part {
                triangle.light = if is_light { lights.len() as u32 } else { NONE };
            }
            if is_light {
                let [at, u, v, w] = [at, u, v, w].map(<[f32; 3]>::from);
                lights.push(LightRecord { index, material, at, u, v, w, ..of(kind) });
                powers.push(per_area * area);
            }
            index += kind.triangle_count();
        }
    }
}

/// Smallest and largest area (2^-100 and 2^100) of the parallelogram of a light's edges by which densities can be
/// divided in f32.
const LEAST_AREA: f32 = 7.888_609e-31;
const MOST_AREA: f32 = 1.267_650_6e30;

fn area(triangle: &TriangleRecord) -> f32 {
    let [a, b, c] = triangle.points();
    0.5 * length((b - a).cross(c - a))
}

/// Returns the kind and shape of the light that `triangles`, the rest of an instance's or all, begin with. A ball that
/// has holes would show its inside, which directions from outside do not find: it stays triangles.
fn first_shape(triangles: &[TriangleRecord], all: bool, opaque: bool) -> (LightKind, Shape) {
    let material = triangles[0].material();
    let whole = |kind: LightKind| all && triangles.len() == kind.triangle_count() as usize;
    for (kind, can_be) in [
        (LightKind::Sphere, whole(LightKind::Sphere) && opaque),
        (LightKind::Disk, whole(LightKind::Disk)),
        (LightKind::Parallelogram, triangles.len() >= 2),
    ] {
        let part = if can_be { &triangles[..kind.triangle_count() as usize] } else { &[] };
        if part.iter().all(|triangle| triangle.material() == material)
            && let Some(shape) = shape(kind, part)
        {
            return (kind, shape);
        }
    }
    (LightKind::Triangle, triangle(&triangles[0]))
}

fn ramp(falloff: SpotFalloff) -> u32 {
    match falloff {
        SpotFalloff::Gltf => SpotRamp::Square,
        SpotFalloff::Pbrt3 => SpotRamp::Fourth,
        SpotFalloff::Pbrt4 => SpotRamp::Smooth,
    }
    .tag()
}

/// Returns the record of a light that is not made of triangles, and the luminous power that it sends into the scene,
/// whose cross-section is `disk`.
fn light_and_power(flat: &mut ShadingScene, light: &Light, disk: f64) -> (LightRecord, f64) {
    let strength = |c: [f32; 3]| f64::from(luminance(c.into()));
    match *light {
        Light::Point { position, intensity } => {
            (LightRecord { at: position, w: intensity, ..of(LightKind::Point) }, 4.0 * PI * strength(intensity))
        }
        Light::Spot { position, direction, intensity, cos_inner, cos_outer, falloff } => {
            let record = LightRecord {
                at: position,
                u: Vec3::from(direction).normalize_or(-Vec3::Z).into(),
                v: [cos_inner, cos_outer, 0.0],
                w: intensity,
                index: ramp(falloff),
                ..of(LightKind::Spot)
            };
            // Full up to the inner cone, about half between the cones: a choice needs no more.
            let mean = 0.5 * (f64::from(cos_inner) + f64::from(cos_outer));
            (record, 2.0 * PI * (1.0 - mean) * strength(intensity))
        }
        Light::Directional { direction, irradiance } => {
            let u = Vec3::from(direction).normalize_or(-Vec3::Y).into();
            (LightRecord { u, w: irradiance, ..of(LightKind::Directional) }, disk * strength(irradiance))
        }
        Light::Environment { map, radiance, world_to_map } => {
            let mean = environments::add(flat, map.map(|id| id.0), radiance, world_to_map);
            let index = flat.environments.len() as u32 - 1;
            (LightRecord { index, ..of(LightKind::Environment) }, f64::from(luminance(mean)) * 4.0 * PI * disk)
        }
    }
}

/// Returns `true` if a light is infinitely far away.
fn is_distant(light: &LightRecord) -> bool {
    match light.kind() {
        LightKind::Environment | LightKind::Directional => true,
        LightKind::Triangle
        | LightKind::Parallelogram
        | LightKind::Disk
        | LightKind::Sphere
        | LightKind::Point
        | LightKind::Spot => false,
    }
}

/// Returns the factors from power to choice probability, for local and for distant lights.
///
/// A distant light's power grows with the size of the scene, a lamp's does not: under a large floor a sky would take
/// nearly every connection and leave the lamp to noise. So where both kinds are there, each gets half of the
/// connections, shared by power inside.
fn group_scales(lights: &[LightRecord], powers: &[f64]) -> (f64, f64) {
    let total = |distant: bool| -> f64 {
        std::iter::zip(lights, powers).filter(|(light, _)| is_distant(light) == distant).map(|(_, p)| p).sum()
    };
    let (local, distant) = (total(false), total(true));
    let share = |own: f64, other: f64| {
        if own > 0.0 && own.is_finite() { if other > 0.0 { 0.5 / own } else { 1.0 / own } } else { 0.0 }
    };
    (share(local, distant), share(distant, local))
}

/// Stores the lights with choice probabilities in proportion to their powers.
fn choose_by_power(flat: &mut ShadingScene, mut lights: Vec<LightRecord>, powers: &[f64]) {
    let (local, distant) = group_scales(&lights, powers);
    let scale = |light: &LightRecord| if is_distant(light) { distant } else { local };
    let weights: Vec<f32> = std::iter::zip(&lights, powers).map(|(light, &p)| (p * scale(light)) as f32).collect();
    for (light, &weight) in std::iter::zip(&mut lights, &weights) {
        match light.kind() {
            LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk | LightKind::Sphere => {
                light.value = weight;
            }
            LightKind::Environment => flat.environments[light.index as usize].choice = weight,
            LightKind::Point | LightKind::Spot | LightKind::Directional => {}
        }
    }
    flat.light_choice = AliasTable::new(&weights).map_or_else(Vec::new, AliasTable::into_cells);
    flat.lights = lights;
}
