//! Ray and hit files: NumPy's `.npy`, one array a file.
//!
//! Rays come as float32 or float64 of shape (N, 8), `ox oy oz t_min dx dy dz t_max`, or (N, 6),
//! `ox oy oz dx dy dz`, in either order and of either byte order ([`RayLayout`] says which); any other
//! file is refused with what to do in NumPy. Hits leave as (N,) records `t:<f4 u:<f4 v:<f4
//! primitive:<u4 instance:<u4` and the columns asked for, answers of any-hit rays as (N,) of `|u1`.
//!
//! Source: NumPy Enhancement Proposal 1, and the documentation of numpy.lib.format for versions 2 and 3.

mod fault;
mod header;
mod input;
mod layout;
mod reader;
#[cfg(test)]
mod tests;

pub use fault::NpyFault;
pub use layout::RayLayout;
pub use reader::RayReader;

use crate::trace::{Field, VectorColumn, Vectors};
use raywarp_geom::{Hit, Ray};
use std::io::{self, Read};

/// First bytes of every `.npy` file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes of a ray in a `.npy` file that Raywarp writes.
const RAY_BYTES: usize = 32;
/// Bytes of a hit in a `.npy` file, without columns of fields.
const HIT_BYTES: usize = 20;
/// Number of rays that are read at once.
const CHUNK: usize = 1 << 14;
/// Bytes of memory per ray, from reading it into a growing list to writing its hit with all columns.
const WORK_BYTES: u64 = 192;
/// Need of memory in bytes up to which rays are never refused, since figures of free memory are rough.
const SMALL_BYTES: u64 = 256 << 20;
/// Alignment in bytes of the data behind a `.npy` header, as NumPy's.
const ALIGNMENT: usize = 64;
/// Number of digits for which NumPy leaves room in the header, so that the array's length can grow in place.
const LENGTH_DIGITS: usize = 21;

/// Error of reading rays from a `.npy` file. Messages name the input and the byte.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The operating system fails to read the input.
    #[error("{name}: byte {offset}: cannot be read ({source})")]
    Read {
        /// Name of the input.
        name: String,
        /// Byte of the input at which reading stopped.
        offset: u64,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The input is not a `.npy` file, or damaged, or not an array of rays.
    #[error("{name}: byte {offset}: {fault}")]
    Malformed {
        /// Name of the input.
        name: String,
        /// Byte offset of the fault in the input.
        offset: u64,
        /// Fault of the file.
        fault: NpyFault,
    },
    /// The rays need more memory than is free.
    #[error("{name}: {rays} rays take about {} MB, but {} MB are free; trace them in parts", needed >> 20, free >> 20)]
    Memory {
        /// Name of the input.
        name: String,
        /// Number of rays read so far.
        rays: u64,
        /// Bytes of memory needed to go on with these rays and as many again.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
}

/// Rays read from a `.npy` file, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct RayFile {
    /// Rays of the file; those of a float32 file bit for bit.
    pub rays: Vec<Ray>,
    /// Layout of the rays in the file.
    pub layout: RayLayout,
    /// Byte offset of the first ray in the file.
    first_byte: u64,
    /// Origins of the rays in float64, if the file is of float64.
    begins: Option<Vec<[f64; 3]>>,
}

impl RayFile {
    /// Returns the byte offset in the file of the `t_min` of ray `index`, for messages; of the ray itself if the file
    /// has no `t_min`.
    pub fn byte_of_t_min(&self, index: usize) -> u64 {
        self.first_byte + self.layout.offset_of_t_min(index)
    }

    /// Returns the rays with their origins relative to a scene's origin, which is subtracted in float64 before
    /// rounding.
    pub fn relative_to(mut self, origin: [f64; 3]) -> Vec<Ray> {
        reader::make_relative(self.rays.iter_mut(), self.begins, origin);
        self.rays
    }
}

/// Reads a whole `.npy` file of rays from a file or a pipe; `name` is for messages.
///
/// Versions 1.0, 2.0 and 3.0. Memory is taken as data arrives, never because a header asks for it.
///
/// # Errors
/// [`NpyError`].
pub fn read_rays(name: &str, input: impl Read) -> Result<RayFile, NpyError> {
    let mut reader = RayReader::new(name, input)?;
    let rays = reader.next(usize::MAX)?;
    let (layout, first_byte) = (*reader.layout(), reader.first_byte());
    Ok(RayFile { rays, layout, first_byte, begins: reader.into_begins() })
}

