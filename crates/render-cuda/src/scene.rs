//! The scene that shading reads, as addresses of its arrays.

use crate::textures::{DeviceImages, ImageUse, sampled};
use raywarp_cuda::{CudaError, Device, DeviceBuffer, Stream};
use raywarp_render::flat::{
    AttributeRecord, ColorRecord, EnvironmentRecord, Input, LightRecord, MaterialRecord, MediumRecord, PlacementRecord,
    ProgramRecord, Texels, TextureOp, TriangleRecord,
};
use raywarp_render::{BsdfTables, ShadingScene};

/// Array in device memory: the layout of `Array` in kernels/memory.h.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ArrayRecord {
    /// Device address of the first record.
    pub first: u64,
    /// Number of records in the array.
    pub count: u64,
}

/// Scene in device memory: the layout of `Scene` in kernels/flat/scene.h.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SceneRecord {
    /// Arrays of the scene, in the order of [`Arrays`].
    pub arrays: [ArrayRecord; Arrays::COUNT],
    /// 1 if no material has holes, else 0.
    pub all_opaque: u64,
}

/// Image in device memory, 32 bytes: the layout of `ImageRecord` in kernels/flat/records.h.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ImageRecord {
    /// Size in texels: columns, rows.
    pub size: [u32; 2],
    /// Format of the texels, of four components each: 0 for sRGB bytes, 1 for linear bytes, 2 for floats.
    pub texels_tag: u32,
    /// Padding, which is zero.
    pub unused: u32,
    /// Device address of the first texel.
    pub texels: u64,
    /// Padding, which is zero.
    pub unused2: u64,
}

impl ImageRecord {
    /// Makes the record of an image whose texels are at the given address.
    pub fn new(image: &raywarp_render::flat::TextureImage, texels: u64) -> Self {
        let texels_tag = match &*image.texels {
            Texels::Srgb8(_) => 0,
            Texels::Linear8(_) => 1,
            Texels::Float(_) => 2,
        };
        Self { size: image.size, texels_tag, unused: 0, texels, unused2: 0 }
    }
}

/// Returns an image's texels as bytes.
pub fn texels(image: &raywarp_render::flat::TextureImage) -> &[u8] {
    match &*image.texels {
        Texels::Srgb8(texels) | Texels::Linear8(texels) => bytemuck::cast_slice(texels),
        Texels::Float(texels) => bytemuck::cast_slice(texels),
    }
}

/// Constant tables that a device scene has besides the scene's own arrays.
#[derive(Debug, Clone)]
pub struct DeviceTables {
    numbers: Vec<f32>,
    /// Entries of the tables as 16-bit fractions, padded to an even number.
    fractions: Vec<u16>,
    srgb: Vec<f32>,
}

impl DeviceTables {
    /// Makes the constant tables.
    pub fn new() -> Self {
        let BsdfTables { numbers, mut fractions } = BsdfTables::new();
        fractions.resize(fractions.len().next_multiple_of(2), 0);
        Self { numbers, fractions, srgb: raywarp_render::srgb_table().to_vec() }
    }
}

impl Default for DeviceTables {
    fn default() -> Self {
        Self::new()
    }
}

/// Arrays of a scene as bytes, each with its number of records.
#[derive(Debug)]
pub struct Arrays<'a>(pub [(&'a [u8], u64); Arrays::COUNT]);

impl<'a> Arrays<'a> {
    /// Number of arrays in a scene.
    pub const COUNT: usize = 17;

    /// Collects a scene's arrays in the order of `Scene` in kernels/flat/scene.h; `ops` are its texture steps as the
    /// device is to take them.
    pub fn new(
        scene: &'a ShadingScene,
        ops: &'a [TextureOp],
        images: &'a [ImageRecord],
        tables: &'a DeviceTables,
    ) -> Self {
        fn of<T: bytemuck::NoUninit>(records: &[T]) -> (&[u8], u64) {
            (bytemuck::cast_slice(records), records.len() as u64)
        }
        let pairs = |fractions: &'a [u16]| (bytemuck::cast_slice(fractions), fractions.len() as u64 / 2);
        Self([
            of::<TriangleRecord>(&scene.triangles),
            of::<AttributeRecord>(&scene.attributes),
            of::<ColorRecord>(&scene.colors),
            of::<PlacementRecord>(&scene.placements),
            of::<MaterialRecord>(&scene.materials),
            of::<Input>(&scene.inputs),
            of::<MediumRecord>(&scene.media),
            of::<ProgramRecord>(&scene.programs),
            of::<TextureOp>(ops),
            of::<ImageRecord>(images),
            of::<LightRecord>(&scene.lights),
            of(&scene.light_choice),
            of::<EnvironmentRecord>(&scene.environments),
            of::<u32>(&scene.tables),
            of::<f32>(&tables.numbers),
            pairs(&tables.fractions),
            of::<f32>(&tables.srgb),
        ])
    }
}

