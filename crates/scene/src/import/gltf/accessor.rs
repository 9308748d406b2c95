//! Accessors: typed arrays in buffer views, with strides, normalised integers and sparse changes.
//!
//! Source: glTF 2.0 specification, section 3.6.2; KHR_mesh_quantization.

use super::data::Data;
use super::draco;
use super::fault::{Read, too_large, unsupported};
use super::json::{Accessor, Int};
use crate::GltfFault;
use crate::each::Each;
use crate::findings::gltf::MAX_IMPLICIT;

/// Number type of an accessor's components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: Int) -> Option<Self> {
        Some(match code.0 {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Returns the size of one component in bytes.
    #[inline]
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Decodes one component from the first bytes of `b` as a float, with at least [`Component::size`] bytes.
    /// `normalized` integers become 0 to 1, or -1 to 1.
    #[inline]
    fn float(self, b: &[u8], normalized: bool) -> f32 {
        let (value, max) = match self {
            Self::F32 => return f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            Self::U32 => {
                let value = f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                return if normalized { value / f64::from(u32::MAX) } else { value } as f32;
            }
            Self::I8 => (f32::from(b[0] as i8), 127.0),
            Self::U8 => (f32::from(b[0]), 255.0),
            Self::I16 => (f32::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Self::U16 => (f32::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
        };
        if normalized { (value / max).max(-1.0) } else { value }
    }

    /// Decodes one component of an unsigned type from the first bytes of `b` as an index.
    #[inline]
    fn index(self, b: &[u8]) -> u32 {
        match self {
            Self::U8 => b[0].into(),
            Self::U16 => u16::from_le_bytes([b[0], b[1]]).into(),
            _ => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }
}

/// View of elements at a regular stride in bytes that were checked: element `i` is at `i * stride`, and the last one
/// fits.
#[derive(Clone, Copy)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    #[inline]
    fn element(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.stride..]
    }
}

/// Opened accessor, all of whose elements are known to be readable.
pub struct Elements<'a> {
    item: String,
    component: Component,
    components: usize,
    normalized: bool,
    /// Number of the accessor's elements.
    pub count: usize,
    /// Elements before sparse replacements; `None` if all are zero.
    base: Option<Strided<'a>>,
    /// Sparse replacements: ascending positions, and the elements that replace the base's there.
    sparse: Option<(Vec<u32>, Strided<'a>)>,
}

impl<'a> Elements<'a> {
    /// Opens accessor `index` and checks that all its elements are readable; messages name the referring `item`.
    pub fn open(data: &'a Data, index: Int, item: &str) -> Read<Self> {
        let accessor = data.entry(&data.document.accessors, "accessors", index, item)?;
        let item = format!("{item} (accessors[{}])", index.0);
        let component = component_of(data, accessor.component_type, &item)?;
        let components = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            // Columns of float matrices need no padding; other matrices are not read.
            "MAT4" if component == Component::F32 => 16,
            kind @ ("MAT2" | "MAT3" | "MAT4") => {
                return Err(data.malformed(item, GltfFault::Matrix { kind: kind.into() }).into());
            }
            other => return Err(data.malformed(item, GltfFault::AccessorType { kind: other.into() }).into()),
        };
        let count = u32::try_from(accessor.count.0)
            .map_err(|_| too_large(data.path, &item, GltfFault::Elements { count: accessor.count.0 }))?
            as usize;
        let size = component.size() * components;
        let base = match accessor.buffer_view {
            Some(view) => Some(strided(data, view, accessor.byte_offset, true, size, count, &item)?),
            None if accessor.count.0 > MAX_IMPLICIT => {
                return Err(too_large(data.path, item, GltfFault::ImplicitElements { count }).into());
            }
            None => None,
        };
        let sparse = open_sparse(data, accessor, size, count, &item)?;
        Ok(Self { item, component, components, normalized: accessor.normalized, count, base, sparse })
    }

    /// Opens accessor `index` with values decompressed by Draco, after checking that there are `count` elements.
    pub fn decoded(data: &Data, index: Int, values: &'a draco::Attribute, count: usize, item: &str) -> Read<Self> {
        let accessor = data.entry(&data.document.accessors, "accessors", index, item)?;
        let (component, components) = (values.component, values.components);
        let stride = component.size() * components;
        let base = Some(Strided { bytes: &values.bytes, stride, count });
        let (item, normalized) = (format!("{item} (accessors[{}])", index.0), accessor.normalized);
        Ok(Self { item, component, components, normalized, count, base, sparse: None })
    }

    /// Returns the name of the accessor in messages.
    pub fn item(&self) -> &str {
        &self.item
    }

    /// Returns `true` if the file gives no values for the accessor, so that all are zero.
    pub fn is_implicit(&self) -> bool {
        self.base.is_none() && self.sparse.is_none()
    }

    /// Returns the bytes of element `i`, which is below `count`, or `None` for zeros.
    #[inline]
    fn element(&self, i: usize) -> Option<&'a [u8]> {
        if let Some((positions, values)) = &self.sparse
            && let Ok(at) = positions.binary_search(&(i as u32))
        {
            return Some(values.element(at));
        }
        self.base.map(|base| base.element(i))
    }

    /// Reads elements as `N` floats each: those in `which` (indices below `count`), or all for `None`. Components that
    /// the accessor does not have are taken from `default`.
    pub fn floats<const N: usize>(
        &self,
        data: &Data,
        which: Option<&[u32]>,
        widths: &[usize],
        default: [f32; N],
    ) -> Read<Vec<[f32; N]>> {
        if !widths.contains(&self.components) {
            let fault = GltfFault::Components { found: self.components, allowed: widths.to_vec() };
            return Err(data.malformed(&self.item, fault).into());
        }
        let count = which.map_or(self.count, <[u32]>::len);
        data.charge(&self.item, count as u64 * N as u64 * 4)?;
        let (size, width) = (self.component.size(), self.components.min(N));
        let read = |i: usize| {
            let mut out = default;
            match self.element(i) {
                Some(bytes) => {
                    for (c, value) in out[..width].iter_mut().enumerate() {
                        *value = self.component.float(&bytes[c * size..], self.normalized);
                    }
                }
                None => out[..width].fill(0.0),
            }
            out
        };
        Ok(match which {
            Some(which) => which.iter().map(|&i| read(i as usize)).collect(),
            None => (0..count).map(read).collect(),
        })
    }

    /// Reads the elements in `which`, or all for `None`, as four indices each (of joints).
    pub fn four_indices(&self, data: &Data, which: Option<&[u32]>) -> Read<Vec<[u16; 4]>> {
        if self.components != 4 || !matches!(self.component, Component::U8 | Component::U16) {
            return Err(data.malformed(&self.item, GltfFault::JointType).into());
        }
        let count = which.map_or(self.count, <[u32]>::len);
        data.charge(&self.item, count as u64 * 8)?;
        let size = self.component.size();
        let read = |i: usize| match self.element(i) {
            Some(bytes) => [0, 1, 2, 3].each(|c| self.component.index(&bytes[c * size..]) as u16),
            None => [0; 4],
        };
        Ok(match which {
            Some(which) => which.iter().map(|&i| read(i as usize)).collect(),
            None => (0..count).map(read).collect(),
        })
    }

    /// Reads all elements as vertex indices.
    pub fn indices(&self, data: &Data) -> Read<Vec<u32>> {
        if self.components != 1 || !matches!(self.component, Component::U8 | Component::U16 | Component::U32) {
            return Err(data.malformed(&self.item, GltfFault::IndexType).into());
        }
        data.charge(&self.item, self.count as u64 * 4)?;
        Ok((0..self.count).map(|i| self.element(i).map_or(0, |b| self.component.index(b))).collect())
    }
}

