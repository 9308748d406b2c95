//! What the command says: wrong usage in one line that helps, failures as JSON, names that no terminal acts on, pages for
//! man and completions for shells.

use serde_json::Value;
use std::process::{Command, Output};

/// A folder of its own for one test, removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn run_words(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.0).env_remove("RAYWARP_SCENES").args(words).output().unwrap()
    }

    fn run(&self, line: &str) -> Output {
        self.run_words(&line.split_whitespace().collect::<Vec<_>>())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn a_slip_of_the_command_line_is_explained_in_one_line() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    for (line, says) in [
        ("render --sp 16", "render has no option --sp; did you mean --spp?"),
        ("render --sampel 3", "render has no option --sampel; did you mean --samples or --sampler?"),
        ("render --x", "render has no option --x; see raywarp render -h"),
        ("render -x", "render has no option -x; see raywarp render -h"),
        ("info a.obj --epoo", "info has no option --epoo; did you mean --epo?"),
        ("render --width 8", "render has no option --width; --size 1024x768 says both sides of the picture"),
        ("info --device cuda", "info has no option --device; render, trace, bench, variants and selftest have it"),
        ("merge --legal 3", "merge has no option --legal; variants and selftest have it"),
        ("--spp 3 render", "--spp goes behind the command, such as: raywarp render --spp"),
        ("--threads 2 merge a.exr -o b.png", "--threads: this command has nothing to share out; leave it out"),
        ("render a.obj b.obj", "render: 'b.obj' is one argument too many; raywarp render [OPTIONS] [SCENE]"),
        ("trace a.obj r.npy x.npy -o h.npy", "trace: 'x.npy' is one argument too many; raywarp trace"),
        ("trace a.obj r.npy", "trace needs --output HITS; raywarp trace [OPTIONS] SCENE RAYS -o HITS"),
        ("merge", "merge needs --output FILE and SHARE...; raywarp merge [OPTIONS] --output FILE SHARE..."),
        ("info", "info needs SCENE; raywarp info [OPTIONS] SCENE"),
        (
            "simulate",
            "simulate needs SCENE; raywarp simulate SCENE (--machine LIST | --efficiency | --experiment NAME)",
        ),
        ("trace a.obj r.npy --any --width=8 -o h.npy", "trace: --width needs --variant VARIANT beside it"),
        ("bench a.obj --machine h200", "bench: --machine needs --simulate beside it"),
        ("bench --machine", "--machine needs a value: --machine NAME"),
        ("render -o", "--output needs a value: --output FILE"),
        ("render --spp=", "--spp needs a value: --spp N"),
        (
            "render --integrator",
            "--integrator needs a value: --integrator INTEGRATOR (path, ao, normal, depth or cost)",
        ),
        ("rendr a.obj", "there is no command 'rendr'; did you mean render?"),
        ("a.obj", "there is no command 'a.obj'; a picture of that file: raywarp render a.obj"),
        ("frobnicate", "there is no command 'frobnicate'; there are render, info, trace"),
        ("-q", "no command is given; there are render, info, trace"),
        ("render --eye 1,2", "--eye 1,2: must be three numbers, such as 0,1.5,-3"),
        ("render --spp -1", "--spp -1: must be a whole number from 1"),
        ("render --spp 5.5", "--spp 5.5: must be a whole number"),
        ("render --clay -1", "--clay -1: must be a number from 0 to 1"),
        ("render --max-depth 10001", "--max-depth 10001: must be a whole number from 0 to 10000"),
        (
            "render --samples 16",
            "--samples 16: must be A..B with A below B, such as 0..64; for samples a pixel use --spp 16",
        ),
        ("render --spp 3 --samples 0..2", "--spp and --samples exclude each other; leave one out"),
        ("render --spp 1 --spp 2", "--spp is given twice; give it once"),
        ("render --quiet=3", "--quiet takes no value: '3' is too much"),
        ("render --integrator pth", "--integrator pth: known are path, ao, normal, depth and cost; did you mean path?"),
        ("render --tone loud", "--tone loud: there is no tone curve 'loud'"),
        ("render --device tpu", "--device tpu: known are cpu, cuda, cuda:N, cuda:0,1 (a list), cuda:all and auto"),
        ("render --device cuda:", "--device cuda:: known are cpu, cuda"),
        ("render --device cuda:0,2,0", "--device cuda:0,2,0: a GPU is named twice; name each once"),
        ("bench s.obj --device tpu", "--device tpu: known are cpu, cuda, cuda:N and auto"),
        ("bench s.obj --device cuda:0,1", "--device cuda:0,1: several GPUs are for render and trace; name one"),
        ("selftest --device cuda:all", "--device cuda:all: several GPUs are for render and trace; name one"),
        ("variants --device cuda:1,0", "--device cuda:1,0: several GPUs are for render and trace; name one"),
        ("man rendr", "there is no command 'rendr'; there are render, info"),
        ("completions tcsh", "SHELL tcsh: known are bash, elvish, fish, powershell and zsh"),
    ] {
        let output = folder.run(line);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.starts_with(&format!("raywarp: {says}")), "{line}: {said}");
        assert_eq!(said.lines().count(), 1, "{line}: {said}");
        assert!(!said.contains("tip:") && !said.contains("-- -"), "{line}: {said}");
        assert!(output.stdout.is_empty(), "{line}");
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
    std::fs::create_dir(folder.0.path().join("taken.png")).unwrap();
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
        let output = folder.run_words(words);
        let said = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(!acts(&said) && !text(&said).contains('\u{9b}'), "{words:?}: {said:?}");
        assert!(!said.is_empty(), "{words:?}");
    }
    let shown = text(&folder.run_words(&["info", "none\u{1b}[2J.obj"]).stderr);
    assert!(shown.contains("none\\u{1b}[2J.obj"), "{shown}");
    // JSON keeps the name: escaped as JSON escapes.
    let output = folder.run_words(&["render", scene, "--json", "--size", "8x8", "--spp", "1", "-o", "c\u{1b}.png"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["output"], "c\u{1b}.png");
    assert!(folder.0.path().join("c\u{1b}.png").exists());
}

