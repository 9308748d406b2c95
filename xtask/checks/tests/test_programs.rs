//! The files of a crate's `tests` folder are one program where there is a `main.rs`, which must name each of them: a
//! file that it leaves out would not even be compiled.

use std::path::Path;

/// Returns the module files and folders in `folder` that its `main.rs` does not name, and that are no program of their
/// own in the package's manifest.
fn forgotten(folder: &Path) -> Vec<String> {
    let Ok(main) = std::fs::read_to_string(folder.join("main.rs")) else { return Vec::new() };
    let manifest = std::fs::read_to_string(folder.with_file_name("Cargo.toml")).unwrap_or_default();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_module = path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").exists();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let is_named = main.lines().any(|line| line.trim() == format!("mod {name};"))
            || manifest.contains(&format!("path = \"tests/{name}.rs\""));
        if is_module && name != "main" && !is_named {
            names.push(path.display().to_string());
        }
    }
    names
}

#[test]
fn every_file_of_tests_belongs_to_its_program() {
    let mut programs = 0;
    for entry in std::fs::read_dir(xtask_checks::root().join("crates")).unwrap() {
        let folder = entry.unwrap().path().join("tests");
        programs += usize::from(folder.join("main.rs").exists());
        assert_eq!(forgotten(&folder), Vec::<String>::new());
    }
    assert!(programs >= 10, "{programs}");
}

#[test]
fn a_file_that_is_left_out_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file("main.rs", "mod named;\n#[cfg(unix)]\nmod folder;\n");
    file("named.rs", "");
    file("folder/mod.rs", "mod part;");
    file("folder/part.rs", "");
    file("data/table.csv", "");
    assert_eq!(forgotten(folder.path()), Vec::<String>::new());
    file("lost.rs", "");
    file("lost_folder/mod.rs", "");
    let mut found = forgotten(folder.path());
    found.sort();
    let named: Vec<bool> =
        ["lost.rs", "lost_folder"].iter().zip(&found).map(|(end, path)| path.ends_with(end)).collect();
    assert_eq!((named, found.len()), (vec![true; 2], 2), "{found:?}");
}
