//! Scenes that a bench measures, with their viewpoints, and the errors that end one.

use crate::command::bench::args::BenchArgs;
use crate::common::{Common, is_standard_stream};
use crate::exit::CliError;
use crate::options::levels;
use crate::options::views::views;
use raywarp::scene::{Loaded, View, scene_name};
use raywarp_lab::bench::BenchError;
use std::path::{Path, PathBuf};

/// Returns the paths of the scenes, and records each as an input file. A name that is wrong shows before an hour is
/// spent on the others.
pub(super) fn name_scenes(args: &BenchArgs, common: &Common) -> Result<Vec<PathBuf>, CliError> {
    let scenes = args.scenes()?;
    for scene in &scenes {
        if is_standard_stream(scene) {
            if scenes.len() > 1 || args.simulate {
                let once = "standard input can be read only once: not with other scenes, nor with --simulate";
                return Err(CliError::usage(format!("{once}; name a file")));
            }
            common.files.reads(scene)?;
            continue;
        }
        let path = common.find(scene, raywarp::scene::Prefer::Geometry)?;
        common.files.reads(&path)?;
    }
    Ok(scenes)
}

/// Scene to measure, with the viewpoints that were asked for.
pub(super) struct Place {
    pub loaded: Loaded,
    pub path: PathBuf,
    pub name: String,
    /// Viewpoints, with their numbers.
    pub views: Vec<(usize, View)>,
}

impl Place {
    /// Loads a scene that the user named, and finds its viewpoints.
    pub fn find(args: &BenchArgs, common: &Common, scene: &Path) -> Result<Self, CliError> {
        let (loaded, path, _) = common.load(scene, args.allow_missing)?;
        levels::say_flattened(&loaded.scene, common);
        let name = scene_name(&path);
        let views = chosen(args, views(common, &loaded.scene, &name, args.view.as_deref())?, &name)?;
        Ok(Self { loaded, path, name, views })
    }
}

/// Returns the viewpoints that the user chose by number.
fn chosen<V>(args: &BenchArgs, all: Vec<(usize, V)>, scene: &str) -> Result<Vec<(usize, V)>, CliError> {
    let wanted = args.view_numbers();
    if let Some(missing) = wanted.iter().find(|&&number| all.iter().all(|(known, _)| *known != number)) {
        let count = all.len();
        return Err(CliError::usage(format!(
            "--views {missing}: {scene} has {count} view{}",
            if count == 1 { "" } else { "s" }
        )));
    }
    Ok(all.into_iter().filter(|(number, _)| wanted.is_empty() || wanted.contains(number)).collect())
}

/// Returns the error, with its exit status, for a scene that cannot be measured.
pub(super) fn failure(error: BenchError, scene: &Path) -> CliError {
    let message = format!("{}: {error}", scene.display());
    match error {
        BenchError::Cuda(_) | BenchError::Memory { .. } | BenchError::Trace(_) | BenchError::Embree(_) => {
            CliError::machine(message)
        }
        BenchError::Build(error) => CliError::usage(error),
        BenchError::Kernel(error) => CliError::usage(error),
        BenchError::Export(error) => CliError::output(error),
        _ => CliError::input(message),
    }
}
