//! The scene model: plain data with typed ids, the same whatever file it came from.
//!
//! Conventions: linear Rec. 709 RGB; lengths in scene units; directions away from the surface;
//! texture `v` grows downwards, row 0 of an image is `v = 0`.

mod camera;
mod image;
mod inputs;
mod light;
mod material;
mod medium;
mod settings;
mod texture;

pub use camera::{Camera, FovAxis, Projection};
pub(crate) use image::linear_from_srgb;
pub use image::{Image, Pixels, srgb_to_linear};
pub use light::{Light, SpotFalloff};
pub use material::{
    Alpha, CarPaint, ColorInput, Emission, Material, NormalInput, Principled, Roughness, RoughnessRemap, ScalarInput,
    Surface, SurfacePart,
};
pub use medium::{Absorption, Medium, MediumInterface};
pub use settings::{FilterKind, SamplerKind, Settings};
pub use texture::{Channel, ImageFilter, Texture, UvMapping, Wrap};

use raywarp_geom::{Affine, TriangleMesh};

/// Makes an index type, so that ids of different arrays cannot be confused.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the position in the array that it indexes.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/** Index in [`Description::meshes`]. */ MeshId);
id!(/** Index in [`Description::materials`]. */ MaterialId);
id!(/** Index in [`Description::media`]. */ MediumId);
id!(/** Index in [`Description::textures`]. */ TextureId);
id!(/** Index in [`Description::images`]. */ ImageId);

/// Description of a scene: all that a picture needs, as files say it. [`crate::validate`] says what holds for a loaded scene.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// Position in the file's coordinates of the scene's own zero. Everything in the scene is relative to it: the
    /// file's own position of a point is the origin and the point, added in f64. Zero but for files whose coordinates
    /// f32 does not hold well.
    pub origin: [f64; 3],
    /// Geometry in object space.
    pub meshes: Vec<Mesh>,
    /// Placements of meshes; hits name these by index.
    pub instances: Vec<Instance>,
    /// Numbers by which files of hits name the instances, where a file's parts are several instances (the objects of an
    /// OBJ file's material): for each, the number of its part and how many triangles of the part come before it. Empty
    /// where every instance is its own part.
    pub parts: Vec<(u32, u32)>,
    /// Materials that meshes and instances name.
    pub materials: Vec<Material>,
    /// Media that materials and cameras name.
    pub media: Vec<Medium>,
    /// Texture graph; a texture refers only to textures before it.
    pub textures: Vec<Texture>,
    /// Decoded images that textures name.
    pub images: Vec<Image>,
    /// Lights that are not emissive triangles.
    pub lights: Vec<Light>,
    /// Names of the lights in the file, by index; shorter where the last ones have none.
    pub light_names: Vec<String>,
    /// Cameras of the file, the one to use first.
    pub cameras: Vec<Camera>,
    /// Settings that the file asks of the renderer.
    pub settings: Settings,
}

/// A mesh and what its triangles are made of.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Name in the file, for messages; may be empty.
    pub name: String,
    /// Geometry in object space.
    pub triangles: TriangleMesh,
    /// Materials of the triangles.
    pub materials: FaceMaterials,
}

/// Materials of a mesh's triangles.
#[derive(Debug, Clone)]
pub enum FaceMaterials {
    /// The same material for all triangles.
    Uniform(MaterialId),
    /// One material a triangle.
    PerTriangle(Vec<MaterialId>),
}

impl FaceMaterials {
    /// Returns the material of triangle `index`.
    #[inline]
    pub fn get(&self, index: usize) -> MaterialId {
        match self {
            Self::Uniform(id) => *id,
            Self::PerTriangle(ids) => ids[index],
        }
    }
}

impl Default for FaceMaterials {
    fn default() -> Self {
        Self::Uniform(MaterialId(0))
    }
}

/// A placement of a mesh.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Mesh that is placed.
    pub mesh: MeshId,
    /// Transform from object to world space.
    pub transform: Affine,
    /// Material that replaces all those of the mesh here, if there is one.
    pub material: Option<MaterialId>,
}

impl Description {
    /// Returns the position in the file's coordinates of a point of the scene.
    #[inline]
    pub fn in_file(&self, point: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|i| f64::from(point[i]) + self.origin[i])
    }

    /// Returns the point of the scene that has a position in the file's coordinates: subtracted in f64, rounded once.
    #[inline]
    pub fn from_file(&self, position: [f64; 3]) -> [f32; 3] {
        std::array::from_fn(|i| (position[i] - self.origin[i]) as f32)
    }

    /// Returns the material of triangle `primitive` of instance `instance`.
    ///
    /// # Panics
    /// If an index is out of range.
    #[inline]
    pub fn material_of(&self, instance: usize, primitive: usize) -> MaterialId {
        let instance = &self.instances[instance];
        instance.material.unwrap_or_else(|| self.meshes[instance.mesh.index()].materials.get(primitive))
    }

    /// Returns the number of triangles of all instances together.
    pub fn triangle_count(&self) -> u64 {
        self.instances.iter().map(|i| self.meshes[i.mesh.index()].triangles.indices.len() as u64).sum()
    }

    /// Appends a mesh and returns its id.
    pub fn add_mesh(&mut self, mesh: Mesh) -> MeshId {
        self.meshes.push(mesh);
        MeshId(self.meshes.len() as u32 - 1)
    }

    /// Appends a material and returns its id.
    pub fn add_material(&mut self, material: Material) -> MaterialId {
        self.materials.push(material);
        MaterialId(self.materials.len() as u32 - 1)
    }

    /// Appends a medium and returns its id.
    pub fn add_medium(&mut self, medium: Medium) -> MediumId {
        self.media.push(medium);
        MediumId(self.media.len() as u32 - 1)
    }

    /// Appends a texture and returns its id.
    pub fn add_texture(&mut self, texture: Texture) -> TextureId {
        self.textures.push(texture);
        TextureId(self.textures.len() as u32 - 1)
    }

    /// Appends an image and returns its id.
    pub fn add_image(&mut self, image: Image) -> ImageId {
        self.images.push(image);
        ImageId(self.images.len() as u32 - 1)
    }
}
