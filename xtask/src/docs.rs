//! `cargo xtask docs [--check]`: numbers in pages are made by commands (`xtask_checks::docs`), and what was measured on
//! kernels that are no longer today's gets a mark.

use raywarp_bench::corpus::{CodeState, RecordedRun};
use raywarp_cuda::{FAMILY, Query, kernel_name};
use raywarp_family::Variant;
use std::path::Path;
use xtask_checks::docs::Code;

/// Makes the blocks of pages, or checks them; returns `true` if nothing is wrong.
///
/// # Errors
/// Text for wrong usage, and for a program or a page that is not there.
pub fn run(options: &[String]) -> Result<bool, String> {
    let root = xtask_checks::root();
    let codes = |file: &str, variant: &str| code(&root, file, variant);
    xtask_checks::docs::run(&root, options, Some(&codes))
}

/// Returns what is known of a variant's kernels in a file of a recorded run; it may also be a kernel's own name.
fn code(root: &Path, file: &str, variant: &str) -> Result<Code, String> {
    let path = root.join(file);
    let run = RecordedRun::beside(&path)?.ok_or_else(|| format!("{file}: no run.toml beside it"))?;
    let name = file.rsplit('/').next().unwrap_or(file);
    let kernels = match variant.parse::<Variant>() {
        Ok(variant) => [Query::Closest, Query::Any].map(|query| kernel_name(&variant, query)).to_vec(),
        Err(_) => vec![variant.to_string()],
    };
    let sets = [&FAMILY, &raywarp_render_cuda::KERNELS, &raywarp_experiments::KERNELS];
    let is_recorded = |kernel: &&String| {
        run.kernels().any(|code| code.kernel == kernel.as_str() && code.files.iter().any(|own| own == name))
    };
    let states: Vec<CodeState> =
        kernels.iter().filter(is_recorded).map(|kernel| run.state_of(name, kernel, &sets)).collect();
    let any = |wanted: fn(&CodeState) -> bool| states.iter().any(wanted);
    Ok(match states.is_empty() || any(|state| matches!(state, CodeState::Unknown(_))) {
        _ if any(|state| matches!(state, CodeState::Changed { .. } | CodeState::Gone(_))) => Code::Changed,
        true => Code::Unknown,
        false => Code::Today,
    })
}
