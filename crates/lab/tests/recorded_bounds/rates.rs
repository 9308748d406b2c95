//! Rates that were measured: of the recorded runs on H200s, and those that papers print.

use std::path::{Path, PathBuf};

/// A rate of a recorded run on an H200: first viewpoint, workload `raywarp`.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub scene: String,
    /// The kernel's row, or its text.
    pub kernel: String,
    pub kind: String,
    /// Preset of the tree.
    pub tree: String,
    pub mrays: f64,
    pub run: PathBuf,
}

pub fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench")
}

/// Files of a folder and of those in it, by name.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect();
    found.sort();
    found
}

/// Rates that `raywarp bench --record` wrote.
pub fn from_csv(text: &str, run: &Path) -> Vec<Measured> {
    let mut lines = text.lines();
    let Some(header) = lines.next() else { return Vec::new() };
    let columns: Vec<&str> = header.split(',').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name);
    let names =
        ["scene", "variant", "kind", "tree", "mrays_max", "workload", "order", "view", "max_registers", "target"];
    let places: Vec<usize> = names.into_iter().filter_map(place).collect();
    if places.len() < names.len() {
        return Vec::new();
    }
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let of: Vec<&str> = places.iter().filter_map(|&place| fields.get(place).copied()).collect();
        let [scene, kernel, kind, tree, mrays, workload, order, view, registers, target] = of[..] else { return None };
        let ours = (workload, order, view, registers) == ("raywarp", "workload", "1", "") && target.contains("H200");
        let [scene, kernel, kind, tree] = [scene, kernel, kind, tree].map(str::to_string);
        ours.then(|| Some(Measured { scene, kernel, kind, tree, mrays: mrays.parse().ok()?, run: run.into() }))
            .flatten()
    };
    lines.filter_map(read).collect()
}

/// Rates of launches that a profiler counted: replayed, with caches flushed and at no higher clock, so that they are rates like
/// others. The folder of such a tree has its name, with a dash for the slash.
fn from_counters(text: &str, run: &Path) -> Vec<Measured> {
    let is_h200 = run.parent().and_then(Path::file_name).is_some_and(|name| name.to_string_lossy().contains("h200"));
    let Ok(rows) = raywarp_lab::study::counters::read_counters(text) else { return Vec::new() };
    // Launches of other sizes have other bounds: those whose stalls, or instructions one by one, were counted.
    if !is_h200 || rows.iter().any(|row| row.work.is_none()) {
        return Vec::new();
    }
    let trees: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap_or_default()).collect();
    let rate = |(row, tree): (raywarp_lab::study::counters::Counted, &str)| Measured {
        scene: row.scene,
        kernel: row.variant.to_string(),
        kind: row.kind.name().to_string(),
        tree: tree.replace('/', "-"),
        mrays: 1e3 * row.rays as f64 / row.ns,
        run: run.into(),
    };
    rows.into_iter().zip(trees).map(rate).collect()
}

/// Medians of tables that `raywarp bench` printed.
pub fn from_text(text: &str, run: &Path) -> Vec<Measured> {
    let (mut scene, mut tree, mut found) = (None, String::new(), Vec::new());
    for line in text.lines() {
        if let Some((name, rest)) = line.split_once(": ").filter(|(_, rest)| rest.contains("triangles; workload")) {
            let ours = rest.contains("workload raywarp, 1024 x 768, view 1; NVIDIA H200");
            scene = ours.then(|| name.to_string());
        }
        if let Some((name, _)) = line.strip_prefix("tree ").and_then(|rest| rest.split_once(':')) {
            tree = name.to_string();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(scene), [kernel, rest @ ..]) = (&scene, &words[..]) else { continue };
        // A rate and its spread for each kind.
        let rates: Vec<f64> =
            rest.chunks(2).map_while(|pair| pair[0].trim_end_matches('*').parse().ok()).take(3).collect();
        let spreads = rest.iter().skip(1).step_by(2).take(3).all(|spread| spread.ends_with('%'));
        if rates.len() == 3 && spreads {
            for (kind, mrays) in ["primary", "ao", "diffuse"].into_iter().zip(rates) {
                let (kernel, kind, tree) = (kernel.to_string(), kind.to_string(), tree.clone());
                found.push(Measured { scene: scene.clone(), kernel, kind, tree, mrays, run: run.into() });
            }
        }
    }
    found
}

pub fn recorded() -> Vec<Measured> {
    let mut found = Vec::new();
    for path in files(&bench().join("runs")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => {
                found.extend(from_csv(&text, &path));
                found.extend(from_counters(&text, &path));
            }
            Some("txt") => found.extend(from_text(&text, &path)),
            _ => {}
        }
    }
    found
}
