//! Machine code for Kepler (compute capability 3.5), which today's CUDA no longer makes.
//!
//! Clang makes PTX of the same sources, with xtask/kepler/cuda_fp16.h in the place of NVIDIA's headers; the last
//! assembler that knows these machines, CUDA 11.8's, makes the code; and a decoder of our own
//! ([`raywarp_costs::KeplerWord`]) reads it. Nothing of it was ever run: images are embedded for what the simulator
//! reads of them.

mod lines;
mod machine;
mod places;
mod timed;

use super::set::KernelSet;
use super::source::Sources;
use super::toolkit::{self, Kepler, output, steady};
use super::{Compiled, Job, block_costs, pack, resources};
use pack::Content;
use places::Locations;
use raywarp_costs::{CountSource, IssueFormula, KeplerWord, PricedKernel, Word};
use raywarp_cuda::elf;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Number of Kepler's architecture: 35 for compute capability 3.5.
pub const ARCHITECTURE: u32 = KeplerWord::ARCHITECTURE;

/// Latest PTX version that the assembler for Kepler knows.
const PTX: &str = "+ptx78";

/// Returns the compile jobs of a set that are for Kepler.
pub fn jobs(set: &KernelSet) -> Vec<Job> {
    let sources = set.schedules.as_ref().map_or_else(Vec::new, |schedules| (schedules.kepler)());
    let job = |(source, text)| Job { source, text, architecture: ARCHITECTURE, has_costs: true };
    sources.into_iter().map(job).collect()
}

/// Returns the compilers for Kepler, and installs them if needed.
///
/// # Errors
/// What is missing or of another version.
pub fn tools(root: &Path) -> Result<Kepler, String> {
    toolkit::kepler(root)
}

/// Compiles a source for Kepler and computes the costs of its kernels.
///
/// # Errors
/// What a tool says, and code that cannot be read.
pub fn compile(root: &Path, tools: &Kepler, set: &KernelSet, job: &Job, sources: &Sources) -> Result<Compiled, String> {
    let folder = root.join("target/kernels");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stem = format!("{}.{}", job.source, job.architecture);
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"));
    let read = |name: &str| std::fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let [source, language, numbered, ptx] = ["cu", "ll", "numbered.ll", "ptx"].map(|end| format!("{stem}.{end}"));
    write(&source, &job.text)?;
    let clang = || {
        let mut command = Command::new(&tools.clang);
        command.current_dir(&folder).args(["-O3", "-ffp-contract=off", "-Wno-unknown-cuda-version", "-S"]);
        command.args(["-Xclang", "-target-feature", "-Xclang", PTX]);
        command
    };
    let mut command = clang();
    command.args(["-x", "cuda", "-std=c++20", "--cuda-gpu-arch=sm_35", "--cuda-device-only"]);
    command.args(["-nocudainc", "-nocudalib", "-fdeclspec", "-gline-directives-only", "-emit-llvm"]);
    command.args(["-I", "../../xtask/kepler"]);
    command.args(set.headers.iter().flat_map(|headers| ["-I".to_string(), format!("../../crates/{headers}/kernels")]));
    output(command.args([&source, "-o", &language]))?;
    let (locations, text) = Locations::take(&String::from_utf8_lossy(&read(&language)?));
    write(&numbered, &text)?;
    let mut command = clang();
    command.args(["-x", "ir", "-target", "nvptx64-nvidia-cuda", "-march=sm_35", "-Xclang", "-disable-llvm-passes"]);
    output(command.args([&numbered, "-o", &ptx]))?;
    // Lines would make images ten times as large, even those that were made without being asked for any.
    let plain = format!("{stem}.plain.ptx");
    write(&plain, &without_lines(&String::from_utf8_lossy(&read(&ptx)?)))?;
    let assemble = |ptx: &str, object: &str, more: &[&str]| -> Result<(Vec<u8>, String), String> {
        let mut command = steady(&tools.ptxas);
        command.current_dir(&folder).args(["-arch=sm_35", "-v"]).args(more);
        let report = output(command.args([ptx, "-o", object]))?;
        Ok((read(object)?, String::from_utf8_lossy(&report.stderr).into_owned()))
    };
    let (image, report) = assemble(&plain, &format!("{stem}.cubin"), &[])?;
    let (lined, _) = assemble(&ptx, &format!("{stem}.lines.cubin"), &["-lineinfo"])?;
    let (code, lined_code) = (elf::code(&image)?, elf::code(&lined)?);
    let lines = lines::read(&lined)?;
    let kernel = |&(name, code): &(&str, &[u8]), lines: Option<&BTreeMap<u64, usize>>| {
        let last = |bytes| lines.and_then(|lines| lines.range(bytes).next_back()).map(|(_, &number)| number);
        machine::machine(name, code, |bytes| last(bytes).map_or_else(Vec::new, |number| locations.places(number)))
    };
    let mut kernels = Vec::new();
    for (own, with_lines) in code.iter().zip(&lined_code) {
        let (name, bytes) = own;
        let mut machine = kernel(with_lines, lines.get(*name))?;
        if own != with_lines {
            // Should the assembler choose otherwise then.
            machine = kernel(own, None)?.with_places(&machine);
        }
        let words: Vec<u8> =
            KeplerWord::all(bytes).into_iter().flat_map(|word| Word::from(word).0.to_le_bytes()).collect();
        kernels.push(block_costs::divide(&machine, &words, sources)?);
    }
    Ok(Compiled {
        image: pack::pack(&image, Content::KeplerCode)?,
        resources: resources::parse(&report)?,
        kernels,
        placed: vec![],
    })
}

/// Returns PTX text without source lines and other information for debuggers, which comes after the code.
fn without_lines(ptx: &str) -> String {
    let said = |line: &&str| !["\t.loc\t", "\t.file\t"].iter().any(|start| line.starts_with(start));
    let code = ptx.lines().take_while(|line| !line.trim_start().starts_with(".section"));
    code.filter(said).map(|line| format!("{line}\n")).collect()
}

/// Completes the costs of a kernel that was not measured: a called function is a slow path, and no event tells how
/// often it runs. Elsewhere it would count as issued once an event; here, where nothing of it was ever measured, a
/// bound is to stay one from above.
pub fn settle(kernel: &block_costs::CompiledKernel, costs: &mut PricedKernel) {
    for (cost, block) in costs.blocks.iter_mut().zip(&kernel.blocks) {
        if block.shape.called && cost.source == CountSource::Assumed {
            cost.issued = IssueFormula::default();
        }
    }
}
