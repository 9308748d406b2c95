//! `cargo xtask tables [--check]`: computes the tables of models of scattering anew,
//! `crates/render/src/bsdf/*_data.rs`, when a lobe has changed. It takes two minutes of processor time, on all cores.

use std::path::Path;

pub const USAGE: &str = "cargo xtask tables [--check]";

/// Writes the tables in documents, or compares them with the present ones; returns `true` if these are up to date.
///
/// # Errors
/// Wrong options, and files that cannot be read or written.
pub fn run(options: &[String]) -> Result<bool, String> {
    let is_check = match options {
        [] => false,
        [option] if option == "--check" => true,
        _ => return Err(format!("usage: {USAGE}")),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/render/src/bsdf");
    let mut is_same = true;
    for (name, text) in raywarp_render::tables() {
        let path = folder.join(name);
        let at = |error| format!("{}: {error}", path.display());
        let old = std::fs::read_to_string(&path).map_err(at)?;
        if old == text {
            println!("{name}: as it is");
            continue;
        }
        is_same = false;
        let lines = old.lines().zip(text.lines()).filter(|(old, new)| old != new).count();
        println!("{name}: {lines} lines are others");
        if !is_check {
            std::fs::write(&path, text).map_err(at)?;
        }
    }
    if !is_check && !is_same {
        println!("Tables follow from others: run it again until all are as they are.");
    }
    Ok(is_same || !is_check)
}
