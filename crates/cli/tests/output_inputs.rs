//! No output destroys an input, and no file is replaced by one of another kind.

use crate::common_folder::{Folder, TRIANGLE, text};
use crate::common_rays::npy;

const SMALL: &str = "--size 16x8 --spp 1 -q";

/// One ray that hits, downwards.
fn rays() -> Vec<u8> {
    npy(&[[0.2, 0.2, 1.0, 0.0, 0.0, 0.0, -1.0, 9.0]])
}

/// A folder with a scene, rays, a sky and two shares.
fn full_folder() -> Folder {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    folder.file("rays.npy", rays());
    folder.file("views.toml", "[[a]]\neye = [0.2, 0.2, 3]\ntarget = [0.2, 0.2, 0]\nup = [0, 1, 0]\nvfov = 40\n");
    folder.succeeds(&format!("render a.obj {SMALL} -o sky.hdr"));
    folder.succeeds("render a.obj --size 16x8 -q --samples 0..1 -o 1.exr");
    folder.succeeds("render a.obj --size 16x8 -q --samples 1..2 -o 2.exr");
    folder
}

#[test]
fn every_command_refuses_to_write_what_it_reads() {
    let folder = full_folder();
    for line in [
        "trace a.obj rays.npy -o rays.npy",
        "trace a.obj rays.npy -o a.obj",
        "render a.obj --light sky.hdr -o sky.hdr",
        "render a.obj --light sky.hdr -o b.png -o sky.hdr",
        "merge 1.exr 2.exr -o 1.exr",
        "merge 1.exr 2.exr -o 2.exr",
        "convert sky.hdr -o sky.hdr",
        "convert sky.hdr -o sky.png -o sky.hdr",
        "simulate a.obj --efficiency --report a.obj",
        "simulate a.obj --efficiency --view views.toml:a:1 --report views.toml",
        "simulate a.obj --machine h200 --costs rays.npy --report rays.npy",
        "simulate a.obj --machine rays.npy --report rays.npy",
        "bench a.obj --csv a.obj",
        "bench a.obj --view views.toml:a:1 --csv views.toml",
    ] {
        let output = line.rsplit(' ').next().unwrap();
        folder.refuses(line, 2, &[&format!("raywarp: {output}: ")]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_known_whatever_it_is_called() {
    let folder = full_folder();
    std::fs::hard_link(folder.at("sky.hdr"), folder.at("hard.hdr")).unwrap();
    std::os::unix::fs::symlink("sky.hdr", folder.at("soft.hdr")).unwrap();
    std::os::unix::fs::symlink("rays.npy", folder.at("rays2.npy")).unwrap();
    for (line, output, other) in [
        ("render a.obj --light sky.hdr -o ./sky.hdr", "./sky.hdr", "sky.hdr"),
        ("render a.obj --light sky.hdr -o hard.hdr", "hard.hdr", "sky.hdr"),
        ("render a.obj --light hard.hdr -o soft.hdr", "soft.hdr", "hard.hdr"),
        ("trace a.obj rays2.npy -o rays.npy", "rays.npy", "rays2.npy"),
        ("render a.obj -o b.png -o ./b.png", "./b.png", "b.png"),
    ] {
        folder.refuses(line, 2, &[&format!("raywarp: {output}: "), &format!(" as {other}")]);
    }
    // Standard input is a file where the shell made it one.
    let output = folder
        .command("trace a.obj - -o rays.npy")
        .stdin(std::fs::File::open(folder.at("rays.npy")).unwrap())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.starts_with("raywarp: rays.npy: "), "{said}");
    assert_eq!(folder.read("rays.npy"), rays());
}

#[test]
fn files_that_a_scene_names_are_inputs_too() {
    let folder = full_folder();
    folder.succeeds(&format!("render a.obj {SMALL} -o wood.png"));
    folder.file("lib.mtl", "newmtl m\nmap_Kd wood.png\n");
    folder.file("b.obj", format!("mtllib lib.mtl\nusemtl m\nvt 0 0\n{}", TRIANGLE.replace("1 2 3", "1/1 2/1 3/1")));
    folder.file(
        "sub/main.pbrt",
        "WorldBegin Include \"more.pbrt\" LightSource \"infinite\" \"string filename\" \"../sky.hdr\"",
    );
    folder.file("sub/more.pbrt", "Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \"integer indices\" [0 1 2]");
    folder.refuses(&format!("render b.obj {SMALL} -o wood.png"), 2, &["wood.png:"]);
    // The picture of a scene that nobody named may be called like a texture.
    folder.file("wood.obj", folder.read("b.obj"));
    folder.refuses(&format!("render wood.obj {SMALL}"), 2, &["wood.png:"]);
    folder.refuses(&format!("render sub/main.pbrt {SMALL} -o sky.hdr"), 2, &["sky.hdr: ", "sub/../sky.hdr"]);
    // Two names of a file that is not overwritten are no reason to refuse.
    folder.succeeds(&format!("render sub/main.pbrt {SMALL} --light sky.hdr -o b.png"));
}

#[test]
fn a_file_of_another_kind_is_not_replaced() {
    let folder = full_folder();
    folder.file("notes.png", "notes");
    folder.file("notes.npy", "notes");
    folder.file("notes.html", "notes");
    folder.file("run/README.md", "# My project");
    for (line, output, kind) in [
        (format!("render a.obj {SMALL} -o notes.png"), "notes.png:", "PNG"),
        (format!("render a.obj {SMALL} -o b.exr -o notes.png"), "notes.png:", "PNG"),
        ("merge 1.exr 2.exr -o notes.png".into(), "notes.png:", "PNG"),
        ("trace a.obj rays.npy -o notes.npy".into(), "notes.npy:", "NumPy"),
        ("simulate a.obj --efficiency --report notes.html".into(), "notes.html:", "HTML"),
        ("bench a.obj --csv views.toml".into(), "views.toml:", "table"),
        ("bench a.obj --record run".into(), "README.md:", "run"),
    ] {
        folder.refuses(&line, 5, &[output, kind]);
    }
    assert_eq!(folder.read("run/README.md"), b"# My project");
    // Empty files and files of the kind are replaced as ever.
    folder.file("notes.png", "");
    for _ in 0..2 {
        folder.succeeds(&format!("render a.obj {SMALL} -o notes.png"));
        folder.succeeds("trace a.obj rays.npy -o hits.npy");
    }
}

#[test]
fn with_no_clobber_nothing_that_exists_is_replaced() {
    let folder = full_folder();
    folder.succeeds(&format!("render a.obj {SMALL} --no-clobber -o b.png"));
    folder.succeeds("convert sky.hdr -o sky.png -q --no-clobber");
    folder.refuses("diff sky.png b.png -o b.png", 2, &["b.png:"]);
    folder.succeeds("trace a.obj rays.npy -o hits.npy --no-clobber");
    folder.file("figures/01-efficiency.svg", "<svg/>");
    folder.file("rays/a-view1-primary.npy", rays());
    folder.file("empty.png", "");
    for line in [
        format!("render a.obj {SMALL} --no-clobber -o b.png"),
        format!("render a.obj {SMALL} --no-clobber -o c.exr -o b.png"),
        format!("render a.obj {SMALL} --no-clobber -o empty.png"),
        "trace a.obj rays.npy -o hits.npy --no-clobber".into(),
        "merge 1.exr 2.exr -o b.png --no-clobber".into(),
        "convert sky.hdr -o b.png --no-clobber".into(),
        "diff sky.hdr 1.exr -o b.png --no-clobber".into(),
        "simulate a.obj --efficiency --svg figures --no-clobber".into(),
        "bench a.obj --export-rays rays --no-clobber".into(),
    ] {
        folder.refuses(&line, 5, &["--no-clobber"]);
    }
    #[cfg(unix)]
    folder.succeeds("trace a.obj rays.npy -o /dev/null --no-clobber");
}

#[cfg(unix)]
#[test]
fn temporary_files_of_dead_runs_are_swept_and_those_of_living_ones_are_not() {
    let folder = full_folder();
    let temporaries = || folder.names().into_iter().filter(|name| name.starts_with(".raywarp-")).collect::<Vec<_>>();
    // A run that the system kills while it writes: its file may have no more than 512 bytes.
    let killed = folder.run_shell("ulimit -f 1; exec $R render a.obj --size 64x64 --spp 1 -q -o big.exr");
    assert!(!killed.status.success() && killed.status.code().is_none(), "{killed:?}");
    let left = temporaries();
    assert_eq!(left.len(), 1, "{:?}", folder.names());
    // The same file in the hands of a living process, this one.
    let living = left[0].replace(".tmp", "").rsplit_once('-').unwrap().0.to_string() + "-alive1.tmp";
    folder.file(&living, "half");
    let held = std::fs::File::options().write(true).open(folder.at(&living)).unwrap();
    held.lock().unwrap();
    folder.file(".raywarp-notes.tmp", "somebody's notes");
    folder.succeeds(&format!("render a.obj {SMALL} -o b.png"));
    let mut kept = [living, ".raywarp-notes.tmp".to_string()];
    kept.sort();
    assert_eq!(temporaries(), kept);
    assert!(!folder.at("big.exr").exists());
    drop(held);
    folder.succeeds(&format!("render a.obj {SMALL} -o b.png"));
    assert_eq!(temporaries(), [".raywarp-notes.tmp"]);
}
