//! What building a scene takes: time, memory at the peak, from a cancel to the return, and loading instead of building.
//!
//! `cargo run --release -p raywarp --example scene_build -- WHAT PRESET MESH`; MESH is a file of little-endian
//! numbers as [`nearest_speed`](nearest_speed.rs) takes it, which `peers/embree/scene_build.py` makes of a PLY file,
//! and PRESET one of [`raywarp::bvh::presets`]. WHAT is
//! - `peak`: bytes a triangle beyond the mesh that building takes at its peak, and that the scene holds (Linux);
//! - `serve`: seconds, and seconds of all threads, of a build for each line on standard input;
//! - `cancel`: milliseconds from a cancel to the return, at forty moments of a build, and milliseconds that all threads
//!   ran for in between, which another program on the processor does not lengthen: the worst and the median;
//! - `load`: seconds of building and of loading what was saved, in turns: medians and their ratio.

use raywarp::{Affine64, Control, Scene, SceneError, SceneOptions};
use std::error::Error;
use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Moments of a build at which `cancel` cancels it.
const MOMENTS: u32 = 40;

/// Rounds of `load`.
const ROUNDS: usize = 9;

/// Mesh: positions, and three indices of them a triangle.
struct Mesh {
    positions: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
}

impl Mesh {
    /// Reads a mesh to where it stays, so that no memory is left that a build could take for itself.
    fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let mut file = std::fs::File::open(path)?;
        let mut counts = [0u32; 2];
        file.read_exact(bytemuck::cast_slice_mut(&mut counts))?;
        let [vertices, triangles] = counts.map(|count| count as usize);
        let mut mesh = Self { positions: vec![[0.0; 3]; vertices], indices: vec![[0; 3]; triangles] };
        file.read_exact(bytemuck::cast_slice_mut(&mut mesh.positions))?;
        file.read_exact(bytemuck::cast_slice_mut(&mut mesh.indices))?;
        Ok(mesh)
    }

    fn build(&self, options: &SceneOptions, control: &Control<'_>) -> Result<Scene, SceneError> {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&self.positions, &self.indices);
        builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
        builder.build(options, control)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, preset, path] = &arguments[..] else { return Err("usage: scene_build WHAT PRESET MESH".into()) };
    let quality = raywarp::bvh::presets::named(preset).ok_or("there is no such preset")?;
    let options = SceneOptions { quality: Some(quality), ..SceneOptions::default() };
    let mesh = Mesh::read(path)?;
    match what.as_str() {
        "peak" => peak(&mesh, &options),
        "serve" => serve(&mesh, &options),
        "cancel" => cancel(&mesh, &options),
        "load" => load(&mesh, &options),
        _ => Err("WHAT is peak, serve, cancel or load".into()),
    }
}

/// Returns a size in bytes that Linux tells of this process.
fn memory(name: &str) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("the system does not tell")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no size")?.parse()?;
    Ok(1024.0 * kib)
}

fn peak(mesh: &Mesh, options: &SceneOptions) -> Result<(), Box<dyn Error>> {
    // Threads first: their stacks are no part of it.
    rayon::broadcast(|_| ());
    std::fs::write("/proc/self/clear_refs", "5")?;
    let before = memory("VmHWM")?;
    let scene = mesh.build(options, &Control::default())?;
    let (most, now) = (memory("VmHWM")?, memory("VmRSS")?);
    let each = |bytes: f64| bytes / mesh.indices.len() as f64;
    let (peak, resident, held) = (each(most - before), each(now - before), each(scene.bytes() as f64));
    println!("{peak:.1} bytes a triangle at the peak, {resident:.1} resident after, {held:.1} held");
    Ok(())
}

/// Returns the time that the threads of this process have run, or that of the clock where the system does not tell.
fn ran(since: Instant) -> Duration {
    let of_thread = |folder: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        let text = std::fs::read_to_string(folder.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").ok();
    let all = threads.and_then(|threads| threads.map(of_thread).sum::<Option<u64>>());
    all.map_or(since.elapsed(), Duration::from_nanos)
}

fn serve(mesh: &Mesh, options: &SceneOptions) -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lock().lines() {
        line?;
        let start = Instant::now();
        let before = ran(start);
        let scene = mesh.build(options, &Control::default())?;
        println!("{} {}", start.elapsed().as_secs_f64(), (ran(start) - before).as_secs_f64());
        std::io::stdout().flush()?;
        drop(scene);
    }
    Ok(())
}

fn cancel(mesh: &Mesh, options: &SceneOptions) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    drop(mesh.build(options, &Control::default())?);
    let whole = start.elapsed();
    let (mut waits, mut works) = (Vec::new(), Vec::new());
    for moment in 0..MOMENTS {
        let (flag, end) = (AtomicBool::new(false), AtomicBool::new(false));
        let control = Control { cancel: Some(&flag), progress: None };
        let (cancelled, ran_before, returned, was_cancelled) = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                std::thread::sleep(whole * moment / MOMENTS);
                flag.store(true, Ordering::Relaxed);
                let (cancelled, ran_before) = (Instant::now(), ran(start));
                while !end.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                (cancelled, ran_before)
            });
            let built = mesh.build(options, &control);
            let returned = Instant::now();
            end.store(true, Ordering::Relaxed);
            let was_cancelled = matches!(built, Err(SceneError::Cancelled));
            let (cancelled, ran_before) = watcher.join().expect("it does not panic");
            (cancelled, ran_before, returned, was_cancelled)
        });
        if was_cancelled {
            waits.push(returned.saturating_duration_since(cancelled).as_secs_f64() * 1e3);
            works.push((ran(start).saturating_sub(ran_before)).as_secs_f64() * 1e3);
        }
    }
    for times in [&mut waits, &mut works] {
        times.sort_by(f64::total_cmp);
    }
    let of = |times: &[f64]| Some((*times.last()?, *times.get(times.len() / 2)?));
    let (Some(wait), Some(work)) = (of(&waits), of(&works)) else { return Err("nothing was cancelled".into()) };
    println!(
        "{:.1} ms at worst, median {:.1}; threads ran for {:.1} at worst, median {:.1}; {} cancelled",
        wait.0,
        wait.1,
        work.0,
        work.1,
        waits.len()
    );
    Ok(())
}

fn load(mesh: &Mesh, options: &SceneOptions) -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("raywarp-scene-build-{}", std::process::id()));
    mesh.build(options, &Control::default())?.save(&path)?;
    let (mut builds, mut loads) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let scene = mesh.build(options, &Control::default())?;
        builds.push(start.elapsed().as_secs_f64());
        drop(scene);
        let start = Instant::now();
        let scene = Scene::load(&path)?;
        loads.push(start.elapsed().as_secs_f64());
        drop(scene);
    }
    std::fs::remove_file(path)?;
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (build, load) = (median(&mut builds), median(&mut loads));
    println!("built in {build:.4} s, loaded in {load:.4}: {:.1} times as fast", build / load);
    Ok(())
}
