//! Plain diffuse surfaces: `crate::vertex::leave` for Lambert's model with one reflectance, a path a lane.

use super::light::{self, LightSamples};
use super::numbers::Numbers;
use super::point::{Points, facing, points};
use super::tables::Tables;
use super::vec3::{Vec3s, copysign, is_finite};
use super::warp::{Frames, cosine_hemisphere, cosine_hemisphere_pdf};
use super::{Lanes, Queues};
use crate::flat::{ShadingScene, TriangleRecord};
use crate::options::DirectLight;
use crate::path::{QueuedPath, ShadowQueue, Wave};
use crate::vertex::{CAMERA_DIMENSIONS, FirstHit, Transport, dimension};
use glam::Vec3;
use raywarp_geom::Ray;
use raywarp_lanes::{InstructionSet, Mask, Task, Vector, Words};

/// Shades the diffuse queue of a wave.
pub(super) struct Shade<'a> {
    pub lanes: Lanes,
    pub scene: &'a ShadingScene,
    pub transport: &'a Transport,
    pub tables: &'a Tables,
    pub wave: &'a mut Wave,
}

impl Task for Shade<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) {
        match self.lanes {
            Lanes::Eight => self.all::<S::F8, 8>(set),
            Lanes::Sixteen => self.all::<S::F16, 16>(set),
        }
    }
}

/// What the lanes know of their paths.
struct Vertices<V, W> {
    wo: Vec3s<V>,
    points: Points<V>,
    frames: Frames<V>,
    reflectance: Vec3s<V>,
    throughput: Vec3s<V>,
    numbers: Numbers<W>,
}

impl Shade<'_> {
    #[inline(always)]
    fn all<V: Vector<N>, const N: usize>(self, set: V::Set) {
        let Self { scene, transport, tables, wave, .. } = self;
        let bounce = wave.bounce;
        let is_last = transport.is_last(bounce);
        let connects = transport.direct != DirectLight::Scattering && (!is_last || transport.connect_last);
        let first = CAMERA_DIMENSIONS + bounce * dimension::COUNT;
        let Wave { rays, hits, paths, first_hit, next_rays, next_paths, shadow, queues, .. } = wave;
        let Queues { diffuse, triangles, one_by_one, vertices: all, in_vectors, .. } = queues;
        let mut out = Out { next_rays, next_paths, shadow };
        for (entries, triangles) in diffuse.chunks(N).zip(triangles.chunks(N)) {
            let mask = V::Mask::first(set, entries.len());
            let entry = V::Words::load_part(set, entries);
            let triangle = V::Words::load_part(set, triangles);
            let ray: [V::Words; 8] = entry.gather_records(bytemuck::cast_slice::<Ray, [u32; 8]>(rays), mask);
            let [t, u, v, _] = entry.gather_records(bytemuck::cast_slice::<_, [u32; 4]>(hits.as_slice()), mask);
            let path: [V::Words; 12] = entry.gather_records(bytemuck::cast_slice::<QueuedPath, _>(paths), mask);
            let record: [V::Words; 16] =
                triangle.gather_records(bytemuck::cast_slice::<TriangleRecord, _>(&scene.triangles), mask);
            let (points, is_plain) = points::<V, N>(&record, V::from_bits(u), V::from_bits(v));
            let material = record[12] & V::Words::splat(set, TriangleRecord::MATERIAL);
            let [r, g, b, _] = material.gather_records(&tables.materials, mask);
            let rare = (mask & !is_plain).bits();
            if rare != 0 {
                one_by_one.extend((0..entries.len()).filter(|lane| rare >> lane & 1 != 0).map(|lane| entries[lane]));
            }
            let mask = mask & is_plain;
            *all += mask.count() as u64;
            *in_vectors += mask.count() as u64;

            let wo = -Vec3s::<V>::of_words(&ray[4..7]);
            let normal = facing(points.shading_normal, points.geometric_normal, wo);
            let mut vertices = Vertices {
                wo,
                points,
                frames: Frames::around(normal),
                reflectance: Vec3s::of_words(&[r, g, b]),
                throughput: Vec3s::of_words(&path[4..7]),
                numbers: Numbers::resume(transport.sampler, path[1], path[2], path[8]),
            };
            let mut slots = [0; N];
            slots.copy_from_slice(&path[0].store());
            if bounce == 0 {
                let albedo = [r.store(), g.store(), b.store()];
                let normal = [normal.x.store(), normal.y.store(), normal.z.store()];
                let depth = V::from_bits(t).store();
                for lane in 0..N {
                    if mask.bits() >> lane & 1 != 0 {
                        let albedo = if transport.first_albedos { at(&albedo, lane) } else { [0; 3] };
                        first_hit[slots[lane] as usize] = FirstHit {
                            albedo: Vec3::from(albedo.map(f32::from_bits)),
                            normal: at(&normal, lane).into(),
                            depth: depth[lane],
                        };
                    }
                }
            }
            if connects {
                vertices.aim::<N>(scene, transport, tables, is_last, first, mask, &slots, &mut out);
            }
            if !is_last {
                vertices.scatter::<N>(transport, first, mask, &path, &mut out);
            }
        }
    }
}

/// Of three numbers a lane those of one.
#[inline(always)]
fn at<T: Copy, const N: usize>([x, y, z]: &[[T; N]; 3], lane: usize) -> [T; 3] {
    [x[lane], y[lane], z[lane]]
}

