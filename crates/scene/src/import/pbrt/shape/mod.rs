//! `Shape`: geometry, the material that it really gets, and where it is placed.
//!
//! pbrt's geometric normal decides which side emits and which side of glass is inside; here the
//! counter-clockwise side in object space does, wherever it is placed. So every mesh is stored such
//! that this is the side of pbrt's normal ([`orient`]).

mod bilinear;
mod loop_subdivision;
mod loop_topology;
mod place;
mod quadric;
pub use quadric::sphere;
mod triangle;

pub(super) use place::{Pending, Placement};

use super::area_light::Pieces;
use super::params::{Kind, Params};
use super::state::{Importer, Version};
use crate::each::Each;
use crate::import::stand_ins::MarkId;
use crate::{
    Alpha, Channel, ColorInput, FaceMaterials, ImportError, Material, MaterialId, MediumInterface, Mesh, PbrtWarning,
    ScalarInput, Surface, TextureId,
};
use raywarp_geom::TriangleMesh;
use std::path::PathBuf;

/// Properties that a shape adds to its material: light, alpha and media. Floats as bits, so that it can be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Look {
    /// Index of the shape's area light in [`Importer::area_lights`].
    pub light: Option<usize>,
    /// Alpha texture, constant factor (as bits) and `true` if any coverage above 0 counts as opaque (version 3).
    pub alpha: Option<(Option<TextureId>, u32, bool)>,
    /// Media on both sides of the shape.
    pub media: Option<MediumInterface>,
    /// Mark of those properties that are only approximated.
    pub mark: Option<MarkId>,
}

/// Key by which shapes share a mesh.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ShapeKey {
    /// PLY file, with the material and properties that its faces get.
    Ply { path: PathBuf, reverse: bool, material: MaterialId, look: Look },
    /// Tessellated shape, by its type and the bits of its parameters.
    Made { kind: String, bits: Vec<u32>, reverse: bool },
}

/// Alpha below which rays pass in version 3, where any value other than 0 stops them. Not 0 itself, since interpolation
/// between texels would make masks grow.
const V3_CUTOFF: f32 = 1.0 / 512.0;

impl Importer<'_> {
    pub fn shape_directive(&mut self, kind: &str, params: Params) -> Result<(), ImportError> {
        let params = params.with_defaults(&self.graphics.defaults.shape.clone());
        let base = match self.graphics.material {
            Some(material) => material,
            None => self.default_material(),
        };
        let look = self.look(&params)?;
        match kind {
            "trianglemesh" => {
                if let Some(mesh) = self.triangle_mesh(&params)? {
                    self.add_shape(&params, "trianglemesh", mesh, base, (look, Pieces::Triangles))?;
                }
            }
            "bilinearmesh" => {
                let (mesh, patches) = self.bilinear_mesh(&params)?;
                self.add_shape(&params, "bilinearmesh", mesh, base, (look, Pieces::Patches(patches)))?;
            }
            "loopsubdiv" => {
                let mesh = self.loop_subdivision(&params)?;
                self.add_shape(&params, "loopsubdiv", mesh, base, (look, Pieces::Triangles))?;
            }
            "plymesh" => self.ply_mesh(&params, base, look)?,
            "sphere" | "disk" | "cylinder" | "cone" | "paraboloid" => self.quadric(kind, &params, base, look)?,
            _ => {
                self.warn(&params, PbrtWarning::Shape { kind: kind.into() });
                self.context.stand_ins.leave_out();
                return Ok(());
            }
        }
        self.warn_unused(&params, &format!("shape {kind:?}"));
        Ok(())
    }

    /// Adds a mesh of the shape's own to the scene and places it.
    fn add_shape(
        &mut self,
        params: &Params,
        kind: &str,
        mut mesh: TriangleMesh,
        base: MaterialId,
        (look, pieces): (Look, Pieces),
    ) -> Result<(), ImportError> {
        let look = self.with_power(params, look, &mesh, pieces);
        let material = self.derive(base, look);
        if self.scene.looks_at_coordinates(material) {
            parametrise(&mut mesh);
        }
        orient(&mut mesh, self.graphics.reverse_orientation);
        let name = format!("{kind} of line {}", params.line);
        let mesh = self.scene.add_mesh(Mesh { name, triangles: mesh, materials: FaceMaterials::Uniform(material) });
        let rounder = std::mem::take(&mut self.rounded);
        self.rounders.insert(mesh, rounder);
        self.place(params, mesh, material)
    }

    /// Reads the properties that this shape adds to its material.
    fn look(&mut self, params: &Params) -> Result<Look, ImportError> {
        self.context.stand_ins.begin();
        let v3 = self.version == Some(Version::V3);
        let alpha = match params.find("alpha").map(|p| p.kind) {
            None => None,
            Some(Kind::Texture) => self.scalar_input(params, "alpha")?,
            // Version 3 takes any number but 0 as opaque.
            Some(_) => params.float("alpha")?.map(|a| if v3 && a != 0.0 { 1.0 } else { a }).map(ScalarInput::constant),
        };
        let alpha = alpha
            .filter(|alpha| alpha.texture.is_some() || alpha.factor < 1.0)
            .map(|alpha| (alpha.texture.map(|(texture, _)| texture), alpha.factor.to_bits(), v3));
        if params.find("shadowalpha").is_some() {
            self.warn(params, PbrtWarning::ShadowAlpha);
        }
        let media = self.interface(params);
        let mark = self.context.stand_ins.close();
        let mut light = self.graphics.area_light;
        if light.is_some() && self.current_object.is_some() {
            light = None;
            self.warn(params, PbrtWarning::LightInObject { shown_bright: v3 });
        }
        let shines = |light: usize| self.area_lights[light].emission.radiance.factor != [0.0; 3];
        if light.is_some_and(shines) && matches!(alpha, Some((None, factor, _)) if f32::from_bits(factor) <= 0.0) {
            self.warn(params, PbrtWarning::ClearLight);
        }
        Ok(Look { light, alpha, media, mark })
    }

    /// Returns the material `base` with the properties of `look`, made once for each pair.
    pub fn derive(&mut self, base: MaterialId, look: Look) -> MaterialId {
        if look == Look::default() {
            return base;
        }
        if let Some(&known) = self.derived.get(&(base, look)) {
            return known;
        }
        let mut material: Material = self.scene.materials[base.index()].clone();
        material.emission = look.light.map(|light| self.area_lights[light].emission);
        if look.light.is_some() && material.surface == Surface::Invisible {
            // What is invisible is not there at all; a light must be.
            material.surface = Surface::Diffuse { reflectance: ColorInput::constant([0.0; 3]) };
        }
        if let Some((texture, factor, masked)) = look.alpha {
            let factor = f32::from_bits(factor);
            let alpha = ScalarInput { factor, texture: texture.map(|texture| (texture, Channel::Mean)) };
            material.alpha = match material.alpha {
                // A material's own constant opacity multiplies.
                Alpha::Blend { alpha: own } if own.texture.is_none() => {
                    Alpha::Blend { alpha: ScalarInput { factor: own.factor * factor, ..alpha } }
                }
                _ if masked && texture.is_some() => Alpha::Mask { alpha, cutoff: V3_CUTOFF },
                _ => Alpha::Blend { alpha },
            };
        }
        material.media = look.media;
        let derived = self.scene.add_material(material);
        let log = &mut self.context.stand_ins;
        log.begin();
        log.add(log.mark_of(base));
        log.add(look.mark);
        let mark = log.close();
        log.keep(derived, mark);
        self.derived.insert((base, look), derived);
        derived
    }
}

