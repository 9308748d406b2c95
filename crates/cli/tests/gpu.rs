//! The command on a GPU, or rather on a pretended driver with emulated kernels, also one that fails.

use raywarp_cuda_emulation::{not_emulated, pretended_driver};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A folder for all tests of this process, with a cache that holds something else at first.
struct Place {
    folder: PathBuf,
    driver: &'static str,
    /// What the first run says on standard error.
    first: String,
}

/// Those of h8: the one that replaces rays, and the one of a ray a lane.
const H8: &str = "replace/phased/h8?batch=exact&occlusion=far&refill=80";
const H8_DIRECT: &str = "direct/phased/h8?occlusion=far&step=75&test=37";
const WATERTIGHT: &str = "direct/while-while/bvh2?triangle=watertight";

const SIZE: &str = "--size 12x8 --spp 2 --max-depth 2";

fn place() -> Option<&'static Place> {
    static PLACE: OnceLock<Option<Place>> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let driver = pretended_driver()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("cache/raywarp")).unwrap();
        std::fs::write(folder.join("cache/raywarp/kernels.tsv"), "a shopping list\n").unwrap();
        std::fs::write(folder.join("scene.obj"), scene()).unwrap();
        std::fs::write(folder.join("rays.npy"), rays()).unwrap();
        let mut place = Place { folder, driver, first: String::new() };
        let output = place.run(&format!("render --device cuda --organisation rays {SIZE} -o first.hdr"), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        place.first = text(&output.stderr);
        Some(place)
    });
    if place.is_none() {
        println!("skipped: no pretended CUDA driver: {}", not_emulated().unwrap_or("it is for Linux only"));
    }
    place.as_ref()
}

impl Place {
    fn run(&self, line: &str, settings: &[(&str, u64)]) -> Output {
        self.run_with("cache", line, settings)
    }

    /// Where the fastest kernels of this GPU were found to be h8's; on the pretended one it is chance which are.
    fn run_on_h8(&self, line: &str, settings: &[(&str, u64)]) -> Output {
        static KEPT: OnceLock<()> = OnceLock::new();
        KEPT.get_or_init(|| {
            let chosen = text(&self.read("cache/raywarp/kernels.tsv"));
            let of_h8 = chosen.lines().map(|line| {
                let mut words: Vec<&str> = line.split('\t').collect();
                if let Some(variant) = words.get_mut(6) {
                    *variant = H8;
                }
                words.join("\t") + "\n"
            });
            std::fs::create_dir_all(self.folder.join("h8-cache/raywarp")).unwrap();
            std::fs::write(self.folder.join("h8-cache/raywarp/kernels.tsv"), of_h8.collect::<String>()).unwrap();
        });
        self.run_with("h8-cache", line, settings)
    }

