//! The random numbers of one path.

use crate::hash::{combine, pcg};
use crate::{halton, sobol, xor32};

/// A source of random numbers. Everything is a function of (seed, pixel, sample, position), so any
/// order of work gives the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// Owen-scrambled Sobol pads ([`sobol`]); a counter: no state but the position.
    Sobol {
        /// Another seed, another scramble.
        seed: u32,
    },
    /// Padded replications of a Halton set with rotations ([`halton`]; W11).
    PaddedHalton {
        /// Another seed, other rotations.
        seed: u32,
    },
    /// Marsaglia's xorshift, seeded a path ([`xor32`]; L9).
    Xor32 {
        /// 0 is the lecture's own seeding.
        seed: u32,
    },
}

/// Random numbers of one path, from a position on. What a path must remember between two uses is
/// [`Stream::state`] for padded Halton and xor32, and [`Stream::dimension`] for Sobol.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    sampler: Sampler,
    /// Hash of seed and pixel (Sobol); unused by the others.
    key: u32,
    /// Sample number, for Sobol with its bits reversed.
    sample: u32,
    dimension: u32,
    state: u32,
}

impl Sampler {
    /// Returns the numbers of `sample` of `pixel` from their beginning.
    #[inline]
    pub fn start(self, pixel: u32, sample: u32) -> Stream {
        let state = match self {
            Self::Sobol { .. } => 0,
            // By pixel alone: the samples of a pixel must share their rotations.
            Self::PaddedHalton { seed } => combine(pcg(seed), pixel),
            Self::Xor32 { seed } => xor32::seed_state(seed, pixel, sample),
        };
        self.resume(pixel, sample, 0, state)
    }

    /// Goes on at a `dimension` (Sobol) or with a `state` (the others) that an earlier stream of the
    /// same pixel and sample gave.
    #[inline]
    pub fn resume(self, pixel: u32, sample: u32, dimension: u32, state: u32) -> Stream {
        let (key, sample) = match self {
            Self::Sobol { seed } => (combine(pcg(seed), pixel), sample.reverse_bits()),
            Self::PaddedHalton { .. } | Self::Xor32 { .. } => (0, sample),
        };
        // Only a caller's made-up state can be 0, from which xorshift never leaves.
        let state = if state == 0 && matches!(self, Self::Xor32 { .. }) { xor32::ZERO_SEED } else { state };
        Stream { sampler: self, key, sample, dimension, state }
    }
}

impl Stream {
    /// Returns the next number, in `0 .. 1`. Takes one dimension.
    #[inline(always)]
    pub fn next_1d(&mut self) -> f32 {
        let dimension = self.dimension;
        self.dimension = dimension.wrapping_add(1);
        match self.sampler {
            Sampler::Sobol { .. } => sobol::pad_1d(self.key, dimension, self.sample),
            Sampler::PaddedHalton { .. } => {
                self.state = halton::advance(self.state);
                let index = halton::shuffle(self.sample, self.state);
                halton::rotate(halton::radical_inverse::<2>(index), self.state)
            }
            Sampler::Xor32 { .. } => self.step(),
        }
    }

    /// Returns the next point of the unit square; better spread than two [`Stream::next_1d`]. Takes two dimensions.
    #[inline(always)]
    pub fn next_2d(&mut self) -> [f32; 2] {
        let dimension = self.dimension;
        self.dimension = dimension.wrapping_add(2);
        match self.sampler {
            Sampler::Sobol { .. } => sobol::pad_2d(self.key, dimension, self.sample),
            Sampler::PaddedHalton { .. } => {
                let first = halton::advance(self.state);
                self.state = halton::advance(first);
                let index = halton::shuffle(self.sample, first);
                [
                    halton::rotate(halton::radical_inverse::<2>(index), first),
                    halton::rotate(halton::radical_inverse::<3>(index), self.state),
                ]
            }
            Sampler::Xor32 { .. } => [self.step(), self.step()],
        }
    }

    /// Passes over `dimensions` that nobody needs: Sobol points are told apart by position, so those
    /// that follow must not depend on whether these were drawn. The others draw in order and stay.
    #[inline]
    pub fn skip(&mut self, dimensions: u32) {
        self.dimension = self.dimension.wrapping_add(dimensions);
    }

    #[inline]
    fn step(&mut self) -> f32 {
        self.state = xor32::advance(self.state);
        xor32::to_unit(self.state)
    }

    /// Dimensions taken so far, with those of [`Sampler::resume`].
    #[inline]
    pub fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Returns the generator state; 0 for Sobol.
    #[inline]
    pub fn state(&self) -> u32 {
        self.state
    }
}
