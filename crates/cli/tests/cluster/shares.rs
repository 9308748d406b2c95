//! `shares.sh`: which samples a share has, and that its file is whole or not there.

use super::{Cluster, PICTURE, SAMPLES, SHARES};
use crate::common_folder::text;

#[test]
fn shares_cover_all_samples_once_whatever_they_are_split_into() {
    let cluster = Cluster::new("[ \"$1\" = merge ] || { : > \"$8\"; exit 0; }");
    for (samples, shares) in [(1, 1), (7, 3), (10, 4), (100, 100), (1000, 7)] {
        let folder = format!("{samples}-{shares}");
        for index in 0..shares {
            let line = format!("render {folder} {samples} {shares} {index} {}", PICTURE.join(" "));
            let output = cluster.shares_sh(&line);
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        let mut next = 0;
        for name in cluster.names(&folder) {
            let [first, end] = name.trim_end_matches(".exr").split_once('-').map(|(a, b)| [a, b]).unwrap();
            let [first, end]: [u32; 2] = [first, end].map(|number| number.parse().unwrap());
            assert!(first == next && end > first, "{name} after sample {next}");
            // As equal as can be.
            assert!((end - first).abs_diff(samples / shares) <= 1);
            next = end;
        }
        assert_eq!(next, samples);
        assert_eq!(text(&cluster.shares_sh(&format!("missing {folder} {samples} {shares}")).stdout), "\n");
    }
}

#[test]
fn a_share_that_is_there_is_not_rendered_again_and_one_that_is_missing_is_not_merged_over() {
    let cluster = Cluster::new("");
    let picture = PICTURE.join(" ");
    let render = |index: u32| cluster.shares_sh(&format!("render out {SAMPLES} {SHARES} {index} {picture}"));
    let merge = || cluster.shares_sh(&format!("merge out {SAMPLES} {SHARES} -o merged.exr"));
    let missing = || text(&cluster.shares_sh(&format!("missing out {SAMPLES} {SHARES}")).stdout);
    assert_eq!(missing(), "0,1,2,3\n");
    for index in [3, 0, 0, 2] {
        assert!(render(index).status.success());
    }
    assert_eq!((missing().as_str(), cluster.renders_of("0..2")), ("1\n", 1));
    let output = merge();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("out/000002-000004.exr: "), "{}", text(&output.stderr));
    assert!(render(1).status.success() && merge().status.success());
    cluster.check_merged("out", "merged.exr");
}

#[test]
fn what_ended_early_never_gets_the_name_of_a_share() {
    // As an interrupted render: it has written fewer samples, and ends with 130. Then one that is killed, then one of a
    // full disk.
    let cluster = Cluster::new(
        "case $* in *2..4*)\n\
         once int && { \"$real\" $(echo \"$*\" | sed s/2..4/2..3/); exit 130; }\n\
         once kill && kill -9 $$\n\
         once full && exit 5\nesac",
    );
    let line = format!("render out {SAMPLES} {SHARES} 1 {}", PICTURE.join(" "));
    for status in [130, 137, 5] {
        assert_eq!(cluster.shares_sh(&line).status.code(), Some(status));
        assert!(cluster.names("out").is_empty(), "{status}: {:?}", cluster.names("out"));
    }
    assert!(cluster.shares_sh(&line).status.success());
    assert_eq!(cluster.names("out"), ["000002-000004.exr"]);
}

#[test]
fn wrong_usage_is_said_in_a_line() {
    let cluster = Cluster::new("");
    for (line, name) in [
        ("render out 8", "shares.sh"),
        ("render out 4 8 0 room.pbrt", " 8 "),
        ("render out 8 4 4 room.pbrt", " 4 "),
        ("render out 8 4 -1 room.pbrt", "'-1'"),
        ("render out 8 4 0", "INDEX"),
        ("missing out 08 4", "'08'"),
        ("missing out 8 x", "'x'"),
        ("merge out 8 0 -o a.exr", "'0'"),
        ("paint out 8 4", "'paint'"),
    ] {
        let output = cluster.shares_sh(line);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.starts_with("shares.sh: ") && said.contains(name) && said.lines().count() == 1, "{line}: {said}");
    }
    assert_eq!(cluster.folder.names(), ["program", "room.pbrt"]);
}
