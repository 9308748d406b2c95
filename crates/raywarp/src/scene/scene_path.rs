//! The search for a scene file by what a user types.

use crate::scene::closest_name;
use std::fmt;
use std::path::{Path, PathBuf};

/// Extensions of scene files that may hold materials; those that hold geometry alone are listed after them.
const WITH_MATERIALS: [&str; 5] = ["pbrt", "gltf", "glb", "obj", "3mf"];
const GEOMETRY: [&str; 3] = ["ply", "stl", "off"];
/// Extensions of compressed files, which may follow a scene file's own extension; empty for none.
const PACKED: [&str; 3] = ["", ".gz", ".zst"];

/// Folder in which bare scene names are looked up.
#[derive(Debug, Clone, Default)]
pub struct SceneLookup {
    /// Folder that has a folder for each scene (the command also knows the variable
    /// `RAYWARP_SCENES`). An empty name is none.
    pub folder: Option<PathBuf>,
}

/// Choice among a scene's files where its folder holds several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefer {
    /// Prefers the file with materials, for pictures.
    #[default]
    Materials,
    /// Prefers the file named like the scene, mostly bare geometry: for tracing rays, whose recorded rates are of it.
    Geometry,
}

/// Error of finding the scene file that a name means.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// There is no file or scene of this name.
    #[error("no file {}{looked}{}", .name.display(), question(.near.as_deref()))]
    NotFound {
        /// Name that the user typed.
        name: PathBuf,
        /// Where else the name was looked for.
        looked: LookedUp,
        /// Name that the user may have meant.
        near: Option<PathBuf>,
    },
    /// A folder has the name of a scene file, but holds no scene.
    #[error("{} is a folder, and holds no scene file", .folder.display())]
    NoScene {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// The folder holds several scene files, so that one of them must be named.
    #[error("{} holds {count} scene files, such as {}; name one of them", .folder.display(), some.join(" and "))]
    Several {
        /// Path of the folder.
        folder: PathBuf,
        /// Number of scene files in it.
        count: usize,
        /// Names of the first two scene files.
        some: Vec<String>,
    },
}

/// Place where a name was looked for besides the name itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookedUp {
    /// The name was looked for nowhere else: it is a path.
    Nowhere,
    /// A bare name was looked for nowhere else, since no scenes folder is known.
    WithoutFolder,
    /// A path was looked for in the scenes folder.
    Path(PathBuf),
    /// A bare name was looked for among the scenes of the scenes folder.
    Scene(PathBuf),
}

impl fmt::Display for LookedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => Ok(()),
            Self::WithoutFolder => f.write_str("; scenes are found by name in `SceneLookup::folder`"),
            Self::Path(folder) => write!(f, ", nor in {}", folder.display()),
            Self::Scene(folder) => write!(f, ", nor a scene of that name in {}", folder.display()),
        }
    }
}

/// Returns the question if `near` was meant, as the end of a message.
fn question(near: Option<&Path>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean {}?", near.display()))
}

impl SceneLookup {
    /// Returns the scenes folder, unless its name is empty.
    fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().filter(|folder| !folder.as_os_str().is_empty())
    }
}

/// Finds the scene file that `name` means: a file, a folder with a scene, or a bare name in the scenes folder.
///
/// 1. The path itself, if there is anything but a folder.
/// 2. A scene in the folder `name`, or beside it (`models/bunny` means `models/bunny.ply.gz`): `NAME/NAME.*`,
///    `NAME/scene.*` or `NAME.*` with a known ending. With [`Prefer::Materials`] a file with materials comes before
///    one without; with [`Prefer::Geometry`] one of the folder's name comes first.
/// 3. The same in the lookup folder, and there `*/NAME.*`, if it is the only one.
/// 4. The only scene file in the folder `name`.
///
/// # Errors
/// [`FindError`], which names what is most like `name`.
pub fn find_scene(name: &Path, lookup: &SceneLookup, prefer: Prefer) -> Result<PathBuf, FindError> {
    // A pipe or a device is for the loader to judge, and so is `-`, standard input.
    if name.as_os_str() == "-" || name.metadata().is_ok_and(|data| !data.is_dir()) {
        return Ok(name.to_path_buf());
    }
    let places: Vec<PathBuf> =
        [Some(name.to_path_buf()), lookup.folder().map(|folder| folder.join(name))].into_iter().flatten().collect();
    for place in &places {
        if place.is_file() {
            return Ok(place.clone());
        }
        if let Some(found) = named_in(place, prefer) {
            return Ok(found);
        }
    }
    let bare = name.components().count() == 1;
    if let Some(folder) = lookup.folder().filter(|_| bare)
        && let [only] = &one_down(folder, name, prefer)[..]
    {
        return Ok(only.clone());
    }
    for place in places.iter().filter(|place| place.is_dir()) {
        let mut scenes: Vec<String> = entries(place).into_iter().filter(|entry| ending(entry).is_some()).collect();
        // A scene in two forms, packed or not, is one.
        scenes.sort();
        match &scenes[..] {
            [] => {}
            [only] => return Ok(place.join(only)),
            several => {
                let some = several.iter().take(2).cloned().collect();
                return Err(FindError::Several { folder: place.clone(), count: several.len(), some });
            }
        }
    }
    if name.is_dir() && name.file_name().is_some_and(|typed| ending(&typed.to_string_lossy()).is_some()) {
        return Err(FindError::NoScene { folder: name.into() });
    }
    Err(not_found(name, lookup))
}

