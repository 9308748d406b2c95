//! The environment of a scene, where it is a map of floats: [`crate::light::Environment`], a direction a lane.

use super::elementary::{acos, atan2};
use super::vec3::{Vec3s, is_finite};
use super::warp::sin_cos_turn;
use crate::flat::{EnvironmentRecord, NONE, ShadingScene, Texels};
use crate::light::environment::tables;
use raywarp_lanes::{Mask, Vector, Words};
use raywarp_sample::hash::ONE_MINUS_EPSILON;
use std::f32::consts::{FRAC_1_PI, PI, TAU};

/// Environment light with a map, as vector code reads it, with the tables by which directions are sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sky<'s> {
    record: &'s EnvironmentRecord,
    texels: &'s [[u32; 4]],
    /// Columns and rows of the map.
    size: [u32; 2],
    /// Words of the sampling tables ([`raywarp_sample::warp::DensityTables::words`]) and their numbers of cells.
    words: &'s [u32],
    cells: [u32; 2],
}

/// Sampled directions to an environment, with the light from there.
#[derive(Debug, Clone, Copy)]
pub(super) struct SkySamples<V, M> {
    pub wi: Vec3s<V>,
    /// Radiance over the density of the direction.
    pub weight: Vec3s<V>,
    pub pdf: V,
    /// Lanes in which a direction was found.
    pub found: M,
}

/// Cells of cumulative tables in each lane, with the position within the cell and the cell's probability.
#[derive(Debug, Clone, Copy)]
struct Cells<V, W> {
    cell: W,
    within: V,
    probability: V,
}

impl<'s> Sky<'s> {
    /// Returns the environment of a scene that has exactly one, if it has a map of floats.
    pub fn of(scene: &'s ShadingScene) -> Option<Self> {
        let [record] = &scene.environments[..] else { return None };
        if record.image == NONE {
            return None;
        }
        let image = &scene.images[record.image as usize];
        let Texels::Float(texels) = &*image.texels else { return None };
        // Indices are counted in 32 bits here, and columns must be whole numbers of `f32`.
        if image.size.iter().chain(&record.size).any(|&side| side >= 1 << 15) {
            return None;
        }
        let words = tables(scene, record).words;
        Some(Self { record, texels: bytemuck::cast_slice(texels), size: image.size, words, cells: record.size })
    }

    /// Samples connections to the environment in the lanes of `mask`, where it was chosen with `probability`.
    #[inline(always)]
    pub fn connect<V: Vector<N>, const N: usize>(
        &self,
        u: [V; 2],
        probability: V,
        mask: V::Mask,
    ) -> SkySamples<V, V::Mask> {
        let set = probability.set();
        let (uv, density) = self.sample(u, mask);
        let (sin, cos) = sin_cos_turn(V::splat(set, 0.5) * uv[1]);
        let (s, c) = sin_cos_turn(uv[0]);
        let d = [-sin * s, cos, sin * c];
        let pdf = density / (V::splat(set, TAU * PI) * sin);
        let found = pdf.gt(V::splat(set, 0.0)) & is_finite(pdf);
        let rows = self.rows::<V, N>(set);
        let wi = rows[0] * d[0] + rows[1] * d[1] + rows[2] * d[2];
        let pdf = pdf * probability;
        let weight = self.look_up(uv, mask) * (V::splat(set, 1.0) / pdf);
        SkySamples { wi, weight, pdf, found }
    }

