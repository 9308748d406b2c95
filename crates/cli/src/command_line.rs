//! The command line as files tell it: without folders, so that the same command gives the same bytes wherever it runs.

use raywarp_lab::family::Variant;
use std::path::Path;

/// Returns this process's command line without folders of paths; what is not UTF-8 becomes replacement characters.
pub fn command_line() -> String {
    of(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))
}

fn of(args: impl Iterator<Item = String>) -> String {
    let mut kept = Vec::new();
    let mut before = String::new();
    for arg in args {
        let is_count = before == "--threads";
        // The name of a camera is no path, whatever is in it.
        let is_name = before == "--camera";
        if !is_count && !is_about_the_run(&arg) {
            kept.push(quoted(&if is_name { arg.clone() } else { without_folders(&arg) }));
        }
        before = arg;
    }
    kept.join(" ")
}

/// Returns `true` if an argument affects only what is printed or the number of threads, but no output file.
fn is_about_the_run(arg: &str) -> bool {
    let short = arg.strip_prefix('-').is_some_and(|flags| !flags.is_empty() && flags.chars().all(|c| "qv".contains(c)));
    short || ["--json", "--quiet", "--verbose", "--threads"].contains(&arg) || arg.starts_with("--threads=")
}

/// Returns an argument, or the value in `--option=VALUE`, with each path shortened to its last part.
fn without_folders(arg: &str) -> String {
    match arg.split_once('=') {
        Some(("--camera", _)) => arg.to_string(),
        Some((option, value)) if option.starts_with("--") => format!("{option}={}", value_without_folders(value)),
        // As in -o/tmp/a.png.
        _ => match arg.char_indices().nth(2) {
            Some((end, _)) if arg.starts_with('-') && !arg.starts_with("--") && arg.contains(is_separator) => {
                format!("{}{}", &arg[..end], value_without_folders(&arg[end..]))
            }
            _ => value_without_folders(arg),
        },
    }
}

fn value_without_folders(value: &str) -> String {
    // A folder's name may hold a comma: only what is no path is a list.
    let folder = value.trim_end_matches(is_separator).rfind(is_separator).map(|end| &value[..end]);
    if folder.is_some_and(|folder| Path::new(folder).is_dir()) {
        return last_part(value).to_string();
    }
    // "views.toml:room:1" keeps what follows the path. Kernels have slashes that are none of paths.
    let is_kernel = |word: &str| word.parse::<Variant>().is_ok();
    let words = value.split(',').map(|word| if is_kernel(word) { word } else { last_part(word) });
    words.collect::<Vec<_>>().join(",")
}

fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches(is_separator);
    path.rsplit(is_separator).next().unwrap_or(path)
}

fn is_separator(c: char) -> bool {
    c == '/' || cfg!(windows) && c == '\\'
}

/// Quotes an argument for a shell.
fn quoted(arg: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !"'\"\\$`|&;<>()*?[]{}~#!".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) {
        arg.to_string()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &[&str], want: &str) {
        assert_eq!(of(args.iter().map(ToString::to_string)), want);
    }

    #[test]
    fn paths_lose_their_folders_and_nothing_else_does() {
        check(
            &["/usr/bin/raywarp", "render", "../a/room.ply", "-o", "/tmp/x/a.png"],
            "raywarp render room.ply -o a.png",
        );
        check(
            &["raywarp", "--light=/skies/sky.hdr", "--scenes", "/a/scenes/"],
            "raywarp --light=sky.hdr --scenes scenes",
        );
        check(
            &["--view", "/scenes/views.toml:room:2", "--view=../v.toml:a:1"],
            "--view views.toml:room:2 --view=v.toml:a:1",
        );
        check(&["--machine", "h200,../m/mine.toml"], "--machine h200,mine.toml");
        check(
            &["--eye", "0,1.5,-3", "--samples", "0..4", "--set", "l2.bytes=2x"],
            "--eye 0,1.5,-3 --samples 0..4 --set l2.bytes=2x",
        );
        let kernel = "persistent/speculative-while-while/bvh2?postpone=2";
        assert!(kernel.parse::<Variant>().is_ok());
        check(&["--variant", kernel], &format!("--variant '{kernel}'"));
        check(&[&format!("--variant=al09-if-if,{kernel}")], &format!("'--variant=al09-if-if,{kernel}'"));
    }

    #[test]
    fn what_changes_no_file_is_left_out_and_names_are_left_alone() {
        check(
            &["raywarp", "--json", "render", "-qv", "--threads", "2", "--threads=3", "-v", "-o/tmp/x/a.png"],
            "raywarp render -oa.png",
        );
        check(
            &["raywarp", "--camera", "rig/left", "--camera=rig/right"],
            "raywarp --camera rig/left --camera=rig/right",
        );
    }

    #[test]
    fn a_folder_with_a_comma_leaves_nothing_of_it() {
        let folder = raywarp_testing::Folder::with_prefix("a,b");
        check(&[&format!("{}/room.ply", folder.path().display())], "room.ply");
    }

    #[test]
    fn what_a_shell_would_split_is_quoted() {
        check(&["raywarp", "my scene.obj", "it's", ""], "raywarp 'my scene.obj' 'it'\\''s' ''");
    }
}
