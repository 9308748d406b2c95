//! The viewpoints of a scene.

use crate::common::Common;
use crate::exit::CliError;
use raywarp::scene::{Description, View, Viewpoint, load_viewpoints};
use std::path::{Path, PathBuf};

/// Returns the file part of `FILE:SCENE:INDEX`, if there is one.
pub fn view_file(view: &str) -> Option<PathBuf> {
    view.rsplitn(3, ':').nth(2).map(PathBuf::from)
}

/// Records the files that [`views`] may read, so that no output replaces them.
pub fn name_inputs(common: &Common, named: Option<&str>) -> Result<(), CliError> {
    let of_folder = common.lookup().folder.map(|folder| folder.join("views.toml"));
    named.and_then(view_file).iter().chain(&of_folder).try_for_each(|file| common.files.reads(file))?;
    Ok(())
}

/// Returns the viewpoints with their numbers: the named one (`FILE:SCENE:INDEX`), else those in the folder's
/// views.toml, else the scene's camera, else one that frames its box.
pub fn views(
    common: &Common,
    scene: &Description,
    scene_name: &str,
    named: Option<&str>,
) -> Result<Vec<(usize, View)>, CliError> {
    let camera = |camera| vec![(1, View { camera, ao_radius: None })];
    if let Some(view) = named {
        let form = |error| CliError::usage(format!("--view {error}"));
        let (file, rest) =
            view.rsplit_once(':').ok_or_else(|| form(raywarp::scene::ViewError::Form(view.to_string())))?;
        let one = raywarp::scene::load_view(view).map_err(|error| match error {
            raywarp::scene::ViewError::Form(_) => form(error),
            other => CliError::input(other),
        })?;
        // The scene's other figures stand beside the viewpoint.
        let radius = file.rsplit_once(':').and_then(|(path, scene)| load_viewpoints(Path::new(path), scene).ok());
        let index: usize = rest.parse().unwrap_or(1);
        let ao_radius = radius.and_then(|views| views.get(index.wrapping_sub(1)).and_then(|(_, radius)| *radius));
        return Ok(vec![(index, View { camera: one.camera(scene.origin), ao_radius })]);
    }
    if let Some(file) = common.lookup().folder.map(|folder| folder.join("views.toml")).filter(|file| file.exists()) {
        match load_viewpoints(&file, scene_name) {
            Ok(views) => {
                let view = |(view, ao_radius): (Viewpoint, _)| View { camera: view.camera(scene.origin), ao_radius };
                return Ok((1..).zip(views.into_iter().map(view)).collect());
            }
            Err(error @ raywarp::scene::ViewError::Read { .. }) => return Err(CliError::input(error)),
            Err(_) => common.note(format!("{}: no views of {scene_name}", file.display())),
        }
    }
    if let Some(own) = scene.cameras.first() {
        return Ok(camera(own.clone()));
    }
    common.note("no views and no camera: the scene is framed by its bounding box");
    Ok(camera(raywarp::render::frame_bounds(&raywarp::scene::flatten(scene).map_err(CliError::input)?.bounds())))
}
