//! Stage 3: emission, a connection to a light, and the next direction of each path.

use crate::flat::ShadingScene;
use crate::path::Wave;
use crate::surface::{SurfacePoint, surface_point};
use crate::vertex::{PathState, Transport, arrive, leave};

/// Shades the vertices that `extend` found: adds emission, queues shadow rays and the paths that live on.
pub(crate) fn shade(scene: &ShadingScene, transport: &Transport, wave: &mut Wave) {
    wave.next_rays.clear();
    wave.next_slots.clear();
    wave.shadow.clear();
    // All surface points first, in a loop so short that the look-ups of many hits wait for memory together.
    wave.points.clear();
    wave.points.extend(
        std::iter::zip(&wave.hits, &wave.instances).map(|(hit, &instance)| {
            if hit.is_hit() { surface_point(scene, hit, instance) } else { SurfacePoint::NONE }
        }),
    );
    if !scene.media.is_empty() {
        std::iter::zip(&mut wave.points, &wave.touching).for_each(|(point, &touching)| point.touching = touching);
    }
    for i in 0..wave.slots.len() {
        let slot = wave.slots[i] as usize;
        let (ray, hit, point, path) = (wave.rays[i], wave.hits[i], wave.points[i], wave.state(slot));
        let arrival = arrive(scene, transport, &path, &ray, &hit, &point);
        wave.radiance[slot] += arrival.radiance;
        if let Some(first_hit) = arrival.first_hit {
            wave.first_hit[slot] = first_hit;
        }
        if !arrival.scatters {
            continue;
        }
        let path = PathState { throughput: arrival.throughput, ..path };
        let departure = leave(scene, transport, &path, &ray, hit.t, &point);
        if let Some(first_hit) = departure.first_hit {
            wave.first_hit[slot] = first_hit;
        }
        if let Some(connection) = departure.connection {
            wave.shadow.push(connection.ray, slot as u32, connection.contribution);
            if !scene.media.is_empty() {
                wave.shadow.media.push(connection.media);
            }
        }
        if let Some((ray, state)) = departure.next {
            wave.set_state(slot, &state);
            wave.next_rays.push(ray);
            wave.next_slots.push(slot as u32);
        }
    }
}
