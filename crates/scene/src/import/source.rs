//! Bytes of files, decompressed.

use crate::{Place, SceneError};
use std::io::Read;
use std::path::Path;

/// The most bytes a file may have, after decompression: enough for the largest scene in use, and a
/// stop for a small file that unpacks without end.
pub(crate) const MAX_BYTES: u64 = 8 << 30;

/// The kind of a file: its extension in lower case, behind `.gz` or `.zst` if there is one.
pub(crate) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_string()).unwrap_or_default()
}

/// Reads a whole file; what its first bytes say is gzip or Zstandard is unpacked.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SceneError> {
    let read_error = |source| SceneError::Read { path: path.to_path_buf(), source };
    let bytes = std::fs::read(path).map_err(read_error)?;
    let unpacked: Box<dyn Read> = match bytes.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(bytes.as_slice())),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(
            ruzstd::decoding::StreamingDecoder::new(bytes.as_slice())
                .map_err(|error| malformed(path, format!("broken Zstandard data: {error}")))?,
        ),
        _ => return Ok(bytes),
    };
    let mut out = Vec::new();
    unpacked
        .take(MAX_BYTES + 1)
        .read_to_end(&mut out)
        .map_err(|error| malformed(path, format!("broken compressed data after {} bytes: {error}", out.len())))?;
    if out.len() as u64 > MAX_BYTES {
        return Err(SceneError::TooLarge {
            path: path.to_path_buf(),
            place: Place::File,
            message: format!("unpacks to more than {MAX_BYTES} bytes"),
        });
    }
    Ok(out)
}

fn malformed(path: &Path, message: String) -> SceneError {
    SceneError::Malformed { path: path.to_path_buf(), place: Place::File, message }
}
