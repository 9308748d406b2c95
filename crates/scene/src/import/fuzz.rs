//! Loading for the fuzz targets: bytes are loaded as [`super::load`] loads a file, the run with an origin and all
//! checks included, but without the disk.

use super::context::{Context, LoadOptions, WithoutTriangles};
use super::{Format, Loaded, import_with};
use crate::{Description, SceneError};
use std::path::{Path, PathBuf};

/// Loads `bytes` for fuzzing with the importer `import`, including a second run relative to an origin; `None` if it
/// fails. Scenes without a triangle are taken where the format holds lights. Of the files that `bytes` name, there are
/// images only: all that end in `.png` are one of four texels.
///
/// # Panics
/// If a run makes a scene that breaks a rule.
pub(super) fn loaded(
    format: Format,
    bytes: &[u8],
    options: LoadOptions,
    import: impl Fn(&Path, &mut Context) -> Result<Description, SceneError>,
) -> Option<Loaded> {
    let path = PathBuf::from(format!("fuzz.{format}"));
    let options = LoadOptions { allow_missing: true, without_triangles: WithoutTriangles::Taken, ..options };
    let mut context = Context::sealed(&path, &options);
    context.give(bytes.to_vec());
    let run = |context: &mut Context| {
        let scene = import(&path, context)?;
        assert_eq!(crate::validate(&scene), Ok(()));
        Ok(scene)
    };
    let loaded = import_with(&path, &mut context, format, run).ok()?;
    assert_eq!(crate::validate(&loaded.scene), Ok(()));
    Some(loaded)
}

/// Returns the bytes of a referenced file in an import without the disk; `None` if it counts as missing.
pub(super) fn file(path: &Path) -> Option<Vec<u8>> {
    path.extension().is_some_and(|extension| extension == "png").then(|| include_bytes!("sealed.png").to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::importer;
    use std::cell::Cell;

    /// Returns how many times the importer ran, and the origin of the scene.
    fn runs(format: Format, bytes: &[u8]) -> (u32, [f64; 3]) {
        let runs = Cell::new(0);
        let counted = |path: &Path, context: &mut Context| {
            runs.set(runs.get() + 1);
            importer(format)(path, context)
        };
        let loaded = loaded(format, bytes, LoadOptions::default(), counted).unwrap();
        (runs.get(), loaded.scene.origin)
    }

    #[test]
    fn a_seed_of_each_format_lies_far_from_zero_and_is_run_twice() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
        for (_, format) in Format::EXTENSIONS {
            let bytes = std::fs::read(folder.join(format!("{format}/far.{format}"))).unwrap();
            let (count, origin) = runs(format, &bytes);
            assert!(count == 2 && origin[0] > 4.4e6, "{format}: {count} {origin:?}");
        }
        assert_eq!(runs(Format::Off, b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1.25 0\n3 0 1 2\n"), (1, [0.0; 3]));
    }

    #[test]
    fn a_scene_of_an_environment_alone_is_run_to_the_end() {
        let scene = crate::import::fuzz_pbrt_scene(b"WorldBegin LightSource \"infinite\" \"rgb L\" [1 1 1]").unwrap();
        assert!(scene.triangle_count() == 0 && scene.lights.len() == 1);
    }

    #[test]
    #[should_panic(expected = "Ok(())")]
    fn a_scene_that_breaks_a_rule_is_a_find() {
        let broken = |_: &Path, _: &mut Context| {
            let mut scene = Description::default();
            scene.instances.push(crate::Instance {
                mesh: crate::MeshId(7),
                transform: raywarp_geom::Affine::IDENTITY,
                material: None,
            });
            Ok(scene)
        };
        loaded(Format::Obj, b"x", LoadOptions::default(), broken);
    }

    #[test]
    fn images_are_there_and_nothing_else() {
        assert!(file(Path::new("a/b.png")).is_some());
        assert!(file(Path::new("Cargo.toml")).is_none());
    }
}
