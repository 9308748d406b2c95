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
mod shapes;
mod texture;
mod triangle;
mod validate;

pub use crate::bsdf::MaterialKind;
pub use bytes::ShadingBytes;
pub(crate) use image::srgb_to_linear;
pub use image::{Image, Texels};
pub use lengths::normalize;
pub(crate) use lengths::{LEAST_LENGTH, MOST_LENGTH, length, scale_of, try_normalize};
pub use light::{DISK_SECTORS, EnvironmentRecord, LightKind, LightRecord, SPHERE_COLUMNS, SPHERE_ROWS, SpotRamp};
pub use material::{Input, InputChannel, MaterialFlags, MaterialRecord, MediumRecord, Remap};
pub use octahedral::{UnitCode, decode_unit, encode_unit};
pub(crate) use shapes::{Shape, cell_triangles, shape, triangle};
pub use texture::{ImageLookup, ProgramRecord, TextureKind, TextureOp, Wrapping};
pub use triangle::{AttributeRecord, ColorRecord, PlacementRecord, TriangleRecord};
pub use validate::InvalidShading;

use raywarp_geom::Hit;
use raywarp_sample::warp::AliasCell;

/// Index that stands for nothing.
pub const NONE: u32 = u32::MAX;

/// A scene as the stages of the path tracer read it; see the [module](self).
#[derive(Debug, Clone, Default)]
pub struct ShadingScene {
    /// World-space triangles, placement by placement.
    pub triangles: Vec<TriangleRecord>,
    /// Texture coordinates and tangents of the triangles whose materials look at them.
    pub attributes: Vec<AttributeRecord>,
    /// Vertex colours of the triangles whose materials look at them.
    pub colors: Vec<ColorRecord>,
    /// Triangles of each instance, by the instance of a hit.
    pub placements: Vec<PlacementRecord>,
    /// Materials; parts of a mixture come before it.
    pub materials: Vec<MaterialRecord>,
    /// Colours, numbers and textures that materials take as inputs.
    pub inputs: Vec<Input>,
    /// Media that materials and cameras name; none where nothing absorbs. At most [`ShadingScene::MOST_MEDIA`].
    pub media: Vec<MediumRecord>,
    /// Textures, as ranges of `texture_ops`.
    pub programs: Vec<ProgramRecord>,
    /// Steps of all textures.
    pub texture_ops: Vec<TextureOp>,
    /// Images, in their own pixel formats.
    pub images: Vec<Image>,
    /// Lights that connections are made to.
    pub lights: Vec<LightRecord>,
    /// Choice of one of the lights: as many cells as lights, or none where no light has power.
    pub light_choice: Vec<AliasCell>,
    /// Environments, which send radiance from infinitely far.
    pub environments: Vec<EnvironmentRecord>,
    /// Tables of the environments, as [`raywarp_sample::warp::DensityTables`] has them.
    pub tables: Vec<u32>,
    /// `true` if no material has holes.
    pub all_opaque: bool,
}

impl ShadingScene {
    /// Largest number of media: a path carries their numbers in 16 bits each.
    pub const MOST_MEDIA: usize = (1 << 14) - 1;
}

impl ShadingScene {
    /// Returns the index of the triangle of a hit.
    ///
    /// # Panics
    /// If there is no such instance.
    #[inline]
    pub fn triangle_of(&self, hit: &Hit, instance: u32) -> u32 {
        self.placements[instance as usize].first_triangle + hit.primitive
    }

    /// Returns the triangle of a hit, and its material.
    #[inline]
    pub fn surface_of(&self, hit: &Hit, instance: u32) -> (&TriangleRecord, &MaterialRecord) {
        let triangle = &self.triangles[self.triangle_of(hit, instance) as usize];
        (triangle, &self.materials[triangle.material() as usize])
    }
}

/// Defines an enum that is stored as a `u32` tag.
macro_rules! tag {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// All variants, by tag.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the tag that records have.
            #[inline]
            pub const fn tag(self) -> u32 {
                self as u32
            }

            /// Returns the meaning of a tag.
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
