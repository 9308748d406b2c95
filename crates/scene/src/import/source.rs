//! Bytes of files, decompressed.
//!
//! What is unpacked is held against two limits while it grows: [`MAX_BYTES`], and a multiple of the
//! packed size, since a file of a few kilobytes can be made to unpack without end. Scenes as text
//! shrink to between a third and a twentieth.

use crate::{Place, SceneError};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest number of bytes of a file after decompression: enough for the largest scene in use.
pub(crate) const MAX_BYTES: u64 = 8 << 30;
/// Number of decompressed bytes up to which a file may unpack to any multiple of its size.
const FREE_BYTES: u64 = 64 << 20;
/// Largest ratio of unpacked to packed size above [`FREE_BYTES`].
const MAX_RATIO: u64 = 256;

/// Returns a file's extension in lower case, without `.gz` or `.zst` behind it.
pub(super) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_string()).unwrap_or_default()
}

/// Reads a whole file and decompresses it, if its first bytes are those of gzip or Zstandard.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SceneError> {
    let read_error = |source| SceneError::Read { path: path.to_path_buf(), source };
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
        return Err(too_large(path, format!("larger than {} GiB", MAX_BYTES >> 30)));
    }
    unpack(path, bytes)
}

/// Reads a stream to its end and decompresses it as [`read`] does; `path` is for messages.
pub(super) fn read_from(path: &Path, input: impl Read) -> Result<Vec<u8>, SceneError> {
    let mut bytes = Vec::new();
    let read_error = |source| SceneError::Read { path: path.to_path_buf(), source };
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(path, format!("larger than {} GiB", MAX_BYTES >> 30)));
    }
    unpack(path, bytes)
}

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
        () => Some("it is a device, not a file"),
    }
}

/// Returns the largest number of bytes that a file of `packed` bytes may unpack to.
pub(super) fn unpacked_limit(packed: usize) -> u64 {
    (packed as u64).saturating_mul(MAX_RATIO).clamp(FREE_BYTES, MAX_BYTES)
}

/// Decompresses data that begin as gzip or Zstandard, and returns other data unchanged.
fn unpack(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, SceneError> {
    let limit = unpacked_limit(bytes.len());
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] => gzip(path, &bytes, limit),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => zstandard(path, &bytes, limit),
        _ => Ok(bytes),
    }
}

/// Decompresses gzip data of one or more members; zeros behind the last are padding.
fn gzip(path: &Path, bytes: &[u8], limit: u64) -> Result<Vec<u8>, SceneError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.iter().all(|&b| b == 0) {
        if !rest.starts_with(&[0x1f, 0x8b]) {
            let at = bytes.len() - rest.len();
            return Err(malformed(path, format!("{} bytes that are not gzip data from byte {at}", rest.len())));
        }
        let mut decoder = flate2::bufread::GzDecoder::new(rest);
        append(path, &mut decoder, &mut out, limit)?;
        rest = decoder.into_inner();
    }
    Ok(out)
}

/// Decompresses Zstandard data of one or more frames; skippable frames are skipped.
fn zstandard(path: &Path, bytes: &[u8], limit: u64) -> Result<Vec<u8>, SceneError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, behind @ ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let cut = || malformed(path, "broken compressed data: a skippable frame is cut off".into());
            rest = behind.get(length..).ok_or_else(cut)?;
            continue;
        }
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest)
            .map_err(|error| malformed(path, format!("broken Zstandard data: {error}")))?;
        append(path, &mut decoder, &mut out, limit)?;
        let frame = decoder.into_frame_decoder();
        if let (Some(want), Some(got)) = (frame.get_checksum_from_data(), frame.get_calculated_checksum())
            && want != got
        {
            return Err(malformed(path, "broken compressed data: the checksum is wrong".into()));
        }
    }
    Ok(out)
}