fn component_of(data: &Data, code: Int, item: &str) -> Read<Component> {
    if matches!(code.0, 5124 | 5130) {
        return Err(unsupported(data.path, item, GltfFault::UnreadComponentType { code: code.0 }).into());
    }
    Component::of(code).ok_or_else(|| data.malformed(item, GltfFault::ComponentType { code: code.0 }).into())
}

/// Returns a view of `count` elements of `size` bytes in a buffer view from `offset` on, checked to lie inside.
fn strided<'a>(
    data: &'a Data,
    view: Int,
    offset: Int,
    may_interleave: bool,
    size: usize,
    count: usize,
    item: &str,
) -> Read<Strided<'a>> {
    let (json, bytes) = data.view(view, item)?;
    let stride = json.byte_stride.filter(|_| may_interleave).map_or(size as u64, |stride| stride.0);
    if stride < size as u64 {
        return Err(data.malformed(item, GltfFault::Stride { view: view.0, stride, size }).into());
    }
    let length = match count as u64 {
        0 => Some(0),
        n => (n - 1).checked_mul(stride).and_then(|start| start.checked_add(size as u64)),
    };
    let end = length.and_then(|length| length.checked_add(offset.0));
    if end.is_none_or(|end| end > bytes.len() as u64) {
        let (offset, view, length) = (offset.0, view.0, bytes.len());
        let fault = GltfFault::OutsideView { count, size, stride, offset, view, length };
        return Err(data.malformed(item, fault).into());
    }
    // For count 0 the offset may still lie outside; a stride that no second element uses may be huge.
    let bytes = bytes.get(offset.index()..).unwrap_or(&[]);
    Ok(Strided { bytes, stride: usize::try_from(stride).unwrap_or(usize::MAX), count })
}

/// Opens the sparse part of an accessor of `count` elements of `size` bytes: its positions and replacement elements.
fn open_sparse<'a>(
    data: &'a Data,
    accessor: &Accessor,
    size: usize,
    count: usize,
    item: &str,
) -> Read<Option<(Vec<u32>, Strided<'a>)>> {
    let Some(sparse) = &accessor.sparse else { return Ok(None) };
    let item = format!("{item}.sparse");
    let component = component_of(data, sparse.indices.component_type, &item)?;
    if sparse.count.0 > count as u64 {
        return Err(data.malformed(item, GltfFault::SparseCount { changed: sparse.count.0, count }).into());
    }
    let changed = sparse.count.index();
    if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
        return Err(data.malformed(item, GltfFault::SparseIndexType).into());
    }
    let positions = &sparse.indices;
    let places = strided(data, positions.buffer_view, positions.byte_offset, false, component.size(), changed, &item)?;
    let values = strided(data, sparse.values.buffer_view, sparse.values.byte_offset, false, size, changed, &item)?;
    let positions: Vec<u32> = (0..places.count).map(|i| component.index(places.element(i))).collect();
    if positions.iter().any(|&p| p as usize >= count) || positions.windows(2).any(|w| w[0] >= w[1]) {
        return Err(data.malformed(item, GltfFault::SparseIndices { count }).into());
    }
    Ok(Some((positions, values)))
}
