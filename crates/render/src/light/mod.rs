//! All lights of a scene behind one choice by power, half of it for local and half for distant ones: emissive triangles, environments, point, spot
//! and directional lights.

mod environment;
mod punctual;

use crate::world::World;
use environment::Environment;
use glam::{Vec2, Vec3};
use punctual::Punctual;
use raywarp_geom::{Aabb, offset_from_triangle};
use raywarp_sample::warp::{self, AliasTable};
use raywarp_scene::{Emission, Light, MaterialId};
use std::f32::consts::PI;

/// A connection from a surface point to a light.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LightSample {
    /// Unit direction to the light.
    pub wi: Vec3,
    /// Where the shadow ray ends; `None` at infinity.
    pub target: Option<Vec3>,
    /// Incident radiance over the pdf.
    pub weight: Vec3,
    /// Solid-angle density, choice of the light included; 0 for a light that no other ray can find.
    pub pdf: f32,
}

/// An emissive triangle.
#[derive(Debug, Clone, Copy)]
struct TriangleLight {
    instance: u32,
    primitive: u32,
    material: MaterialId,
    /// World-space first corner and edges, and the front normal: kept, for a light is sampled at
    /// every vertex of every path.
    corner: Vec3,
    edges: [Vec3; 2],
    normal: Vec3,
}

/// Which list an entry of the alias table comes from.
#[derive(Debug, Clone, Copy)]
enum Entry {
    Triangle(TriangleLight),
    Punctual(Punctual),
    Environment(u32),
}

/// The lights of a scene.
pub(crate) struct Lights {
    entries: Vec<Entry>,
    table: Option<AliasTable>,
    environments: Vec<Environment>,
    /// Probability of choosing each environment.
    environment_choice: Vec<f32>,
    /// Probability density of the point on a triangle of each material, per area.
    triangle_density: Vec<f32>,
}

