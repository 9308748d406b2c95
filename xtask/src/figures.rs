//! `cargo xtask figures`: remakes the golden pictures, compares them, or makes a contact sheet of sample scenes.
//!
//! The work is a test and an example of the crate `raywarp`, so that neither this program nor the checks that it makes
//! have to build a renderer.

use std::ffi::OsString;
use std::process::Command;

const GOLDEN: &[&str] = &["-p", "raywarp", "--test", "golden"];
const SHEET: &[&str] = &["run", "-p", "raywarp", "--example", "sheet"];

pub const USAGE: &str = "cargo xtask figures [--dev] | figures --check [--dev] | figures --sheet OUT.png [OPTION...]";

/// Task that the command line of `cargo xtask figures` asks for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    /// Remake the golden pictures, with which tests compare.
    Remake,
    /// Compare new pictures with the golden ones.
    Check,
    /// Make a contact sheet of sample scenes, with these options of the example.
    Sheet(Vec<String>),
}

fn parse(options: &[String]) -> Result<(Task, bool), String> {
    let mut task = Task::Remake;
    // Pictures are the same in both profiles; which one is built already is another matter.
    let mut dev = false;
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--dev" => dev = true,
            "--check" => task = Task::Check,
            "--sheet" => {
                let rest: Vec<String> = words.by_ref().cloned().collect();
                if rest.first().is_none_or(|out| out.starts_with('-')) {
                    return Err(format!("--sheet needs a picture to write; usage: {USAGE}"));
                }
                task = Task::Sheet(rest);
            }
            _ => return Err(format!("{word}: usage: {USAGE}")),
        }
    }
    Ok((task, dev))
}

/// Runs the task that the options ask for, and returns `true` if all went well.
pub fn run(options: &[String]) -> Result<bool, String> {
    let (task, dev) = parse(options)?;
    let profile: &[&str] = if dev { &[] } else { &["--release"] };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    match &task {
        Task::Remake => {
            command.arg("test").args(profile).args(GOLDEN);
            command.args(["--", "--exact", "--nocapture", "pictures_are_those_that_were_looked_at"]);
            command.env("RAYWARP_GOLDEN", "write");
        }
        Task::Check => {
            command.arg("test").args(profile).args(GOLDEN).args(["--", "--nocapture"]);
            command.env_remove("RAYWARP_GOLDEN");
        }
        Task::Sheet(rest) => {
            command.args(SHEET).args(profile).arg("--").args(rest);
        }
    }
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_say_which_of_three_things_to_do() {
        assert_eq!(parse(&words("")), Ok((Task::Remake, false)));
        assert_eq!(parse(&words("--dev --check")), Ok((Task::Check, true)));
        assert_eq!(parse(&words("--sheet a.png --free")), Ok((Task::Sheet(words("a.png --free")), false)));
        for bad in ["--chekc", "--sheet", "--sheet --free", "a.png"] {
            assert!(parse(&words(bad)).is_err_and(|error| error.contains("usage")), "{bad}");
        }
    }
}
