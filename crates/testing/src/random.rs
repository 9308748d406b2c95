//! The generator of pseudo-random test data: small, seeded, and with the same numbers everywhere.

/// Pseudo-random generator for tests: Knuth's linear congruential generator (MMIX) of 64 bits. Its upper bits are what
/// is used; enough for scenes and rays.
///
/// Each method takes one step for a number. Test data, and thresholds found with it, depend on the exact numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Makes a generator with the state `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Advances the generator by a step and returns the whole 64-bit state.
    pub const fn state(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// Returns the next random 32-bit integer.
    pub const fn word(&mut self) -> u32 {
        (self.state() >> 32) as u32
    }

    /// Returns the next random 31-bit integer.
    pub const fn integer(&mut self) -> u64 {
        self.state() >> 33
    }

    /// Returns a random integer from 0 to `limit` - 1.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub const fn below(&mut self, limit: usize) -> usize {
        (self.integer() % limit as u64) as usize
    }

    /// Returns a random number in `0 .. 1`, a multiple of 2^-24.
    pub const fn unit(&mut self) -> f32 {
        (self.state() >> 40) as f32 / (1 << 24) as f32
    }

    /// Returns a random number in `0 .. 1`, a multiple of 2^-31.
    pub const fn unit_f64(&mut self) -> f64 {
        self.integer() as f64 / (1u64 << 31) as f64
    }

    /// Returns a random number in `-1 .. 1`.
    pub const fn signed(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }

    /// Returns a random point in the cube from -1 to 1.
    pub const fn point(&mut self) -> [f32; 3] {
        [self.signed(), self.signed(), self.signed()]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_numbers_are_those_that_they_were() {
        let mut random = Random::new(1);
        assert_eq!([random.state(), random.state()], [7_806_831_264_735_756_412, 9_396_908_728_118_811_419]);
        // Each reads the upper bits of one step.
        let step = Random::new(5).state();
        let after = || Random::new(5);
        assert_eq!(after().word(), (step >> 32) as u32);
        assert_eq!(after().integer(), step >> 33);
        assert_eq!(after().below(1000) as u64, (step >> 33) % 1000);
        assert_eq!(after().unit(), (step >> 40) as f32 / 16_777_216.0);
        assert_eq!(after().unit_f64(), (step >> 33) as f64 / 2_147_483_648.0);
        assert_eq!(after().signed(), (step >> 40) as f32 / 8_388_608.0 - 1.0);
        let (mut one, mut three) = (after(), after());
        assert_eq!(three.point(), [one.signed(), one.signed(), one.signed()]);
    }
}
