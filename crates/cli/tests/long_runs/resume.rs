//! Renders in several sittings: sums in pictures, `--resume`, `--write-every`; and what the last line says of them.

use crate::common_folder::{Folder, text};

const SIZE: &str = "--size 40x30";

#[test]
fn a_resumed_render_is_the_uninterrupted_one() {
    let folder = Folder::new();
    folder.prints(&format!("render {SIZE} --spp 24 -o whole.hdr"));
    folder.prints(&format!("render {SIZE} --spp 5 -o a.exr --layers sums"));
    let line = folder.prints(&format!("render {SIZE} --resume a.exr --spp 13 -o b.exr --layers sums,samples"));
    assert!(
        line.starts_with("wrote b.exr: 40x30 ")
            && [" 13 ", " 5 ", " --resume, "].iter().all(|part| line.contains(part)),
        "{line}"
    );
    folder.prints(&format!("render {SIZE} --resume b.exr --spp 24 -o c.hdr"));
    assert!(folder.read("whole.hdr") == folder.read("c.hdr"));
    // A share from sample 0 is as good, and a picture with sums is a share.
    folder.prints(&format!("render {SIZE} --samples 0..5 -o share.exr"));
    folder.prints(&format!("render {SIZE} --resume share.exr --spp 24 -o d.hdr"));
    assert!(folder.read("whole.hdr") == folder.read("d.hdr"));
    folder.prints(&format!("render {SIZE} --samples 13..24 -o rest.exr"));
    folder.prints("merge rest.exr b.exr -o merged.hdr");
    assert!(folder.read("whole.hdr") == folder.read("merged.hdr"));
    // And a merged one is a picture with sums.
    folder.prints("merge rest.exr b.exr -o merged.exr --layers sums");
    folder.prints(&format!("render {SIZE} --resume merged.exr --spp 24 -o e.hdr"));
    assert!(folder.read("whole.hdr") == folder.read("e.hdr"));
}

#[test]
fn noise_counts_all_samples() {
    let folder = Folder::new();
    let whole = folder.prints(&format!("render {SIZE} --noise 0.3 -o whole.hdr"));
    assert!(whole.contains(" --noise; wrote whole.hdr") && whole.contains(" 30 %)"), "{whole}");
    folder.prints(&format!("render {SIZE} --spp 3 -o a.exr --layers sums"));
    let line = folder.prints(&format!("render {SIZE} --resume a.exr --noise 0.3 -o b.hdr"));
    assert!(line.contains(" --noise; wrote b.hdr"), "{line}");
    assert!(folder.read("whole.hdr") == folder.read("b.hdr"));
}

#[test]
fn samples_that_are_there_are_said_and_written_again() {
    let folder = Folder::new();
    folder.prints(&format!("render {SIZE} --spp 8 -o a.exr --layers sums"));
    folder.prints(&format!("render {SIZE} --spp 8 -o whole.hdr"));
    for (spp, file) in [(8, "b.hdr"), (4, "c.hdr")] {
        let output = folder.run(&format!("render {SIZE} --resume a.exr --spp {spp} -o {file}"));
        // The samples that are there, and those that are wanted.
        let is_said = |line: &str| line.contains("a.exr has 8 ") && line.contains(&format!(" {spp} "));
        assert!(output.status.success() && text(&output.stderr).lines().any(is_said), "{}", text(&output.stderr));
        assert!(folder.read("whole.hdr") == folder.read(file));
    }
}

#[test]
fn what_cannot_be_resumed_is_refused_and_says_why() {
    let folder = Folder::new();
    for (name, options) in [("sums", "--spp 4 --layers sums"), ("plain", "--spp 4"), ("late", "--samples 4..8")] {
        folder.prints(&format!("render {SIZE} {options} -o {name}.exr"));
    }
    let before = folder.read("sums.exr");
    let go = |file: &str, options: &str| format!("render {SIZE} --resume {file}.exr --spp 8 {options}");
    folder.refuses(&go("plain", "-o x.png"), 3, &["plain.exr", "--layers"]);
    folder.refuses(&go("late", "-o x.png"), 3, &["late.exr", "4..8", "merge"]);
    folder.refuses(&go("none", "-o x.png"), 3, &["none.exr"]);
    folder.refuses(&go("sums", "-o sums.exr"), 2, &["sums.exr"]);
    folder.refuses(&go("sums", "-o x.png --seed 3"), 3, &["sums.exr", "seeds"]);
    folder.refuses(&go("sums", "-o x.png --max-depth 2"), 3, &["sums.exr", "bounces"]);
    folder.refuses(&go("sums", "-o x.png --connect-last"), 3, &["sums.exr", "connections"]);
    folder.refuses(&go("sums", "-o x.png --eye 0,1,5 --target 0,1,0"), 3, &["sums.exr", "cameras"]);
    folder.refuses(&go("sums", "-o x.png --clay 0.5"), 3, &["sums.exr", "materials"]);
    folder.refuses(&go("sums", "-o x.exr --layers albedo"), 3, &["sums.exr", "layers", "albedo,normal,depth"]);
    folder.refuses(&format!("render {SIZE} --resume sums.exr --samples 4..8 -o x.exr"), 2, &["--samples"]);
    folder.refuses(&format!("render {SIZE} -o x.png --layers sums"), 2, &["--layers", ".exr"]);
    folder.refuses(&format!("render {SIZE} -o x.png --write-every 0"), 2, &["--write-every"]);
    assert!(folder.read("sums.exr") == before);
}