    fn run_with(&self, cache: &str, line: &str, settings: &[(&str, u64)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace());
        command.env("LD_LIBRARY_PATH", self.driver).env("XDG_CACHE_HOME", self.folder.join(cache));
        command.envs(settings.iter().map(|(name, value)| (format!("RAYWARP_PRETEND_{name}"), value.to_string())));
        command.output().unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `line`, whose output is the file `output`, with a failure at every call of the driver, or at as many as
    /// `step` leaves: the same bytes as `right`, if nothing failed; else status 4, one or two lines, and no file.
    fn fails_well(&self, line: &str, output: &str, right: &[u8], memory: u64, step: usize) {
        let path = self.folder.join(output);
        for once in [false, true] {
            let mut failures = 0;
            for call in (0..10).chain((10..).step_by(step)) {
                let mut settings = vec![("FAILS_AT", call), ("MEMORY", memory)];
                settings.extend(once.then_some(("FAILS_ONCE", 1)));
                let ended = self.run(line, &settings);
                let message = text(&ended.stderr);
                if ended.status.code() == Some(0) {
                    assert!(self.read(output) == right, "call {call}: another result");
                    std::fs::remove_file(&path).unwrap();
                    break;
                }
                failures += 1;
                let said: Vec<&str> = message.lines().filter(|line| !line.contains("tuned")).collect();
                assert_eq!(ended.status.code(), Some(4), "call {call}: {message}");
                assert!((1..=2).contains(&said.len()) && said[0].starts_with("raywarp: "), "call {call}: {message}");
                assert!(!path.exists() && ended.stdout.is_empty(), "call {call} failed, but there is a result");
            }
            assert!(failures > 12, "{failures}");
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A bumpy sheet.
fn scene() -> String {
    let mut text = String::new();
    for (x, y) in (0..12).flat_map(|y| (0..12).map(move |x| (x, y))) {
        text += &format!("v {x} {y} {}\n", (x * 7 + y * 5) % 3);
    }
    for (x, y) in (0..11).flat_map(|y| (0..11).map(move |x| (x, y))) {
        let first = 12 * y + x + 1;
        text += &format!("f {} {} {} {}\n", first, first + 1, first + 13, first + 12);
    }
    text
}

/// 2500 rays as an array of NumPy's, downwards and aslant.
fn rays() -> Vec<u8> {
    let count = 2500;
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 8), }}");
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header += "\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for i in 0..count {
        let (x, y) = ((i % 50) as f32 * 0.25 - 0.4, (i / 50) as f32 * 0.25 - 0.4);
        let ray = [x, y, 9.0, 0.0, 0.02 * (i % 7) as f32, 0.1, -1.0, f32::INFINITY];
        ray.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
    bytes
}

#[test]
fn a_gpu_renders_the_picture_of_the_cpu_and_says_by_which_kernels() {
    let Some(place) = place() else { return };
    place.run(&format!("render --device cpu {SIZE} -o cpu.hdr"), &[]);
    assert!(place.read("first.hdr") == place.read("cpu.hdr"));
    // On a busy machine there are lines of progress, too.
    let lines: Vec<&str> = place.first.lines().filter(|line| !line.contains("timing the kernels")).collect();
    assert!(lines.len() == 2 && lines[0].contains("kernels.tsv: it does not begin with"), "{lines:?}");
    assert!(lines[1].starts_with("raywarp: cuda: closest hits by watertight") && lines[1].contains("tuned in"));
    // The choice is kept.
    let cache = place.read("cache/raywarp/kernels.tsv");
    let again = place.run(&format!("render --device cuda --organisation rays {SIZE} -o again.hdr"), &[]);
    assert!(text(&again.stderr).contains("tuned earlier") && text(&again.stderr).lines().count() == 1);
    assert!(place.read("again.hdr") == place.read("cpu.hdr") && place.read("cache/raywarp/kernels.tsv") == cache);
}

#[test]
fn several_gpus_render_the_picture_of_the_cpu_and_say_what_each_keeps() {
    let Some(place) = place() else { return };
    let three = [("DEVICES", 3)];
    let size = "scene.obj --size 44x27 --spp 2 --max-depth 2";
    place.run(&format!("render --device cpu {size} -o cpu44.hdr"), &[]);
    let all: &[&[u32]] = &[&[0], &[1], &[0, 1], &[2, 0], &[0, 1, 2]];
    for (device, used) in ["cuda", "cuda:1", "cuda:0,1", "cuda:2,0", "cuda:all"].into_iter().zip(all) {
        for (organisation, most) in [("wavefront", 1 << 17), ("megakernel", 1 << 21)] {
            let line = format!("render -v --device {device} --organisation {organisation} {size} -o gpus.hdr");
            let said = text(&place.run(&line, &three).stderr);
            assert!(place.read("gpus.hdr") == place.read("cpu44.hdr"), "{line}: {said}");
            let lines: Vec<&str> = said.lines().filter(|line| line.contains("what shading reads")).collect();
            assert_eq!(lines.len(), used.len(), "{said}");
            for (line, ordinal) in lines.iter().zip(*used) {
                assert!(line.starts_with(&format!("raywarp: cuda:{ordinal} (pretended GPU): tree ")), "{line}");
                assert!(line.contains(&format!("MB are free, at most {most} paths of ")), "{line}");
            }
        }
    }
    let output = place.run(&format!("render --json --device cuda:2,0 {size} -o gpus.hdr"), &three);
    assert!(
        text(&output.stdout).contains("\"devices\": [\n    \"cuda:2\",\n    \"cuda:0\"\n  ]"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn each_organisation_gives_the_picture_of_the_cpu() {
    let Some(place) = place() else { return };
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/room.pbrt");
    std::fs::copy(&room, place.folder.join("room.pbrt")).unwrap();
    let picture = "room.pbrt --size 20x15 --spp 3 --sampler xor32";
    place.run(&format!("render --device cpu {picture} -o room-cpu.hdr"), &[]);
    let right = place.read("room-cpu.hdr");
    for options in [
        "wavefront-sorted",
        "wavefront-sorted --counts host --paths-in-flight 200",
        "wavefront",
        "wavefront --counts host",
        "graph",
        "graph --paths-in-flight 70",
        "megakernel",
        "compact",
        "compact --compaction atomics --counts host",
        "compact --compaction off --paths-in-flight 100",
        "tiled-global",
        "tiled-global --paths-a-thread 1",
        "tiled-shared",
        "tiled-shared --paths-a-thread 3",
        "regenerate",
        "regenerate --compaction scan --counts host --paths-in-flight 200",
        "regenerate --compaction atomics --paths-in-flight 70",
        "split",
        "split --paths-in-flight 100",
        "rays",
    ] {
        let line = format!("render --device cuda --organisation {options} {picture} -o room.hdr");
        let ended = place.run(&line, &[]);
        assert_eq!(ended.status.code(), Some(0), "{options}: {}", text(&ended.stderr));
        assert!(place.read("room.hdr") == right, "{options}: another picture");
        std::fs::remove_file(place.folder.join("room.hdr")).unwrap();
    }
}

#[test]
fn what_an_organisation_does_not_know_of_is_refused_in_a_line() {
    let Some(place) = place() else { return };
    for (options, says) in [
        (
            "megakernel --compaction scan",
            "--compaction is for --organisation compact and regenerate; leave it out with megakernel",
        ),
        (
            "tiled-shared --compaction off",
            "--compaction is for --organisation compact and regenerate; leave it out with tiled-shared",
        ),
        (
            "megakernel --compaction-at start",
            "--compaction-at is for --organisation compact; leave it out with megakernel",
        ),
        ("compact --compaction off --compaction-at end", "--compaction off lists no paths; leave out --compaction-at"),
        (
            "compact --paths-a-thread 4",
            "--paths-a-thread is for --organisation tiled-global and tiled-shared; leave it out with compact",
        ),
        (
            "split --counts host",
            "--counts host is for --organisation compact, regenerate, wavefront and wavefront-sorted; leave it out with split",
        ),
        (
            "graph --counts host",
            "--counts host is for --organisation compact, regenerate, wavefront and wavefront-sorted; leave it out with graph",
        ),
        (
            "wavefront-sorted --compaction scan",
            "--compaction is for --organisation compact and regenerate; leave it out with wavefront-sorted",
        ),
        ("rays --paths-in-flight 100", "--paths-in-flight is for --organisation all but rays; leave it out with rays"),
    ] {
        // Before anything is read, and whatever renders.
        for device in ["cuda", "cpu"] {
            let line = format!("render nothing.obj --device {device} --organisation {options} {SIZE} -o none.hdr");
            let output = place.run(&line, &[]);
            assert_eq!(text(&output.stderr), format!("raywarp: {says}\n"), "{line}");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{line}");
        }
    }
    // Numbers out of range, and names that there are not.
    for (options, allowed) in [
        ("tiled-global --paths-a-thread 0", "a whole number from 1 to 512"),
        ("tiled-global --paths-a-thread 513", "a whole number from 1 to 512"),
        ("wavefront --paths-in-flight 0", "a whole number from 1 to 67108864"),
        ("compact --compaction sorted", "known are scan, atomics and off"),
        ("compact --compaction-at middle", "known are start, shadow and end"),
        ("compact --counts nobody", "known are device and host"),
        ("tiled", "did you mean tiled-global or tiled-shared?"),
    ] {
        let output = place.run(&format!("render --device cuda --organisation {options} {SIZE} -o none.hdr"), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {said}");
        assert!(said.lines().count() == 1 && said.contains(allowed), "{options}: {said}");
    }
    assert!(!place.folder.join("none.hdr").exists());
}

/// The tables of a suite of paths in a small room, by `--json`.
fn tables(place: &Place, options: &str) -> Vec<serde_json::Value> {
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/room.pbrt");
    std::fs::copy(&room, place.folder.join("suite.pbrt")).unwrap();
    let output = place.run(&format!("bench suite.pbrt --size 4x3 --runs 1 --json {options}"), &[]);
    assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    document["scenes"][0]["tables"].as_array().unwrap().clone()
}

#[test]
fn a_suite_of_paths_makes_the_tables_that_are_named() {
    let Some(place) = place() else { return };
    let names = |tables: &[serde_json::Value]| -> Vec<String> {
        tables.iter().map(|table| table["name"].as_str().unwrap().to_string()).collect()
    };
    // In their own order.
    assert_eq!(names(&tables(place, "--suite l9 --tables shares,kernels")), ["kernels", "shares"]);
    let blocks = tables(place, "--suite w11 --tables blocks");
    assert_eq!(names(&blocks), ["blocks"]);
    assert_eq!(blocks[0]["same_pictures"], true);
    let rows = blocks[0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * (2 + 3 * 6));
    for row in rows {
        // The pretended GPU gives what PTX says, else 32 registers, and holds two blocks.
        let registers = row["limit"].as_f64().unwrap_or(32.0);
        assert_eq!(row["registers"], registers, "{row}");
        assert_eq!(row["warps"], 2.0 * row["threads"].as_f64().unwrap() / 32.0, "{row}");
        assert!(row["frames/s"].as_f64().unwrap() > 0.0, "{row}");
    }
    for first in [0, 20] {
        assert_eq!([&rows[first]["limit"], &rows[first + 1]["limit"]], ["prebuilt", "none"]);
    }
    for (options, says) in [
        (
            "--suite w11 --tables table-1,queues",
            "--tables queues: --suite w11 has no such table; known are table-1, bounces, bounces-while-while, figure-2, steps, \
             places, walks, shading, resolutions, accumulation, blocks",
        ),
        (
            "--suite l9 --tables blocks",
            "--tables blocks: --suite l9 has no such table; known are queues, counts, stages, rounds, kernels, shares, samplers",
        ),
        (
            "--tables blocks",
            "light, materials, lens, last connections, roulette and --tables are for --suite w11 and l9; leave them out",
        ),
    ] {
        let output = place.run(&format!("bench nothing.obj {options}"), &[]);
        assert_eq!(text(&output.stderr), format!("raywarp: {says}\n"), "{options}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options}");
    }
}

/// The number before `what` in a line.
fn number(line: &str, what: &str) -> f64 {
    let before = line.split_once(what).unwrap_or_else(|| panic!("no {what}: {line}")).0;
    let word = before.trim_end().rsplit(' ').next().unwrap().trim_start_matches('(');
    word.parse().unwrap_or_else(|_| panic!("{word}: {line}"))
}

#[test]
fn what_bounds_a_render_is_foretold_and_stands_before_the_seconds() {
    let Some(place) = place() else { return };
    let scene = "scene.obj --light white --size 24x18 --spp 2 --max-depth 2 --device cuda -v -o bound.hdr";
    let said = |organisation: &str, settings: &[(&str, u64)]| {
        let ended = place.run(&format!("render {scene} --organisation {organisation}"), settings);
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        text(&ended.stderr)
    };
    let wavefront = said("wavefront", &[]);
    let at = |what: &str| {
        let at = wavefront.lines().position(|line| line.contains(what));
        at.unwrap_or_else(|| panic!("no {what}: {wavefront}"))
    };
    // Before the first sample, from the counts, and only then the time that passed.
    let order = ["foretold of each vertex", "first samples after", " launches; ", "foretold from these", "of its own"];
    assert!(order.map(at).is_sorted(), "{wavefront}");
    let [vertex, _, counts, bound, seconds] = order.map(|what| wavefront.lines().nth(at(what)).unwrap());
    // Of a plain scene, by a GPU that moves 16 million bytes and issues 4 million warp instructions a second.
    assert!(vertex.starts_with("raywarp: cuda:0: ") && vertex.contains("256 bytes of state"), "{vertex}");
    assert!(vertex.contains("301 (239 to 371) warp instructions"), "{vertex}");
    let [paths, rays, connections] = [" paths,", " rays extend", " go to lights"].map(|what| number(counts, what));
    let moved = 1e6 * number(counts, " MB of state");
    let issue = (19.81 * paths + 196.8 * rays + 104.69 * connections) / 4e6;
    assert!(rays > paths && connections > 0.0, "{counts}");
    assert!((number(bound, " s to move") - moved / 16e6).abs() < 0.1e6 / 16e6, "{bound}, {counts}");
    assert!((number(bound, " s (") - issue).abs() <= 1e-4, "{bound}, {issue}");
    assert!(bound.ends_with("instructions bind") && seconds.contains(" of which are foretold"), "{bound}, {seconds}");
    // Its instructions were not counted; and a driver may not tell its clock.
    let megakernel = said("megakernel", &[]);
    assert!(megakernel.contains(" s to move the state, instructions of such kernels were not counted"), "{megakernel}");
    let without = said("wavefront", &[("CLOCK", 0)]);
    assert!(without.contains("camera to the film's sums\n") && !without.contains("foretold"), "{without}");
}

#[test]
fn gpus_that_are_not_there_or_cannot_share_are_refused_in_a_line() {
    let Some(place) = place() else { return };
    for (options, devices, status, says) in [
        ("--device cuda:0,2", 2, 4, "--device cuda:0,2: there is no CUDA device 2; 2 found; --device cpu does without"),
        ("--device cuda:all", 0, 4, "--device cuda:all: there is no CUDA device 0; 0 found"),
        ("--device cuda:0,1 --export-rays rays", 2, 2, "--device cuda:0,1: several GPUs only take whole paths"),
        (
            "--device cuda --integrator cost",
            1,
            2,
            "--device cuda: --integrator cost counts what the CPU's own tracer does",
        ),
        ("--device cuda:all --integrator cost", 2, 2, "--device cuda:all: --integrator cost counts what the CPU's own"),
        ("--device cuda:all --organisation rays", 2, 2, "--device cuda:all: several GPUs only take whole paths"),
        (
            "--texture-filter hardware",
            1,
            2,
            "--texture-filter hardware with --device auto: it is for GPUs that are named",
        ),
        ("--texture-filter hardware --device cpu", 1, 2, "--texture-filter hardware with --device cpu: it is for GPUs"),
        (
            "--texture-filter hardware --device cuda --organisation rays",
            1,
            2,
            "--texture-filter hardware: it is for GPUs that take whole paths; leave it out with --organisation rays",
        ),
        (
            "--texture-filter hardware --device cuda --integrator depth --layers all",
            1,
            2,
            "--texture-filter hardware: it is for GPUs that take whole paths; leave it out with",
        ),
    ] {
        let output = place.run(&format!("render {options} {SIZE} -o none.hdr"), &[("DEVICES", devices)]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.lines().count() == 1 && said.starts_with(&format!("raywarp: {says}")), "{said}");
        assert!(!place.folder.join("none.hdr").exists());
    }
    // One GPU is as many as there may be.
    let line = format!("render --device cuda:all --integrator normal {SIZE} -o normal.hdr");
    assert_eq!(place.run(&line, &[]).status.code(), Some(0));
}

/// A wall with an image, and that as a TGA file: 4 x 4 texels in shades of red.
fn wall() -> (String, Vec<u8>) {
    let scene = r#"
        LookAt 0 0 2  0 0 0  0 1 0
        Camera "perspective" "float fov" [ 50 ]
        WorldBegin
        LightSource "infinite" "rgb L" [ 1 1 1 ]
        Texture "wall" "spectrum" "imagemap" "string filename" "wall.tga"
        Material "diffuse" "texture reflectance" "wall"
        Shape "trianglemesh" "point3 P" [ -2 -2 0  2 -2 0  -2 2 0  2 2 0 ] "integer indices" [ 0 1 2 2 1 3 ]
            "point2 uv" [ -1 -1  2 -1  -1 2  2 2 ]
    "#;
    let mut image = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0];
    image.extend((0..16).flat_map(|i: u8| [40, 90, 15 * (i * 7 % 16)]));
    (scene.to_string(), image)
}

#[test]
fn texture_units_filter_where_they_are_asked_to_and_v_says_how_many_images() {
    let Some(place) = place() else { return };
    let (scene, image) = wall();
    std::fs::write(place.folder.join("wall.pbrt"), scene).unwrap();
    std::fs::write(place.folder.join("wall.tga"), image).unwrap();
    let render = |options: &str, output: &str| {
        let ended = place.run(&format!("render wall.pbrt {SIZE} {options} -o {output}"), &[("DEVICES", 2)]);
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        (text(&ended.stderr), place.read(output))
    };
    let (said, cpu) = render("-v --device cpu", "wall-cpu.hdr");
    assert!(!said.contains("texture units"), "{said}");
    let (said, exact) = render("-v --device cuda --texture-filter exact", "wall-exact.hdr");
    assert!(exact == cpu && !said.contains("texture units"), "{said}");
    let (said, units) = render("-v --device cuda --texture-filter hardware", "wall-units.hdr");
    assert!(units != cpu && said.matches(", texture units filter 1 image, ").count() == 1, "{said}");
    let (said, two) = render("-v --device cuda:all --texture-filter hardware", "wall-two.hdr");
    assert!(two == units && said.matches(", texture units filter 1 image, ").count() == 2, "{said}");
    let (_, megakernel) = render("--device cuda --organisation megakernel --texture-filter hardware", "wall-mega.hdr");
    assert!(megakernel == units);
    // A picture of first hits has no textures but those of holes.
    let ao = "--integrator ao --ao-distance 9";
    let (_, cpu) = render(&format!("{ao} --device cpu"), "wall-ao-cpu.hdr");
    let (_, units) = render(&format!("{ao} --device cuda --texture-filter hardware"), "wall-ao.hdr");
    assert!(cpu == units);
}

#[test]
fn first_hits_and_occlusion_are_rendered_on_gpus_as_on_the_cpu() {
    let Some(place) = place() else { return };
    let two = [("DEVICES", 2)];
    for integrator in ["ao --layers all", "ao --ao-distance 0.5 --transparent", "normal --transparent", "depth"] {
        let line =
            format!("scene.obj --size 44x27 --spp 3 --sampler xor32 --lens-radius 0.2 --integrator {integrator}");
        place.run(&format!("render --device cpu {line} -o first-cpu.exr"), &two);
        for device in ["cuda", "cuda:0,1", "cuda --organisation megakernel", "cuda --organisation rays"] {
            let output = place.run(&format!("render -v --device {device} {line} -o first-gpu.exr"), &two);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(are_equal(place, "first-gpu.exr", "first-cpu.exr"), "{device} {line}");
            let rays = said.contains(&format!("{} rays come from the camera", 44 * 27 * 3));
            assert_eq!(rays, !device.ends_with("rays"), "{device} {line}: {said}");
        }
    }
    // An albedo is not there: such layers are shaded by the CPU, of one GPU's hits.
    for integrator in ["normal", "depth"] {
        let line = format!("scene.obj --size 20x12 --spp 2 --integrator {integrator} --layers albedo,depth");
        place.run(&format!("render --device cpu {line} -o layers-cpu.exr"), &two);
        assert_eq!(place.run(&format!("render --device cuda {line} -o layers-gpu.exr"), &two).status.code(), Some(0));
        assert!(are_equal(place, "layers-gpu.exr", "layers-cpu.exr"), "{line}");
        let refused = place.run(&format!("render --device cuda:0,1 {line} -o layers-two.exr"), &two);
        let said = text(&refused.stderr);
        assert!(said.contains("and for layers beside normals and distances, name one"), "{said}");
        assert_eq!(refused.status.code(), Some(2), "{said}");
    }
}

/// Whether two EXR files, whose headers name their commands, hold the same numbers, in layers too.
fn are_equal(place: &Place, a: &str, b: &str) -> bool {
    let said = text(&place.run(&format!("diff {a} {b}"), &[]).stdout);
    let mut layers = said.lines().filter(|line| line.contains("largest"));
    said.contains("every pixel is the same") && layers.all(|line| line.ends_with("RMSE 0, largest 0"))
}

/// Renders with `--device auto` and some pretended devices: what it says of the choice, and whether that needs no -v.
fn auto_says(place: &Place, options: &str, settings: &[(&str, u64)]) -> (String, bool) {
    // Two samples, for a stopping rule that nothing misses: without an end in sight, so far as anybody can know.
    let size = "scene.obj --size 20x12 --max-depth 1 --noise 1e9 --threads 1";
    for device in ["cpu", "auto -v"] {
        let output =
            place.run(&format!("render --device {device} {size} {options} -o chosen-{}.hdr", &device[..3]), settings);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        if device == "cpu" {
            continue;
        }
        assert!(place.read("chosen-aut.hdr") == place.read("chosen-cpu.hdr"), "{options}");
        let said = text(&output.stderr);
        let mut lines = said.lines().filter_map(|line| line.strip_prefix("raywarp: --device auto: "));
        let line = lines.next().unwrap_or_else(|| panic!("{said}")).to_string();
        assert_eq!(lines.next(), None, "{said}");
        // The default, without -v.
        let quiet = text(&place.run(&format!("render {size} {options} -o default.hdr"), settings).stderr);
        assert!(place.read("default.hdr") == place.read("chosen-cpu.hdr"), "{options}");
        return (line.clone(), quiet.contains(&line));
    }
    unreachable!()
}

#[test]
fn auto_takes_gpus_where_they_can_render_and_says_why_where_not() {
    let Some(place) = place() else { return };
    let gpus = "up to 1030792150800 samples are rendered by";
    let one = "cuda:0 (pretended GPU)";
    // The reason, and whether it is told without being asked.
    for (options, settings, says, told) in [
        ("", &[][..], format!("{gpus} {one}"), false),
        ("", &[("DEVICES", 2)], format!("{gpus} {one}, cuda:1 (pretended GPU)"), false),
        // Enough for the scene, and for the scene and the picture, on one of two.
        (
            "",
            &[("DEVICES", 2), ("MEMORY_0", 9000)],
            format!("{gpus} cuda:1 (pretended GPU); not cuda:0: the scene and its picture need "),
            false,
        ),
        ("", &[("DEVICES", 2), ("MEMORY_1", 2_000_000)], format!("{gpus} {one}; not cuda:1: the picture needs"), false),
        ("", &[("MEMORY", 9000)], "the CPU renders: cuda:0: the scene and its picture need".into(), true),
        ("", &[("DEVICES", 0)], "the CPU renders: there is no NVIDIA GPU".into(), false),
        // A driver that does not start, and one whose device fails while the scene is put there.
        ("", &[("FAILS_AT", 0)], "the CPU renders: the CUDA driver failed while counting devices".into(), true),
        ("", &[("FAILS_AT", 60)], "the CPU renders: cuda:0: the CUDA driver failed while".into(), true),
        ("--spp 2 ", &[], "the CPU renders: 480 samples in all; a GPU is worth its start from 100000 on".into(), false),
        ("--integrator normal", &[], format!("{gpus} {one}"), false),
        ("--integrator ao", &[("DEVICES", 2)], format!("{gpus} {one}, cuda:1 (pretended GPU)"), false),
        (
            "--integrator ao --spp 2",
            &[],
            "the CPU renders: 480 samples in all; a GPU is worth its start from 1200000 on".into(),
            false,
        ),
        (
            "--integrator cost",
            &[],
            "the CPU renders: the cost integrator counts what the CPU's own tracer does".into(),
            false,
        ),
        (
            "--organisation rays",
            &[],
            "the CPU renders: a GPU would only trace its rays, which is no faster".into(),
            false,
        ),
    ] {
        let (line, quiet) = auto_says(place, options, settings);
        assert!(line.starts_with(&says), "{options} {settings:?}: {line}");
        assert_eq!(quiet, told, "{options} {settings:?}: {line}");
    }
}

#[test]
fn long_renders_get_a_better_tree_and_the_same_picture() {
    let Some(place) = place() else { return };
    std::fs::write(place.folder.join("two.obj"), "v 0 0 0\nv 9 0 1\nv 9 9 0\nv 0 9 1\nf 1 2 3 4\n").unwrap();
    // From so far away boxes have to grow.
    for camera in ["", "--eye 900,700,800 --target 5,5,0 --vfov 1"] {
        // Two samples each, which nobody knows beforehand of a noise limit that nothing misses.
        for (scene, length, tree) in [
            ("scene.obj", "--spp 2", "binned splits; "),
            ("scene.obj", "--noise 1e9", "binned splits and reinsertion; "),
            ("two.obj", "--noise 1e9", "binned splits and reinsertion, no dearer to walk than spatial splits; "),
        ] {
            let line = format!("{scene} --size 20x12 --max-depth 5 --threads 1 {length} {camera}");
            place.run(&format!("render --device cpu {line} -o long-cpu.hdr"), &[]);
            let gpu = place.run(&format!("render --device cuda -v {line} -o long-gpu.hdr"), &[]);
            let said = text(&gpu.stderr);
            assert_eq!(gpu.status.code(), Some(0), "{said}");
            let built =
                said.lines().find_map(|line| line.strip_prefix("raywarp: the tree for GPUs: one triangle a leaf, "));
            assert!(built.is_some_and(|built| built.starts_with(tree)), "{line}: {said}");
            assert!(place.read("long-gpu.hdr") == place.read("long-cpu.hdr"), "{line}");
        }
    }
}

#[test]
fn a_gpu_answers_rays_as_the_cpu_does() {
    let Some(place) = place() else { return };
    for any in ["", "--any"] {
        for device in ["cpu", "cuda"] {
            let output = place.run(&format!("trace scene.obj rays.npy --device {device} {any} -o {device}.npy"), &[]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        assert!(place.read("cpu.npy") == place.read("cuda.npy"), "{any}");
    }
    // A kernel by name, on the GPU and on the CPU.
    for (device, file) in [("cuda", "gpu-row.npy"), ("cpu", "cpu-row.npy")] {
        let line = format!("trace scene.obj rays.npy --device {device} --variant watertight -o {file}");
        assert_eq!(place.run(&line, &[]).status.code(), Some(0));
    }
    assert!(place.read("gpu-row.npy") == place.read("cpu-row.npy"));
}

/// Traces the rays by the CPU and by `device`, in both queries, and compares.
fn traces_as_the_cpu(place: &Place, device: &str, settings: &[(&str, u64)]) {
    for any in ["", "--any"] {
        let cpu = place.run(&format!("trace scene.obj rays.npy --device cpu {any} -o shared-cpu.npy"), &[]);
        assert_eq!(cpu.status.code(), Some(0), "{}", text(&cpu.stderr));
        let line = format!("trace scene.obj rays.npy --device {device} {any} -o shared.npy");
        let output = place.run(&line, settings);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        assert!(place.read("shared.npy") == place.read("shared-cpu.npy"), "{line}: other hits");
    }
}

#[test]
fn several_gpus_share_rays_and_answer_in_their_order() {
    let Some(place) = place() else { return };
    let three = [("DEVICES", 3)];
    for device in ["cuda:0,1", "cuda:2,0", "cuda:all", "cuda:1,0,2 --variant watertight", "cuda:all --variant auto"] {
        traces_as_the_cpu(place, device, &three);
    }
    let report = |device: &str| {
        let line = format!("trace scene.obj rays.npy --device {device} --json -o shared.npy");
        let output = place.run(&line, &three);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
    };
    for (device, machine) in [("cuda", "cuda"), ("cuda:2,0", "cuda:2,0"), ("cuda:all", "cuda:0,1,2")] {
        let report = report(device);
        assert_eq!((&report["machine"], &report["rays"]), (&machine.into(), &2500.into()), "{device}");
    }
    // One that is not there, and one that fails: a line with its name, status 4, and no file.
    for (device, settings, says) in [
        (
            "cuda:0,3",
            &three[..],
            "raywarp: --device cuda:0,3: there is no CUDA device 3; 3 found; --device cpu does without",
        ),
        ("cuda:all", &[("DEVICES", 0)], "raywarp: --device cuda:all: there is no CUDA device 0; 0 found"),
        ("cuda:1,0", &[("DEVICES", 2), ("MEMORY_0", 9000)], "raywarp: scene.obj: cuda:0: the scene needs 1 MiB"),
    ] {
        let output = place.run(&format!("trace scene.obj rays.npy --device {device} -o lost.npy"), settings);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.lines().any(|line| line.starts_with(says)) && said.lines().count() <= 2, "{said}");
        assert!(!place.folder.join("lost.npy").exists());
    }
    // Commands that use one still say so.
    for command in ["bench scene.obj", "selftest"] {
        let output = place.run(&format!("{command} --device cuda:0,1"), &three);
        assert!(text(&output.stderr).contains("several GPUs are for render and trace; name one"), "{command}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn one_of_several_gpus_that_fails_leaves_no_hits() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o right.npy", &[]);
    let mut failures = 0;
    for call in (0..400).step_by(13) {
        let settings = [("DEVICES", 2), ("FAILS_DEVICE", 1), ("FAILS_AT", call)];
        let ended = place.run("trace scene.obj rays.npy --device cuda:0,1 -o one-failed.npy", &settings);
        let said = text(&ended.stderr);
        if ended.status.code() == Some(0) {
            assert!(place.read("one-failed.npy") == place.read("right.npy"), "call {call}: other hits");
            std::fs::remove_file(place.folder.join("one-failed.npy")).unwrap();
            continue;
        }
        failures += 1;
        assert_eq!(ended.status.code(), Some(4), "call {call}: {said}");
        let said: Vec<&str> = said.lines().filter(|line| !line.contains("tuned")).collect();
        assert!((1..=2).contains(&said.len()) && said[0].starts_with("raywarp: "), "call {call}: {said:?}");
        assert!(!place.folder.join("one-failed.npy").exists(), "call {call} failed, but there is a result");
    }
    assert!(failures > 3, "{failures}");
}

/// As many rays as are worth a GPU beside one thread, most of them from nowhere; an array of NumPy's.
fn many_rays() -> Vec<u8> {
    let count = 1_600_000;
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 8), }}");
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header += "\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(&rays()[rays().len() - 2500 * 32..]);
    // An origin that is no number.
    let nowhere = [f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0].map(f32::to_le_bytes).concat();
    bytes.extend(nowhere.repeat(count - 2500));
    bytes
}

#[test]
fn auto_traces_on_a_gpu_that_is_there_and_pays_and_says_so_and_else_on_the_cpu() {
    let Some(place) = place() else { return };
    std::fs::write(place.folder.join("many.npy"), many_rays()).unwrap();
    let trace = |rays: &str, options: &str, settings: &[(&str, u64)]| {
        let output =
            place.run(&format!("trace scene.obj {rays} --threads 1 --any {options} -o auto-rays.npy"), settings);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stderr);
        let line = said.lines().find_map(|line| line.strip_prefix("raywarp: --device auto: ")).map(str::to_string);
        (line, text(&output.stdout), place.read("auto-rays.npy"))
    };
    let (_, _, right) = trace("many.npy", "--device cpu", &[]);
    // The first has no room for the scene.
    let (line, report, hits) = trace("many.npy", "", &[("DEVICES", 2), ("MEMORY_0", 9000)]);
    let line = line.unwrap_or_default();
    assert!(line.starts_with("1600000 rays are traced by cuda:1 (pretended GPU); not cuda:0: "), "{line}");
    assert!(hits == right && report.contains("(cuda:1), "), "{report}");
    // The reason, and whether it is told without being asked.
    for (settings, says, told) in [
        (&[("DEVICES", 0)][..], "the CPU traces: there is no NVIDIA GPU", false),
        (&[("FAILS_AT", 0)], "the CPU traces: the CUDA driver failed while counting devices", true),
        (&[("FAILS_AT", 3)], "the CPU traces: cuda:0: the CUDA driver failed while", true),
        (&[("MEMORY", 9000)], "the CPU traces: cuda:0: ", true),
    ] {
        let (line, report, hits) = trace("many.npy", "-v", settings);
        let line = line.unwrap_or_default();
        assert!(line.starts_with(says) && report.contains("; cpu ("), "{line}: {report}");
        assert!(hits == right, "{says}");
        assert_eq!(trace("many.npy", "", settings).0.is_some(), told, "{says}");
    }
    // Too few rays, and a kernel that this CPU is to imitate.
    let (line, report, _) = trace("rays.npy", "-v", &[]);
    assert!(report.contains("; cpu ("), "{report}");
    let line = line.unwrap_or_default();
    assert!(line.starts_with("the CPU traces: 2500 rays; a GPU is worth its start from 15009"), "{line}");
    let (line, report, _) = trace("rays.npy", "-v --variant watertight", &[]);
    assert!(line.is_none() && report.contains("direct/while-while/bvh2?triangle=watertight (lockstep"), "{report}");
}

#[test]
fn few_rays_get_the_kernel_of_a_ray_a_lane_where_nobody_names_one_and_the_same_hits() {
    let Some(place) = place() else { return };
    let rays = rays();
    // 2500 rays are many for the two blocks that the pretended GPU runs at once, 400 are few.
    let few = |count: usize| {
        let head = String::from_utf8_lossy(&rays[..128]).replace("(2500, 8)", &format!("({count}, 8) "));
        [&rays[..10], &head.as_bytes()[head.len() - 118..], &rays[128..128 + 32 * count]].concat()
    };
    std::fs::write(place.folder.join("few.npy"), few(400)).unwrap();
    for any in ["", "--any"] {
        for (file, by_size) in [("few.npy", H8_DIRECT), ("rays.npy", H8)] {
            let run = |options: &str| {
                let output =
                    place.run_on_h8(&format!("trace scene.obj {file} {any} {options} --json -o sized.npy"), &[]);
                assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
                let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                (document["variant"].as_str().unwrap_or_default().to_string(), place.read("sized.npy"))
            };
            let (_, right) = run("--device cpu");
            for (options, kernel) in [
                ("--device cuda", by_size),
                ("--device cuda --variant auto", by_size),
                // One that was named stays, however few rays there are.
                ("--device cuda --variant raywarp-h8", H8),
                ("--device cuda --variant raywarp-h8-direct", H8_DIRECT),
            ] {
                let (variant, hits) = run(options);
                assert_eq!(variant, kernel, "{file} {options}");
                assert!(hits == right, "{file} {options}: other hits");
            }
        }
    }
}

/// As if h8 held no more than so many nodes and leaves.
const SMALL_H8: [(&str, u64); 1] = [("H8_BLOCKS", 20)];

#[test]
fn a_scene_that_h8_cannot_hold_goes_to_the_next_kernel_which_is_named() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o small-cpu.npy", &[]);
    for device in ["cuda", "cuda --variant auto", "cuda:0,1"] {
        let line = format!("trace scene.obj rays.npy --device {device} --json -o small.npy");
        let output = place.run_on_h8(&line, &[SMALL_H8[0], ("DEVICES", 2)]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(place.read("small.npy") == place.read("small-cpu.npy"), "{line}");
        let instead = said.lines().filter(|line| line.starts_with(&format!("raywarp: watertight instead of {H8}: ")));
        assert_eq!(instead.count(), 1, "{said}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["variant"], WATERTIGHT);
    }
    // One that was named is not replaced.
    let output = place.run("trace scene.obj rays.npy --device cuda --variant raywarp-h8 -o small-none.npy", &SMALL_H8);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("nodes and leaves") && said.lines().count() == 1, "{said}");
    // Whole paths are of h8 alone: GPUs trace the rays, by what holds them, and the picture is the same.
    for (device, count) in [("cuda", 1), ("cuda:all", 2)] {
        let picture = format!("scene.obj {SIZE}");
        place.run(&format!("render --device cpu {picture} -o small-cpu.hdr"), &[]);
        let settings = [SMALL_H8[0], ("DEVICES", count)];
        let output = place.run_on_h8(&format!("render --device {device} {picture} --json -o small.hdr"), &settings);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("so GPUs trace its rays, and the CPU shades"), "{said}");
        assert!(said.contains(&format!("raywarp: watertight instead of {H8}: ")), "{said}");
        assert!(place.read("small.hdr") == place.read("small-cpu.hdr"), "{device}: another picture");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["devices"].as_array().map(Vec::len), Some(count as usize + 1), "{document}");
    }
    // Texture units would be another picture.
    let line = format!("render scene.obj --device cuda --texture-filter hardware {SIZE} -o small-none.hdr");
    assert_eq!(place.run(&line, &SMALL_H8).status.code(), Some(4));
}

