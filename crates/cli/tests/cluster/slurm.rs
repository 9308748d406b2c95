//! `slurm.sh`, under an `sbatch` that runs jobs at once.

use super::{Cluster, PICTURE, SAMPLES, SHARES, example};
use crate::common_folder::text;
use std::process::Output;

/// Stands in for `sbatch`: jobs run at once, one after the other, from a copy of their script as slurmctld keeps one.
/// It knows arrays, requeued tasks, and `afterok`.
const SBATCH: &str = r#"#!/bin/sh
here=$(dirname "$0")
array= after= otherwise=waits
while :; do
    case $1 in
    --array=*) array=${1#--array=} ;;
    --dependency=afterok:*) after=${1#--dependency=afterok:} ;;
    --kill-on-invalid-dep=yes) otherwise=cancelled ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
job=$(($(cat "$here/job" 2>/dev/null || echo 0) + 1))
echo $job | tee "$here/job"
exec >> "$here/log" 2>&1
if [ -n "$after" ] && [ -e "$here/failed-$after" ]; then
    echo "job $job: $otherwise"
    exit 0
fi
echo "job $job: array=$array"
cp "$1" "$here/slurm_script"
shift
if [ -z "$array" ]; then
    sh "$here/slurm_script" "$@" || : > "$here/failed-$job"
    exit 0
fi
export SLURM_ARRAY_JOB_ID=$job
for SLURM_ARRAY_TASK_ID in $(echo "$array" | tr , ' '); do
    export SLURM_ARRAY_TASK_ID
    unset SLURM_RESTART_COUNT
    until sh "$here/slurm_script" "$@"; do
        if [ ! -e "$here/requeued-${job}_$SLURM_ARRAY_TASK_ID" ]; then
            : > "$here/failed-$job"
            break
        fi
        rm "$here/requeued-${job}_$SLURM_ARRAY_TASK_ID"
        export SLURM_RESTART_COUNT=$((${SLURM_RESTART_COUNT:-0} + 1))
    done
done
"#;

/// Stands in for `scontrol requeue JOB_TASK`.
const SCONTROL: &str = "#!/bin/sh\n[ $1 = requeue ] && : > \"$(dirname \"$0\")/requeued-$2\"\n";

fn cluster(first: &str) -> Cluster {
    let cluster = Cluster::new(first);
    for (name, script) in [("bin/sbatch", SBATCH), ("bin/scontrol", SCONTROL)] {
        cluster.folder.file(name, script);
        cluster.make_executable(name);
    }
    cluster
}

/// `sh slurm.sh`, with more options for the render.
fn submit(cluster: &Cluster, options: &[&str]) -> Output {
    let path = format!("{}:{}", cluster.folder.at("bin").display(), std::env::var("PATH").unwrap());
    let [samples, shares] = [SAMPLES, SHARES].map(|number| number.to_string());
    let mut command = cluster.command("sh");
    command.env("PATH", path).arg(example("slurm.sh")).args(["out", &samples, &shares]);
    command.args(PICTURE).args(options).output().unwrap()
}

/// Submits what must be accepted; what it prints.
#[track_caller]
fn accepted(cluster: &Cluster, options: &[&str]) -> String {
    let output = submit(cluster, options);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_slurm_share_that_fails_is_requeued_and_the_shares_are_merged() {
    let cluster = cluster("case $* in *2..4*) once fails && exit 4 ;; *4..6*) once dies && kill -9 $$ ;; esac");
    let said = accepted(&cluster, &[]);
    assert!([" 0,1,2,3; ", " 2 ", " out/picture.exr\n"].iter().all(|name| said.contains(name)), "{said}");
    cluster.check_merged("out", "out/picture.exr");
    assert_eq!(["0..2", "2..4", "4..6", "6..8"].map(|range| cluster.renders_of(range)), [1, 2, 2, 1]);
    let again = submit(&cluster, &[]);
    assert_eq!(again.status.code(), Some(5));
    assert!(text(&again.stderr).starts_with("slurm.sh: out/picture.exr: "), "{}", text(&again.stderr));
}

#[test]
fn a_slurm_share_that_fails_for_good_keeps_its_picture_unmerged_until_the_same_line_does_it_again() {
    let cluster = cluster("case $* in *2..4*) [ -e \"$here/mended\" ] || exit 3 ;; esac");
    accepted(&cluster, &[]);
    let calls = text(&cluster.folder.read("calls"));
    assert!(!calls.contains("merge") && !cluster.folder.at("out/picture.exr").exists(), "{calls}");
    assert_eq!(["0..2", "2..4"].map(|range| cluster.renders_of(range)), [1, 4]);
    cluster.folder.file("mended", "");
    let said = accepted(&cluster, &[]);
    assert!([" 1; ", " 4 ", " out/picture.exr\n"].iter().all(|name| said.contains(name)), "{said}");
    cluster.check_merged("out", "out/picture.exr");
    assert_eq!(["0..2", "2..4"].map(|range| cluster.renders_of(range)), [1, 5]);
    let log = text(&cluster.folder.read("bin/log"));
    let arrays: Vec<_> = log.lines().filter(|line| line.starts_with("job ")).collect();
    assert_eq!(arrays, ["job 1: array=0,1,2,3", "job 2: cancelled", "job 3: array=1", "job 4: array="]);
}

#[test]
fn a_slurm_share_with_a_wrong_option_or_one_that_was_stopped_is_not_requeued() {
    let stopped = cluster("case $* in *2..4*) exit 130 ;; esac");
    accepted(&stopped, &[]);
    let wrong = cluster("");
    accepted(&wrong, &["--sise"]);
    for cluster in [stopped, wrong] {
        assert_eq!(["0..2", "2..4"].map(|range| cluster.renders_of(range)), [1, 1]);
        assert!(!cluster.folder.at("out/picture.exr").exists());
    }
}
