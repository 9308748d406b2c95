//! Leaf records of the traversal kernels, apart from the tree: any record format serves any tree
//! whose leaves are runs of records.
//!
//! The formats are of one size, so that a kernel's addresses do not depend on the format. Record i
//! belongs to entry i of the tree's slots, which tells its triangle and whether to ask about it.

use crate::{INDEX_MASK, WoopTriangle};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use raywarp_family::TriangleTest;
use raywarp_geom::FlatTriangles;

/// Format of the triangle records, by the triangle test that reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriangleFormat {
    /// Format of [`WoopTriangle`]: the affine map to the unit triangle (AL09 2).
    Woop,
    /// Format of [`VertexTriangle`]: the corners, for Moeller and Trumbore's test and the watertight one.
    Vertices,
}

impl TriangleFormat {
    /// Returns the format that the triangle test `test` reads. [`TriangleTest::Pair`] is of trees whose triangles are
    /// among their nodes, and reads none.
    pub fn of(test: TriangleTest) -> Self {
        match test {
            TriangleTest::Woop => Self::Woop,
            TriangleTest::MoellerTrumbore | TriangleTest::Watertight | TriangleTest::Pair => Self::Vertices,
        }
    }
}

/// Triangle record of the corners in world space: 48 bytes, three 16-byte loads.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct VertexTriangle {
    /// First corner in lanes 0 to 2; the fourth lane is zero, as in the other corners.
    pub v0: [f32; 4],
    /// Second corner, whose barycentric weight is u.
    pub v1: [f32; 4],
    /// Third corner, whose barycentric weight is v.
    pub v2: [f32; 4],
}

impl VertexTriangle {
    /// Makes the record of a triangle from its corners.
    pub fn new(vertices: &[[f32; 3]; 3]) -> Self {
        let [v0, v1, v2] = vertices.map(|[x, y, z]| [x, y, z, 0.0]);
        Self { v0, v1, v2 }
    }

    /// Returns the corners, bit for bit those that the record was made from.
    #[inline]
    pub fn vertices(&self) -> [[f32; 3]; 3] {
        [self.v0, self.v1, self.v2].map(|[x, y, z, _]| [x, y, z])
    }
}

/// Triangle records of all leaves of a tree, in the order of the tree's slots.
#[derive(Debug, Clone)]
pub struct TriangleRecords {
    format: TriangleFormat,
    // The one that the format does not name is empty.
    woop: Vec<WoopTriangle>,
    vertices: Vec<VertexTriangle>,
}

impl TriangleRecords {
    /// Makes a record in `format` for each of `slots`, the words of an encoded tree over `triangles`. A word has the
    /// triangle's index in the low bits, and [`crate::NON_OPAQUE`] above. O(slots), in parallel.
    ///
    /// # Panics
    /// If a slot names a triangle that is not there: encodings refuse other triangles than their tree's.
    pub fn new(slots: &[u32], triangles: &FlatTriangles, format: TriangleFormat) -> Self {
        let corners = |slot: &u32| &triangles.vertices[(slot & INDEX_MASK) as usize];
        let (mut woop, mut vertices) = (Vec::new(), Vec::new());
        match format {
            TriangleFormat::Woop => woop = slots.par_iter().map(|slot| WoopTriangle::new(corners(slot))).collect(),
            TriangleFormat::Vertices => {
                vertices = slots.par_iter().map(|slot| VertexTriangle::new(corners(slot))).collect();
            }
        }
        Self { format, woop, vertices }
    }

    /// Returns the format of the records.
    #[inline]
    pub fn format(&self) -> TriangleFormat {
        self.format
    }

    /// Returns the bytes of all records, for upload to a device.
    pub fn as_bytes(&self) -> &[u8] {
        match self.format {
            TriangleFormat::Woop => bytemuck::cast_slice(&self.woop),
            TriangleFormat::Vertices => bytemuck::cast_slice(&self.vertices),
        }
    }

    /// Returns the records as [`WoopTriangle`]s; empty if they have another format.
    #[inline]
    pub fn woop(&self) -> &[WoopTriangle] {
        &self.woop
    }

    /// Returns the records as [`VertexTriangle`]s; empty if they have another format.
    #[inline]
    pub fn vertices(&self) -> &[VertexTriangle] {
        &self.vertices
    }

    /// Returns the number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.woop.len() + self.vertices.len()
    }

    /// Returns `true` if there are no records.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of all records in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.woop[..]) + size_of_val(&self.vertices[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NON_OPAQUE;

    fn triangles() -> FlatTriangles {
        let x = |i: usize| [i as f32 + 0.1, -0.0, 1e-40];
        FlatTriangles::from_vertices((0..5).map(|i| [x(i), x(i + 1), [0.3, 1.0, -(i as f32)]]).collect())
    }

    #[test]
    fn formats_are_of_one_size() {
        assert_eq!((size_of::<VertexTriangle>(), align_of::<VertexTriangle>()), (48, 16));
        assert_eq!((size_of::<WoopTriangle>(), align_of::<WoopTriangle>()), (48, 16));
    }

    #[test]
    fn records_stand_in_the_order_of_the_slots() {
        let (triangles, slots) = (triangles(), [3, NON_OPAQUE | 1, 3, 0]);
        let woop = TriangleRecords::new(&slots, &triangles, TriangleFormat::Woop);
        let vertices = TriangleRecords::new(&slots, &triangles, TriangleFormat::Vertices);
        assert_eq!((woop.format(), woop.len(), woop.bytes()), (TriangleFormat::Woop, 4, 4 * 48));
        assert_eq!((vertices.format(), vertices.len(), vertices.bytes()), (TriangleFormat::Vertices, 4, 4 * 48));
        assert!(woop.vertices().is_empty() && vertices.woop().is_empty());
        for (record, index) in [3, 1, 3, 0].into_iter().enumerate() {
            let expected = &triangles.vertices[index];
            assert_eq!(woop.woop()[record], WoopTriangle::new(expected));
            let bits = |v: &[[f32; 3]; 3]| v.map(|corner| corner.map(f32::to_bits));
            assert_eq!(bits(&vertices.vertices()[record].vertices()), bits(expected));
            let words: &[f32] = bytemuck::cast_slice(&vertices.vertices()[record..=record]);
            assert_eq!([words[3], words[7], words[11]].map(f32::to_bits), [0; 3]);
        }
    }

    #[test]
    fn no_slots_give_no_records() {
        for format in [TriangleFormat::Woop, TriangleFormat::Vertices] {
            let records = TriangleRecords::new(&[], &FlatTriangles::default(), format);
            assert!(records.is_empty() && records.bytes() == 0);
        }
    }
}
