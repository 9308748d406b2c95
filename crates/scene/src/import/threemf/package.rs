//! The zip file around the parts of a 3MF package.

use crate::findings::packed::MAX_BYTES;
use crate::import::source;
use crate::{ImportError, Place, ThreeMfFault};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::collections::HashMap;
use std::path::Path;

/// ZIP package of a 3MF file, whose parts are read on demand. Names are compared without their first slash and in lower
/// case, as the Open Packaging Conventions say.
pub(super) struct Package<'a> {
    path: &'a Path,
    archive: ZipSliceArchive<&'a [u8]>,
    entries: HashMap<String, Entry>,
    /// Number of bytes that all parts together may still unpack to, since entries may share their packed bytes.
    budget: u64,
}

struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    encrypted: bool,
}

/// Normalises a part's name for the table of entries: lower case, no leading slash.
pub(super) fn key(name: &str) -> String {
    name.trim_start_matches('/').replace('\\', "/").to_lowercase()
}

impl<'a> Package<'a> {
    /// Opens a package by reading the directory of the ZIP file.
    pub fn open(path: &'a Path, bytes: &'a [u8]) -> Result<Self, ImportError> {
        let malformed = |error: rawzip::Error| {
            let kind = ThreeMfFault::NoZip { error: error.to_string() }.into();
            ImportError::Malformed { path: path.to_path_buf(), place: Place::File, kind }
        };
        let archive = ZipArchive::from_slice(bytes).map_err(malformed)?;
        let mut entries = HashMap::new();
        let mut records = archive.entries();
        while let Some(record) = records.next_entry().map_err(malformed)? {
            let name = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
            let entry = Entry {
                place: record.wayfinder(),
                method: record.compression_method(),
                encrypted: record.flags().is_encrypted(),
            };
            // Of two entries of one name the first counts.
            entries.entry(key(&name)).or_insert(entry);
        }
        Ok(Self { path, archive, entries, budget: source::unpacked_limit(bytes.len()) })
    }

    /// Reads and decompresses a part and verifies its checksum; `None` if there is none of this name.
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ImportError> {
        let Some(entry) = self.entries.get(&key(name)) else { return Ok(None) };
        let place = || Place::Item(name.to_string());
        let unsupported = |fault: ThreeMfFault| {
            Err(ImportError::Unsupported { path: self.path.to_path_buf(), place: place(), kind: fault.into() })
        };
        if entry.encrypted {
            return unsupported(ThreeMfFault::Encrypted);
        }
        let malformed = |kind| ImportError::Malformed { path: self.path.to_path_buf(), place: place(), kind };
        let found = self
            .archive
            .get_entry(entry.place)
            .map_err(|error| malformed(ThreeMfFault::BrokenPart { error: error.to_string() }.into()))?;
        let mut bytes = Vec::new();
        let result = match entry.method {
            CompressionMethod::STORE => {
                source::append(self.path, &mut found.verifying_reader(found.data()), &mut bytes, self.budget)
            }
            CompressionMethod::DEFLATE => {
                let unpacked = flate2::bufread::DeflateDecoder::new(found.data());
                source::append(self.path, &mut found.verifying_reader(unpacked), &mut bytes, self.budget)
            }
            method => return unsupported(ThreeMfFault::Method { method: method.as_u16() }),
        };
        // The message about packed data gets the part's name.
        result.map_err(|error| match error {
            ImportError::Malformed { kind, .. } => malformed(kind),
            ImportError::TooLarge { path, kind, .. } => ImportError::TooLarge { path, place: place(), kind },
            other => other,
        })?;
        self.budget -= bytes.len() as u64;
        debug_assert!(self.budget <= MAX_BYTES);
        Ok(Some(bytes))
    }
}
