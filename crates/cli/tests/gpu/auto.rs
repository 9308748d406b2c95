//! When `--device auto` takes a GPU, and that `--variant auto` is for one.

use super::place::{Place, place};
use crate::common_folder::text;

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

/// The GPUs that a line says to do the work: those that it calls by their names.
fn renderers(line: &str) -> Vec<&str> {
    line.split(" (pretended GPU)").filter_map(|part| part.rsplit(' ').next()).filter(|word| is_gpu(word)).collect()
}

fn is_gpu(word: &str) -> bool {
    word.strip_prefix("cuda:").is_some_and(|ordinal| ordinal.parse::<u32>().is_ok())
}

#[test]
fn auto_takes_gpus_where_they_can_render_and_says_why_where_not() {
    let Some(place) = place() else { return };
    let (one, other, both) = (&["cuda:0"][..], &["cuda:1"][..], &["cuda:0", "cuda:1"][..]);
    // The GPUs that render (none where the CPU does), what the line names of those that do not, or of the amount of work,
    // and whether it is told without being asked.
    for (options, settings, gpus, names, told) in [
        ("", &[][..], one, "1030792150800", false),
        ("", &[("DEVICES", 2)], both, "", false),
        // Enough for the scene, and for the scene and the picture, on one of two.
        ("", &[("DEVICES", 2), ("MEMORY_0", 9000)], other, "; not cuda:0: ", false),
        ("", &[("DEVICES", 2), ("MEMORY_1", 2_000_000)], one, "; not cuda:1: ", false),
        ("", &[("MEMORY", 9000)], &[], "cuda:0: ", true),
        ("", &[("DEVICES", 0)], &[], "NVIDIA", false),
        // A driver that does not start, and one whose device fails while the scene is put there.
        ("", &[("FAILS_AT", 0)], &[], "CUDA", true),
        ("", &[("FAILS_AT", 60)], &[], "cuda:0: ", true),
        ("--spp 2 ", &[], &[], " 100000 ", false),
        ("--integrator normal", &[], one, "", false),
        ("--integrator ao", &[("DEVICES", 2)], both, "", false),
        ("--integrator ao --spp 2", &[], &[], " 1200000 ", false),
        ("--integrator cost", &[], &[], "integrator", false),
        ("--export-rays exported", &[], &[], "rays", false),
    ] {
        let (line, quiet) = auto_says(place, options, settings);
        assert!(renderers(&line) == gpus && line.contains(names), "{options} {settings:?}: {line}");
        assert_eq!(quiet, told, "{options} {settings:?}: {line}");
    }
}

#[test]
fn auto_traces_on_a_gpu_that_is_there_and_pays_and_says_so_and_else_on_the_cpu() {
    let Some(place) = place() else { return };
    // That so few are worth a GPU is pretended too.
    const WORTH: (&str, u64) = ("RAYS_WORTH_A_GPU", 2500);
    let trace = |options: &str, settings: &[(&str, u64)]| {
        let line = format!("trace scene.obj rays.npy --threads 1 --any {options} -o auto-rays.npy");
        let output = place.run(&line, settings);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stderr);
        let line = said.lines().find_map(|line| line.strip_prefix("raywarp: --device auto: ")).map(str::to_string);
        (line, text(&output.stdout), place.read("auto-rays.npy"))
    };
    let (_, _, right) = trace("--device cpu", &[]);
    // The first has no room for the scene.
    let (line, report, hits) = trace("", &[WORTH, ("DEVICES", 2), ("MEMORY_0", 9000)]);
    let line = line.unwrap_or_default();
    assert!(renderers(&line) == ["cuda:1"] && line.contains("; not cuda:0: "), "{line}");
    assert!(hits == right && report.contains("(cuda:1), "), "{report}");
    // The reason, and whether it is told without being asked.
    for (settings, name, told) in [
        (&[WORTH, ("DEVICES", 0)], "NVIDIA", false),
        (&[WORTH, ("FAILS_AT", 0)], "CUDA", true),
        (&[WORTH, ("FAILS_AT", 3)], " cuda:0: ", true),
        (&[WORTH, ("MEMORY", 9000)], " cuda:0: ", true),
    ] {
        let (line, report, hits) = trace("-v", settings);
        let line = line.unwrap_or_default();
        assert!(renderers(&line).is_empty() && line.contains(name), "{line}: {report}");
        assert!(hits == right && report.contains("; cpu/wide8 ("), "{settings:?}: {report}");
        assert_eq!(trace("", settings).0.is_some(), told, "{settings:?}");
    }
    // Too few rays, and a kernel that this CPU is to imitate.
    let (line, report, _) = trace("-v", &[]);
    assert!(report.contains("; cpu/wide8 ("), "{report}");
    let line = line.unwrap_or_default();
    assert!(renderers(&line).is_empty() && line.contains(" 2500 ") && line.contains(" 163"), "{line}");
    let (line, report, _) = trace("-v --variant watertight", &[]);
    assert!(line.is_none() && report.contains("direct/while-while/bvh2?triangle=watertight (lockstep"), "{report}");
}

#[test]
fn auto_is_for_gpus() {
    let Some(place) = place() else { return };
    for command in ["selftest", "bench scene.obj", "trace scene.obj rays.npy -o auto.npy"] {
        let output = place.run(&format!("{command} --device cpu --variant auto"), &[]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(text(&output.stderr).contains("--device cuda"), "{}", text(&output.stderr));
    }
}
