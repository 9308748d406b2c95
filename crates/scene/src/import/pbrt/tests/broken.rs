//! Input that is wrong: an error with file and line, never a panic.

use super::*;
use crate::import::fuzz;

#[test]
fn broken_files_are_errors_that_name_file_and_line() {
    let many = |text: &str, n: usize| text.repeat(n);
    let t = TRIANGLE.trim_end();
    let expected = |found: &str| PbrtFault::ExpectedDirective { found: found.into() };
    let parameter = |name: &str, fault| PbrtFault::Parameter { name: name.into(), fault };
    let values = |declaration: &str, fault| PbrtFault::Values { declaration: declaration.into(), fault };
    let no_value = |found: &str| ValuesFault::NoValue { found: found.into() };
    let radius = |radius| PbrtFault::Radius { shape: "sphere".into(), radius, phi_max: 360.0 };
    let multiple = |count, what| ParameterFault::Multiple { count, what, of: 3 };
    let whole = |number, least, most| ParameterFault::WholeNumber { number, least, most };
    let index = |index| parameter("indices", ParameterFault::Index { index, vertices: 3 });
    let number = |directive: &str, count, found: &str, after| PbrtFault::ExpectedNumber {
        directive: directive.into(),
        count,
        found: found.into(),
        after,
    };
    let without = |end: &str, begin: &str| PbrtFault::EndWithoutBegin { end: end.into(), begin: begin.into() };
    let nested = |directive, name: &str| PbrtFault::NestedObject { directive, name: name.into(), outer: "a".into() };
    for (text, line, want) in [
        ("Sphere".to_string(), 1, PbrtFault::UnknownDirective { name: "Sphere".into() }),
        ("\n\"float x\" 3".into(), 2, expected("\"float x\"")),
        ("\n]".into(), 2, expected("]")),
        ("3".into(), 1, expected("3")),
        ("WorldBegin\nShape".into(), 2, PbrtFault::EndBeforeText { directive: "Shape".into() }),
        (
            "WorldBegin\nShape Translate".into(),
            2,
            PbrtFault::ExpectedText { directive: "Shape".into(), found: "Translate".into() },
        ),
        ("WorldBegin\nShape \"sphere\" \"float radius".into(), 2, PbrtFault::OpenText { start: "float radius".into() }),
        (
            "WorldBegin\nShape \"sphere\" \"float radius\" [1".into(),
            2,
            values("float radius", ValuesFault::EndBeforeBracket),
        ),
        (
            "WorldBegin\nShape \"sphere\" \"float radius\" \"1\"".into(),
            2,
            values("float radius", ValuesFault::Type { kind: "Float".into() }),
        ),
        (
            "WorldBegin\nShape \"sphere\" \"float radius\" [1 2]".into(),
            2,
            parameter("radius", ParameterFault::Count { wanted: "one number", found: 2 }),
        ),
        ("WorldBegin\nShape \"sphere\" \"float radius\" 0".into(), 2, radius(0.0)),
        ("WorldBegin\nShape \"sphere\" \"float radius\" -1".into(), 2, radius(-1.0)),
        (
            "WorldBegin\nShape \"sphere\" \"float radius\" 1e39".into(),
            2,
            parameter("radius", ParameterFault::TooLarge { number: 1e39 }),
        ),
        ("WorldBegin\nShape \"sphere\" \"float radius\" nan".into(), 2, values("float radius", no_value("nan"))),
        (
            "WorldBegin\nShape \"sphere\" \"string radius\" \"x\"".into(),
            2,
            parameter("radius", ParameterFault::Type { wanted: "a number", found: "Text".into() }),
        ),
        ("WorldBegin\nShape \"trianglemesh\" \"normal N\" [0 0 nan]".into(), 2, values("normal N", no_value("nan"))),
        ("-nan".into(), 1, PbrtFault::UnknownDirective { name: "-nan".into() }),
        ("WorldBegin\nShape \"trianglemesh\"".into(), 2, PbrtFault::NoPoints { shape: "trianglemesh" }),
        ("WorldBegin\nShape \"trianglemesh\" \"point P\" [0 0]".into(), 2, parameter("P", multiple(2, "numbers"))),
        (
            "WorldBegin\nShape \"trianglemesh\" \"point P\" [0 0 0 1 1 1]".into(),
            2,
            PbrtFault::NoIndicesOf { shape: "trianglemesh", points: 2 },
        ),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1]"), 2, parameter("indices", multiple(2, "indices"))),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 3]"), 2, index(3.0)),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 -1]"), 2, index(-1.0)),
        (format!("WorldBegin\n{t} \"integer indices\" [0 1 1.5]"), 2, index(1.5)),
        (
            "WorldBegin\nShape \"loopsubdiv\" \"point P\" [0 0 0]".into(),
            2,
            PbrtFault::NoIndices { shape: "loopsubdiv shape" },
        ),
        (
            format!(
                "WorldBegin\n{} \"integer indices\" [0 1 2] \"integer levels\" 17",
                t.replace("trianglemesh", "loopsubdiv")
            ),
            2,
            parameter("levels", whole(17.0, 0, 16)),
        ),
        (
            format!(
                "WorldBegin\n{} \"integer indices\" [0 1 2] \"integer levels\" 16",
                t.replace("trianglemesh", "loopsubdiv")
            ),
            2,
            PbrtFault::Triangles { triangles: 1 << 32, left: 1 << 20 },
        ),
        (
            "WorldBegin\nShape \"bilinearmesh\" \"point P\" [0 0 0]".into(),
            2,
            PbrtFault::NoIndicesOf { shape: "bilinearmesh", points: 1 },
        ),
        ("WorldBegin\nShape \"plymesh\"".into(), 2, PbrtFault::NoFile { what: "plymesh" }),
        ("\nTranslate 1 2".into(), 2, PbrtFault::EndInNumbers { directive: "Translate".into(), count: 3, after: 2 }),
        ("\nTranslate 1 2 Scale".into(), 2, number("Translate", 3, "Scale", 2)),
        ("\nTransform [1 2 3]".into(), 2, number("Transform", 16, "]", 3)),
        (
            "\nTransform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1]".into(),
            2,
            PbrtFault::ExpectedBracket { directive: "Transform".into(), count: 16, found: "1".into() },
        ),
        (
            "\nTransform [1 0 0 .5 0 1 0 0 0 0 1 0 0 0 0 1]".into(),
            2,
            PbrtFault::ProjectiveMatrix { directive: "Transform".into() },
        ),
        ("\nLookAt 0 0 0 0 0 0 0 1 0".into(), 2, PbrtFault::LookAt { directive: "LookAt".into() }),
        ("\nLookAt 0 0 0 0 0 1 0 0 1".into(), 2, PbrtFault::LookAt { directive: "LookAt".into() }),
        ("\nRotate 30 0 0 0".into(), 2, PbrtFault::Axis { directive: "Rotate".into() }),
        (many("Scale 1e200 1 1\n", 2), 2, PbrtFault::TransformOverflow { directive: "Scale".into() }),
        (format!("Scale 1e30 1e30 1e30\nScale 1e30 1 1 WorldBegin Scale 1e39 1 1\n{t}"), 3, PbrtFault::ShapeOverflow),
        ("WorldBegin\nWorldBegin".into(), 2, PbrtFault::SecondWorld),
        ("\nWorldEnd".into(), 2, without("WorldEnd", "WorldBegin")),
        ("WorldBegin\nAttributeEnd".into(), 2, without("AttributeEnd", "AttributeBegin")),
        ("WorldBegin\nAttributeBegin\n\n".into(), 2, PbrtFault::NeverClosed { begin: "AttributeBegin" }),
        (
            "WorldBegin\nAttributeBegin\nTransformEnd".into(),
            3,
            PbrtFault::OtherBlockOpen { end: "TransformEnd".into(), open: "AttributeBegin", line: 2 },
        ),
        (
            "WorldBegin AttributeBegin\nWorldEnd".into(),
            2,
            PbrtFault::OtherBlockOpen { end: "WorldEnd".into(), open: "AttributeBegin", line: 1 },
        ),
        ("WorldBegin ObjectBegin \"a\"\nObjectBegin \"b\"".into(), 2, nested("ObjectBegin", "b")),
        ("WorldBegin ObjectBegin \"a\"\nObjectInstance \"a\"".into(), 2, nested("ObjectInstance", "a")),
        (many("AttributeBegin\n", 5000), 4097, PbrtFault::BlockDepth),
        ("\nActiveTransform Sometimes".into(), 2, PbrtFault::ActiveTransform { directive: "ActiveTransform".into() }),
        (
            "\nAttribute \"everything\" \"float x\" 1".into(),
            2,
            PbrtFault::AttributeTarget { target: "everything".into() },
        ),
        (
            "\nTexture \"t\" \"fancy\" \"constant\"".into(),
            2,
            PbrtFault::TextureType { name: "t".into(), kind: "fancy".into() },
        ),
        ("\nTexture \"t\" \"float\" \"imagemap\"".into(), 2, PbrtFault::NoFile { what: "imagemap" }),
        (
            "\nTexture \"t\" \"float\" \"imagemap\" \"string filename\" \"a\" \"string wrap\" \"twice\"".into(),
            2,
            PbrtFault::Wrap { name: "twice".into() },
        ),
        ("\nMakeNamedMaterial \"m\"".into(), 2, PbrtFault::MaterialType { name: "m".into() }),
        ("\nMaterial \"glass\" \"float eta\" -1".into(), 2, PbrtFault::Index { index: -1.0 }),
        ("\nMaterial \"glass\" \"float eta\" 1000".into(), 2, PbrtFault::Index { index: 1000.0 }),
        ("\nMaterial \"plastic\" \"float roughness\" -1".into(), 2, PbrtFault::NegativeRoughness),
        ("\nMaterial \"mix\" \"string materials\" \"a\"".into(), 2, PbrtFault::MixNames),
        (
            "\nMaterial \"matte\" \"rgb Kd\" [1 2]".into(),
            2,
            parameter("Kd", ParameterFault::Count { wanted: "three numbers", found: 2 }),
        ),
        (
            "\nMaterial \"matte\" \"spectrum Kd\" [400 1 500]".into(),
            2,
            parameter("Kd", ParameterFault::Expected { wanted: "pairs of wavelength and value" }),
        ),
        (
            "\nMaterial \"matte\" \"point Kd\" [1 2 3]".into(),
            2,
            parameter("Kd", ParameterFault::Type { wanted: "a colour", found: "Point3".into() }),
        ),
        (
            "\nMaterial \"matte\" \"blackbody Kd\" -5".into(),
            2,
            parameter("Kd", ParameterFault::Temperature { kelvin: -5.0 }),
        ),
        ("\nCamera \"perspective\" \"float fov\" 180".into(), 2, PbrtFault::FieldOfView { degrees: 180.0 }),
        ("\nCamera \"perspective\" \"float screenwindow\" [1 2]".into(), 2, PbrtFault::Window { name: "screenwindow" }),
        ("\nCamera \"perspective\" \"float screenwindow\" [1 1 0 2]".into(), 2, PbrtFault::EmptyWindow),
        ("Scale 1 0 1\nCamera \"perspective\"".into(), 2, PbrtFault::FlatCamera),
        ("\nFilm \"image\" \"integer xresolution\" 0".into(), 2, parameter("xresolution", whole(0.0, 1, 65_536))),
        ("\nFilm \"image\" \"integer xresolution\" 10.5".into(), 2, parameter("xresolution", whole(10.5, 1, 65_536))),
        ("\nFilm \"image\" \"float scale\" -1".into(), 2, PbrtFault::FilmScale { scale: -1.0 }),
        ("\nPixelFilter \"box\" \"float xwidth\" 0".into(), 2, PbrtFault::FilterRadius { radius: 0.0 }),
        ("\nPixelFilter \"gaussian\" \"float alpha\" 0".into(), 2, PbrtFault::GaussianWidth),
        ("\nLightSource \"distant\" \"point from\" [0 0 1]".into(), 2, PbrtFault::LightDirection),
        ("\nLightSource \"spot\" \"float coneangle\" 0".into(), 2, PbrtFault::Cone),
    ] {
        match import(&text) {
            Err(error) => assert_eq!(fault(error), (Place::Line(line), want.into()), "{text}"),
            Ok((_, warnings)) => panic!("{text}\nloads, with {warnings:?}; expected {want:?}"),
        }
    }
    let samples = import("\nSampler \"halton\" \"integer pixelsamples\" -3").unwrap_err();
    let FaultKind::Pbrt(PbrtFault::Parameter { name, fault }) = fault(samples).1 else { panic!() };
    assert!(name == "pixelsamples" && matches!(fault, ParameterFault::WholeNumber { number: -3.0, .. }), "{fault}");
    assert!(import("Scale 0 0 0\nLightSource \"infinite\" \"string mapname\" \"x\"").is_ok());
}

