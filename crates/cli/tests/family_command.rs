//! `trace` and `variants` as a user meets them: ray files in, hit files and statuses out.

use crate::common_folder::{Folder, text};
use crate::common_rays::npy;
#[cfg(unix)]
use std::process::{Command, Stdio};

/// t, u, v, primitive, instance of each record of a hit file.
fn hits(file: &[u8]) -> Vec<([f32; 3], [u32; 2])> {
    assert!(file.starts_with(b"\x93NUMPY\x01\x00\xb6\x00{'descr': [('t', '<f4'), ('u', '<f4'), ('v', '<f4'), "));
    let words = file[192..].as_chunks::<4>().0;
    assert_eq!(words.len() % 5, 0);
    let record = |words: &[[u8; 4]]| {
        let float = |i: usize| f32::from_le_bytes(words[i]);
        ([float(0), float(1), float(2)], [u32::from_le_bytes(words[3]), u32::from_le_bytes(words[4])])
    };
    words.chunks_exact(5).map(record).collect()
}

const MISS: u32 = u32::MAX;
const INF: f32 = f32::INFINITY;
/// A square in z = 0 and one in z = 1: triangles 0 to 3 of one mesh.
const SQUARES: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 2 3\nf 2 4 3\nf 5 6 7\nf 6 8 7\n";
/// Down onto the high square, up between the two, past both, and one that is none.
const RAYS: [[f32; 8]; 5] = [
    [0.25, 0.25, 3.0, 0.0, 0.0, 0.0, -1.0, INF],
    [0.75, 0.75, 0.5, 0.0, 0.0, 0.0, 0.25, INF],
    [0.75, 0.75, 3.0, 2.5, 0.0, 0.0, -1.0, 4.0],
    [2.0, 0.0, 3.0, 0.0, 0.0, 0.0, -1.0, 7.0],
    [0.25, 0.25, f32::NAN, 0.0, 0.0, 0.0, -1.0, 9.0],
];

#[test]
fn rays_go_in_and_hits_come_out() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&RAYS));
    let output = folder.succeeds("trace a.obj rays.npy -o hits.npy");
    let line = text(&output.stdout);
    assert!(line.starts_with("wrote hits.npy: 5 ") && line.lines().count() == 1, "{line}");
    assert!(line.contains("Mrays/s; cpu/wide8 ("), "{line}");
    let found = hits(&folder.read("hits.npy"));
    let t: Vec<f32> = found.iter().map(|hit| hit.0[0]).collect();
    assert_eq!(t, [2.0, 2.0, 3.0, 7.0, 9.0]);
    assert_eq!((found[0].0, found[1].0), ([2.0, 0.25, 0.25], [2.0, 0.5, 0.25]));
    let ids: Vec<[u32; 2]> = found.iter().map(|hit| hit.1).collect();
    assert_eq!(ids, [[2, 0], [3, 0], [1, 0], [MISS, MISS], [MISS, MISS]]);

    let document = folder.succeeds("trace a.obj rays.npy -o any.npy --any --json").stdout;
    let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    assert_eq!((&document["rays"], &document["hits"], &document["invalid"]), (&5.into(), &3.into(), &1.into()));
    assert_eq!(document["kernels"], serde_json::json!([{ "kernel": "cpu/wide8", "rays": 5 }]));
    assert_eq!((&document["builder"], &document["max_leaf"]), (&"binned".into(), &8.into()));
    assert!(document["variant"].is_null() && document["rays_per_s"].as_f64().unwrap() > 0.0);
    let any = folder.read("any.npy");
    assert!(text(&any[10..128]).starts_with("{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }"));
    assert_eq!(any[128..], [1, 1, 1, 0, 0]);
    assert_eq!(folder.names(), ["a.obj", "any.npy", "hits.npy", "rays.npy"]);
}

#[test]
fn pipes_at_both_ends_carry_the_same_bytes_as_files() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&RAYS));
    for options in ["", "--any", "--variant al09-while-while"] {
        folder.succeeds(&format!("trace a.obj rays.npy -o hits.npy {options}"));
        let output = folder.run_piped(&format!("trace a.obj - -o - {options}"), npy(&RAYS));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(output.stdout == folder.read("hits.npy"), "{options}");
        assert!(text(&output.stderr).contains(" 5 "), "{}", text(&output.stderr));
        let quiet = folder.run_piped(&format!("trace --scene a.obj - -o - -q {options}"), npy(&RAYS));
        assert!(quiet.stdout == output.stdout && quiet.stderr.is_empty());
    }
    let cut = folder.run_piped("trace a.obj - -o -", &npy(&RAYS)[..150]);
    assert_eq!((cut.status.code(), cut.stdout.len()), (Some(3), 0));
    assert!(text(&cut.stderr).contains("input: byte 150: "), "{}", text(&cut.stderr));
    folder.refuses("trace a.obj rays.npy -o - --json", 2, &["-o -", "--json"]);
}

