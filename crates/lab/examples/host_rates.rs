//! Rates at which a GPU answers rays that lie in the host's memory, beside plain copies of the same bytes:
//! docs/guide/gpu.md, "Rays and hits of the host".
//!
//! ```text
//! cargo run --release -p raywarp-lab --example host_rates -- SCENE [RAYS.npy] [--rays N] [--variant V] [--runs N] [--device N]
//!     [--portion N]
//! ```
//!
//! Rays are those of the file, again and again, or made up: from points that rays from inside the scene hit, in any
//! direction. In each run, one after the other:
//!
//! - *plain*: as many bytes of rays are copied to the device from pinned memory as bytes of hits are copied back to it,
//!   on two streams beside each other;
//! - *pinned*: rays in pinned memory are traced, hits come back to pinned memory;
//! - *pageable*: the same in other memory;
//! - *kernel*: what the device alone takes for as many rays that it has already, by its events.
//!
//! Printed are medians, the smallest and the largest time, and the ratio of each median to plain's.

use raywarp::bvh::build;
use raywarp::cpu::CpuTracer;
use raywarp::cuda::{CudaError, CudaTracer, Device, DeviceBuffer, DeviceHits, PinnedBuffer, Stream};
use raywarp::device::RayKernels;
use raywarp::scene::{LoadOptions, flatten, load};
use raywarp::trace::npy::read_rays;
use raywarp::{BuildOptions, Control, Hit, Query, Ray, Tracer};
use raywarp_lab::family::Variant;
use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Rays that are copied at once, as the tracer does.
const PORTION: usize = 1 << 19;
/// Rays that are made up, at most; more are these again.
const MADE_UP: usize = 1 << 22;
/// Rays of which the hits are held against the CPU's.
const CHECKED: usize = 1 << 16;

struct Arguments {
    scene: PathBuf,
    file: Option<PathBuf>,
    rays: usize,
    runs: usize,
    device: usize,
    variant: Option<Variant>,
    portion: usize,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let usage = "usage: host_rates SCENE [RAYS.npy] [--rays N] [--variant V] [--runs N] [--device N] [--portion N]";
    let (mut files, mut words) = (Vec::new(), std::env::args().skip(1));
    let (mut rays, mut runs, mut device, mut variant, mut portion) = (1e8, 7, 0, None, PORTION);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(usage);
        match word.as_str() {
            "--rays" => rays = value()?.parse::<f64>()?,
            "--runs" => runs = value()?.parse::<usize>()?.max(1),
            "--device" => device = value()?.parse()?,
            "--portion" => portion = value()?.parse()?,
            "--variant" => variant = Some(value()?.parse()?),
            _ => files.push(PathBuf::from(word)),
        }
    }
    let mut files = files.into_iter();
    let scene = files.next().ok_or(usage)?;
    let arguments = Arguments { scene, file: files.next(), rays: rays as usize, runs, device, variant, portion };
    if files.next().is_some() || arguments.rays == 0 { Err(usage.into()) } else { Ok(arguments) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let device = match Device::open(arguments.device) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing was measured: {error}");
            return Ok(());
        }
    };
    let triangles = flatten(&load(&arguments.scene, &LoadOptions::default())?.scene)?;
    let variant = arguments.variant.unwrap_or(RayKernels::default().closest);
    let options = BuildOptions::default();
    let options = options.with_leaf_limit(variant.tree().max_leaf());
    let bvh = build(&triangles, &options)?;
    let cpu = CpuTracer::new(&bvh, &triangles)?;
    let some = match &arguments.file {
        Some(path) => read_rays(&path.display().to_string(), File::open(path)?)?.rays,
        None => made_up(&cpu, bounds(&triangles.vertices), arguments.rays.min(MADE_UP))?,
    };
    if some.is_empty() {
        return Err("there are no rays".into());
    }
    let count = arguments.rays;
    let rays: Vec<Ray> = some.iter().copied().cycle().take(count).collect();
    let tracer = CudaTracer::new(&device, &variant, &bvh, &triangles)?.with_portions(arguments.portion);
    let mut bench = Bench::new(&device, rays)?;
    let cores = std::thread::available_parallelism()?;
    println!("{}, driver {}, {cores} threads", device.name(), device.driver_version()?);
    println!("{variant}; {} triangles; {count} rays, {} runs", triangles.len(), arguments.runs);

    let mut times = [const { Vec::new() }; 4];
    // The first run makes buffers.
    for run in 0..=arguments.runs {
        let taken = [bench.plain()?, bench.pinned(&tracer)?, bench.pageable(&tracer)?, bench.kernel(&tracer)?];
        if run > 0 {
            times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
        }
    }
    let medians = times.each_mut().map(|times| {
        times.sort();
        times[times.len() / 2]
    });
    let bytes = (count * (size_of::<Ray>() + size_of::<Hit>())) as f64;
    for ((name, times), median) in ["plain", "pinned", "pageable", "kernel"].iter().zip(&times).zip(medians) {
        let [median, least, most, plain] =
            [median, times[0], times[times.len() - 1], medians[0]].map(|time| time.as_secs_f64());
        println!(
            "{name:<9} {:8.2} ms ({:.2} to {:.2})  {:7.1} Mrays/s  {:6.1} GB/s  {:.3} of plain",
            median * 1e3,
            least * 1e3,
            most * 1e3,
            count as f64 / median / 1e6,
            bytes / median / 1e9,
            plain / median,
        );
    }
    bench.check(&cpu)?;
    Ok(())
}

