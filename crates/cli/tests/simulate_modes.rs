//! Each option of `raywarp simulate` in each mode: taken, or refused with both names.

use crate::common_folder::{check_fails, raywarp, text};
use std::process::Output;

/// The modes, each with what makes it and what its refusals call it.
const MODES: [(char, &str, &str); 6] = [
    ('e', "--efficiency", "--efficiency"),
    ('b', "--machine h200", "--machine"),
    ('c', "--machine h200 --counters none.csv", "--counters"),
    ('m', "--machine h200 --measured none.csv", "--measured"),
    ('x', "--experiment queue", "--experiment"),
    ('k', "--experiment compaction", "--experiment compaction"),
];

/// Options that some modes ignore, with the letters of those that do not.
const OPTIONS: [(&str, &str); 35] = [
    ("--costs none.csv", "b"),
    ("--what-if --report page.html", "bm"),
    ("--operation-cost shuffle=3", "x"),
    ("--frames 2", "k"),
    ("--max-depth 3", "k"),
    ("--clay 0.5", "k"),
    ("--lens-radius 0.1", "k"),
    ("--rays none.npy", "eb"),
    ("--export-operations operations.txt", "eb"),
    ("--workload al09", "ebcmx"),
    ("--kind ao", "ebcmx"),
    ("--sample 99", "ebcmx"),
    ("--rays-per-pixel 2", "ebcmx"),
    ("--shuffle", "ebx"),
    ("--sort morton", "ebx"),
    ("--variant al09-while-while", "ebcm"),
    ("--width 32", "ebk"),
    ("--postpone 2", "eb"),
    ("--set leaves=nested", "eb"),
    ("--set l2.bytes=2x", "bm"),
    ("--set cost.visit_node=-3", "b"),
    ("--leaf-size 4", "ebx"),
    ("--report page.html", "ebmxk"),
    ("--svg .", "ebmxk"),
    ("--preset good", "ebxk"),
    ("--builder sbvh", "ebxk"),
    ("--reinsertion 2", "ebxk"),
    ("--max-leaf 4", "ebxk"),
    ("--traversal-cost 2", "ebxk"),
    ("--split 0.5", "ebxk"),
    ("--size 8x8", "ebcmxk"),
    ("--view none.toml:a:1", "ebcmxk"),
    ("--allow-missing --threads 1", "ebcmxk"),
    ("--wide", "ebcmxk"),
    ("--markdown", "ebcmxk"),
];

fn simulate(options: &str) -> Output {
    raywarp(std::env::temp_dir(), &format!("simulate raywarp-no-such-scene.obj {options}")).output().unwrap()
}

#[test]
fn an_option_is_taken_or_refused_with_both_names() {
    for (letter, mode, name) in MODES {
        for (option, modes) in OPTIONS {
            let output = simulate(&format!("{mode} {option}"));
            let said = text(&output.stderr);
            let flag = option.split(' ').next().unwrap();
            if modes.contains(letter) {
                // What is taken gets as far as the file that is not there.
                assert_eq!(output.status.code(), Some(3), "{mode} {option}: {said}");
                continue;
            }
            assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{mode} {option}: {said}");
            // Without spaces around, "--experiment" is in "--experiment compaction" too.
            assert!(said.contains(flag), "{mode} {option}: {said}");
            if !option.starts_with("--set") {
                assert!(said.contains(name), "{mode} {option}: {said}");
            }
        }
    }
}

#[test]
fn a_page_of_measured_rates_takes_a_tree_for_its_own_bounds() {
    let output = simulate("--machine h200 --measured none.csv --report page.html --builder sbvh");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn modes_that_exclude_each_other_are_named() {
    for (options, names) in [
        ("", ["--efficiency, --experiment", "--machine"]),
        ("--efficiency --machine h200", ["--efficiency", "--machine"]),
        ("--efficiency --experiment queue", ["--efficiency", "--experiment"]),
        ("--machine h200 --counters a.csv --measured b.csv", ["--counters", "--measured"]),
        ("--experiment compaction --machine h200", ["--machine", "--experiment compaction"]),
        ("--experiment compaction --kind ao", ["--kind", "--efficiency, --machine"]),
        ("--experiment queue --machine h200 --counters a.csv", ["--counters", "--machine"]),
        ("--efficiency --costs a.csv", ["--costs", "--machine"]),
        ("--efficiency --frames 2", ["--frames", "--experiment compaction"]),
        ("--experiment queue --width 8", ["--width", "--experiment compaction"]),
        ("--costs a.csv", ["--costs", "--machine"]),
        ("--measured a.csv", ["--measured", "--machine"]),
        ("--what-if", ["--what-if", "--machine"]),
        ("--shuffle --sort morton --efficiency", ["--shuffle", "--sort"]),
    ] {
        check_fails(&simulate(options), 2, &names);
    }
}