#[test]
fn a_scene_too_large_for_whole_paths_is_traced_by_the_gpu_and_shaded_by_the_cpu() {
    let Some(place) = place() else { return };
    // Coordinates beyond 3e17: the path tracer's kernels refuse them, those that trace do not.
    let small = scene();
    let huge = small.lines().map(|line| match line.strip_prefix("v ") {
        Some(numbers) => format!("v {}\n", numbers.split(' ').map(|x| format!("{x}e18")).collect::<Vec<_>>().join(" ")),
        None => format!("{line}\n"),
    });
    std::fs::write(place.folder.join("huge.obj"), huge.collect::<String>()).unwrap();
    place.run(&format!("render huge.obj --device cpu {SIZE} -o huge-cpu.hdr"), &[]);
    let output = place.run(&format!("render huge.obj --device cuda {SIZE} -o huge.hdr"), &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("takes scenes of 1e-12 to 3e17 units; so GPUs trace its rays"), "{said}");
    assert!(place.read("huge.hdr") == place.read("huge-cpu.hdr"));
}

#[test]
fn bench_measures_the_next_kernel_where_h8_holds_a_scene_that_auto_chose_it_for_not() {
    let Some(place) = place() else { return };
    let line = "bench scene.obj --device cuda --runs 1 --warmup 0 --size 16x12 --rays-per-pixel 1 --json";
    let run = |options: &str| {
        let output = place.run_on_h8(&format!("{line} {options}"), &SMALL_H8);
        assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |list: &str, key: &str| -> Vec<String> {
            let list = document["scenes"][0][list].as_array().cloned().unwrap_or_default();
            list.iter().map(|row| row[key].as_str().unwrap_or_else(|| panic!("{document:#}")).to_string()).collect()
        };
        let mut measured = of("rows", "variant");
        measured.dedup();
        (measured, of("skipped", "why"))
    };
    let (measured, why) = run("--variant auto");
    assert_eq!(measured, [WATERTIGHT]);
    assert!(why.len() == 1 && why[0].contains("nodes and leaves"), "{why:?}");
    assert!(why[0].ends_with("; watertight is measured instead"), "{why:?}");
    // Where that is measured anyway it is so once.
    let (measured, why) = run("--variant watertight,auto");
    assert!(measured == [WATERTIGHT] && why.len() == 1 && !why[0].contains("instead"), "{measured:?} {why:?}");
    // One that was named is left out with the reason alone.
    let (measured, why) = run("--variant raywarp-h8,auto,al09-while-while");
    assert!(measured.len() == 1 && measured[0] != WATERTIGHT, "{measured:?}");
    assert!(why.len() == 1 && !why[0].contains("instead"), "{why:?}");
}

