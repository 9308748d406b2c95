//! The command as a user meets it: files, messages and exit statuses.

use crate::common_folder::{Folder, TRIANGLE, text};
use std::process::{Command, Stdio};

const SMALL: &str = "--size 32x20 --spp 4";

#[test]
fn the_built_in_scene_renders_to_a_png() {
    let folder = Folder::new();
    let output = folder.run(&format!("render {SMALL}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("wrote render.png: 32x20 (flag), 4 "));
    let png = folder.read("render.png");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(folder.names(), ["render.png"]);
}

#[test]
fn json_is_one_document_with_the_documented_fields() {
    let folder = Folder::new();
    let output = folder.run(&format!("render {SMALL} -o a.exr --json --layers all"));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in ["paths_per_s", "rays_per_s", "samples", "seconds", "output"] {
        assert!(!document[field].is_null(), "{field} is missing");
    }
    assert_eq!((document["samples"].as_u64(), document["paths"].as_u64()), (Some(4), Some(32 * 20 * 4)));
}

#[test]
fn threads_do_not_change_a_byte_of_the_picture() {
    let folder = Folder::new();
    for threads in ["1", "2", "3"] {
        assert!(folder.run(&format!("render {SMALL} -o {threads}.hdr --threads {threads}")).status.success());
    }
    let bytes = |name: &str| folder.read(name);
    assert!(bytes("1.hdr") == bytes("2.hdr") && bytes("1.hdr") == bytes("3.hdr"));
}

#[test]
fn shares_merge_to_the_whole_picture() {
    let folder = Folder::new();
    for line in [
        "--spp 8 -o whole.hdr",
        "--samples 0..3 -o a.exr",
        "--samples 3..8 -o b.exr",
        "--samples 3..8 --seed 1 -o c.exr",
    ] {
        assert!(folder.run(&format!("render --size 32x20 {line}")).status.success());
    }
    let merged = folder.run("merge b.exr a.exr -o merged.hdr");
    assert!(text(&merged.stdout).starts_with("wrote merged.hdr: 32x20, 8 "));
    let bytes = |name: &str| folder.read(name);
    assert!(bytes("whole.hdr") == bytes("merged.hdr"));
    folder.refuses("merge a.exr a.exr -o twice.png", 3, &["a.exr", "0..3"]);
    folder.refuses("merge a.exr c.exr -o mixed.png", 3, &["c.exr"]);
    folder.refuses("merge whole.hdr -o x.png", 3, &["whole.hdr", "--samples"]);
}

#[test]
fn every_integrator_makes_a_picture() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    for integrator in ["path", "ao", "normal", "depth", "cost"] {
        let output = folder.run(&format!("render a.obj {SMALL} --integrator {integrator} -o {integrator}.png"));
        assert!(output.status.success(), "{integrator}: {}", text(&output.stderr));
    }
}

#[test]
fn assumptions_are_said() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let output = folder.run(&format!("render a.obj {SMALL}"));
    let notes = text(&output.stderr);
    // The camera and the light that were assumed, each with flags that choose others.
    assert!(notes.lines().count() == 2 && notes.contains("--eye") && notes.contains("--light"), "{notes}");
    assert_eq!(text(&folder.run(&format!("render a.obj {SMALL} -q")).stderr), "");
}

