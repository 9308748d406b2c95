//! Choices that a glTF file leaves to its user: scenes, animations and variants of materials, and the ones chosen.

/// The parts of a glTF file to show, where it holds several scenes, animations or looks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GltfOptions {
    /// The scene to show, by its name or else its number from 0; `None`: the one that the file shows.
    pub scene: Option<String>,
    /// The variant of materials (KHR_materials_variants), by its name or else its number from 0; `None`: the materials
    /// that the file shows without one.
    pub material_variant: Option<String>,
    /// The animation to show, by its name or else its number from 0; `None` with a time: the first.
    pub animation: Option<String>,
    /// Seconds at which animations stop; `None`: at 0 where an animation is named, else the file's own pose.
    pub at: Option<f64>,
}

/// The scenes, animations and looks that a file offers; an empty name is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Names of the scenes.
    pub scenes: Vec<String>,
    /// Number of the scene that is shown; `None` where the file has no scenes.
    pub shown_scene: Option<usize>,
    /// Names of the animations, and their ends in seconds.
    pub animations: Vec<(String, f64)>,
    /// Names of the variants of materials.
    pub material_variants: Vec<String>,
}
