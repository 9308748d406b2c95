//! `raywarp --version`: what a report of a bug should begin with.

use raywarp::cpu::Isa;
use raywarp::cuda::Device;
use serde_json::{Value, json};

/// Name and version in short, such as `raywarp 0.1.0`.
pub const SHORT: &str = concat!("raywarp ", env!("CARGO_PKG_VERSION"));

/// Git commit that the program was built from; `None` if built from an archive.
pub const COMMIT: Option<&str> = option_env!("RAYWARP_COMMIT");

/// Equipment found on this machine: instruction sets, GPUs and so on.
struct Found {
    cpu: String,
    gpu: Option<String>,
}

impl Found {
    fn new() -> Self {
        let all: Vec<&str> = Isa::all().into_iter().map(Isa::name).collect();
        // A report of a bug begins with this, so that a wrong variable is said and is no failure.
        let cpu = match Isa::from_environment() {
            Ok(isa) => format!("{isa} is used (of {})", all.join(", ")),
            Err(error) => error.to_string(),
        };
        let gpu = Device::open(0).map(|device| {
            let (major, minor) = device.capability();
            let driver = device.driver_version().unwrap_or_else(|_| "unknown".to_string());
            format!("{}, compute capability {major}.{minor}, driver {driver}", device.name())
        });
        Self { cpu, gpu: gpu.ok() }
    }
}

/// Returns the output of `--version`.
pub fn text() -> String {
    let found = Found::new();
    let commit = COMMIT.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
    let gpu = found.gpu.unwrap_or_else(|| "no NVIDIA GPU".to_string());
    format!("{SHORT}{commit}\ncpu  {}\ngpu  {gpu}\n", found.cpu)
}

/// Returns the output of `--version --json`.
pub fn json() -> Value {
    let found = Found::new();
    json!({ "version": env!("CARGO_PKG_VERSION"), "commit": COMMIT, "cpu": found.cpu, "gpu": found.gpu })
}