#[test]
fn a_point_of_a_face_that_is_not_finite_is_an_error() {
    for (shape, points, want) in [
        ("trianglemesh", "0 0 0 1 0 0 0 nan 0", 2),
        ("trianglemesh", "0 0 0 1e39 0 0 0 0 0", 1),
        ("bilinearmesh", "0 0 0 1 0 0 -inf 1 0 1 1 0", 2),
    ] {
        let error = import(&format!("WorldBegin\nShape \"{shape}\" \"point3 P\" [{points}]")).unwrap_err();
        let (Place::Line(2), FaultKind::Pbrt(PbrtFault::Parameter { name, fault })) = fault(error) else { panic!() };
        let ParameterFault::NotFinite { vertex, position } = fault else { panic!("{fault}") };
        assert_eq!((name.as_str(), vertex, position.iter().all(|x| x.is_finite())), ("P", want, false), "{points}");
    }
}

#[test]
fn shapes_that_overflow_in_the_world_are_errors() {
    let error = import("WorldBegin Scale 1e38 1 1 Shape \"sphere\" \"float radius\" 1e38").unwrap_err();
    assert_eq!(fault(error).1, PbrtFault::CornersOverflow.into());
}

#[test]
fn empty_files_and_strange_bytes_load_or_fail_in_words() {
    assert!(clean("").instances.is_empty());
    assert!(clean("\u{feff}# only a comment").instances.is_empty());
    warned("WorldBegin WorldEnd Sphere", PbrtWarning::BehindWorldEnd);
    fuzz::pbrt(b"WorldBegin Shape \"\xff\xfe\" \"float \xff\" 1");
    fuzz::pbrt(&[0; 64]);
}

/// Checks that every prefix of a scene, and every scene with one byte changed, ends in `Ok` or `Err` without panic.
#[test]
fn damaged_scenes_do_not_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pbrt/");
    for name in ["v3_features.pbrt", "v4_features.pbrt", "../../../../../fuzz/seeds/pbrt/version_4.pbrt"] {
        let bytes = std::fs::read(format!("{folder}{name}")).unwrap();
        for end in (0..bytes.len()).step_by(7) {
            fuzz::pbrt(&bytes[..end]);
        }
        for (i, byte) in (0..bytes.len()).step_by(11).zip(b"[]\"#-e0 1\n\xffA.".iter().cycle()) {
            let mut damaged = bytes.clone();
            damaged[i] = *byte;
            fuzz::pbrt(&damaged);
        }
    }
}
