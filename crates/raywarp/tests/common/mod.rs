//! Finding shared scenes and rendering them.

use raywarp::device::Plan;
use raywarp::render::{Picture, PictureRequest, Prepared, RenderContext, Rendered};

/// Loads a scene, clay if asked, and prepares it.
pub fn prepare(path: &std::path::Path, clay: Option<f32>) -> Prepared {
    let loaded = raywarp::scene::load(path, &Default::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut scene = loaded.scene;
    if let Some(reflectance) = clay {
        raywarp::scene::make_clay(&mut scene, reflectance);
    }
    Prepared::new(scene, &Plan::default()).unwrap()
}

pub fn render(prepared: &mut Prepared, request: &PictureRequest) -> Rendered {
    let picture = Picture::settle(prepared, request).unwrap();
    prepared.render(&picture.camera, &picture.options, RenderContext::default()).unwrap()
}
