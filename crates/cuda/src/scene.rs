//! A tree and its triangles in a device's memory.

use crate::entries::pack;
use crate::{CudaError, Device, DeviceBuffer, Encoding, Stream, stack_depth};
use raywarp_bvh::Bvh2;
use raywarp_family::{Collapse, Tree, TriangleTest, Variant};
use raywarp_geom::{Aabb, FlatTriangles};
use raywarp_layout::{
    TriangleFormat, TriangleRecords, encode_bvh2, encode_cwbvh8, encode_h8, encode_wide_n, encode_wide4,
};

/// What a variant walks, encoded and uploaded.
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

/// What a variant walks, encoded, as the bytes that its kernels read.
#[derive(Debug, Clone)]
pub struct EncodedScene {
    /// Nodes, 16-byte chunks; of h8 leaves too.
    pub nodes: Vec<u8>,
    /// How many nodes.
    pub node_count: usize,
    /// Triangle records, 48 bytes each; h8's are among its nodes.
    pub triangles: Vec<u8>,
    /// For each record the index of its triangle, with [`raywarp_layout::NON_OPAQUE`].
    pub slots: Vec<u32>,
    /// For each triangle its instance and its number in the mesh.
    pub ids: Vec<[u32; 2]>,
    /// Of all triangles.
    pub bounds: Aabb,
    /// What h8's kernels take besides: see [`raywarp_layout::H8::kernel_words`].
    pub grid: (u32, f32),
}

/// A tree as words.
struct Encoded {
    nodes: Vec<u32>,
    node_count: usize,
    slots: Vec<u32>,
    bounds: Aabb,
    grid: (u32, f32),
    stack_depth: usize,
}

impl EncodedScene {
    /// Encodes `bvh` over `triangles` as `variant` wants it.
    ///
    /// # Errors
    /// [`CudaError::Layout`], [`CudaError::LeafTooLarge`], [`CudaError::StackTooShallow`].
    pub fn new(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        let mut encoded = encode(variant, bvh, triangles)?;
        pack(variant.tree(), &mut encoded.nodes)?;
        let found = stack_depth(variant);
        if encoded.stack_depth > found {
            return Err(CudaError::StackTooShallow { needed: encoded.stack_depth, found });
        }
        let format = match variant.triangle() {
            TriangleTest::Woop => TriangleFormat::Woop,
            // Pairs are part of their tree.
            TriangleTest::MoellerTrumbore | TriangleTest::Watertight | TriangleTest::Pair => TriangleFormat::Vertices,
        };
        let records = TriangleRecords::new(&encoded.slots, triangles, format);
        let records: &[u8] = match format {
            TriangleFormat::Woop => bytemuck::cast_slice(records.woop()),
            TriangleFormat::Vertices => bytemuck::cast_slice(records.vertices()),
        };
        Ok(Self {
            nodes: bytemuck::cast_slice(&encoded.nodes).to_vec(),
            node_count: encoded.node_count,
            triangles: records.to_vec(),
            slots: encoded.slots,
            ids: triangles.ids.iter().map(|id| [id.instance, id.primitive]).collect(),
            bounds: encoded.bounds,
            grid: encoded.grid,
        })
    }
}

impl DeviceScene {
    /// Encodes `bvh` over `triangles` as `variant` wants it, and uploads it.
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
        let encoded = EncodedScene::new(variant, bvh, triangles)?;
        let [records, ids] = [encoded.triangles.len(), 8 * encoded.ids.len()];
        device.check_room("the scene", encoded.nodes.len() + records + 4 * encoded.slots.len() + ids)?;
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

    /// Bytes of device memory.
    pub fn bytes(&self) -> usize {
        self.nodes.len() + self.triangles.len() + 4 * self.slots.len() + 8 * self.ids.len()
    }
}

fn encode(variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Encoded, CudaError> {
    macro_rules! encoded {
        ($tree:expr) => {{
            let tree = $tree;
            Encoded {
                nodes: bytemuck::cast_slice(tree.nodes()).to_vec(),
                node_count: tree.nodes().len(),
                slots: tree.slots().to_vec(),
                bounds: *tree.bounds(),
                grid: (0, 0.0),
                stack_depth: tree.stack_depth(),
            }
        }};
    }
    Ok(match variant.tree() {
        Tree::Bvh2 => encoded!(encode_bvh2(bvh, triangles)?),
        Tree::Wide4 => encoded!(encode_wide4(
            bvh,
            triangles,
            match variant.collapse() {
                Collapse::Guthe => raywarp_layout::Collapse::Guthe,
                Collapse::Adopt => raywarp_layout::Collapse::Adopt,
            }
        )?),
        Tree::Cwbvh8 => encoded!(encode_cwbvh8(bvh, triangles)?),
        Tree::H8 => {
            let tree = encode_h8(bvh, triangles)?;
            Encoded {
                nodes: bytemuck::cast_slice(tree.blocks()).to_vec(),
                node_count: tree.blocks().len(),
                // Its triangles stand among its nodes.
                slots: Vec::new(),
                bounds: *tree.bounds(),
                grid: tree.kernel_words(),
                stack_depth: tree.stack_depth(),
            }
        }
        Tree::WideN => {
            let tree = encode_wide_n(bvh, triangles, variant.lanes_per_ray() as usize)?;
            Encoded {
                nodes: bytemuck::cast_slice(tree.children()).to_vec(),
                node_count: tree.node_count(),
                slots: tree.slots().to_vec(),
                bounds: *tree.bounds(),
                grid: (0, 0.0),
                stack_depth: tree.stack_depth(),
            }
        }
    })
}
