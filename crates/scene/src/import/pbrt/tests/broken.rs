//! Input that is wrong: an error with file and line, never a panic.

use super::*;
use crate::import::pbrt::fuzz_pbrt;

#[test]
fn broken_files_are_errors_that_name_file_and_line() {
    let many = |text: &str, n: usize| text.repeat(n);
    let t = TRIANGLE.trim_end();
    for (text, line, part) in [
        ("Sphere".to_string(), 1, "unknown directive Sphere"),
        ("\n\"float x\" 3".into(), 2, "expected a directive"),
        ("\n]".into(), 2, "expected a directive, found ]"),
        ("3".into(), 1, "expected a directive, found 3"),
        ("WorldBegin\nShape".into(), 2, "ends before the text"),
        ("WorldBegin\nShape Translate".into(), 2, "needs a text in quotes, found Translate"),
        ("WorldBegin\nShape \"sphere\" \"float radius".into(), 2, "no closing quote"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" [1".into(), 2, "closing ]"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" \"1\"".into(), 2, "do not fit"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" [1 2]".into(), 2, "expected one number, found 2"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" 0".into(), 2, "must be above 0"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" -1".into(), 2, "must be above 0"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" 1e39".into(), 2, "too large"),
        ("WorldBegin\nShape \"sphere\" \"float radius\" nan".into(), 2, "expected a value, found nan"),
        ("WorldBegin\nShape \"sphere\" \"string radius\" \"x\"".into(), 2, "expected a number, found Text"),
        (
            "WorldBegin\nShape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 nan 0]".into(),
            2,
            "vertex 2 is not finite: [0.0, NaN, 0.0]",
        ),
        ("WorldBegin\nShape \"trianglemesh\" \"point3 P\" [0 0 0 1e39 0 0 0 0 0]".into(), 2, "vertex 1 is not finite"),
        ("WorldBegin\nShape \"trianglemesh\" \"normal N\" [0 0 nan]".into(), 2, "expected a value, found nan"),
        (
            "WorldBegin\nShape \"bilinearmesh\" \"point3 P\" [0 0 0 1 0 0 -inf 1 0 1 1 0]".into(),
            2,
            "vertex 2 is not finite",
        ),
        ("-nan".into(), 1, "unknown directive -nan"),
        ("WorldBegin\nShape \"trianglemesh\"".into(), 2, "needs points \"P\""),
        ("WorldBegin\nShape \"trianglemesh\" \"point P\" [0 0]".into(), 2, "multiple of 3"),
        ("WorldBegin\nShape \"trianglemesh\" \"point P\" [0 0 0 1 1 1]".into(), 2, "needs \"indices\""),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1]"), 2, "multiple of 3"),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 3]"), 2, "index 3, but there are 3 vertices"),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 -1]"), 2, "index -1"),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 1.5]"), 2, "index 1.5"),
        ("WorldBegin\nShape \"loopsubdiv\" \"point P\" [0 0 0]".into(), 2, "needs \"indices\""),
        (
            format!(
                "WorldBegin\n{} \"integer indices\" [0 1 2] \"integer levels\" 17",
                t.replace("trianglemesh", "loopsubdiv")
            ),
            2,
            "from 0 to 16",
        ),
        (
            format!(
                "WorldBegin\n{} \"integer indices\" [0 1 2] \"integer levels\" 16",
                t.replace("trianglemesh", "loopsubdiv")
            ),
            2,
            "becomes 4294967296 triangles",
        ),
        ("WorldBegin\nShape \"bilinearmesh\" \"point P\" [0 0 0]".into(), 2, "needs \"indices\""),
        ("WorldBegin\nShape \"plymesh\"".into(), 2, "filename"),
        ("\nTranslate 1 2".into(), 2, "Translate needs 3 numbers, found the end of the file after 2"),
        ("\nTranslate 1 2 Scale".into(), 2, "found Scale after 2"),
        ("\nTransform [1 2 3]".into(), 2, "found ] after 3"),
        ("\nTransform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1]".into(), 2, "where ] should be"),
        ("\nTransform [1 0 0 .5 0 1 0 0 0 0 1 0 0 0 0 1]".into(), 2, "projective"),
        ("\nLookAt 0 0 0 0 0 0 0 1 0".into(), 2, "the eye is at the target"),
        ("\nLookAt 0 0 0 0 0 1 0 0 1".into(), 2, "parallel"),
        ("\nRotate 30 0 0 0".into(), 2, "no length"),
        (many("Scale 1e200 1 1\n", 2), 2, "overflows"),
        (format!("Scale 1e30 1e30 1e30\nScale 1e30 1 1 WorldBegin Scale 1e39 1 1\n{t}"), 3, "overflows"),
        ("WorldBegin\nWorldBegin".into(), 2, "second WorldBegin"),
        ("\nWorldEnd".into(), 2, "WorldEnd without WorldBegin"),
        ("WorldBegin\nAttributeEnd".into(), 2, "AttributeEnd without AttributeBegin"),
        ("WorldBegin\nAttributeBegin\n\n".into(), 2, "AttributeBegin is never closed"),
        (
            "WorldBegin\nAttributeBegin\nTransformEnd".into(),
            3,
            "TransformEnd where the AttributeBegin of line 2 is open",
        ),
        ("WorldBegin AttributeBegin\nWorldEnd".into(), 2, "is open"),
        ("WorldBegin ObjectBegin \"a\"\nObjectBegin \"b\"".into(), 2, "objects do not nest"),
        ("WorldBegin ObjectBegin \"a\"\nObjectInstance \"a\"".into(), 2, "objects do not nest"),
        (many("AttributeBegin\n", 5000), 4097, "more than 4096 deep"),
        ("\nActiveTransform Sometimes".into(), 2, "expected StartTime"),
        ("\nAttribute \"everything\" \"float x\" 1".into(), 2, "expected shape, light"),
        ("\nTexture \"t\" \"fancy\" \"constant\"".into(), 2, "known are float and spectrum"),
        ("\nTexture \"t\" \"float\" \"imagemap\"".into(), 2, "filename"),
        (
            "\nTexture \"t\" \"float\" \"imagemap\" \"string filename\" \"a\" \"string wrap\" \"twice\"".into(),
            2,
            "wrap \"twice\"",
        ),
        ("\nMakeNamedMaterial \"m\"".into(), 2, "needs a \"string type\""),
        ("\nMaterial \"glass\" \"float eta\" -1".into(), 2, "is -1; it must be above 0 and at most 100"),
        ("\nMaterial \"glass\" \"float eta\" 1000".into(), 2, "is 1000; it must be above 0 and at most 100"),
        ("\nMaterial \"plastic\" \"float roughness\" -1".into(), 2, "must not be negative"),
        ("\nMaterial \"mix\" \"string materials\" \"a\"".into(), 2, "two materials"),
        ("\nMaterial \"matte\" \"rgb Kd\" [1 2]".into(), 2, "expected three numbers, found 2"),
        ("\nMaterial \"matte\" \"spectrum Kd\" [400 1 500]".into(), 2, "pairs"),
        ("\nMaterial \"matte\" \"point Kd\" [1 2 3]".into(), 2, "expected a colour"),
        ("\nMaterial \"matte\" \"blackbody Kd\" -5".into(), 2, "-5 kelvin"),
        ("\nCamera \"perspective\" \"float fov\" 180".into(), 2, "above 0 and below 180"),
        ("\nCamera \"perspective\" \"float screenwindow\" [1 2]".into(), 2, "four numbers"),
        ("\nCamera \"perspective\" \"float screenwindow\" [1 1 0 2]".into(), 2, "empty"),
        ("Scale 1 0 1\nCamera \"perspective\"".into(), 2, "flattens"),
        ("\nFilm \"image\" \"integer xresolution\" 0".into(), 2, "from 1 to 65536"),
        ("\nFilm \"image\" \"integer xresolution\" 10.5".into(), 2, "not a whole number"),
        ("\nFilm \"image\" \"float scale\" -1".into(), 2, "must not be negative"),
        ("\nSampler \"halton\" \"integer pixelsamples\" -3".into(), 2, "not a whole number"),
        ("\nPixelFilter \"box\" \"float xwidth\" 0".into(), 2, "above 0"),
        ("\nPixelFilter \"gaussian\" \"float alpha\" 0".into(), 2, "must be above 0"),
        ("\nLightSource \"distant\" \"point from\" [0 0 1]".into(), 2, "no direction"),
        ("\nLightSource \"spot\" \"float coneangle\" 0".into(), 2, "coneangle"),
        ("Scale 0 0 0\nLightSource \"infinite\" \"string mapname\" \"x\"".into(), 2, ""),
    ] {
        match import(&text) {
            Err(error) => {
                let message = error.to_string();
                let place = format!("scene.pbrt:{line}: ");
                assert!(
                    message.starts_with(&place) && message.contains(part),
                    "{text}\n{message}\nexpected {place}{part}"
                );
            }
            Ok(_) if part.is_empty() => {}
            Ok((_, warnings)) => panic!("{text}\nloads, with {warnings:?}; expected an error with {part:?}"),
        }
    }
}

