//! From what a user types to a scene file.

use std::path::{Path, PathBuf};

/// Where bare scene names are looked up.
#[derive(Debug, Clone, Default)]
pub struct SceneLookup {
    /// Folder with a folder for each scene (`--scenes`, or the variable `RAYWARP_SCENES`).
    pub folder: Option<PathBuf>,
}

/// The file that `name` means: the path itself if a file is there (a folder of that name is none); else,
/// in the lookup folder, `NAME/NAME.*`, `NAME/scene.*` or `NAME.*` with a known extension, in this
/// order; else the name as it is, so that the loader's message names it.
pub fn find_scene(name: &Path, lookup: &SceneLookup) -> PathBuf {
    let Some(folder) = lookup.folder.as_ref().filter(|_| !name.is_file()) else {
        return name.to_path_buf();
    };
    if folder.join(name).is_file() {
        return folder.join(name);
    }
    let stem = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    const KINDS: [&str; 8] = ["pbrt", "gltf", "glb", "obj", "ply", "stl", "off", "3mf"];
    const PACKED: [&str; 3] = ["", ".gz", ".zst"];
    let inside = folder.join(name);
    let candidates = [inside.join(&stem), inside.join("scene"), inside.join(stem.replace('_', "-")), inside];
    let files = candidates.iter().flat_map(|base| {
        KINDS.iter().flat_map(move |kind| {
            PACKED.iter().map(move |packed| PathBuf::from(format!("{}.{kind}{packed}", base.display())))
        })
    });
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| name.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_names_are_found_in_the_folder() {
        let root = std::env::temp_dir().join(format!("raywarp-scene-path-{}", std::process::id()));
        std::fs::create_dir_all(root.join("room")).unwrap();
        std::fs::write(root.join("room/room.ply.gz"), "").unwrap();
        let lookup = SceneLookup { folder: Some(root.clone()) };
        assert_eq!(find_scene(Path::new("room"), &lookup), root.join("room/room.ply.gz"));
        std::fs::write(root.join("room/scene.pbrt"), "").unwrap();
        assert_eq!(find_scene(Path::new("room/scene.pbrt"), &lookup), root.join("room/scene.pbrt"));
        // The folder itself, as where the program runs beside it.
        std::fs::remove_file(root.join("room/scene.pbrt")).unwrap();
        assert_eq!(find_scene(&root.join("room"), &lookup), root.join("room/room.ply.gz"));
        assert_eq!(find_scene(Path::new("garden"), &lookup), Path::new("garden"));
        assert_eq!(find_scene(Path::new("room"), &SceneLookup::default()), Path::new("room"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
