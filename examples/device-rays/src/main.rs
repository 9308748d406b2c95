//! Rays that a kernel of the program's own makes, and hits that another one reads: nothing leaves the GPU in between,
//! and the host waits for nothing until the pictures are done. Then the other way (`inside.rs`): a kernel of the
//! program's own that traces its rays itself, and how fast both are (`speed.rs`).
//!
//! The program has a context, a stream and memory of its own, as any program that uses CUDA; here they come from
//! cudarc. What Raywarp needs of it are the context ([`Device::from_context`]), the stream ([`Stream::from_raw`]) and
//! the addresses ([`DeviceSlice::from_raw`]). In the end the CPU's tracer says whether the hits are right.
//!
//! ```text
//! cargo run --release -p raywarp-device-rays
//! ```
//!
//! It needs an NVIDIA GPU and NVRTC 12.0 or later (libnvrtc, from CUDA or `pip install nvidia-cuda-nvrtc-cu12`, in
//! `LD_LIBRARY_PATH`). Without one of them it says so, and ends.

mod inside;
mod speed;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use raywarp::bvh::{build, presets};
use raywarp::cpu::CpuTracer;
use raywarp::cuda::{CudaTracer, Device, DeviceHitsMut, DeviceSlice, DeviceSliceMut, LaunchWork, PinnedBuffer, Stream};
use raywarp::device::DEFAULT_KERNEL;
use raywarp::scene::{default_scene, flatten};
use raywarp::{Control, Hit, Query, Ray, Tracer};
use std::error::Error;
use std::process::ExitCode;

const SIZE: [u32; 2] = [640, 400];
const COUNT: usize = (SIZE[0] * SIZE[1]) as usize;
/// Points that each picture is seen from.
const EYES: [[f32; 3]; 4] = [[0.0, 1.8, 7.0], [0.6, 1.8, 6.5], [1.2, 2.0, 6.0], [1.8, 2.4, 6.0]];

