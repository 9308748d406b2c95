//! The features of a scene, which say what kernels it needs.

use crate::sources::{FeatureSet, ShadingClass};
use raywarp_render::ShadingScene;
use raywarp_render::flat::{MaterialFlags, MaterialKind, MaterialRecord, NONE};

impl FeatureSet {
    /// Finds the smallest set that holds all of a scene.
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
    /// Returns the class of a material, as kernels/stage/shading_class.h does.
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

/// Features of a scene that decide which kernels render it, and what they keep of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneFeatures {
    /// The smallest set that holds all of it.
    pub set: FeatureSet,
    /// `true` if some of its surfaces have holes.
    pub holes: bool,
    /// Classes of its materials, and [`ShadingClass::Simple`] for misses; none where its set has one kernel.
    pub classes: Vec<ShadingClass>,
}

impl SceneFeatures {
    /// Finds the features of a scene.
    pub fn of(scene: &ShadingScene) -> Self {
        let set = FeatureSet::of(scene);
        let occurs = |class: &ShadingClass| {
            *class == ShadingClass::Simple
                || scene.materials.iter().any(|material| ShadingClass::of(material) == *class)
        };
        let all: &[_] = if set == FeatureSet::Surfaces { &ShadingClass::ALL } else { &[] };
        Self { set, holes: !scene.all_opaque, classes: all.iter().copied().filter(occurs).collect() }
    }

    /// Returns the class of all that its paths meet, or [`ShadingClass::Mixed`]: whose kernel shades it unsorted.
    pub(crate) fn only_class(&self) -> ShadingClass {
        match self.classes[..] {
            [class] if !self.holes => class,
            _ => ShadingClass::Mixed,
        }
    }

    /// Returns `true` if paths are sorted by class: where there are several, and where holes are passed before.
    pub fn is_sorted(&self) -> bool {
        self.classes.len() > 1 || (self.holes && !self.classes.is_empty())
    }
}
