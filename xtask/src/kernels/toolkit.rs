//! The CUDA compiler and its tools: pinned, and installed where they are not.

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

/// Where nvcc is, after installing it if it must be.
pub fn compiler(root: &Path) -> Result<PathBuf, String> {
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

/// What a command prints.
///
/// # Errors
/// A command that is not there or fails, with what it says.
pub fn output(command: &mut Command) -> Result<std::process::Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// A command of `program` whose addresses are the same each time, where the system can: the assembler makes now one code
/// and now another of a kernel when they are not (13.0, one kernel for compute capability 10.0).
pub fn steady(program: &Path) -> Command {
    let can = Command::new("setarch").args(["-R", "true"]).output().is_ok_and(|tried| tried.status.success());
    let mut command = Command::new(if can { Path::new("setarch") } else { program });
    if can {
        command.arg("-R").arg(program);
    }
    command
}