fn main() -> ExitCode {
    match missing() {
        Some(why) => {
            println!("nothing was traced: {why}");
            ExitCode::SUCCESS
        }
        None => match run() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

/// Returns what this example needs and the machine lacks, if anything.
fn missing() -> Option<String> {
    match Device::count() {
        Err(error) => return Some(error.to_string()),
        Ok(0) => return Some("there is no NVIDIA GPU".to_string()),
        Ok(_) => {}
    }
    // SAFETY: only looks for the library.
    let nvrtc = unsafe { cudarc::nvrtc::sys::is_culib_present() };
    (!nvrtc).then(|| "libnvrtc was not found; pip install nvidia-cuda-nvrtc-cu12 has it".to_string())
}

/// Has `tracer` find what the program's `rays` hit, eight floats each, into its `hits`, four each; waits for nothing.
/// The stream is that of `queue`, on which both are, and they live until it was waited for.
fn trace(
    tracer: &CudaTracer,
    stream: &Stream,
    queue: &CudaStream,
    rays: &CudaSlice<f32>,
    hits: &mut CudaSlice<f32>,
    work: &mut LaunchWork,
) -> Result<(), Box<dyn Error>> {
    let count = rays.len() / 8;
    assert!(hits.len() >= 4 * count, "a hit a ray");
    // SAFETY: as many rays and hits, which only this stream uses, as the text above says.
    let (from, to) = unsafe {
        let hits = DeviceSliceMut::<Hit>::from_raw(hits.device_ptr_mut(queue).0, count);
        (DeviceSlice::<Ray>::from_raw(rays.device_ptr(queue).0, count), hits)
    };
    let out = DeviceHitsMut {
        hits: to,
        instances: DeviceSliceMut::EMPTY,
        blocked: DeviceSliceMut::EMPTY,
        undecided: DeviceSliceMut::EMPTY,
        work,
    };
    Ok(tracer.launch(stream, Query::Closest, from, count, None, out)?)
}

/// Makes all pictures, and returns `true` if they are right.
fn run() -> Result<bool, Box<dyn Error>> {
    // The program's own: a context, a stream, kernels, memory.
    let context = CudaContext::new(0)?;
    let queue = context.new_stream()?;
    let options = vec!["--gpu-architecture=compute_75".to_string()];
    let options = CompileOptions { options, ..CompileOptions::default() };
    let module = context.load_module(compile_ptx_with_opts(include_str!("kernels.cu"), options)?)?;
    let (make_rays, depths) = (module.load_function("make_rays")?, module.load_function("depths")?);
    let mut rays: CudaSlice<f32> = queue.alloc_zeros(8 * COUNT)?;
    let mut hits: CudaSlice<f32> = queue.alloc_zeros(4 * COUNT)?;

    // What it hands to Raywarp.
    // SAFETY: `context` lives until this function ends, and everything made of the device was declared later.
    let device = unsafe { Device::from_context(context.cu_ctx().cast()) }?;
    // SAFETY: a stream of this context, which lives as long.
    let stream = unsafe { Stream::from_raw(&device, queue.cu_stream().cast()) };
    let triangles = flatten(&default_scene())?;
    let bvh = build(&triangles, &presets::GPU)?;
    let tracer = CudaTracer::new(&device, &DEFAULT_KERNEL, &bvh, &triangles)?;
    let mut work = LaunchWork::new(&stream)?;

    // All pictures, one after the other on the stream. Nothing here waits for the GPU.
    let launch = LaunchConfig::for_num_elems(COUNT as u32);
    let mut pictures: Vec<(PinnedBuffer<f32>, CudaSlice<u32>)> = Vec::new();
    for [x, y, z] in EYES {
        let mut builder = queue.launch_builder(&make_rays);
        builder.arg(&mut rays).arg(&SIZE[0]).arg(&SIZE[1]).arg(&x).arg(&y).arg(&z);
        // SAFETY: the kernel takes these, and writes COUNT rays of 8 floats.
        unsafe { builder.launch(launch) }?;

        trace(&tracer, &stream, &queue, &rays, &mut hits, &mut work)?;

        let mut picture: CudaSlice<u32> = queue.alloc_zeros(COUNT)?;
        let count = COUNT as u32;
        let mut builder = queue.launch_builder(&depths);
        builder.arg(&hits).arg(&mut picture).arg(&count);
        // SAFETY: the kernel takes these, and reads COUNT hits of 4 words.
        unsafe { builder.launch(launch) }?;

        // The rays too, for the CPU: the next picture's come behind this copy.
        let mut made = device.pinned::<f32>(8 * COUNT)?;
        // SAFETY: as many floats, which live until the stream was waited for.
        let floats = unsafe { DeviceSlice::<f32>::from_raw(rays.device_ptr(&queue).0, 8 * COUNT) };
        stream.read_pinned(floats, &mut made, 0)?;
        pictures.push((made, picture));
    }

    let cpu = CpuTracer::new(&bvh, &triangles)?;
    let mut right = true;
    for (number, (made, picture)) in pictures.iter().enumerate() {
        let found = queue.clone_dtoh(picture)?;
        queue.synchronize()?;
        let ray = |n: &[f32]| Ray::new([n[0], n[1], n[2]], [n[4], n[5], n[6]]).with_interval(n[3], n[7]);
        let rays: Vec<Ray> = made.get()?.chunks_exact(8).map(ray).collect();
        let mut hits = vec![Hit::default(); COUNT];
        cpu.closest(&rays, &[], &mut hits, &mut [], &Control::default())?;
        let depth = |hit: &Hit| if hit.is_hit() { (hit.t * 16.0) as u32 + 1 } else { 0 };
        let other = hits.iter().zip(&found).filter(|(hit, found)| depth(hit) != **found).count();
        let seen = found.iter().filter(|&&depth| depth > 0).count();
        println!("picture {}: {COUNT} rays, {seen} hits, {other} otherwise than on the CPU", number + 1);
        right &= other == 0 && seen > 0;
    }
    right &= inside::is_right(&context, &queue, &device, &stream, &triangles.vertices)?;
    right &= speed::is_same(&context, &queue, &device, &stream, &triangles.vertices)?;
    println!("{}", if right { "all as the CPU's tracer has them" } else { "they differ" });
    Ok(right)
}