#[test]
fn a_gpu_that_fails_leaves_no_picture() {
    let Some(place) = place() else { return };
    place.run(&format!("render --device cpu {SIZE} -o right.hdr"), &[]);
    let line = format!("render --device cuda {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right.hdr"), 1 << 30, 37);
    place.run(&format!("render --device cpu --integrator ao {SIZE} -o right-ao.hdr"), &[]);
    let line = format!("render --device cuda --integrator ao {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right-ao.hdr"), 1 << 30, 11);
    // Its kernels are timed first, by hundreds of calls where no file has the choice.
    let line = format!("render --device cuda --organisation rays {SIZE} -o failed.hdr");
    place.fails_well(&line, "failed.hdr", &place.read("right.hdr"), 1 << 30, 97);
}

#[test]
fn a_gpu_that_fails_leaves_no_hits() {
    let Some(place) = place() else { return };
    place.run("trace scene.obj rays.npy --device cpu -o right.npy", &[]);
    // Memory for a thousand rays at a time.
    place.fails_well(
        "trace scene.obj rays.npy --device cuda -o failed.npy",
        "failed.npy",
        &place.read("right.npy"),
        130_000,
        3,
    );
}

#[test]
fn a_scene_that_a_gpu_cannot_hold_is_refused_with_what_it_needs() {
    let Some(place) = place() else { return };
    let output = place.run("trace scene.obj rays.npy --device cuda -o none.npy", &[("MEMORY", 9000)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("scene.obj: the scene needs 1 MiB of device memory, 0 MiB are free"), "{message}");
    assert!(!place.folder.join("none.npy").exists());
    // A picture with all of it, and its film alone.
    for (options, memory, film) in [("--size 20x12", 9000, "film 0.0"), ("--size 2000x2000", 50_000_000, "film 92.3")] {
        let line = format!("render scene.obj --device cuda:0,1 {options} --spp 1 -o none.hdr");
        let output = place.run(&line, &[("DEVICES", 2), ("MEMORY_1", memory)]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{message}");
        let said: Vec<&str> = message.lines().filter(|line| line.contains("memory")).collect();
        assert!(said.len() == 1 && said[0].contains("cuda:1: the scene and its picture need "), "{message}");
        assert!(said[0].contains(film) && said[0].ends_with(" MiB are free"), "{message}");
        assert!(!place.folder.join("none.hdr").exists());
    }
}

#[test]
fn auto_is_for_gpus() {
    let Some(place) = place() else { return };
    for command in ["selftest", "bench scene.obj", "trace scene.obj rays.npy -o auto.npy"] {
        let output = place.run(&format!("{command} --device cpu --variant auto"), &[]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(text(&output.stderr).contains("needs --device cuda"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_gpu_is_tested_with_rays_that_it_aims_itself() {
    let Some(place) = place() else { return };
    let output = place.run("selftest --device cuda --variant raywarp-h8 --aimed 1.3e3", &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("PASS: 0 of 1,300 rays aimed at edges and vertices of 5 closed meshes are lost"), "{said}");
    assert!(words.contains("PASS: wavefront renders 6144 of 6144 pixels"), "{said}");
    let output = place.run("selftest --device cpu --aimed 1300", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("--aimed is for the rays of a GPU: it needs --device cuda"), "{message}");
}

#[test]
fn the_version_names_the_gpu_and_never_fails() {
    let Some(place) = place() else { return };
    let said = text(&place.run("--version", &[]).stdout);
    assert!(said.contains("\ngpu  pretended GPU, compute capability 9.0, driver "), "{said}");
    for call in 0..8 {
        let output = place.run("--version", &[("FAILS_AT", call)]);
        assert!(output.status.success() && text(&output.stdout).contains("\ngpu  "), "call {call}");
    }
}