/// Returns the name of the scene at `path`, for looking up viewpoints and naming pictures: the file's name without
/// extensions, or for `scene.*` that of its folder.
pub fn scene_name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split('.').next().unwrap_or_default();
    match folder_name(path.parent()) {
        Some(folder) if stem == "scene" => folder,
        _ => stem.to_string(),
    }
}

/// Returns the last part of a folder's canonical path (`.` has one too).
pub(crate) fn folder_name(folder: Option<&Path>) -> Option<String> {
    let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    let real = folder.canonicalize().ok()?;
    Some(real.file_name()?.to_string_lossy().into_owned())
}

/// Finds the scene file in the folder `place`, or the file of that name with a known extension.
fn named_in(place: &Path, prefer: Prefer) -> Option<PathBuf> {
    let mut bases = Vec::new();
    if place.is_dir() {
        let name = folder_name(Some(place)).unwrap_or_default();
        bases.extend([place.join(&name), place.join("scene"), place.join(name.replace('_', "-"))]);
    }
    if place.file_name().is_some() {
        bases.push(place.to_path_buf());
    }
    let all: Vec<&str> = WITH_MATERIALS.into_iter().chain(GEOMETRY).collect();
    let rounds: &[&[&str]] = match prefer {
        Prefer::Materials => &[&WITH_MATERIALS, &GEOMETRY],
        Prefer::Geometry => &[&all],
    };
    let files = rounds.iter().flat_map(|kinds| {
        bases.iter().flat_map(move |base| {
            kinds.iter().flat_map(move |kind| {
                PACKED.iter().map(move |packed| {
                    let mut file = base.clone().into_os_string();
                    file.push(format!(".{kind}{packed}"));
                    PathBuf::from(file)
                })
            })
        })
    });
    files.into_iter().find(|file| file.is_file())
}

/// Finds scenes called `name` in the subfolders of `folder`, sorted.
fn one_down(folder: &Path, name: &Path, prefer: Prefer) -> Vec<PathBuf> {
    let below = entries(folder).into_iter().map(|entry| folder.join(entry)).filter(|path| path.is_dir());
    below.filter_map(|path| named_in(&path.join(name), prefer)).collect()
}

/// Lists the file and folder names in a folder, sorted, without hidden ones and names that are not UTF-8.
fn entries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> =
        names.filter_map(|name| name.into_string().ok()).filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

/// Returns the part of a scene file's name before its known extensions; `None` if it has none.
fn ending(name: &str) -> Option<&str> {
    let plain = PACKED[1..].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    let (stem, kind) = plain.rsplit_once('.')?;
    let kind = kind.to_ascii_lowercase();
    WITH_MATERIALS.iter().chain(&GEOMETRY).any(|known| *known == kind).then_some(stem)
}