/// Scene in host memory with the records that kernels take, for kernels that the CPU runs.
#[derive(Debug)]
pub struct HostScene<'a> {
    scene: &'a ShadingScene,
    ops: Vec<TextureOp>,
    images: Vec<ImageRecord>,
    tables: DeviceTables,
}

impl<'a> HostScene<'a> {
    /// Makes the kernels' records of a scene in place.
    pub fn new(scene: &'a ShadingScene) -> Self {
        let images = scene.images.iter().map(|image| ImageRecord::new(image, address(texels(image)))).collect();
        Self { scene, ops: scene.texture_ops.clone(), images, tables: DeviceTables::new() }
    }

    /// Makes the kernels' records of a scene in which texture objects look up images: one for each texture step, all of
    /// which are look-ups.
    pub fn sampled(scene: &'a ShadingScene, objects: &[u64]) -> Self {
        let ops = scene.texture_ops.iter().zip(objects).map(|(op, object)| sampled(op, *object)).collect();
        Self { ops, ..Self::new(scene) }
    }

    /// Returns the scene's arrays as bytes.
    pub fn arrays(&self) -> Arrays<'_> {
        Arrays::new(self.scene, &self.ops, &self.images, &self.tables)
    }

    /// Returns the scene's record, whose addresses are valid as long as `self` lives.
    pub fn record(&self) -> SceneRecord {
        let arrays = self.arrays().0.map(|(bytes, count)| ArrayRecord { first: address(bytes), count });
        SceneRecord { arrays, all_opaque: u64::from(self.scene.all_opaque) }
    }
}

fn address(bytes: &[u8]) -> u64 {
    bytes.as_ptr().expose_provenance() as u64
}

/// Shading tables of a scene in device memory.
#[derive(Debug)]
pub struct DeviceShading {
    /// Buffers kept alive because the scene's record holds their addresses.
    _arrays: Vec<DeviceBuffer<u8>>,
    images: DeviceImages,
    record: SceneRecord,
    bytes: usize,
}

impl DeviceShading {
    /// Uploads a scene's shading tables and images; `images` decides whether kernels or texture units read each image.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], as far as it is known before anything is uploaded; [`CudaError::Driver`].
    pub fn upload(
        device: &Device,
        stream: &Stream,
        scene: &ShadingScene,
        images: &ImageUse,
    ) -> Result<Self, CudaError> {
        let tables = DeviceTables::new();
        let bytes = Self::bytes_of(scene, &tables) + images.bytes(scene);
        device.check_room("what shading reads", bytes)?;
        let images = DeviceImages::upload(device, stream, scene, images)?;
        let records: Vec<ImageRecord> = (scene.images.iter().zip(&images.texels))
            .map(|(image, texels)| ImageRecord::new(image, texels.as_ref().map_or(0, |texels| texels.address(stream))))
            .collect();
        let arrays = Arrays::new(scene, &images.ops, &records, &tables).0;
        let buffers: Vec<DeviceBuffer<u8>> =
            arrays.iter().map(|(bytes, _)| stream.upload(bytes)).collect::<Result<_, _>>()?;
        let mut record = SceneRecord { all_opaque: u64::from(scene.all_opaque), ..SceneRecord::default() };
        for ((to, buffer), (_, count)) in record.arrays.iter_mut().zip(&buffers).zip(arrays) {
            *to = ArrayRecord { first: buffer.address(stream), count };
        }
        Ok(Self { _arrays: buffers, images, record, bytes })
    }

    /// Returns the bytes of a scene's records and constant tables.
    pub fn bytes_of(scene: &ShadingScene, tables: &DeviceTables) -> usize {
        let no_images = vec![bytemuck::Zeroable::zeroed(); scene.images.len()];
        Arrays::new(scene, &scene.texture_ops, &no_images, tables).0.iter().map(|(bytes, _)| bytes.len()).sum()
    }

    /// Returns the number of images that texture units read.
    pub fn sampled_images(&self) -> usize {
        self.images.textures.len()
    }

    /// Returns the scene's record, whose addresses are valid as long as `self` lives.
    pub fn record(&self) -> SceneRecord {
        self.record
    }

    /// Returns the bytes of device memory that the tables take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
