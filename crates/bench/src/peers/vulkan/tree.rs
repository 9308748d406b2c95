//! The driver's tree of a scene: one bottom-level structure with all triangles, and a top-level one with one instance.

use super::buffer::{Buffer, Memory};
use super::device::{VulkanDevice, fault};
use crate::peers::PeerError;
use ash::vk;
use raywarp_geom::FlatTriangles;

/// The Vulkan driver's acceleration structure: both of its levels.
pub(super) struct Tree {
    top: Level,
    _bottom: Level,
}

/// One level of the acceleration structure, with the memory that it lies in.
struct Level {
    gpu: VulkanDevice,
    handle: vk::AccelerationStructureKHR,
    _storage: Buffer,
}

impl Tree {
    /// Builds the acceleration structure on the device; triangle i is primitive i.
    pub fn new(gpu: &VulkanDevice, triangles: &FlatTriangles) -> Result<Self, PeerError> {
        let count = triangles.len() as u32;
        let vertices = Buffer::of(gpu, bytemuck::cast_slice(&triangles.vertices))?;
        let data = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
            .vertex_format(vk::Format::R32G32B32_SFLOAT)
            .vertex_data(vk::DeviceOrHostAddressConstKHR { device_address: vertices.address() })
            .vertex_stride(12)
            .max_vertex((3 * count).saturating_sub(1))
            .index_type(vk::IndexType::NONE_KHR);
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { triangles: data })
            .flags(vk::GeometryFlagsKHR::OPAQUE);
        let bottom = Level::build(gpu, vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, geometry, count)?;
        let flags =
            vk::GeometryInstanceFlagsKHR::TRIANGLE_FACING_CULL_DISABLE | vk::GeometryInstanceFlagsKHR::FORCE_OPAQUE;
        let instance = vk::AccelerationStructureInstanceKHR {
            transform: vk::TransformMatrixKHR { matrix: [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0] },
            instance_custom_index_and_mask: vk::Packed24_8::new(0, 0xff),
            instance_shader_binding_table_record_offset_and_flags: vk::Packed24_8::new(0, flags.as_raw() as u8),
            acceleration_structure_reference: vk::AccelerationStructureReferenceKHR { device_handle: bottom.address() },
        };
        // SAFETY: the structure is plain words; the union in it was set as an address.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const instance).cast::<u8>(), size_of_val(&instance)) };
        let instances = Buffer::of(gpu, bytes)?;
        let data = vk::AccelerationStructureGeometryInstancesDataKHR::default()
            .data(vk::DeviceOrHostAddressConstKHR { device_address: instances.address() });
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { instances: data });
        let top = Level::build(gpu, vk::AccelerationStructureTypeKHR::TOP_LEVEL, geometry, 1)?;
        Ok(Self { top, _bottom: bottom })
    }

    /// Returns the handle of the top level, through which rays are traced.
    pub fn handle(&self) -> vk::AccelerationStructureKHR {
        self.top.handle
    }
}

impl Level {
    fn build(
        gpu: &VulkanDevice,
        kind: vk::AccelerationStructureTypeKHR,
        geometry: vk::AccelerationStructureGeometryKHR<'_>,
        count: u32,
    ) -> Result<Self, PeerError> {
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(kind)
            .flags(vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(&geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let on = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: the device is valid; sizes need neither addresses nor contents.
        unsafe { gpu.trees.get_acceleration_structure_build_sizes(on, &info, &[count], &mut sizes) };
        let bytes = sizes.acceleration_structure_size;
        let storage = Buffer::new(gpu, bytes, Memory::Device)?;
        let create = vk::AccelerationStructureCreateInfoKHR::default().ty(kind).size(bytes).buffer(storage.handle);
        // SAFETY: the buffer has the size, and lives as long as the structure.
        let handle =
            unsafe { gpu.trees.create_acceleration_structure(&create, None) }.map_err(fault("making a tree"))?;
        let level = Self { gpu: gpu.clone(), handle, _storage: storage };
        let scratch = Buffer::new(gpu, sizes.build_scratch_size + gpu.scratch_alignment, Memory::Device)?;
        info.dst_acceleration_structure = handle;
        info.scratch_data.device_address = scratch.address().next_multiple_of(gpu.scratch_alignment);
        let range = vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(count);
        gpu.submit(|gpu, commands| {
            gpu.barrier(commands);
            // SAFETY: input, scratch and storage live until `submit` has waited.
            unsafe { gpu.trees.cmd_build_acceleration_structures(commands, &[info], &[&[range]]) };
            gpu.barrier(commands);
        })?;
        Ok(level)
    }

    fn address(&self) -> vk::DeviceAddress {
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(self.handle);
        // SAFETY: the structure is valid.
        unsafe { self.gpu.trees.get_acceleration_structure_device_address(&info) }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        // SAFETY: commands that use it have been waited for.
        unsafe { self.gpu.trees.destroy_acceleration_structure(self.handle, None) };
    }
}
