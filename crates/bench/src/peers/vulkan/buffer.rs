//! Buffers of Vulkan, each with memory of its own.

use super::device::{VulkanDevice, fault};
use crate::peers::PeerError;
use ash::vk;

/// Kind of memory that a Vulkan buffer lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// Memory of the device, which it reads fastest.
    Device,
    /// Memory that the host can map.
    Host,
}

/// Number of bytes that are copied through a staging buffer at once.
const STAGED: u64 = 64 << 20;

/// A Vulkan buffer that shaders reach by its address.
pub(super) struct Buffer {
    gpu: VulkanDevice,
    pub handle: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: u64,
}

impl Buffer {
    /// Allocates a buffer of `bytes` of `memory`, at least 16.
    pub fn new(gpu: &VulkanDevice, bytes: u64, memory: Memory) -> Result<Self, PeerError> {
        let bytes = bytes.max(16).next_multiple_of(4);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: the device is valid; `handle` gets memory of a kind and size that it asks for before it is used.
        let handle = unsafe { gpu.device.create_buffer(&info, None) }.map_err(fault("making a buffer"))?;
        // From here on `drop` gives back what there is.
        let mut buffer = Self { gpu: gpu.clone(), handle, memory: vk::DeviceMemory::null(), bytes };
        // SAFETY: as above.
        let needs = unsafe { gpu.device.get_buffer_memory_requirements(handle) };
        let wanted = match memory {
            Memory::Device => vk::MemoryPropertyFlags::DEVICE_LOCAL,
            Memory::Host => vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
        };
        let fits = |&(index, kind): &(usize, &vk::MemoryType)| {
            needs.memory_type_bits >> index & 1 == 1 && kind.property_flags.contains(wanted)
        };
        let kinds = gpu.memory.memory_types_as_slice().iter().enumerate();
        let Some((kind, _)) = { kinds }.find(fits) else {
            return Err(PeerError::new("the Vulkan device has no memory for a buffer"));
        };
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(kind as u32)
            .push_next(&mut flags);
        // SAFETY: as above.
        unsafe {
            buffer.memory = gpu.device.allocate_memory(&allocate, None).map_err(fault("allocating memory"))?;
            gpu.device.bind_buffer_memory(handle, buffer.memory, 0).map_err(fault("binding memory"))?;
        }
        Ok(buffer)
    }

    /// Allocates a buffer in device memory with a copy of `values`.
    pub fn of(gpu: &VulkanDevice, values: &[u8]) -> Result<Self, PeerError> {
        let buffer = Self::new(gpu, values.len() as u64, Memory::Device)?;
        buffer.write(gpu, values)?;
        Ok(buffer)
    }

    /// Returns the buffer's device address, for shaders.
    pub fn address(&self) -> vk::DeviceAddress {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.handle);
        // SAFETY: the buffer is bound and was made for addresses.
        unsafe { self.gpu.device.get_buffer_device_address(&info) }
    }

    /// Copies `values` to the start of the buffer.
    pub fn write(&self, gpu: &VulkanDevice, values: &[u8]) -> Result<(), PeerError> {
        assert!(values.len() as u64 <= self.bytes, "the buffer is shorter than what is written");
        let stage = Self::new(gpu, STAGED.min(values.len() as u64), Memory::Host)?;
        for (part, values) in values.chunks(STAGED as usize).enumerate() {
            stage.mapped(|host| host[..values.len()].copy_from_slice(values))?;
            let whole = (values.len() as u64).next_multiple_of(4);
            let copy = [vk::BufferCopy { src_offset: 0, dst_offset: part as u64 * STAGED, size: whole }];
            gpu.submit(|gpu, commands| {
                // SAFETY: both buffers hold the range, and live until `submit` has waited.
                unsafe { gpu.device.cmd_copy_buffer(commands, stage.handle, self.handle, &copy) }
            })?;
        }
        Ok(())
    }

    /// Copies the start of the buffer to `values`.
    pub fn read(&self, gpu: &VulkanDevice, values: &mut [u8]) -> Result<(), PeerError> {
        assert!(values.len() as u64 <= self.bytes, "the buffer is shorter than what is read");
        let stage = Self::new(gpu, STAGED.min(values.len() as u64), Memory::Host)?;
        for (part, values) in values.chunks_mut(STAGED as usize).enumerate() {
            let whole = (values.len() as u64).next_multiple_of(4);
            let copy = [vk::BufferCopy { src_offset: part as u64 * STAGED, dst_offset: 0, size: whole }];
            gpu.submit(|gpu, commands| {
                gpu.barrier(commands);
                // SAFETY: both buffers hold the range, and live until `submit` has waited.
                unsafe { gpu.device.cmd_copy_buffer(commands, self.handle, stage.handle, &copy) };
                gpu.barrier(commands);
            })?;
            stage.mapped(|host| values.copy_from_slice(&host[..values.len()]))?;
        }
        Ok(())
    }

    /// Maps a buffer in host memory, and passes its bytes to `work`.
    fn mapped(&self, work: impl FnOnce(&mut [u8])) -> Result<(), PeerError> {
        // SAFETY: `write` and `read` call it on memory of the host's kind, which is coherent, for its whole size, and
        // when no commands run; the slice does not outlive the mapping.
        unsafe {
            let none = vk::MemoryMapFlags::empty();
            let at = self.gpu.device.map_memory(self.memory, 0, self.bytes, none).map_err(fault("mapping memory"))?;
            work(std::slice::from_raw_parts_mut(at.cast::<u8>(), self.bytes as usize));
            self.gpu.device.unmap_memory(self.memory);
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: commands that use it have been waited for; a null memory is ignored.
        unsafe {
            self.gpu.device.destroy_buffer(self.handle, None);
            self.gpu.device.free_memory(self.memory, None);
        }
    }
}

/// Records a clear of all bits of `buffer`.
pub(super) fn clear(gpu: &VulkanDevice, commands: vk::CommandBuffer, buffer: &Buffer) {
    // SAFETY: the buffer of commands is being recorded; the buffer lives until `submit` has waited.
    unsafe { gpu.device.cmd_fill_buffer(commands, buffer.handle, 0, vk::WHOLE_SIZE, 0) };
}