#[test]
fn info_counts_triangles_and_nodes() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let output = folder.run("info a.obj");
    assert!(text(&output.stdout).starts_with("triangles           1 (1 "));
    let document: serde_json::Value = serde_json::from_slice(&folder.run("info a.obj --json").stdout).unwrap();
    assert_eq!((document["nodes"].as_u64(), document["leaves"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = Folder::new();
    for line in [
        "render --size 0x5",
        "render --size 99999999x1",
        "render --spp 0",
        "render --time -1",
        "render --noise nan",
        "render --clay 1.5",
        "render --vfov 180",
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
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output.stderr));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn unreadable_input_ends_with_3_and_names_the_file() {
    let folder = Folder::new();
    folder.file("a.txt", "hello");
    folder.file("bad.obj", "v 0 0 0\nv 1 0 zero\n");
    folder.file("range.obj", "v 0 0 0\nf 1 2 3\n");
    folder.file("bad.pbrt", "WorldBegin\nShape \"trianglemesh\" \"integer indices\" [0 1\n");
    folder.file("bad.glb", "glTFxxxxxxxx");
    folder.file("bad.gltf", "{\"asset\":");
    folder.file("bad.ply", "ply\nformat ascii 1.0\nelement vertex 3\n");
    folder.file(
        "bomb.ply",
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n",
    );
    folder.file("self.pbrt", "WorldBegin\nInclude \"self.pbrt\"\n");
    folder.file("parts.pbrt", "WorldBegin\nShape \"sphere\"\nShape \"plymesh\" \"string filename\" \"a.ply\"\nShape \"plymesh\" \"string filename\" \"b.ply\"\n");
    folder.file("bad.ply.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    std::fs::create_dir(folder.at("folder.obj")).unwrap();
    for (name, says) in [
        ("none.obj", "none.obj"),
        ("a.txt", ".gltf"),
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
        folder.refuses(&format!("render {name} {SMALL}"), 3, &[says]);
        folder.refuses(&format!("info {name}"), 3, &[says]);
    }
    folder.refuses(&format!("render parts.pbrt {SMALL}"), 3, &["a.ply", "b.ply", "--allow-missing"]);
    let allowed = folder.run(&format!("render parts.pbrt {SMALL} --allow-missing"));
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
    assert_eq!(text(&allowed.stderr).lines().filter(|line| line.contains("warning: ")).count(), 2);
    folder.refuses("render --light a.txt", 3, &["a.txt"]);
    folder.refuses("info nowhere", 3, &["nowhere"]);
    folder.refuses("render --view views.toml:room:1", 3, &["views.toml"]);
}

#[test]
fn what_the_machine_lacks_ends_with_4() {
    let folder = Folder::new();
    // Nowhere are there so many GPUs.
    folder.refuses("render --device cuda:99", 4, &["--device cuda:99", "cpu"]);
    folder.refuses("selftest --device cuda:99", 4, &["--device cuda:99", "cpu"]);
    folder.refuses("info room.pbrt --device cuda", 2, &["--device"]);
}

#[test]
fn an_output_that_cannot_be_written_ends_with_5_before_rendering() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("taken.png")).unwrap();
    // A million samples: these return at once only if the place is tried first.
    folder.refuses("render --spp 1000000 -o nowhere/a.png", 5, &["nowhere"]);
    folder.refuses("render --spp 1000000 -o taken.png", 5, &["taken.png", "folder"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_5() {
    if raywarp_testing::full_device().is_none() {
        return;
    }
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.at("full.png")).unwrap();
    folder.refuses(&format!("render {SMALL} -o full.png"), 5, &["full.png", "full"]);
}

/// Sends the signal of Ctrl-C.
#[cfg(unix)]
fn interrupt(process: u32) {
    assert!(Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_loading_or_merging_ends_with_130_and_writes_nothing() {
    let folder = Folder::new();
    assert!(folder.run("render --size 512x512 --integrator normal --samples 0..1 -o a.exr -q").status.success());
    // Far more than is read before the signal, also on a machine that is busy.
    folder.file("big.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".repeat(1_500_000));
    for line in ["render big.obj -o x.png", "info big.obj", &format!("merge{} -o x.png", " a.exr".repeat(300))] {
        let mut command = folder.command(line);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Time to start, not to finish.
        std::thread::sleep(std::time::Duration::from_millis(60));
        interrupt(child.id());
        let output = child.wait_with_output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{line}: {message}");
        assert!(message.starts_with("raywarp: interrupted ") && message.lines().count() == 1, "{line}: {message}");
        assert_eq!(folder.names(), ["a.exr", "big.obj"]);
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_work() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = |bytes: &'static [u8]| folder.path().join(std::ffi::OsStr::from_bytes(bytes));
    if std::fs::write(name(b"caf\xe9.obj"), TRIANGLE).is_err() {
        return raywarp_testing::skip(raywarp_testing::Reason::System, "its files have names of UTF-8 only");
    }
    for output in [&b"\xff.png"[..], b"\xff.exr", b"\xff.hdr"] {
        let mut command = folder.command(&format!("render {SMALL}"));
        let output = command.arg(name(b"caf\xe9.obj")).arg("-o").arg(name(output)).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let mut command = folder.command("info");
    let output = command.arg(name(b"none\xff.obj")).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn nobody_listening_stops_nothing() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    // The status of the command itself, which a pipe hides, goes to a file.
    let status = |line: &str| {
        let output = folder.run_shell(&format!("({line}; echo $? > status) {}", "| true"));
        let status = folder.text("status");
        (status.trim().to_string(), text(&output.stderr))
    };
    for line in ["$R info a.obj", "$R info a.obj --json", "$R render a.obj --size 8x8 -o a.png"] {
        let (status, message) = status(line);
        assert_eq!(status, "0", "{line}: {message}");
    }
    if raywarp_testing::full_device().is_none() {
        return;
    }
    assert_eq!(status("$R render a.obj --size 8x8 -o b.png 2> /dev/full").0, "0");
    assert!(folder.at("b.png").exists());
    assert_eq!(status("$R info none.obj 2> /dev/full").0, "3");
    assert_eq!(status("$R info a.obj > /dev/full").0, "5");
}

#[cfg(unix)]
#[test]
fn devices_are_not_inputs_and_links_that_go_round_are_errors() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    symlink("/dev/zero", folder.at("zero.obj")).unwrap();
    symlink("round.obj", folder.at("round.obj")).unwrap();
    symlink("round.png", folder.at("round.png")).unwrap();
    folder.file("a.pbrt", "WorldBegin\nInclude \"/dev/zero\"\n");
    folder.file("a.obj", "mtllib /dev/zero\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.refuses("info zero.obj", 3, &["zero.obj", "device"]);
    folder.refuses("info a.pbrt", 3, &["/dev/zero", "device"]);
    // What does not ask for materials only warns of their library.
    folder.refuses("render a.obj -o a.png", 3, &["/dev/zero", "device"]);
    folder.refuses("merge zero.obj -o a.png", 3, &["zero.obj"]);
    folder.refuses("merge . -o a.png", 3, &["folder"]);
    folder.refuses("render --light /dev/zero -o a.png", 3, &["/dev/zero"]);
    folder.refuses("info round.obj", 3, &["round.obj"]);
    folder.refuses("render -o round.png", 5, &["round.png"]);
}

#[test]
fn scenes_and_pictures_that_outgrow_the_memory_are_refused() {
    let folder = Folder::new();
    folder.refuses("render -q --size 46000x46000", 4, &["46000x46000", "memory"]);
    // A pbrt file of a kilobyte or so that places 16,000 triangles a line.
    folder.file("many.pbrt", format!("WorldBegin\nShape \"sphere\"\n{}", "Shape \"sphere\"\n".repeat(70_000)));
    folder.refuses("info many.pbrt --levels one", 3, &["many.pbrt", "triangles"]);
    // Some thousand objects of no size: 15 MB of document.
    folder.file(
        "objects.gltf",
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}{{}}]}}", "{},".repeat(5_000_000)),
    );
    folder.refuses("info objects.gltf", 3, &["objects.gltf", "objects"]);
}

#[cfg(unix)]
#[test]
fn an_output_that_fails_keeps_no_other_from_being_written() {
    if raywarp_testing::full_device().is_none() {
        return;
    }
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.at("full.exr")).unwrap();
    let output = folder.run(&format!("render {SMALL} -q -o full.exr -o a.png"));
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(folder.names(), ["a.png", "full.exr"]);
    // A folder that is missing is found before, and then nothing is written.
    std::fs::remove_file(folder.at("a.png")).unwrap();
    folder.refuses(&format!("render {SMALL} -q -o a.png -o none/b.png"), 5, &["none"]);
}

#[test]
fn extreme_options_end_in_a_picture_or_a_plain_line() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    folder.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.file("far.obj", "v 1e38 0 0\nv -1e38 0 0\nv 0 1e38 0\nf 1 2 3\n");
    folder.file("tiny.obj", "v 1e-38 0 0\nv 0 1e-38 0\nv 0 0 1e-38\nf 1 2 3\n");
    for line in [
        "a.obj --size 1x1 --spp 1",
        "a.obj --size 1x300 --spp 1",
        "a.obj --size 8x8 --spp 4294967295 --time 0.05",
        "a.obj --size 8x8 --spp 1 --max-depth 10000",
        "a.obj --size 8x8 --spp 1 --vfov 1e-30",
        "a.obj --size 8x8 --spp 1 --vfov 179.9999",
        "a.obj --size 8x8 --spp 1 --lens-radius 1e38 --focus 1e-38",
        "a.obj --size 8x8 --spp 1 --eye 1e15,1e15,1e15 --target 0,0,0",
        "a.obj --size 8x8 --spp 1 --integrator ao --ao-distance 1e-38",
        "a.obj --size 8x8 --samples 4294967290..4294967295",
        "far.obj --size 8x8 --spp 1",
        "tiny.obj --size 8x8 --spp 1",
    ] {
        let name = if line.contains("--samples") { "a.exr" } else { "a.png" };
        let output = folder.run(&format!("render {line} -q -o {name}"));
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
    // Triangles that are there and have no area are none.
    folder.refuses("render flat.obj -q -o a.png", 3, &["flat.obj", "area"]);
}

#[test]
fn stopping_rules_stop() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    assert_eq!(folder.json("render a.obj --size 32x24 --time 0.2")["stop"], "time");
    assert!(folder.prints("render a.obj --size 32x24 --time 0.2").contains(" --time; "));
    let noise = folder.run("render a.obj --size 32x24 --noise 0.2 --json");
    let document: serde_json::Value = serde_json::from_slice(&noise.stdout).unwrap();
    assert_eq!(document["stop"], "noise");
    let samples = document["samples"].as_u64().unwrap();
    assert!(samples.is_power_of_two() && document["noise"].as_f64().unwrap() <= 0.2, "{document}");
    // The recorded count repeats the run exactly.
    assert!(folder.run("render a.obj --size 32x24 --noise 0.2 -o a.hdr").status.success());
    assert!(folder.run(&format!("render a.obj --size 32x24 --spp {samples} -o b.hdr")).status.success());
    let bytes = |name: &str| folder.read(name);
    assert!(bytes("a.hdr") == bytes("b.hdr"));
}
