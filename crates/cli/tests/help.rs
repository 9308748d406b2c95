//! The text of `--help` and `-h` of the program and of each of its commands, as files in `tests/help`.
//!
//! `RAYWARP_REWRITE_HELP=1 cargo test -p raywarp-cli --test command help` writes them anew; the commit says what changed and why.

use std::path::Path;
use std::process::Command;

/// What `raywarp ARGUMENTS` prints to a pipe, whatever the environment says.
fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("RAYWARP_") || name == "COLUMNS" {
            command.env_remove(name);
        }
    }
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names under `Commands:`.
fn commands(help: &str) -> Vec<&str> {
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list of commands");
    list.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn help_is_the_text_that_is_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    let rewrites = std::env::var_os("RAYWARP_REWRITE_HELP").is_some();
    let all = printed(&["-h"]);
    let mut texts = vec![("raywarp".to_string(), printed(&["--help"]))];
    for command in commands(&all) {
        texts.push((command.to_string(), printed(&[command, "--help"])));
        texts.push((format!("{command}-short"), printed(&[command, "-h"])));
    }
    texts.push(("raywarp-short".to_string(), all));
    let mut kept: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".txt").to_string())
        .collect();
    let mut changed = Vec::new();
    for (name, text) in texts {
        let file = folder.join(format!("{name}.txt"));
        if rewrites {
            std::fs::write(&file, &text).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != text {
            changed.push(format!("{}:\n{text}", file.display()));
        }
        kept.retain(|kept| *kept != name);
    }
    let say = "RAYWARP_REWRITE_HELP=1 cargo test -p raywarp-cli --test command help";
    assert!(changed.is_empty(), "{say} would change\n{}", changed.join("\n"));
    assert!(kept.is_empty(), "no command has these texts: {kept:?}");
}
