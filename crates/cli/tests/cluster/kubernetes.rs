//! `kubernetes.yaml`: its commands run for each index as the Job's pods would, and its parts fit together.

use super::{Cluster, example, repository};
use crate::common_folder::text;
use std::path::Path;
use std::process::{Command, Output};

/// `command` and `args` of the containers, in order. They are lists in JSON's syntax, a line each, so that nothing here
/// has to read YAML.
fn commands() -> Vec<Vec<String>> {
    let yaml = std::fs::read_to_string(example("kubernetes.yaml")).unwrap();
    let mut commands: Vec<Vec<String>> = Vec::new();
    for line in yaml.lines() {
        if let Some(list) = line.trim().strip_prefix("command: ") {
            commands.push(serde_json::from_str(list).unwrap());
        } else if let Some(list) = line.trim().strip_prefix("args: ") {
            commands.last_mut().unwrap().extend(serde_json::from_str::<Vec<String>>(list).unwrap());
        }
    }
    commands
}

/// The pod of share `index`, or the one that merges: what the container runs, with the volume at the folder, and fewer
/// samples and pixels.
fn pod(cluster: &Cluster, command: &[String], index: usize) -> Output {
    let volume = cluster.folder.path().display().to_string();
    let words = command.iter().map(|word| match word.as_str() {
        "512" => "8".to_string(),
        "1920x1080" => "24x18".to_string(),
        "$(JOB_COMPLETION_INDEX)" => index.to_string(),
        word => word.replace("/shared", &volume),
    });
    let words: Vec<_> = words.collect();
    cluster.command(example(&words[0])).args(&words[1..]).output().unwrap()
}

#[test]
fn the_pods_of_the_kubernetes_jobs_render_and_merge_the_picture() {
    let cluster = Cluster::new("case $* in *5..6*) once fails && exit 4 ;; esac");
    let [render, merge] = commands().try_into().unwrap();
    let mut tries = 0;
    for index in 0..8 {
        // The pod that merges is there from the start, and fails until the last share has come.
        assert!(!pod(&cluster, &merge, 0).status.success());
        // backoffLimitPerIndex.
        while !pod(&cluster, &render, index).status.success() {
            tries += 1;
            assert!(tries <= 3);
        }
    }
    assert_eq!((tries, cluster.names("room").len()), (1, 8), "{:?}", cluster.names("room"));
    let merged = pod(&cluster, &merge, 0);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert!(text(&merged.stdout).contains(" 24x18, 8 "), "{}", text(&merged.stdout));
    // Two of these shares are one of the others'.
    cluster.folder.succeeds("render room.pbrt --size 24x18 --spp 8 -o whole.exr");
    cluster.folder.succeeds("diff room/picture.exr whole.exr --within 1e-6");
}

#[test]
fn the_parts_of_the_kubernetes_jobs_fit_together() {
    // The file as JSON documents, read by somebody else; and what the API server checks of such Jobs.
    let script = r#"
import json, sys, yaml
jobs = list(yaml.safe_load_all(open(sys.argv[1])))
commands = []
for job in jobs:
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    [volume] = pod["volumes"]
    [mount] = container["volumeMounts"]
    assert mount["name"] == volume["name"]
    assert all(word.startswith(mount["mountPath"] + "/") for word in container["command"] if "/" in word)
    commands.append(container["command"] + container.get("args", []))
    assert all(isinstance(word, str) for word in commands[-1])
shares, merge = jobs
assert shares["metadata"]["name"] != merge["metadata"]["name"]
assert shares["spec"]["completionMode"] == "Indexed" and shares["spec"]["backoffLimitPerIndex"] > 0
# Policies of failure go with this one alone, and without it an index is not counted by itself.
assert shares["spec"]["template"]["spec"]["restartPolicy"] == "Never"
assert merge["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
# Folder, samples and shares of both are the same, and there are so many completions.
assert commands[0][2:5] == commands[1][2:5]
assert shares["spec"]["completions"] == int(commands[0][4])
print(json.dumps(commands))
"#;
    if !raywarp_testing::python_has("yaml") {
        return;
    }
    let output = Command::new("python3").args(["-c", script]).arg(example("kubernetes.yaml")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read, commands());
}

#[test]
fn the_image_copies_what_there_is() {
    let recipe = std::fs::read_to_string(example("Dockerfile")).unwrap();
    let copied: Vec<&str> = recipe
        .lines()
        .filter_map(|line| line.strip_prefix("COPY ").filter(|rest| !rest.starts_with("--from")))
        .flat_map(|rest| rest.split_whitespace().rev().skip(1))
        .collect();
    assert!(!copied.is_empty());
    for name in &copied {
        assert!(repository().join(name).exists(), "there is no {name}");
    }
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
    let members: Vec<String> = serde_json::from_str(members).unwrap();
    for member in members {
        let member = Path::new(member.trim_end_matches("/*"));
        assert!(copied.iter().any(|folder| member.starts_with(folder)), "cargo wants {}", member.display());
    }
}