#[test]
fn hits_through_a_pipe_keep_their_bytes() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }";
    npy.extend(format!("{header:<117}\n").as_bytes());
    for x in [0.25f32, 5.0] {
        for value in [x, 0.25, 1.0, 0.0, 0.0, 0.0, -1.0, f32::INFINITY] {
            npy.extend(value.to_le_bytes());
        }
    }
    folder.file("r.npy", &npy);
    assert!(folder.run("trace a.obj r.npy -o h.npy").status.success());
    let piped = folder.run("trace a.obj r.npy -o -");
    assert_eq!(piped.stdout, std::fs::read(folder.0.path().join("h.npy")).unwrap());
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
    let document: Value = serde_json::from_slice(&folder.run("--version --json").stdout).unwrap();
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
    let document: Value = serde_json::from_slice(&folder.run("completions bash --json").stdout).unwrap();
    assert!(document["script"].as_str().unwrap().contains("complete "));
}

/// What bash offers for the last of `words`; `None` where there is no bash.
fn completed(folder: &Folder, words: &[&str]) -> Option<Vec<String>> {
    // What bash does when somebody presses the key: the words, the number of the last, and the one before it.
    const ASK: &str = "source raywarp.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
        _raywarp raywarp \"${@: -1}\" \"${@: -2:1}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.current_dir(&folder.0).args(["--norc", "-c", ASK, "bash", "raywarp"]).args(words);
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
fn a_missing_value_is_asked_for_with_the_names_that_are_known() {
    let folder = Folder::new();
    for (line, says) in [
        ("render --tone", "--tone needs a value: --tone CURVE (srgb, reinhard, aces, agx or neutral)"),
        // Dozens of kernels are no help in a line.
        ("simulate a.obj --efficiency --variant", "--variant needs a value: --variant LIST\n"),
    ] {
        let output = folder.run(line);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(says), "{line}: {said}");
    }
}

#[test]
fn manual_pages_replace_manual_pages_only() {
    let folder = Folder::new();
    assert!(folder.run("man -o pages").status.success());
    assert!(folder.run("man -o pages -q").status.success());
    let output = folder.run("man -o pages --no-clobber");
    assert!(output.status.code() == Some(5) && text(&output.stderr).contains("--no-clobber"), "{output:?}");
    folder.file("pages/raywarp-merge.1", "notes of somebody\n");
    std::fs::remove_file(folder.0.path().join("pages/raywarp.1")).unwrap();
    let output = folder.run("man -o pages");
    let name = "pages/raywarp-merge.1: ";
    assert!(output.status.code() == Some(5) && text(&output.stderr).contains(name), "{output:?}");
    // Nothing was written before that was seen.
    assert!(!folder.0.path().join("pages/raywarp.1").exists());
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
    let names: Vec<String> = std::fs::read_dir(folder.0.path().join("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["raywarp.1", "raywarp-render.1", "raywarp-simulate.1", "raywarp-man.1"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert_eq!(text(&output.stdout), format!("wrote {} pages into pages/man1\n", names.len()));
    let page = std::fs::read_to_string(folder.0.path().join("pages/man1/raywarp-render.1")).unwrap();
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

#[cfg(unix)]
#[test]
fn an_interrupted_render_says_how_many_samples_of_how_many() {
    let folder = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_raywarp"))
        .current_dir(&folder.0)
        .args("render --size 64x48 --spp 100000000 -o a.png -v".split(' '))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("loaded in") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut stderr, &mut line).unwrap() > 0, "ended too early");
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let rest = std::thread::spawn(move || std::io::read_to_string(&mut stderr));
    let output = child.wait_with_output().unwrap();
    let _ = rest.join();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains(" of 100000000 samples a pixel"), "{said}");
}
