//! Entries for fuzzing, a function a format, which the feature `fuzz` turns on: bytes are loaded as [`super::load`]
//! loads a file, the run with an origin and all checks included, but without the disk.

#[cfg(test)]
mod regressions;

use super::context::{Context, Encoding, LoadOptions, WithoutTriangles};
use super::{Choices, Format, GltfOptions, LightUnits, Loaded, import_with};
use super::{image, obj, off, pbrt, ply, stl, threemf};
use crate::{Description, ImportError, Place};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Loads bytes as glTF. Then it loads each of the first scenes, animations and variants of materials that are found, at
/// times from before an animation to long after it and with lamps in all units.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn gltf(bytes: &[u8]) {
    let load = |options| loaded(Format::Gltf, bytes, options, super::gltf::import);
    let Some(first) = load(LoadOptions::default()) else { return };
    let Choices { scenes, animations, material_variants, .. } = first.choices;
    let has_lamps = usize::from(!first.scene.lights.is_empty());
    let most = scenes.len().max(animations.len()).max(material_variants.len()).max(has_lamps);
    // The bytes choose a moment, so that any may be found.
    let moment = f64::from(bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte))) / 128.0;
    for i in 0..most.min(3) {
        // By name or by number.
        let number = |length: usize| (length > 0).then(|| i % length);
        let called = |number: usize, name: &String| if name.is_empty() { number.to_string() } else { name.clone() };
        let animation = number(animations.len());
        let end = animation.map_or(0.0, |number| animations[number].1);
        let gltf = GltfOptions {
            scene: number(scenes.len()).map(|number| called(number, &scenes[number])),
            material_variant: number(material_variants.len()).map(|number| called(number, &material_variants[number])),
            animation: animation.map(|number| number.to_string()),
            at: [Some(moment * end), Some(-1.0), None][i],
        };
        let light_units = [LightUnits::Photometric, LightUnits::Radiometric, LightUnits::Auto][i];
        load(LoadOptions { gltf, light_units, ..LoadOptions::default() });
    }
}

/// Decodes an image. It has no extension, so that TGA goes by its header.
///
/// # Panics
/// When an image that is read has another size than it says: a bug.
pub fn image(bytes: &[u8]) {
    if let Ok(decoded) = image::decode(Path::new("fuzz"), Place::File, bytes, Encoding::Srgb) {
        let image = decoded.image;
        assert_eq!(image.len(), image.width as usize * image.height as usize);
    }
}

/// Loads bytes as OBJ and as its material library at once.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn obj(bytes: &[u8]) {
    loaded(Format::Obj, bytes, LoadOptions::default(), obj::import_with_itself);
}

/// Loads bytes as OFF.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn off(bytes: &[u8]) {
    loaded(Format::Off, bytes, LoadOptions::default(), off::import);
}

/// Loads bytes as a pbrt scene.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn pbrt(bytes: &[u8]) {
    let _ = pbrt_scene(bytes);
}

/// Loads bytes as [`pbrt`] does, and returns the scene, unless it fails.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn pbrt_scene(bytes: &[u8]) -> Option<Description> {
    let loaded = loaded(Format::Pbrt, bytes, LoadOptions::default(), |path, context| {
        let bytes = context.read_scene(path)?;
        pbrt::import_bytes(path, Rc::unwrap_or_clone(bytes), context, false, 1 << 16)
    });
    Some(loaded?.scene)
}

/// Loads bytes as PLY.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn ply(bytes: &[u8]) {
    loaded(Format::Ply, bytes, LoadOptions::default(), ply::import);
}

/// Loads bytes as STL.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn stl(bytes: &[u8]) {
    loaded(Format::Stl, bytes, LoadOptions::default(), stl::import);
}

/// Loads bytes as a 3MF file, or else as its model in XML.
///
/// # Panics
/// If the importer makes a scene that breaks a rule: a bug.
pub fn threemf(bytes: &[u8]) {
    loaded(Format::ThreeMf, bytes, LoadOptions::default(), |path, context| {
        if bytes.starts_with(b"PK") {
            return threemf::import(path, context);
        }
        let parts = |name: &str| Ok((name == threemf::USUAL_MODEL).then(|| bytes.to_vec()));
        threemf::import_parts(path, Box::new(parts), context)
    });
}

/// Loads `bytes` for fuzzing with the importer `import`, including a second run relative to an origin; `None` if it
/// fails. Scenes without a triangle are taken where the format holds lights. Of the files that `bytes` name, there are
/// images only: all that end in `.png` are one of four texels.
///
/// # Panics
/// If a run makes a scene that breaks a rule.
fn loaded(
    format: Format,
    bytes: &[u8],
    options: LoadOptions,
    import: impl Fn(&Path, &mut Context) -> Result<Description, ImportError>,
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
        let scene = pbrt_scene(b"WorldBegin LightSource \"infinite\" \"rgb L\" [1 1 1]").unwrap();
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
}
