//! What a picture is called that nobody named.

use crate::common_folder::{Folder, TRIANGLE, text};

const SMALL: &str = "--size 16x8 --spp 1";

/// A pbrt scene whose film has these parameters.
fn pbrt(film: &str) -> String {
    format!(
        "Film \"rgb\" {film}\nWorldBegin Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \"integer indices\" [0 1 2]"
    )
}

/// Renders and compares the new files with `want`.
#[track_caller]
fn check(folder: &Folder, line: &str, want: &str) {
    let before = folder.names();
    let output = folder.run(line);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{line}: {said}");
    let new: Vec<String> = folder.names().into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(new, [want], "{line}: {said}");
    assert!(said.contains(&format!("wrote {want}: ")), "{line}: {said}");
    std::fs::remove_file(folder.at(want)).unwrap();
}

#[test]
fn a_picture_is_called_after_its_scene_in_the_current_folder() {
    let folder = Folder::new();
    folder.file("models/chair.obj", TRIANGLE);
    folder.file("scenes/room/scene.obj", TRIANGLE);
    check(&folder, &format!("render models/chair.obj {SMALL}"), "chair.png");
    check(&folder, &format!("render ./models/chair.obj {SMALL}"), "chair.png");
    check(&folder, &format!("render room --scenes scenes {SMALL}"), "room.png");
    check(&folder, &format!("render {SMALL}"), "render.png");
    check(&folder, "render models/chair.obj --size 16x8 --samples 0..1", "chair.exr");
}

#[test]
fn a_pbrt_film_names_the_picture() {
    let folder = Folder::new();
    for (film, want) in [
        ("\"string filename\" \"asked.exr\"", "asked.exr"),
        ("\"string filename\" \"/home/them/asked.hdr\"", "asked.hdr"),
        ("\"string filename\" \"..\\\\asked.png\"", "asked.png"),
        ("\"string filename\" \"asked.tga\"", "asked.png"),
        ("", "room.png"),
    ] {
        folder.file("room.pbrt", pbrt(film));
        check(&folder, &format!("render room.pbrt {SMALL}"), want);
    }
    folder.file("room.pbrt", pbrt("\"string filename\" \"asked.tga\""));
    let said = folder.says(&format!("render room.pbrt {SMALL}"));
    assert!(said.contains(" asked.tga, ") && said.contains(" asked.png\n"), "{said}");
    check(&folder, &format!("render room.pbrt {SMALL} -o mine.png"), "mine.png");
    check(&folder, "render room.pbrt --size 16x8 --samples 0..1", "asked.exr");
}

#[test]
fn a_picture_that_nobody_named_replaces_pictures_only() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    folder.succeeds(&format!("render a.obj {SMALL}"));
    folder.succeeds(&format!("render a.obj {SMALL}"));
    folder.refuses(&format!("render a.obj {SMALL} --no-clobber -q"), 5, &["a.png:", "--no-clobber"]);
    folder.file("a.png", "a thesis");
    folder.refuses(&format!("render a.obj {SMALL} -q"), 5, &["a.png:", "PNG"]);
    folder.file("room.pbrt", pbrt("\"string filename\" \"thesis.exr\""));
    folder.file("thesis.exr", "a thesis");
    folder.refuses(&format!("render room.pbrt {SMALL} -q"), 5, &["thesis.exr:", "OpenEXR"]);
}

#[test]
fn a_file_beside_what_is_printed_cannot_go_to_standard_output() {
    let folder = Folder::with_files([("s.obj", TRIANGLE)]);
    for line in [
        "paper al09 width --recorded --csv -",
        "paper al09 width --recorded --html -",
        "paper al09 width --recorded --svg -",
        "simulate s.obj --efficiency --export-operations -",
        "explain al09-while-while s.obj --csv -",
        "bench s.obj --device cpu --csv -",
        "bench s.obj --device cpu --record -",
        "bench s.obj --device cpu --export-rays -",
        "render s.obj -o s.png --export-rays -",
        "man -o -",
    ] {
        folder.refuses(line, 2, &["-: ", "./-"]);
    }
    folder.succeeds("paper al09 width --recorded --csv ./-");
    assert!(folder.text("-").starts_with("scene,subject,"));
}
