//! Names of files for pictures for which the user names none.

use raywarp_render::output::PictureFormat;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of a picture's file in the current folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureName {
    /// Path of the picture's file.
    pub path: PathBuf,
    /// File that the scene asks for, if its format is not written here, so that `path` is another.
    pub unwritten: Option<String>,
}

/// Returns the default file for a picture: what the scene file asks for (`asked`, a pbrt film's `filename`), else one
/// named after the scene, else `render.png`.
///
/// `scene` is what the user typed and the file that was found: of a file's name the kind is left out (`room.ply.gz`
/// gives `room.png`), a bare name is taken whole. Folders are left out, those of the scene and those that the file
/// asks for: they are of somebody else's machine. A share is an EXR.
///
/// # Examples
/// ```
/// use raywarp::render::picture_name;
/// use std::path::Path;
/// let name = |scene: &str, asked| picture_name(Some((Path::new(scene), Path::new(scene))), asked, false).path;
/// assert_eq!(name("models/room.gltf.gz", None), Path::new("room.png"));
/// assert_eq!(name("room.pbrt", Some("out/simple.exr")), Path::new("simple.exr"));
/// ```
pub fn picture_name(scene: Option<(&Path, &Path)>, asked: Option<&str>, is_share: bool) -> PictureName {
    let extension = if is_share { "exr" } else { "png" };
    if let Some(asked) = asked.and_then(last_part) {
        let path = PathBuf::from(asked);
        return match PictureFormat::of(&path) {
            Ok(PictureFormat::Exr) => PictureName { path, unwritten: None },
            Ok(_) if !is_share => PictureName { path, unwritten: None },
            Ok(_) => PictureName { path: path.with_extension(extension), unwritten: None },
            Err(_) => PictureName { path: path.with_extension(extension), unwritten: Some(asked.into()) },
        };
    }
    let mut name = scene.and_then(|(typed, found)| stem(typed, found)).unwrap_or_else(|| "render".into());
    // Not `with_extension`, which would take a part of "room.v2" away.
    name.push(".");
    name.push(extension);
    PictureName { path: name.into(), unwritten: None }
}

/// Returns the file name in a path that a scene file asks for, with separators of any system; `None` if it has none.
fn last_part(asked: &str) -> Option<&str> {
    let last = asked.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let is_name = !matches!(last, "" | "." | "..") && !last.chars().any(char::is_control);
    is_name.then_some(last)
}

/// Returns the scene's name without the extensions of its format.
fn stem(typed: &Path, found: &Path) -> Option<OsString> {
    // Standard input, a shell's "<(...)".
    if typed.as_os_str() == "-" || typed.starts_with("/dev") || typed.starts_with("/proc") {
        return None;
    }
    match typed.file_name() {
        Some(name) if found.file_name() != Some(name) => Some(name.to_os_string()),
        _ => {
            let name = Path::new(found.file_name()?);
            let is_packed =
                name.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz") || end.eq_ignore_ascii_case("zst"));
            let name = if is_packed { Path::new(name.file_stem()?) } else { name };
            // A file called `scene` says nothing that its folder does not say better.
            name.file_stem()
                .map(|stem| if stem == "scene" { crate::scene::scene_name(found).into() } else { stem.into() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, found: &str, asked: Option<&str>, want: &str) {
        let name = picture_name(Some((Path::new(typed), Path::new(found))), asked, false);
        assert_eq!(name.path, Path::new(want), "{typed}, {found}, {asked:?}");
    }

    #[test]
    fn a_picture_is_called_after_its_scene() {
        for (scene, want) in [
            ("room.pbrt", "room.png"),
            ("a/b/scene.gltf.gz", "scene.png"),
            ("../x.PLY.ZST", "x.png"),
            ("room.v2.ply", "room.v2.png"),
            ("./wood.png.obj", "wood.png.png"),
            (".ply", ".ply.png"),
            ("-", "render.png"),
            ("/dev/fd/63", "render.png"),
        ] {
            check(scene, scene, None, want);
        }
        check("room", "/scenes/room/scene.pbrt", None, "room.png");
        check("room.v2", "/scenes/room.v2/room.v2.ply.gz", None, "room.v2.png");
        check("room.ply", "/scenes/room.ply", None, "room.png");
        check("models/car/", "models/car/body.glb", None, "car.png");
        check("..", "../body.glb", None, "body.png");
        assert_eq!(picture_name(None, None, false).path, Path::new("render.png"));
        assert_eq!(picture_name(None, None, true).path, Path::new("render.exr"));
    }

    #[test]
    fn what_the_scene_asks_for_comes_first_but_for_its_folders() {
        for (asked, want) in [
            ("simple.exr", "simple.exr"),
            ("/home/them/out/simple.hdr", "simple.hdr"),
            ("C:\\out\\simple.PNG", "simple.PNG"),
            ("../../../etc/passwd", "passwd.png"),
            ("simple.tga", "simple.png"),
            ("simple", "simple.png"),
            ("", "room.png"),
            ("out/", "room.png"),
            ("..", "room.png"),
            ("a\nb.png", "room.png"),
        ] {
            check("room.pbrt", "room.pbrt", Some(asked), want);
        }
        assert_eq!(picture_name(None, Some("simple.tga"), false).unwritten, Some("simple.tga".into()));
        assert_eq!(picture_name(None, Some("simple.exr"), false).unwritten, None);
    }

    #[test]
    fn a_share_is_an_exr() {
        let scene = Path::new("room.pbrt");
        for (asked, want) in
            [(None, "room.exr"), (Some("a.png"), "a.exr"), (Some("a.exr"), "a.exr"), (Some("a"), "a.exr")]
        {
            assert_eq!(picture_name(Some((scene, scene)), asked, true).path, Path::new(want), "{asked:?}");
        }
    }
}