#[test]
fn shapes_that_overflow_in_the_world_are_errors() {
    let message = import("WorldBegin Scale 1e38 1 1 Shape \"sphere\" \"float radius\" 1e38").unwrap_err().to_string();
    assert!(message.contains("overflow in the world"), "{message}");
}

#[test]
fn empty_files_and_strange_bytes_load_or_fail_in_words() {
    assert!(clean("").instances.is_empty());
    assert!(clean("\u{feff}# only a comment").instances.is_empty());
    warned("WorldBegin WorldEnd Sphere", "what follows WorldEnd");
    fuzz_pbrt(b"WorldBegin Shape \"\xff\xfe\" \"float \xff\" 1");
    fuzz_pbrt(&[0; 64]);
}

/// Checks that every prefix of a scene, and every scene with one byte changed, ends in `Ok` or `Err` without panic.
#[test]
fn damaged_scenes_do_not_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pbrt/");
    for name in ["v3_features.pbrt", "v4_features.pbrt", "../../../../../fuzz/seeds/pbrt/version_4.pbrt"] {
        let bytes = std::fs::read(format!("{folder}{name}")).unwrap();
        for end in (0..bytes.len()).step_by(7) {
            fuzz_pbrt(&bytes[..end]);
        }
        for (i, byte) in (0..bytes.len()).step_by(11).zip(b"[]\"#-e0 1\n\xffA.".iter().cycle()) {
            let mut damaged = bytes.clone();
            damaged[i] = *byte;
            fuzz_pbrt(&damaged);
        }
    }
}
