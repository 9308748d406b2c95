//! Choice of the next direction of a path.

use super::leave::Vertex;
use super::roulette::roulette;
use super::{ALL_SPECULAR, PathState, SPECULAR, Transport, dimension};
use crate::bsdf::{Bsdf, PreparedBsdf};
use crate::flat::ShadingScene;
use raywarp_geom::Ray;

/// Samples a path's next direction; returns `None` if the path ends.
#[inline]
pub(super) fn scatter(
    scene: &ShadingScene,
    transport: &Transport,
    path: &PathState,
    vertex: &Vertex,
    prepared: &PreparedBsdf,
) -> Option<(Ray, PathState)> {
    let bsdf = vertex.bsdf();
    let mut stream = path.stream(transport, dimension::SCATTER, path.sampler_state);
    let u_lobe = if let Bsdf::Diffuse { .. } = bsdf {
        stream.skip(1);
        0.5
    } else {
        stream.next_1d()
    };
    let sample = bsdf.sample_prepared(prepared, vertex.wo, u_lobe, stream.next_2d())?;
    let wi = vertex.shading.frame.to_world(sample.wi);
    if !vertex.passes(wi, sample.wi.z) {
        return None;
    }
    let on = PathState {
        bounce: path.bounce + 1,
        throughput: path.throughput * sample.weight,
        previous_pdf: sample.pdf,
        sampler_state: stream.state(),
        flags: if sample.specular { SPECULAR | (path.flags & ALL_SPECULAR) } else { 0 },
        media: vertex.media_beyond(scene, path, sample.wi.z),
        ..*path
    };
    // The numbers are those of the vertex that it leaves.
    let (throughput, sampler_state) = roulette(transport, path, on.throughput, on.sampler_state)?;
    let ray = Ray::new(vertex.point.origin_towards(wi), wi.into());
    Some((ray, PathState { throughput, sampler_state, ..on }))
}
