//! Connections to lights: `crate::light`'s sampling, a path a lane.
//!
//! Triangles and parallelograms of one radiance that are farther than their size have a text here, and so has an
//! environment ([`super::environment`]); what a path chooses besides is sampled by the scalar text, for the lanes that
//! chose it, and joins the others.

use super::environment::{Sky, SkySamples};
use super::point::offset_from_triangle;
use super::tables::{Tables, flag};
use super::vec3::{Vec3s, is_finite};
use super::vertices::has_flag;
use super::warp::uniform_triangle;
use crate::flat::{LEAST_LENGTH, LightKind, MOST_LENGTH, ShadingScene};
use crate::light::planar::OUT_OF_PLANE;
use crate::light::{self, LightSample};
use glam::Vec3;
use raywarp_lanes::{Mask, Vector, Words};

/// Connections to lights, one per lane, as [`LightSample`] for one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct LightSamples<V, M> {
    pub wi: Vec3s<V>,
    pub target: Vec3s<V>,
    /// Lanes whose connection ends at a point; the others' light is infinitely far away.
    pub has_target: M,
    pub weight: Vec3s<V>,
    pub pdf: V,
    /// Lanes in which a connection was found.
    pub found: M,
}

/// Samples connections from `points` to lights chosen by `u_choice`, in the lanes of `mask`.
#[inline(always)]
pub(super) fn sample<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    tables: &Tables,
    sky: Option<&Sky>,
    points: Vec3s<V>,
    u_choice: V,
    u: [V; 2],
    mask: V::Mask,
) -> LightSamples<V, V::Mask> {
    let set = u_choice.set();
    let none = V::Mask::from_bits(set, 0);
    let zero = V::splat(set, 0.0);
    let nowhere = Vec3s { x: zero, y: zero, z: zero };
    let mut samples =
        LightSamples { wi: nowhere, target: nowhere, has_target: none, weight: nowhere, pdf: zero, found: none };
    if tables.cells.is_empty() {
        return samples;
    }
    let mut in_vectors = none;
    // With more lights an index has no room beside its rest.
    if tables.cells.len() < 1 << 16 {
        let index = choose::<V, N>(tables, u_choice, mask);
        let light: [V::Words; 4] = index.gather_records(&tables.lights, mask);
        let is_planar = mask & has_flag::<V, N>(light[3], flag::PLANAR);
        if is_planar.any() {
            (samples, in_vectors) = planar(scene, points, index, &light, u, is_planar);
        }
        let is_sky = mask & has_flag::<V, N>(light[3], flag::SKY);
        if let (true, Some(sky)) = (is_sky.any(), sky) {
            samples = samples.with_sky::<N>(&sky.connect(u, V::from_bits(light[0]), is_sky), is_sky);
            in_vectors = in_vectors | is_sky;
        }
    }
    let rest = mask & !in_vectors;
    if rest.any() {
        samples = samples.with_one_by_one::<N>(scene, points, u_choice, u, rest);
    }
    samples
}

/// Returns the lights chosen by the numbers `u`, as `raywarp_sample::warp::choose_by_alias` does in integers. Numbers
/// of every sampler are whole multiples of 2^-32, and so is the product that is exact in `f64` there.
#[inline(always)]
fn choose<V: Vector<N>, const N: usize>(tables: &Tables, u: V, mask: V::Mask) -> V::Words {
    let set = u.set();
    let count = V::Words::splat(set, tables.cells.len() as u32);
    let number = (u * V::splat(set, 4_294_967_296.0)).to_u32();
    let low = (number & V::Words::splat(set, 0xFFFF)) * count;
    let high = number.shr(16) * count + low.shr(16);
    let cell = high.shr(16);
    let within = high.shl(16) | (low & V::Words::splat(set, 0xFFFF));
    let [own, alias, _, _] = cell.gather_records(&tables.cells, mask);
    V::Words::select(within.lt(own), cell, alias)
}