/// The measure lights are chosen by.
pub(crate) fn luminance(c: Vec3) -> f32 {
    c.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

impl Entry {
    /// Whether the light is infinitely far away.
    fn is_distant(&self) -> bool {
        matches!(self, Self::Environment(_) | Self::Punctual(Punctual::Directional { .. }))
    }
}

/// A power that can be compared: what overflows or is negative is no reason to choose a light.
fn finite(power: f64) -> f64 {
    if power.is_finite() { power.max(0.0) } else { 0.0 }
}

/// Factors from power to probability for local and for distant lights.
///
/// A distant light's power grows with the size of the scene, a lamp's does not: under a large floor a
/// sky would take nearly every connection and leave the lamp to noise. So where both kinds are
/// there, each gets half of the connections, shared by power inside.
fn group_scales(entries: &[Entry], powers: &[f64]) -> (f64, f64) {
    let total = |distant: bool| -> f64 {
        std::iter::zip(entries, powers).filter(|(e, _)| e.is_distant() == distant).map(|(_, p)| p).sum()
    };
    let (local, distant) = (total(false), total(true));
    let share = |own: f64, other: f64| {
        if own > 0.0 && own.is_finite() { if other > 0.0 { 0.5 / own } else { 1.0 / own } } else { 0.0 }
    };
    (share(local, distant), share(distant, local))
}

impl Lights {
    /// `bounds` is the box of the scene, which says how much a distant light sends into it.
    pub fn new(world: &World, bounds: &Aabb) -> Self {
        let radius = (0.5 * bounds.diagonal()).max(1e-6);
        let disk = f64::from(radius) * f64::from(radius) * std::f64::consts::PI;
        let mut entries = Vec::new();
        let mut powers: Vec<f64> = Vec::new();
        // Mean radiance of each material, seen from one side.
        let mean: Vec<Vec3> = world
            .scene
            .materials
            .iter()
            .map(|m| m.emission.map_or(Vec3::ZERO, |e| world.textures.mean_color(&e.radiance)))
            .collect();
        let per_area: Vec<f64> = std::iter::zip(&mean, &world.scene.materials)
            .map(|(&mean, material)| {
                let sides = if material.emission.is_some_and(|e| e.two_sided) { 2.0 } else { 1.0 };
                finite(f64::from(luminance(mean)) * f64::from(PI) * sides)
            })
            .collect();
        for instance in 0..world.placements.len() as u32 {
            let placement = &world.placements[instance as usize];
            let mesh = &world.scene.meshes[placement.mesh];
            for primitive in 0..mesh.triangles.indices.len() as u32 {
                let material = placement.material.unwrap_or_else(|| mesh.materials.get(primitive as usize));
                if per_area[material.index()] <= 0.0 {
                    continue;
                }
                let corners = world.triangle(instance, primitive);
                let normal = world.front_normal(instance, primitive, &corners);
                let [corner, b, c] = corners;
                let edges = [b - corner, c - corner];
                let area = 0.5 * edges[0].cross(edges[1]).length();
                if area > 0.0 && area.is_finite() {
                    let light = TriangleLight { instance, primitive, material, corner, edges, normal };
                    entries.push(Entry::Triangle(light));
                    powers.push(per_area[material.index()] * f64::from(area));
                }
            }
        }
        let mut environments = Vec::new();
        for light in &world.scene.lights {
            match light {
                Light::Environment { map, radiance, world_to_map } => {
                    let map = map.map(|id| &world.scene.images[id.index()]);
                    let environment = Environment::new(map, (*radiance).into(), world_to_map);
                    powers.push(finite(f64::from(luminance(environment.mean())) * 4.0 * f64::from(PI) * disk));
                    entries.push(Entry::Environment(environments.len() as u32));
                    environments.push(environment);
                }
                other => {
                    if let Some(punctual) = Punctual::new(other) {
                        powers.push(finite(punctual.power(disk)));
                        entries.push(Entry::Punctual(punctual));
                    }
                }
            }
        }
        let (local, distant) = group_scales(&entries, &powers);
        let scale = |entry: &Entry| if entry.is_distant() { distant } else { local };
        let weights: Vec<f32> = std::iter::zip(&entries, &powers).map(|(e, &p)| (p * scale(e)) as f32).collect();
        let environment_choice = std::iter::zip(&entries, &weights)
            .filter(|(entry, _)| matches!(entry, Entry::Environment(_)))
            .map(|(_, &weight)| weight)
            .collect();
        let triangle_density = per_area.iter().map(|&p| (p * local) as f32).collect();
        let table = AliasTable::new(&weights);
        Self { entries, table, environments, environment_choice, triangle_density }
    }

    /// A connection from `point` to a light chosen by `u_choice`; `None` when it lights nothing.
    pub fn sample(&self, world: &World, point: Vec3, u_choice: f32, u: [f32; 2]) -> Option<LightSample> {
        let (index, probability) = self.table.as_ref()?.sample(u_choice);
        match &self.entries[index] {
            Entry::Triangle(light) => self.sample_triangle(world, light, point, u),
            Entry::Punctual(light) => light.sample(point, probability),
            Entry::Environment(i) => {
                let (wi, radiance, pdf) = self.environments[*i as usize].sample(u)?;
                let pdf = pdf * probability;
                Some(LightSample { wi, target: None, weight: radiance / pdf, pdf })
            }
        }
    }

    fn sample_triangle(&self, world: &World, light: &TriangleLight, point: Vec3, u: [f32; 2]) -> Option<LightSample> {
        let [b1, b2] = warp::uniform_triangle(u);
        let on_light = light.corner + b1 * light.edges[0] + b2 * light.edges[1];
        let to_light = on_light - point;
        let distance_squared = to_light.length_squared();
        let wi = to_light.try_normalize()?;
        let normal = light.normal;
        let cos = -normal.dot(wi);
        let pdf = self.triangle_pdf(light.material, cos, distance_squared);
        if pdf <= 0.0 || !pdf.is_finite() {
            return None;
        }
        let emission = world.scene.materials[light.material.index()].emission?;
        let radiance = if emission.radiance.texture.is_some() {
            let mesh = world.placements[light.instance as usize].mesh as u32;
            world.emitted(&emission, mesh, light.primitive, Vec2::new(b1, b2), cos)
        } else if cos > 0.0 || emission.two_sided {
            emission.radiance.factor.into()
        } else {
            Vec3::ZERO
        };
        // A ray that finds a surface with holes by chance meets it with the probability of its alpha.
        let radiance = radiance * world.coverage(light.material, light.instance, light.primitive, Vec2::new(b1, b2));
        if radiance == Vec3::ZERO {
            return None;
        }
        // The ray ends just before the light, on the side that it came from.
        let side = if cos > 0.0 { normal } else { -normal };
        let extent = light.edges[0].abs().max(light.edges[1].abs()).max_element();
        let target = Vec3::from(offset_from_triangle(on_light.into(), side.into(), extent));
        Some(LightSample { wi, target: Some(target), weight: radiance / pdf, pdf })
    }

    /// Solid-angle density with which [`Lights::sample`] finds a point on an emissive triangle of
    /// `material`, whose front normal makes `cos` with the direction back.
    pub fn triangle_pdf(&self, material: MaterialId, cos: f32, distance_squared: f32) -> f32 {
        let cos = cos.abs();
        if cos < 1e-7 { 0.0 } else { self.triangle_density[material.index()] * distance_squared / cos }
    }

    /// Each environment's radiance from `direction` and the density with which it is sampled.
    pub fn environments(&self, direction: Vec3) -> impl Iterator<Item = (Vec3, f32)> + '_ {
        std::iter::zip(&self.environments, &self.environment_choice).map(move |(environment, choice)| {
            let (radiance, pdf) = environment.eval(direction);
            (radiance, pdf * choice)
        })
    }
}

impl World<'_> {
    /// Radiance that a surface sends out where its front normal makes `cos` with the direction out.
    pub(crate) fn emitted(&self, emission: &Emission, mesh: u32, primitive: u32, at: Vec2, cos: f32) -> Vec3 {
        if cos <= 0.0 && !emission.two_sided {
            return Vec3::ZERO;
        }
        if emission.radiance.texture.is_none() {
            return emission.radiance.factor.into();
        }
        self.textures.color(&emission.radiance, &self.texture_point(mesh, primitive, at)).max(Vec3::ZERO)
    }
}
