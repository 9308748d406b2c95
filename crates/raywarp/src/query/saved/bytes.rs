//! Numbers as bytes, and bytes as numbers: little-endian, one after the other.

use super::SceneFileError;
use super::error::broken;
use raywarp_geom::{Aabb, Affine, Affine64};

/// Bytes that are written.
#[derive(Debug, Default)]
pub(super) struct Out(pub Vec<u8>);

impl Out {
    pub fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn u64(&mut self, x: u64) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn flag(&mut self, x: bool) {
        self.u32(u32::from(x));
    }

    pub fn count(&mut self, x: usize) {
        self.u64(x as u64);
    }

    pub fn f32(&mut self, x: f32) {
        self.u32(x.to_bits());
    }

    pub fn f64(&mut self, x: f64) {
        self.u64(x.to_bits());
    }

    pub fn point(&mut self, p: &[f64; 3]) {
        p.iter().for_each(|&x| self.f64(x));
    }

    pub fn aabb(&mut self, bounds: &Aabb) {
        bounds.min.iter().chain(&bounds.max).for_each(|&x| self.f32(x));
    }

    pub fn map(&mut self, map: &Affine) {
        map.rows.iter().flatten().for_each(|&x| self.f32(x));
    }

    pub fn map64(&mut self, map: &Affine64) {
        map.rows.iter().flatten().for_each(|&x| self.f64(x));
    }
}

/// Bytes that are read.
pub(super) struct In<'a>(pub &'a [u8]);

impl<'a> In<'a> {
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], SceneFileError> {
        let Some((bytes, rest)) = self.0.split_at_checked(count) else {
            return broken("what is told of it ends too early");
        };
        self.0 = rest;
        Ok(bytes)
    }

    fn word<const N: usize>(&mut self) -> Result<[u8; N], SceneFileError> {
        let bytes = self.bytes(N)?;
        Ok(std::array::from_fn(|i| bytes[i]))
    }

    pub fn u32(&mut self) -> Result<u32, SceneFileError> {
        Ok(u32::from_le_bytes(self.word()?))
    }

    pub fn u64(&mut self) -> Result<u64, SceneFileError> {
        Ok(u64::from_le_bytes(self.word()?))
    }

    pub fn flag(&mut self) -> Result<bool, SceneFileError> {
        match self.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => broken("a flag is neither 0 nor 1"),
        }
    }

    pub fn size(&mut self) -> Result<usize, SceneFileError> {
        usize::try_from(self.u64()?).or(broken("a number is too large for this machine"))
    }

    /// Reads a number of things that take at least `each` bytes, which have to be there.
    pub fn count(&mut self, each: usize) -> Result<usize, SceneFileError> {
        let count = self.size()?;
        if count > self.0.len() / each { broken("a list is longer than the file") } else { Ok(count) }
    }

    pub fn f32(&mut self) -> Result<f32, SceneFileError> {
        Ok(f32::from_bits(self.u32()?))
    }

    pub fn f64(&mut self) -> Result<f64, SceneFileError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// Reads a number that is finite.
    pub fn finite(&mut self) -> Result<f64, SceneFileError> {
        let x = self.f64()?;
        if x.is_finite() { Ok(x) } else { broken("a number is not finite") }
    }

    /// Reads a point that is finite.
    pub fn point(&mut self) -> Result<[f64; 3], SceneFileError> {
        Ok([self.finite()?, self.finite()?, self.finite()?])
    }

    /// Reads a box, which is finite or empty.
    pub fn aabb(&mut self) -> Result<Aabb, SceneFileError> {
        let mut corner = || Ok::<_, SceneFileError>([self.f32()?, self.f32()?, self.f32()?]);
        let bounds = Aabb { min: corner()?, max: corner()? };
        let is_range =
            |i: usize| bounds.min[i] <= bounds.max[i] && bounds.min[i].is_finite() && bounds.max[i].is_finite();
        if bounds == Aabb::EMPTY || (0..3).all(is_range) { Ok(bounds) } else { broken("a box is none") }
    }

    /// Reads a map, which is finite.
    pub fn map(&mut self) -> Result<Affine, SceneFileError> {
        let mut map = Affine::IDENTITY;
        for x in map.rows.iter_mut().flatten() {
            *x = self.f32()?;
        }
        if map.rows.iter().flatten().all(|x| x.is_finite()) { Ok(map) } else { broken("a map is not finite") }
    }

    /// Reads any map.
    pub fn map64(&mut self) -> Result<Affine64, SceneFileError> {
        let mut map = Affine64::IDENTITY;
        for x in map.rows.iter_mut().flatten() {
            *x = self.f64()?;
        }
        Ok(map)
    }
}
