//! Named viewpoints in a TOML file: an array of tables a scene, each with `eye`, `target`, `up` and
//! `vfov` (full vertical angle, degrees), and `ao_radius` (scene units) where a paper gives one.

use crate::Camera;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest number of bytes of a file of viewpoints.
const MAX_BYTES: u64 = 16 << 20;

/// Viewpoint of a scene: a camera and the benchmark's length of ambient occlusion rays.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Camera of the viewpoint.
    pub camera: Camera,
    /// Length of ambient occlusion rays in the papers' benchmark, in scene units, above 0.
    pub ao_radius: Option<f32>,
}

/// Viewpoint in the coordinates of a scene's file, before an origin is subtracted.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewpoint {
    eye: [f64; 3],
    target: [f64; 3],
    up: [f32; 3],
    vfov: f32,
    /// Camera of the viewpoint with its eye at zero.
    own: Camera,
}

impl Viewpoint {
    /// Makes the viewpoint from `eye` towards `target` in the file's coordinates, with vertical field of view `vfov` in
    /// degrees. `None` where that is no direction ([`Camera::look_at`]).
    pub fn new(eye: [f64; 3], target: [f64; 3], up: [f32; 3], vfov: f32) -> Option<Self> {
        let ahead = std::array::from_fn(|i| (target[i] - eye[i]) as f32);
        Some(Self { eye, target, up, vfov, own: Camera::look_at([0.0; 3], ahead, up, vfov)? })
    }

    /// Returns the viewpoint's camera in a scene whose origin is `origin`.
    pub fn camera(&self, origin: [f64; 3]) -> Camera {
        let near = |position: [f64; 3]| std::array::from_fn(|i| (position[i] - origin[i]) as f32);
        let eye = near(self.eye);
        // Where rounding leaves no direction, the eye's own view has one.
        let seen = Camera::look_at(eye, near(self.target), self.up, self.vfov);
        seen.unwrap_or_else(|| Camera { eye, ..self.own.clone() })
    }
}

/// Entry of a file of viewpoints; other keys of it are ignored.
#[derive(Debug, Deserialize)]
struct Entry {
    eye: [f64; 3],
    target: [f64; 3],
    up: [f32; 3],
    vfov: f32,
    ao_radius: Option<f32>,
}

/// Errors of loading a viewpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The reference to a viewpoint is not of the form `FILE:SCENE:INDEX`.
    #[error("\"{0}\" is not FILE:SCENE:INDEX, such as views.toml:sibenik:1")]
    Form(String),
    /// The file of viewpoints cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// File that cannot be read.
        path: PathBuf,
        /// Error that the operating system gave.
        source: std::io::Error,
    },
    /// The file has no viewpoints of the scene.
    #[error("{}: no views of \"{scene}\"; there are {}", path.display(), known.join(", "))]
    Unknown {
        /// File that was searched.
        path: PathBuf,
        /// Name of the scene that was asked for.
        scene: String,
        /// Names of the scenes that the file has viewpoints of.
        known: Vec<String>,
    },
    /// The file violates the format of viewpoints.
    #[error("{}: {fault}", path.display())]
    Malformed {
        /// File that violates the format.
        path: PathBuf,
        /// What is wrong, and where.
        fault: ViewFault,
    },
}

/// Fault of a file of viewpoints; viewpoints count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ViewFault {
    #[error("line {line}: {error}")]
    Toml { line: usize, error: String },
    #[error("\"{scene}\" has {found} views, not {wanted}")]
    TooFew { scene: String, found: usize, wanted: usize },
    #[error("view {index} of \"{scene}\" does not look anywhere")]
    Nowhere { scene: String, index: usize },
    #[error("view {index} of \"{scene}\" has ao_radius {radius}; it must be above 0")]
    Radius { scene: String, index: usize, radius: f32 },
}

/// Loads the viewpoint that a reference `FILE:SCENE:INDEX` names; INDEX counts from 1.
///
/// # Errors
/// [`ViewError`].
pub fn load_view(reference: &str) -> Result<Viewpoint, ViewError> {
    let form = || ViewError::Form(reference.to_string());
    // From the right, since a path may hold colons.
    let mut parts = reference.rsplitn(3, ':');
    let (Some(index), Some(scene), Some(file)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(form());
    };
    let index: usize = index.parse().ok().filter(|&i| i >= 1).ok_or_else(form)?;
    let path = Path::new(file);
    let entries = entries(path, scene)?;
    let entry = entries.get(index - 1).ok_or_else(|| {
        let fault = ViewFault::TooFew { scene: scene.into(), found: entries.len(), wanted: index };
        ViewError::Malformed { path: path.to_path_buf(), fault }
    })?;
    Ok(view(path, scene, index, entry)?.0)
}

/// Loads all viewpoints of a scene as cameras in the file's coordinates, in the file's order.
///
/// # Errors
/// [`ViewError`], also when any of the scene's viewpoints looks nowhere.
pub fn load_views(path: &Path, scene: &str) -> Result<Vec<View>, ViewError> {
    let all = load_viewpoints(path, scene)?.into_iter();
    Ok(all.map(|(view, ao_radius)| View { camera: view.camera([0.0; 3]), ao_radius }).collect())
}

/// Loads all viewpoints of a scene, each with its length of ambient occlusion rays if the file gives one, in the file's
/// order.
///
/// # Errors
/// As [`load_views`].
pub fn load_viewpoints(path: &Path, scene: &str) -> Result<Vec<(Viewpoint, Option<f32>)>, ViewError> {
    entries(path, scene)?.iter().enumerate().map(|(i, entry)| view(path, scene, i + 1, entry)).collect()
}

