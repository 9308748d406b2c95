//! Scenes: the model that every importer fills, the importers, and where scenes and their viewpoints are found.

mod default_scene;
mod known_views;
mod made_of;
mod scene_path;
mod suggest;

pub use crate::placed::TwoLevels;
pub use default_scene::default_scene;
pub use known_views::KnownViews;
pub use made_of::{GLASS_IOR, MIRROR_REFLECTANCE, MadeOf, make_clay, make_of};
pub use raywarp_scene::views::{View, ViewError, ViewFault, Viewpoint, load_view, load_viewpoints, load_views};
pub use raywarp_scene::{
    Absorption, Alpha, Camera, CarPaint, Channel, Choices, ColorInput, Description, Emission, FaceMaterials, FaultKind,
    FilterKind, Format, FovAxis, GltfOptions, Image, ImageFilter, ImageId, ImportError, Instance, Invalid, LampReading,
    LampUnits, LampUnitsReason, Light, LightUnits, LoadError, LoadOptions, Loaded, Material, MaterialId, Medium,
    MediumId, MediumInterface, Mesh, MeshId, NormalInput, Pixels, Place, Principled, Projection, Roughness,
    RoughnessRemap, SamplerKind, ScalarInput, SceneOfFile, SceneRule, Settings, SpotFalloff, StandIns, Surface,
    SurfacePart, Texture, TextureId, UvMapping, Warning, WarningKind, WithoutTriangles, Wrap, escape, escape_but,
    flatten, load, load_from, load_image, srgb_to_linear, validate,
};
pub use scene_path::{FindError, LookedUp, Prefer, SceneLookup, find_scene, scene_name};
pub use suggest::closest_name;

/// What importers find and what ends an import, by format: the values in a [`WarningKind`] and in a [`FaultKind`].
pub mod findings {
    pub use raywarp_scene::{
        GltfFault, GltfWarning, ImageFault, MeshoptFault, MtlFinding, ObjFault, ObjWarning, OffFault, OffWarning,
        PackedFault, ParameterFault, PbrtFault, PbrtWarning, PlyFault, PlyWarning, StlFault, StlWarning, ThreeMfFault,
        ThreeMfWarning, ValuesFault, WrongFile,
    };
}
