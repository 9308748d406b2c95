//! The layout of rays in a file: the type of their numbers, their columns and their order.

use raywarp_geom::Ray;
use std::fmt;

/// Number type of a ray file: float32 or float64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    F32,
    F64,
}

/// Layout of the rays in a `.npy` file: columns, number type and order. Its text says how the rays were read, for those
/// who wrote something else than little-endian float32 of shape (N, 8) in C order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RayLayout {
    pub(super) count: u64,
    /// Number of values per ray: 8 for `ox oy oz t_min dx dy dz t_max`, 6 for `ox oy oz dx dy dz`.
    pub(super) columns: usize,
    pub(super) scalar: Scalar,
    pub(super) big_endian: bool,
    /// `true` if the data holds column after column (Fortran order) rather than ray after ray.
    pub(super) by_column: bool,
}

impl RayLayout {
    /// Returns the number of rays in the file.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns `true` if the data holds ray after ray, so that it can be read in portions.
    pub fn is_by_ray(&self) -> bool {
        !self.by_column
    }

    /// Returns the byte offset, within the data, of the `t_min` of ray `index`; of the ray itself if the file has no
    /// `t_min`.
    pub(super) fn offset_of_t_min(&self, index: usize) -> u64 {
        self.offset(index, if self.columns == 8 { 3 } else { 0 })
    }

    /// Returns `true` if the file's bytes are those of rays in memory, so that nothing was converted.
    pub fn is_native(&self) -> bool {
        self.columns == 8 && self.scalar == Scalar::F32 && !self.big_endian && !self.by_column
    }

    /// Returns `true` if the file holds float64 numbers.
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

    /// Returns the byte offset of one column of a ray, within the data.
    pub(super) fn offset(&self, ray: usize, column: usize) -> u64 {
        let index = if self.by_column {
            column as u64 * self.count + ray as u64
        } else {
            ray as u64 * self.columns as u64 + column as u64
        };
        index * self.value_bytes() as u64
    }

    /// Appends the numbers in `bytes`, rounded to float32; those too large become infinite. Float32 is not changed.
    pub(super) fn append(&self, bytes: &[u8], numbers: &mut Vec<f32>) {
        let (words, doubles) = (bytes.as_chunks().0, bytes.as_chunks().0);
        match (self.scalar, self.big_endian) {
            (Scalar::F32, false) => numbers.extend(words.iter().map(|word| f32::from_le_bytes(*word))),
            (Scalar::F32, true) => numbers.extend(words.iter().map(|word| f32::from_be_bytes(*word))),
            (Scalar::F64, false) => numbers.extend(doubles.iter().map(|word| f64::from_le_bytes(*word) as f32)),
            (Scalar::F64, true) => numbers.extend(doubles.iter().map(|word| f64::from_be_bytes(*word) as f32)),
        }
    }

    /// Appends the numbers in `bytes` as float64.
    pub(super) fn append_wide(&self, bytes: &[u8], numbers: &mut Vec<f64>) {
        let (words, doubles) = (bytes.as_chunks().0, bytes.as_chunks().0);
        match (self.scalar, self.big_endian) {
            (Scalar::F32, false) => numbers.extend(words.iter().map(|word| f64::from(f32::from_le_bytes(*word)))),
            (Scalar::F32, true) => numbers.extend(words.iter().map(|word| f64::from(f32::from_be_bytes(*word)))),
            (Scalar::F64, false) => numbers.extend(doubles.iter().map(|word| f64::from_le_bytes(*word))),
            (Scalar::F64, true) => numbers.extend(doubles.iter().map(|word| f64::from_be_bytes(*word))),
        }
    }

    /// Stores one column's value in a ray that began as `Ray::new([0.0; 3], [0.0; 3])`, whose t goes from 0 to
    /// infinity.
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
