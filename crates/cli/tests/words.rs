//! What the command says: wrong usage in one line that helps, failures as JSON, names that no terminal acts on, pages for
//! man and completions for shells.

use crate::common_folder::{Folder, TRIANGLE, text};
use crate::common_rays::npy;
use serde_json::Value;
use std::process::{Command, Output};

/// Runs the command with arguments that may hold spaces.
fn run_words(folder: &Folder, words: &[&str]) -> Output {
    folder.command("").args(words).output().unwrap()
}

#[test]
fn a_slip_of_the_command_line_is_explained_in_one_line() {
    let folder = Folder::with_files([("a.obj", TRIANGLE)]);
    // Names in the line; which mistake is found, with all that is said of it, is tested by value.
    for (line, names) in [
        ("render --sp 16", &["render ", " --sp;", " --spp?"][..]),
        ("render --x", &["render ", " --x;", " raywarp render -h"]),
        ("render --width 8", &["render ", " --width;", " --size 1024x768 "]),
        ("info --device cuda", &["info ", " --device;", " render, trace, bench, paper, variants and selftest "]),
        ("--spp 3 render", &["raywarp: --spp ", " raywarp render --spp"]),
        ("--threads 2 merge a.exr -o b.png", &["raywarp: --threads: "]),
        ("render a.obj b.obj", &["raywarp: render: 'b.obj' ", "; raywarp render [OPTIONS] [SCENE]"]),
        ("merge", &["raywarp: merge ", "--output FILE and SHARE...; raywarp merge "]),
        ("bench a.obj --machine h200", &["raywarp: bench: --machine ", " --simulate "]),
        ("render --integrator", &["--integrator INTEGRATOR (path, ao, normal, depth or cost)"]),
        ("rendr a.obj", &[" 'rendr'; ", " render?"]),
        ("a.obj", &[" 'a.obj'; ", ": raywarp render a.obj"]),
        ("-q", &["; there are render, info, trace"]),
        ("render --spp -1", &["raywarp: --spp -1: "]),
        ("render --spp 3 --samples 0..2", &["raywarp: --spp and --samples "]),
        ("render --spp 1 --spp 2", &["raywarp: --spp "]),
        ("render --quiet=3", &["raywarp: --quiet ", " '3' "]),
        ("render --integrator pth", &["--integrator pth: ", " path, ao, normal, depth and cost; ", " path?"]),
        ("man rendr", &[" 'rendr'; ", " render, info"]),
    ] {
        folder.refuses(line, 2, names);
        let said = text(&folder.run(line).stderr);
        assert!(!said.contains("tip:") && !said.contains("-- -"), "{line}: {said}");
    }
}

#[test]
fn flags_about_messages_and_threads_work_before_the_command_too() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    for line in ["--json info a.obj", "info a.obj --json", "--threads 2 --json info a.obj --threads 1"] {
        let document: Value = serde_json::from_slice(&folder.run(line).stdout).unwrap();
        assert_eq!(document["nodes"], 1, "{line}");
    }
    assert_eq!(folder.run("--threads 99999 info a.obj").status.code(), Some(2));
}

