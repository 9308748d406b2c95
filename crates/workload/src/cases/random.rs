//! Seeded random numbers.

use raywarp_sample::hash::{combine, to_unit};
use raywarp_sample::warp::{cosine_hemisphere, onb, uniform_sphere};

pub(super) type Point = [f32; 3];

/// Generator of pseudo-random numbers from a seed, for test cases.
pub(super) struct Random {
    seed: u32,
    drawn: u32,
}

impl Random {
    pub fn new(seed: u32) -> Self {
        Self { seed, drawn: 0 }
    }

    /// Returns a random number in `0 .. 1`.
    pub fn unit(&mut self) -> f32 {
        self.drawn += 1;
        to_unit(combine(combine(0, self.seed), self.drawn))
    }

    /// Returns a random number from -1 to 1.
    pub fn signed(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }

    /// Returns a random integer from 0 to `count` - 1.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f32) as usize).min(count - 1)
    }

    /// Returns a random point in the cube from -1 to 1.
    pub fn point(&mut self) -> Point {
        [self.signed(), self.signed(), self.signed()]
    }

    /// Returns a uniformly distributed unit direction.
    pub fn direction(&mut self) -> Point {
        uniform_sphere([self.unit(), self.unit()])
    }

    /// Returns a random unit direction, cosine-weighted about `normal`.
    pub fn diffuse(&mut self, normal: Point) -> Point {
        let [x, y, z] = cosine_hemisphere([self.unit(), self.unit()]);
        let (t, b) = onb(normal);
        std::array::from_fn(|i| x * t[i] + y * b[i] + z * normal[i])
    }
}