    /// Returns the radiance from unit world directions, and the density with which connections sample them (choice of
    /// the environment included), in the lanes of `mask`.
    #[inline(always)]
    pub fn eval<V: Vector<N>, const N: usize>(&self, direction: Vec3s<V>, mask: V::Mask) -> (Vec3s<V>, V) {
        let set = direction.x.set();
        let (zero, half, one) = (V::splat(set, 0.0), V::splat(set, 0.5), V::splat(set, 1.0));
        let rows = self.rows::<V, N>(set);
        let d = Vec3s { x: rows[0].dot(direction), y: rows[1].dot(direction), z: rows[2].dot(direction) };
        let cos = d.y.max(-one).min(one);
        let turn = half + atan2(d.x, -d.z) * V::splat(set, 1.0 / TAU);
        let uv = [turn.max(zero).min(one), acos(cos) * V::splat(set, FRAC_1_PI)];
        let sin = (one - cos * cos).sqrt();
        let pdf = self.pdf(uv, mask) / (V::splat(set, TAU * PI) * sin);
        let pdf = V::select(sin.gt(zero), pdf, zero);
        (self.look_up(uv, mask), pdf * V::splat(set, self.record.choice))
    }

    #[inline(always)]
    fn rows<V: Vector<N>, const N: usize>(&self, set: V::Set) -> [Vec3s<V>; 3] {
        let [a, b, c] = self.record.rows;
        [Vec3s::splat(set, a), Vec3s::splat(set, b), Vec3s::splat(set, c)]
    }

    /// Looks up the map bilinearly at coordinates of 0 to 1, with repeated columns and clamped rows, as
    /// `crate::texture` does.
    #[inline(always)]
    fn look_up<V: Vector<N>, const N: usize>(&self, uv: [V; 2], mask: V::Mask) -> Vec3s<V> {
        let set = uv[0].set();
        let (width, height) = (V::Words::splat(set, self.size[0]), V::Words::splat(set, self.size[1]));
        let (zero, one) = (V::Words::splat(set, 0), V::Words::splat(set, 1));
        let half = V::splat(set, 0.5);
        let [x, y] =
            [uv[0] * V::splat(set, self.size[0] as f32) - half, uv[1] * V::splat(set, self.size[1] as f32) - half];
        let (low_x, low_y) = (x.floor(), y.floor());
        let [x_share, y_share] = [x - low_x, y - low_y];
        // Before the first one there is -1, which is the largest word.
        let (x, y) = (low_x.to_i32(), low_y.to_i32());
        let next = x + one;
        let columns = [V::Words::select(x.lt(width), x, width - one), V::Words::select(next.lt(width), next, zero)];
        let rows = [V::Words::select(y.lt(height), y, zero) * width, (y + one).min(height - one) * width];
        let [a, b, c, d] = [
            self.texel::<V, N>(rows[0] + columns[0], mask),
            self.texel::<V, N>(rows[0] + columns[1], mask),
            self.texel::<V, N>(rows[1] + columns[0], mask),
            self.texel::<V, N>(rows[1] + columns[1], mask),
        ];
        let (top, bottom) = (lerp(a, b, x_share), lerp(c, d, x_share));
        let Vec3s { x, y, z } = lerp(top, bottom, y_share);
        let least = V::splat(set, 0.0);
        Vec3s::<V>::splat(set, self.record.radiance) * Vec3s { x: x.max(least), y: y.max(least), z: z.max(least) }
    }

    #[inline(always)]
    fn texel<V: Vector<N>, const N: usize>(&self, index: V::Words, mask: V::Mask) -> Vec3s<V> {
        Vec3s::of_words(&index.gather_records(self.texels, mask))
    }

    /// Samples points of the unit square with their densities, as [`raywarp_sample::warp::DensityTables::sample`] does.
    #[inline(always)]
    fn sample<V: Vector<N>, const N: usize>(&self, u: [V; 2], mask: V::Mask) -> ([V; 2], V) {
        let set = u[0].set();
        let [width, height] = self.cells;
        let row = self.invert(V::Words::splat(set, 0), height, u[1], mask);
        let column = self.invert(self.row::<V, N>(row.cell), width, u[0], mask);
        let point = [place(column.cell, column.within, width), place(row.cell, row.within, height)];
        let density = column.probability * V::splat(set, width as f32);
        (point, density * (row.probability * V::splat(set, height as f32)))
    }

