//! The file around the document: plain JSON, or a GLB with its binary chunk.
//!
//! Source: glTF 2.0 specification, section 4.4 (GLB).

use crate::import::text;
use crate::{FaultKind, GltfFault, ImportError, Place};
use std::path::Path;

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// Parts of a glTF file: the JSON document and the binary chunk.
#[derive(Debug, PartialEq, Eq)]
pub struct Container<'a> {
    /// Text of the JSON document.
    pub json: &'a [u8],
    /// Binary chunk of a GLB file, which is buffer 0.
    pub bin: Option<&'a [u8]>,
}

/// Returns the number of bytes behind the end of a GLB file; zeros count as padding. The file is one that [`split`]
/// takes.
pub fn behind(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(8..12).filter(|_| bytes.starts_with(MAGIC))?;
    let end = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let rest = bytes.get(end..)?;
    rest.iter().any(|&byte| byte != 0).then_some(rest.len())
}

/// Splits a glTF file into its parts: as GLB if it begins with `glTF`, otherwise as JSON text.
pub fn split<'a>(path: &Path, bytes: &'a [u8]) -> Result<Container<'a>, ImportError> {
    let fail = |offset: usize, kind: FaultKind| ImportError::Malformed {
        path: path.to_path_buf(),
        place: Place::Offset(offset as u64),
        kind,
    };
    if !bytes.starts_with(MAGIC) {
        text::refuse_wide(bytes).map_err(|kind| ImportError::Malformed {
            path: path.to_path_buf(),
            place: Place::Line(1),
            kind,
        })?;
        return Ok(Container { json: text::without_mark(bytes), bin: None });
    }
    let word = |at: usize| bytes.get(at..at + 4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(fail(bytes.len(), GltfFault::CutHeader.into()));
    };
    if version != 2 {
        return Err(ImportError::Unsupported {
            path: path.to_path_buf(),
            place: Place::Offset(4),
            kind: GltfFault::GlbVersion { version }.into(),
        });
    }
    if u64::from(length) > bytes.len() as u64 {
        return Err(fail(8, GltfFault::CutFile { stated: length, found: bytes.len() }.into()));
    }
    let end = length as usize;
    let (mut at, mut json, mut bin) = (12_usize, None, None);
    while at < end {
        let (Some(size), Some(kind), true) = (word(at), word(at + 4), at + 8 <= end) else {
            return Err(fail(at, GltfFault::CutChunkHeader.into()));
        };
        let data = at + 8;
        let chunk = usize::try_from(size)
            .ok()
            .and_then(|size| data.checked_add(size))
            .filter(|&stop| stop <= end)
            .map(|stop| &bytes[data..stop])
            .ok_or_else(|| fail(at, GltfFault::CutChunk { stated: size, left: end - data }.into()))?;
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BIN if bin.is_none() => bin = Some(chunk),
            _ => {} // later kinds of chunk may be skipped
        }
        at = data + chunk.len();
    }
    let mut json = json.ok_or_else(|| fail(12, GltfFault::NoJsonChunk.into()))?;
    // Blanks are to fill the chunk up; some writers take zeros, as for the binary chunk.
    while let [start @ .., 0] = json {
        json = start;
    }
    text::refuse_wide(json).map_err(|kind| fail(20, kind))?;
    Ok(Container { json: text::without_mark(json), bin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::context::told;

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = [MAGIC, &2_u32.to_le_bytes(), &[0; 4]].concat();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(*data);
        }
        let length = (out.len() as u32).to_le_bytes();
        out[8..12].copy_from_slice(&length);
        out
    }

    /// Returns the fault that ends the reading of a file, and its position.
    fn fault(bytes: &[u8]) -> (Place, FaultKind) {
        let (_, place, kind) = told(split(Path::new("a.glb"), bytes).unwrap_err()).unwrap();
        (place, kind)
    }

    #[test]
    fn a_glb_has_a_document_and_a_binary_chunk() {
        let bytes = glb(&[(JSON, b"{}  "), (7, b"skip"), (BIN, b"1234")]);
        let parts = split(Path::new("a.glb"), &bytes).unwrap();
        assert_eq!(parts, Container { json: b"{}  ", bin: Some(b"1234") });
        let utf_16 = FaultKind::WideText { bits: 16, is_big: false };
        assert_eq!(fault(b"\xff\xfe{\0}\0"), (Place::Line(1), utf_16.clone()));
        assert_eq!(split(Path::new("a"), b"\xef\xbb\xbf{}").unwrap(), Container { json: b"{}", bin: None });
        let marked = glb(&[(JSON, b"\xef\xbb\xbf{} ")]);
        assert_eq!(split(Path::new("a.glb"), &marked).unwrap(), Container { json: b"{} ", bin: None });
        let wide = glb(&[(JSON, b"{\0 \0}\0 \0")]);
        assert_eq!(fault(&wide), (Place::Offset(20), utf_16));
    }

    #[test]
    fn zeros_behind_the_document_are_padding() {
        let bytes = glb(&[(JSON, b"{}\0\0"), (BIN, b"12\0\0")]);
        let parts = split(Path::new("a.glb"), &bytes).unwrap();
        assert_eq!(parts, Container { json: b"{}", bin: Some(b"12\0\0") });
        let inside = glb(&[(JSON, b"{\0}\0")]);
        assert_eq!(split(Path::new("a.glb"), &inside).unwrap().json, b"{\0}");
    }

    #[test]
    fn every_prefix_of_a_glb_is_an_error_that_names_a_byte() {
        let bytes = glb(&[(JSON, b"{}  "), (BIN, b"1234")]);
        for end in 4..bytes.len() {
            assert!(matches!(fault(&bytes[..end]).0, Place::Offset(_)), "{end}");
        }
    }

    #[test]
    fn lying_lengths_are_errors() {
        let good = glb(&[(JSON, b"{}  ")]);
        for (at, value, want) in [
            (4, 1_u32, GltfFault::GlbVersion { version: 1 }),
            (8, 999, GltfFault::CutFile { stated: 999, found: 24 }),
            (8, 14, GltfFault::CutChunkHeader),
            (12, u32::MAX, GltfFault::CutChunk { stated: u32::MAX, left: 4 }),
            (16, 5, GltfFault::NoJsonChunk),
        ] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert_eq!(fault(&bytes).1, want.into());
        }
    }
}
