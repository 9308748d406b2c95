//! A scene prepared for shading: compiled textures, placements, what is opaque.

mod frame;
mod material;
mod surface;
pub(crate) mod texture;

pub(crate) use frame::Frame;
pub(crate) use material::Shading;

use crate::RenderError;
use glam::Vec3;
use raywarp_geom::Hit;
use raywarp_sample::hash;
use raywarp_scene::{Alpha, Scene, Surface};
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
    /// Whether a material takes a random number to decide between its parts.
    pub has_choice: Vec<bool>,
    /// No material has holes: the stages need not ask.
    pub all_opaque: bool,
}

impl<'s> World<'s> {
    /// Prepares a validated scene.
    pub fn new(scene: &'s Scene) -> Result<Self, RenderError> {
        let absorption = scene
            .materials
            .iter()
            .map(|material| match &material.surface {
                Surface::Dielectric { absorption: Some(a), thin: false, .. } => Some(Vec3::from(a.sigma)),
                Surface::Principled(p) if !p.thin => p.absorption.map(|a| Vec3::from(a.sigma)),
                _ => None,
            })
            .collect();
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
            scene,
            textures: Textures::new(scene)?,
            placements: scene.instances.iter().map(Placement::new).collect(),
            absorption,
            all_opaque: scene.materials.iter().all(|m| m.alpha == Alpha::Opaque),
        })
    }

    /// Whether the surface is there at a candidate hit; blended surfaces decide by a number that
    /// depends on (pixel, sample, salt) and the place alone, so the answer never changes.
    pub fn is_there(&self, hit: &Hit, instance: u32, pixel: u32, sample: u32, salt: u32) -> bool {
        let material = self.scene.material_of(instance as usize, hit.primitive as usize);
        let point = || {
            let mesh = self.placements[instance as usize].mesh as u32;
            self.texture_point(mesh, hit.primitive, glam::Vec2::new(hit.u, hit.v))
        };
        match &self.scene.materials[material.index()].alpha {
            Alpha::Opaque => true,
            Alpha::Mask { alpha, cutoff } => self.textures.scalar(alpha, &point()) >= *cutoff,
            Alpha::Blend { alpha } => {
                let alpha = self.textures.scalar(alpha, &point());
                let key = [pixel, sample, salt, instance, hit.primitive].into_iter().fold(0, hash::combine);
                hash::to_unit(key) < alpha
            }
        }
    }
}
