//! Ray and hit files: NumPy's `.npy`, one array a file.
//!
//! Rays come as float32 or float64 of shape (N, 8), `ox oy oz t_min dx dy dz t_max`, or (N, 6),
//! `ox oy oz dx dy dz`, in either order and of either byte order ([`RayLayout`] says which); any other
//! file is refused with what to do in NumPy. Hits leave as (N,) records `t:<f4 u:<f4 v:<f4
//! primitive:<u4 instance:<u4` and the columns asked for, answers of any-hit rays as (N,) of `|u1`.
//!
//! Source: NumPy Enhancement Proposal 1, and the documentation of numpy.lib.format for versions 2 and 3.

mod header;
mod input;
mod layout;
#[cfg(test)]
mod tests;

pub use layout::RayLayout;

use crate::trace::VectorColumn;
use input::Input;
use raywarp_geom::{Hit, Ray};
use std::io::{self, Read};

/// First bytes of every file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes of a ray in a file that is written.
const RAY_BYTES: usize = 32;
/// Bytes of a hit in a file, without further columns.
const HIT_BYTES: usize = 20;
/// Rays that are read at once.
const CHUNK: usize = 1 << 14;
/// Memory of a ray from its reading, into a list that doubles, to the writing of its hit with all columns.
const WORK_BYTES: u64 = 192;
/// Needs below this are not held against what is free: what systems say is rough.
const SMALL_BYTES: u64 = 256 << 20;
/// A header of ours ends at a multiple of this, as NumPy's do.
const ALIGNMENT: usize = 64;
/// NumPy leaves room for this many digits of the length, so that an array can grow in place.
const LENGTH_DIGITS: usize = 21;

/// Why rays cannot be read. Messages name the input and the byte.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The system refuses.
    #[error("{name}: byte {offset}: cannot be read ({source})")]
    Read {
        /// The input.
        name: String,
        /// Where.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// Not an `.npy` file, a damaged one, or an array of something else.
    #[error("{name}: byte {offset}: {fault}")]
    Malformed {
        /// The input.
        name: String,
        /// Where.
        offset: u64,
        /// What is wrong and what to do.
        fault: String,
    },
    /// More rays than memory.
    #[error("{name}: {rays} rays take about {} MB, but {} MB are free; trace them in parts", needed >> 20, free >> 20)]
    Memory {
        /// The input.
        name: String,
        /// Rays that have been read.
        rays: u64,
        /// Bytes to go on with them and as many more.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
}

/// Rays of a file, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct RayFile {
    /// The rays; those of a float32 file bit for bit.
    pub rays: Vec<Ray>,
    /// How they lie in the file.
    pub layout: RayLayout,
    /// Where the first one starts.
    first_byte: u64,
}

impl RayFile {
    /// Where the file holds the `t_min` of ray `index`, for messages; of a file without, where the ray starts.
    pub fn byte_of_t_min(&self, index: usize) -> u64 {
        let column = if self.layout.columns == 8 { 3 } else { 0 };
        self.first_byte + self.layout.offset(index, column)
    }
}

/// Reads an array of rays, from a file or a pipe, to the end of its input; `name` is for messages.
///
/// Versions 1.0, 2.0 and 3.0. Memory is taken as data arrives, never because a header asks for it.
///
/// # Errors
/// [`NpyError`].
pub fn read_rays(name: &str, input: impl Read) -> Result<RayFile, NpyError> {
    let mut input = Input::new(name, input);
    let layout = input.ray_header()?;
    let first_byte = input.offset();
    let mut rays: Vec<Ray> = Vec::new();
    // What is read in a run: whole rays, or one number of each.
    let columns = if layout.by_column { 1 } else { layout.columns };
    let item_bytes = columns * layout.value_bytes();
    let mut buffer = vec![0; CHUNK * item_bytes];
    let mut numbers = Vec::with_capacity(CHUNK * columns);
    for run in 0..layout.columns / columns {
        let mut done = 0;
        while done < layout.count {
            let wanted = &mut buffer[..(layout.count - done).min(CHUNK as u64) as usize * item_bytes];
            if input.fill(wanted)? < wanted.len() {
                let (count, bytes) = (layout.count, layout.ray_bytes());
                return Err(
                    input.malformed(format!("ends here, but the header promises {count} rays of {bytes} bytes"))
                );
            }
            numbers.clear();
            layout.append(wanted, &mut numbers);
            let items = numbers.len() / columns;
            if run == 0 {
                if rays.capacity() - rays.len() < CHUNK {
                    grow(name, &mut rays)?;
                }
                rays.resize(rays.len() + items, Ray::new([0.0; 3], [0.0; 3]));
            }
            for (ray, values) in rays[done as usize..].iter_mut().zip(numbers.chunks_exact(columns)) {
                values.iter().enumerate().for_each(|(i, &value)| layout.set(ray, run + i, value));
            }
            done += items as u64;
        }
    }
    let end = input.offset();
    if input.fill(&mut [0])? > 0 {
        let fault = format!("goes on after the {} rays that the header promises", layout.count);
        return Err(NpyError::Malformed { name: name.to_string(), offset: end, fault });
    }
    Ok(RayFile { rays, layout, first_byte })
}

