//! Texts of the command as its user reads them, one from each kind of place that messages come from. Other tests ask for
//! an error's value, or for the name and the place that its line has.

use crate::common_folder::{Folder, text};
use crate::gpu::place::place;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

/// Runs `line`, which must end with `status` and say `want` on standard error.
#[track_caller]
fn check(folder: &Folder, line: &str, status: i32, want: &str) {
    let output = folder.run_unwatched(line);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(status), want.to_string()), "{line}");
}

#[test]
fn faults_of_files_name_the_file_the_place_and_the_remedy() {
    let folder = Folder::new();
    folder.file("broken.obj", format!("{TRIANGLE}f 1 2 9\n"));
    folder.file("none.obj", format!("mtllib none.mtl\n{TRIANGLE}f 1 2 3\n"));
    folder.file("a.obj", format!("{TRIANGLE}f 1 2 3\n"));
    folder.file("cut.npy", "short");
    let says = "raywarp: broken.obj:4: index 9, but the file has not as many entries\n";
    check(&folder, "info broken.obj", 3, says);
    let says = "raywarp: none.obj: missing file: none.mtl; --allow-missing renders without them\n";
    check(&folder, "render none.obj --size 4x4 --spp 1 -o a.png", 3, says);
    let says = "raywarp: cut.npy: byte 0: is no .npy file; numpy.save(FILE, rays) writes one\n";
    check(&folder, "trace a.obj cut.npy -o hits.npy", 3, says);
}

#[test]
fn wrong_usage_says_what_is_allowed() {
    let folder = Folder::new();
    folder.file("a.obj", format!("{TRIANGLE}f 1 2 3\n"));
    check(&folder, "render a.obj --spp x", 2, "raywarp: --spp x: must be a whole number\n");
    let says = "raywarp: a.jpg: '.jpg' is no format that is written here; use a name that ends in .png, .exr or .hdr\n";
    check(&folder, "render a.obj -o a.jpg", 2, says);
    let output = folder.command("info a.obj").env("RAYWARP_ISA", "mmx").output().unwrap();
    let says = "raywarp: RAYWARP_ISA=\"mmx\" is no instruction set; known are avx512, avx2, neon, simd128, portable\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), says.to_string()));
}

#[test]
fn a_picture_says_what_was_added_and_shares_what_keeps_them_apart() {
    let folder = Folder::new();
    folder.file("a.obj", format!("{TRIANGLE}f 1 2 3\n"));
    let says = "raywarp: the scene has no camera: framed by its triangles; --eye X,Y,Z looks from elsewhere\n\
        raywarp: the scene has no light: a studio is added (soft lamps, grey backdrop); --light sky, white, none or an image FILE is another\n";
    check(&folder, "render a.obj --size 4x4 --samples 0..1 -o s.exr", 0, says);
    check(&folder, "render a.obj --size 4x4 --samples 1..2 --seed 2 -o t.exr", 0, says);
    let says = "raywarp: s.exr and t.exr are not shares of one render: seeds differ: 0 and 2; merge only files of the same render\n";
    check(&folder, "merge s.exr t.exr -o m.png", 3, says);
    let says = "raywarp: s.exr: exists already; name another output, or leave out --no-clobber to replace it\n";
    check(&folder, "render a.obj --size 4x4 --spp 1 --no-clobber -o s.exr", 5, says);
}

#[cfg(unix)]
#[test]
fn an_interrupted_share_is_written() {
    use crate::long_runs::process::Running;
    let folder = Folder::new();
    folder.file("a.obj", format!("{TRIANGLE}f 1 2 3\n"));
    let line = "render a.obj --size 64x48 --samples 0..100000000 -o share.exr";
    let mut render = Running::new(&mut folder.command_every("0.02", line));
    render.until(&["rendering: ", " samples a pixel"]);
    render.signal("INT");
    let (status, out, said) = render.end();
    let says = "raywarp: interrupted; what is rendered will be written (once more to end at once)";
    assert!(status == Some(130) && said.lines().any(|line| line == says), "{said}");
    assert!(out.starts_with("interrupted; wrote share.exr: 64x48"), "{out}");
}

#[test]
fn a_gpu_that_cannot_hold_a_scene_says_what_it_needs() {
    let Some(place) = place() else { return };
    let output = place.run("trace scene.obj rays.npy --device cuda -o unwritten.npy", &[("MEMORY", 9000)]);
    let says = "raywarp: scene.obj: the scene needs 1 MiB of device memory, 0 MiB are free";
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(4) && said.lines().any(|line| line.starts_with(says)), "{said}");
}
