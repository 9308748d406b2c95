//! Signals: what is done is saved or printed, what has nothing to save ends at once.

use super::process::{Running, ending_signals};
use crate::common_folder::{Folder, TRIANGLE, text};
use std::process::{Command, Stdio};

/// A render that ends only when it is told to.
const ENDLESS: &str = "render --size 64x48 --spp 100000000";

/// Lines of progress come all the time.
const OFTEN: &str = "0.02";

#[test]
fn each_signal_that_ends_jobs_saves_what_is_rendered() {
    let folder = Folder::new();
    let signals = ending_signals();
    for signal in &signals {
        let mut render = Running::new(&mut folder.command_every(OFTEN, &format!("{ENDLESS} -o {signal}.png")));
        render.until(&["rendering: "]);
        render.signal(signal);
        let (status, out, said) = render.end();
        assert_eq!(status, Some(130), "{signal}: {said}");
        assert!(said.lines().any(|line| line.starts_with("raywarp: interrupted; ")), "{said}");
        assert!(out.starts_with("interrupted; ") && out.contains(&format!(" {signal}.png: 64x48")), "{signal}: {out}");
        // How many samples of how many.
        assert!(out.contains(" of 100000000 "), "{signal}: {out}");
    }
    let mut names: Vec<String> = signals.iter().map(|signal| format!("{signal}.png")).collect();
    names.sort();
    assert_eq!(folder.names(), names);
}

#[test]
fn an_interrupted_render_writes_its_picture_and_no_rays() {
    let folder = Folder::new();
    let mut render = Running::new(&mut folder.command_every(OFTEN, &format!("{ENDLESS} -o a.png --export-rays rays")));
    render.until(&["rendering: "]);
    render.signal("TERM");
    let (status, out, said) = render.end();
    assert_eq!(status, Some(130), "{said}");
    assert!(out.starts_with("interrupted; ") && out.contains(" a.png: 64x48") && out.lines().count() == 1, "{out}");
    assert!(said.lines().any(|line| line.starts_with("raywarp: interrupted: ") && line.contains(" rays")), "{said}");
    assert_eq!(folder.names(), ["a.png", "rays"]);
    assert_eq!(std::fs::read_dir(folder.at("rays")).unwrap().count(), 0);
}