#[test]
fn the_last_line_and_the_document_say_the_time_of_the_whole_command_and_its_parts() {
    let folder = Folder::new();
    let line = folder.prints(&format!("render {SIZE} --spp 4 -o a.png"));
    let parts = line.split_once(" s (load ").unwrap_or_else(|| panic!("{line}")).1;
    assert!(parts.contains(", tree ") && parts.contains(", render ") && parts.contains(", write "), "{line}");
    let document = folder.json(&format!("render {SIZE} --spp 4 -o a.png"));
    let seconds = |name: &str| document[name].as_f64().unwrap_or_else(|| panic!("{name} is missing"));
    let parts = ["load_seconds", "build_seconds", "seconds", "write_seconds"].map(seconds);
    assert!(seconds("total_seconds") >= parts.iter().sum::<f64>(), "{document:#}");
}

#[test]
fn writing_now_and_then_does_not_change_the_final_picture() {
    let folder = Folder::new();
    folder.prints(&format!("render {SIZE} --spp 32 -o a.hdr"));
    folder.prints(&format!("render {SIZE} --spp 32 -o b.hdr -o b.png --write-every 0.001"));
    assert!(folder.read("a.hdr") == folder.read("b.hdr"));
    assert_eq!(folder.names(), ["a.hdr", "b.hdr", "b.png"]);
}

#[cfg(unix)]
mod signals {
    use super::super::process::Running;
    use super::*;
    use std::time::Duration;

    /// Waits until a render that never ends has written `name`.
    fn wait_for(folder: &Folder, name: &str) {
        while !folder.at(name).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_render_that_is_killed_leaves_its_last_picture_to_go_on_with() {
        let folder = Folder::new();
        let line = format!("render {SIZE} --spp 100000000 -o a.exr -o a.png --layers sums --write-every 0.01");
        let render = Running::new(&mut folder.command_every("3600", &line));
        wait_for(&folder, "a.exr");
        wait_for(&folder, "a.png");
        render.signal("KILL");
        assert_eq!(render.end().0, None);
        let document = folder.json("merge a.exr -o b.png");
        let samples = document["samples"].as_u64().unwrap();
        assert!(samples > 0 && document["samples_most"] == samples, "{document:#}");
        let line = folder.prints(&format!("render {SIZE} --resume a.exr --spp {} -o c.png", samples + 1));
        assert!([format!(" {} ", samples + 1), format!(" {samples} ")].iter().all(|count| line.contains(count)));
    }

    #[test]
    fn a_share_is_a_share_of_the_samples_so_far() {
        let folder = Folder::new();
        let line = format!("render {SIZE} --samples 7..100000000 -o a.exr --write-every 0.01");
        let render = Running::new(&mut folder.command_every("3600", &line));
        wait_for(&folder, "a.exr");
        render.signal("KILL");
        render.end();
        let output = folder.run("merge a.exr -o b.png");
        assert!(output.status.success() && text(&output.stderr).contains(" 0..7"));
    }

    #[test]
    fn an_interrupted_render_with_sums_goes_on_where_it_ended() {
        let folder = Folder::new();
        let line = format!("render {SIZE} --spp 100000000 -o a.exr --layers sums");
        let mut render = Running::new(&mut folder.command_every("0.02", &line));
        render.until(&["rendering: "]);
        render.signal("TERM");
        let (status, out, _) = render.end();
        assert!(status == Some(130) && out.starts_with("interrupted; ") && out.contains(" a.exr: "), "{out}");
        let has = out.split(", ").nth(1).unwrap().split(' ').next().unwrap().parse::<u32>().unwrap();
        folder.prints(&format!("render {SIZE} --resume a.exr --spp {} -o b.hdr", has + 3));
        folder.prints(&format!("render {SIZE} --spp {} -o c.hdr", has + 3));
        assert!(folder.read("b.hdr") == folder.read("c.hdr"));
    }

    #[test]
    fn a_failure_to_write_now_and_then_is_said_once_and_the_render_goes_on() {
        let folder = Folder::new();
        std::fs::create_dir(folder.at("out")).unwrap();
        let line = format!("render {SIZE} --spp 100000000 -o out/a.png --write-every 0.01");
        let mut render = Running::new(&mut folder.command_every("0.05", &line));
        wait_for(&folder, "out/a.png");
        // The picture may be written just now.
        while std::fs::remove_dir_all(folder.at("out")).is_err() {}
        render.until(&["--write-every: out/a.png"]);
        for _ in 0..5 {
            render.until(&["rendering: "]);
        }
        render.signal("TERM");
        let (status, _, said) = render.end();
        assert_eq!((status, said.matches("--write-every").count()), (Some(5), 1), "{said}");
    }
}
