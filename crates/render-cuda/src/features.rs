//! The features of a scene, which say what kernels it needs.

use crate::sources::{FeatureSet, ShadingClass};
use raywarp_render::ShadingScene;
use raywarp_render::flat::{MaterialFlags, MaterialKind, MaterialRecord, NONE};

impl FeatureSet {
    /// Returns the smallest feature set that covers everything in the scene.
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

impl ShadingClass {
    /// Returns the shading class of a material, by the same rule as kernels/stage/shading_class.h.
    pub fn of(material: &MaterialRecord) -> Self {
        if material.has(MaterialFlags::CHOOSES) {
            return Self::Mixed;
        }
        match material.kind() {
            MaterialKind::Diffuse | MaterialKind::DiffuseTransmission | MaterialKind::Mirror | MaterialKind::Unlit => {
                Self::Simple
            }
            MaterialKind::Blinn | MaterialKind::Conductor => Self::Metal,
            MaterialKind::Dielectric | MaterialKind::Invisible => Self::Glass,
            // Without a choice it has no glass.
            MaterialKind::Coated | MaterialKind::Principled => Self::Layered,
            MaterialKind::CarPaint | MaterialKind::Mix => Self::Mixed,
        }
    }
}

/// Features of a scene that decide which kernels render it, and what is stored of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneFeatures {
    /// Smallest feature set that covers the scene.
    pub set: FeatureSet,
    /// `true` if some of the scene's surfaces have holes (cut-outs).
    pub holes: bool,
    /// Shading classes of the scene's materials, with [`ShadingClass::Simple`] for misses; empty where one kernel
    /// shades the whole feature set.
    pub classes: Vec<ShadingClass>,
}

impl SceneFeatures {
    /// Determines the features of a scene.
    pub fn of(scene: &ShadingScene) -> Self {
        let set = FeatureSet::of(scene);
        let occurs = |class: &ShadingClass| {
            *class == ShadingClass::Simple
                || scene.materials.iter().any(|material| ShadingClass::of(material) == *class)
        };
        let all: &[_] = if set == FeatureSet::Surfaces { &ShadingClass::ALL } else { &[] };
        Self { set, holes: !scene.all_opaque, classes: all.iter().copied().filter(occurs).collect() }
    }

    /// Returns the shading class of all that paths meet, or [`ShadingClass::Mixed`] if there are several or holes,
    /// whose kernel shades paths unsorted.
    pub(crate) fn only_class(&self) -> ShadingClass {
        match self.classes[..] {
            [class] if !self.holes => class,
            _ => ShadingClass::Mixed,
        }
    }

    /// Returns `true` if paths are sorted by shading class: if there are several, or if rays may pass holes first.
    pub fn is_sorted(&self) -> bool {
        self.classes.len() > 1 || (self.holes && !self.classes.is_empty())
    }
}
