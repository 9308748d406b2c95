//! Connection of a vertex to a light.

use super::leave::Vertex;
use super::{InMedia, PathState, Transport, dimension, power_heuristic};
use crate::bsdf::PreparedBsdf;
use crate::flat::ShadingScene;
use crate::light;
use crate::options::DirectLight;
use glam::Vec3;
use raywarp_geom::Ray;

/// Shadow ray from a path's vertex to a light, with its contribution if nothing blocks or absorbs it, 56 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Connection {
    /// Shadow ray from the surface to the light.
    pub ray: Ray,
    /// Light that arrives if nothing is in between.
    pub contribution: Vec3,
    /// Media that the shadow ray starts in.
    pub media: InMedia,
}

const _: () = assert!(size_of::<Connection>() == 56);

/// Connects a vertex to a light, and advances the path's random numbers.
#[inline]
pub(super) fn aim(
    scene: &ShadingScene,
    transport: &Transport,
    path: &mut PathState,
    vertex: &Vertex,
    prepared: &PreparedBsdf,
) -> Option<Connection> {
    if transport.direct == DirectLight::Scattering || vertex.bsdf().is_specular() {
        return None;
    }
    let mut stream = path.stream(transport, dimension::LIGHT, path.sampler_state);
    let (u_choice, u) = (stream.next_1d(), stream.next_2d());
    path.sampler_state = stream.state();
    let point = vertex.point;
    let light = light::sample(scene, point.position, u_choice, u)?;
    let wi = vertex.shading.frame.to_local(light.wi);
    let (value, scatter_pdf) = vertex.bsdf().eval_prepared(prepared, vertex.wo, wi);
    if value == Vec3::ZERO || !vertex.passes(light.wi, wi.z) {
        return None;
    }
    let weight = match transport.direct {
        // From the last vertex no ray goes on that could find the light, too.
        DirectLight::Both if light.pdf > 0.0 && !transport.is_last(path.bounce) => {
            power_heuristic(light.pdf, scatter_pdf)
        }
        DirectLight::Both | DirectLight::Lights | DirectLight::Scattering => 1.0,
    };
    let contribution = path.throughput * value * light.weight * weight;
    if !contribution.is_finite() || contribution == Vec3::ZERO {
        return None;
    }
    let origin = point.origin_towards(light.wi);
    let ray = match light.target {
        None => Ray::new(origin, light.wi.into()),
        // The target is already off the light's surface: stop there.
        Some(target) => Ray::new(origin, (target - Vec3::from(origin)).into()).with_interval(0.0, 1.0),
    };
    Some(Connection { ray, contribution, media: vertex.media_beyond(scene, path, wi.z) })
}
