//! Choices that a glTF file leaves to its user: scenes, animations and variants of materials, and the ones chosen.

/// Choice of what to load from a glTF file that holds several scenes, animations or material variants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GltfOptions {
    /// Name of the scene to load, or its number from 0; `None` for the file's default scene.
    pub scene: Option<String>,
    /// Name of the material variant (KHR_materials_variants), or its number from 0; `None` for the default materials.
    pub material_variant: Option<String>,
    /// Name of the animation to show, or its number from 0; `None` with a time for the first one.
    pub animation: Option<String>,
    /// Time in seconds at which the animation is shown; `None` for 0 if an animation is named, else for the file's own
    /// pose.
    pub at: Option<f64>,
}

/// Names of the scenes, animations and material variants that a file offers; an empty string where one has no name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Names of the file's scenes.
    pub scenes: Vec<String>,
    /// Index of the scene that was loaded; `None` where the file has no scenes.
    pub shown_scene: Option<usize>,
    /// Names of the file's animations, with their end times in seconds.
    pub animations: Vec<(String, f64)>,
    /// Names of the file's material variants.
    pub material_variants: Vec<String>,
}
