//! Finding and loading Embree.

use crate::EmbreeError;
use crate::api::Api;
use libloading::Library as Loaded;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// File names by which the system's loader is asked for Embree.
#[cfg(target_os = "macos")]
const NAMES: [&str; 2] = ["libembree4.4.dylib", "libembree4.dylib"];
#[cfg(windows)]
const NAMES: [&str; 1] = ["embree4.dll"];
#[cfg(not(any(target_os = "macos", windows)))]
const NAMES: [&str; 2] = ["libembree4.so.4", "libembree4.so"];

/// Loaded Embree library with its functions.
#[derive(Clone, Copy)]
pub struct Library {
    pub(crate) api: &'static Api,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    /// Loads the library from `place`, a file or a folder such as a wheel's `embreex.libs`, or from where the system
    /// finds it if `None`.
    ///
    /// It stays loaded until the process ends.
    ///
    /// # Errors
    /// [`EmbreeError`] of a library that is not there, cannot be loaded or lacks a function. Its version is checked by
    /// [`EmbreeDevice::new`](crate::EmbreeDevice::new).
    pub fn load(place: Option<&Path>) -> Result<Self, EmbreeError> {
        let files: Vec<PathBuf> = match place {
            Some(folder) if folder.is_dir() => vec![inside(folder)?],
            Some(file) => vec![file.to_path_buf()],
            None => NAMES.map(PathBuf::from).to_vec(),
        };
        let mut why = String::new();
        for file in &files {
            match open(file) {
                Ok(loaded) => return Self::of(loaded, &file.display().to_string()),
                Err(error) => why = reason(&error),
            }
        }
        Err(EmbreeError::NotFound { tried: files.iter().map(|file| file.display().to_string()).collect(), why })
    }

    fn of(loaded: Loaded, file: &str) -> Result<Self, EmbreeError> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the field that takes it has the type that Embree 4's documentation gives this function.
                *unsafe { loaded.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|_| EmbreeError::Symbol { file: file.to_string(), name: $name })?
            };
        }
        let api = Api {
            new_device: function!("rtcNewDevice"),
            release_device: function!("rtcReleaseDevice"),
            device_error: function!("rtcGetDeviceError"),
            // SAFETY: as above.
            last_message: unsafe { loaded.get(b"rtcGetDeviceLastErrorMessage\0") }.ok().map(|symbol| *symbol),
            device_property: function!("rtcGetDeviceProperty"),
            new_scene: function!("rtcNewScene"),
            release_scene: function!("rtcReleaseScene"),
            set_scene_flags: function!("rtcSetSceneFlags"),
            set_scene_quality: function!("rtcSetSceneBuildQuality"),
            commit_scene: function!("rtcCommitScene"),
            new_geometry: function!("rtcNewGeometry"),
            release_geometry: function!("rtcReleaseGeometry"),
            new_buffer: function!("rtcSetNewGeometryBuffer"),
            commit_geometry: function!("rtcCommitGeometry"),
            attach_geometry: function!("rtcAttachGeometry"),
            intersect1: function!("rtcIntersect1"),
            intersect8: function!("rtcIntersect8"),
            intersect16: function!("rtcIntersect16"),
            occluded1: function!("rtcOccluded1"),
            occluded8: function!("rtcOccluded8"),
            occluded16: function!("rtcOccluded16"),
        };
        // Never unloaded: threads of its task scheduler outlive devices and would return into nothing.
        std::mem::forget(loaded);
        Ok(Self { api: Box::leak(Box::new(api)) })
    }
}

/// Returns the reason that the system's loader gave, which the error's own text leaves out.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or(error.to_string(), ToString::to_string)
}

/// Finds the Embree library among the files of a folder.
fn inside(folder: &Path) -> Result<PathBuf, EmbreeError> {
    let is_it = |name: &str| name.starts_with("libembree4") || name == "embree4.dll";
    let found = files_named(folder, is_it).into_iter().next();
    found.ok_or_else(|| EmbreeError::EmptyFolder { folder: folder.to_path_buf() })
}

/// Returns the sorted paths of those files in a folder whose name satisfies `is_it`.
fn files_named(folder: &Path, is_it: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(&is_it);
    let mut files: Vec<PathBuf> = entries.filter(name).collect();
    files.sort();
    files
}

#[cfg(unix)]
fn open(file: &Path) -> Result<Loaded, libloading::Error> {
    use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
    // A wheel keeps its task scheduler beside it, under a name that the loader looks for only there.
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        for scheduler in files_named(folder, |name| name.starts_with("libtbb-")) {
            // SAFETY: loading runs its initialisers, which is what whoever names the library beside it asks for.
            std::mem::forget(unsafe { UnixLibrary::open(Some(scheduler), RTLD_NOW | RTLD_GLOBAL) }?);
        }
    }
    // SAFETY: loading runs the initialisers of Embree, as the caller asks; it has no other effect.
    unsafe { UnixLibrary::open(Some(file), RTLD_NOW | RTLD_LOCAL) }.map(Loaded::from)
}

#[cfg(not(unix))]
fn open(file: &Path) -> Result<Loaded, libloading::Error> {
    // SAFETY: loading runs the initialisers of Embree, as the caller asks; it has no other effect.
    unsafe { Loaded::new(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_named_with_the_systems_reason() {
        let error = Library::load(Some(Path::new("no/such/libembree4.so"))).unwrap_err();
        let EmbreeError::NotFound { tried, why } = &error else { panic!("{error}") };
        assert_eq!(tried, &["no/such/libembree4.so"]);
        assert!(!why.is_empty());
    }

    #[test]
    fn a_folder_without_the_library_is_named() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let error = Library::load(Some(&folder)).unwrap_err();
        assert_eq!(error, EmbreeError::EmptyFolder { folder: folder.clone() });
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(matches!(Library::load(Some(&file)), Err(EmbreeError::NotFound { .. })));
    }
}
