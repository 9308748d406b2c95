//! The groups that options stand in under `--help`. A test knows them too: `help_tests.rs`.

/// Heading in help texts of the options that choose what `simulate` simulates.
pub const MODE: &str = "Mode (give one)";
pub const OUTPUT: &str = "Output";
pub const QUALITY: &str = "Quality";
pub const CAMERA: &str = "Camera";
pub const LIGHT: &str = "Light and materials";
/// Heading in help texts of options for comparisons and measurements, which ordinary pictures don't need.
pub const STUDIES: &str = "For studies and comparisons";
pub const SCENE: &str = "Scene";
pub const TREE: &str = "Tree";
pub const RAYS: &str = "Rays";
pub const KERNELS: &str = "Kernels";
pub const TIMING: &str = "Timing";
pub const WITH_MACHINE: &str = "With --machine";
pub const WITH_EXPERIMENT: &str = "With --experiment";
pub const WITH_COMPACTION: &str = "With --experiment compaction";
pub const MACHINE: &str = "Machine";
pub const GENERAL: &str = "General";