#[test]
fn every_variant_of_the_papers_finds_the_same_hits() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&RAYS));
    folder.succeeds("trace a.obj rays.npy -o cpu.npy");
    let expected = hits(&folder.read("cpu.npy"));
    let rows: serde_json::Value = serde_json::from_slice(&folder.succeeds("variants --json").stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert!(rows.len() >= 30);
    for row in rows {
        let name = row["name"].as_str().unwrap();
        let document = folder.succeeds(&format!("trace a.obj rays.npy -o hits.npy --json --variant {name}")).stdout;
        let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
        assert_eq!((&document["variant"], &document["machine"]), (&row["variant"], &"lockstep 32".into()));
        let most = match row["tree"].as_str().unwrap() {
            "cwbvh8" => 3,
            "h8" => 1,
            _ => 8,
        };
        assert_eq!(document["max_leaf"], most, "{name}");
        for (got, want) in hits(&folder.read("hits.npy")).iter().zip(&expected) {
            let near = got.0.iter().zip(&want.0).all(|(a, b)| (a - b).abs() < 1e-5 || a == b);
            assert!(near && got.1 == want.1, "{name}: {got:?} instead of {want:?}");
        }
    }
    // Whoever runs it, a kernel finds the same.
    let bytes = |options: &str| {
        folder.succeeds(&format!("trace a.obj rays.npy -o hits.npy --variant ykl17 {options}"));
        folder.read("hits.npy")
    };
    let all = ["", "--width scalar", "--width 8", "--threads 1", "--builder lbvh", "--preset best", "--max-leaf 1"]
        .map(bytes);
    assert!(all.iter().all(|file| *file == all[0]));
    let document = folder.json("trace a.obj rays.npy -o hits.npy --preset good --builder sweep");
    assert_eq!((&document["builder"], &document["max_leaf"]), (&"sweep".into(), &8.into()));
    assert!(document["reinsertion"].as_u64() > Some(0), "{document}");
}

#[test]
fn instances_of_a_document_are_counted_in_its_order() {
    let folder = Folder::new();
    // One triangle, placed at x = 0, 10 and 20 by nodes of one document.
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    folder.file("a.bin", bytes);
    folder.file(
        "a.gltf",
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":36}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "nodes":[{"mesh":0},{"mesh":0,"translation":[10,0,0]},{"mesh":0,"translation":[20,0,0]}],
        "scenes":[{"nodes":[0,1,2]}],"scene":0}"#,
    );
    let down = |x: f32| [x + 0.25, 0.25, 5.0, 0.0, 0.0, 0.0, -1.0, INF];
    folder.file("rays.npy", npy(&[20.0, 0.0, 10.0, 5.0].map(down)));
    for options in ["", "--variant g14", "--variant al09-packet"] {
        folder.succeeds(&format!("trace a.gltf rays.npy -o hits.npy {options}"));
        let ids: Vec<[u32; 2]> = hits(&folder.read("hits.npy")).iter().map(|hit| hit.1).collect();
        assert_eq!(ids, [[0, 2], [0, 0], [0, 1], [MISS, MISS]], "{options}");
    }
}

#[test]
fn rays_that_cannot_be_read_end_with_3_and_name_the_byte() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    let good = npy(&RAYS);
    folder.file("good.npy", &good);
    let replace = |from: &str, to: &str| {
        let at = good.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
        [&good[..at], to.as_bytes(), &good[at + from.len()..]].concat()
    };
    for (name, bytes, says) in [
        ("text.npy", b"0 0 0\n".to_vec(), ["byte 0: ", ".npy"]),
        ("empty.npy", vec![], ["byte 0: ", ".npy"]),
        ("short.npy", good[..200].to_vec(), ["byte 200: ", " 5 "]),
        ("long.npy", [&good[..], &[0; 32]].concat(), ["byte 288: ", " 5 "]),
        ("double.npy", replace("<f4", "<f8"), ["byte 288: ", " 64 "]),
        ("integers.npy", replace("<f4", "<i4"), ["byte 20", "astype('<f4')"]),
        ("six.npy", replace("(5, 8)", "(5, 6)"), ["byte 248: ", " 5 "]),
        ("seven.npy", replace("(5, 8)", "(5, 7)"), ["byte 60: ", " t_min dx "]),
        ("lie.npy", replace("(5, 8), }         ", "(4000000000, 8), }"), ["byte 288", "4000000000"]),
    ] {
        folder.file(name, bytes);
        folder.refuses(&format!("trace a.obj {name} -o hits.npy"), 3, &[name, says[0], says[1]]);
    }
    folder.refuses("trace a.obj none.npy -o hits.npy", 3, &["none.npy"]);
    folder.refuses("trace a.obj . -o hits.npy", 3, &[".", "byte 0"]);
    folder.refuses("trace none.obj good.npy -o hits.npy", 3, &["none.obj"]);
    let mut behind = RAYS;
    behind[1][3] = -0.5;
    folder.file("behind.npy", npy(&behind));
    let line = "trace a.obj behind.npy -o hits.npy --variant alk12-kepler";
    folder.refuses(line, 3, &["behind.npy: byte 172", "ray 1", "t_min -0.5", "box=float"]);
    folder.succeeds("trace a.obj behind.npy -o hits.npy --variant alk12-kepler-float");
}

