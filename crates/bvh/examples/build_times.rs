//! Build times and tree quality of all builders and presets on binary PLY files of triangles.
//!
//! `cargo run --release -p raywarp-bvh --example build_times -- sibenik.ply kitchen.ply`
//!
//! `build_times --serve FILE` builds on request instead: each line on its input is
//! `BUILDER [PASSES [INTERSECTION_COST]]`, and a line `SECONDS SAH_COST REFERENCES NODES` answers it.
//! `peers/embree` uses that to alternate.
//!
//! A stopwatch for whoever works on the builders, with the smallest reader that does: little-endian
//! files whose vertices are all floats, `x y z` first, and whose faces are `list uchar int` of three
//! indices, then 4-byte properties.

use raywarp_bvh::{BuildOptions, Builder, build, presets};
use raywarp_geom::FlatTriangles;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path] = &arguments[..]
        && flag == "--serve"
    {
        return serve(path);
    }
    println!(
        "| scene | triangles | builder | splits | seconds | inner nodes | leaves | references | depth | SAH cost |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    for path in arguments {
        let triangles = FlatTriangles::from_vertices(read_ply(&std::fs::read(&path)?)?);
        let builders = [Builder::BinnedSah, Builder::SweepSah, Builder::Lbvh, Builder::Ploc, Builder::Sbvh];
        let mut variants: Vec<(String, BuildOptions)> = Vec::new();
        for builder in builders {
            for split_clipping in [None, Some(0.3)] {
                let options = BuildOptions { builder, split_clipping, ..BuildOptions::default() };
                variants.push((format!("{builder:?}"), options));
            }
        }
        variants.extend(presets::ALL.map(|(name, options)| (name.to_owned(), options)));
        for (name, options) in variants {
            let mut seconds = f64::INFINITY;
            let mut stats = None;
            for _ in 0..3 {
                let start = Instant::now();
                let tree = build(&triangles, &options)?;
                seconds = seconds.min(start.elapsed().as_secs_f64());
                stats.get_or_insert_with(|| tree.validate(&triangles).map(|()| tree.stats()));
            }
            let Some(stats) = stats.transpose()? else { continue };
            println!(
                "| {path} | {} | {name} | {:.0} % | {seconds:.3} | {} | {} | {} | {} | {:.2} |",
                triangles.len(),
                100.0 * options.split_clipping.unwrap_or(0.0),
                stats.inner_nodes,
                stats.leaves,
                stats.references,
                stats.depth,
                stats.sah_cost,
            );
        }
    }
    Ok(())
}

/// Builds what each line of the input asks for, until it ends.
fn serve(path: &str) -> Result<(), Box<dyn Error>> {
    let triangles = FlatTriangles::from_vertices(read_ply(&std::fs::read(path)?)?);
    for line in std::io::stdin().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let builder = match words.next() {
            Some("binned") => Builder::BinnedSah,
            Some("sweep") => Builder::SweepSah,
            Some("sbvh") => Builder::Sbvh,
            Some("lbvh") => Builder::Lbvh,
            Some("ploc") => Builder::Ploc,
            _ => return Err(format!("{line:?} names no builder").into()),
        };
        let reinsertion = words.next().map_or(Ok(0), str::parse)?;
        let intersection_cost = words.next().map_or(Ok(1.0), str::parse)?;
        let options = BuildOptions { builder, reinsertion, intersection_cost, ..BuildOptions::default() };
        let start = Instant::now();
        let tree = build(&triangles, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{seconds} {} {} {}", tree.sah_cost(), tree.references.len(), tree.nodes.len());
    }
    Ok(())
}

fn read_ply(bytes: &[u8]) -> Result<Vec<[[f32; 3]; 3]>, Box<dyn Error>> {
    let end = bytes.windows(11).position(|w| w == b"end_header\n").ok_or("no end_header")?;
    let header = std::str::from_utf8(&bytes[..end])?;
    let (mut counts, mut properties) = ([0usize; 2], [0usize; 2]);
    let mut element = 0;
    for line in header.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some("element"), Some(name), Some(count)) => {
                element = usize::from(name == "face");
                counts[element] = count.parse()?;
            }
            (Some("property"), Some(_), _) => properties[element] += 1,
            _ => {}
        }
    }
    let mut at = end + 11;
    let word = |at: usize| -> Result<[u8; 4], Box<dyn Error>> {
        Ok(bytes.get(at..at + 4).ok_or("the file is too short")?.try_into()?)
    };
    let mut positions = Vec::with_capacity(counts[0]);
    for _ in 0..counts[0] {
        let mut position = [0.0; 3];
        for (i, x) in position.iter_mut().enumerate() {
            *x = f32::from_le_bytes(word(at + 4 * i)?);
        }
        positions.push(position);
        at += 4 * properties[0];
    }
    let mut triangles = Vec::with_capacity(counts[1]);
    for _ in 0..counts[1] {
        let mut triangle = [[0.0; 3]; 3];
        for (i, vertex) in triangle.iter_mut().enumerate() {
            let index = u32::from_le_bytes(word(at + 1 + 4 * i)?);
            *vertex = *positions.get(index as usize).ok_or("an index is too large")?;
        }
        triangles.push(triangle);
        at += 1 + 12 + 4 * (properties[1] - 1);
    }
    Ok(triangles)
}
