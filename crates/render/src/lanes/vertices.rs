//! Vertices: the entries of queues a lane each, the points and models that they have come to, and what these emit.

use super::Queues;
use super::blinn::{self, Blinn};
use super::environment::Sky;
use super::looked_up::{bent_normals, emissions, parameters, reflectances};
use super::media::Crossings;
use super::metal::{self, Metal};
use super::model::Diffuse;
use super::point::{Points, facing, points};
use super::principled::{self, Principled};
use super::specular::Specular;
use super::tables::{self, Tables, class};
use super::vec3::Vec3s;
use super::warp::Frames;
use super::width::AtWidth;
use crate::bsdf::Bsdf;
use crate::flat::{ShadingScene, TriangleRecord};
use crate::options::DirectLight;
use crate::path::{QueuedPath, ShadowQueue, Wave};
use crate::vertex::{CAMERA_DIMENSIONS, FirstHit, Transport, dimension};
use glam::Vec3;
use raywarp_geom::{Hit, Ray};
use raywarp_lanes::{Mask, Vector, Words};

/// Task that shades the queue of one [`class`] of a wave; a function per class compiles faster.
pub(super) struct Shade<'a, const CLASS: u32> {
    pub scene: &'a ShadingScene,
    pub transport: &'a Transport,
    pub tables: &'a Tables,
    pub wave: &'a mut Wave,
}

/// Records of queue entries (ray, hit, path, triangle), transposed to one vector per word.
pub(super) struct Entries<W, M> {
    /// Indices of the entries in their wave.
    pub entry: W,
    pub ray: [W; 8],
    pub hit: [W; 4],
    pub path: [W; 12],
    pub record: [W; 16],
    /// Lanes that have an entry.
    pub mask: M,
}

impl<const CLASS: u32> AtWidth for Shade<'_, CLASS> {
    #[inline(always)]
    fn at_width<V: Vector<N>, const N: usize>(self, set: V::Set) {
        let Self { scene, transport, tables, wave, .. } = self;
        let bounce = wave.bounce;
        let is_last = transport.is_last(bounce);
        let Wave { touching, rays, hits, paths, radiance, first_hit, next_rays, next_paths, shadow, queues, .. } = wave;
        let Queues { diffuse, principled, blinn, metal, specular, one_by_one, vertices, in_vectors, records, .. } =
            queues;
        let records = if scene.is_flat() { &scene.triangles } else { &*records };
        let mut stage = Stage {
            scene,
            transport,
            tables,
            sky: Sky::of(scene),
            touching,
            bounce,
            is_last,
            connects: transport.direct != DirectLight::Scattering && (!is_last || transport.connect_last),
            first: CAMERA_DIMENSIONS + bounce * dimension::COUNT,
            radiance,
            first_hit,
            next_rays,
            next_paths,
            shadow,
        };
        let queue = match CLASS {
            class::PRINCIPLED => &*principled,
            class::BLINN => &*blinn,
            class::METAL => &*metal,
            class::SPECULAR => &*specular,
            _ => &*diffuse,
        };
        for (entries, triangles) in queue.entries.chunks(N).zip(queue.triangles.chunks(N)) {
            let there = V::Mask::first(set, entries.len());
            let entry = V::Words::load_part(set, entries);
            let triangle = V::Words::load_part(set, triangles);
            let entry = Entries {
                entry,
                ray: entry.gather_records(bytemuck::cast_slice::<Ray, _>(rays), there),
                hit: entry.gather_records(bytemuck::cast_slice::<Hit, _>(hits), there),
                path: entry.gather_records(bytemuck::cast_slice::<QueuedPath, _>(paths), there),
                record: triangle.gather_records(bytemuck::cast_slice::<TriangleRecord, _>(records), there),
                mask: there,
            };
            let done = match CLASS {
                class::PRINCIPLED => stage.principled::<V, N>(&entry),
                class::BLINN => stage.blinn::<V, N>(&entry),
                class::METAL => stage.metal::<V, N>(&entry),
                class::SPECULAR => stage.specular::<V, N>(entry),
                _ => stage.diffuse::<V, N>(&entry),
            };
            *vertices += u64::from(done.count_ones());
            *in_vectors += u64::from(done.count_ones());
            if (done as usize) != (1 << entries.len()) - 1 {
                let left = |lane: &usize| done >> lane & 1 == 0;
                one_by_one.extend((0..entries.len()).filter(left).map(|lane| entries[lane]));
            }
        }
    }
}

/// What the vertices of a wave have in common, with the queues to which their next rays go.
pub(super) struct Stage<'a> {
    pub scene: &'a ShadingScene,
    pub transport: &'a Transport,
    pub tables: &'a Tables,
    pub sky: Option<Sky<'a>>,
    /// Media of bodies that touch another where rays end, by entry of the wave.
    pub touching: &'a [u32],
    pub bounce: u32,
    pub is_last: bool,
    pub connects: bool,
    /// First sampler dimension that the vertices use.
    pub first: u32,
    pub radiance: &'a mut [Vec3],
    pub first_hit: &'a mut [FirstHit],
    pub next_rays: &'a mut Vec<Ray>,
    pub next_paths: &'a mut Vec<QueuedPath>,
    pub shadow: &'a mut ShadowQueue,
}

