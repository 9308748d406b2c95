//! Compiles the CUDA kernels that the crate `raywarp-cuda` embeds.
//!
//! `cargo xtask kernels` writes crates/cuda/prebuilt/; `--check` compiles the same and fails where the result
//! differs from what is there. The compiler comes from pinned wheels of the Python package index, installed once in
//! target/cuda-toolkit, or is the one that RAYWARP_CUDA names (a folder with bin/nvcc of the same version).

use flate2::{Compression, GzBuilder};
use raywarp_cuda::{source_text, sources};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler, to the patch level: another one may compile other instructions.
const WHEELS: &[&str] = &[
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-cuobjdump==13.5.37",
    "nvidia-cuda-nvdisasm==13.5.37",
];

/// Architectures with machine code of their own; the first one also as PTX for what comes after.
const ARCHITECTURES: &[u32] = &[75, 80, 86, 89, 90, 100, 120];

/// Most bytes of all prebuilt files.
const MOST_BYTES: usize = 8 << 20;

/// What is compiled: a source for an architecture, 0 for PTX.
struct Job {
    source: String,
    text: String,
    architecture: u32,
}

impl Job {
    fn file(&self) -> String {
        match self.architecture {
            0 => format!("{}.ptx.gz", self.source),
            architecture => format!("{}.sm_{architecture}.cubin.gz", self.source),
        }
    }
}

/// Runs the command; false when a check failed.
pub fn run(options: &[String]) -> Result<bool, String> {
    let (check, only) = match options {
        [] => (false, None),
        [flag] if flag == "--check" => (true, None),
        // For trials: the embedded kernels are for one architecture only.
        [flag, architecture] if flag == "--only" => (false, Some(architecture.parse().map_err(|_| "--only takes 90")?)),
        _ => return Err("usage: cargo xtask kernels [--check | --only ARCHITECTURE]".to_string()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has no folder")?;
    let nvcc = compiler(root)?;
    let prebuilt = root.join("crates/cuda/prebuilt");
    std::fs::create_dir_all(&prebuilt).map_err(|error| format!("{}: {error}", prebuilt.display()))?;
    let wanted = |architecture: &u32| only.is_none_or(|only: u32| only == *architecture);
    let jobs: Vec<Job> = sources()
        .into_iter()
        .flat_map(|(source, variants)| {
            let text = source_text(&variants);
            std::iter::once(0).chain(ARCHITECTURES.iter().copied()).filter(wanted).map(move |architecture| Job {
                source: source.clone(),
                text: text.clone(),
                architecture,
            })
        })
        .collect();
    let images = compile_all(root, &nvcc, &jobs)?;
    let mut same = true;
    for (job, image) in jobs.iter().zip(&images) {
        let path = prebuilt.join(job.file());
        let old = std::fs::read(&path).unwrap_or_default();
        if check && old != *image {
            same = false;
            eprintln!("{}: differs from what the sources compile to", path.display());
        } else if !check {
            std::fs::write(&path, image).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    let total: usize = images.iter().map(Vec::len).sum();
    {
        let table = table(&jobs);
        let path = prebuilt.join("table.rs");
        if check {
            same &= std::fs::read_to_string(&path).unwrap_or_default() == table;
        } else {
            std::fs::write(&path, table).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        if only.is_none() && total > MOST_BYTES {
            return Err(format!("{total} bytes of prebuilt kernels, at most {MOST_BYTES} are allowed"));
        }
    }
    println!("{} files, {} KiB", images.len(), total >> 10);
    Ok(same)
}

/// Where nvcc is, after installing it if it must be.
fn compiler(root: &Path) -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("RAYWARP_CUDA") {
        return Ok(PathBuf::from(folder).join("bin/nvcc"));
    }
    let venv = root.join("target/cuda-toolkit");
    let find = || -> Option<PathBuf> {
        let libraries = std::fs::read_dir(venv.join("lib")).ok()?;
        libraries.flatten().map(|entry| entry.path().join("site-packages/nvidia/cu13/bin/nvcc")).find(|p| p.exists())
    };
    if let Some(nvcc) = find() {
        return Ok(nvcc);
    }
    let python = Command::new("python3").args(["-m", "venv"]).arg(&venv).status();
    if !python.is_ok_and(|status| status.success()) {
        return Err("cannot make a Python environment for the CUDA compiler: python3 -m venv failed".to_string());
    }
    let pip = Command::new(venv.join("bin/pip")).args(["install", "--quiet", "--no-deps"]).args(WHEELS).status();
    if !pip.is_ok_and(|status| status.success()) {
        return Err("pip cannot install the CUDA compiler's wheels".to_string());
    }
    find().ok_or_else(|| "the wheels hold no nvcc".to_string())
}

/// Compiles on all processors; images are compressed, in the order of `jobs`.
fn compile_all(root: &Path, nvcc: &Path, jobs: &[Job]) -> Result<Vec<Vec<u8>>, String> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(vec![Ok(Vec::new()); jobs.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let result = compile(root, nvcc, job);
                    eprintln!("{}", job.file());
                    if let Ok(mut results) = results.lock() {
                        results[at] = result;
                    }
                }
            });
        }
    });
    results.into_inner().map_err(|_| "a compiler thread panicked".to_string())?.into_iter().collect()
}

fn compile(root: &Path, nvcc: &Path, job: &Job) -> Result<Vec<u8>, String> {
    let folder = root.join("target/kernels");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let source = folder.join(format!("{}.{}.cu", job.source, job.architecture));
    let object = folder.join(job.file()).with_extension("");
    std::fs::write(&source, &job.text).map_err(|error| format!("{}: {error}", source.display()))?;
    let target = match job.architecture {
        0 => vec!["-arch=compute_75".to_string(), "-ptx".to_string()],
        architecture => vec![format!("-arch=sm_{architecture}"), "-cubin".to_string()],
    };
    let output = Command::new(nvcc)
        .args(["-std=c++20", "-fmad=false", "-I"])
        .arg(root.join("crates/cuda/kernels"))
        .args(target)
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|error| format!("{}: {error}", nvcc.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let image = std::fs::read(&object).map_err(|error| format!("{}: {error}", object.display()))?;
    // Without a time or a name, so that equal images give equal bytes.
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    packed.write_all(&image).and_then(|()| packed.finish()).map_err(|error| error.to_string())
}

/// The table that the crate includes.
fn table(jobs: &[Job]) -> String {
    let mut text = String::from(
        "// Written by `cargo xtask kernels`.\n\n/// For each source its images by architecture, 0 for PTX.\n",
    );
    text += "static PREBUILT: &[(&str, &[Image])] = &[\n";
    let mut last = "";
    for job in jobs {
        if job.source != last {
            if !last.is_empty() {
                text += "    ]),\n";
            }
            text += &format!("    (\"{}\", &[\n", job.source);
            last = &job.source;
        }
        text += &format!("        ({}, include_bytes!(\"../prebuilt/{}\")),\n", job.architecture, job.file());
    }
    if !last.is_empty() {
        text += "    ]),\n";
    }
    text + "];\n"
}