/// Returns the error for a name without a file, with a suggestion: a file beside it, or a scene of the scenes folder.
fn not_found(name: &Path, lookup: &SceneLookup) -> FindError {
    let parent = name.parent().filter(|parent| !parent.as_os_str().is_empty());
    let typed = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = parent.unwrap_or(Path::new(""));
    let is_file = ending(&typed).is_some();
    let mut known = scenes_of(Path::new("."), beside, is_file);
    let mut looked = LookedUp::Nowhere;
    match lookup.folder() {
        Some(_) if name.is_absolute() => {}
        Some(folder) if is_file || parent.is_some() => {
            looked = LookedUp::Path(folder.into());
            known.extend(scenes_of(folder, beside, is_file));
        }
        Some(folder) => {
            looked = LookedUp::Scene(folder.into());
            for entry in entries(folder) {
                let path = folder.join(&entry);
                if named_in(&path, Prefer::Materials).is_some() {
                    known.push((entry.clone(), PathBuf::from(&entry)));
                } else if path.is_dir() {
                    // A folder of scenes, each known by its own name.
                    let stems = entries(&path);
                    known.extend(stems.iter().filter_map(|e| ending(e)).map(|stem| (stem.into(), stem.into())));
                }
            }
        }
        None if !is_file && parent.is_none() => {
            looked = LookedUp::WithoutFolder;
        }
        None => {}
    }
    let near = closest_name(&typed, known.iter().map(|(name, _)| name.as_str()))
        .and_then(|near| known.iter().find(|(name, _)| name == near))
        .map(|(_, path)| path.clone());
    FindError::NotFound { name: name.into(), looked, near }
}

