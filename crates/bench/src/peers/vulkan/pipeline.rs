//! Ray tracing pipelines: their stages, and the table by which a launch finds them.

use super::buffer::Buffer;
use super::device::{Launch, VulkanDevice, fault};
use crate::peers::PeerError;
use ash::vk;
use bytemuck::{Pod, Zeroable};

/// Push constants of a launch: the addresses of its data, as in shaders/*.rgen.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Constants {
    pub rays: u64,
    pub hits: u64,
    pub blocked: u64,
}

/// Indices of the pipeline's shader groups in the shader binding table.
const CLOSEST: usize = 0;
const ANY: usize = 1;
const MISS: usize = 2;
const HIT: usize = 3;
const GROUPS: usize = 4;

const SHADERS: [(vk::ShaderStageFlags, &[u8]); GROUPS] = [
    (vk::ShaderStageFlags::RAYGEN_KHR, include_bytes!("shaders/closest.rgen.spv")),
    (vk::ShaderStageFlags::RAYGEN_KHR, include_bytes!("shaders/any.rgen.spv")),
    (vk::ShaderStageFlags::MISS_KHR, include_bytes!("shaders/miss.rmiss.spv")),
    (vk::ShaderStageFlags::CLOSEST_HIT_KHR, include_bytes!("shaders/hit.rchit.spv")),
];

/// The Vulkan ray tracing pipeline over a tree. Handles are null until they are made, so that `drop` gives back what
/// there is.
pub(super) struct Pipeline {
    gpu: VulkanDevice,
    sets: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
    modules: [vk::ShaderModule; GROUPS],
    handle: vk::Pipeline,
    table: Option<Buffer>,
    /// Bytes from one shader group's entry in the shader binding table to the next.
    stride: u64,
}

impl Pipeline {
    /// Makes the pipelines that trace rays through `tree`.
    pub fn new(gpu: &VulkanDevice, tree: vk::AccelerationStructureKHR) -> Result<Self, PeerError> {
        let mut made = Self {
            gpu: gpu.clone(),
            sets: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            layout: vk::PipelineLayout::null(),
            modules: [vk::ShaderModule::null(); GROUPS],
            handle: vk::Pipeline::null(),
            table: None,
            stride: 0,
        };
        made.describe(tree)?;
        made.compile()?;
        made.tabulate()?;
        Ok(made)
    }

