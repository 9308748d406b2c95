//! Ends of vertices: [`crate::vertex`]'s connection to a light and next direction, a path a lane.

use super::light::{self, LightSamples};
use super::media::Crossings;
use super::model::Model;
use super::numbers::Numbers;
use super::vec3::{Vec3s, is_finite, of_lane};
use super::vertices::{Entries, Stage, Vertices};
use crate::options::DirectLight;
use crate::path::QueuedPath;
use crate::vertex::{ALL_SPECULAR, FirstHit, InMedia, SPECULAR, dimension};
use glam::Vec3;
use raywarp_geom::Ray;
use raywarp_lanes::{Mask, Vector, Words};

impl Stage<'_> {
    /// Connects the vertices in the lanes of `mask` to lights, and sends their paths on.
    #[inline(always)]
    pub fn leave<V: Vector<N>, B: Model<V, N>, const N: usize>(
        &mut self,
        vertices: &Vertices<V, B>,
        entries: &Entries<V::Words, V::Mask>,
        mask: V::Mask,
    ) {
        let slots = entries.path[0].store();
        if self.bounce == 0 {
            self.keep_first_hits(vertices, &entries.hit, mask, &slots);
        }
        if !self.connects && self.is_last {
            return;
        }
        let [_, pixel, sample, _, x, y, z, _, state, ..] = entries.path;
        let throughput = Vec3s::<V>::of_words(&[x, y, z]);
        let mut numbers = Numbers::resume(self.transport.sampler, pixel, sample, state);
        if self.connects && !B::IS_SPECULAR {
            self.aim(vertices, throughput, &mut numbers, mask, &slots);
        }
        if !self.is_last {
            self.scatter(vertices, throughput, numbers, mask, entries);
        }
    }

    #[inline(always)]
    fn keep_first_hits<V: Vector<N>, B: Model<V, N>, const N: usize>(
        &mut self,
        vertices: &Vertices<V, B>,
        hit: &[V::Words; 4],
        mask: V::Mask,
        slots: &[u32; N],
    ) {
        let (albedo, normal) = (vertices.bsdf.albedo().store(), vertices.frames.normal.store());
        let depth = V::from_bits(hit[0]).store();
        let mut bits = mask.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let albedo = if self.transport.first_albedos { of_lane(&albedo, lane).into() } else { Vec3::ZERO };
            let normal = of_lane(&normal, lane).into();
            self.first_hit[slots[lane] as usize] = FirstHit { albedo, normal, depth: depth[lane] };
        }
    }

    /// Connects the vertices in the lanes of `mask` to lights, as [`crate::vertex`] does for one path.
    #[inline(always)]
    fn aim<V: Vector<N>, B: Model<V, N>, const N: usize>(
        &mut self,
        vertices: &Vertices<V, B>,
        throughput: Vec3s<V>,
        numbers: &mut Numbers<V::Words>,
        mask: V::Mask,
        slots: &[u32; N],
    ) {
        let Vertices { points, frames, wo, bsdf } = vertices;
        let u_choice: V = numbers.next_1d(self.first + dimension::LIGHT);
        let u: [V; 2] = numbers.next_2d(self.first + dimension::LIGHT + 1);
        let LightSamples { wi, target, has_target, weight, pdf, found } =
            light::sample::<V, N>(self.scene, self.tables, self.sky.as_ref(), points.position, u_choice, u, mask);
        let set = u_choice.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let local = frames.to_local(wi);
        let (value, scatter_pdf, is_lit) = bsdf.eval(*wo, local);
        let is_lit = is_lit & points.pass(wi, local.z) & value.is_something();
        let mut heuristic = one;
        if self.transport.direct == DirectLight::Both && !self.is_last {
            let ratio = scatter_pdf / pdf;
            heuristic = V::select(pdf.gt(zero), one / (one + ratio * ratio), one);
        }
        let contribution = throughput * value * weight * heuristic;
        let mask = mask & found & is_lit & contribution.is_finite() & contribution.is_something();
        if !mask.any() {
            return;
        }
        let origin = points.origins_towards(wi);
        let direction = Vec3s::select(has_target, target - origin, wi);
        let t_max = V::select(has_target, one, V::splat(set, f32::INFINITY)).store();
        let (origin, direction, contribution) = (origin.store(), direction.store(), contribution.store());
        let has_media = !self.scene.media.is_empty();
        let mut bits = mask.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let ray = Ray::new(of_lane(&origin, lane), of_lane(&direction, lane)).with_interval(0.0, t_max[lane]);
            self.shadow.push(ray, slots[lane], of_lane(&contribution, lane).into());
            if has_media {
                self.shadow.media.push(InMedia::default());
            }
        }
    }

    /// Samples the next directions of the paths in the lanes of `mask`, as [`crate::vertex`] does for one path.
    #[inline(always)]
    fn scatter<V: Vector<N>, B: Model<V, N>, const N: usize>(
        &mut self,
        vertices: &Vertices<V, B>,
        throughput: Vec3s<V>,
        mut numbers: Numbers<V::Words>,
        mask: V::Mask,
        entries: &Entries<V::Words, V::Mask>,
    ) {
        let Vertices { points, frames, wo, bsdf } = vertices;
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let mut u_lobe = V::splat(set, 0.5);
        // The number of a model without lobes is passed over.
        if B::CHOOSES {
            u_lobe = numbers.next_1d(self.first + dimension::SCATTER);
        }
        let u: [V; 2] = numbers.next_2d(self.first + dimension::SCATTER + 1);
        let (sample, found) = bsdf.sample(*wo, u_lobe, u);
        let wi = frames.to_world(sample.wi);
        let mask = mask & found & points.pass(wi, sample.wi.z);

        let mut throughput = throughput * sample.weight;
        let largest = throughput.max_element();
        let mut lives = mask & largest.gt(zero) & is_finite(largest);
        let plays = lives & !largest.ge(V::splat(set, self.transport.roulette_below));
        let mut state = numbers.state;
        if plays.any() {
            let survival = largest * V::splat(set, self.transport.roulette_scale);
            let number: V = numbers.next_1d(self.first + dimension::ROULETTE);
            lives = lives & (!plays | number.lt(survival));
            throughput = Vec3s::select(plays, throughput * (one / survival), throughput);
            state = V::Words::select(plays, numbers.state, state);
        }
        if !lives.any() {
            return;
        }
        let (origin, direction) = (points.origins_towards(wi).store(), wi.store());
        let (throughput, pdf, state) = (throughput.store(), sample.pdf.store(), state.store());
        let [slot, pixel, path_sample, flags, ..] = entries.path;
        let (slot, pixel, path_sample) = (slot.store(), pixel.store(), path_sample.store());
        let mut flags_on = [0; N];
        if B::IS_SPECULAR {
            let (specular, all) = (V::Words::splat(set, SPECULAR.into()), V::Words::splat(set, ALL_SPECULAR.into()));
            flags_on = (specular | (flags & all)).store();
        }
        // Paths in a medium, and those that may come into one, are shaded one by one where they may not go through.
        let mut crossings = None;
        if B::IS_SPECULAR && !self.scene.media.is_empty() {
            crossings = Some(Crossings::<N>::of::<V::Words>(self.scene, self.touching, entries, lives));
        }
        let (from_behind, to_behind) = (wo.z.lt(zero).bits(), sample.wi.z.lt(zero).bits());
        let mut bits = lives.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            self.next_rays.push(Ray::new(of_lane(&origin, lane), of_lane(&direction, lane)));
            self.next_paths.push(QueuedPath {
                slot: slot[lane],
                pixel: pixel[lane],
                sample: path_sample[lane],
                flags: flags_on[lane],
                throughput: of_lane(&throughput, lane).into(),
                previous_pdf: pdf[lane],
                sampler_state: state[lane],
                media: crossings.as_ref().map_or(InMedia::default(), |crossings| {
                    crossings.beyond(lane, from_behind >> lane & 1 == 1, to_behind >> lane & 1 == 1)
                }),
            });
        }
    }
}
