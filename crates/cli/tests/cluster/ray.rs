//! `ray_render.py` on four local workers, one of which is killed while it renders its share.

use super::{Cluster, PICTURE, SAMPLES, SHARES, example};
use crate::common_folder::text;
use raywarp_testing::{Reason, python_has, skip};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A process, by what /proc says of it.
#[derive(Debug)]
struct Process {
    id: u32,
    parent: u32,
    /// Its words with spaces between.
    command: String,
}

/// A process that lives; none for one that has ended, waited for or not.
fn process(id: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in front may hold anything, also parentheses and spaces.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    if fields.next()? == "Z" {
        return None;
    }
    let command = text(&std::fs::read(format!("/proc/{id}/cmdline")).ok()?).replace('\0', " ");
    Some(Process { id, parent: fields.next()?.parse().ok()?, command })
}

/// Whether `process` comes of `ancestor`.
fn descends(process: &Process, ancestor: u32) -> bool {
    let mut parent = process.parent;
    while parent > 1 && parent != ancestor {
        parent = self::process(parent).map_or(0, |process| process.parent);
    }
    parent == ancestor
}

/// Waits for a process that comes of `driver` and has `word` in its command, and is the renderer itself.
#[track_caller]
fn wait_for(driver: &mut Child, word: &str) -> Process {
    while driver.try_wait().unwrap().is_none() {
        let ids =
            std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let found = ids.filter_map(process).find(|process| {
            process.command.starts_with(env!("CARGO_BIN_EXE_raywarp"))
                && process.command.contains(word)
                && descends(process, driver.id())
        });
        if let Some(process) = found {
            return process;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("ended without {word}");
}

fn signal(name: &str, process: &Process) {
    Command::new("kill").args([name, &process.id.to_string()]).output().unwrap();
}

#[test]
fn a_ray_worker_that_is_killed_and_a_share_that_fails_cost_nothing_but_time() {
    if !python_has("ray") {
        return;
    }
    if !Path::new("/proc/self/stat").exists() {
        return skip(Reason::System, "it has no /proc");
    }
    // The first try of one share would render for days, and writes what it has when it is told to end.
    let cluster = Cluster::new(
        "case $* in\n\
         *2..4*) once killed && exec \"$real\" $(echo \"$*\" | sed s/2..4/2..100000000/) ;;\n\
         *4..6*) once fails && { echo 'no memory' >&2; exit 4; } ;;\nesac",
    );
    // Not in the folder: paths of its sockets must be short.
    let sessions = tempfile::tempdir_in("/tmp").unwrap();
    let mut command = cluster.command("python3");
    command.arg(example("ray_render.py")).args(["-o", "picture.exr", "--raywarp"]).arg(cluster.folder.at("program"));
    command.args(["--samples", &SAMPLES.to_string(), "--shares", &SHARES.to_string()]).args(PICTURE);
    command.env("RAY_OVERRIDE_RESOURCES", r#"{"CPU": 4}"#).env("RAY_TMPDIR", sessions.path());
    // Or Ray makes one in the home folder of whoever runs the test.
    let token = sessions.path().join("token");
    std::fs::write(&token, "0123456789abcdef".repeat(4)).unwrap();
    command.env("RAY_AUTH_TOKEN_PATH", token);
    command.env("RAY_USAGE_STATS_ENABLED", "0").env_remove("RAYWARP").env_remove("RAY_ADDRESS");
    let mut driver = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();

    let renderer = wait_for(&mut driver, "2..100000000");
    let shell = process(renderer.parent).unwrap();
    let worker = process(shell.parent).unwrap();
    assert!(shell.command.starts_with("sh -c ") && worker.command.starts_with("ray::run"), "{shell:?}, {worker:?}");
    signal("-KILL", &worker);
    // Its renderer may outlive it. Told to end, it writes fewer samples than its share has; nothing may come of them.
    while process(renderer.id).is_some_and(|now| now.command == renderer.command) {
        signal("-TERM", &renderer);
        sleep(Duration::from_millis(50));
    }

    let output = driver.wait_with_output().unwrap();
    let [out, said] = [&output.stdout, &output.stderr].map(|bytes| text(bytes));
    assert!(output.status.success(), "{said}");
    // Before it stands what Ray itself says of a lost worker.
    assert!(out.lines().last().is_some_and(|line| line.starts_with("wrote picture.exr: 24x18, 8 ")), "{out}");
    assert!(said.lines().any(|line| line.starts_with("ray_render.py: share 2 ")), "{said}");
    cluster.check_merged("picture.exr.shares", "picture.exr");
    assert_eq!(["0..2", "2..4", "4..6", "6..8"].map(|range| cluster.renders_of(range)), [1, 2, 2, 1]);
}

#[test]
fn a_machine_without_ray_is_told_so_in_a_line() {
    let cluster = Cluster::new("");
    // -S and -I leave out all that was installed.
    let python = cluster.command("python3").args(["-I", "-S", "-B"]).arg(example("ray_render.py")).output();
    let Ok(output) = python else { return skip(Reason::Python, "python3 does not run here") };
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).starts_with("ray_render.py: Ray "), "{}", text(&output.stderr));
}