/// Vertices of the lanes' paths: surface points, frames and scattering models.
pub(super) struct Vertices<V, B> {
    pub points: Points<V>,
    pub frames: Frames<V>,
    /// Directions to the viewer, in the shading frames.
    pub wo: Vec3s<V>,
    pub bsdf: B,
}

/// Points and parameters of microfacet surfaces, before their models are prepared.
struct Faceted<V, W, M> {
    points: Points<V>,
    frames: Frames<V>,
    wo: Vec3s<V>,
    kind: W,
    words: [W; 12],
    /// Lanes that vector code can shade.
    mask: M,
}

impl Stage<'_> {
    /// Shades Lambert surfaces; returns a bit mask of the lanes that it could shade.
    #[inline(always)]
    fn diffuse<V: Vector<N>, const N: usize>(&mut self, entries: &Entries<V::Words, V::Mask>) -> u32 {
        let material = entries.record[12] & V::Words::splat(entries.entry.set(), TriangleRecord::MATERIAL);
        let [r, g, b, kind] = material.gather_records(&self.tables.materials, entries.mask);
        let (points, frames, wo, mask) = self.surfaces::<V, N>(entries, kind);
        let mut reflectance = Vec3s::<V>::of_words(&[r, g, b]);
        let textured = (mask & class_is::<V, N>(kind, class::TEXTURED_DIFFUSE)).bits();
        if textured != 0 {
            reflectance = reflectances(self.scene, reflectance, entries, textured);
        }
        self.emit::<V, N>(&points, entries, kind, mask);
        self.leave(&Vertices { points, frames, wo, bsdf: Diffuse { reflectance } }, entries, mask);
        mask.bits()
    }

    /// Shades mixed metal and dielectric; returns a bit mask of the lanes that it could shade.
    #[inline(always)]
    fn principled<V: Vector<N>, const N: usize>(&mut self, entries: &Entries<V::Words, V::Mask>) -> u32 {
        let Faceted { points, frames, wo, kind, words, mask } =
            self.faceted::<V, N>(entries, class::TEXTURED_PRINCIPLED, tables::principled);
        let parameters = principled::Parameters {
            base: Vec3s::of_words(&words[0..3]),
            f0: Vec3s::of_words(&words[3..6]),
            f90: V::from_bits(words[6]),
            alpha: V::from_bits(words[7]),
            metallic: V::from_bits(words[8]),
        };
        let bsdf = Principled::of(self.tables, self.transport.scattering, &parameters, wo);
        self.emit::<V, N>(&points, entries, kind, mask);
        self.leave(&Vertices { points, frames, wo, bsdf }, entries, mask);
        mask.bits()
    }

    /// Shades Lambert surfaces under Blinn facets; returns a bit mask of the lanes that it could shade.
    #[inline(always)]
    fn blinn<V: Vector<N>, const N: usize>(&mut self, entries: &Entries<V::Words, V::Mask>) -> u32 {
        let Faceted { points, frames, wo, kind, words, mask } =
            self.faceted::<V, N>(entries, class::TEXTURED_BLINN, tables::blinn);
        let parameters = blinn::Parameters {
            diffuse: Vec3s::of_words(&words[0..3]),
            specular: Vec3s::of_words(&words[3..6]),
            exponent: V::from_bits(words[6]),
        };
        let bsdf = Blinn::of(self.tables, &parameters, wo);
        self.emit::<V, N>(&points, entries, kind, mask);
        self.leave(&Vertices { points, frames, wo, bsdf }, entries, mask);
        mask.bits()
    }

    /// Shades rough metal; returns a bit mask of the lanes that it could shade.
    #[inline(always)]
    fn metal<V: Vector<N>, const N: usize>(&mut self, entries: &Entries<V::Words, V::Mask>) -> u32 {
        let Faceted { points, frames, wo, kind, words, mask } =
            self.faceted::<V, N>(entries, class::TEXTURED_METAL, tables::metal);
        let parameters = metal::Parameters {
            eta: Vec3s::of_words(&words[0..3]),
            k: Vec3s::of_words(&words[3..6]),
            alpha: V::from_bits(words[6]),
            fresnel_mean: Vec3s::of_words(&words[8..11]),
        };
        let bsdf = Metal::of(self.tables, &parameters, wo);
        self.emit::<V, N>(&points, entries, kind, mask);
        self.leave(&Vertices { points, frames, wo, bsdf }, entries, mask);
        mask.bits()
    }

    /// Shades surfaces with delta lobes only; returns a bit mask of the lanes that it could shade.
    #[inline(always)]
    fn specular<V: Vector<N>, const N: usize>(&mut self, mut entries: Entries<V::Words, V::Mask>) -> u32 {
        let Faceted { points, frames, wo, kind, mut words, mask } =
            self.faceted::<V, N>(&entries, class::TEXTURED_SPECULAR, tables::specular);
        if !self.scene.media.is_empty() {
            let towards = -Vec3s::<V>::of_words(&entries.ray[4..7]);
            let behind = points.geometric_normal.dot(towards).lt(V::splat(wo.x.set(), 0.0));
            let crossings = Crossings::<N>::of::<V::Words>(self.scene, self.touching, &entries, mask);
            crossings.arrive::<V>(&mut entries, &mut words, behind.bits(), mask);
        }
        let bsdf = Specular::of(&words, wo);
        self.emit::<V, N>(&points, &entries, kind, mask);
        self.leave(&Vertices { points, frames, wo, bsdf }, &entries, mask);
        mask.bits()
    }

    /// Returns the entries' surface points, shading frames, local directions to the viewer, and the lanes where f32
    /// suffices; `kind` has their [`class`] words.
    #[inline(always)]
    fn surfaces<V: Vector<N>, const N: usize>(
        &self,
        entries: &Entries<V::Words, V::Mask>,
        kind: V::Words,
    ) -> (Points<V>, Frames<V>, Vec3s<V>, V::Mask) {
        let [_, u, v, _] = entries.hit;
        let (points, is_plain) = points::<V, N>(&entries.record, V::from_bits(u), V::from_bits(v));
        let mask = entries.mask & is_plain;
        let wo = -Vec3s::<V>::of_words(&entries.ray[4..7]);
        let mut normal = facing(points.shading_normal, points.geometric_normal, wo);
        let bent = (mask & has_flag::<V, N>(kind, class::BENT)).bits();
        if bent != 0 {
            normal = bent_normals(self.scene, &points, wo, normal, entries, bent);
        }
        let frames = Frames::around(normal);
        (points, frames, frames.to_local(wo), mask)
    }

    /// Gathers what microfacet models need of the entries; `record` encodes the parameters of lanes whose class is
    /// `textured`.
    #[inline(always)]
    fn faceted<V: Vector<N>, const N: usize>(
        &self,
        entries: &Entries<V::Words, V::Mask>,
        textured: u32,
        record: fn(&Bsdf) -> Option<[u32; 12]>,
    ) -> Faceted<V, V::Words, V::Mask> {
        let material = entries.record[12] & V::Words::splat(entries.entry.set(), TriangleRecord::MATERIAL);
        let [_, _, _, kind] = material.gather_records(&self.tables.materials, entries.mask);
        let (points, mut frames, mut wo, mut mask) = self.surfaces::<V, N>(entries, kind);
        let along = mask & has_flag::<V, N>(kind, class::ALONG_TANGENT);
        if along.any() {
            frames = frames.along_tangents::<N>(self.scene, entries, along);
            wo = frames.to_local(-Vec3s::<V>::of_words(&entries.ray[4..7]));
        }
        let mut words: [V::Words; 12] = material.gather_records(&self.tables.parameters, mask);
        let textured = (mask & class_is::<V, N>(kind, textured)).bits();
        if textured != 0 {
            let scattering = self.transport.scattering;
            let known = parameters::<V, N>(self.scene, scattering, &mut words, entries, textured, record);
            mask = mask & V::Mask::from_bits(wo.x.set(), known | !textured);
        }
        Faceted { points, frames, wo, kind, words, mask }
    }

    /// Adds the light that surfaces emit along the paths, by scalar code, since few do.
    #[inline(always)]
    fn emit<V: Vector<N>, const N: usize>(
        &mut self,
        points: &Points<V>,
        entries: &Entries<V::Words, V::Mask>,
        kind: V::Words,
        mask: V::Mask,
    ) {
        let emitting = (mask & has_flag::<V, N>(kind, class::EMITS)).bits();
        if emitting != 0 {
            let cos = -points.geometric_normal.dot(Vec3s::<V>::of_words(&entries.ray[4..7]));
            emissions::<V, N>(self.scene, self.transport, self.bounce, entries, cos, emitting, self.radiance);
        }
    }
}

/// Returns the lanes whose [`class`] word names this class.
#[inline(always)]
fn class_is<V: Vector<N>, const N: usize>(kind: V::Words, class: u32) -> V::Mask {
    let set = kind.set();
    (kind & V::Words::splat(set, !class::FLAGS)).eq(V::Words::splat(set, class))
}

/// Returns the lanes whose [`class`] word has this flag.
#[inline(always)]
pub(super) fn has_flag<V: Vector<N>, const N: usize>(kind: V::Words, flag: u32) -> V::Mask {
    let flag = V::Words::splat(kind.set(), flag);
    (kind & flag).eq(flag)
}
