//! The option that chooses how many levels of trees a scene has, which several commands share.

use crate::common::Common;
use crate::device::DeviceChoice;
use crate::exit::CliError;
use crate::heading;
use clap::{Args, ValueEnum};
use raywarp::Levels;
use raywarp::scene::{Description, TwoLevels};

/// Flags about the levels of a scene's trees.
#[derive(Debug, Args)]
pub struct LevelsArgs {
    /// Levels of trees: one over every placement's triangles, or two, which keep a mesh once.
    ///
    /// Results are the same, but for --integrator cost. auto takes two on the CPU where one does not fit into memory;
    /// and where two take at most half of the memory of one, and that is 4 GiB, or half of what is free, or takes
    /// longer to build than a picture's rays take longer. GPUs, --variant, bench and simulate take one.
    #[arg(long, value_enum, default_value_t = LevelsArg::Auto, hide_possible_values = true, value_name = "auto|one|two", help_heading = heading::SCENE)]
    levels: LevelsArg,
}

/// Levels that `--levels` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LevelsArg {
    /// One or two, by memory and time.
    Auto,
    /// The flattened scene.
    One,
    /// Meshes once, and placements.
    Two,
}

impl LevelsArgs {
    /// Returns the levels for the library.
    pub fn levels(&self) -> Levels {
        match self.levels {
            LevelsArg::Auto => Levels::Auto,
            LevelsArg::One => Levels::One,
            LevelsArg::Two => Levels::Two,
        }
    }

    /// Refuses two levels on GPUs that are named.
    pub fn check(&self, device: &DeviceChoice) -> Result<(), CliError> {
        if self.levels == LevelsArg::Two && device.names_gpus() {
            return Err(CliError::usage(format!(
                "--levels two with --device {device}: GPUs trace one level of trees; leave one of them out"
            )));
        }
        Ok(())
    }

    /// Refuses two levels for a kernel that is named.
    pub fn check_variant(&self, is_named: bool) -> Result<(), CliError> {
        if self.levels == LevelsArg::Two && is_named {
            return Err(CliError::usage(
                "--levels two with --variant: kernels of the family walk one level of trees; leave one of them out",
            ));
        }
        Ok(())
    }
}

/// Says that a scene is flattened for kernels of the family, if it places a mesh more than once: none of them enters
/// instances.
pub fn say_flattened(scene: &Description, common: &Common) {
    let mut meshes: Vec<u32> = scene.instances.iter().map(|instance| instance.mesh.0).collect();
    meshes.sort_unstable();
    meshes.dedup();
    let (placed, meshes) = (scene.instances.len(), meshes.len());
    if placed > meshes {
        let plural = if meshes == 1 { "" } else { "es" };
        common.note(format!(
            "{placed} placements of {meshes} mesh{plural} are flattened to {} triangles: the papers' kernels walk one \
             level of trees",
            scene.triangle_count()
        ));
    }
}

/// Says how many trees two levels have, and of what.
pub fn words(sizes: &TwoLevels) -> String {
    let TwoLevels { trees, tree_triangles, placements } = *sizes;
    format!("two levels: {trees} trees of {tree_triangles} triangles, {placements} placements")
}