fn bounds(triangles: &[[[f32; 3]; 3]]) -> [[f32; 3]; 2] {
    let points = triangles.iter().flatten();
    points.fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[min, max], point| {
        [std::array::from_fn(|k| min[k].min(point[k])), std::array::from_fn(|k| max[k].max(point[k]))]
    })
}

/// Rays on from where others hit.
fn made_up(cpu: &CpuTracer, [min, max]: [[f32; 3]; 2], count: usize) -> Result<Vec<Ray>, Box<dyn Error>> {
    let mut random = raywarp_testing::Random::new(1);
    let mut number = || random.unit();
    let mut direction = || {
        let (z, angle) = (2.0 * number() - 1.0, std::f32::consts::TAU * number());
        let r = (1.0 - z * z).max(0.0).sqrt();
        [r * angle.cos(), r * angle.sin(), z]
    };
    let directions: Vec<[[f32; 3]; 2]> = (0..count).map(|_| [direction(), direction()]).collect();
    let mut inside = || std::array::from_fn(|k| min[k] + (max[k] - min[k]) * (0.1 + 0.8 * number()));
    let first: Vec<Ray> = directions.iter().map(|[d, _]| Ray::new(inside(), *d)).collect();
    let mut hits = vec![Hit::default(); count];
    cpu.closest(&first, &[], &mut hits, &mut [], &Control::default())?;
    let on = |((ray, hit), [_, d]): ((&Ray, &Hit), &[[f32; 3]; 2])| {
        let t = if hit.is_hit() { hit.t * 0.999 } else { 0.0 };
        Ray::new(std::array::from_fn(|k| ray.origin[k] + t * ray.direction[k]), *d)
    };
    Ok(first.iter().zip(&hits).zip(&directions).map(on).collect())
}

struct Bench {
    rays: Vec<Ray>,
    hits: Vec<Hit>,
    pinned_rays: PinnedBuffer<Ray>,
    pinned_hits: PinnedBuffer<Hit>,
    streams: [Stream; 2],
    on_device: DeviceBuffer<Ray>,
    out: DeviceHits,
}

impl Bench {
    fn new(device: &Device, rays: Vec<Ray>) -> Result<Self, CudaError> {
        let mut pinned_rays = device.pinned(rays.len())?;
        pinned_rays.get_mut()?.copy_from_slice(&rays);
        let streams = [device.stream()?, device.stream()?];
        let portion = PORTION.min(rays.len());
        let on_device = streams[0].upload(&rays[..portion])?;
        let out = DeviceHits::new(&streams[1], portion, false)?;
        let pinned_hits = device.pinned(rays.len())?;
        streams.iter().try_for_each(Stream::synchronize)?;
        Ok(Self { hits: vec![Hit::default(); rays.len()], rays, pinned_rays, pinned_hits, streams, on_device, out })
    }

    fn plain(&mut self) -> Result<Duration, CudaError> {
        let start = Instant::now();
        for first in (0..self.rays.len()).step_by(PORTION) {
            let range = first..self.rays.len().min(first + PORTION);
            let (up, down) =
                (self.on_device.view_mut().part(0..range.len()), self.out.hits.view().part(0..range.len()));
            self.streams[0].write_pinned(up, &self.pinned_rays, range)?;
            self.streams[1].read_pinned(down, &mut self.pinned_hits, first)?;
        }
        self.streams.iter().try_for_each(Stream::synchronize)?;
        Ok(start.elapsed())
    }

    fn pinned(&mut self, tracer: &CudaTracer) -> Result<Duration, Box<dyn Error>> {
        let (rays, hits) = (self.pinned_rays.get()?, self.pinned_hits.get_mut()?);
        hits.fill(Hit::default());
        let start = Instant::now();
        tracer.closest(rays, &[], hits, &mut [], &Control::default())?;
        Ok(start.elapsed())
    }

    fn pageable(&mut self, tracer: &CudaTracer) -> Result<Duration, Box<dyn Error>> {
        self.hits.fill(Hit::default());
        let start = Instant::now();
        tracer.closest(&self.rays, &[], &mut self.hits, &mut [], &Control::default())?;
        Ok(start.elapsed())
    }

    /// All portions, with the rays of each, one after the other; only launches count.
    fn kernel(&mut self, tracer: &CudaTracer) -> Result<Duration, CudaError> {
        let mut seconds = 0.0;
        for first in (0..self.rays.len()).step_by(PORTION) {
            let range = first..self.rays.len().min(first + PORTION);
            let (stream, count) = (&self.streams[0], range.len());
            stream.write_pinned(self.on_device.view_mut().part(0..count), &self.pinned_rays, range)?;
            seconds += tracer.time(stream, Query::Closest, &self.on_device, count, &mut self.out)?;
        }
        Ok(Duration::from_secs_f64(seconds))
    }

    /// Says whether hits of both ways are the same, and how many of some are the CPU's.
    fn check(&self, cpu: &CpuTracer) -> Result<(), Box<dyn Error>> {
        let words = |hit: &Hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive];
        let pinned = self.pinned_hits.get()?;
        let other = pinned.iter().zip(&self.hits).filter(|(a, b)| words(a) != words(b)).count();
        let step = self.rays.len().div_ceil(CHECKED);
        let some: Vec<Ray> = self.rays.iter().step_by(step).copied().collect();
        let mut hits = vec![Hit::default(); some.len()];
        cpu.closest(&some, &[], &mut hits, &mut [], &Control::default())?;
        let like = hits.iter().zip(self.hits.iter().step_by(step)).filter(|(a, b)| words(a) == words(b)).count();
        println!("{other} hits differ between pinned and pageable; {like} of {} have the CPU's bits", some.len());
        Ok(())
    }
}
