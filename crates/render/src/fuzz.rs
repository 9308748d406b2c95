//! Entry for fuzzing: what shading makes of any scene that loads.

use crate::flat::ShadingScene;
use crate::options::{DirectLight, Scattering};
use crate::surface::surface_point;
use crate::vertex::{ALL_SPECULAR, InMedia, PathState, SPECULAR, Transport, arrive, leave};
use glam::Vec3;
use raywarp_geom::{Aabb, Hit, Ray};
use raywarp_sample::Sampler;

/// Loads a pbrt scene, prepares it for shading, and takes a path through a vertex on each of its first triangles, seen
/// from each side.
///
/// # Panics
/// Never, which is what the fuzz target checks.
#[doc(hidden)]
pub fn fuzz_shading(bytes: &[u8]) {
    let Some(scene) = raywarp_scene::import::fuzz_pbrt_scene(bytes) else { return };
    let corners = scene.meshes.iter().flat_map(|mesh| &mesh.triangles.positions);
    let bounds = Aabb::of_points(corners).union(&Aabb { min: [-1.0; 3], max: [1.0; 3] });
    let Ok(flat) = ShadingScene::new(&scene, &bounds) else { return };
    assert_eq!(flat.validate(), Ok(()));
    for scattering in [Scattering::Multiple, Scattering::Single] {
        let transport = Transport {
            sampler: Sampler::Xor32 { seed: 1 },
            direct: DirectLight::Both,
            scattering,
            max_depth: 8,
            transparent: false,
        };
        for triangle in (0..flat.triangles.len() as u32).take(32) {
            for side in [-1.0, 1.0] {
                vertex(&flat, &transport, triangle, side);
            }
        }
    }
}

/// A path that comes to the middle of a triangle from one side: what it brings and what goes on is finite.
fn vertex(flat: &ShadingScene, transport: &Transport, triangle: u32, side: f32) {
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
        media: InMedia::default(),
    };
    let arrival = arrive(flat, transport, &path, &ray, &hit, &point);
    assert!(!arrival.radiance.is_nan() && arrival.throughput.is_finite(), "{arrival:?}");
    if !arrival.scatters {
        return;
    }
    let departure = leave(flat, transport, &path, &ray, hit.t, &point);
    if let Some(connection) = departure.connection {
        assert!(connection.contribution.is_finite(), "{connection:?}");
    }
    if let Some((_, state)) = departure.next {
        assert!(state.throughput.is_finite() && !state.previous_pdf.is_nan(), "{state:?}");
    }
}