/// Where shaded paths go.
struct Out<'a> {
    next_rays: &'a mut Vec<Ray>,
    next_paths: &'a mut Vec<QueuedPath>,
    shadow: &'a mut ShadowQueue,
}

impl<V, W> Vertices<V, W> {
    /// Which directions pass that have this cosine to the shading normal.
    #[inline(always)]
    fn passes<const N: usize>(&self, wi: Vec3s<V>, cos: V) -> V::Mask
    where
        V: Vector<N>,
    {
        (self.points.geometric_normal.dot(wi) * cos).gt(V::splat(cos.set(), 0.0))
    }

    /// Connects the lanes of `mask` to lights; `first` is the vertex's first dimension.
    #[inline(always)]
    fn aim<const N: usize>(
        &mut self,
        scene: &ShadingScene,
        transport: &Transport,
        tables: &Tables,
        is_last: bool,
        first: u32,
        mask: V::Mask,
        slots: &[u32; N],
        out: &mut Out<'_>,
    ) where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let u_choice: V = self.numbers.next_1d(first + dimension::LIGHT);
        let u: [V; 2] = self.numbers.next_2d(first + dimension::LIGHT + 1);
        let LightSamples { wi, target, has_target, weight, pdf, found } =
            light::sample::<V, N>(scene, tables, self.points.position, u_choice, u, mask);
        let set = u_choice.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let local = self.frames.to_local(wi);
        let scatter_pdf = cosine_hemisphere_pdf(local.z.abs());
        let value = self.reflectance * scatter_pdf;
        let wo_z = self.frames.normal.dot(self.wo);
        let is_lit = (wo_z * local.z).gt(zero) & self.passes(wi, local.z) & value.is_something();
        let mut heuristic = one;
        if transport.direct == DirectLight::Both && !is_last {
            let ratio = scatter_pdf / pdf;
            heuristic = V::select(pdf.gt(zero), one / (one + ratio * ratio), one);
        }
        let contribution = self.throughput * value * weight * heuristic;
        let mask = mask & found & is_lit & contribution.is_finite() & contribution.is_something();
        if !mask.any() {
            return;
        }
        let origin = self.points.origins_towards(wi);
        let direction = Vec3s::select(has_target, target - origin, wi);
        let origin = [origin.x.store(), origin.y.store(), origin.z.store()];
        let direction = [direction.x.store(), direction.y.store(), direction.z.store()];
        let t_max = V::select(has_target, one, V::splat(set, f32::INFINITY)).store();
        let contribution = [contribution.x.store(), contribution.y.store(), contribution.z.store()];
        let mut bits = mask.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let ray = Ray::new(at(&origin, lane), at(&direction, lane)).with_interval(0.0, t_max[lane]);
            out.shadow.push(ray, slots[lane], at(&contribution, lane).into());
        }
    }

    /// Sends the lanes of `mask` on.
    #[inline(always)]
    fn scatter<const N: usize>(
        &mut self,
        transport: &Transport,
        first: u32,
        mask: V::Mask,
        path: &[W; 12],
        out: &mut Out<'_>,
    ) where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        // Lambert's model has no lobe to choose: its number is passed over.
        let u: [V; 2] = self.numbers.next_2d(first + dimension::SCATTER + 1);
        let set = u[0].set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let mut local = cosine_hemisphere(u);
        let pdf = cosine_hemisphere_pdf(local.z);
        let wo_z = self.frames.normal.dot(self.wo);
        local.z = copysign(local.z, wo_z);
        let wi = self.frames.to_world(local);
        let is_sampled = self.reflectance.max_element().gt(zero) & pdf.gt(zero);
        let mask = mask & is_sampled & self.passes(wi, local.z);

        let mut throughput = self.throughput * self.reflectance;
        let largest = throughput.max_element();
        let mut lives = mask & largest.gt(zero) & is_finite(largest);
        let plays = lives & !largest.ge(V::splat(set, transport.roulette_below));
        let mut state = self.numbers.state;
        if plays.any() {
            let survival = largest * V::splat(set, transport.roulette_scale);
            let number: V = self.numbers.next_1d(first + dimension::ROULETTE);
            lives = lives & (!plays | number.lt(survival));
            throughput = Vec3s::select(plays, throughput * (one / survival), throughput);
            state = W::select(plays, self.numbers.state, state);
        }
        if !lives.any() {
            return;
        }
        let origin = self.points.origins_towards(wi);
        let origin = [origin.x.store(), origin.y.store(), origin.z.store()];
        let direction = [wi.x.store(), wi.y.store(), wi.z.store()];
        let throughput = [throughput.x.store(), throughput.y.store(), throughput.z.store()];
        let (pdf, state) = (pdf.store(), state.store());
        let (slot, pixel, sample) = (path[0].store(), path[1].store(), path[2].store());
        let media = [path[9].store(), path[10].store(), path[11].store()];
        let mut bits = lives.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            out.next_rays.push(Ray::new(at(&origin, lane), at(&direction, lane)));
            out.next_paths.push(QueuedPath {
                slot: slot[lane],
                pixel: pixel[lane],
                sample: sample[lane],
                flags: 0,
                throughput: at(&throughput, lane).into(),
                previous_pdf: pdf[lane],
                sampler_state: state[lane],
                media: bytemuck::cast(at(&media, lane)),
            });
        }
    }
}
