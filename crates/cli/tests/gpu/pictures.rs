//! Pictures that GPUs render: the CPU's, and what is said of them.

use super::place::{Place, SIZE, is_of_progress, place};
use crate::common_folder::text;

#[test]
fn a_gpu_renders_the_picture_of_the_cpu_and_says_by_which_kernels() {
    let Some(place) = place() else { return };
    place.run(&format!("render --device cpu {SIZE} -o cpu.hdr"), &[]);
    assert!(place.read("first.hdr") == place.read("cpu.hdr"));
    // On a busy machine there are lines of progress, too.
    let lines: Vec<&str> = place.first.lines().filter(|line| !is_of_progress(line)).collect();
    assert!(lines.len() == 2 && lines[0].contains("kernels.tsv: "), "{lines:?}");
    assert!(
        lines[1].starts_with("raywarp: cuda: ") && lines[1].contains(" watertight") && lines[1].contains(" tuned ")
    );
    // The choice is kept.
    let cache = place.read("cache/raywarp/kernels.tsv");
    let again = place.run(&format!("render --device cuda --organisation rays {SIZE} -o again.hdr"), &[]);
    assert!(text(&again.stderr).contains(" earlier") && text(&again.stderr).lines().count() == 1);
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
            let lines: Vec<&str> = said.lines().filter(|line| line.contains(" (pretended GPU): tree ")).collect();
            assert_eq!(lines.len(), used.len(), "{said}");
            for (line, ordinal) in lines.iter().zip(*used) {
                assert!(line.starts_with(&format!("raywarp: cuda:{ordinal} (pretended GPU): tree ")), "{line}");
                assert!(line.contains(&format!(" {most} paths ")), "{line}");
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

/// Whether two EXR files, whose headers name their commands, hold the same numbers, in layers too.
fn are_equal(place: &Place, a: &str, b: &str) -> bool {
    let output = place.run(&format!("diff {a} {b} --json"), &[]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let layers = document["layers"].as_array().cloned().unwrap_or_default();
    document["equal"] == true && layers.iter().all(|layer| layer["largest"] == 0.0)
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
            let rays = said.contains(&format!("{} rays come ", 44 * 27 * 3));
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
        assert!(said.starts_with("raywarp: --device cuda:0,1: "), "{said}");
        assert_eq!(refused.status.code(), Some(2), "{said}");
    }
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
    assert!(!said.contains(", texture "), "{said}");
    let (said, exact) = render("-v --device cuda --texture-filter exact", "wall-exact.hdr");
    assert!(exact == cpu && !said.contains(", texture "), "{said}");
    let (said, units) = render("-v --device cuda --texture-filter hardware", "wall-units.hdr");
    assert!(units != cpu && said.matches(" 1 image, ").count() == 1, "{said}");
    let (said, two) = render("-v --device cuda:all --texture-filter hardware", "wall-two.hdr");
    assert!(two == units && said.matches(" 1 image, ").count() == 2, "{said}");
    let (_, megakernel) = render("--device cuda --organisation megakernel --texture-filter hardware", "wall-mega.hdr");
    assert!(megakernel == units);
    // A picture of first hits has no textures but those of holes.
    let ao = "--integrator ao --ao-distance 9";
    let (_, cpu) = render(&format!("{ao} --device cpu"), "wall-ao-cpu.hdr");
    let (_, units) = render(&format!("{ao} --device cuda --texture-filter hardware"), "wall-ao.hdr");
    assert!(cpu == units);
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
    assert!(vertex.starts_with("raywarp: cuda:0: ") && vertex.contains(" 256 bytes "), "{vertex}");
    assert!(vertex.contains(" 301 (239 to 371) "), "{vertex}");
    let [paths, rays, connections] = [" paths,", " rays extend", " go to lights"].map(|what| number(counts, what));
    let moved = 1e6 * number(counts, " MB of state");
    let issue = (19.81 * paths + 196.8 * rays + 104.69 * connections) / 4e6;
    assert!(rays > paths && connections > 0.0, "{counts}");
    assert!((number(bound, " s to move") - moved / 16e6).abs() < 0.1e6 / 16e6, "{bound}, {counts}");
    assert!((number(bound, " s (") - issue).abs() <= 1e-4, "{bound}, {issue}");
    assert!(bound.ends_with("instructions bind") && seconds.contains(" of which are foretold"), "{bound}, {seconds}");
    // Its instructions were not counted; and a driver may not tell its clock.
    let megakernel = said("megakernel", &[]);
    assert!(megakernel.contains(" counted"), "{megakernel}");
    let without = said("wavefront", &[("CLOCK", 0)]);
    assert!(without.lines().any(|line| line.ends_with(" sums")) && !without.contains("foretold"), "{without}");
}
