//! Which kernels a scene needs.

use crate::sources::FeatureSet;
use raywarp_render::ShadingScene;
use raywarp_render::flat::{MaterialKind, NONE};

impl FeatureSet {
    /// The smallest set that holds all of a scene.
    pub fn of(scene: &ShadingScene) -> Self {
        if !scene.media.is_empty() {
            return Self::Everything;
        }
        let plain = |kind| matches!(kind, MaterialKind::Diffuse);
        let is_plain = scene.all_opaque
            && scene.inputs.iter().all(|input| !input.is_textured())
            && scene.materials.iter().all(|m| plain(m.kind()) && m.normal == NONE && m.alpha == NONE);
        if is_plain { Self::Plain } else { Self::Surfaces }
    }
}
