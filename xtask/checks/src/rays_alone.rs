//! Crates that a program compiles which takes `raywarp` for rays alone: few, and none that is for files and pictures.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Largest number of crates beside `raywarp` of a build for rays alone on CPUs.
pub const MOST_CRATES: usize = 25;

/// Largest number of them with GPUs.
pub const MOST_CRATES_WITH_GPUS: usize = 35;

/// Crates for files, pictures and reports, which a build for rays alone must not have.
pub const NOT_FOR_RAYS: [&str; 9] =
    ["clap", "exr", "image", "plotters", "png", "raywarp-scene", "raywarp-render", "serde_json", "toml"];

/// Returns the names of the crates that a program compiles which depends on `raywarp` with these features alone, on the
/// machine that runs this.
///
/// # Errors
/// Text of cargo's failure.
pub fn crates_of(root: &Path, features: &str) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.current_dir(root).args(["tree", "--locked", "-p", "raywarp", "--no-default-features", "--features", features]);
    let output = tree.args(["-e", "normal,build", "--prefix", "none", "--format", "{p}"]).output();
    let output = output.map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect())
}

/// Returns a line for each fault of a build for rays alone: more than `most` crates beside `raywarp`, or one that is
/// not for rays.
pub fn faults(crates: &BTreeSet<String>, most: usize) -> Vec<String> {
    let mut faults: Vec<String> = NOT_FOR_RAYS
        .iter()
        .filter(|name| crates.contains(**name))
        .map(|name| format!("rays alone compile the crate {name}, which is not for rays"))
        .collect();
    let others = crates.iter().filter(|name| *name != "raywarp").count();
    if others > most {
        faults.push(format!("rays alone compile {others} crates beside raywarp, and {most} are allowed"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_alone_compile_few_crates_and_none_for_files_or_pictures() {
        for (features, most) in [("", MOST_CRATES), ("cuda", MOST_CRATES_WITH_GPUS)] {
            let crates = crates_of(&crate::root(), features).unwrap();
            assert!(crates.contains("raywarp") && crates.contains("raywarp-bvh"), "{crates:?}");
            assert_eq!(crates.contains("cudarc"), features == "cuda");
            assert_eq!(faults(&crates, most), [""; 0], "features {features:?}");
        }
    }

    #[test]
    fn a_build_for_pictures_is_not_one_for_rays() {
        let faults = faults(&crates_of(&crate::root(), "render").unwrap(), MOST_CRATES);
        assert!(faults.iter().any(|fault| fault.contains("raywarp-scene")), "{faults:?}");
        assert!(faults.iter().any(|fault| fault.contains(&MOST_CRATES.to_string())), "{faults:?}");
    }
}
