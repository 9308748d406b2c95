//! Textures that a material reads, and their mappings to the surface.

use super::{Alpha, Description, MaterialId, NormalInput, Surface, SurfacePart, Texture, TextureId, UvMapping};
use std::collections::HashSet;

impl Description {
    /// Returns a material and, if it is a mixture, all materials that it mixes, each once.
    fn with_parts(&self, material: MaterialId) -> Vec<MaterialId> {
        let mut all = vec![material];
        let mut next = 0;
        while let Some(&id) = all.get(next) {
            next += 1;
            if let Surface::Mix { first, second, .. } = self.materials[id.index()].surface {
                let new = [first, second].into_iter().filter(|part| !all.contains(part)).collect::<Vec<_>>();
                all.extend(new);
            }
        }
        all
    }

    /// Returns the textures that a material uses directly, including those of the materials that it mixes.
    fn textures_of(&self, material: MaterialId) -> Vec<TextureId> {
        let mut textures = Vec::new();
        for id in self.with_parts(material) {
            let material = &self.materials[id.index()];
            textures.extend(material.surface.parts().into_iter().filter_map(|(_, part)| match part {
                SurfacePart::Color(input) => input.texture,
                SurfacePart::Number(input) => input.texture.map(|(id, _)| id),
                SurfacePart::Earlier(_)
                | SurfacePart::Amount(_)
                | SurfacePart::Positive(_)
                | SurfacePart::UpTo(..)
                | SurfacePart::Absorption(_) => None,
            }));
            textures.extend(material.emission.as_ref().and_then(|emission| emission.radiance.texture));
            textures.extend(match material.normal {
                None => None,
                Some(NormalInput::Map { texture, .. }) => Some(texture),
                Some(NormalInput::Bump { height }) => height.texture.map(|(id, _)| id),
            });
            textures.extend(match material.alpha {
                Alpha::Opaque => None,
                Alpha::Mask { alpha, .. } | Alpha::Blend { alpha } => alpha.texture.map(|(id, _)| id),
            });
        }
        textures
    }

    /// Returns the coordinate mappings of all textures in the graphs below `textures`, in no order.
    fn mappings_in(&self, mut textures: Vec<TextureId>) -> Vec<UvMapping> {
        // A graph may share its parts many times over.
        let mut seen = HashSet::new();
        let mut mappings = Vec::new();
        while let Some(id) = textures.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.textures[id.index()] {
                Texture::Constant(_) | Texture::VertexColor => {}
                Texture::Image { mapping, .. } => mappings.push(mapping),
                Texture::Checkerboard { mapping, even, odd } => {
                    mappings.push(mapping);
                    textures.extend([even, odd]);
                }
                Texture::Scale { a, b } => textures.extend([a, b]),
                Texture::Mix { a, b, amount } => textures.extend([a, b, amount]),
            }
        }
        mappings
    }

    /// Returns the coordinate mapping of a material's normal map, or of the first one among the materials that it
    /// mixes.
    pub fn normal_mapping_of(&self, material: MaterialId) -> Option<UvMapping> {
        let normal = |id: &MaterialId| match self.materials[id.index()].normal {
            Some(NormalInput::Map { texture, .. }) => self.mappings_in(vec![texture]).first().copied(),
            Some(NormalInput::Bump { .. }) | None => None,
        };
        self.with_parts(material).iter().find_map(normal)
    }

    /// Returns for the first and the second set of texture coordinates whether a material reads it.
    pub(crate) fn uv_sets_of(&self, material: MaterialId) -> [bool; 2] {
        let mut sets = [false; 2];
        for mapping in self.mappings_in(self.textures_of(material)) {
            sets[usize::from(mapping.set.min(1))] = true;
        }
        sets
    }

    /// Returns `true` if a material depends on the directions of texture coordinates: by textures, anisotropy, or
    /// flakes of a size.
    pub(crate) fn looks_at_coordinates(&self, material: MaterialId) -> bool {
        let directed = |id: &MaterialId| match &self.materials[id.index()].surface {
            Surface::Conductor { roughness, .. }
            | Surface::Dielectric { roughness, .. }
            | Surface::Coated { roughness, .. } => roughness.x != roughness.y,
            Surface::Principled(principled) => principled.roughness.x != principled.roughness.y,
            Surface::CarPaint(paint) => paint.flake_size > 0.0,
            Surface::Mix { .. }
            | Surface::Diffuse { .. }
            | Surface::DiffuseTransmission { .. }
            | Surface::Blinn { .. }
            | Surface::Mirror { .. }
            | Surface::Invisible
            | Surface::Unlit { .. } => false,
        };
        self.uv_sets_of(material) != [false; 2] || self.with_parts(material).iter().any(directed)
    }
}
