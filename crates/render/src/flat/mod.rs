//! The scene that shading reads: flat arrays of plain records, the same bytes on every device.
//!
//! Everything refers to everything else by index, [`NONE`] where there is nothing. Nothing is borrowed, boxed or named.
//! [`ShadingScene::new`] makes one from a validated scene, [`ShadingScene::validate`] says whether the
//! functions that read it may rely on it.

mod bytes;
mod image;
mod lengths;
mod light;
mod material;
mod octahedral;
mod placed;
mod shapes;
mod shared;
mod texture;
mod triangle;
mod validate;

pub use crate::bsdf::MaterialKind;
pub use bytes::ShadingBytes;
pub(crate) use image::srgb_to_linear;
pub use image::{Texels, TextureImage};
pub use lengths::normalize;
pub(crate) use lengths::{LEAST_LENGTH, MOST_LENGTH, length, scale_of, try_normalize};
pub use light::{DISK_SECTORS, EnvironmentRecord, LightKind, LightRecord, SPHERE_COLUMNS, SPHERE_ROWS, SpotRamp};
pub use material::{Input, InputChannel, MaterialFlags, MaterialRecord, MediumRecord, Remap};
pub use octahedral::{UnitCode, decode_unit, encode_unit};
pub use placed::MapAxes;
pub(crate) use placed::PlacedMesh;
pub(crate) use shapes::{Shape, cell_triangles, shape, triangle};
pub use shared::{Shared, SharedMesh, SharedPlacement};
pub use texture::{ImageLookup, ProgramRecord, TextureKind, TextureOp, Wrapping};
pub use triangle::{AttributeRecord, ColorRecord, PlacementRecord, TriangleRecord};
pub use validate::{InvalidShading, ShadingRule};

use raywarp_geom::Hit;
use raywarp_sample::warp::AliasCell;

/// Index that stands for "none".
pub const NONE: u32 = u32::MAX;

/// Scene in the form in which the path tracer's stages read it; see the [module](self).
#[derive(Debug, Clone, Default)]
pub struct ShadingScene {
    /// World-space triangles, instance by instance; of those that share a mesh there are none.
    pub triangles: Vec<TriangleRecord>,
    /// Texture coordinates and tangents of triangles whose materials read them.
    pub attributes: Vec<AttributeRecord>,
    /// Vertex colours of triangles whose materials read them.
    pub colors: Vec<ColorRecord>,
    /// Range of triangles of each instance, by the instance id of a hit.
    pub placements: Vec<PlacementRecord>,
    /// Materials; the parts of a mixture come before it.
    pub materials: Vec<MaterialRecord>,
    /// Inputs of the materials: colours, numbers and textures.
    pub inputs: Vec<Input>,
    /// Media that materials and cameras name; empty if nothing absorbs. At most [`ShadingScene::MOST_MEDIA`].
    pub media: Vec<MediumRecord>,
    /// Textures, each as a range of steps in `texture_ops`.
    pub programs: Vec<ProgramRecord>,
    /// Steps of all textures.
    pub texture_ops: Vec<TextureOp>,
    /// Images of textures and environments, in their own pixel formats.
    pub images: Vec<TextureImage>,
    /// Lights to which paths are connected.
    pub lights: Vec<LightRecord>,
    /// Alias table for choosing a light: as many cells as lights, or none if no light has power.
    pub light_choice: Vec<AliasCell>,
    /// Environment lights, infinitely far away.
    pub environments: Vec<EnvironmentRecord>,
    /// Sampling tables of the environments, in the layout of [`raywarp_sample::warp::DensityTables`].
    pub tables: Vec<u32>,
    /// `true` if no material has holes.
    pub all_opaque: bool,
    /// Meshes whose placements have no records.
    pub shared: Shared,
}

impl ShadingScene {
    /// Largest number of media, since paths store their indices in 16 bits with flags.
    pub const MOST_MEDIA: usize = (1 << 14) - 1;
}

impl ShadingScene {
    /// Returns the index of the triangle record of a hit, by which [`ShadingScene::record`] finds it; on an instance
    /// that shares a mesh, the hit's primitive.
    ///
    /// # Panics
    /// If there is no such instance.
    #[inline]
    pub fn triangle_of(&self, hit: &Hit, instance: u32) -> u32 {
        self.placements[instance as usize].first_triangle + hit.primitive
    }
}

/// Defines an enum whose variants are stored as `u32` tags.
macro_rules! tag {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// All variants, in the order of their tags.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the tag by which records store this variant.
            #[inline]
            pub const fn tag(self) -> u32 {
                self as u32
            }

            /// Returns the variant of the enum that has the number `tag` in records of the scene.
            ///
            /// # Panics
            /// If no variant has it, which [`crate::flat::ShadingScene::validate`] rules out.
            #[inline]
            pub fn of(tag: u32) -> Self {
                Self::ALL[tag as usize]
            }
        }
    };
}
pub(crate) use tag;
