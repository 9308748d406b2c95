//! Departure of a path from the surface that it is at.

use super::aim::{Connection, aim};
use super::media::Boundary;
use super::scatter::scatter;
use super::{FirstHit, InMedia, PathState, Transport, dimension};
use crate::bsdf::Bsdf;
use crate::flat::{MaterialFlags, ShadingScene};
use crate::surface::{Shading, SurfacePoint, shading};
use glam::Vec3;
use raywarp_geom::Ray;

/// Result of a path's departure from a surface: the connection to a light, and the path's next ray.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// Features of the surface, if it is the path's first vertex.
    pub first_hit: Option<FirstHit>,
    /// Shadow ray to a light, with its contribution.
    pub connection: Option<Connection>,
    /// Next ray of the path, with its state.
    pub next: Option<(Ray, PathState)>,
}

/// Vertex of a path, seen from the unit direction `wo`.
pub(super) struct Vertex<'a> {
    pub point: &'a SurfacePoint,
    pub shading: Shading,
    /// Direction `wo` in the shading frame.
    pub wo: Vec3,
}

/// Continues `path` from `point`, which it reached along `ray` at distance `t`: connects it to a light and samples its
/// next ray.
#[inline]
pub fn leave(
    scene: &ShadingScene,
    transport: &Transport,
    path: &PathState,
    ray: &Ray,
    t: f32,
    point: &SurfacePoint,
) -> Departure {
    let wo = -Vec3::from(ray.direction);
    let mut path = *path;
    let choice = part_of_material(scene, transport, &mut path, point);
    let mut shading = shading(scene, transport.scattering, point, wo, choice);
    if !scene.media.is_empty() {
        place_in_media(scene, &path, point, wo, &mut shading.bsdf);
    }
    let vertex = Vertex { wo: shading.frame.to_local(wo), point, shading };
    let first_hit = (path.bounce == 0).then(|| FirstHit {
        albedo: if transport.first_albedos { vertex.shading.bsdf.albedo(vertex.wo) } else { Vec3::ZERO },
        normal: vertex.shading.frame.normal,
        depth: t,
    });
    let is_last = transport.is_last(path.bounce);
    if is_last && !transport.connect_last {
        return Departure { first_hit, connection: None, next: None };
    }
    let prepared = vertex.bsdf().prepare(vertex.wo);
    let connection = aim(scene, transport, &mut path, &vertex, &prepared);
    let next = if is_last { None } else { scatter(scene, transport, &path, &vertex, &prepared) };
    Departure { first_hit, connection, next }
}

/// Returns the random number that chooses between the parts of a material; 0.5 if it has none.
#[inline]
fn part_of_material(scene: &ShadingScene, transport: &Transport, path: &mut PathState, point: &SurfacePoint) -> f32 {
    if !scene.materials[point.material as usize].has(MaterialFlags::CHOOSES) {
        return 0.5;
    }
    let mut stream = path.stream(transport, dimension::MATERIAL, path.sampler_state);
    let choice = stream.next_1d();
    path.sampler_state = stream.state();
    choice
}

/// Sets the refractive index of glass for the medium it is in, or removes its boundary where that does not count.
fn place_in_media(scene: &ShadingScene, path: &PathState, point: &SurfacePoint, wo: Vec3, bsdf: &mut Bsdf) {
    let (material, from_behind) = (&scene.materials[point.material as usize], point.geometric_normal.dot(wo) < 0.0);
    let (stack, at) = (path.media.stack, Boundary { material, touching: point.touching, from_behind });
    match bsdf {
        Bsdf::Dielectric(glass) if !glass.thin => glass.ior = stack.relative_ior(scene, &at, glass.ior),
        Bsdf::Glazed(glazed) if !glazed.thin => *glazed = glazed.of_ior(stack.relative_ior(scene, &at, glazed.ior)),
        Bsdf::Dielectric(_)
        | Bsdf::Glazed(_)
        | Bsdf::Black
        | Bsdf::Diffuse { .. }
        | Bsdf::DiffuseTransmission { .. }
        | Bsdf::Mirror { .. }
        | Bsdf::Blinn(_)
        | Bsdf::Conductor(_)
        | Bsdf::Principled(_)
        | Bsdf::CarPaint(_) => return,
    }
    if stack.hides(&at) {
        *bsdf = Bsdf::NOTHING;
    }
}

impl Vertex<'_> {
    /// Returns `true` if light may go between `wo` and the world direction `wi`, with `cos` to the shading normal,
    /// which must not send it through the surface.
    #[inline]
    pub fn passes(&self, wi: Vec3, cos: f32) -> bool {
        self.shading.geometric_normal.dot(wi) * cos > 0.0
    }

    /// Returns the media of light that goes on from the vertex in a direction with `cos` to the shading normal.
    #[inline]
    pub fn media_beyond(&self, scene: &ShadingScene, path: &PathState, cos: f32) -> InMedia {
        if scene.media.is_empty() {
            return path.media;
        }
        let material = &scene.materials[self.point.material as usize];
        let at = Boundary { material, touching: self.point.touching, from_behind: self.wo.z < 0.0 };
        InMedia::at_start(path.media.stack.beyond(&at, cos < 0.0))
    }

    /// Returns the vertex's scattering model.
    #[inline]
    pub fn bsdf(&self) -> &Bsdf {
        &self.shading.bsdf
    }
}
