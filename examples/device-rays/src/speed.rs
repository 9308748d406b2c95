//! Measures how fast a kernel of the program's own traces from inside (given.cu), beside the library's kernels, which
//! take the same rays from the same memory: rays from an eye, and scattered ones from where those hit.

use crate::{EYES, inside, trace};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, PushKernelArg};
use raywarp::cpu::CpuTracer;
use raywarp::cuda::{CudaTracer, Device, LaunchWork, Stream};
use raywarp::{Control, Hit, Ray, Tracer};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Columns and rows of rays.
const SIZE: [usize; 2] = [2560, 1600];
const COUNT: usize = SIZE[0] * SIZE[1];
/// Timings of each, of which the median counts, and launches of a timing.
const TIMINGS: usize = 5;
const LAUNCHES: usize = 10;

/// Names of the kernels of given.cu.
const KERNELS: [&str; 3] = ["plain", "bounded", "bounded_as_direct"];

/// Prints the rates. Whether all kernels found the same.
pub fn is_same(
    context: &Arc<CudaContext>,
    queue: &Arc<CudaStream>,
    device: &Device,
    stream: &Stream,
    vertices: &[[[f32; 3]; 3]],
) -> Result<bool, Box<dyn Error>> {
    let scene = inside::Scene::new(device, stream, vertices)?;
    let tree = inside::Tree(scene.on_device.tree(stream));
    let module = inside::compiled(context, "given.cu", include_str!("given.cu"))?;
    let kernels = KERNELS.map(|name| module.load_function(name));
    let (eye, mut work) = (from_the_eye(), LaunchWork::new(stream)?);
    let scattered = scattered(&CpuTracer::new(&scene.bvh, &scene.triangles)?, &eye)?;

    let mut same = true;
    for (name, given) in [("from the eye", &eye), ("scattered", &scattered)] {
        let floats: &[f32] = bytemuck::cast_slice(given);
        let rays = queue.clone_htod(floats)?;
        let mut hits: CudaSlice<f32> = queue.alloc_zeros(4 * COUNT)?;
        let (count, config) = (COUNT as u32, inside::a_thread_each(COUNT));
        let mut line = format!("{COUNT} rays {name}, million a second: from inside");
        let mut own: Vec<f32> = Vec::new();
        for (name, kernel) in KERNELS.iter().zip(&kernels) {
            let kernel = kernel.as_ref().map_err(|&error| error)?;
            queue.memset_zeros(&mut hits)?;
            let rate = mega_rays(queue, || {
                let mut builder = queue.launch_builder(kernel);
                builder.arg(&tree).arg(&rays).arg(&mut hits).arg(&count);
                // SAFETY: the kernel takes these, reads COUNT rays of 8 floats and writes COUNT hits of 4.
                unsafe { builder.launch(config) }?;
                Ok(())
            })?;
            let found = queue.clone_dtoh(&hits)?;
            queue.synchronize()?;
            line += &format!(" {rate:.0} ({name})");
            same &= own.is_empty() || are_equal(&own, &found);
            own = found;
        }
        for variant in ["raywarp-h8-direct", "raywarp-h8"] {
            queue.memset_zeros(&mut hits)?;
            let tracer = CudaTracer::new(device, &variant.parse()?, &scene.bvh, &scene.triangles)?;
            let rate = mega_rays(queue, || trace(&tracer, stream, queue, &rays, &mut hits, &mut work))?;
            let theirs = queue.clone_dtoh(&hits)?;
            queue.synchronize()?;
            line += &format!(", {rate:.0} by {variant}");
            same &= are_equal(&own, &theirs);
        }
        println!("{line}");
    }
    Ok(same)
}

/// Returns `true` if hits have the same bits.
fn are_equal(a: &[f32], b: &[f32]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}

/// Millions of rays a second of launches one behind the other.
fn mega_rays(
    queue: &CudaStream,
    mut launch: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    launch()?;
    let mut seconds = Vec::new();
    for _ in 0..TIMINGS {
        queue.synchronize()?;
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            launch()?;
        }
        queue.synchronize()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_unstable_by(f64::total_cmp);
    Ok((LAUNCHES * COUNT) as f64 / seconds[TIMINGS / 2] / 1e6)
}

/// Returns a ray a pixel of the first picture, row by row.
fn from_the_eye() -> Vec<Ray> {
    let [width, height] = SIZE;
    let ray = |i: usize| {
        let x = ((i % width) as f32 + 0.5) / width as f32 - 0.5;
        let y = 0.5 - ((i / width) as f32 + 0.5) / height as f32;
        Ray::new(EYES[0], [x, y * height as f32 / width as f32 - 0.15, -1.0])
    };
    (0..COUNT).map(ray).collect()
}

/// Returns a ray in a direction of chance from before each hit, on the side of the eye; from where there is none, one
/// that goes on.
fn scattered(cpu: &CpuTracer, eye: &[Ray]) -> Result<Vec<Ray>, Box<dyn Error>> {
    let mut hits = vec![Hit::default(); eye.len()];
    cpu.closest(eye, &[], &mut hits, &mut [], &Control::default())?;
    let mut state = 1u32;
    let mut number = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = (state >> ((state >> 28) + 4) ^ state).wrapping_mul(277_803_737);
        ((word >> 22 ^ word) >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let ray = |(ray, hit): (&Ray, &Hit)| {
        let mut direction = [number(), number(), number()];
        let along: f32 = (0..3).map(|i| direction[i] * ray.direction[i]).sum();
        if !hit.is_hit() {
            return *ray;
        }
        if along > 0.0 {
            direction = direction.map(|x| -x);
        }
        let t = hit.t * 0.9999;
        Ray::new(std::array::from_fn(|i| ray.origin[i] + t * ray.direction[i]), direction)
    };
    Ok(eye.iter().zip(&hits).map(ray).collect())
}