/// Lists the scenes in `beside`, a subfolder of `folder`, with what to type for each. Whoever typed no ending may mean
/// a file without its own.
fn scenes_of(folder: &Path, beside: &Path, is_file: bool) -> Vec<(String, PathBuf)> {
    let within = folder.join(beside);
    let mut known = Vec::new();
    for entry in entries(&within) {
        let path = within.join(&entry);
        match ending(&entry) {
            Some(stem) if !is_file && !path.is_dir() => known.push((stem.to_string(), beside.join(stem))),
            Some(_) if !path.is_dir() => known.push((entry.clone(), beside.join(entry))),
            _ if path.is_dir() && named_in(&path, Prefer::Materials).is_some() => {
                known.push((entry.clone(), beside.join(entry)));
            }
            _ => {}
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Folder;

    /// Scene files of nothing in a temporary folder, among which names are looked up.
    struct Scenes(Folder);

    impl Scenes {
        fn new(files: &[&str]) -> Self {
            Self(Folder::with_files(files.iter().map(|file| (file, ""))))
        }

        fn root(&self) -> PathBuf {
            self.0.path().to_path_buf()
        }

        fn lookup(&self) -> SceneLookup {
            SceneLookup { folder: Some(self.root()) }
        }

        /// Returns the file that `name` means, relative to the test's folder.
        #[track_caller]
        fn find(&self, name: &str, prefer: Prefer) -> String {
            self.short(&find_scene(Path::new(name), &self.lookup(), prefer).unwrap())
        }

        fn short(&self, path: &Path) -> String {
            path.strip_prefix(&self.0).unwrap_or(path).display().to_string()
        }

        /// Returns why nothing is found by `name`.
        #[track_caller]
        fn miss(&self, name: &str) -> FindError {
            find_scene(Path::new(name), &self.lookup(), Prefer::Materials).unwrap_err()
        }

        /// Returns the error of a bare name that is no scene of the test's folder.
        fn no_scene(&self, name: &str, near: Option<&str>) -> FindError {
            not_found(name, LookedUp::Scene(self.root()), near.map(PathBuf::from))
        }

        /// Returns the error of a path that is not in the test's folder either.
        fn no_path(&self, name: &str, near: Option<&str>) -> FindError {
            not_found(name, LookedUp::Path(self.root()), near.map(PathBuf::from))
        }
    }

    fn not_found(name: impl Into<PathBuf>, looked: LookedUp, near: Option<PathBuf>) -> FindError {
        FindError::NotFound { name: name.into(), looked, near }
    }

    #[test]
    fn names_are_found_with_what_is_wanted_first() {
        let folder = Scenes::new(&[
            "room/room.ply.gz",
            "room/scene.pbrt",
            "bmw_m6/bmw-m6.pbrt",
            "models/bunny.ply.gz",
            "models/cow.obj",
        ]);
        let by_name = |name, prefer| folder.find(name, prefer);
        assert_eq!(by_name("room", Prefer::Materials), "room/scene.pbrt");
        assert_eq!(by_name("room", Prefer::Geometry), "room/room.ply.gz");
        assert_eq!(by_name("room/room.ply.gz", Prefer::Materials), "room/room.ply.gz");
        assert_eq!(by_name("bmw_m6", Prefer::Materials), "bmw_m6/bmw-m6.pbrt");
        assert_eq!(by_name("models/bunny", Prefer::Materials), "models/bunny.ply.gz");
        assert_eq!(by_name("bunny", Prefer::Materials), "models/bunny.ply.gz");
        let some = ["bunny.ply.gz", "cow.obj"].map(String::from).to_vec();
        assert_eq!(folder.miss("models"), FindError::Several { folder: folder.root().join("models"), count: 2, some });
        // The folder itself, without any lookup.
        let path = folder.0.path().join("room");
        let found = |prefer| folder.short(&find_scene(&path, &SceneLookup::default(), prefer).unwrap());
        assert_eq!(found(Prefer::Materials), "room/scene.pbrt");
        assert_eq!(found(Prefer::Geometry), "room/room.ply.gz");
    }

    #[test]
    fn a_name_in_two_folders_is_no_name_and_an_only_file_is_the_folder() {
        let folder = Scenes::new(&["a/bunny.ply", "b/bunny.ply", "c/anything.glb", "c/readme.txt"]);
        assert!(matches!(folder.miss("bunny"), FindError::NotFound { looked: LookedUp::Scene(_), .. }));
        assert_eq!(folder.find("c", Prefer::Materials), "c/anything.glb");
    }

    #[test]
    fn who_mistypes_hears_what_is_near() {
        let folder = Scenes::new(&["sibenik/sibenik.ply.gz", "kitchen/scene.pbrt", "models/bunny.ply.gz"]);
        assert_eq!(folder.miss("sibenk"), folder.no_scene("sibenk", Some("sibenik")));
        assert_eq!(folder.miss("bunnny"), folder.no_scene("bunnny", Some("bunny")));
        assert_eq!(folder.miss("garden"), folder.no_scene("garden", None));
        let file = folder.root().join("sibenik/sibenik.ply");
        let lookup = SceneLookup { folder: Some(PathBuf::new()) };
        let miss = |path: &Path| find_scene(path, &lookup, Prefer::Materials).unwrap_err();
        let near = folder.root().join("sibenik/sibenik.ply.gz");
        assert_eq!(miss(&file), not_found(&file, LookedUp::Nowhere, Some(near)));
        // A folder is no file, whatever its name.
        std::fs::create_dir_all(folder.0.path().join("parts.obj")).unwrap();
        let [parts, part] = ["parts.obj", "part.obj"].map(|name| folder.root().join(name));
        assert_eq!(miss(&parts), FindError::NoScene { folder: parts.clone() });
        assert_eq!(miss(&part), not_found(&part, LookedUp::Nowhere, None));
        // An empty folder's name is none.
        let eden = Path::new("garden-of-eden");
        assert_eq!(miss(eden), not_found(eden, LookedUp::WithoutFolder, None));
    }

    #[test]
    fn who_mistypes_a_path_hears_what_is_near_in_the_lookup_folder() {
        let folder = Scenes::new(&["models/bunny.ply.gz", "gltf/DamagedHelmet.glb", "rooms/attic/scene.pbrt"]);
        for (typed, near) in [
            ("models/buny", Some("models/bunny")),
            ("models/bunny.obj.gz", Some("models/bunny.ply.gz")),
            ("gltf/DamagedHelmt.glb", Some("gltf/DamagedHelmet.glb")),
            ("rooms/atic", Some("rooms/attic")),
            ("models/garden", None),
        ] {
            assert_eq!(folder.miss(typed), folder.no_path(typed, near));
        }
        // What is proposed is found.
        assert_eq!(folder.find("models/bunny", Prefer::Materials), "models/bunny.ply.gz");
    }

    #[test]
    fn a_scene_is_called_after_its_file_or_its_folder() {
        let folder = Scenes::new(&["kitchen/scene.pbrt", "kitchen/kitchen.ply.gz"]);
        assert_eq!(scene_name(&folder.0.path().join("kitchen/scene.pbrt")), "kitchen");
        assert_eq!(scene_name(&folder.0.path().join("kitchen/kitchen.ply.gz")), "kitchen");
        assert_eq!(scene_name(Path::new("bunny.ply.gz")), "bunny");
    }
}
