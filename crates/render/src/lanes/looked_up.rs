//! Look-ups that lanes do by the scalar text: textures are programs, a different one a lane, and few surfaces shine.

use super::point::Points;
use super::vec3::{Vec3s, of_lane};
use super::vertices::Entries;
use crate::bsdf::{Bsdf, Scattering};
use crate::flat::{MaterialRecord, ShadingScene, TriangleRecord};
use crate::path::QueuedPath;
use crate::surface::{SurfacePoint, bent_towards, texture_point};
use crate::texture::{Inputs, TexturePoint, color};
use crate::vertex::{Transport, from_surface};
use glam::{Vec2, Vec3};
use raywarp_geom::{Hit, Ray};
use raywarp_lanes::{Vector, Words};

/// Positions of the lanes' hits on their triangles, in memory for scalar code.
struct Places<const N: usize> {
    materials: [u32; N],
    attributes: [u32; N],
    instances: [u32; N],
    primitives: [u32; N],
    u: [u32; N],
    v: [u32; N],
}

impl<const N: usize> Places<N> {
    #[inline(always)]
    fn of<W: Words<N>, M>(entries: &Entries<W, M>) -> Self {
        let Entries { hit, record, .. } = entries;
        Self {
            materials: record[12].store(),
            attributes: record[14].store(),
            instances: record[13].store(),
            primitives: hit[3].store(),
            u: hit[1].store(),
            v: hit[2].store(),
        }
    }

    fn barycentrics(&self, lane: usize) -> Vec2 {
        Vec2::new(f32::from_bits(self.u[lane]), f32::from_bits(self.v[lane]))
    }

    /// Returns where a lane's surface is, but for its vectors.
    fn point(&self, scene: &ShadingScene, lane: usize) -> SurfacePoint {
        let (instance, barycentrics) = (self.instances[lane], self.barycentrics(lane));
        let hit = Hit { t: 0.0, u: barycentrics.x, v: barycentrics.y, primitive: self.primitives[lane] };
        SurfacePoint {
            material: self.materials[lane] & TriangleRecord::MATERIAL,
            instance,
            triangle: scene.triangle_of(&hit, instance),
            attributes: self.attributes[lane],
            barycentrics,
            ..SurfacePoint::NONE
        }
    }

    fn look_up<'s>(&self, scene: &'s ShadingScene, lane: usize) -> (&'s MaterialRecord, TexturePoint) {
        let material = &scene.materials[(self.materials[lane] & TriangleRecord::MATERIAL) as usize];
        (material, texture_point(scene, self.attributes[lane], self.barycentrics(lane)))
    }
}

/// Returns the reflectances of Lambert surfaces, in `textured` lanes from textures by scalar code.
#[inline(always)]
pub(super) fn reflectances<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    constant: Vec3s<V>,
    entries: &Entries<V::Words, V::Mask>,
    textured: u32,
) -> Vec3s<V> {
    let set = constant.x.set();
    let [mut x, mut y, mut z] = [constant.x.store(), constant.y.store(), constant.z.store()];
    let places = Places::of(entries);
    let mut bits = textured;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let (material, at) = places.look_up(scene, lane);
        let color = color(scene, &scene.inputs[material.first_input as usize], &at).clamp(Vec3::ZERO, Vec3::ONE);
        (x[lane], y[lane], z[lane]) = color.into();
    }
    Vec3s { x: V::load(set, &x), y: V::load(set, &y), z: V::load(set, &z) }
}

/// Returns the shading normals as seen along `wo`: `plain` ones, and in `bent` lanes those of normal or bump maps, by
/// scalar code.
#[inline(always)]
pub(super) fn bent_normals<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    points: &Points<V>,
    wo: Vec3s<V>,
    plain: Vec3s<V>,
    entries: &Entries<V::Words, V::Mask>,
    bent: u32,
) -> Vec3s<V> {
    let set = plain.x.set();
    let (geometric, shading, towards) = (points.geometric_normal.store(), points.shading_normal.store(), wo.store());
    let mut normals = plain.store();
    let places = Places::of(entries);
    let mut bits = bent;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let (material, at) = places.look_up(scene, lane);
        let point = SurfacePoint {
            geometric_normal: of_lane(&geometric, lane).into(),
            shading_normal: of_lane(&shading, lane).into(),
            ..places.point(scene, lane)
        };
        let wo = of_lane(&towards, lane).into();
        let normal = bent_towards(scene, material, material.kind(), &point, &at, wo);
        (normals[0][lane], normals[1][lane], normals[2][lane]) = normal.into();
    }
    Vec3s { x: V::load(set, &normals[0]), y: V::load(set, &normals[1]), z: V::load(set, &normals[2]) }
}

/// Evaluates the materials of `textured` lanes by scalar code and stores their parameters, encoded by `record`, in
/// `words`; returns the lanes whose model the vector code knows.
#[inline(always)]
pub(super) fn parameters<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    scattering: Scattering,
    words: &mut [V::Words; 12],
    entries: &Entries<V::Words, V::Mask>,
    textured: u32,
    record: fn(&Bsdf) -> Option<[u32; 12]>,
) -> u32 {
    let set = words[0].set();
    let mut rows = [[0; N]; 12];
    for i in 0..12 {
        rows[i] = words[i].store();
    }
    let places = Places::of(entries);
    let (mut bits, mut known) = (textured, 0);
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let (material, at) = places.look_up(scene, lane);
        if let Some(found) = record(&Bsdf::look_up(&Inputs { scene, material, at: &at, scattering }, 0.5)) {
            known |= 1 << lane;
            rows.iter_mut().zip(found).for_each(|(row, word)| row[lane] = word);
        }
    }
    for i in 0..12 {
        words[i] = V::Words::load(set, &rows[i]);
    }
    known
}

/// Adds the light that surfaces in `emitting` lanes emit along the path, by scalar code; `cos` is the cosine at the
/// surface.
#[inline(always)]
pub(super) fn emissions<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    transport: &Transport,
    bounce: u32,
    entries: &Entries<V::Words, V::Mask>,
    cos: V,
    emitting: u32,
    radiance: &mut [Vec3],
) {
    let places = Places::of(entries);
    let (t, cos) = (entries.hit[0].store(), cos.store());
    let (mut rays, mut paths) = ([[0; N]; 8], [[0; N]; 12]);
    for i in 0..8 {
        rays[i] = entries.ray[i].store();
    }
    for i in 0..12 {
        paths[i] = entries.path[i].store();
    }
    let mut bits = emitting;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let ray: Ray = bytemuck::cast(rays.map(|row| row[lane]));
        let path: QueuedPath = bytemuck::cast(paths.map(|row| row[lane]));
        let point = places.point(scene, lane);
        let (state, t) = (path.state(bounce), f32::from_bits(t[lane]));
        radiance[path.slot as usize] += from_surface(scene, transport, &state, &ray, &point, cos[lane], t);
    }
}
