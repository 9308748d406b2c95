//! The CUDA compiler and its tools: pinned, and installed where they are not.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Exact versions of the compiler's Python wheels, as other versions may compile other instructions.
const WHEELS: &[&str] = &[
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-cuobjdump==13.5.37",
    "nvidia-cuda-nvdisasm==13.5.37",
];

/// Programs of the toolkit, each with the version that made what is embedded: nvcc makes the machine code, and nvdisasm
/// says which source lines it is from. Another version of that says otherwise: 13.0 changes the costs of all kernels.
const VERSIONS: [(&str, &str); 2] = [("nvcc", "V13.0.88"), ("nvdisasm", "V13.5.37")];

/// Returns the path of nvcc, after installing it if needed. Says on standard error if RAYWARP_CUDA names a toolkit of
/// other versions.
pub fn compiler(root: &Path) -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("RAYWARP_CUDA") {
        let programs = PathBuf::from(folder).join("bin");
        for (name, version) in VERSIONS {
            let said = output(Command::new(programs.join(name)).arg("--version"))?;
            if let Some(warning) = other_version(name, version, &String::from_utf8_lossy(&said.stdout)) {
                eprintln!("{}: {warning}", programs.display());
            }
        }
        return Ok(programs.join("nvcc"));
    }
    installed(&root.join("target/cuda-toolkit"), WHEELS, "nvidia/cu13/bin/nvcc")
}

/// Returns a line if what a program `said` of its version is not `version`.
fn other_version(name: &str, version: &str, said: &str) -> Option<String> {
    let own = said.split_whitespace().find(|word| word.starts_with('V') && word.contains('.')).unwrap_or("unknown");
    (own != version).then(|| format!("{name} is {own}; {version} made what is embedded, and costs may differ"))
}

/// Versions of the Python wheels of the last assembler for Kepler.
const KEPLER_WHEELS: &[&str] = &["nvidia-cuda-nvcc-cu11==11.8.89"];

/// Version of the Clang front end for Kepler, as it names itself; another version may make other PTX.
const KEPLER_CLANG: &str = "clang version 19.1.7";

/// The tools that compile for Kepler: Clang and the assembler.
pub struct Kepler {
    /// Path of the Clang program.
    pub clang: PathBuf,
    /// Path of CUDA 11.8's assembler.
    pub ptxas: PathBuf,
}

/// Returns the tools for Kepler: `clang-19`, or the program that RAYWARP_CLANG names, and the assembler, which is
/// installed if needed.
///
/// # Errors
/// What is missing or of another version.
pub fn kepler(root: &Path) -> Result<Kepler, String> {
    let clang = std::env::var_os("RAYWARP_CLANG").map_or_else(|| PathBuf::from("clang-19"), PathBuf::from);
    let said = output(Command::new(&clang).arg("--version"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    if !said.contains(KEPLER_CLANG) {
        let first = said.lines().next().unwrap_or_default();
        return Err(format!("{}: {first:?}; code for Kepler is made by {KEPLER_CLANG}", clang.display()));
    }
    let ptxas = installed(&root.join("target/kepler-toolkit"), KEPLER_WHEELS, "nvidia/cuda_nvcc/bin/ptxas")?;
    Ok(Kepler { clang, ptxas })
}

/// Returns the path of a program from wheels in a Python environment, which is created if needed.
fn installed(venv: &Path, wheels: &[&str], program: &str) -> Result<PathBuf, String> {
    let find = || -> Option<PathBuf> {
        let libraries = std::fs::read_dir(venv.join("lib")).ok()?;
        libraries.flatten().map(|entry| entry.path().join("site-packages").join(program)).find(|p| p.exists())
    };
    if let Some(program) = find() {
        return Ok(program);
    }
    let python = Command::new("python3").args(["-m", "venv"]).arg(venv).status();
    if !python.is_ok_and(|status| status.success()) {
        return Err("cannot make a Python environment for the CUDA compiler: python3 -m venv failed".to_string());
    }
    let pip = Command::new(venv.join("bin/pip")).args(["install", "--quiet", "--no-deps"]).args(wheels).status();
    if !pip.is_ok_and(|status| status.success()) {
        return Err("pip cannot install the CUDA compiler's wheels".to_string());
    }
    find().ok_or_else(|| format!("the wheels hold no {program}"))
}

/// Runs a command that must succeed, and returns its output.
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

/// Returns a command of `program` without address space randomisation, where the system can do that: otherwise the
/// assembler may make different code from run to run (13.0, one kernel for compute capability 10.0).
pub fn steady(program: &Path) -> Command {
    let can = Command::new("setarch").args(["-R", "true"]).output().is_ok_and(|tried| tried.status.success());
    let mut command = Command::new(if can { Path::new("setarch") } else { program });
    if can {
        command.arg("-R").arg(program);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_named() {
        let said = "nvdisasm: NVIDIA (R) CUDA disassembler\nCuda compilation tools, release 13.0, V13.0.85\nBuild x\n";
        assert_eq!(other_version("nvdisasm", "V13.0.85", said), None);
        let warning = other_version("nvdisasm", "V13.5.37", said).unwrap();
        assert!(warning.contains("V13.0.85") && warning.contains("V13.5.37"), "{warning}");
        assert!(other_version("nvcc", "V13.0.88", "").unwrap().contains("unknown"));
    }

    #[test]
    fn versions_are_those_of_the_wheels() {
        for (name, version) in VERSIONS {
            let wheel = format!("nvidia-cuda-{name}=={}", version.trim_start_matches('V'));
            assert!(WHEELS.contains(&wheel.as_str()), "{wheel}");
        }
    }
}