#[test]
fn the_second_signal_ends_a_render_that_still_finishes_its_pass() {
    let folder = Folder::new();
    // A share finishes its pass: millions of paths on one thread.
    let line = "render --size 2400x1600 --samples 0..1000 -o a.exr --threads 1";
    let mut render = Running::new(&mut folder.command_every(OFTEN, line));
    render.until(&["rendering: "]);
    render.signal("TERM");
    render.until(&["interrupted; "]);
    render.signal("TERM");
    let (status, out, said) = render.end();
    assert_eq!((status, out.as_str()), (Some(130), ""), "{said}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn under_nohup_a_closed_terminal_ends_nothing() {
    if !std::path::Path::new("/proc/self/status").exists() {
        return raywarp_testing::skip(raywarp_testing::Reason::System, "it does not say which signals are ignored");
    }
    let folder = Folder::new();
    let mut shell = Command::new("sh");
    let line = format!("trap '' HUP; exec {} {ENDLESS} -o a.png", env!("CARGO_BIN_EXE_raywarp"));
    shell.current_dir(&folder).env("RAYWARP_PROGRESS_SECONDS", OFTEN).args(["-c", &line]);
    let mut render = Running::new(&mut shell);
    render.until(&["rendering: "]);
    render.signal("HUP");
    for _ in 0..5 {
        render.until(&["rendering: "]);
    }
    assert!(!render.said.contains("interrupted"), "{}", render.said);
    render.signal("TERM");
    let (status, _, said) = render.end();
    assert!(status == Some(130) && said.contains("interrupted; "), "{said}");
}

#[test]
fn what_has_nothing_to_save_yet_ends_at_once_and_says_what_it_was_doing() {
    let folder = Folder::new();
    folder.file("big.obj", TRIANGLE.repeat(300_000));
    folder.file("a.obj", TRIANGLE);
    let check = |line: &str, during: &str, doing: &str| {
        let mut command = folder.command_every("0.001", line);
        command.stdin(Stdio::piped());
        let mut running = Running::new(&mut command);
        running.until(&[during]);
        running.signal("TERM");
        let (status, out, said) = running.end();
        assert_eq!((status, out.as_str()), (Some(130), ""), "{line}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("raywarp: interrupted ") && last.contains(doing), "{line}: {said}");
    };
    check("render big.obj -o x.png", "loading big.obj: ", "big.obj;");
    check("render big.obj -o x.png", " 300.0 k ", "triangles;");
    check("info big.obj", "loading", "big.obj;");
    check("bench big.obj", "loading", "big.obj;");
    check("simulate big.obj --efficiency", "loading", "big.obj;");
    check("trace a.obj - -o hits.npy", "standard input: ", "standard input;");
    check("selftest --device cpu", "testing: ", "testing;");
    assert_eq!(folder.names(), ["a.obj", "big.obj"]);
}

/// A scene for simulations with more kernels than anybody waits for.
fn with_scene() -> Folder {
    let folder = Folder::new();
    folder.file("s.obj", crate::common_scene::scattered());
    folder
}

/// Whether a line of progress says that some of the steps are done, but not all.
fn some_are_done(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let count = |word: &str| word.parse::<u32>().ok();
    words.windows(3).any(|three| {
        matches!((count(three[0]), three[1], count(three[2])), (Some(done), "of", Some(all)) if done > 0 && done < all)
    })
}

#[test]
fn a_simulation_prints_the_kernels_that_were_finished() {
    let folder = with_scene();
    let all = "--view views.toml:s:1 --size 96x72 --sample 100000000";
    folder.file("views.toml", "[[s]]\neye = [0, 0, 8]\ntarget = [0, 0, 0]\nup = [0, 1, 0]\nvfov = 45\n");
    for line in [format!("simulate s.obj --efficiency {all}"), format!("simulate s.obj --machine h200 {all}")] {
        for json in [false, true] {
            let line = format!("{line}{}", if json { " --json" } else { "" });
            let mut running = Running::new(&mut folder.command_every("0.005", &line));
            running.until_that(some_are_done);
            running.signal(ending_signals().last().unwrap());
            let (status, out, said) = running.end();
            assert_eq!(status, Some(130), "{line}: {said}");
            assert!(said.lines().any(|line| line.starts_with("raywarp: interrupted; ")), "{line}: {said}");
            if json {
                let document: serde_json::Value = serde_json::from_str(&out).unwrap();
                assert_eq!(document["interrupted"], true);
                let rows = document["measurements"].as_array().or(document["rows"].as_array()).unwrap();
                assert!(!rows.is_empty());
            } else {
                assert!(out.starts_with("INTERRUPTED: ") && out.contains("\nal09-"), "{line}: {out}");
            }
        }
    }
}

#[test]
fn an_experiment_has_no_half_results_and_says_so() {
    let folder = with_scene();
    folder.file("views.toml", "[[s]]\neye = [0, 0, 8]\ntarget = [0, 0, 0]\nup = [0, 1, 0]\nvfov = 45\n");
    let line = "simulate s.obj --experiment rates --view views.toml:s:1";
    let mut running = Running::new(&mut folder.command_every("0.005", line));
    running.until(&["experiment: "]);
    running.signal("TERM");
    let (status, out, said) = running.end();
    assert_eq!((status, out.as_str()), (Some(130), ""), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("raywarp: interrupted ") && last.contains(" rates; "), "{last}");
}

#[test]
fn a_bench_prints_and_keeps_what_was_measured() {
    let folder = with_scene();
    let line = "bench s.obj s.obj --size 64x48 --rays-per-pixel 1 --device cpu --runs 1000 --json --csv a.csv \
                --variant cpu,al09-while-while,al09-if-if,al09-packet";
    let mut running = Running::new(&mut folder.command_every("0.005", line));
    running.until_that(some_are_done);
    running.signal("TERM");
    let (status, out, said) = running.end();
    assert_eq!(status, Some(130), "{said}");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["interrupted"], true);
    assert!(!document["scenes"][0]["rows"].as_array().unwrap().is_empty());
    assert!(text(&folder.read("a.csv")).lines().count() > 1);
}

#[test]
fn a_bench_that_is_interrupted_while_it_loads_prints_the_scenes_before() {
    let folder = with_scene();
    folder.file("big.obj", TRIANGLE.repeat(300_000));
    for json in ["", " --json"] {
        let line =
            format!("bench s.obj big.obj --size 32x24 --rays-per-pixel 1 --device cpu --runs 1 --variant cpu{json}");
        let mut running = Running::new(&mut folder.command_every("0.001", &line));
        running.until(&["loading big.obj: "]);
        running.signal("TERM");
        let (status, out, said) = running.end();
        assert_eq!(status, Some(130), "{said}");
        let last = said.lines().last().unwrap();
        assert!(last.starts_with("raywarp: interrupted ") && last.contains(" big.obj; "), "{last}");
        if json.is_empty() {
            assert!(out.contains("\ns: 600 ") && out.contains("\nINTERRUPTED: "), "{out}");
        } else {
            let document: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert_eq!((&document["interrupted"], document["scenes"].as_array().unwrap().len()), (&true.into(), 1));
        }
    }
}
