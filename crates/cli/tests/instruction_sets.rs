//! `RAYWARP_ISA`: the same picture with every instruction set of this CPU, and what becomes of other names.

use crate::common_folder::{Folder, TRIANGLE, check_fails, text};
use raywarp::cpu::Isa;
use std::process::Output;

/// The command with the words of `line`, told to use `isa`.
fn run_with(folder: &Folder, isa: &str, line: &str) -> Output {
    folder.command(line).env(Isa::VARIABLE, isa).output().unwrap()
}

#[test]
fn every_instruction_set_makes_the_same_pictures_byte_for_byte() {
    let room = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/room.pbrt");
    let knot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/knot.ply.gz");
    let materials = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/materials.pbrt");
    let mut pictures = Vec::new();
    for isa in Isa::all() {
        let folder = Folder::new();
        folder.file("triangle.obj", TRIANGLE);
        for line in [
            "render --size 160x107 --spp 4 -o built-in.exr --layers all",
            "render triangle.obj --size 33x17 --spp 3 -o triangle.exr",
            &format!("render {room} --size 80x60 --spp 4 -o room.exr"),
            &format!("render {room} --clay 0.7 --size 81x61 --spp 3 --sampler xor32 -o clay.exr"),
            &format!("render {knot} --size 80x60 --spp 2 -o knot.exr"),
            &format!("render {materials} --size 80x60 --spp 2 -o materials.exr"),
        ] {
            let output = run_with(&folder, isa.name(), &format!("{line} -v"));
            assert!(output.status.success(), "{line}: {}", text(&output.stderr));
            let is_named = |line: &str| line.starts_with("raywarp: instruction") && line.ends_with(&format!(" {isa}"));
            assert!(text(&output.stderr).lines().any(is_named), "{}", text(&output.stderr));
        }
        pictures.push((isa, folder.files()));
    }
    let (first, files) = &pictures[0];
    assert_eq!(files.len(), 7);
    for (isa, others) in &pictures[1..] {
        for ((name, one), (_, other)) in files.iter().zip(others) {
            assert!(one == other, "{name} of {isa} differs from {first}'s");
        }
    }
}

#[test]
fn what_is_no_instruction_set_is_refused_and_what_this_cpu_lacks_too() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let refused = run_with(&folder, "sse9", "info a.obj");
    check_fails(&refused, 2, &["raywarp: RAYWARP_ISA=\"sse9\" ", "avx512"]);
    for name in Isa::NAMES.into_iter().filter(|name| Isa::all().iter().all(|isa| isa.name() != *name)) {
        let lacking = run_with(&folder, name, "info a.obj");
        check_fails(&lacking, 4, &[name]);
    }
    assert_eq!(run_with(&folder, "", "info a.obj").status.code(), Some(0));
}

#[test]
fn the_version_says_which_one_is_used() {
    let folder = Folder::new();
    for (name, says) in [("portable", "portable is used"), ("sse9", "\"sse9\"")] {
        let output = run_with(&folder, name, "--version");
        assert!(output.status.success());
        let said = text(&output.stdout);
        assert!(said.contains(says), "{said}");
    }
}