/// Reads a scene's entries from a file of viewpoints.
fn entries(path: &Path, scene: &str) -> Result<Vec<Entry>, ViewError> {
    let read_error = |source| ViewError::Read { path: path.to_path_buf(), source };
    let mut text = String::new();
    // A device may never end.
    let mut file = std::fs::File::open(path).map_err(read_error)?.take(MAX_BYTES + 1);
    file.read_to_string(&mut text).map_err(read_error)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(read_error(std::io::Error::other(format!("it has more than {MAX_BYTES} bytes"))));
    }
    let mut scenes: BTreeMap<String, Vec<Entry>> = toml::from_str(&text).map_err(|error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|&byte| byte == b'\n').count();
        let fault = ViewFault::Toml { line, error: error.message().replace('\n', " ") };
        ViewError::Malformed { path: path.to_path_buf(), fault }
    })?;
    scenes.remove(scene).ok_or_else(|| {
        let known = scenes.keys().cloned().collect();
        ViewError::Unknown { path: path.to_path_buf(), scene: scene.to_string(), known }
    })
}

fn view(path: &Path, scene: &str, index: usize, entry: &Entry) -> Result<(Viewpoint, Option<f32>), ViewError> {
    let malformed = |fault| ViewError::Malformed { path: path.to_path_buf(), fault };
    let view = Viewpoint::new(entry.eye, entry.target, entry.up, entry.vfov)
        .ok_or_else(|| malformed(ViewFault::Nowhere { scene: scene.into(), index }))?;
    if let Some(radius) = entry.ao_radius.filter(|radius| !(*radius > 0.0 && radius.is_finite())) {
        return Err(malformed(ViewFault::Radius { scene: scene.into(), index, radius }));
    }
    Ok((view, entry.ao_radius))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file(name: &str, text: &str, test: impl FnOnce(&Path)) {
        let folder = raywarp_testing::Folder::new();
        let path = folder.path().join(format!("{name}.toml"));
        std::fs::write(&path, text).unwrap();
        test(&path);
    }

    #[test]
    fn views_are_found_and_faults_named() {
        let text = "[[room]]\neye = [0.0, 1.0, 5.0]\ntarget = [0.0, 1.0, 0.0]\nup = [0, 1, 0]\nvfov = 60\nhit = 1.0\n";
        with_file("found", text, |path| {
            let at = |rest: &str| load_view(&format!("{}:{rest}", path.display()));
            assert_eq!(at("room:1").unwrap().camera([0.0; 3]).forward, [0.0, 0.0, -1.0]);
            let far = at("room:1").unwrap().camera([1.0, 2.0, 3.0]);
            assert_eq!((far.eye, far.forward), ([-1.0, -1.0, 2.0], [0.0, 0.0, -1.0]));
            let few = ViewFault::TooFew { scene: "room".into(), found: 1, wanted: 2 };
            assert!(matches!(at("room:2"), Err(ViewError::Malformed { fault, .. }) if fault == few));
            let missing = at("hall:1").unwrap_err();
            assert!(
                matches!(&missing, ViewError::Unknown { scene, known, .. } if scene == "hall" && *known == ["room"]),
                "{missing:?}"
            );
            assert!(matches!(at("room:0"), Err(ViewError::Form(_))));
            assert!(matches!(load_view("room"), Err(ViewError::Form(_))));
            assert!(matches!(load_view("/nowhere.toml:room:1"), Err(ViewError::Read { .. })));
            std::fs::write(path, "[[room]]\neye = 3\n").unwrap();
            let error = at("room:1").unwrap_err();
            assert!(matches!(&error, ViewError::Malformed { fault: ViewFault::Toml { line: 2, .. }, .. }), "{error}");
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        });
    }

    #[test]
    fn all_views_of_a_scene_come_in_order_with_their_radius() {
        let at =
            |eye: &str, more: &str| format!("[[s]]\neye = {eye}\ntarget = [0,0,0]\nup = [0,1,0]\nvfov = 60\n{more}");
        let text = at("[1,0,0]", "") + &at("[0,0,2]", "ao_radius = 5.0\n");
        with_file("order", &text, |path| {
            let views = load_views(path, "s").unwrap();
            assert_eq!(views.iter().map(|v| v.camera.eye).collect::<Vec<_>>(), [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]);
            assert_eq!(views.iter().map(|v| v.ao_radius).collect::<Vec<_>>(), [None, Some(5.0)]);
        });
        for bad in ["0.0", "-1", "nan", "inf"] {
            with_file(bad, &at("[1,0,0]", &format!("ao_radius = {bad}\n")), |path| {
                let error = load_views(path, "s").unwrap_err();
                let ViewError::Malformed { fault: ViewFault::Radius { scene, index: 1, .. }, .. } = error else {
                    panic!("{error}")
                };
                assert_eq!(scene, "s");
            });
        }
    }

    #[test]
    fn every_benchmark_scene_has_five_views() {
        let Some(path) = raywarp_testing::scene_file("views.toml") else { return };
        for scene in ["sibenik", "crytek_sponza", "conference", "kitchen", "bathroom2", "san_miguel"] {
            let views = load_views(&path, scene).unwrap();
            assert_eq!(views.len(), 5, "{scene}");
            assert!(views.iter().all(|v| v.ao_radius == (scene == "sibenik").then_some(5.0)), "{scene}");
        }
    }
}
