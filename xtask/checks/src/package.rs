//! `cargo xtask package`: that each published crate can be packaged, and on demand that each package compiles.

use crate::api::{Package, packages};
use crate::copies;
use std::path::Path;
use std::process::Command;

/// Runs `cargo xtask package [--verify]`: packages all published crates together, without the network. With `--verify`
/// each package is compiled from its own files and those of the others. Returns whether all went well.
///
/// # Errors
/// Text for wrong usage, and where cargo cannot be run.
pub fn run(root: &Path, options: &[String]) -> Result<bool, String> {
    let verifies = match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--verify"] => true,
        _ => return Err("usage: cargo xtask package [--verify]".to_string()),
    };
    let packages = packages(root)?;
    let faults: Vec<String> = [copies::faults(root, &packages), reaches(root, &packages)].concat();
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    if !faults.is_empty() {
        return Ok(false);
    }
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    cargo.current_dir(root).args(["package", "--workspace", "--offline", "--allow-dirty"]);
    for package in packages.iter().filter(|package| !package.is_published()) {
        cargo.args(["--exclude", &package.name]);
    }
    if !verifies {
        cargo.arg("--no-verify");
    }
    let status = cargo.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    Ok(status.success())
}

/// Returns the files outside of its crate's folder that code (other than tests) includes, which a published package
/// lacks.
pub fn reaches(root: &Path, packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in packages.iter().filter(|package| package.is_published()) {
        let folder = package.folder(root);
        for file in crate::files::ending(root, &format!("{folder}/src"), &[".rs"]) {
            if crate::prose::is_test(&file) {
                continue;
            }
            let text = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
            let text = crate::prose::without_tests(&text);
            let depth = file[folder.len() + 1..].matches('/').count();
            for (number, line) in text.lines().enumerate() {
                let included = ["include_str!(\"", "include_bytes!(\""].iter().find_map(|call| line.split_once(call));
                let Some((_, path)) = included else { continue };
                if path.matches("../").count() > depth && !is_under_doctest(text, number) {
                    faults.push(format!("{file}:{}: includes a file from outside of {folder}", number + 1));
                }
            }
        }
    }
    faults
}

/// Returns `true` if the line before this one is an attribute for tests only.
fn is_under_doctest(text: &str, number: usize) -> bool {
    let before = number.checked_sub(1).and_then(|before| text.lines().nth(before)).unwrap_or_default();
    before.contains("#[cfg(") && (before.contains("doctest") || before.contains("cfg(test)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_published_crate_reaches_out_of_its_folder() {
        let root = crate::root();
        let faults = reaches(&root, &packages(&root).unwrap());
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
