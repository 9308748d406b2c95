//! The random numbers of many paths at one vertex: [`raywarp_sample::RandomStream`] a lane.

use raywarp_lanes::{Vector, Words};
use raywarp_sample::hash::ONE_MINUS_EPSILON;
use raywarp_sample::{RandomStream, Sampler, hash};

/// Random numbers of the lanes' paths: the state of their samplers. A vertex is the same for all of them, and so is the
/// dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<W> {
    sampler: Sampler,
    /// Hashes of seed and pixel for the Sobol sampler, pixels for others (`key`), and sample numbers, bit-reversed for
    /// Sobol (`sample`).
    key: W,
    sample: W,
    /// Generator states of samplers other than Sobol.
    pub state: W,
}

impl<W> Numbers<W> {
    /// Resumes the random numbers of paths whose generators are in `state`.
    #[inline(always)]
    pub fn resume<const N: usize>(sampler: Sampler, pixel: W, sample: W, state: W) -> Self
    where
        W: Words<N>,
    {
        let set = pixel.set();
        let (key, sample) = match sampler {
            Sampler::Sobol { seed } => (combine(W::splat(set, hash::pcg(seed)), pixel), sample.reverse_bits()),
            Sampler::PaddedHalton { .. } | Sampler::Xor32 { .. } => (pixel, sample),
        };
        Self { sampler, key, sample, state }
    }

    /// Returns the next random number of each lane, at `dimension` of its path.
    #[inline(always)]
    pub fn next_1d<V, const N: usize>(&mut self, dimension: u32) -> V
    where
        W: Words<N>,
        V: Vector<N, Words = W, Set = W::Set, Mask = W::Mask>,
    {
        match self.sampler {
            Sampler::Sobol { .. } => {}
            Sampler::Xor32 { .. } => return self.step(),
            Sampler::PaddedHalton { .. } => {
                let [x, _] = self.one_by_one(|stream| [stream.next_1d(), 0.0]);
                return x;
            }
        }
        let pad = combine(self.key, W::splat(self.key.set(), dimension));
        let index = laine_karras(self.sample, pad).reverse_bits();
        to_unit(laine_karras(index, pcg(pad)).reverse_bits())
    }

    /// Returns the next point of the unit square of each lane, at `dimension` of its path and the one after it.
    #[inline(always)]
    pub fn next_2d<V, const N: usize>(&mut self, dimension: u32) -> [V; 2]
    where
        W: Words<N>,
        V: Vector<N, Words = W, Set = W::Set, Mask = W::Mask>,
    {
        match self.sampler {
            Sampler::Sobol { .. } => {}
            Sampler::Xor32 { .. } => {
                let first = self.step();
                return [first, self.step()];
            }
            Sampler::PaddedHalton { .. } => return self.one_by_one(RandomStream::next_2d),
        }
        let set = self.key.set();
        let pad = combine(self.key, W::splat(set, dimension));
        let index = laine_karras(self.sample, pad).reverse_bits();
        let x = laine_karras(index, pcg(pad));
        let y = laine_karras(dimension_1_reversed(index), pcg(pad ^ W::splat(set, 0x6C8E_9CF5)));
        [to_unit(x.reverse_bits()), to_unit(y.reverse_bits())]
    }

    /// Calls `draw` for each lane's stream, for samplers without vector code.
    #[inline(always)]
    fn one_by_one<V, const N: usize>(&mut self, draw: fn(&mut RandomStream) -> [f32; 2]) -> [V; 2]
    where
        W: Words<N>,
        V: Vector<N, Words = W, Set = W::Set, Mask = W::Mask>,
    {
        let set = self.key.set();
        let (pixel, sample, mut state) = (self.key.store(), self.sample.store(), self.state.store());
        let mut drawn = [[0.0; N]; 2];
        for lane in 0..N {
            // Only counters ask for a dimension.
            let mut stream = self.sampler.resume(pixel[lane], sample[lane], 0, state[lane]);
            [drawn[0][lane], drawn[1][lane]] = draw(&mut stream);
            state[lane] = stream.state();
        }
        self.state = W::load(set, &state);
        [V::load(set, &drawn[0]), V::load(set, &drawn[1])]
    }

    /// Returns the next number of the generator [`raywarp_sample::xor32`].
    #[inline(always)]
    fn step<V, const N: usize>(&mut self) -> V
    where
        W: Words<N>,
        V: Vector<N, Words = W, Set = W::Set, Mask = W::Mask>,
    {
        let mut state = self.state;
        state = state ^ state.shl(13);
        state = state ^ state.shr(17);
        self.state = state ^ state.shl(5);
        let set = state.set();
        (V::from_u32(self.state) * V::splat(set, 2.328_306_4e-10)).min(V::splat(set, ONE_MINUS_EPSILON))
    }
}

/// Hashes one word per lane, as [`hash::pcg`] does.
#[inline(always)]
fn pcg<W: Words<N>, const N: usize>(v: W) -> W {
    let set = v.set();
    let state = v * W::splat(set, 747_796_405) + W::splat(set, 2_891_336_453);
    let turned = state.shr_each(state.shr(28) + W::splat(set, 4)) ^ state;
    let word = turned * W::splat(set, 277_803_737);
    word.shr(22) ^ word
}

/// Hashes a key and a value per lane, as [`hash::combine`] does.
#[inline(always)]
fn combine<W: Words<N>, const N: usize>(key: W, value: W) -> W {
    pcg(key ^ (value * W::splat(key.set(), 0x9E37_79B9)))
}

/// Scrambles bit-reversed words in each lane, as [`raywarp_sample::sobol::laine_karras`] does.
#[inline(always)]
fn laine_karras<W: Words<N>, const N: usize>(mut x: W, seed: W) -> W {
    let set = x.set();
    x = x ^ (x * W::splat(set, 0x3D20_ADEA));
    x = x + seed;
    x = x * (seed.shr(16) | W::splat(set, 1));
    x = x ^ (x * W::splat(set, 0x0552_6C56));
    x ^ (x * W::splat(set, 0x53A2_2864))
}

/// Returns the second coordinate of Sobol points, as [`raywarp_sample::sobol::dimension_1_reversed`] does.
#[inline(always)]
fn dimension_1_reversed<W: Words<N>, const N: usize>(index: W) -> W {
    let set = index.set();
    let mut x = index;
    x = x ^ (x & W::splat(set, 0xAAAA_AAAA)).shr(1);
    x = x ^ (x & W::splat(set, 0xCCCC_CCCC)).shr(2);
    x = x ^ (x & W::splat(set, 0xF0F0_F0F0)).shr(4);
    x = x ^ (x & W::splat(set, 0xFF00_FF00)).shr(8);
    x ^ x.shr(16)
}

/// Converts random bits to numbers in 0 to 1, as [`hash::to_unit`] does. Numbers of 24 bits are the same signed or not,
/// and signed ones have an instruction everywhere.
#[inline(always)]
fn to_unit<V: Vector<N>, const N: usize>(bits: V::Words) -> V {
    V::from_i32(bits.shr(8)) * V::splat(bits.set(), 1.0 / 16_777_216.0)
}
