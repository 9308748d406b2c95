//! Buffer views compressed with EXT_meshopt_compression or KHR_meshopt_compression.
//!
//! Source: the KHR_meshopt_compression specification, appendices A and B. Our own decoder: the crate
//! meshopt-rs 0.1.2 takes the components of the quaternion filter as unsigned (a negative one comes
//! out wrong), has no version 1 of the attribute codec, and lacks the colour filter.

mod attributes;
mod filter;
mod indices;
#[cfg(test)]
mod tests;

use super::json::Meshopt;
use crate::MeshoptFault;

/// Decompresses meshopt data to `count * byteStride` bytes, filters included.
///
/// # Errors
/// When sizes, mode, filter or stream break the specification.
pub fn decode(compressed: &Meshopt, source: &[u8]) -> Result<Vec<u8>, MeshoptFault> {
    let filter = compressed.filter.as_deref().unwrap_or("NONE");
    let stride = compressed.byte_stride.index();
    // The shortest streams hold 1 bit in 16 values (attributes) or a byte an index or triangle; this
    // keeps an absurd count from reserving memory before the stream is seen to be too short.
    let plausible = |per_byte: u64| compressed.count.0 <= per_byte.saturating_mul(source.len() as u64);
    let strides_ok = match compressed.mode.as_str() {
        "ATTRIBUTES" => (4..=256).contains(&stride) && stride.is_multiple_of(4),
        _ => stride == 2 || stride == 4,
    };
    let stride_fits_filter = match filter {
        "NONE" | "EXPONENTIAL" => true,
        "OCTAHEDRAL" | "COLOR" => stride == 4 || stride == 8,
        "QUATERNION" => stride == 8,
        other => return Err(MeshoptFault::Filter { name: other.into() }),
    };
    if !strides_ok || !stride_fits_filter {
        return Err(MeshoptFault::Stride { stride, mode: compressed.mode.clone(), filter: filter.into() });
    }
    if compressed.mode != "ATTRIBUTES" && filter != "NONE" {
        return Err(MeshoptFault::FilterOfMode { filter: filter.into(), mode: compressed.mode.clone() });
    }
    let count = compressed.count.index();
    match compressed.mode.as_str() {
        // Version 1 spends at least a byte a channel on a block of 256 elements.
        "ATTRIBUTES" if plausible(256) => {
            let mut bytes = attributes::decode(source, count, stride)?;
            match filter {
                "NONE" => {}
                "OCTAHEDRAL" => filter::octahedral(&mut bytes, stride),
                "QUATERNION" => filter::quaternion(&mut bytes),
                "EXPONENTIAL" => filter::exponential(&mut bytes),
                _ => filter::color(&mut bytes, stride),
            }
            Ok(bytes)
        }
        "TRIANGLES" if plausible(3) => Ok(narrow(&indices::triangles(source, count)?, stride)),
        "INDICES" if plausible(1) => Ok(narrow(&indices::sequence(source, count)?, stride)),
        "ATTRIBUTES" | "TRIANGLES" | "INDICES" => {
            Err(MeshoptFault::Short { bytes: source.len(), elements: compressed.count.0 })
        }
        other => Err(MeshoptFault::Mode { name: other.into() }),
    }
}

/// Converts indices to little-endian bytes, 2 or 4 each as `stride` says.
fn narrow(indices: &[u32], stride: usize) -> Vec<u8> {
    indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(stride)).collect()
}

/// Input stream that is read from its front, and ends where its tail begins.
struct Stream<'a>(&'a [u8]);

impl<'a> Stream<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], MeshoptFault> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(MeshoptFault::Cut)?;
        self.0 = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, MeshoptFault> {
        Ok(self.take(1)?[0])
    }

    /// Reads an unsigned LEB128 integer of at most five bytes; bits above the 32nd are dropped.
    fn varint(&mut self) -> Result<u32, MeshoptFault> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(MeshoptFault::LongNumber)
    }

    fn finish(&self) -> Result<(), MeshoptFault> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(MeshoptFault::Surplus { left }),
        }
    }
}
