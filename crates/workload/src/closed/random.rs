//! Seeded random numbers.

/// Pseudo-random generator SplitMix64 (Steele, Lea and Flood 2014), which holds its state.
#[derive(Debug, Clone)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Returns a random integer from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Returns a random number in `0 .. 1`, a multiple of 2^-24.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Returns a random point in the cube from -1 to 1.
    pub fn point(&mut self) -> [f32; 3] {
        std::array::from_fn(|_| 2.0 * self.unit() - 1.0)
    }
}
