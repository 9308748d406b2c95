//! The command as a user meets it: files, messages and exit statuses.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("raywarp-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Names of what lies in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Folder, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    command.current_dir(&folder.0).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
    command
}

fn run(folder: &Folder, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a line that must end with `status`, print one or two lines of error that hold every word of
/// `says`, and leave no file behind.
#[track_caller]
fn check_fails(folder: &Folder, line: &str, status: i32, says: &[&str]) {
    let before = folder.names();
    let output = run(folder, line);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}: {message}");
    for word in says {
        assert!(message.contains(word), "{line}: {message} does not say {word}");
    }
    // clap adds its usage to messages about usage; ours are short.
    if status != 2 {
        assert!(message.trim_end().lines().count() <= 2, "{line}: {message}");
    }
    assert!(!message.contains("panicked"), "{line}: {message}");
    assert_eq!(folder.names(), before, "{line} left something behind");
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const SMALL: &str = "--size 32x20 --spp 4";

#[test]
fn the_built_in_scene_renders_to_a_png() {
    let folder = Folder::new("default");
    let output = run(&folder, &format!("render {SMALL}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("wrote render.png: 32x20 (flag), 4 samples a pixel (flag), 8 bounces"));
    let png = std::fs::read(folder.0.join("render.png")).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(folder.names(), ["render.png"]);
}

#[test]
fn json_is_one_document_with_the_documented_fields() {
    let folder = Folder::new("json");
    let output = run(&folder, &format!("render {SMALL} -o a.exr --json --layers all"));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in ["paths_per_s", "rays_per_s", "samples", "seconds", "output"] {
        assert!(!document[field].is_null(), "{field} is missing");
    }
    assert_eq!((document["samples"].as_u64(), document["paths"].as_u64()), (Some(4), Some(32 * 20 * 4)));
}

#[test]
fn threads_do_not_change_a_byte_of_the_picture() {
    let folder = Folder::new("threads");
    for threads in ["1", "2", "3"] {
        assert!(run(&folder, &format!("render {SMALL} -o {threads}.hdr --threads {threads}")).status.success());
    }
    let bytes = |name: &str| std::fs::read(folder.0.join(name)).unwrap();
    assert!(bytes("1.hdr") == bytes("2.hdr") && bytes("1.hdr") == bytes("3.hdr"));
}

#[test]
fn shares_merge_to_the_whole_picture() {
    let folder = Folder::new("shares");
    for line in ["--spp 8 -o whole.hdr", "--samples 0..3 -o a.exr", "--samples 3..8 -o b.exr", "--samples 3..8 --seed 1 -o c.exr"] {
        assert!(run(&folder, &format!("render --size 32x20 {line}")).status.success());
    }
    let merged = run(&folder, "merge b.exr a.exr -o merged.hdr");
    assert!(text(&merged.stdout).starts_with("wrote merged.hdr: 32x20, 8 samples a pixel from 2 shares"));
    let bytes = |name: &str| std::fs::read(folder.0.join(name)).unwrap();
    assert!(bytes("whole.hdr") == bytes("merged.hdr"));
    check_fails(&folder, "merge a.exr a.exr -o twice.png", 3, &["a.exr", "both hold samples 0..3"]);
    check_fails(&folder, "merge a.exr c.exr -o mixed.png", 3, &["c.exr"]);
    check_fails(&folder, "merge whole.hdr -o x.png", 3, &["whole.hdr", "not a share"]);
}

#[test]
fn every_integrator_makes_a_picture() {
    let folder = Folder::new("integrators");
    folder.file("a.obj", TRIANGLE);
    for integrator in ["path", "ao", "normal", "depth", "cost"] {
        let output = run(&folder, &format!("render a.obj {SMALL} --integrator {integrator} -o {integrator}.png"));
        assert!(output.status.success(), "{integrator}: {}", text(&output.stderr));
    }
}

#[test]
fn assumptions_are_said() {
    let folder = Folder::new("assumptions");
    folder.file("a.obj", TRIANGLE);
    let output = run(&folder, &format!("render a.obj {SMALL}"));
    let notes = text(&output.stderr);
    assert!(notes.contains("no camera: framed") && notes.contains("no light: lit by a uniform white"), "{notes}");
    assert_eq!(text(&run(&folder, &format!("render a.obj {SMALL} -q")).stderr), "");
}

#[test]
fn info_counts_triangles_and_nodes() {
    let folder = Folder::new("info");
    folder.file("a.obj", TRIANGLE);
    let output = run(&folder, "info a.obj");
    assert!(text(&output.stdout).starts_with("triangles           1 (1 in meshes, 1 in the tree)"));
    let document: serde_json::Value = serde_json::from_slice(&run(&folder, "info a.obj --json").stdout).unwrap();
    assert_eq!((document["nodes"].as_u64(), document["leaves"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = Folder::new("usage");
    for line in [
        "render --size 0x5",
        "render --size 99999999x1",
        "render --spp 0",
        "render --time -1",
        "render --noise nan",
        "render --clay 1.5",
        "render --vfov 180",
        "render --eye 0,0,0",
        "render --eye 0,0,0 --target 0,0,0",
        "render --filter sinc",
        "render --tone loud",
        "render --layers colour",
        "render --samples 0..4 -o a.png",
        "render --samples 4..4",
        "render --view nonsense",
        "render -o picture.gif",
        "render --threads 99999",
        "render --device tpu",
        "info",
        "frobnicate",
        "",
    ] {
        let output = run(&folder, line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output.stderr));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn unreadable_input_ends_with_3_and_names_the_file() {
    let folder = Folder::new("input");
    folder.file("a.txt", "hello");
    folder.file("bad.obj", "v 0 0 0\nv 1 0 zero\n");
    folder.file("range.obj", "v 0 0 0\nf 1 2 3\n");
    folder.file("bad.pbrt", "WorldBegin\nShape \"trianglemesh\" \"integer indices\" [0 1\n");
    folder.file("bad.glb", "glTFxxxxxxxx");
    folder.file("bad.gltf", "{\"asset\":");
    folder.file("bad.ply", "ply\nformat ascii 1.0\nelement vertex 3\n");
    folder.file("bomb.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n");
    folder.file("self.pbrt", "WorldBegin\nInclude \"self.pbrt\"\n");
    folder.file("parts.pbrt", "WorldBegin\nShape \"plymesh\" \"string filename\" \"a.ply\"\nShape \"plymesh\" \"string filename\" \"b.ply\"\n");
    std::fs::write(folder.0.join("bad.ply.gz"), [0x1f, 0x8b, 8, 0, 0, 0]).unwrap();
    std::fs::create_dir(folder.0.join("folder.obj")).unwrap();
    for (name, says) in [
        ("none.obj", "none.obj"),
        ("a.txt", "unknown kind of scene"),
        ("bad.obj", "bad.obj:2"),
        ("range.obj", "range.obj:2"),
        ("bad.pbrt", "bad.pbrt:2"),
        ("bad.glb", "bad.glb"),
        ("bad.gltf", "bad.gltf"),
        ("bad.ply", "bad.ply"),
        ("bomb.ply", "bomb.ply"),
        ("bad.ply.gz", "bad.ply.gz"),
        ("self.pbrt", "self.pbrt"),
        ("folder.obj", "folder.obj"),
    ] {
        check_fails(&folder, &format!("render {name} {SMALL}"), 3, &[says]);
        check_fails(&folder, &format!("info {name}"), 3, &[says]);
    }
    check_fails(&folder, &format!("render parts.pbrt {SMALL}"), 3, &["2 files", "a.ply", "b.ply", "--allow-missing"]);
    let allowed = run(&folder, &format!("render parts.pbrt {SMALL} --allow-missing"));
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
    assert_eq!(text(&allowed.stderr).matches("missing; rendered without it").count(), 2);
    check_fails(&folder, "render --light a.txt", 3, &["a.txt"]);
    check_fails(&folder, "render --view views.toml:room:1", 3, &["views.toml"]);
}

#[test]
fn a_file_without_triangles_says_so_or_shows_the_sky() {
    let folder = Folder::new("empty");
    folder.file("empty.obj", "# nothing\n");
    folder.file("empty.pbrt", "WorldBegin\n");
    // An OBJ is geometry and nothing else; a pbrt file may be all light.
    check_fails(&folder, &format!("render empty.obj {SMALL}"), 3, &["empty.obj", "no faces"]);
    let output = run(&folder, &format!("render empty.pbrt {SMALL}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn what_the_machine_lacks_ends_with_4() {
    let folder = Folder::new("machine");
    check_fails(&folder, "render --device cuda", 4, &["--device cuda", "cpu"]);
    check_fails(&folder, "render --device cuda:1", 4, &["--device cuda"]);
}

#[test]
fn an_output_that_cannot_be_written_ends_with_5_before_rendering() {
    let folder = Folder::new("output");
    std::fs::create_dir(folder.0.join("taken.png")).unwrap();
    // A million samples: these return at once only if the place is tried first.
    check_fails(&folder, "render --spp 1000000 -o nowhere/a.png", 5, &["nowhere"]);
    check_fails(&folder, "render --spp 1000000 -o taken.png", 5, &["taken.png", "folder"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_5() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let folder = Folder::new("full");
    std::os::unix::fs::symlink("/dev/full", folder.0.join("full.png")).unwrap();
    check_fails(&folder, &format!("render {SMALL} -o full.png"), 5, &["full.png", "full"]);
}

/// Sends the signal of Ctrl-C.
#[cfg(unix)]
fn interrupt(process: u32) {
    assert!(Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_what_has_been_done_and_ends_with_130() {
    let folder = Folder::new("interrupt");
    folder.file("a.obj", TRIANGLE);
    let mut child = command(&folder, "render a.obj --size 64x48 --spp 100000000 -o a.png -v")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The render has begun once the line about the loaded scene is there.
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("loaded in") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut stderr, &mut line).unwrap() > 0, "ended too early");
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    interrupt(child.id());
    let rest = std::thread::spawn(move || std::io::read_to_string(&mut stderr));
    let output = child.wait_with_output().unwrap();
    let _ = rest.join();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stdout).starts_with("interrupted; wrote a.png: 64x48"), "{}", text(&output.stdout));
    assert_eq!(folder.names(), ["a.obj", "a.png"]);
}

#[test]
fn stopping_rules_stop() {
    let folder = Folder::new("stop");
    folder.file("a.obj", TRIANGLE);
    let time = run(&folder, "render a.obj --size 32x24 --time 0.2");
    assert!(text(&time.stdout).starts_with("stopped by --time; wrote"), "{}", text(&time.stdout));
    let noise = run(&folder, "render a.obj --size 32x24 --noise 0.2 --json");
    let document: serde_json::Value = serde_json::from_slice(&noise.stdout).unwrap();
    assert_eq!(document["stop"], "noise");
    let samples = document["samples"].as_u64().unwrap();
    assert!(samples.is_power_of_two() && document["noise"].as_f64().unwrap() <= 0.2, "{document}");
    // The recorded count repeats the run exactly.
    assert!(run(&folder, "render a.obj --size 32x24 --noise 0.2 -o a.hdr").status.success());
    assert!(run(&folder, &format!("render a.obj --size 32x24 --spp {samples} -o b.hdr")).status.success());
    let bytes = |name: &str| std::fs::read(folder.0.join(name)).unwrap();
    assert!(bytes("a.hdr") == bytes("b.hdr"));
}
