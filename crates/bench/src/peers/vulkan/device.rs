//! Vulkan's loader, a device and its queue.

use crate::peers::PeerError;
use ash::{khr, vk};
use std::ffi::CStr;
use std::sync::Arc;

/// Vulkan extensions that the ray tracing pipelines need.
const EXTENSIONS: [&CStr; 3] =
    [khr::acceleration_structure::NAME, khr::ray_tracing_pipeline::NAME, khr::deferred_host_operations::NAME];

/// Handle of the open Vulkan device, with which all objects on it are made. Clones share it; the last one closes the
/// device.
#[derive(Clone)]
pub(super) struct VulkanDevice {
    pub open: Arc<Open>,
}

/// An open Vulkan device, with its queue and ray tracing properties.
pub(super) struct Open {
    pub device: ash::Device,
    pub trees: khr::acceleration_structure::Device,
    pub pipelines: khr::ray_tracing_pipeline::Device,
    pub limits: vk::PhysicalDeviceRayTracingPipelinePropertiesKHR<'static>,
    pub scratch_alignment: u64,
    pub memory: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    pool: vk::CommandPool,
    stamps: vk::QueryPool,
    stamp_ns: f64,
    /// Vulkan loader and instance, dropped after the device.
    _loaded: Loaded,
}

/// The Vulkan loader, and the instance that it opened.
struct Loaded {
    instance: ash::Instance,
    _entry: ash::Entry,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the device, if there was one, is gone: it holds this.
        unsafe { self.instance.destroy_instance(None) };
    }
}

impl std::ops::Deref for VulkanDevice {
    type Target = Open;

    fn deref(&self) -> &Open {
        &self.open
    }
}

