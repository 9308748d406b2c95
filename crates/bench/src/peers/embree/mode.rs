//! The ways in which Embree can trace the same rays.

use raywarp_embree::{EmbreeOptions, Quality, RayWidth};

/// A mode in which Embree traces: tree options, rays per call, and coherence flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbreeMode {
    /// Options of the mode's Embree scene: build quality of its tree, and robust or fast tests.
    pub scene: EmbreeOptions,
    /// Number of rays of each call to Embree.
    pub width: RayWidth,
    /// `true` if Embree is told that the rays of a packet are coherent.
    pub coherent: bool,
}

impl EmbreeMode {
    /// Returns the scene options of all robust modes, or of all others.
    pub fn scenes(robust: bool) -> [EmbreeOptions; 2] {
        Quality::ALL.map(|quality| EmbreeOptions { robust, quality })
    }

    /// Returns the modes on one Embree scene: single rays, and packets with and without the coherence flag.
    pub fn of(scene: EmbreeOptions) -> impl Iterator<Item = Self> {
        const WAYS: [(RayWidth, bool); 5] = [
            (RayWidth::One, false),
            (RayWidth::Eight, false),
            (RayWidth::Eight, true),
            (RayWidth::Sixteen, false),
            (RayWidth::Sixteen, true),
        ];
        WAYS.into_iter().map(move |(width, coherent)| Self { scene, width, coherent })
    }
}

impl std::fmt::Display for EmbreeMode {
    /// Writes the mode as its rays per call, coherence flag and tree: `single, medium`, `8, high`, `16 coherent, high
    /// fast`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.width {
            RayWidth::One => f.write_str("single")?,
            width => write!(f, "{}{}", width.lanes(), if self.coherent { " coherent" } else { "" })?,
        }
        write!(f, ", {}{}", self.scene.quality.name(), if self.scene.robust { "" } else { " fast" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_a_name_of_its_own() {
        let scenes = [true, false].into_iter().flat_map(EmbreeMode::scenes);
        let mut names: Vec<String> = scenes.flat_map(EmbreeMode::of).map(|mode| mode.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 20);
        for name in ["single, medium", "8, high", "16 coherent, high fast"] {
            assert!(names.contains(&name.to_string()), "{names:?}");
        }
    }
}