/// Returns a `.npy` file of rays in the coordinates of their scene's file: float32, or float64 if the scene has an
/// origin.
pub fn write_rays_of_scene(rays: &[Ray], origin: [f64; 3]) -> Vec<u8> {
    if origin == [0.0; 3] {
        return write_rays(rays);
    }
    let mut file = start("'<f8'", &format!("({}, 8)", rays.len()), rays.len());
    file.reserve(2 * RAY_BYTES * rays.len());
    for ray in rays {
        let [ox, oy, oz]: [f64; 3] = std::array::from_fn(|i| f64::from(ray.origin[i]) + origin[i]);
        let [dx, dy, dz] = ray.direction.map(f64::from);
        for value in [ox, oy, oz, ray.t_min.into(), dx, dy, dz, ray.t_max.into()] {
            file.extend(f64::to_le_bytes(value));
        }
    }
    file
}

/// Returns a `.npy` file of rays in float32.
pub fn write_rays(rays: &[Ray]) -> Vec<u8> {
    let mut file = start("'<f4'", &format!("({}, 8)", rays.len()), rays.len());
    file.reserve(RAY_BYTES * rays.len());
    for ray in rays {
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin, ray.direction);
        for value in [ox, oy, oz, ray.t_min, dx, dy, dz, ray.t_max] {
            file.extend(value.to_le_bytes());
        }
    }
    file
}

/// Returns a `.npy` file of closest hits: 20 bytes per hit, plus 12 for each float32 column and 24 for each float64
/// one.
///
/// # Panics
/// If the lengths differ.
pub fn write_hits(hits: &[Hit], instances: &[u32], columns: &[VectorColumn]) -> Vec<u8> {
    let fields: Vec<Field> = columns.iter().map(|column| column.field).collect();
    let has_origin = columns.iter().any(|column| matches!(column.values, Vectors::Double(_)));
    let mut file = start_hits(hits.len(), &fields, has_origin);
    append_hits(&mut file, hits, instances, columns);
    file
}

/// Returns the beginning of a `.npy` file of `count` closest hits with columns of `fields`, which [`append_hits`]
/// continues; `has_origin` is `true` if the scene has an origin ([`Field::is_double`]).
pub fn start_hits(count: usize, fields: &[Field], has_origin: bool) -> Vec<u8> {
    let mut descr = "[('t', '<f4'), ('u', '<f4'), ('v', '<f4'), ('primitive', '<u4'), ('instance', '<u4')".to_string();
    for field in fields {
        let bytes = if field.is_double(has_origin) { 8 } else { 4 };
        descr += &format!(", ('{field}', '<f{bytes}', (3,))");
    }
    descr.push(']');
    start(&descr, &format!("({count},)"), count)
}

/// Appends closest hits to a `.npy` file that [`start_hits`] began.
///
/// # Panics
/// If the lengths differ.
pub fn append_hits(file: &mut Vec<u8>, hits: &[Hit], instances: &[u32], columns: &[VectorColumn]) {
    let lengths = columns.iter().map(|column| column.values.len()).chain([instances.len()]);
    assert!({ lengths }.all(|length| length == hits.len()), "one entry a hit");
    file.reserve(hits.len() * (HIT_BYTES + 12 * columns.len()));
    for (i, (hit, instance)) in hits.iter().zip(instances).enumerate() {
        for value in [hit.t, hit.u, hit.v] {
            file.extend(value.to_le_bytes());
        }
        file.extend(hit.primitive.to_le_bytes());
        file.extend(instance.to_le_bytes());
        for column in columns {
            match &column.values {
                Vectors::Single(values) => file.extend(values[i].iter().flat_map(|value| value.to_le_bytes())),
                Vectors::Double(values) => file.extend(values[i].iter().flat_map(|value| value.to_le_bytes())),
            }
        }
    }
}

/// Returns a `.npy` file of any-hit answers: 1 where the ray hits something, else 0.
pub fn write_flags(flags: &[bool]) -> Vec<u8> {
    let mut file = start_flags(flags.len());
    append_flags(&mut file, flags);
    file
}

/// Returns the beginning of a `.npy` file of `count` any-hit answers, which [`append_flags`] continues.
pub fn start_flags(count: usize) -> Vec<u8> {
    start("'|u1'", &format!("({count},)"), count)
}

/// Appends any-hit answers to a `.npy` file that [`start_flags`] began.
pub fn append_flags(file: &mut Vec<u8>, flags: &[bool]) {
    file.extend(flags.iter().map(|&flag| u8::from(flag)));
}

/// Returns the header of a `.npy` file (version 1.0), byte for byte as NumPy writes it.
fn start(descr: &str, shape: &str, count: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', LENGTH_DIGITS.saturating_sub(count.to_string().len())));
    // Magic, version and length are 10 bytes; NumPy pads by 1 to 64 and ends the line.
    let pad = ALIGNMENT - (10 + header.len() + 1) % ALIGNMENT;
    header.extend(std::iter::repeat_n(' ', pad));
    header.push('\n');
    let mut file = Vec::with_capacity(10 + header.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file
}
