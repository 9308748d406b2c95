//! The document's bytes: buffers, and views of them, decompressed when first asked for.

use super::fault::{Read, ReadStop, malformed, too_large};
use super::json::{BufferView, DocumentJson, Int};
use super::meshopt;
use super::uri::{UriTarget, resolve};
use crate::import::Context;
use crate::{GltfFault, ImportError, Place};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

/// Policy for files that a glTF document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum External {
    /// The named files are read from disk.
    Read,
    /// The named files count as missing.
    Missing,
}

/// glTF document with its loaded buffers.
pub struct Data<'a> {
    pub path: &'a Path,
    pub document: &'a DocumentJson,
    pub external: External,
    /// Bytes of each buffer; `None` where its file is missing or nothing needs it.
    buffers: Vec<Option<Cow<'a, [u8]>>>,
    /// Decompressed contents of buffer views, each filled in when it is first needed.
    decoded: Vec<OnceCell<Vec<u8>>>,
    /// Number of bytes of memory that the scene may still use.
    budget: Cell<u64>,
}

impl<'a> Data<'a> {
    /// Loads every buffer of a document that is needed by an uncompressed view or by compressed data.
    pub fn load(
        path: &'a Path,
        document: &'a DocumentJson,
        bin: Option<&'a [u8]>,
        external: External,
        context: &mut Context,
    ) -> Result<Self, ImportError> {
        let mut needed = vec![false; document.buffers.len()];
        for view in &document.buffer_views {
            let buffer = meshopt_of(view).map_or(view.buffer, |(_, compressed)| compressed.buffer);
            if let Some(needed) = buffer.and_then(|b| needed.get_mut(b.index())) {
                *needed = true;
            }
        }
        let mut buffers = Vec::with_capacity(needed.len());
        let mut total = bin.map_or(0, |bin| bin.len() as u64);
        for (i, needed) in needed.into_iter().enumerate() {
            let bytes = if needed { load_buffer(path, document, i, bin, external, context)? } else { None };
            total += bytes.as_ref().map_or(0, |b| b.len() as u64);
            buffers.push(bytes);
        }
        let decoded = document.buffer_views.iter().map(|_| OnceCell::new()).collect();
        // Accessors may share bytes, so a small file could ask for any amount of memory. No honest file
        // comes near: compression and quantisation together give a factor below 50.
        let budget = Cell::new((1 << 30) + total.saturating_mul(256));
        Ok(Self { path, document, external, buffers, decoded, budget })
    }

    /// Makes the error that this file violates its format at `item`.
    pub fn malformed(&self, item: impl Into<String>, fault: GltfFault) -> ImportError {
        malformed(self.path, item, fault)
    }

    /// Reduces the remaining memory budget by `bytes`; an error if it is exceeded.
    pub fn charge(&self, item: &str, bytes: u64) -> Result<(), ImportError> {
        let left = self.budget.get().checked_sub(bytes);
        let left = left.ok_or_else(|| too_large(self.path, item, GltfFault::RepeatedData))?;
        self.budget.set(left);
        Ok(())
    }

    /// Returns the remaining memory budget in bytes.
    #[cfg(feature = "draco")]
    pub fn left(&self) -> u64 {
        self.budget.get()
    }

