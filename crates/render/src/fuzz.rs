//! Entries for fuzzing, which the feature `fuzz` turns on: pictures and shares are read from bytes, and any scene that
//! loads is shaded, with results that are usable.

pub use crate::output::fuzz::{picture, share};

use crate::flat::{NONE, ShadingScene};
use crate::light::{environments, sample};
use crate::options::{DirectLight, ROULETTE_BELOW, Scattering};
use crate::surface::surface_point;
use crate::vertex::{ALL_SPECULAR, InMedia, MediaStack, PathState, SPECULAR, Transport, arrive, leave};
use glam::Vec3;
use raywarp_geom::{Aabb, Hit, Ray};
use raywarp_sample::Sampler;
use raywarp_scene::Description;

/// Loads a pbrt scene from `bytes` and shades it. Every other path starts in empty space, the others in media that the
/// last bytes say: a comment at the end of a file chooses them freely.
///
/// # Panics
/// If a result is not usable: a bug.
#[cfg(feature = "fuzz")]
pub fn shading(bytes: &[u8]) {
    if let Some(scene) = raywarp_scene::import::fuzz::pbrt_scene(bytes) {
        shade(&scene, bytes);
    }
}

/// Prepares a scene for shading, and takes a path through each of its first triangles from both sides, in media that
/// the end of `bytes` says. Lights and environments are asked too, which are all that some scenes have.
fn shade(scene: &Description, bytes: &[u8]) {
    let corners = scene.meshes.iter().flat_map(|mesh| &mesh.triangles.positions);
    let bounds = Aabb::of_points(corners).union(&Aabb { min: [-1.0; 3], max: [1.0; 3] });
    let Ok(flat) = ShadingScene::new(scene, &bounds) else { return };
    assert_eq!(flat.validate(), Ok(()));
    // What a path sees that hits nothing, which may be all that there is.
    for direction in [Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(0.6, 0.0, -0.8)] {
        for (radiance, pdf) in environments(&flat, direction) {
            assert!(radiance.is_finite() && pdf >= 0.0, "{radiance} {pdf}");
        }
    }
    let light = sample(&flat, Vec3::ZERO, 0.5, [0.25, 0.75]);
    assert!(light.is_none_or(|light| light.wi.is_finite() && !light.pdf.is_nan()));
    for scattering in [Scattering::Multiple, Scattering::Single] {
        let transport = Transport {
            sampler: Sampler::Xor32 { seed: 1 },
            direct: DirectLight::Both,
            scattering,
            max_depth: 8,
            connect_last: false,
            roulette_below: ROULETTE_BELOW,
            roulette_scale: 1.0 / ROULETTE_BELOW,
            transparent: false,
            first_albedos: true,
        };
        for triangle in (0..flat.triangles.len() as u32).take(32) {
            for side in [-1.0, 1.0] {
                for media in [InMedia::default(), media(&flat, bytes, triangle)] {
                    vertex(&flat, &transport, triangle, side, media);
                }
            }
        }
    }
}

/// Reads the media of a path from the end of `bytes`, five bytes each: the stack's entries, and where the first one
/// began.
fn media(flat: &ShadingScene, bytes: &[u8], path: u32) -> InMedia {
    let mut from_end = bytes.iter().rev().cycle().skip(5 * path as usize);
    let mut next = || from_end.next().map_or(0, |&byte| u32::from(byte));
    let mut stack = MediaStack::default();
    for _ in 0..4 {
        // One value more than there are media stands for none.
        let medium = next() % (flat.media.len() as u32 + 1);
        if (medium as usize) < flat.media.len() {
            stack = stack.entered(medium);
        }
    }
    InMedia { stack, since: next() as f32 / 256.0 }
}

/// Returns `true` if all media of a stack exist in the scene.
fn are_there(flat: &ShadingScene, media: &InMedia) -> bool {
    let medium = media.stack.medium();
    medium == NONE || (medium as usize) < flat.media.len()
}

