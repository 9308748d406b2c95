//! Small scene files through what fuzzing checks: prepared for shading, validated, and a path taken through them.

use std::path::Path;

#[test]
fn small_files_are_shaded_without_a_number_that_is_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in ["crates/scene/tests/data", "fuzz/regressions/pbrt", "fuzz/regressions/shading", "fuzz/seeds/shading"]
    {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path).unwrap();
            let ended = std::panic::catch_unwind(|| raywarp_render::fuzz_shading(&bytes));
            assert!(ended.is_ok(), "{} panics", path.display());
            count += usize::from(path.extension().is_some_and(|e| e == "pbrt"));
        }
    }
    assert!(count > 0, "no pbrt file among the test data");
}