/// Gives a mesh without texture coordinates those that pbrt gives each triangle: (0, 0), (1, 0) and (1, 1). Here v is
/// turned to grow downwards. Must come before [`orient`], which swaps corners.
pub(super) fn parametrise(mesh: &mut TriangleMesh) {
    if !mesh.uvs.is_empty() {
        return;
    }
    let corners: Vec<usize> = mesh.indices.iter().flatten().map(|&i| i as usize).collect();
    fn unshared<T: Copy>(values: &mut Vec<T>, corners: &[usize]) {
        if !values.is_empty() {
            *values = corners.iter().map(|&i| values[i]).collect();
        }
    }
    unshared(&mut mesh.positions, &corners);
    unshared(&mut mesh.normals, &corners);
    unshared(&mut mesh.tangents, &corners);
    unshared(&mut mesh.colors, &corners);
    mesh.uvs = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].repeat(mesh.indices.len());
    for (first, triangle) in (0..).step_by(3).zip(&mut mesh.indices) {
        *triangle = [first, first + 1, first + 2];
    }
}

/// Gives quads of a PLY file, pairs of triangles from the indices `quads` on, the texture coordinates of pbrt. Version
/// 4 gives those of a patch, (0, 0), (1, 0), (1, 1) and (0, 1); version 3 the second triangle its own, from the quad's
/// last corner on. Must come after [`parametrise`].
pub(super) fn parametrise_quads(mesh: &mut TriangleMesh, quads: &[u32], version: Option<Version>) {
    // Of the corners 0, 2 and 3; version 3 has them as 3, 0, 2.
    let uvs = match version {
        Some(Version::V3) => [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
        _ => [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
    };
    for &first in quads {
        let second = 3 * (first as usize + 1);
        mesh.uvs[second..second + 3].copy_from_slice(&uvs);
    }
}

/// Orients triangles so that their counter-clockwise side is that of pbrt's geometric normal, under a transformation
/// that does not mirror.
///
/// Without shading normals that is the counter-clockwise side, with them the side that they are on;
/// `reverse` (`ReverseOrientation`) swaps both. Shading normals turn with it.
pub(super) fn orient(mesh: &mut TriangleMesh, reverse: bool) {
    use glam::Vec3;
    if mesh.normals.is_empty() {
        if reverse {
            turn_round(mesh);
        }
        return;
    }
    for triangle in &mut mesh.indices {
        let [a, b, c] = triangle.each(|i| Vec3::from(mesh.positions[i as usize]));
        let normal: Vec3 = triangle.iter().map(|&i| Vec3::from(mesh.normals[i as usize])).sum();
        if ((b - a).cross(c - a).dot(normal) < 0.0) != reverse {
            triangle.swap(1, 2);
        }
    }
    if reverse {
        for normal in &mut mesh.normals {
            *normal = normal.each(|x| -x);
        }
    }
}

/// Reverses the order of corners of every triangle.
fn turn_round(mesh: &mut TriangleMesh) {
    for triangle in &mut mesh.indices {
        triangle.swap(1, 2);
    }
}