/// Takes a path to the middle of a triangle from one side, and checks that the light it brings and the path that goes
/// on are finite.
fn vertex(flat: &ShadingScene, transport: &Transport, triangle: u32, side: f32, media: InMedia) {
    let record = flat.triangles[triangle as usize];
    let primitive = triangle - flat.placements[record.instance as usize].first_triangle;
    let hit = Hit { t: 1.0, u: 0.25, v: 0.5, primitive };
    let point = surface_point(flat, &hit, record.instance);
    let towards = (side * point.geometric_normal + 0.3 * Vec3::X).normalize_or(Vec3::Y);
    let ray = Ray::new((point.position + towards).into(), (-towards).into());
    let path = PathState {
        pixel: triangle,
        sample: 0,
        bounce: 0,
        throughput: Vec3::ONE,
        previous_pdf: 0.0,
        sampler_state: 1 + triangle,
        flags: SPECULAR | ALL_SPECULAR,
        media,
    };
    let arrival = arrive(flat, transport, &path, &ray, &hit, &point);
    assert!(!arrival.radiance.is_nan() && arrival.throughput.is_finite(), "{arrival:?}");
    let (left, behind) = media.passed(flat, &ray, &hit, record.instance);
    assert!(left.is_finite() && are_there(flat, &behind), "{left} {behind:?}");
    if !arrival.scatters {
        return;
    }
    let departure = leave(flat, transport, &path, &ray, hit.t, &point);
    if let Some(connection) = departure.connection {
        assert!(connection.contribution.is_finite() && are_there(flat, &connection.media), "{connection:?}");
    }
    if let Some((_, state)) = departure.next {
        assert!(state.throughput.is_finite() && !state.previous_pdf.is_nan(), "{state:?}");
        assert!(are_there(flat, &state.media), "{state:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat::MediumRecord;
    use raywarp_scene::{Format, LoadOptions, WithoutTriangles, load_from};
    use raywarp_testing::Folder;
    use std::path::Path;

    /// Loads `bytes` as a pbrt scene in a folder that holds the images named in it and nothing else; `None` if it fails.
    fn load(bytes: &[u8]) -> Option<Description> {
        let folder = Folder::new();
        for name in String::from_utf8_lossy(bytes).split('"').filter(|word| word.ends_with(".png")) {
            assert!(!name.contains(['/', '\\']), "{name}: the image would lie outside of the test's folder");
            folder.file(name, include_bytes!("../../scene/src/import/sealed.png"));
        }
        let options = LoadOptions {
            allow_missing: true,
            without_triangles: WithoutTriangles::Taken,
            format: Some(Format::Pbrt),
            ..LoadOptions::default()
        };
        Some(load_from(bytes, &folder.at("fuzz.pbrt"), &options).ok()?.scene)
    }

    #[test]
    fn small_files_are_shaded_without_a_number_that_is_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (mut count, mut loaded) = (0, 0);
        let folders =
            ["crates/scene/tests/data/pbrt", "fuzz/regressions/pbrt", "fuzz/seeds/pbrt", "fuzz/seeds/shading"];
        for entry in folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap()) {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "pbrt") {
                let bytes = std::fs::read(&path).unwrap();
                let scene = load(&bytes);
                loaded += usize::from(scene.is_some());
                let ended = std::panic::catch_unwind(|| scene.iter().for_each(|scene| shade(scene, &bytes)));
                assert!(ended.is_ok(), "{} panics", path.display());
                count += 1;
            }
        }
        assert!(count > 10 && loaded > 5, "{loaded} of {count} files load");
    }

    #[test]
    fn the_end_of_the_input_chooses_the_media() {
        let medium = MediumRecord { absorption: [1.0; 3], ior: 1.5 };
        let flat = ShadingScene { media: vec![medium; 3], ..ShadingScene::default() };
        let stack = |media: &[u32]| media.iter().fold(MediaStack::default(), |stack, &medium| stack.entered(medium));
        let input = [9, 64, 3, 2, 5, 0];
        assert_eq!(media(&flat, &input, 0), InMedia { stack: stack(&[0, 1, 2]), since: 0.25 });
        // The next path's bytes begin where those end, and with the first again.
        assert_eq!(media(&flat, &input, 1), InMedia { stack: stack(&[1, 0, 1, 2]), since: 3.0 / 256.0 });
        assert_eq!(media(&flat, &[], 7), InMedia { stack: stack(&[0; 4]), since: 0.0 });
        assert_eq!(media(&ShadingScene::default(), &input, 0).stack, MediaStack::default());
        assert!(
            are_there(&flat, &InMedia::at_start(stack(&[2]))) && !are_there(&flat, &InMedia::at_start(stack(&[3])))
        );
    }
}
