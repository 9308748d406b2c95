//! Conversion of a validated scene to the flat one that shading reads.

mod environments;
#[cfg(test)]
mod frame_tests;
#[cfg(test)]
mod gltf_tests;
mod lights;
mod materials;
mod shared;
#[cfg(test)]
mod tests;
mod textures;
mod triangles;

use crate::RenderError;
use crate::flat::{NONE, ShadingScene, TextureImage};
use raywarp_geom::Aabb;
use raywarp_scene::Description;

impl ShadingScene {
    /// Prepares `scene` for shading; its bounding box decides how much light a distant light sends into it. In parallel
    /// on rayon's current pool; 64 bytes a triangle of every placement, twice that where a texture is on it.
    ///
    /// # Errors
    /// [`RenderError::TextureTooDeep`]; [`RenderError::TooLarge`] where an index leaves its bits.
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: &Description, bounds: &Aabb) -> Result<Self, RenderError> {
        Self::prepared(scene, bounds, false)
    }

    /// Prepares `scene` for shading on the CPU, with the same bits, as [`ShadingScene::new`] does, but with one copy of
    /// a mesh that is placed several times: some 30 bytes a triangle, another 64 where a texture is on it, and 64 bytes
    /// a placement. Records are made of it where paths hit it. Placements that emit light have their own.
    ///
    /// # Errors
    /// As [`ShadingScene::new`].
    /// # Panics
    /// As [`ShadingScene::new`].
    pub fn with_shared_meshes(scene: &Description, bounds: &Aabb) -> Result<Self, RenderError> {
        Self::prepared(scene, bounds, true)
    }

    fn prepared(scene: &Description, bounds: &Aabb, shares: bool) -> Result<Self, RenderError> {
        let mut flat = Self::default();
        textures::add(&mut flat, scene)?;
        materials::add(&mut flat, scene)?;
        flat.all_opaque = flat.materials.iter().all(|m| m.alpha == NONE);
        triangles::add(&mut flat, scene, shares)?;
        flat.set_lights(scene, bounds);
        Ok(flat)
    }

    /// Replaces the lights by those of `scene`, which may differ from the prepared scene only by its lights and their
    /// images.
    pub fn set_lights(&mut self, scene: &Description, bounds: &Aabb) {
        self.images = scene.images.iter().map(image).collect();
        lights::set(self, scene, bounds);
    }
}

fn image(image: &raywarp_scene::Image) -> TextureImage {
    TextureImage { size: [image.width, image.height], texels: image.pixels.clone() }
}
