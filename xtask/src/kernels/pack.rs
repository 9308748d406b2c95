//! Packs what is embedded: as xz, which `raywarp_cuda::KernelSet` unpacks. Equal bytes give equal files.

use lzma_rust2::{CheckType, LzmaOptions, XzOptions, XzReader, XzWriter};
use std::io::{Read, Write};
use std::path::Path;

/// Kind of a file's content, to which its compression is suited.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// Text, such as PTX and tables.
    Text,
    /// Machine code with instructions of 16 bytes.
    MachineCode,
    /// Kepler's machine code, with instructions of 8 bytes.
    KeplerCode,
}

/// Returns `bytes` compressed as a file.
///
/// # Errors
/// What the packer says.
pub fn pack(bytes: &[u8], content: Content) -> Result<Vec<u8>, String> {
    let mut options = XzOptions::with_preset(9);
    options.check_type = CheckType::Crc32;
    let lzma = &mut options.lzma_options;
    // A byte is foretold by the one before in text, by its place in the instruction in machine code (its four lowest
    // bits). On the path tracer's kernels this is 0.5 % and 4 % less than with the preset's lc=3, lp=0, pb=2.
    (lzma.lc, lzma.lp, lzma.pb) = match content {
        Content::Text => (3, 0, 0),
        Content::MachineCode => (0, 4, 4),
        Content::KeplerCode => (0, 3, 3),
    };
    lzma.nice_len = LzmaOptions::NICE_LEN_MAX;
    // Who unpacks takes this much memory: no more than the file needs, of the powers of two that the format knows.
    lzma.dict_size = u32::try_from(bytes.len().next_power_of_two().max(4096)).map_err(|error| error.to_string())?;
    let mut packed = XzWriter::new(Vec::new(), options).map_err(|error| error.to_string())?;
    packed.write_all(bytes).and_then(|()| packed.finish()).map_err(|error| error.to_string())
}

/// Returns the bytes of a compressed file.
///
/// # Errors
/// One line with the file's name: it cannot be read, or is damaged.
pub fn unpack(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let unpacked = std::fs::read(path).and_then(|packed| XzReader::new(&packed[..], true).read_to_end(&mut bytes));
    unpacked.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_come_back_and_equal_ones_give_equal_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("packed.xz");
        let many: Vec<u8> = (0..40_000u32).flat_map(|i| (i * i / 77).to_le_bytes()).collect();
        for bytes in [&b""[..], b"a", &[7; 4096], &[7; 4097], &many] {
            for content in [Content::Text, Content::MachineCode, Content::KeplerCode] {
                let packed = pack(bytes, content).unwrap();
                std::fs::write(&file, &packed).unwrap();
                assert!(unpack(&file).unwrap() == bytes, "{content:?} of {} bytes", bytes.len());
                assert_eq!(packed, pack(bytes, content).unwrap());
            }
        }
        std::fs::write(&file, b"no xz").unwrap();
        assert!(unpack(&file).unwrap_err().starts_with(&file.display().to_string()));
        std::fs::remove_file(&file).unwrap();
        assert!(unpack(&file).is_err());
    }
}
