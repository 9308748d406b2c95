//! A scene prepared for shading: compiled textures, placements, what is opaque.

mod frame;
mod material;
mod surface;
pub(crate) mod texture;

pub(crate) use frame::Frame;
pub(crate) use material::Shading;

use crate::RenderError;
use glam::{Vec2, Vec3};
use raywarp_geom::Hit;
use raywarp_sample::hash;
use raywarp_scene::{Alpha, MaterialId, Scene, Surface};
use surface::Placement;
pub(crate) use surface::SurfacePoint;
use texture::Textures;

/// A scene as the stages read it.
pub(crate) struct World<'s> {
    pub scene: &'s Scene,
    pub textures: Textures<'s>,
    pub placements: Vec<Placement>,
    /// Absorption coefficient inside closed surfaces, for each material.
    pub absorption: Vec<Option<Vec3>>,
    /// Seed of the render.
    seed: u32,
    /// Whether a material takes a random number to decide between its parts.
    pub has_choice: Vec<bool>,
    /// No material has holes: the stages need not ask.
    pub all_opaque: bool,
}

impl<'s> World<'s> {
    /// Prepares a validated scene; `seed` decides, among all else, where blended surfaces are.
    pub fn new(scene: &'s Scene, seed: u32) -> Result<Self, RenderError> {
        let mut absorption: Vec<Option<Vec3>> = Vec::with_capacity(scene.materials.len());
        for material in &scene.materials {
            absorption.push(match &material.surface {
                Surface::Dielectric { absorption: Some(a), thin: false, .. } => Some(Vec3::from(a.sigma)),
                Surface::Principled(p) if !p.thin && p.transmission.factor > 0.0 => {
                    p.absorption.map(|a| Vec3::from(a.sigma))
                }
                // Its parts come before it: what is inside one of them is inside the mixture.
                Surface::Mix { first, second, .. } => absorption[first.index()].or(absorption[second.index()]),
                _ => None,
            });
        }
        let has_choice = scene
            .materials
            .iter()
            .map(|material| match &material.surface {
                Surface::Mix { .. } => true,
                Surface::Principled(p) => p.transmission.factor > 0.0,
                _ => false,
            })
            .collect();
        Ok(Self {
            has_choice,
            seed,
            scene,
            textures: Textures::new(scene)?,
            placements: scene.instances.iter().map(Placement::new).collect(),
            absorption,
            all_opaque: scene.materials.iter().all(|m| m.alpha == Alpha::Opaque),
        })
    }

    /// Probability with which [`World::is_there`] says yes at a place.
    pub fn coverage(&self, material: MaterialId, instance: u32, primitive: u32, at: Vec2) -> f32 {
        let point = || self.texture_point(self.placements[instance as usize].mesh as u32, primitive, at);
        match &self.scene.materials[material.index()].alpha {
            Alpha::Opaque => 1.0,
            Alpha::Mask { alpha, cutoff } => f32::from(u8::from(self.textures.scalar(alpha, &point()) >= *cutoff)),
            Alpha::Blend { alpha } => self.textures.scalar(alpha, &point()).clamp(0.0, 1.0),
        }
    }

    /// Whether the surface is there at a candidate hit; blended surfaces decide by a number that
    /// depends on (pixel, sample, salt) and the place alone, so the answer never changes.
    pub fn is_there(&self, hit: &Hit, instance: u32, pixel: u32, sample: u32, salt: u32) -> bool {
        let material = self.scene.material_of(instance as usize, hit.primitive as usize);
        let coverage = self.coverage(material, instance, hit.primitive, Vec2::new(hit.u, hit.v));
        if coverage <= 0.0 || coverage >= 1.0 {
            return coverage > 0.0;
        }
        let key = [pixel, sample, salt, instance, hit.primitive];
        hash::to_unit(key.into_iter().fold(hash::pcg(self.seed), hash::combine)) < coverage
    }
}
