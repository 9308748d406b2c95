//! Binary STL: 80 bytes that mean nothing, a count, and 50 bytes a triangle.

use super::fault::Fault;
use super::{Solid, Warnings};
use crate::import::origin::Rounder;
use crate::{Place, StlFault, StlWarning};

/// Number of bytes before the first triangle of a binary STL file.
const HEAD: usize = 84;
/// Number of bytes of a triangle in a binary STL file: a normal, three corners and two bytes of attributes.
const TRIANGLE: usize = 50;

/// Returns the number of triangles that the file's header states.
fn count(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEAD).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]))
}

/// Returns `true` if a binary STL file has exactly the length that its stated count of triangles implies.
pub(in crate::import) fn has_its_size(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|count| bytes.len() as u64 == HEAD as u64 + u64::from(count) * TRIANGLE as u64)
}

pub(super) fn parse(bytes: &[u8], rounder: &mut Rounder) -> Result<(Vec<Solid>, Warnings), Fault> {
    let Some(count) = count(bytes) else {
        return Err(Fault { place: Place::File, kind: StlFault::ShortFile { bytes: bytes.len() }.into() });
    };
    let (triangles, rest) = bytes[HEAD..].as_chunks::<TRIANGLE>();
    if triangles.len() < count as usize {
        let kind = StlFault::CutTriangle { triangle: triangles.len(), count }.into();
        return Err(Fault { place: Place::Offset(bytes.len() as u64), kind });
    }
    if count == 0 && !bytes[HEAD..].is_empty() {
        let left = bytes.len() - HEAD;
        let kind = StlFault::NoCount { bytes: left, triangles: triangles.len() }.into();
        return Err(Fault { place: Place::Offset(80), kind });
    }
    let mut solid = Solid::default();
    let mut colored = 0;
    solid.triangles.indices.reserve_exact(count as usize);
    for (i, triangle) in triangles.iter().take(count as usize).enumerate() {
        let (words, _) = triangle[12..48].as_chunks::<4>();
        let corner = |k: usize| std::array::from_fn(|axis| f32::from_le_bytes(words[3 * k + axis]).into());
        colored += usize::from(triangle[48..] != [0; 2]);
        let place = || Place::Offset((HEAD + i * TRIANGLE) as u64);
        solid
            .push(&[corner(0), corner(1), corner(2)], rounder)
            .map_err(|fault| Fault { place: place(), kind: fault.into() })?;
    }
    let left = (triangles.len() - count as usize) * TRIANGLE + rest.len();
    let place = Place::Offset((bytes.len() - left) as u64);
    let mut warnings = Vec::new();
    if left > 0 {
        warnings.push((place, StlWarning::BytesBehind { count: left, triangles: count as usize }));
    }
    if colored > 0 {
        warnings.push((Place::File, StlWarning::Attributes { triangles: colored }));
    }
    Ok((vec![solid], warnings))
}
