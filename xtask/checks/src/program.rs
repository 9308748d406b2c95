//! The program `raywarp` of this build, which some checks read or run.

use std::path::{Path, PathBuf};

/// Returns the path of the program `raywarp` in the build that this program is part of.
///
/// # Errors
/// If this program has no folder.
pub fn of_this_build() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder =
        this.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).ok_or("this program has no folder")?;
    Ok(folder.join(format!("raywarp{}", std::env::consts::EXE_SUFFIX)))
}

/// Checks that a program exists and is not older than its sources.
///
/// # Errors
/// What is wrong with it.
pub fn check_age(binary: &Path) -> Result<(), String> {
    let wrong = match newer_source(binary) {
        Some(source) => format!("older than {source}"),
        None if binary.is_file() => return Ok(()),
        None => "not there".to_string(),
    };
    Err(format!("{}: {wrong}; `cargo build --release` makes it", binary.display()))
}

/// Returns a source file that was changed after `binary` was made, if there is one. Cargo lists its sources in a file
/// beside it; where there is none, as beside a copy, nothing is known.
fn newer_source(binary: &Path) -> Option<String> {
    let listed = std::fs::read_to_string(binary.with_extension("d")).ok()?;
    let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let made = changed(binary)?;
    let sources = listed.split_once(": ")?.1.replace("\\ ", "\0");
    let mut names = sources.split_whitespace().map(|name| name.replace('\0', " "));
    names.find(|name| changed(Path::new(name)).is_some_and(|time| time > made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_older_than_a_source_is_not_judged() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (binary, source) = (folder.join("program"), folder.join("a source.rs"));
        std::fs::write(&binary, "").unwrap();
        assert_eq!(newer_source(&binary), None);
        std::fs::write(&source, "").unwrap();
        let name = source.to_str().unwrap();
        std::fs::write(folder.join("program.d"), format!("{}: {}\n", binary.display(), name.replace(' ', "\\ ")))
            .unwrap();
        let set = |path: &Path, seconds: u64| {
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        set(&binary, 2000);
        set(&source, 1000);
        assert_eq!(newer_source(&binary), None);
        set(&source, 3000);
        assert_eq!(newer_source(&binary).as_deref(), Some(name));
        assert!(check_age(&binary).unwrap_err().contains(name));
    }
}