/// Appends all data of `reader` to `out`; an error if that becomes longer than `limit` bytes.
pub(super) fn append(path: &Path, reader: &mut impl Read, out: &mut Vec<u8>, limit: u64) -> Result<(), SceneError> {
    let room = limit - out.len() as u64;
    reader.take(room + 1).read_to_end(out).map_err(|error| match error.kind() {
        std::io::ErrorKind::OutOfMemory => SceneError::Read { path: path.to_path_buf(), source: error },
        _ => malformed(path, format!("broken compressed data after {} bytes: {error}", out.len())),
    })?;
    if out.len() as u64 > limit {
        return Err(too_large(
            path,
            format!("unpacks to more than {limit} bytes; unpack it by hand if it is meant so"),
        ));
    }
    Ok(())
}

fn malformed(path: &Path, message: String) -> SceneError {
    SceneError::Malformed { path: path.to_path_buf(), place: Place::File, message }
}

fn too_large(path: &Path, message: String) -> SceneError {
    SceneError::TooLarge { path: path.to_path_buf(), place: Place::File, message }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn check(bytes: Vec<u8>, want: Result<&[u8], &str>) {
        let got = unpack(Path::new("scene.ply.gz"), bytes).map_err(|error| error.to_string());
        match (got, want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want),
            (Err(got), Err(want)) => assert!(got.starts_with("scene.ply.gz") && got.contains(want), "{got}"),
            (got, want) => panic!("{got:?}, not {want:?}"),
        }
    }

    #[test]
    fn the_kind_of_a_file_is_its_inner_extension() {
        for (name, want) in [("a/b.PLY.GZ", "ply"), ("b.gltf", "gltf"), ("b.obj.zst", "obj"), ("b", ""), ("x.gz", "")] {
            assert_eq!(extension(Path::new(name)), want, "{name}");
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_and_what_is_not_is_left_alone() {
        check(b"plain".to_vec(), Ok(b"plain"));
        check(vec![], Ok(b""));
        check(gz(b"hello"), Ok(b"hello"));
        check(zst(b"hello"), Ok(b"hello"));
        check([gz(b"two "), gz(b"members"), vec![0; 9]].concat(), Ok(b"two members"));
        let skippable = [0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7];
        check([&skippable[..], &zst(b"two "), &skippable, &zst(b"frames")].concat(), Ok(b"two frames"));
    }

    #[test]
    fn packed_data_cut_off_or_followed_by_anything_is_refused() {
        for packed in [gz(b"some text, some more text"), zst(b"some text, some more text")] {
            for length in 4..packed.len() {
                check(packed[..length].to_vec(), Err("broken"));
            }
        }
        check([gz(b"text"), b"junk".to_vec()].concat(), Err("4 bytes that are not gzip data from byte 24"));
        check([zst(b"text"), b"junk".to_vec()].concat(), Err("broken Zstandard data"));
        check([0x50, 0x2a, 0x4d, 0x18, 255, 255, 255, 255].to_vec(), Err("cut off"));
        let mut wrong = gz(b"text");
        let crc = wrong.len() - 8;
        wrong[crc] ^= 1;
        check(wrong, Err("broken compressed data"));
    }

    #[test]
    fn a_small_file_that_unpacks_without_end_is_stopped() {
        // 65 MiB of zeros: 65 kB as gzip. The same again and again in frames of 128 KiB for Zstandard.
        check(gz(&vec![0; (FREE_BYTES + (1 << 20)) as usize]), Err("unpacks to more than 67108864 bytes"));
        let frame = zst(&[0; 1 << 17]);
        check(frame.repeat(1 + (FREE_BYTES >> 17) as usize), Err("unpacks to more than"));
    }

    #[test]
    fn a_folder_or_a_missing_file_is_an_error_of_reading() {
        let folder = std::env::temp_dir();
        assert!(matches!(read(&folder), Err(SceneError::Read { .. })), "{folder:?}");
        let error = read(&folder.join("no such file.ply")).unwrap_err();
        assert!(matches!(error, SceneError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound));
    }
    #[cfg(unix)]
    #[test]
    fn a_device_is_not_read() {
        let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(error, "/dev/zero: cannot be read: it is a device, not a file");
    }
}
