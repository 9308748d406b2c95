//! Stage 3: emission, a connection to a light, and the next direction of each path.

use crate::flat::ShadingScene;
use crate::lanes::Vectors;
use crate::path::{QueuedPath, Wave};
use crate::surface::{SurfacePoint, surface_point};
use crate::vertex::{PathState, Transport, arrive, leave};

/// Shades the vertices that `extend` found: adds emission, queues shadow rays and the next rays of paths. Those that
/// `vectors` has a text for are shaded many at a time, before the others; a path's bits are the same either way.
pub(crate) fn shade(scene: &ShadingScene, transport: &Transport, vectors: Option<&Vectors>, wave: &mut Wave) {
    wave.next_rays.clear();
    wave.next_paths.clear();
    wave.shadow.clear();
    wave.queues.clear();
    match vectors {
        Some(vectors) => vectors.shade(scene, transport, wave),
        None => wave.queues.one_by_one.extend(0..wave.paths.len() as u32),
    }
    one_by_one(scene, transport, wave);
}

/// Shades the entries that vector code cannot, one by one.
fn one_by_one(scene: &ShadingScene, transport: &Transport, wave: &mut Wave) {
    // All surface points first, in a loop so short that the look-ups of many hits wait for memory together.
    wave.points.clear();
    wave.points.extend(wave.queues.one_by_one.iter().map(|&i| {
        let (hit, instance) = (&wave.hits[i as usize], wave.instances[i as usize]);
        if hit.is_hit() { surface_point(scene, hit, instance) } else { SurfacePoint::NONE }
    }));
    if !scene.media.is_empty() {
        for (point, &i) in wave.points.iter_mut().zip(&wave.queues.one_by_one) {
            point.touching = wave.touching[i as usize];
        }
    }
    for k in 0..wave.points.len() {
        let i = wave.queues.one_by_one[k] as usize;
        let (ray, hit, point, queued) = (wave.rays[i], wave.hits[i], wave.points[k], wave.paths[i]);
        let (slot, path) = (queued.slot as usize, queued.state(wave.bounce));
        let arrival = arrive(scene, transport, &path, &ray, &hit, &point);
        wave.radiance[slot] += arrival.radiance;
        if let Some(first_hit) = arrival.first_hit {
            wave.first_hit[slot] = first_hit;
        }
        if !arrival.scatters {
            continue;
        }
        wave.queues.vertices += 1;
        let path = PathState { throughput: arrival.throughput, ..path };
        let departure = leave(scene, transport, &path, &ray, hit.t, &point);
        if let Some(first_hit) = departure.first_hit {
            wave.first_hit[slot] = first_hit;
        }
        if let Some(connection) = departure.connection {
            wave.shadow.push(connection.ray, queued.slot, connection.contribution);
            if !scene.media.is_empty() {
                wave.shadow.media.push(connection.media);
            }
        }
        if let Some((ray, state)) = departure.next {
            wave.next_rays.push(ray);
            wave.next_paths.push(QueuedPath::of(queued.slot, &state));
        }
    }
}
