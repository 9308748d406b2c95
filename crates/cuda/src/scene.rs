//! Scenes in a device's memory: a tree and its triangles, encoded for a variant.

use crate::entries::pack;
use crate::{ASKED_VARIANT, CudaError, Device, DeviceBuffer, Encoding, Stream, stack_depth};
use raywarp_bvh::Bvh2;
use raywarp_family::{Tree, Variant};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{TriangleFormat, TriangleRecords, encode};

/// A scene in device memory: the tree and triangles, encoded for the kernels of a variant.
#[derive(Debug)]
pub struct DeviceScene {
    pub(crate) nodes: DeviceBuffer<u8>,
    pub(crate) triangles: DeviceBuffer<u8>,
    pub(crate) slots: DeviceBuffer<u32>,
    pub(crate) ids: DeviceBuffer<[u32; 2]>,
    pub(crate) node_count: u32,
    pub(crate) bounds: Aabb,
    pub(crate) grid: (u32, f32),
    pub(crate) encoding: Encoding,
}

/// A scene in host memory: the tree and triangles, encoded as the bytes that a variant's kernels read.
#[derive(Debug, Clone)]
pub struct EncodedScene {
    /// Bytes of the nodes, in chunks of 16; for h8 also those of the leaves.
    pub nodes: Vec<u8>,
    /// Number of nodes of the encoded tree.
    pub node_count: usize,
    /// Bytes of the triangle records, 48 each; empty for h8, which has them among its nodes.
    pub triangles: Vec<u8>,
    /// Index of the triangle of each record, with the bit [`raywarp_layout::NON_OPAQUE`].
    pub slots: Vec<u32>,
    /// Instance of each triangle, and the triangle's index in its mesh.
    pub ids: Vec<[u32; 2]>,
    /// Bounding box of all triangles.
    pub bounds: Aabb,
    /// Further words of the tree that kernels take as parameters: [`raywarp_layout::EncodedTree::kernel_words`].
    pub grid: (u32, f32),
}

/// Returns the limit on h8's nodes and leaves that a test sets by an environment variable in place of 2^24, so that a
/// small scene is refused as too large.
fn pretended_limit() -> Option<usize> {
    std::env::var("RAYWARP_PRETEND_H8_BLOCKS").ok()?.parse().ok()
}

/// Returns the number of stack entries that a test sets by an environment variable in place of the kernels' own.
fn pretended_stack(variant: &Variant) -> Option<usize> {
    let name = if variant.tree() == Tree::H8 { "RAYWARP_PRETEND_H8_STACK" } else { "RAYWARP_PRETEND_STACK" };
    std::env::var(name).ok()?.parse().ok()
}

/// Addresses and sizes of a tree in device memory, as passed to kernels: the same 72 bytes as `raywarp::Tree` in
/// kernels/raywarp.h.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[allow(missing_docs)] // There, once.
pub struct TreeRecord {
    pub nodes: u64,
    pub triangles: u64,
    pub slots: u64,
    pub ids: u64,
    pub node_count: u32,
    pub bounds: [[f32; 3]; 2],
    pub grid: u32,
    pub farthest: f32,
    /// Padding, always zero.
    pub unused: u32,
}

impl EncodedScene {
    /// Encodes the tree `bvh` over `triangles` for the kernels of `variant`.
    ///
    /// # Errors
    /// [`CudaError::Layout`], [`CudaError::LeafTooLarge`], [`CudaError::StackTooShallow`].
    pub fn new(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        Self::reaching(variant, bvh, triangles, 0.0)
    }

