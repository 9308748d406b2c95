//! Smooth surfaces in scenes with media: answers of [`crate::vertex`] on the media that a path is in, by the scalar
//! text.

use super::specular::kind;
use super::vertices::Entries;
use crate::flat::{ShadingScene, TriangleRecord};
use crate::path::QueuedPath;
use crate::vertex::{Boundary, InMedia, MediaStack};
use glam::Vec3;
use raywarp_lanes::{Mask, Vector, Words};

/// Media and surfaces of the lanes' paths, in memory for scalar code.
pub(super) struct Crossings<'s, const N: usize> {
    scene: &'s ShadingScene,
    paths: [QueuedPath; N],
    materials: [u32; N],
    touching: [u32; N],
}

impl<'s, const N: usize> Crossings<'s, N> {
    /// Gathers the media and surfaces of the lanes of `mask`; `touching` are the media of touching bodies of the wave's
    /// entries.
    #[inline(always)]
    pub fn of<W: Words<N>>(
        scene: &'s ShadingScene,
        touching: &[u32],
        entries: &Entries<W, W::Mask>,
        mask: W::Mask,
    ) -> Self {
        let mut rows = [[0; N]; 12];
        for i in 0..12 {
            rows[i] = entries.path[i].store();
        }
        let (materials, entry) = (entries.record[12].store(), entries.entry.store());
        let mut crossings = Self { scene, paths: [bytemuck::Zeroable::zeroed(); N], materials, touching: [0; N] };
        let mut bits = mask.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            crossings.touching[lane] = touching[entry[lane] as usize];
            crossings.paths[lane] = bytemuck::cast(rows.map(|row| row[lane]));
        }
        crossings
    }

    fn stack(&self, lane: usize) -> MediaStack {
        self.paths[lane].media.stack
    }

    fn boundary(&self, lane: usize, from_behind: bool) -> Boundary<'s> {
        let material = &self.scene.materials[(self.materials[lane] & TriangleRecord::MATERIAL) as usize];
        Boundary { material, touching: self.touching[lane], from_behind }
    }

    /// Multiplies throughputs by the media's absorption along the rays, and sets the refractive index of glass for the
    /// media it is in; `behind` has the lanes whose ray meets the surface from behind. Returns the throughputs.
    #[inline(always)]
    pub fn arrive<V: Vector<N>>(
        &self,
        entries: &mut Entries<V::Words, V::Mask>,
        words: &mut [V::Words; 12],
        behind: u32,
        mask: V::Mask,
    ) {
        let set = words[0].set();
        let (mut throughputs, mut glass) = ([[0; N]; 3], [[0; N]; 8]);
        for i in 0..3 {
            throughputs[i] = entries.path[4 + i].store();
        }
        for i in 0..8 {
            glass[i] = words[i].store();
        }
        let t = entries.hit[0].store();
        let mut bits = mask.bits();
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let (path, stack) = (&self.paths[lane], self.stack(lane));
            if stack != MediaStack::default() {
                let left = path.media.transmittance(self.scene, f32::from_bits(t[lane]), 1.0);
                put(&mut throughputs, lane, path.throughput * left);
            }
            if glass[7][lane] != kind::GLASS {
                continue;
            }
            let at = self.boundary(lane, behind >> lane & 1 == 1);
            if stack.hides(&at) {
                // No surface: `Bsdf::NOTHING`.
                for i in 0..7 {
                    glass[i][lane] = 1.0f32.to_bits();
                }
                glass[7][lane] = kind::SHEET;
            } else {
                glass[6][lane] = stack.relative_ior(self.scene, &at, f32::from_bits(glass[6][lane])).to_bits();
            }
        }
        for i in 0..3 {
            entries.path[4 + i] = V::Words::load(set, &throughputs[i]);
        }
        for i in 0..8 {
            words[i] = V::Words::load(set, &glass[i]);
        }
    }

    /// Returns the media of light that goes on from a lane's surface, behind it or in front of it.
    pub fn beyond(&self, lane: usize, from_behind: bool, to_behind: bool) -> InMedia {
        InMedia::at_start(self.stack(lane).beyond(&self.boundary(lane, from_behind), to_behind))
    }
}

fn put<const N: usize>(rows: &mut [[u32; N]; 3], lane: usize, v: Vec3) {
    rows.iter_mut().zip(v.to_array()).for_each(|(row, x)| row[lane] = x.to_bits());
}
