//! Sets of features that kernels are compiled for, and which of them a scene needs.

use raywarp_render::ShadingScene;
use raywarp_render::flat::{MaterialKind, NONE};

/// What can occur in the scenes that a kernel is for; kernels/features.h says what each set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// Diffuse surfaces of constant colours without holes, lit by surfaces and environments.
    Plain,
    /// All materials and textures; no media.
    Surfaces,
    /// Anything.
    Everything,
}

impl FeatureSet {
    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Surfaces, Self::Everything];

    /// In names of kernels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Surfaces => "surfaces",
            Self::Everything => "everything",
        }
    }

    /// In kernels/features.h.
    pub(crate) const fn cpp_name(self) -> &'static str {
        match self {
            Self::Plain => "Plain",
            Self::Surfaces => "Surfaces",
            Self::Everything => "Everything",
        }
    }

    /// The smallest set that holds all of a scene.
    pub fn of(scene: &ShadingScene) -> Self {
        if !scene.media.is_empty() {
            return Self::Everything;
        }
        let plain = |kind| matches!(kind, MaterialKind::Diffuse | MaterialKind::Unlit);
        let is_plain = scene.all_opaque
            && scene.inputs.iter().all(|input| !input.is_textured())
            && scene.materials.iter().all(|m| plain(m.kind()) && m.normal == NONE && m.alpha == NONE);
        if is_plain { Self::Plain } else { Self::Surfaces }
    }
}
