//! Reading of a file up to its data, with the place of every fault.

use super::header::{Fault, Header};
use super::layout::RayLayout;
use super::{MAGIC, NpyError, NpyFault};
use std::io::{ErrorKind, Read};

/// Longest `.npy` header that is read, in bytes; NumPy itself stops at 10,000 characters.
const HEADER_LIMIT: u32 = 1 << 16;

/// Byte stream of a ray file that counts the bytes read.
pub(super) struct Input<'a, R> {
    name: &'a str,
    stream: R,
    offset: u64,
}

impl<'a, R: Read> Input<'a, R> {
    pub fn new(name: &'a str, stream: R) -> Self {
        Self { name, stream, offset: 0 }
    }

    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the error for a fault at the current byte of the input.
    pub fn malformed(&self, fault: NpyFault) -> NpyError {
        self.fault_at(self.offset, fault)
    }

    fn fault_at(&self, offset: u64, fault: NpyFault) -> NpyError {
        NpyError::Malformed { name: self.name.to_string(), offset, fault }
    }

    /// Fills `buffer`, or as much of it as the stream still has; returns the number of bytes read.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, NpyError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.stream.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => {
                    filled += count;
                    self.offset += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(NpyError::Read { name: self.name.to_string(), offset: self.offset, source }),
            }
        }
        Ok(filled)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], NpyError> {
        let mut bytes = [0; N];
        if self.fill(&mut bytes)? < N {
            return Err(self.malformed(NpyFault::CutBeforeHeader));
        }
        Ok(bytes)
    }

    /// Reads the `.npy` header of an array of rays, up to its data.
    pub fn ray_header(&mut self) -> Result<RayLayout, NpyError> {
        let mut magic = [0; MAGIC.len()];
        if self.fill(&mut magic)? < magic.len() || magic != *MAGIC {
            return Err(self.fault_at(0, NpyFault::NoNpyFile));
        }
        let version: [u8; 2] = self.bytes()?;
        let length = match version {
            [1, 0] => u32::from(u16::from_le_bytes(self.bytes()?)),
            [2 | 3, 0] => u32::from_le_bytes(self.bytes()?),
            other => return Err(self.fault_at(MAGIC.len() as u64, NpyFault::Version(other))),
        };
        if length > HEADER_LIMIT {
            return Err(self.fault_at(8, NpyFault::LongHeader(length)));
        }
        let start = self.offset;
        let mut text = vec![0; length as usize];
        if self.fill(&mut text)? < text.len() {
            return Err(self.malformed(NpyFault::CutHeader(length)));
        }
        let at = |Fault { at, what }: Fault| self.fault_at(start + at as u64, what);
        Header::parse(&text).and_then(|header| header.ray_layout()).map_err(at)
    }
}
