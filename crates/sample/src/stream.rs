//! The random numbers of one path.

use crate::hash::{combine, pcg};
use crate::{halton, sobol, xor32};

/// Kind of sample generator, with its seed. Everything is a function of (seed, pixel, sample, position), so any order
/// of work gives the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// Owen-scrambled Sobol points, drawn again for every pair of dimensions ([`sobol`]); needs no state but the
    /// dimension.
    Sobol {
        /// Seed of the scrambles; another seed gives other random numbers.
        seed: u32,
    },
    /// Halton points in bases 2 and 3, rotated anew for every draw ([`halton`]; W11).
    PaddedHalton {
        /// Seed of the rotations; another seed gives other random numbers.
        seed: u32,
    },
    /// Marsaglia's xorshift generator, seeded once for each path ([`xor32`]; L9).
    Xor32 {
        /// Seed of the generator; 0 gives the seeding of the lecture L9.
        seed: u32,
    },
}

/// Stream of random numbers for one light path, from some position on. What a path must remember between two uses is
/// [`RandomStream::state`] for padded Halton and xor32, and [`RandomStream::dimension`] for Sobol.
#[derive(Debug, Clone, Copy)]
pub struct RandomStream {
    sampler: Sampler,
    /// Hash of seed and pixel for Sobol points; 0 for the other samplers.
    key: u32,
    /// Number of the pixel's sample, for Sobol points with its bits reversed.
    sample: u32,
    dimension: u32,
    state: u32,
}

impl Sampler {
    /// Returns the random numbers for sample `sample` of `pixel`, from the first on.
    #[inline]
    pub fn start(self, pixel: u32, sample: u32) -> RandomStream {
        let state = match self {
            Self::Sobol { .. } => 0,
            // By pixel alone: the samples of a pixel must share their rotations.
            Self::PaddedHalton { seed } => combine(pcg(seed), pixel),
            Self::Xor32 { seed } => xor32::seed_state(seed, pixel, sample),
        };
        self.resume(pixel, sample, 0, state)
    }

    /// Returns the rest of a sample's random numbers, from a `dimension` (Sobol) or a `state` (others) that an earlier
    /// stream of that sample had.
    #[inline]
    pub fn resume(self, pixel: u32, sample: u32, dimension: u32, state: u32) -> RandomStream {
        let (key, sample) = match self {
            Self::Sobol { seed } => (combine(pcg(seed), pixel), sample.reverse_bits()),
            Self::PaddedHalton { .. } | Self::Xor32 { .. } => (0, sample),
        };
        // Only a caller's made-up state can be 0, from which xorshift never leaves.
        let state = if state == 0 && matches!(self, Self::Xor32 { .. }) { xor32::ZERO_SEED } else { state };
        RandomStream { sampler: self, key, sample, dimension, state }
    }
}

impl RandomStream {
    /// Draws the next random number, in `0 .. 1`. Takes one dimension.
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

    /// Draws the next random point of the unit square, which is better distributed than two [`RandomStream::next_1d`].
    /// Takes two dimensions.
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

    /// Skips `dimensions` random numbers that are not needed. Sobol points are told apart by position, so those that
    /// follow must not depend on whether these were drawn. The others draw in order and stay.
    #[inline]
    pub fn skip(&mut self, dimensions: u32) {
        self.dimension = self.dimension.wrapping_add(dimensions);
    }

    #[inline]
    fn step(&mut self) -> f32 {
        self.state = xor32::advance(self.state);
        xor32::to_unit(self.state)
    }

    /// Returns the number of dimensions drawn so far, those before [`Sampler::resume`] included.
    #[inline]
    pub fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Returns the generator's state, from which a later stream resumes; 0 for Sobol.
    #[inline]
    pub fn state(&self) -> u32 {
        self.state
    }
}