/// Samples connections to triangles and parallelograms by area, as `crate::light::planar` does; returns also the lanes
/// whose lights are far enough away for that.
#[inline(always)]
fn planar<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    points: Vec3s<V>,
    index: V::Words,
    &[r, g, b, flags]: &[V::Words; 4],
    u: [V; 2],
    mask: V::Mask,
) -> (LightSamples<V, V::Mask>, V::Mask) {
    let set = u[0].set();
    let (zero, half, one) = (V::splat(set, 0.0), V::splat(set, 0.5), V::splat(set, 1.0));
    let records = index.gather_records(bytemuck::cast_slice::<_, [u32; 16]>(&scene.lights), mask);
    let both_sides = has_flag::<V, N>(flags, flag::BOTH_SIDES);
    let is_triangle = records[0].eq(V::Words::splat(set, LightKind::Triangle.tag()));
    let value = V::from_bits(records[3]);
    let at = Vec3s::<V>::of_words(&records[4..7]);
    let edges = [Vec3s::<V>::of_words(&records[7..10]), Vec3s::of_words(&records[10..13])];
    let normal = Vec3s::<V>::of_words(&records[13..16]);

    let is_behind = normal.dot(points - at).le(zero) & !both_sides;
    // Near lights are sampled by their solid angle.
    let middle = V::select(is_triangle, V::splat(set, 1.0 / 3.0), half);
    let away = at + (edges[0] + edges[1]) * middle - points;
    let is_far = away.length_squared().gt(edges[0].length_squared() + edges[1].length_squared());
    // The squares of others have not all their digits.
    let area = edges[0].cross(edges[1]).length_squared().sqrt();
    let is_plain = area.gt(V::splat(set, LEAST_LENGTH)) & area.lt(V::splat(set, MOST_LENGTH));

    let [x, y] = uniform_triangle(u);
    // Rounding is moved in: by a sum above 1 for a triangle, and by each coordinate for a parallelogram.
    let (x, y) = (x.max(zero), y.max(zero));
    let sum = (x + y).max(one);
    let x = V::select(is_triangle, x / sum, u[0].max(zero).min(one));
    let y = V::select(is_triangle, y / sum, u[1].max(zero).min(one));
    let on_light = at + edges[0] * x + edges[1] * y;
    let to_light = on_light - points;
    let (wi, has_length) = to_light.try_normalize();
    let cos = -normal.dot(wi);
    let slant = cos.abs();
    let per_area = value / (V::select(is_triangle, half, one) * area);
    let pdf = per_area * to_light.length_squared() / slant;
    let pdf = V::select(slant.lt(V::splat(set, 1e-7)), zero, pdf);
    let radiance = Vec3s { x: V::from_bits(r), y: V::from_bits(g), z: V::from_bits(b) };
    let is_seen = !cos.le(zero) | both_sides;
    let found = has_length & !is_behind & pdf.gt(zero) & is_finite(pdf) & is_seen & radiance.is_something();

    let side = Vec3s::select(cos.gt(zero), normal, -normal);
    let width = (edges[0].abs() + edges[1].abs()).max_element();
    let width = V::select(is_triangle, width, V::splat(set, OUT_OF_PLANE) * width);
    let extent = width + to_light.abs().max_element();
    let target = offset_from_triangle(on_light, side, extent);
    let weight = radiance * (one / pdf);
    // Whoever is behind need not know how near it is.
    let is_here = mask & ((is_far & is_plain) | is_behind);
    (LightSamples { wi, target, has_target: is_here, weight, pdf, found: found & is_here }, is_here)
}

impl<V, M> LightSamples<V, M> {
    /// Replaces the connections in the lanes of `mask` by those to an environment.
    #[inline(always)]
    fn with_sky<const N: usize>(self, sky: &SkySamples<V, M>, mask: M) -> Self
    where
        V: Vector<N, Mask = M>,
        M: Mask<N, Set = V::Set>,
    {
        Self {
            wi: Vec3s::select(mask, sky.wi, self.wi),
            target: self.target,
            has_target: self.has_target & !mask,
            weight: Vec3s::select(mask, sky.weight, self.weight),
            pdf: V::select(mask, sky.pdf, self.pdf),
            found: (self.found & !mask) | (sky.found & mask),
        }
    }

    /// Adds the connections of the lanes in `rest`, found by scalar code.
    #[inline(always)]
    fn with_one_by_one<const N: usize>(
        self,
        scene: &ShadingScene,
        points: Vec3s<V>,
        u_choice: V,
        u: [V; 2],
        rest: M,
    ) -> Self
    where
        V: Vector<N, Mask = M>,
        M: Mask<N, Set = V::Set>,
    {
        let set = u_choice.set();
        let from = [points.x.store(), points.y.store(), points.z.store()];
        let (u_choice, u) = (u_choice.store(), [u[0].store(), u[1].store()]);
        let mut lanes = LaneArrays::<N>::of(&self);
        let (mut found, mut has_target) = (self.found.bits(), self.has_target.bits());
        let mut bits = rest.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let point = Vec3::new(from[0][lane], from[1][lane], from[2][lane]);
            let sample = light::sample(scene, point, u_choice[lane], [u[0][lane], u[1][lane]]);
            found &= !(1 << lane);
            has_target &= !(1 << lane);
            if let Some(sample) = sample {
                found |= 1 << lane;
                has_target |= u32::from(sample.target.is_some()) << lane;
                lanes.put(lane, &sample);
            }
        }
        lanes.load(set, M::from_bits(set, found), M::from_bits(set, has_target))
    }
}

/// Connections of all lanes in memory: direction `wi`, target, weight and density.
struct LaneArrays<const N: usize>([[f32; N]; 10]);

impl<const N: usize> LaneArrays<N> {
    #[inline(always)]
    fn of<V: Vector<N>, M>(samples: &LightSamples<V, M>) -> Self {
        let LightSamples { wi, target, weight, pdf, .. } = samples;
        Self([
            wi.x.store(),
            wi.y.store(),
            wi.z.store(),
            target.x.store(),
            target.y.store(),
            target.z.store(),
            weight.x.store(),
            weight.y.store(),
            weight.z.store(),
            pdf.store(),
        ])
    }

    fn put(&mut self, lane: usize, sample: &LightSample) {
        let target = sample.target.unwrap_or(Vec3::ZERO);
        let coordinates = [sample.wi, target, sample.weight].into_iter().flat_map(|v| v.to_array());
        self.0.iter_mut().zip(coordinates.chain([sample.pdf])).for_each(|(lanes, x)| lanes[lane] = x);
    }

    #[inline(always)]
    fn load<V: Vector<N>>(&self, set: V::Set, found: V::Mask, has_target: V::Mask) -> LightSamples<V, V::Mask> {
        let [a, b, c, d, e, f, g, h, i, j] = &self.0;
        LightSamples {
            wi: Vec3s { x: V::load(set, a), y: V::load(set, b), z: V::load(set, c) },
            target: Vec3s { x: V::load(set, d), y: V::load(set, e), z: V::load(set, f) },
            has_target,
            weight: Vec3s { x: V::load(set, g), y: V::load(set, h), z: V::load(set, i) },
            pdf: V::load(set, j),
            found,
        }
    }
}
