//! Bytes of files, decompressed.
//!
//! What is unpacked is held against two limits while it grows: [`MAX_BYTES`], and a multiple of the
//! packed size, since a file of a few kilobytes can be made to unpack without end. Scenes as text
//! shrink to between a third and a twentieth.

use crate::findings::packed::MAX_BYTES;
use crate::{ImportError, PackedFault, Place};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Number of decompressed bytes up to which a file may unpack to any multiple of its size.
const FREE_BYTES: u64 = 64 << 20;
/// Largest ratio of unpacked to packed size above [`FREE_BYTES`].
const MAX_RATIO: u64 = 256;

/// Reads a whole file and decompresses it, if its first bytes are those of gzip or Zstandard.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let read_error = |source| ImportError::Read { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(read_error)?;
    let metadata = file.metadata().map_err(read_error)?;
    if let Some(message) = refused(&metadata.file_type()) {
        return Err(read_error(std::io::Error::other(message)));
    }
    let size = metadata.len();
    let mut bytes = Vec::new();
    if size <= MAX_BYTES {
        bytes.try_reserve_exact(size as usize).map_err(|_| read_error(std::io::ErrorKind::OutOfMemory.into()))?;
        // A pipe has no size and may never end.
        (&mut file).take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    }
    if size.max(bytes.len() as u64) > MAX_BYTES {
        return Err(too_large(path, PackedFault::LargeFile));
    }
    unpack(path, bytes)
}

/// Reads a stream to its end and decompresses it as [`read`] does; `path` is for messages.
pub(super) fn read_from(path: &Path, input: impl Read) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    let read_error = |source| ImportError::Read { path: path.to_path_buf(), source };
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(path, PackedFault::LargeFile));
    }
    unpack(path, bytes)
}

/// Reason why a device is not read.
const DEVICE: &str = "it is a device, not a file";

/// Returns why a file of this type (folder, device, ...) is not read; `None` if it is. Devices are refused, since a
/// scene can name one that never ends (`/dev/zero`) or whose reading does something; pipes are not.
fn refused(kind: &std::fs::FileType) -> Option<&'static str> {
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(kind);
    #[cfg(not(unix))]
    let is_pipe = false;
    match () {
        () if kind.is_dir() => Some("it is a folder"),
        () if kind.is_file() || is_pipe => None,
        () => Some(DEVICE),
    }
}

/// Returns the largest number of bytes that a file of `packed` bytes may unpack to.
pub(super) fn unpacked_limit(packed: usize) -> u64 {
    (packed as u64).saturating_mul(MAX_RATIO).clamp(FREE_BYTES, MAX_BYTES)
}

/// Decompresses data that begin as gzip or Zstandard, and returns other data unchanged.
fn unpack(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, ImportError> {
    let limit = unpacked_limit(bytes.len());
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] => gzip(path, &bytes, limit),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => zstandard(path, &bytes, limit),
        _ => Ok(bytes),
    }
}

/// Decompresses gzip data of one or more members; zeros behind the last are padding.
fn gzip(path: &Path, bytes: &[u8], limit: u64) -> Result<Vec<u8>, ImportError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.iter().all(|&b| b == 0) {
        if !rest.starts_with(&[0x1f, 0x8b]) {
            let at = bytes.len() - rest.len();
            return Err(malformed(path, PackedFault::NotGzip { bytes: rest.len(), at }));
        }
        let mut decoder = flate2::bufread::GzDecoder::new(rest);
        append(path, &mut decoder, &mut out, limit)?;
        rest = decoder.into_inner();
    }
    Ok(out)
}

/// Decompresses Zstandard data of one or more frames; skippable frames are skipped.
fn zstandard(path: &Path, bytes: &[u8], limit: u64) -> Result<Vec<u8>, ImportError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, behind @ ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let cut = || malformed(path, PackedFault::CutFrame);
            rest = behind.get(length..).ok_or_else(cut)?;
            continue;
        }
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest)
            .map_err(|error| malformed(path, PackedFault::Zstandard { error: error.to_string() }))?;
        append(path, &mut decoder, &mut out, limit)?;
        let frame = decoder.into_frame_decoder();
        if let (Some(want), Some(got)) = (frame.get_checksum_from_data(), frame.get_calculated_checksum())
            && want != got
        {
            return Err(malformed(path, PackedFault::Checksum));
        }
    }
    Ok(out)
}