    /// Encodes as [`EncodedScene::new`] does, but for rays that start within twice `reach` of zero along every axis, if
    /// that is more than the scene itself needs: see [`raywarp_layout::encode`].
    ///
    /// # Errors
    /// As [`EncodedScene::new`].
    pub fn reaching(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles, reach: f32) -> Result<Self, CudaError> {
        let tree = encode(variant, bvh, triangles, reach)?;
        if let Some(limit) = pretended_limit().filter(|&limit| variant.tree() == Tree::H8 && tree.node_count() > limit)
        {
            let found = tree.node_count();
            return Err(raywarp_layout::LayoutError::TooMany { what: "nodes and leaves", found, limit }.into());
        }
        let mut nodes = tree.node_words().to_vec();
        pack(tree.layout(), &mut nodes)?;
        let found = pretended_stack(variant).unwrap_or(usize::MAX).min(stack_depth(variant));
        if tree.stack_depth() > found {
            return Err(CudaError::StackTooShallow { needed: tree.stack_depth(), found });
        }
        let slots = tree.record_slots();
        let records = TriangleRecords::new(slots, triangles, TriangleFormat::of(variant.triangle()));
        Ok(Self {
            nodes: bytemuck::cast_slice(&nodes).to_vec(),
            node_count: tree.node_count(),
            triangles: records.as_bytes().to_vec(),
            slots: slots.to_vec(),
            ids: triangles.ids.iter().map(|id| [id.instance, id.primitive]).collect(),
            bounds: *tree.bounds(),
            grid: tree.kernel_words(),
        })
    }

    /// Returns the bytes of device memory that the encoded scene will take.
    pub fn bytes(&self) -> usize {
        self.nodes.len() + self.triangles.len() + 4 * self.slots.len() + 8 * self.ids.len()
    }
}

impl DeviceScene {
    /// Encodes the tree `bvh` over `triangles` for the kernels of `variant`, and uploads it.
    ///
    /// # Errors
    /// [`CudaError::Layout`], [`CudaError::LeafTooLarge`], [`CudaError::StackTooShallow`], [`CudaError::OutOfMemory`],
    /// [`CudaError::Driver`].
    pub fn new(
        device: &Device,
        stream: &Stream,
        variant: &Variant,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
    ) -> Result<Self, CudaError> {
        Self::upload(device, stream, variant, &EncodedScene::new(variant, bvh, triangles)?)
    }

    /// Encodes and uploads a tree for users' kernels that trace rays by [`header`](crate::header), which take
    /// [`DeviceScene::tree`] as an argument; it is the h8 tree of the fastest kernels. `bvh` has a triangle a leaf, as
    /// by [`presets::GPU`](raywarp_bvh::presets::GPU).
    ///
    /// Uploads are complete for all that comes on `stream` from then on; another stream waits for them in
    /// [`DeviceScene::tree`].
    ///
    /// # Errors
    /// As [`DeviceScene::new`]: scenes beyond the format's limits are refused ([`CudaError::is_limit`]).
    pub fn for_kernels(
        device: &Device,
        stream: &Stream,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
    ) -> Result<Self, CudaError> {
        Self::new(device, stream, &ASKED_VARIANT, bvh, triangles)
    }

    /// Uploads a scene that was encoded for `variant`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn upload(
        device: &Device,
        stream: &Stream,
        variant: &Variant,
        encoded: &EncodedScene,
    ) -> Result<Self, CudaError> {
        device.check_room("the scene", encoded.bytes())?;
        Ok(Self {
            nodes: stream.upload(&encoded.nodes)?,
            triangles: stream.upload(&encoded.triangles)?,
            slots: stream.upload(&encoded.slots)?,
            ids: stream.upload(&encoded.ids)?,
            node_count: encoded.node_count as u32,
            bounds: encoded.bounds,
            grid: encoded.grid,
            encoding: Encoding::of(variant),
        })
    }

    /// Returns the tree's device addresses, to pass to users' kernels (kernels/raywarp.h) on `stream`. They hold as
    /// long as it lives; dropped, it is given back when the stream has passed what was put on it before.
    pub fn tree(&self, stream: &Stream) -> TreeRecord {
        TreeRecord {
            nodes: self.nodes.address(stream),
            triangles: self.triangles.address(stream),
            slots: self.slots.address(stream),
            ids: self.ids.address(stream),
            node_count: self.node_count,
            bounds: [self.bounds.min, self.bounds.max],
            grid: self.grid.0,
            farthest: self.grid.1,
            unused: 0,
        }
    }

    /// Returns half the distance from zero, along every axis, within which rays may start; `None` if the tree has no
    /// such limit ([`raywarp_layout::H8::reach`]).
    pub fn reach(&self) -> Option<f32> {
        (self.encoding.is_h8() && self.node_count > 0).then_some(self.grid.1)
    }

    /// Returns the bytes of device memory that the scene takes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() + self.triangles.len() + 4 * self.slots.len() + 8 * self.ids.len()
    }
}
