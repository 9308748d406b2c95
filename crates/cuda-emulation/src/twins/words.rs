//! Cases and answers as words.

use glam::{Vec2, Vec3, Vec4};

/// Seeded pseudo-random numbers for test cases.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Starts the sequence of numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a random word.
    pub fn word(&mut self) -> u32 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Returns a random number below `n`, which must not be 0.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// Returns `true` or `false` with equal probability.
    pub fn coin(&mut self) -> bool {
        self.word() >> 31 != 0
    }

    /// Returns a random number in `0 .. 1`, sometimes next to an end or at it.
    pub fn unit(&mut self) -> f32 {
        match self.below(64) {
            0 => 0.0,
            1 => 1.0 - f32::EPSILON / 2.0,
            2 => 1e-7,
            _ => (self.word() >> 8) as f32 * (1.0 / 16_777_216.0),
        }
    }

    /// Returns two random numbers from [`Numbers::unit`].
    pub fn square(&mut self) -> [f32; 2] {
        [self.unit(), self.unit()]
    }

    /// Returns a uniform random number in `low ..= high`, sometimes at an end.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns a random number of any magnitude from `1e-6` to `1e6`, of either sign, sometimes zero.
    pub fn any(&mut self) -> f32 {
        if self.below(32) == 0 {
            return 0.0;
        }
        let magnitude = 10f32.powi(self.below(12) as i32 - 6) * (1.0 + 9.0 * self.unit());
        if self.coin() { magnitude } else { -magnitude }
    }

    /// Returns a random colour: three numbers in `0 ..= 1`.
    pub fn color(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Returns a random unit vector, sometimes along an axis, sometimes nearly in the plane z = 0.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let mut v = Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            match self.below(32) {
                0 => v = Vec3::Z,
                1 => v = -Vec3::Z,
                2 => v.z *= 1e-4,
                3 => v.z = 0.0,
                4 => v = Vec3::X,
                _ => {}
            }
            let length = v.length_squared();
            if length > 1e-4 && length <= 1.0 {
                return v.normalize();
            }
        }
    }
}

/// Reader of a test case, word by word.
#[derive(Debug)]
pub struct Reader<'a> {
    words: &'a [u32],
}

impl<'a> Reader<'a> {
    /// Makes a reader at the first of `words`.
    pub fn new(words: &'a [u32]) -> Self {
        Self { words }
    }

    /// Reads the next word.
    ///
    /// # Panics
    /// If there is none.
    pub fn word(&mut self) -> u32 {
        let (first, rest) = self.words.split_first().expect("cases hold what their readers ask for");
        self.words = rest;
        *first
    }

    /// Reads a flag: a word that is 0 for false.
    pub fn flag(&mut self) -> bool {
        self.word() != 0
    }

    /// Reads an f32.
    pub fn number(&mut self) -> f32 {
        f32::from_bits(self.word())
    }

    /// Reads `N` f32 values.
    pub fn numbers<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.number())
    }

    /// Reads a vector of two f32 values.
    pub fn vec2(&mut self) -> Vec2 {
        self.numbers::<2>().into()
    }

    /// Reads a vector of three f32 values.
    pub fn vec3(&mut self) -> Vec3 {
        self.numbers::<3>().into()
    }

    /// Reads a vector of four f32 values.
    pub fn vec4(&mut self) -> Vec4 {
        self.numbers::<4>().into()
    }
}

/// Writer of test cases and answers, word by word.
#[derive(Debug, Default)]
pub struct Writer {
    /// Words written so far.
    pub words: Vec<u32>,
}

impl Writer {
    /// Writes a word.
    pub fn word(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// Writes a flag as 1 or 0.
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.word(u32::from(flag))
    }

    /// Writes the bits of an f32; all NaNs become the same one.
    pub fn number(&mut self, number: f32) -> &mut Self {
        self.word(if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() })
    }

    /// Writes the f32 values of an array or vector.
    pub fn numbers<const N: usize>(&mut self, numbers: impl Into<[f32; N]>) -> &mut Self {
        numbers.into().into_iter().for_each(|number| {
            self.number(number);
        });
        self
    }

    /// Writes a flag for whether there is a value, then what `put` writes of it, or of `zeros` without one.
    pub fn option<T: Copy>(&mut self, value: Option<T>, zeros: T, put: impl FnOnce(&mut Self, T)) -> &mut Self {
        self.flag(value.is_some());
        put(self, value.unwrap_or(zeros));
        self
    }

    /// Writes the bytes of a plain record as words.
    pub fn record<T: bytemuck::NoUninit>(&mut self, record: &T) -> &mut Self {
        self.words
            .extend(bytemuck::bytes_of(record).chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])));
        self
    }
}
