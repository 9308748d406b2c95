//! Nearest points, timed on one thread on command: `peers/nearest/nearest_speed.py` runs it beside others.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p raywarp --example nearest_speed -- MESH POINTS ANSWERS`, files of
//! little-endian numbers: MESH has the number of vertices and of triangles (u32), positions (three f32 each) and
//! indices (three u32 each), POINTS three f32 each. It builds the scene, and then times all points for each line on
//! standard input: `single` asks one by one in the order of the file, `batch` all at once. It answers with a line,
//! nanoseconds a point, and leaves the distances of the last in ANSWERS, one f32 each. On Linux it counts the
//! processor's time, so that what else runs on the core does not count.

use raywarp::{Control, Nearest, Scene};
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

/// Splits little-endian words of four bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> + '_ {
    bytes.chunks_exact(4).map(|word| word.try_into().expect("four bytes"))
}

/// Reads triples of f32.
fn triples(bytes: &[u8]) -> Vec<[f32; 3]> {
    let numbers: Vec<f32> = words(bytes).map(f32::from_le_bytes).collect();
    numbers.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect()
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

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mesh, points, answers] = &arguments[..] else { return Err("usage: nearest_speed MESH POINTS ANSWERS".into()) };
    let mesh = std::fs::read(mesh)?;
    let vertices = words(&mesh).next().map_or(0, u32::from_le_bytes) as usize;
    let (positions, indices) = mesh[8..].split_at(12 * vertices);
    let indices: Vec<u32> = words(indices).map(u32::from_le_bytes).collect();
    let indices: Vec<[u32; 3]> = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    let points = triples(&std::fs::read(points)?);
    let start = Instant::now();
    let scene = Scene::from_triangles(&triples(positions), &indices)?;
    println!("built {:.3}", start.elapsed().as_secs_f64());
    let mut found: Vec<Option<Nearest>> = vec![None; points.len()];
    for line in std::io::stdin().lock().lines() {
        let before = ran(start);
        if line? == "single" {
            for (point, found) in points.iter().zip(&mut found) {
                *found = scene.nearest(*point, f32::INFINITY);
            }
        } else {
            scene.nearest_batch(&points, f32::INFINITY, &mut found, &Control::default())?;
        }
        let each = (ran(start) - before).as_secs_f64() * 1e9 / points.len() as f64;
        let distance = |found: &Option<Nearest>| found.map_or(f32::NAN, |nearest| nearest.distance).to_le_bytes();
        std::fs::write(answers, found.iter().flat_map(distance).collect::<Vec<u8>>())?;
        println!("{each:.1}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
