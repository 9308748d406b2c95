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
mod parameters;
mod settings;
mod texture;

pub use camera::{Camera, FovAxis, Projection};
pub(crate) use image::linear_from_srgb;
pub use image::{Image, Pixels, srgb_to_linear};
pub use light::{Light, SpotFalloff};
pub use material::{Alpha, CarPaint, Emission, Material, NormalInput, Principled, Surface, SurfacePart};
pub use medium::{Absorption, Medium, MediumInterface};
pub use parameters::{ColorInput, Roughness, RoughnessRemap, ScalarInput};
pub use settings::{FilterKind, SamplerKind, Settings};
pub use texture::{Channel, ImageFilter, Texture, UvMapping, Wrap};

use raywarp_geom::{Affine, TriangleMesh};

/// Declares an index type, so that ids of different arrays cannot be confused.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id as an index into its array.
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

/// Description of a scene as files give it: geometry, materials, textures, lights, cameras and settings.
/// [`crate::validate`] says what holds for a loaded scene.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// Origin of the scene: the position in the file's coordinates of the scene's own zero. Everything in the scene is
    /// relative to it: the file's own position of a point is the origin and the point, added in f64. Zero but for files
    /// whose coordinates f32 does not hold well.
    pub origin: [f64; 3],
    /// Meshes in object space, which instances place.
    pub meshes: Vec<Mesh>,
    /// Instances of meshes; hits name them by index.
    pub instances: Vec<Instance>,
    /// Numbers under which files of hits name the instances, where a part in the file became several. An example are
    /// the objects of an OBJ file's material. For each instance, the number of its part and how many triangles of the
    /// part come before it. Empty where every instance is its own part.
    pub parts: Vec<(u32, u32)>,
    /// Materials that meshes and instances refer to.
    pub materials: Vec<Material>,
    /// Media that materials and cameras refer to.
    pub media: Vec<Medium>,
    /// Texture graph; a texture refers only to textures before it.
    pub textures: Vec<Texture>,
    /// Decoded images that textures and lights refer to.
    pub images: Vec<Image>,
    /// Lights other than emissive triangles.
    pub lights: Vec<Light>,
    /// Names of the lights in the file, by index; shorter than `lights` where the last ones have none.
    pub light_names: Vec<String>,
    /// Cameras of the file, the one to be used by default first.
    pub cameras: Vec<Camera>,
    /// Render settings that the file asks for.
    pub settings: Settings,
}

/// Mesh with the materials of its triangles.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Name of the mesh in the file, for messages; may be empty.
    pub name: String,
    /// Geometry in object space.
    pub triangles: TriangleMesh,
    /// Material of each triangle.
    pub materials: FaceMaterials,
}

/// Materials of a mesh's triangles, one for all or one for each.
#[derive(Debug, Clone)]
pub enum FaceMaterials {
    /// One material for all triangles.
    Uniform(MaterialId),
    /// One material for each triangle.
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

/// Instance of a mesh: its placement in the world.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Mesh that the instance places.
    pub mesh: MeshId,
    /// Transform from object to world space.
    pub transform: Affine,
    /// Material that replaces those of the mesh in this instance, if there is one.
    pub material: Option<MaterialId>,
}

impl Description {
    /// Converts a point of the scene to the file's coordinates, by adding the origin in f64.
    #[inline]
    pub fn in_file(&self, point: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|i| f64::from(point[i]) + self.origin[i])
    }

    /// Converts a position in the file's coordinates to a point of the scene, subtracting the origin in f64.
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