/// Appends all data of `reader` to `out`; an error if that becomes longer than `limit` bytes.
pub(super) fn append(path: &Path, reader: &mut impl Read, out: &mut Vec<u8>, limit: u64) -> Result<(), ImportError> {
    let room = limit - out.len() as u64;
    reader.take(room + 1).read_to_end(out).map_err(|error| match error.kind() {
        std::io::ErrorKind::OutOfMemory => ImportError::Read { path: path.to_path_buf(), source: error },
        _ => malformed(path, PackedFault::Broken { after: out.len(), error: error.to_string() }),
    })?;
    if out.len() as u64 > limit {
        return Err(too_large(path, PackedFault::Unpacked { limit }));
    }
    Ok(())
}

fn malformed(path: &Path, fault: PackedFault) -> ImportError {
    ImportError::Malformed { path: path.to_path_buf(), place: Place::File, kind: fault.into() }
}

fn too_large(path: &Path, fault: PackedFault) -> ImportError {
    ImportError::TooLarge { path: path.to_path_buf(), place: Place::File, kind: fault.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultKind;
    use crate::import::context::told;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gz(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zst(data: &[u8]) -> Vec<u8> {
        compress_to_vec(data, CompressionLevel::Fastest)
    }

    #[track_caller]
    fn check(bytes: Vec<u8>, want: &[u8]) {
        assert_eq!(unpack(Path::new("scene.ply.gz"), bytes).unwrap(), want);
    }

    /// Returns the fault of packed data.
    #[track_caller]
    fn fault(bytes: Vec<u8>) -> PackedFault {
        match told(unpack(Path::new("scene.ply.gz"), bytes).unwrap_err()).unwrap() {
            (_, Place::File, FaultKind::Packed(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_and_what_is_not_is_left_alone() {
        check(b"plain".to_vec(), b"plain");
        check(vec![], b"");
        check(gz(b"hello"), b"hello");
        check(zst(b"hello"), b"hello");
        check([gz(b"two "), gz(b"members"), vec![0; 9]].concat(), b"two members");
        let skippable = [0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7];
        check([&skippable[..], &zst(b"two "), &skippable, &zst(b"frames")].concat(), b"two frames");
    }

    #[test]
    fn packed_data_cut_off_or_followed_by_anything_is_refused() {
        for packed in [gz(b"some text, some more text"), zst(b"some text, some more text")] {
            for length in 4..packed.len() {
                let cut = fault(packed[..length].to_vec());
                assert!(matches!(cut, PackedFault::Broken { .. } | PackedFault::Zstandard { .. }), "{length}: {cut}");
            }
        }
        let junk = b"junk".to_vec();
        assert_eq!(fault([gz(b"text"), junk.clone()].concat()), PackedFault::NotGzip { bytes: 4, at: 24 });
        assert!(matches!(fault([zst(b"text"), junk].concat()), PackedFault::Zstandard { .. }));
        assert_eq!(fault(vec![0x50, 0x2a, 0x4d, 0x18, 255, 255, 255, 255]), PackedFault::CutFrame);
        let mut wrong = gz(b"text");
        let crc = wrong.len() - 8;
        wrong[crc] ^= 1;
        assert!(matches!(fault(wrong), PackedFault::Broken { .. }));
    }

    #[test]
    fn a_small_file_that_unpacks_without_end_is_stopped() {
        // 65 MiB of zeros: 65 kB as gzip. The same again and again in frames of 128 KiB for Zstandard.
        let zeros = gz(&vec![0; (FREE_BYTES + (1 << 20)) as usize]);
        assert_eq!(fault(zeros), PackedFault::Unpacked { limit: FREE_BYTES });
        let frame = zst(&[0; 1 << 17]);
        let frames = frame.repeat(1 + (FREE_BYTES >> 17) as usize);
        assert!(matches!(fault(frames), PackedFault::Unpacked { .. }));
    }

    #[test]
    fn a_folder_or_a_missing_file_is_an_error_of_reading() {
        let folder = std::env::temp_dir();
        assert!(matches!(read(&folder), Err(ImportError::Read { .. })), "{folder:?}");
        let error = read(&folder.join("no such file.ply")).unwrap_err();
        assert!(matches!(error, ImportError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound));
    }
    #[cfg(unix)]
    #[test]
    fn a_device_is_not_read() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        let ImportError::Read { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.to_string(), DEVICE);
    }
}