#[test]
fn wrong_usage_ends_with_2_and_what_is_not_there_with_4_or_5() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&RAYS));
    for (line, says) in [
        ("trace", "SCENE"),
        ("trace a.obj rays.npy", "--output"),
        ("trace a.obj -o hits.npy", " SCENE RAYS -o HITS"),
        ("trace --scene a.obj a.obj rays.npy -o hits.npy", "SCENE or --scene"),
        ("trace a.obj rays.npy -o hits.npy --width 8", "--variant"),
        ("trace a.obj rays.npy -o hits.npy --variant direct/packet/wide4", "AL09 3.1"),
        ("trace a.obj rays.npy -o hits.npy --variant fastest", "supply/loop/tree"),
        ("trace a.obj rays.npy -o hits.npy --variant g14 --width 0", "1 to 64"),
        ("trace a.obj rays.npy -o hits.npy --variant g14 --width 65", "1 to 64"),
        ("trace a.obj rays.npy -o hits.npy --variant al09-wide32 --width 16", " 32"),
        ("trace a.obj rays.npy -o hits.npy --max-leaf 0", "max_leaf"),
        ("trace a.obj rays.npy -o hits.npy --builder best", "sweep"),
        ("trace a.obj rays.npy -o hits.foo", "-o hits.foo: "),
        ("trace a.obj rays.npy -o hits.npy --device cuda:00", "cuda:N"),
        ("variants g14", "g14"),
    ] {
        folder.refuses(line, 2, &[says]);
    }
    let implicit = "--variant direct/while-while/bvh2?sync=implicit";
    folder.refuses(&format!("trace a.obj rays.npy -o hits.npy {implicit}"), 4, &["GPU", "sync=implicit"]);
    folder.refuses("trace a.obj rays.npy -o none/hits.npy", 5, &["none"]);
    folder.refuses("trace a.obj rays.npy -o .", 5, &["folder"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_with_5() {
    if raywarp_testing::full_device().is_none() {
        return;
    }
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&RAYS));
    folder.refuses("trace a.obj rays.npy -o /dev/full", 5, &["full"]);
    let output = folder.run_shell("$R trace a.obj rays.npy -o - -q > /dev/full");
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_tracing_ends_with_130_and_writes_nothing() {
    let folder = Folder::new();
    folder.file("a.obj", SQUARES);
    folder.file("rays.npy", npy(&[RAYS[0]; 2_000_000]));
    // Seconds of work for one thread that imitates one lane.
    let line = "trace a.obj rays.npy -o hits.npy --variant al09-queue --threads 1";
    let child = folder.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.starts_with("raywarp: interrupted ") && message.lines().count() == 1, "{message}");
    assert_eq!(folder.names(), ["a.obj", "rays.npy"]);
}

#[test]
fn triangles_with_holes_are_taken_as_opaque_and_that_is_said() {
    let folder = Folder::new();
    folder.file("a.obj", "mtllib a.mtl\nusemtl glass\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("a.mtl", "newmtl glass\nKd 1 1 1\nd 0.5\n");
    folder.file("rays.npy", npy(&RAYS[..1]));
    for options in ["", "--variant g14"] {
        let output = folder.succeeds(&format!("trace a.obj rays.npy -o hits.npy --any {options}"));
        assert!(text(&output.stderr).contains(" 1 of 1 "), "{}", text(&output.stderr));
        assert_eq!(folder.read("hits.npy")[128..], [1]);
    }
}

#[test]
fn variants_are_listed_as_a_table_and_as_json() {
    let folder = Folder::new();
    let table = text(&folder.succeeds("variants").stdout);
    assert!(table.contains("\nal09-while-while                 AL09 3.2 "), "{table}");
    let wide = text(&folder.succeeds("variants --wide").stdout);
    assert!(
        wide.lines().any(|line| line.starts_with("al09-while-while ") && line.ends_with(" direct/while-while/bvh2")),
        "{wide}"
    );
    let legal = text(&folder.succeeds("variants --legal --wide").stdout);
    let document: serde_json::Value =
        serde_json::from_slice(&folder.succeeds("variants --legal --json").stdout).unwrap();
    let count = format!("{} ", document["legal"]);
    assert!(legal.lines().any(|line| line.starts_with(&count)), "{legal}");
    let listed = document["single_changes"].as_array().unwrap();
    assert!(listed.len() > 300);
    assert_eq!(listed.len(), legal.lines().filter(|line| line.split(' ').next().unwrap().contains('/')).count());
}
