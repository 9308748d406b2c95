//! Named viewpoints in a TOML file: an array of tables a scene, each with `eye`, `target`, `up` and
//! `vfov` (full vertical angle, degrees).

use raywarp_scene::Camera;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

/// Most bytes of a file of viewpoints.
const MAX_BYTES: u64 = 16 << 20;

/// One viewpoint as it stands in the file; other keys are left alone.
#[derive(Debug, Deserialize)]
struct View {
    eye: [f32; 3],
    target: [f32; 3],
    up: [f32; 3],
    vfov: f32,
}

/// Why a viewpoint cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Not `FILE:SCENE:INDEX`.
    #[error("\"{0}\" is not FILE:SCENE:INDEX, such as views.toml:sibenik:1")]
    Form(String),
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not as described.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        message: String,
    },
}

/// Loads the viewpoint that `FILE:SCENE:INDEX` names; INDEX counts from 1.
///
/// # Errors
/// [`ViewError`].
pub fn load_view(reference: &str) -> Result<Camera, ViewError> {
    let form = || ViewError::Form(reference.to_string());
    // From the right, since a path may hold colons.
    let mut parts = reference.rsplitn(3, ':');
    let (Some(index), Some(scene), Some(file)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(form());
    };
    let index: usize = index.parse().ok().filter(|&i| i >= 1).ok_or_else(form)?;
    let path = PathBuf::from(file);
    let read_error = |source| ViewError::Read { path: path.clone(), source };
    let mut text = String::new();
    // A device may never end.
    let mut file = std::fs::File::open(&path).map_err(read_error)?.take(MAX_BYTES + 1);
    file.read_to_string(&mut text).map_err(read_error)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(read_error(std::io::Error::other(format!("it has more than {MAX_BYTES} bytes"))));
    }
    let malformed = |message: String| ViewError::Malformed { path: path.clone(), message };
    let scenes: BTreeMap<String, Vec<View>> = toml::from_str(&text).map_err(|error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|&byte| byte == b'\n').count();
        malformed(format!("line {line}: {}", error.message().replace('\n', " ")))
    })?;
    let views = scenes.get(scene).ok_or_else(|| {
        let known: Vec<&str> = scenes.keys().map(String::as_str).collect();
        malformed(format!("no views of \"{scene}\"; there are {}", known.join(", ")))
    })?;
    let view =
        views.get(index - 1).ok_or_else(|| malformed(format!("\"{scene}\" has {} views, not {index}", views.len())))?;
    Camera::look_at(view.eye, view.target, view.up, view.vfov)
        .ok_or_else(|| malformed(format!("view {index} of \"{scene}\" does not look anywhere")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_found_and_faults_named() {
        let path = std::env::temp_dir().join(format!("raywarp-views-{}.toml", std::process::id()));
        let text = "[[room]]\neye = [0.0, 1.0, 5.0]\ntarget = [0.0, 1.0, 0.0]\nup = [0, 1, 0]\nvfov = 60\nhit = 1.0\n";
        std::fs::write(&path, text).unwrap();
        let at = |rest: &str| load_view(&format!("{}:{rest}", path.display()));
        assert_eq!(at("room:1").unwrap().forward, [0.0, 0.0, -1.0]);
        assert!(at("room:2").unwrap_err().to_string().contains("has 1 views, not 2"));
        assert!(at("hall:1").unwrap_err().to_string().contains("no views of \"hall\"; there are room"));
        assert!(matches!(at("room:0"), Err(ViewError::Form(_))));
        assert!(matches!(load_view("room"), Err(ViewError::Form(_))));
        assert!(matches!(load_view("/nowhere.toml:room:1"), Err(ViewError::Read { .. })));
        std::fs::write(&path, "[[room]]\neye = 3\n").unwrap();
        let error = at("room:1").unwrap_err().to_string();
        assert!(error.contains("line 2: ") && error.lines().count() == 1, "{error}");
        std::fs::remove_file(path).unwrap();
    }
}