#[test]
fn a_failure_with_json_is_one_document() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("taken.png")).unwrap();
    for (line, status, kind, name) in [
        ("render --json --spp q", 2, "usage", "--spp q"),
        ("--json", 2, "usage", "command"),
        ("--json info none.obj", 3, "input", "none.obj"),
        ("render --json -o taken.png", 5, "output", "taken.png"),
        ("render --json --device cuda:99", 4, "machine", "--device cuda:99"),
        ("trace none.obj none.npy -o - --json", 2, "usage", "--json"),
        ("simulate x --json", 2, "usage", "simulate"),
    ] {
        let output = folder.run(line);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{line}: {e}"));
        let error = &document["error"];
        assert_eq!(output.status.code(), Some(status), "{line}: {error}");
        assert_eq!((error["status"].as_i64(), error["kind"].as_str()), (Some(i64::from(status)), Some(kind)), "{line}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(name), "{line}: {message}");
        // The line on standard error stays.
        assert_eq!(text(&output.stderr), format!("raywarp: {message}\n"), "{line}");
    }
    // Not an option, but a file of that name.
    assert!(folder.run("info -- --json").stdout.is_empty());
    assert!(folder.run("info none.obj").stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let acts = |bytes: &[u8]| bytes.iter().any(|&byte| byte < 0x20 && byte != b'\n' || byte == 0x7f);
    let scene = "a\u{1b}[31m\u{7}\r.obj";
    folder.file(scene, TRIANGLE);
    // Names in files: a texture that is missing.
    folder.file(
        "named.gltf",
        r#"{"asset":{"version":"2.0"},"materials":[{"name":"\u001b]0;owned\u0007","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
            "textures":[{"source":0}],"images":[{"uri":"\u001b[2Jgone.png","name":"\u001b[31m"}],"scenes":[{"nodes":[]}]}"#,
    );
    for words in [
        &["render", scene, "--size", "8x8", "--spp", "1", "-o", "b\u{1b}[2J.png"][..],
        &["render", scene, "--size", "8x8", "--spp", "1", "-o", "none\u{1b}/b.png"],
        &["info", scene],
        &["info", "none\u{1b}[2J.obj"],
        &["info", "none\u{9b}31m.obj"],
        &["info", "named.gltf"],
        &["info", "named.gltf", "--allow-missing"],
        &["render", "--tone", "\u{1b}[31m"],
        &["\u{1b}[31m"],
        &["render", "--\u{1b}[31m"],
        &["render", scene, "--json", "--size", "8x8", "--spp", "1", "-o", "c\u{1b}.png"],
    ] {
        let output = run_words(&folder, words);
        let said = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(!acts(&said) && !text(&said).contains('\u{9b}'), "{words:?}: {said:?}");
        assert!(!said.is_empty(), "{words:?}");
    }
    let shown = text(&run_words(&folder, &["info", "none\u{1b}[2J.obj"]).stderr);
    assert!(shown.contains("none\\u{1b}[2J.obj"), "{shown}");
    // JSON keeps the name: escaped as JSON escapes.
    let output = run_words(&folder, &["render", scene, "--json", "--size", "8x8", "--spp", "1", "-o", "c\u{1b}.png"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["output"], "c\u{1b}.png");
    assert!(folder.at("c\u{1b}.png").exists());
}

#[test]
fn hits_through_a_pipe_keep_their_bytes() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let ray = |x: f32| [x, 0.25, 1.0, 0.0, 0.0, 0.0, -1.0, f32::INFINITY];
    folder.file("r.npy", npy(&[0.25, 5.0].map(ray)));
    assert!(folder.run("trace a.obj r.npy -o h.npy").status.success());
    let piped = folder.run("trace a.obj r.npy -o -");
    assert_eq!(piped.stdout, folder.read("h.npy"));
    assert!(String::from_utf8(piped.stdout).is_err(), "a test of bytes that are no text");
}

#[test]
fn the_version_says_what_this_machine_has() {
    let folder = Folder::new();
    assert_eq!(text(&folder.run("-V").stdout), format!("raywarp {}\n", env!("CARGO_PKG_VERSION")));
    let long = text(&folder.run("--version").stdout);
    let lines: Vec<&str> = long.lines().collect();
    assert!(lines[0].starts_with(&format!("raywarp {}", env!("CARGO_PKG_VERSION"))), "{long}");
    assert!(lines[1].starts_with("cpu  ") && lines[1].contains("portable"), "{long}");
    assert!(lines[2].starts_with("gpu  ") && lines.len() == 3, "{long}");
    let document = folder.json("--version");
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    assert!(document["cpu"].is_string());
}

#[test]
fn without_a_command_help_is_wrong_usage() {
    let nothing = Folder::new().run("");
    assert!(nothing.status.code() == Some(2) && text(&nothing.stderr).contains("Commands:"));
}

#[test]
fn every_shell_gets_completions_of_every_option() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.run(&format!("completions {shell}"));
        let script = text(&output.stdout);
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}");
        for word in ["render", "simulate", "lens-radius", "what-if", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let document = folder.json("completions bash");
    assert!(document["script"].as_str().unwrap().contains("complete "));
}

/// What bash offers for the last of `words`; `None` where there is no bash.
fn completed(folder: &Folder, words: &[&str]) -> Option<Vec<String>> {
    // What bash does when somebody presses the key: the words, the number of the last, and the one before it.
    const ASK: &str = "source raywarp.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
        _raywarp raywarp \"${@: -1}\" \"${@: -2:1}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.current_dir(folder).args(["--norc", "-c", ASK, "bash", "raywarp"]).args(words);
    let output = bash.output().ok()?;
    let mut offered: Vec<String> = text(&output.stdout).lines().map(String::from).collect();
    offered.sort();
    Some(offered)
}