/// Doubles the room in `rays` if the memory for that is there.
fn grow(name: &str, rays: &mut Vec<Ray>) -> Result<(), NpyError> {
    let more = rays.len().max(CHUNK);
    let needed = WORK_BYTES.saturating_mul((rays.len() + more) as u64);
    let error = |free| NpyError::Memory { name: name.to_string(), rays: rays.len() as u64, needed, free };
    match raywarp_system::memory::available() {
        Some(free) if needed > free.max(SMALL_BYTES) => Err(error(free)),
        _ if rays.try_reserve_exact(more).is_err() => {
            Err(NpyError::Memory { name: name.to_string(), rays: rays.len() as u64, needed, free: 0 })
        }
        _ => Ok(()),
    }
}

/// The bytes of a file of rays, for tests and tools that make some.
pub fn write_rays(rays: &[Ray]) -> Vec<u8> {
    let mut file = start("'<f4'", &format!("({}, 8)", rays.len()), rays.len(), RAY_BYTES);
    for ray in rays {
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin, ray.direction);
        for value in [ox, oy, oz, ray.t_min, dx, dy, dz, ray.t_max] {
            file.extend(value.to_le_bytes());
        }
    }
    file
}

/// The bytes of a file of closest hits: 20 a hit, and 12 for each column.
///
/// # Panics
/// If the lengths differ.
pub fn write_hits(hits: &[Hit], instances: &[u32], columns: &[VectorColumn]) -> Vec<u8> {
    let lengths = columns.iter().map(|column| column.values.len()).chain([instances.len()]);
    assert!({ lengths }.all(|length| length == hits.len()), "one entry a hit");
    let mut descr = "[('t', '<f4'), ('u', '<f4'), ('v', '<f4'), ('primitive', '<u4'), ('instance', '<u4')".to_string();
    for column in columns {
        descr += &format!(", ('{}', '<f4', (3,))", column.field);
    }
    descr.push(']');
    let mut file = start(&descr, &format!("({},)", hits.len()), hits.len(), HIT_BYTES + 12 * columns.len());
    for (i, (hit, instance)) in hits.iter().zip(instances).enumerate() {
        for value in [hit.t, hit.u, hit.v] {
            file.extend(value.to_le_bytes());
        }
        file.extend(hit.primitive.to_le_bytes());
        file.extend(instance.to_le_bytes());
        for column in columns {
            file.extend(column.values[i].iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    file
}

/// The bytes of a file of any-hit answers: 1 where something is on the ray, else 0.
pub fn write_flags(flags: &[bool]) -> Vec<u8> {
    let mut file = start("'|u1'", &format!("({},)", flags.len()), flags.len(), 1);
    file.extend(flags.iter().map(|&flag| u8::from(flag)));
    file
}

/// The header of a version 1.0 file, byte for byte as NumPy writes it, and room for the data.
fn start(descr: &str, shape: &str, count: usize, item_bytes: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', LENGTH_DIGITS.saturating_sub(count.to_string().len())));
    // Magic, version and length are 10 bytes; NumPy pads by 1 to 64 and ends the line.
    let pad = ALIGNMENT - (10 + header.len() + 1) % ALIGNMENT;
    header.extend(std::iter::repeat_n(' ', pad));
    header.push('\n');
    let mut file = Vec::with_capacity(10 + header.len() + count * item_bytes);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file
}
