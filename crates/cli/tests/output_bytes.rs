//! The same command gives the same bytes, wherever and whenever it runs.

use crate::common_folder::{Folder, TRIANGLE, text};

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn two_runs_in_two_folders_agree_to_the_last_byte() {
    let folders = [Folder::new(), Folder::new()];
    for folder in &folders {
        let here = folder.path().display().to_string();
        folder.file("a.obj", TRIANGLE);
        folder.file("deep/b.obj", TRIANGLE);
        folder.file("views.toml", "[[a]]\neye = [0.2, 0.2, 3]\ntarget = [0.2, 0.2, 0]\nup = [0, 1, 0]\nvfov = 40\n");
        for line in [
            "render a.obj --size 16x8 --spp 2 -o a.png -o a.exr -o a.hdr --layers all",
            &format!("render {here}/a.obj --size 16x8 --spp 2 --output={here}/full.png --view {here}/views.toml:a:1"),
            "render a.obj --size 16x8 --samples 0..1 -o 1.exr",
            "render a.obj --size 16x8 --samples 1..3 -o 2.exr",
            &format!("merge 1.exr {here}/2.exr -o merged.exr"),
            "merge 2.exr 1.exr -o merged.png",
            "simulate a.obj --efficiency --variant al09-while-while --size 16x8 --report report.html",
        ] {
            folder.succeeds(line);
        }
    }
    let [here, there] = folders.each_ref().map(Folder::files);
    assert_eq!(here.len(), there.len());
    for ((name, one), (_, other)) in here.iter().zip(&there) {
        assert!(one == other, "{name} differs");
        assert!(!contains(one, "seconds"), "{name} tells a time");
        assert!(!contains(one, &folders[0].path().display().to_string()), "{name} tells a folder");
    }
    let full = folders[0].read("full.png");
    let command = "command: raywarp render a.obj --size 16x8 --spp 2 --output=full.png --view views.toml:a:1\nsamples: 0..2\nseed: 0";
    assert!(contains(&full, command), "{}", text(&full));
}

#[test]
fn a_time_is_recorded_on_request() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    folder.succeeds("render a.obj --size 16x8 --spp 2 --record-time -o a.png -o a.exr");
    for name in ["a.png", "a.exr"] {
        assert!(contains(&folder.read(name), "seed: 0\nseconds: 0."), "{name}");
    }
}