    /// Returns entry `index` of the document's array `name`, or an error that names the referring `item`.
    pub fn entry<'b, T>(
        &self,
        array: &'b [T],
        name: &'static str,
        index: Int,
        item: &str,
    ) -> Result<&'b T, ImportError> {
        array
            .get(index.index())
            .ok_or_else(|| self.malformed(item, GltfFault::NoEntry { array: name, index: index.0, count: array.len() }))
    }

    /// Returns buffer view `index`, to which `item` refers, and its decompressed bytes.
    pub fn view(&self, index: Int, item: &str) -> Read<(&'a BufferView, &[u8])> {
        let view = self.entry(&self.document.buffer_views, "bufferViews", index, item)?;
        let place = format!("bufferViews[{}]", index.0);
        let Some((extension, compressed)) = meshopt_of(view) else {
            return Ok((view, self.range(&place, view.buffer, view.byte_offset, view.byte_length)?));
        };
        let cell = &self.decoded[index.index()];
        if let Some(bytes) = cell.get() {
            return Ok((view, bytes));
        }
        let place = format!("{place}.extensions.{extension}");
        let source = self.range(&place, compressed.buffer, compressed.byte_offset, compressed.byte_length)?;
        let size = compressed.count.0.checked_mul(compressed.byte_stride.0);
        if size != Some(view.byte_length.0) {
            let (count, stride) = (compressed.count.0, compressed.byte_stride.0);
            let fault = GltfFault::CompressedSize { count, stride, length: view.byte_length.0 };
            return Err(self.malformed(place, fault).into());
        }
        self.charge(&place, view.byte_length.0)?;
        let bytes = meshopt::decode(compressed, source).map_err(|fault| self.malformed(place, fault.into()))?;
        Ok((view, cell.get_or_init(|| bytes)))
    }

    /// Returns `length` bytes of buffer `buffer` from `offset` on, checked to lie inside.
    fn range(&self, place: &str, buffer: Option<Int>, offset: Int, length: Int) -> Read<&[u8]> {
        let buffer = buffer.ok_or_else(|| self.malformed(place, GltfFault::NamesNo { what: "buffer" }))?;
        self.entry(&self.document.buffers, "buffers", buffer, place)?;
        let bytes = self.buffers[buffer.index()].as_deref().ok_or(ReadStop::Missing)?;
        let end = offset.0.checked_add(length.0).filter(|&end| end <= bytes.len() as u64);
        let end = end.ok_or_else(|| {
            let (length, offset, buffer, size) = (length.0, offset.0, buffer.0, bytes.len());
            self.malformed(place, GltfFault::OutsideBuffer { length, offset, buffer, size })
        })?;
        Ok(&bytes[offset.index()..end as usize])
    }
}

/// Returns the meshopt compression of a buffer view, if any, with the name of its extension.
fn meshopt_of(view: &BufferView) -> Option<(&'static str, &super::json::Meshopt)> {
    let extensions = &view.extensions;
    let khr = extensions.khr.as_ref().map(|m| ("KHR_meshopt_compression", m));
    khr.or(extensions.ext.as_ref().map(|m| ("EXT_meshopt_compression", m)))
}

/// Loads the bytes of buffer `index`, exactly `byteLength` of them; `None` when its file is missing.
fn load_buffer<'a>(
    path: &Path,
    document: &DocumentJson,
    index: usize,
    bin: Option<&'a [u8]>,
    external: External,
    context: &mut Context,
) -> Result<Option<Cow<'a, [u8]>>, ImportError> {
    let buffer = &document.buffers[index];
    let item = format!("buffers[{index}]");
    let mut bytes: Cow<'a, [u8]> = match (&buffer.uri, bin) {
        (None, Some(bin)) if index == 0 => Cow::Borrowed(bin),
        (None, _) => return Err(malformed(path, item, GltfFault::NoUri)),
        (Some(uri), _) => match resolve(uri).map_err(|fault| malformed(path, format!("{item}.uri"), fault))? {
            UriTarget::Bytes(bytes) => Cow::Owned(bytes),
            UriTarget::File(name) => {
                let file = file_of(path, format!("{item}.uri"), &name, external, context);
                match read_external(&file, external, context)? {
                    Some(bytes) => Cow::Owned(bytes),
                    None => return Ok(None),
                }
            }
        },
    };
    let stated = buffer.byte_length.0;
    if (bytes.len() as u64) < stated {
        return Err(malformed(path, item, GltfFault::ShortBuffer { stated, found: bytes.len() }));
    }
    match &mut bytes {
        Cow::Borrowed(slice) => *slice = &slice[..stated as usize],
        Cow::Owned(vec) => vec.truncate(stated as usize),
    }
    Ok(Some(bytes))
}

/// Returns the path of the file `name` that the document `path` refers to at `item`.
pub fn file_of(path: &Path, item: String, name: &str, external: External, context: &mut Context) -> PathBuf {
    match external {
        External::Read => context.find(path, Place::Item(item), name),
        External::Missing => path.parent().unwrap_or(Path::new("")).join(name),
    }
}

/// Reads a file that the document names; notes it and returns `None` when it is missing.
pub fn read_external(file: &Path, external: External, context: &mut Context) -> Result<Option<Vec<u8>>, ImportError> {
    match external {
        External::Read => context.read(file),
        External::Missing => {
            context.note_missing(file);
            Ok(None)
        }
    }
}
