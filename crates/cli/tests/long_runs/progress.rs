//! Lines of progress where there is no terminal.

use crate::common_folder::{Folder, TRIANGLE, text};

#[test]
fn every_long_thing_says_how_far_it_is() {
    let folder = Folder::new();
    folder.file("big.obj", TRIANGLE.repeat(100_000));
    let output = folder
        .command_every("0.001", "render big.obj --size 32x24 --spp 2 --integrator normal -o a.png")
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    for line in ["raywarp: loading big.obj: ", " 100.0 k ", "raywarp: rendering: "] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let last = said.lines().rfind(|line| line.contains("rendering: ")).unwrap();
    assert!(last.contains(" %, ") && last.contains(" left, "), "{last}");
}

#[test]
fn a_render_to_a_noise_says_the_noise_it_has_and_the_one_it_wants() {
    let folder = Folder::new();
    let output = folder.command_every("0.002", "render --size 64x48 --noise 0.1 -o a.png").output().unwrap();
    let said = text(&output.stderr);
    assert!(said.lines().any(|line| line.contains(" noise ") && line.contains(" % of 10 %, ")), "{said}");
}

#[test]
fn quiet_commands_and_quick_ones_say_nothing() {
    let folder = Folder::new();
    for (line, seconds) in [("-q", "0.001"), ("", "3600")] {
        let line = format!("render --size 64x48 --spp 16 -o a.png {line}");
        let output = folder.command_every(seconds, &line).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
    }
}
