//! The layout of rays in a file: the type of their numbers, their columns and their order.

use raywarp_geom::Ray;
use std::fmt;

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    F32,
    F64,
}

/// Layout of the rays of a file. Its text says how the rays were read, for those who wrote something else than
/// little-endian float32 of shape (N, 8) in C order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RayLayout {
    pub(super) count: u64,
    /// Numbers of a ray: 8 for `ox oy oz t_min dx dy dz t_max`, 6 for `ox oy oz dx dy dz`.
    pub(super) columns: usize,
    pub(super) scalar: Scalar,
    pub(super) big_endian: bool,
    /// `true` if all of a column comes before the next one (Fortran order).
    pub(super) by_column: bool,
}

impl RayLayout {
    /// Returns the number of rays of the file.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns `true` if the rays come one after the other, so that some can be read without the others.
    pub fn is_by_ray(&self) -> bool {
        !self.by_column
    }

    /// Returns the offset of the `t_min` of ray `index`, of a file without it that of the ray, from the first byte of
    /// the data.
    pub(super) fn offset_of_t_min(&self, index: usize) -> u64 {
        self.offset(index, if self.columns == 8 { 3 } else { 0 })
    }

    /// Returns `true` if the file holds rays as they are in memory, so that nothing was converted.
    pub fn is_native(&self) -> bool {
        self.columns == 8 && self.scalar == Scalar::F32 && !self.big_endian && !self.by_column
    }

    /// Returns `true` if the numbers are float64.
    pub fn is_double(&self) -> bool {
        self.scalar == Scalar::F64
    }

    pub(super) fn value_bytes(&self) -> usize {
        match self.scalar {
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    pub(super) fn ray_bytes(&self) -> usize {
        self.columns * self.value_bytes()
    }

    /// Returns the offset of a number of a ray from the first byte of the data.
    pub(super) fn offset(&self, ray: usize, column: usize) -> u64 {
        let index = if self.by_column {
            column as u64 * self.count + ray as u64
        } else {
            ray as u64 * self.columns as u64 + column as u64
        };
        index * self.value_bytes() as u64
    }

    /// Appends the numbers of `bytes`, rounded to float32: what is too large becomes infinite. Float32 is not changed.
    pub(super) fn append(&self, bytes: &[u8], numbers: &mut Vec<f32>) {
        let (words, doubles) = (bytes.as_chunks().0, bytes.as_chunks().0);
        match (self.scalar, self.big_endian) {
            (Scalar::F32, false) => numbers.extend(words.iter().map(|word| f32::from_le_bytes(*word))),
            (Scalar::F32, true) => numbers.extend(words.iter().map(|word| f32::from_be_bytes(*word))),
            (Scalar::F64, false) => numbers.extend(doubles.iter().map(|word| f64::from_le_bytes(*word) as f32)),
            (Scalar::F64, true) => numbers.extend(doubles.iter().map(|word| f64::from_be_bytes(*word) as f32)),
        }
    }

    /// Appends the numbers of `bytes` as they are.
    pub(super) fn append_wide(&self, bytes: &[u8], numbers: &mut Vec<f64>) {
        let (words, doubles) = (bytes.as_chunks().0, bytes.as_chunks().0);
        match (self.scalar, self.big_endian) {
            (Scalar::F32, false) => numbers.extend(words.iter().map(|word| f64::from(f32::from_le_bytes(*word)))),
            (Scalar::F32, true) => numbers.extend(words.iter().map(|word| f64::from(f32::from_be_bytes(*word)))),
            (Scalar::F64, false) => numbers.extend(doubles.iter().map(|word| f64::from_le_bytes(*word))),
            (Scalar::F64, true) => numbers.extend(doubles.iter().map(|word| f64::from_be_bytes(*word))),
        }
    }

    /// Puts a number into a ray that began as `Ray::new([0.0; 3], [0.0; 3])`: t from 0 to infinity.
    pub(super) fn set(&self, ray: &mut Ray, column: usize, value: f32) {
        match (self.columns, column) {
            (_, 0..3) => ray.origin[column] = value,
            (8, 3) => ray.t_min = value,
            (8, 7) => ray.t_max = value,
            (8, _) => ray.direction[column - 4] = value,
            _ => ray.direction[column - 3] = value,
        }
    }
}

impl fmt::Display for RayLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = match self.scalar {
            Scalar::F32 => "float32",
            Scalar::F64 => "float64",
        };
        write!(f, "{scalar} ({}, {})", self.count, self.columns)?;
        let remarks = [
            (self.columns == 6, "t from 0 to infinity"),
            (self.scalar == Scalar::F64, "rounded to float32"),
            (self.big_endian, "bytes turned around"),
            (self.by_column, "in Fortran order"),
        ];
        let remarks: Vec<&str> = remarks.into_iter().filter_map(|(holds, text)| holds.then_some(text)).collect();
        if remarks.is_empty() { Ok(()) } else { write!(f, ": {}", remarks.join(", ")) }
    }
}
