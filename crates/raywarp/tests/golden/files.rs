//! Small files of each kind, which prove that importers and renderer mean the same.

use raywarp::scene::Description;
use std::path::Path;

/// A file by its path from the folder of all crates.
fn load(path: &str) -> Description {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path);
    raywarp::scene::load(&path, &Default::default()).unwrap_or_else(|error| panic!("{error}")).scene
}

/// Sixteen materials with extensions, three lights, a mirrored copy.
pub fn gltf() -> Description {
    load("scene/tests/data/feature_grid.glb")
}

pub fn pbrt3() -> Description {
    load("scene/tests/data/pbrt/v3_features.pbrt")
}

pub fn pbrt4() -> Description {
    load("scene/tests/data/pbrt/v4_features.pbrt")
}

/// Materials of several `illum`, a lamp by `Ke`, a texture with an option, negative indices.
pub fn obj() -> Description {
    load("raywarp/tests/golden/scenes/corner.obj")
}