impl VulkanDevice {
    /// Opens the Vulkan device called `name`, or the first that is a CPU if none is named.
    pub fn open(name: Option<&str>) -> Result<Self, PeerError> {
        // SAFETY: loads the system's Vulkan loader, whose initialisers are trusted as those of any system library.
        let entry = unsafe { ash::Entry::load() }.map_err(|_| PeerError::new("the Vulkan loader was not found"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` and what it points to live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(fault("opening Vulkan"))?;
        Self::on(Loaded { instance, _entry: entry }, name)
    }

    fn on(loaded: Loaded, name: Option<&str>) -> Result<Self, PeerError> {
        let instance = &loaded.instance;
        // SAFETY: the instance is valid, here and in all calls of this function.
        let all = unsafe { instance.enumerate_physical_devices() }.map_err(fault("listing devices"))?;
        let facts = |device| -> (String, bool) {
            // SAFETY: as above; `device` comes from the list.
            let properties = unsafe { instance.get_physical_device_properties(device) };
            let name = properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default().into_owned();
            (name, properties.device_type == vk::PhysicalDeviceType::CPU)
        };
        let fits = |&device: &vk::PhysicalDevice| {
            let (own, is_cpu) = facts(device);
            name.map_or(is_cpu, |name| own == name)
        };
        let Some(physical) = all.iter().copied().find(fits) else {
            let seen: Vec<String> = all.iter().map(|&device| facts(device).0).collect();
            let wanted = name.unwrap_or("a CPU");
            let seen = if seen.is_empty() { "no device".to_string() } else { seen.join(", ") };
            return Err(PeerError::new(format!("Vulkan shows {seen}, not {wanted}")));
        };
        // SAFETY: as above.
        let extensions =
            unsafe { instance.enumerate_device_extension_properties(physical) }.map_err(fault("listing extensions"))?;
        for needed in EXTENSIONS {
            if !extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(needed)) {
                let needed = needed.to_string_lossy();
                return Err(PeerError::new(format!("{} has no {needed}", facts(physical).0)));
            }
        }
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let works = |family: &vk::QueueFamilyProperties| {
            family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.timestamp_valid_bits > 0
        };
        let Some(family) = families.iter().position(works) else {
            return Err(PeerError::new(format!("{} has no queue with timestamps", facts(physical).0)));
        };
        let family = family as u32;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let names = EXTENSIONS.map(CStr::as_ptr);
        let mut trees = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default().acceleration_structure(true);
        let mut rays = vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::default().ray_tracing_pipeline(true);
        let mut addresses = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut trees)
            .push_next(&mut rays)
            .push_next(&mut addresses);
        // SAFETY: as above; `info` and what it points to live through the call.
        let device = unsafe { instance.create_device(physical, &info, None) }.map_err(fault("opening the device"))?;
        let mut limits = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
        let mut tree_limits = vk::PhysicalDeviceAccelerationStructurePropertiesKHR::default();
        let mut properties =
            vk::PhysicalDeviceProperties2::default().push_next(&mut limits).push_next(&mut tree_limits);
        // SAFETY: as above; the structures are chained for the call.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let stamp_ns = f64::from(properties.properties.limits.timestamp_period);
        limits.p_next = std::ptr::null_mut();
        // From here on `drop` gives back what there is; null handles are ignored.
        let mut open = Open {
            trees: khr::acceleration_structure::Device::new(instance, &device),
            pipelines: khr::ray_tracing_pipeline::Device::new(instance, &device),
            limits: vk::PhysicalDeviceRayTracingPipelinePropertiesKHR { _marker: std::marker::PhantomData, ..limits },
            scratch_alignment: u64::from(tree_limits.min_acceleration_structure_scratch_offset_alignment).max(1),
            // SAFETY: as above.
            memory: unsafe { instance.get_physical_device_memory_properties(physical) },
            // SAFETY: the device was made with one queue of this family.
            queue: unsafe { device.get_device_queue(family, 0) },
            pool: vk::CommandPool::null(),
            stamps: vk::QueryPool::null(),
            stamp_ns,
            device,
            _loaded: loaded,
        };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let stamps = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the device is valid.
        unsafe {
            open.pool = open.device.create_command_pool(&pool, None).map_err(fault("making a command pool"))?;
            open.stamps = open.device.create_query_pool(&stamps, None).map_err(fault("making a query pool"))?;
        }
        Ok(Self { open: Arc::new(open) })
    }

    /// Submits the commands that are recorded by a callback, and waits for them.
    pub fn submit(&self, record: impl FnOnce(&Self, vk::CommandBuffer)) -> Result<(), PeerError> {
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool and the queue are the device's and used by one thread at a time (`VulkanTracer` runs by
        // `&mut`); the buffer of commands is freed after the fence says that the queue is done with it, or the device
        // is lost.
        unsafe {
            let commands = self.device.allocate_command_buffers(&allocate).map_err(fault("making commands"))?;
            let work = || -> Result<(), vk::Result> {
                self.device.begin_command_buffer(commands[0], &begin)?;
                record(self, commands[0]);
                self.device.end_command_buffer(commands[0])?;
                let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
                let info = [vk::SubmitInfo::default().command_buffers(&commands)];
                let done = self
                    .device
                    .queue_submit(self.queue, &info, fence)
                    .and_then(|()| self.device.wait_for_fences(&[fence], true, u64::MAX));
                self.device.destroy_fence(fence, None);
                done
            };
            let done = work();
            self.device.free_command_buffers(self.pool, &commands);
            done.map_err(fault("running commands"))
        }
    }

    /// Runs the commands that `record` adds between two timestamps, and returns the seconds between these. What it
    /// returns is put before the first.
    pub fn timed(&self, record: impl FnOnce(&Self, vk::CommandBuffer) -> Launch) -> Result<f64, PeerError> {
        self.submit(|gpu, commands| {
            // SAFETY: the buffer of commands is being recorded; the queries are the device's own.
            unsafe {
                gpu.device.cmd_reset_query_pool(commands, gpu.stamps, 0, 2);
                let launch = record(gpu, commands);
                // All that came before is done when the clock starts.
                gpu.barrier(commands);
                gpu.device.cmd_write_timestamp(commands, vk::PipelineStageFlags::ALL_COMMANDS, gpu.stamps, 0);
                launch.put(gpu, commands);
                gpu.device.cmd_write_timestamp(commands, vk::PipelineStageFlags::ALL_COMMANDS, gpu.stamps, 1);
            }
        })?;
        let mut ticks = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: both queries were written by the commands above, which are done.
        unsafe { self.device.get_query_pool_results(self.stamps, 0, &mut ticks, flags) }
            .map_err(fault("reading timestamps"))?;
        Ok(ticks[1].wrapping_sub(ticks[0]) as f64 * self.stamp_ns * 1e-9)
    }

    /// Records a memory barrier: later commands see all that earlier ones wrote.
    pub fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the buffer of commands is being recorded.
        unsafe {
            let none = vk::DependencyFlags::empty();
            self.device.cmd_pipeline_barrier(commands, stages, stages, none, &barrier, &[], &[]);
        }
    }
}

/// A ray tracing launch whose data is bound, ready to be recorded.
pub(super) struct Launch {
    pub regions: [vk::StridedDeviceAddressRegionKHR; 4],
    pub count: u32,
}

impl Launch {
    fn put(&self, gpu: &VulkanDevice, commands: vk::CommandBuffer) {
        let [raygen, miss, hit, callable] = &self.regions;
        // SAFETY: `Pipeline::trace` bound the pipeline whose table the regions lie in.
        unsafe { gpu.pipelines.cmd_trace_rays(commands, raygen, miss, hit, callable, self.count, 1, 1) };
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: whatever else was made of the device holds a `VulkanDevice`, so that nothing of it is left; no
        // commands run.
        unsafe {
            self.device.destroy_query_pool(self.stamps, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
        }
    }
}

/// Returns a function that converts Vulkan errors, for an operation described as `doing`.
pub(super) fn fault(doing: &'static str) -> impl Fn(vk::Result) -> PeerError {
    move |result| PeerError::new(format!("Vulkan failed while {doing}: {result}"))
}