#[test]
fn bash_offers_the_names_that_an_option_knows_and_files_where_it_takes_them() {
    let folder = Folder::new();
    folder.file("raywarp.bash", folder.run("completions bash").stdout);
    folder.file("sunset.hdr", "");
    if completed(&folder, &["render", "--tone", ""]).is_none() {
        return raywarp_testing::skip(raywarp_testing::Reason::System, "it has no bash");
    }
    for (line, want) in [
        ("render --tone ", "aces agx neutral reinhard srgb"),
        ("merge --tone a", "aces agx"),
        ("render --device ", "auto cpu cuda cuda:all"),
        ("render --filter ", "box gaussian mitchell triangle"),
        ("render --exposure ", "auto"),
        ("render --layers ", "albedo all depth normal samples sums variance"),
        ("convert --layer d", "depth"),
        ("info --format p", "pbrt ply"),
        ("trace --with ", "normal position"),
        ("bench --kind ", "ao diffuse primary"),
        ("simulate --workload ", "al09 alk12 g14 raywarp"),
        ("simulate --experiment ", "compaction distribution queue rates replacement speculation width"),
        ("simulate --variant w11", ""),
        ("render --light s", "sky studio sunset.hdr"),
        ("simulate --machine h", "h100 h200"),
        ("bench --machine s", "sunset.hdr"),
    ] {
        let offered = completed(&folder, &line.split(' ').collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(offered.join(" "), want, "{line}");
    }
    // Names stand in the texts of the help; clap's list would say them again.
    let help = text(&folder.run("render --help").stdout) + &text(&folder.run("simulate --help").stdout);
    for name in ["srgb, ", "box, ", "cpu, ", "white, ", "gltf, ", "rates, "] {
        assert!(!help.contains(&format!("[possible values: {name}")), "{name}");
    }
    assert_eq!(help.matches("reinhard").count(), 1, "{help}");
}

#[test]
fn manual_pages_replace_manual_pages_only() {
    let folder = Folder::new();
    assert!(folder.run("man -o pages").status.success());
    assert!(folder.run("man -o pages -q").status.success());
    let output = folder.run("man -o pages --no-clobber");
    assert!(output.status.code() == Some(5) && text(&output.stderr).contains("--no-clobber"), "{output:?}");
    folder.file("pages/raywarp-merge.1", "notes of somebody\n");
    std::fs::remove_file(folder.at("pages/raywarp.1")).unwrap();
    let output = folder.run("man -o pages");
    let name = "pages/raywarp-merge.1: ";
    assert!(output.status.code() == Some(5) && text(&output.stderr).contains(name), "{output:?}");
    // Nothing was written before that was seen.
    assert!(!folder.at("pages/raywarp.1").exists());
}

#[test]
fn layers_that_no_output_holds_are_said_to_be_left_aside() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let said = |line: &str| text(&folder.run(line).stderr);
    let left_aside = |line: &str| said(line).lines().filter(|line| line.starts_with("raywarp: --layers ")).count();
    assert_eq!(left_aside("render a.obj --size 4x4 --spp 1 --layers albedo -o a.png"), 1);
    assert_eq!(left_aside("render a.obj --size 4x4 --spp 1 --layers albedo"), 1);
    for line in ["render a.obj --size 4x4 --spp 1 --layers albedo -o a.png -o a.exr", "render a.obj --size 4x4 --spp 1"]
    {
        assert!(!said(line).contains("--layers"), "{line}");
    }
    assert!(folder.run("render a.obj --size 4x4 --samples 0..1 -o s.exr").status.success());
    assert_eq!(left_aside("merge s.exr -o m.png --layers samples"), 1);
}

#[test]
fn man_pages_say_what_help_says() {
    let folder = Folder::new();
    let output = folder.run("man -o pages/man1");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names: Vec<String> = std::fs::read_dir(folder.at("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["raywarp.1", "raywarp-render.1", "raywarp-simulate.1", "raywarp-man.1"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert_eq!(text(&output.stdout), format!("wrote {} pages into pages/man1\n", names.len()));
    let page = folder.text("pages/man1/raywarp-render.1");
    assert_eq!(page, text(&folder.run("man render").stdout));
    for part in [".TH raywarp-render 1", ".SH SYNOPSIS\nraywarp render [OPTIONS]", ".SH CAMERA", ".SH EXAMPLES\n.nf"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(text(&folder.run("man").stdout).contains(".TH raywarp 1"));
    folder.file("file", "");
    assert_eq!(folder.run("man -o file/pages").status.code(), Some(5));
    assert_eq!(folder.run("man render -o pages").status.code(), Some(2));
}

#[test]
fn shares_that_do_not_fit_say_in_what_they_differ() {
    let folder = Folder::new();
    for (name, options) in [
        ("a", ""),
        ("seed", "--seed 1"),
        ("depth", "--max-depth 3"),
        ("last", "--connect-last"),
        ("sampler", "--sampler xor32 --seed 2"),
        ("eye", "--eye 9,5,9 --target 0,0,0"),
        ("clay", "--clay 0.5"),
        ("layers", "--layers all"),
    ] {
        let output = folder.run(&format!("render --size 16x12 --samples 0..1 -o {name}.exr -q {options}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for (name, setting) in [
        ("seed", "seeds"),
        ("depth", "bounces"),
        ("last", "connections"),
        ("sampler", "samplers"),
        ("eye", "cameras"),
        ("clay", "materials"),
        ("layers", "layers"),
    ] {
        let output = folder.run(&format!("merge a.exr {name}.exr -o x.png"));
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
        let names = ["a.exr", &format!("{name}.exr"), setting];
        assert!(names.iter().all(|name| said.contains(name)), "{said}");
    }
}
