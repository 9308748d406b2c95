//! Files of modelling programs, which are not read: how to get one that is.

use super::Format;
use super::format::extension;
use std::path::Path;

/// Table of file formats that are not read: their extensions in lower case, what such a file is, and how to convert it.
const PROGRAMS: [(&[&str], &str, &str); 16] = [
    (&["blend", "blend1"], "Blender's own file", "in Blender, File > Export > glTF 2.0 (.glb) writes one that is read"),
    (&["fbx"], "an FBX file", BLENDER),
    (
        &["dae"],
        "a COLLADA file",
        "Blender 4.5 and older read it, and their File > Export > glTF 2.0 (.glb) writes one that is read here; so does \
         `assimp export in.dae out.glb -fglb2`",
    ),
    (&["usdz", "usd", "usda", "usdc"], "a USD file", BLENDER),
    (&["abc"], "an Alembic file", BLENDER),
    (&["3ds", "x3d", "wrl", "vrml", "dxf"], "a file of another format", EXTENSION),
    (&["skp"], "SketchUp's own file", "in SketchUp, File > Export > 3D Model writes a .glb or .obj, which are read"),
    (&["max"], "3ds Max's own file", "in 3ds Max, File > Export writes a .gltf or .obj, which are read"),
    (&["ma", "mb"], "Maya's own file", "in Maya, File > Export All writes an .obj, which is read"),
    (&["c4d"], "Cinema 4D's own file", "in Cinema 4D, File > Export writes a glTF or OBJ file, which are read"),
    (&["ztl", "zpr"], "ZBrush's own file", "in ZBrush, Tool > Export writes an .obj, which is read"),
    (&["lwo", "lws"], "LightWave's own file", "in LightWave, an export to .obj is read"),
    (
        &["hip", "hipnc"],
        "Houdini's own file",
        "in Houdini, a glTF ROP or File SOP writes a .glb or .obj, which are read",
    ),
    (&["3dm"], "Rhino's own file", "in Rhino, File > Export Selected writes an .obj or .glb, which are read"),
    (
        &["step", "stp", "iges", "igs", "sldprt", "sldasm", "f3d", "fcstd", "ipt", "catpart", "x_t", "dwg"],
        "a file of a CAD program",
        "there, an export to .stl, .obj or .3mf is read; FreeCAD makes them of STEP and IGES files",
    ),
    (&["xml"], "an XML file, such as Mitsuba's", "a scene as .pbrt or .gltf is read"),
];
const BLENDER: &str =
    "Blender's File > Import reads it, and its File > Export > glTF 2.0 (.glb) writes one that is read here";

const EXTENSION: &str = "with an extension for this format (a part of it before 4.2) Blender reads it, and its File > \
    Export > glTF 2.0 (.glb) writes one that is read here";

/// Finds what a file with the extension of `path` is, and how to convert it.
fn known_kind(path: &Path) -> Option<(&'static str, &'static str)> {
    let ending = extension(path).to_ascii_lowercase();
    let known = PROGRAMS.iter().find(|(endings, ..)| endings.contains(&ending.as_str()));
    known.map(|&(_, what, advice)| (what, advice))
}

/// Returns the error message for a scene file whose extension is not supported.
pub(crate) fn unknown_kind(path: &Path) -> String {
    match known_kind(path) {
        Some((what, advice)) => format!("this is {what}, which is not read; {advice}"),
        None => format!(
            "unknown kind of scene; known are {}, also with .gz or .zst behind; \
             `LoadOptions::format` names the kind of other files",
            Format::list()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_modelling_programs_say_how_to_get_one_that_is_read() {
        let known = |name: &str| known_kind(Path::new(name));
        for (endings, what, advice) in PROGRAMS {
            for ending in endings {
                assert!(ending.parse::<Format>().is_err(), "{ending} is read");
                for name in [format!("a.{ending}"), format!("b/A.{}.gz", ending.to_uppercase())] {
                    let line = unknown_kind(Path::new(&name));
                    assert!(line.contains(what) && line.contains(advice), "{name}: {line}");
                    assert_eq!(known(&name), Some((what, advice)), "{name}");
                }
            }
            assert!(advice.contains("read"), "{advice}");
        }
        for name in ["a.blend", "a.fbx", "a.usdz", "a.dae", "a.skp", "a.usda", "a.usdc", "a.max", "a.mb", "a.3ds"] {
            assert!(known(name).is_some(), "{name}");
        }
        // What is none of Blender's own formats any more.
        assert!(known("a.dae").is_some_and(|(_, advice)| advice.contains("4.5")));
        for name in ["a.3ds", "a.x3d", "a.wrl", "a.dxf"] {
            assert!(known(name).is_some_and(|(_, advice)| advice == EXTENSION), "{name}");
        }
        assert_eq!(known("a.txt"), None);
        assert!(unknown_kind(Path::new("a.txt")).contains(&Format::list()));
    }
}
