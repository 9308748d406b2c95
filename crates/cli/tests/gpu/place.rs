//! A pretended driver with emulated kernels, a folder to run the command in, and what lies there.

use crate::common_folder::{raywarp, text};
use crate::common_rays::npy;
use raywarp_cuda_emulation::driver_for_test;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

/// A folder for all tests of this process, with a cache that holds something else at first.
pub struct Place {
    pub folder: PathBuf,
    driver: &'static str,
    /// What the first run says on standard error.
    pub first: String,
}

/// That of h8 which replaces rays.
pub const H8: &str = "replace/phased/h8?batch=exact&occlusion=far&refill=80";
/// The first with any-hit rays from near to far.
pub const H8_TWIN: &str = "replace/phased/h8?batch=exact&refill=80";
/// The one of a ray a lane.
pub const H8_DIRECT: &str = "direct/phased/h8?occlusion=far&step=75&test=37";
/// That over nodes of two boxes.
pub const WATERTIGHT: &str = "direct/while-while/bvh2?triangle=watertight";

/// That over the tree of blocks which traces what the others leave.
pub const AGAIN: &str = "replace/phased/h8?batch=exact&occlusion=far&refill=80&triangle=watertight";
/// The CPU's.
pub const CPU: &str = "cpu/wide8";

/// Of small pictures.
pub const SIZE: &str = "--size 12x8 --spp 2 --max-depth 2";

/// What all tests share, made by the first of them.
#[track_caller]
pub fn place() -> Option<&'static Place> {
    let driver = driver_for_test()?;
    static PLACE: OnceLock<Place> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("cache/raywarp")).unwrap();
        std::fs::write(folder.join("cache/raywarp/kernels.tsv"), "a shopping list\n").unwrap();
        std::fs::write(folder.join("scene.obj"), scene()).unwrap();
        std::fs::write(folder.join("rays.npy"), npy(&rays())).unwrap();
        let mut place = Place { folder, driver, first: String::new() };
        let output = place.run(&format!("render --device cuda --organisation rays {SIZE} -o first.hdr"), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        place.first = text(&output.stderr);
        place
    });
    Some(place)
}

impl Place {
    /// The command with the words of `line`, where the pretended driver has `settings`.
    pub fn run(&self, line: &str, settings: &[(&str, u64)]) -> Output {
        self.run_with("cache", line, settings)
    }

    /// Where the fastest kernels of this GPU were found to be h8's; on the pretended one it is chance which are.
    pub fn run_on_h8(&self, line: &str, settings: &[(&str, u64)]) -> Output {
        static KEPT: OnceLock<()> = OnceLock::new();
        KEPT.get_or_init(|| self.keep("h8-cache", H8));
        self.run_with("h8-cache", line, settings)
    }

    /// The same of their twin for closest-hit rays.
    pub fn run_on_twin(&self, line: &str) -> Output {
        static KEPT: OnceLock<()> = OnceLock::new();
        KEPT.get_or_init(|| self.keep("twin-cache", H8_TWIN));
        self.run_with("twin-cache", line, &[])
    }

    /// The same of the watertight kernel over nodes of two boxes.
    pub fn run_on_two_boxes(&self, line: &str, settings: &[(&str, u64)]) -> Output {
        static KEPT: OnceLock<()> = OnceLock::new();
        KEPT.get_or_init(|| self.keep("two-boxes-cache", WATERTIGHT));
        self.run_with("two-boxes-cache", line, settings)
    }

    /// Makes a cache in which `kernel` is the fastest for all rays.
    fn keep(&self, cache: &str, kernel: &str) {
        let chosen = text(&self.read("cache/raywarp/kernels.tsv"));
        let of_kernel = chosen.lines().map(|line| {
            let mut words: Vec<&str> = line.split('\t').collect();
            if let Some(variant) = words.get_mut(6) {
                *variant = kernel;
            }
            words.join("\t") + "\n"
        });
        let folder = self.folder.join(cache).join("raywarp");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("kernels.tsv"), of_kernel.collect::<String>()).unwrap();
    }

    fn run_with(&self, cache: &str, line: &str, settings: &[(&str, u64)]) -> Output {
        let mut command = raywarp(&self.folder, line);
        command.env("LD_LIBRARY_PATH", self.driver).env("XDG_CACHE_HOME", self.folder.join(cache));
        command.envs(settings.iter().map(|(name, value)| (format!("RAYWARP_PRETEND_{name}"), value.to_string())));
        command.output().unwrap()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `line`, whose output is the file `output`, with a failure at every call of the driver, or at as many as
    /// `step` leaves: the same bytes as `right`, if nothing failed; else status 4, one or two lines, and no file.
    pub fn fails_well(&self, line: &str, output: &str, right: &[u8], memory: u64, step: usize) {
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
                let said: Vec<&str> = message.lines().filter(|line| !is_of_tuning(line)).collect();
                assert_eq!(ended.status.code(), Some(4), "call {call}: {message}");
                assert!((1..=2).contains(&said.len()) && said[0].starts_with("raywarp: "), "call {call}: {message}");
                assert!(!path.exists() && ended.stdout.is_empty(), "call {call} failed, but there is a result");
            }
            assert!(failures > 12, "{failures}");
        }
    }
}

/// Whether a line is of the choice of kernels, or of how far it has come, which is said on a busy machine.
pub fn is_of_tuning(line: &str) -> bool {
    line.contains("tuned") || is_of_progress(line)
}

/// Whether a line says how far the choice of kernels has come.
pub fn is_of_progress(line: &str) -> bool {
    line.contains("timing the kernels")
}

/// A bumpy sheet.
pub fn scene() -> String {
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

/// 2500 rays, downwards and aslant.
pub fn rays() -> Vec<[f32; 8]> {
    let ray = |i: usize| {
        let (x, y) = ((i % 50) as f32 * 0.25 - 0.4, (i / 50) as f32 * 0.25 - 0.4);
        [x, y, 9.0, 0.0, 0.02 * (i % 7) as f32, 0.1, -1.0, f32::INFINITY]
    };
    (0..2500).map(ray).collect()
}
