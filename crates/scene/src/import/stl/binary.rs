//! Binary STL: 80 bytes that mean nothing, a count, and 50 bytes a triangle.

use super::{Fault, Solid, Warnings};
use crate::Place;
use crate::import::counted::counted;
use crate::import::origin::Rounder;

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
        let message = format!(
            "{} no STL file: text begins with `solid`, binary data has a head of 84",
            counted(bytes.len(), "byte is", "bytes are")
        );
        return Err(Fault { place: Place::File, message });
    };
    let (triangles, rest) = bytes[HEAD..].as_chunks::<TRIANGLE>();
    if triangles.len() < count as usize {
        let message = format!("the file ends within triangle {} of {count}: it is cut off", triangles.len());
        return Err(Fault { place: Place::Offset(bytes.len() as u64), message });
    }
    if count == 0 && !bytes[HEAD..].is_empty() {
        let left = bytes.len() - HEAD;
        let message = format!(
            "the count of triangles is 0, but {left} bytes follow, which hold {}; the program that wrote the file did not \
             finish it",
            triangles.len()
        );
        return Err(Fault { place: Place::Offset(80), message });
    }
    let mut solid = Solid::default();
    let mut colored = 0;
    solid.triangles.indices.reserve_exact(count as usize);
    for (i, triangle) in triangles.iter().take(count as usize).enumerate() {
        let (words, _) = triangle[12..48].as_chunks::<4>();
        let corner = |k: usize| std::array::from_fn(|axis| f32::from_le_bytes(words[3 * k + axis]).into());
        colored += usize::from(triangle[48..] != [0; 2]);
        let place = || Place::Offset((HEAD + i * TRIANGLE) as u64);
        solid.push(&[corner(0), corner(1), corner(2)], rounder).map_err(|message| Fault { place: place(), message })?;
    }
    let left = (triangles.len() - count as usize) * TRIANGLE + rest.len();
    let place = Place::Offset((bytes.len() - left) as u64);
    let mut warnings = Vec::new();
    if left > 0 {
        let triangles = counted(count as usize, "triangle", "triangles");
        let (what, are) = (counted(left, "byte", "bytes"), if left == 1 { "is" } else { "are" });
        warnings.push((place, format!("{what} behind the {triangles} {are} not read")));
    }
    if colored > 0 {
        let what = counted(colored, "triangle has", "triangles have");
        let message = format!("{what} attributes, in some programs colours, which are not read");
        warnings.push((Place::File, message));
    }
    Ok((vec![solid], warnings))
}