    /// Writes the shaders' only descriptor, which is the tree.
    fn describe(&mut self, tree: vk::AccelerationStructureKHR) -> Result<(), PeerError> {
        let kind = vk::DescriptorType::ACCELERATION_STRUCTURE_KHR;
        let stage = vk::ShaderStageFlags::RAYGEN_KHR;
        let bindings =
            [vk::DescriptorSetLayoutBinding::default().descriptor_type(kind).descriptor_count(1).stage_flags(stage)];
        let sets = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let constants = [vk::PushConstantRange { stage_flags: stage, offset: 0, size: size_of::<Constants>() as u32 }];
        let device = &self.gpu.device;
        // SAFETY: the device is valid, and every structure lives through its call; `tree` lives as long as the tracer
        // that holds the pipeline.
        unsafe {
            self.sets = device.create_descriptor_set_layout(&sets, None).map_err(fault("making a layout"))?;
            self.pool = device.create_descriptor_pool(&pool, None).map_err(fault("making a descriptor pool"))?;
            let layouts = [self.sets];
            let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            self.set = device.allocate_descriptor_sets(&allocate).map_err(fault("making a descriptor"))?[0];
            let trees = [tree];
            let mut value = vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&trees);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(self.set)
                .descriptor_type(kind)
                .descriptor_count(1)
                .push_next(&mut value);
            device.update_descriptor_sets(&[write], &[]);
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&constants);
            self.layout = device.create_pipeline_layout(&layout, None).map_err(fault("making a layout"))?;
        }
        Ok(())
    }

    fn compile(&mut self) -> Result<(), PeerError> {
        let device = &self.gpu.device;
        for (module, (_, bytes)) in self.modules.iter_mut().zip(SHADERS) {
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the words are SPIR-V that spirv-val has passed.
            *module = unsafe { device.create_shader_module(&info, None) }.map_err(fault("loading a shader"))?;
        }
        let stages: Vec<_> = self
            .modules
            .iter()
            .zip(SHADERS)
            .map(|(&module, (stage, _))| {
                vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
            })
            .collect();
        let groups: Vec<_> = (0..GROUPS as u32)
            .map(|index| {
                let group = vk::RayTracingShaderGroupCreateInfoKHR::default()
                    .general_shader(vk::SHADER_UNUSED_KHR)
                    .closest_hit_shader(vk::SHADER_UNUSED_KHR)
                    .any_hit_shader(vk::SHADER_UNUSED_KHR)
                    .intersection_shader(vk::SHADER_UNUSED_KHR);
                if index as usize == HIT {
                    group.ty(vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP).closest_hit_shader(index)
                } else {
                    group.ty(vk::RayTracingShaderGroupTypeKHR::GENERAL).general_shader(index)
                }
            })
            .collect();
        let info = vk::RayTracingPipelineCreateInfoKHR::default()
            .stages(&stages)
            .groups(&groups)
            .max_pipeline_ray_recursion_depth(1)
            .layout(self.layout);
        let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
        // SAFETY: modules and layout are the device's own and valid.
        let made = unsafe { self.gpu.pipelines.create_ray_tracing_pipelines(operation, cache, &[info], None) };
        self.handle = made.map_err(|(_, error)| fault("making the pipeline")(error))?[0];
        Ok(())
    }

    /// Makes the shader binding table, with an entry for each group.
    fn tabulate(&mut self) -> Result<(), PeerError> {
        let limits = &self.gpu.limits;
        let handle = limits.shader_group_handle_size as usize;
        // Each place begins a region of its own.
        let align = limits.shader_group_base_alignment.max(limits.shader_group_handle_alignment).max(1);
        self.stride = handle.next_multiple_of(align as usize) as u64;
        // SAFETY: the pipeline has these groups.
        let handles = unsafe {
            let count = GROUPS as u32;
            self.gpu.pipelines.get_ray_tracing_shader_group_handles(self.handle, 0, count, GROUPS * handle)
        }
        .map_err(fault("reading handles of shaders"))?;
        // The buffer's own address may be less aligned than the table must be.
        let table = Buffer::new(&self.gpu, self.stride * GROUPS as u64 + u64::from(align), super::Memory::Device)?;
        let shift = (table.address().next_multiple_of(u64::from(align)) - table.address()) as usize;
        let mut bytes = vec![0; shift + GROUPS * self.stride as usize];
        for (group, handle) in handles.chunks(handle).enumerate() {
            let at = shift + group * self.stride as usize;
            bytes[at..at + handle.len()].copy_from_slice(handle);
        }
        table.write(&self.gpu, &bytes)?;
        self.table = Some(table);
        Ok(())
    }

    /// Returns the region of the shader binding table with one group.
    fn region(&self, group: usize) -> vk::StridedDeviceAddressRegionKHR {
        let align = u64::from(self.gpu.limits.shader_group_base_alignment.max(1));
        let start = self.table.as_ref().map_or(0, Buffer::address).next_multiple_of(align);
        let address = start + group as u64 * self.stride;
        vk::StridedDeviceAddressRegionKHR { device_address: address, stride: self.stride, size: self.stride }
    }

    /// Binds the data of a launch of `count` rays, and returns the launch.
    pub fn trace(
        &self,
        gpu: &VulkanDevice,
        commands: vk::CommandBuffer,
        any: bool,
        constants: &Constants,
        count: u32,
    ) -> Launch {
        let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
        // SAFETY: the buffer of commands is being recorded; the addresses are of buffers that hold `count` rays and
        // their results, and live until `submit` has waited.
        unsafe {
            gpu.device.cmd_bind_pipeline(commands, point, self.handle);
            gpu.device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            let stage = vk::ShaderStageFlags::RAYGEN_KHR;
            gpu.device.cmd_push_constants(commands, self.layout, stage, 0, bytemuck::bytes_of(constants));
        }
        let raygen = self.region(if any { ANY } else { CLOSEST });
        let regions = [raygen, self.region(MISS), self.region(HIT), vk::StridedDeviceAddressRegionKHR::default()];
        Launch { regions, count }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = &self.gpu.device;
        // SAFETY: commands that use them have been waited for; null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.handle, None);
            self.modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_descriptor_set_layout(self.sets, None);
        }
    }
}
