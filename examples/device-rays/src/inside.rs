//! A picture of ambient occlusion by a kernel that traces from inside (occlusion.cu): no ray and no hit is in memory
//! but for the check. What Raywarp gives are the header, which goes to NVRTC with the kernel, and the tree, which goes
//! to the kernel.

use crate::{COUNT, EYES, SIZE};
use cudarc::driver::{CudaContext, CudaModule, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use raywarp::bvh::{Bvh2, build, presets};
use raywarp::cpu::CpuTracer;
use raywarp::cuda::{Device, DeviceScene, HEADER_OPTIONS, Stream, TreeRecord, with_header};
use raywarp::{Control, FlatTriangles, Hit, Ray, Tracer};
use std::error::Error;
use std::sync::Arc;

/// Rays of a pixel, and the floats of each: as in occlusion.cu.
const RAYS: usize = 1 + 8;
const RAY_FLOATS: usize = 8;
/// The kernel's argument `tree`.
#[repr(transparent)]
pub struct Tree(pub TreeRecord);

// SAFETY: the words of the kernel's `raywarp::Tree`.
unsafe impl DeviceRepr for Tree {}

/// A scene for kernels that trace from inside, and for the CPU.
pub struct Scene {
    pub triangles: FlatTriangles,
    pub bvh: Bvh2,
    pub on_device: DeviceScene,
}

impl Scene {
    /// Makes the scene of the triangles of one mesh, so that a hit's primitive is the place of its corners.
    pub fn new(device: &Device, stream: &Stream, vertices: &[[[f32; 3]; 3]]) -> Result<Self, Box<dyn Error>> {
        let triangles = FlatTriangles::from_vertices(vertices.to_vec());
        let bvh = build(&triangles, &presets::GPU)?;
        let on_device = DeviceScene::for_kernels(device, stream, &bvh, &triangles)?;
        Ok(Self { triangles, bvh, on_device })
    }
}

/// Returns a thread for each of `count`. Of 1024 threads, as `LaunchConfig::for_num_elems` has them, no block starts: a
/// kernel that traces takes some 130 registers.
pub fn a_thread_each(count: usize) -> LaunchConfig {
    const BLOCK: u32 = 128;
    LaunchConfig { grid_dim: ((count as u32).div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// Kernels that include raywarp.h.
pub fn compiled(context: &Arc<CudaContext>, name: &str, source: &str) -> Result<Arc<CudaModule>, Box<dyn Error>> {
    let mut options = HEADER_OPTIONS.map(String::from).to_vec();
    options.push("--gpu-architecture=compute_75".to_string());
    let options = CompileOptions { options, ..Default::default() };
    Ok(context.load_module(compile_ptx_with_opts(with_header(name, source), options)?)?)
}

/// Returns `true` if the picture equals the one that the CPU's tracer makes of the same rays.
pub fn is_right(
    context: &Arc<CudaContext>,
    queue: &Arc<CudaStream>,
    device: &Device,
    stream: &Stream,
    vertices: &[[[f32; 3]; 3]],
) -> Result<bool, Box<dyn Error>> {
    let scene = Scene::new(device, stream, vertices)?;
    let module = compiled(context, "occlusion.cu", include_str!("occlusion.cu"))?;
    let kernel = module.load_function("ambient_occlusion")?;

    let corners = queue.clone_htod(vertices.as_flattened().as_flattened())?;
    let mut open: CudaSlice<u32> = queue.alloc_zeros(COUNT)?;
    let mut asked: CudaSlice<f32> = queue.alloc_zeros(COUNT * RAYS * RAY_FLOATS)?;
    let (tree, [x, y, z]) = (Tree(scene.on_device.tree(stream)), EYES[0]);
    let mut builder = queue.launch_builder(&kernel);
    builder.arg(&tree).arg(&corners).arg(&mut open).arg(&mut asked).arg(&SIZE[0]).arg(&SIZE[1]).arg(&x).arg(&y).arg(&z);
    // SAFETY: the kernel takes these, reads nine floats a triangle of the tree, and writes as much as was allocated.
    unsafe { builder.launch(a_thread_each(COUNT)) }?;

    let (open, asked) = (queue.clone_dtoh(&open)?, queue.clone_dtoh(&asked)?);
    queue.synchronize()?;
    let ray = |n: &[f32]| Ray::new([n[0], n[1], n[2]], [n[4], n[5], n[6]]).with_interval(n[3], n[7]);
    let rays: Vec<Ray> = asked.chunks_exact(RAY_FLOATS).map(ray).collect();
    let cpu = CpuTracer::new(&scene.bvh, &scene.triangles)?;
    let (mut hits, mut blocked) = (vec![Hit::default(); rays.len()], vec![0; rays.len().div_ceil(32)]);
    cpu.closest(&rays, &[], &mut hits, &mut [], &Control::default())?;
    cpu.any(&rays, &[], &mut blocked, &mut Vec::new(), &Control::default())?;
    let is_open = |i: usize| blocked[i / 32] >> (i % 32) & 1 == 0;
    // Of a pixel that hits nothing no others were asked.
    let expected = |pixel: usize| match hits[pixel * RAYS].is_hit() {
        true => (1..RAYS).filter(|n| is_open(pixel * RAYS + n)).count() as u32,
        false => 0,
    };
    let other = (0..COUNT).filter(|&pixel| expected(pixel) != open[pixel]).count();
    let seen: u32 = open.iter().sum();
    println!(
        "from inside of a kernel: {COUNT} pixels, {seen} rays in the open, {other} pixels otherwise than on the CPU"
    );
    Ok(other == 0 && seen > 0)
}