    /// Returns the sampling densities of points of the unit square, as [`raywarp_sample::warp::DensityTables::pdf`]
    /// does.
    #[inline(always)]
    fn pdf<V: Vector<N>, const N: usize>(&self, point: [V; 2], mask: V::Mask) -> V {
        let set = point[0].set();
        let [width, height] = self.cells;
        let (x, y) = (cell_of::<V, N>(point[0], width), cell_of::<V, N>(point[1], height));
        let column = self.probability::<V, N>(self.row::<V, N>(y) + x, mask) * V::splat(set, width as f32);
        column * (self.probability::<V, N>(y, mask) * V::splat(set, height as f32))
    }

    /// Returns the index of the first word of a row's table.
    #[inline(always)]
    fn row<V: Vector<N>, const N: usize>(&self, y: V::Words) -> V::Words {
        let [width, height] = self.cells;
        V::Words::splat(y.set(), height + 1) + y * V::Words::splat(y.set(), width + 1)
    }

    #[inline(always)]
    fn number<V: Vector<N>, const N: usize>(&self, at: V::Words, mask: V::Mask) -> V {
        V::from_bits(at.gather(self.words, mask))
    }

    /// Returns the probability of the cell that begins with the table's word `at`.
    #[inline(always)]
    fn probability<V: Vector<N>, const N: usize>(&self, at: V::Words, mask: V::Mask) -> V {
        let one = V::Words::splat(at.set(), 1);
        self.number::<V, N>(at + one, mask) - self.number::<V, N>(at, mask)
    }

    /// Finds the cells in which `u` falls, in cumulative tables of `cells` cells from the word `first` on.
    #[inline(always)]
    fn invert<V: Vector<N>, const N: usize>(
        &self,
        first: V::Words,
        cells: u32,
        u: V,
        mask: V::Mask,
    ) -> Cells<V, V::Words> {
        let set = u.set();
        let one = V::Words::splat(set, 1);
        let guide = first + V::Words::splat(set, self.words.len() as u32 / 2) + cell_of::<V, N>(u, cells);
        let mut low = guide.gather(self.words, mask);
        let mut high = (guide + one).gather(self.words, mask);
        // By halves, as far as any lane's bucket goes; the last entry at or below u is the same however it is sought.
        let mut open = mask & low.lt(high);
        while open.any() {
            let middle = (low + high + one).shr(1);
            let is_beyond = self.number::<V, N>(first + middle, open).le(u);
            low = V::Words::select(open & is_beyond, middle, low);
            high = V::Words::select(open & !is_beyond, middle - one, high);
            open = open & low.lt(high);
        }
        let start = self.number::<V, N>(first + low, mask);
        let probability = self.number::<V, N>(first + low + one, mask) - start;
        let within = ((u - start) / probability).min(V::splat(set, ONE_MINUS_EPSILON));
        Cells { cell: low, within, probability }
    }
}

/// Interpolates vectors linearly in each lane, with the bits of `glam`'s `lerp`.
#[inline(always)]
fn lerp<V: Vector<N>, const N: usize>(a: Vec3s<V>, b: Vec3s<V>, t: V) -> Vec3s<V> {
    a * (V::splat(t.set(), 1.0) - t) + b * t
}

#[inline(always)]
fn cell_of<V: Vector<N>, const N: usize>(x: V, cells: u32) -> V::Words {
    let set = x.set();
    (x * V::splat(set, cells as f32)).to_u32().min(V::Words::splat(set, cells - 1))
}

/// Returns coordinates in 0 to 1 of the positions `within` cells, or of the cells' centres where rounding would leave
/// the cell.
#[inline(always)]
fn place<V: Vector<N>, const N: usize>(cell: V::Words, within: V, cells: u32) -> V {
    let set = within.set();
    let (first, count) = (V::from_u32(cell), V::splat(set, cells as f32));
    let x = (first + within) / count;
    let stays = x.lt(V::splat(set, 1.0)) & cell_of::<V, N>(x, cells).eq(cell);
    V::select(stays, x, (first + V::splat(set, 0.5)) / count)
}
