//! Checks of the project that read its files and compile none of it, so that they take seconds.
//!
//! They are the public interface of `raywarp` ([`api`]), paths that examples and pages show ([`paths`]), links of the
//! documents ([`links`]), rules of prose that can be counted ([`prose`]), circles between files ([`circles`]), items
//! that the documentation hides ([`hidden`]), copies of files that crates need ([`copies`]), packages ([`package`]),
//! crates of a build for rays alone ([`rays_alone`]), recorded runs ([`recorded`]), names of public types
//! ([`type_names`]) and numbers in pages ([`docs`]), which the [`program`] makes. Counts have ceilings ([`ceilings`]),
//! beside which [`summary`] prints them.
#![forbid(unsafe_code)]

pub mod api;
pub mod ceilings;
pub mod circles;
pub mod copies;
pub mod docs;
mod files;
pub mod hidden;
pub mod links;
pub mod package;
pub mod paths;
pub mod program;
pub mod prose;
pub mod rays_alone;
pub mod recorded;
pub mod summary;
pub mod type_names;

use std::path::{Path, PathBuf};

/// Text of the commands of this crate, for messages about wrong usage.
pub const USAGE: &str = "api [--check | --counts] | counts | circles | links | paths | prose [--list [CRATE]] |
    copies | package [--verify] | docs [--check [--all]] [--program FILE] [PAGE[:LINE]]... |
    docs --accept [PAGE]... [--typed NUMBER]...";

/// Returns the path of the workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs one of the commands of [`USAGE`], and returns `true` if all is as it should be; `None` for another command.
///
/// # Errors
/// Text for wrong usage and for files that cannot be read or written.
pub fn run(command: &str, options: &[String]) -> Option<Result<bool, String>> {
    let root = root();
    Some(match (command, options) {
        ("api", options) => api::run(&root, options),
        ("links", []) => Ok(print(&links::faults(&root))),
        ("paths", []) => Ok(print(&paths::faults(&root))),
        ("counts", []) => summary::print(&root).map(|faults| {
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            faults.is_empty()
        }),
        ("circles", []) => summary::print_circles(&root).map(|()| true),
        ("copies", []) => {
            let copied = api::packages(&root).and_then(|packages| copies::write(&root, &packages));
            copied.and_then(|()| recorded::add(&root)).map(|()| true)
        }
        ("package", options) => package::run(&root, options),
        ("docs", options) => docs::run(&root, options, None),
        ("prose", options) => prose::run(&root, options),
        _ => return None,
    })
}

/// Prints faults, a line each, and returns `true` if there are none.
fn print(faults: &[String]) -> bool {
    faults.iter().for_each(|fault| println!("{fault}"));
    faults.is_empty()
}
