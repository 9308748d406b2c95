use super::cache::{self, CacheFault, CacheWarning, Key};
use super::scene::{camera_rays, hall, scattered};
use super::tune::{Stopwatch, tune};
use super::*;
use crate::{DriverCall, Encoding};
use raywarp_geom::{Aabb, Hit};
use std::collections::HashMap;
use std::path::PathBuf;

/// A stopwatch with made-up times in microseconds: for each kernel and kind of rays those of its launches, the last one
/// repeated. What is not planted takes 1000, and a kernel with no times at all cannot be run.
#[derive(Default)]
struct Planted {
    times: HashMap<(Variant, BatchKind), Vec<f64>>,
    asked: Vec<(Variant, BatchKind)>,
    fails_after: Option<usize>,
}

impl Planted {
    fn plant(mut self, name: &str, kind: BatchKind, times: &[f64]) -> Self {
        self.times.insert((name.parse().unwrap(), kind), times.to_vec());
        self
    }

    fn fast(self, name: &str, kind: BatchKind, time: f64) -> Self {
        self.plant(name, kind, &[time])
    }
}

impl Stopwatch for Planted {
    fn time(&mut self, variant: &Variant, kind: BatchKind) -> Result<Option<f64>, CudaError> {
        self.asked.push((*variant, kind));
        if self.fails_after.is_some_and(|calls| self.asked.len() > calls) {
            return Err(CudaError::Driver { doing: DriverCall::Launch, message: "gone".to_string() });
        }
        let launch = self.asked.iter().filter(|asked| **asked == (*variant, kind)).count() - 1;
        Ok(match self.times.get(&(*variant, kind)) {
            Some(times) => times.get(launch).or(times.last()).map(|time| time * 1e-6),
            None => Some(1e-3),
        })
    }

    fn ray_count(&self, kind: BatchKind) -> usize {
        if kind == BatchKind::Coherent { 1_000_000 } else { 500_000 }
    }
}

fn tuned(mut planted: Planted) -> [String; 3] {
    let choice = tune(&Promise::Fast.candidates(), &mut planted).unwrap();
    BatchKind::ALL.map(|kind| short_name(&choice.of(kind).variant))
}

#[test]
fn the_fastest_of_each_kind_is_taken_with_its_rate() {
    use BatchKind::{Any, Coherent, Incoherent};
    let mut planted = Planted::default()
        .fast("al09-if-if", Coherent, 200.0)
        .fast("l9-mbvh", Coherent, 250.0)
        .fast("ykl17", Incoherent, 300.0)
        .fast("alk12-kepler", Any, 125.0)
        .fast("watertight", Any, 126.0);
    let choice = tune(&Promise::Fast.candidates(), &mut planted).unwrap();
    let found = BatchKind::ALL.map(|kind| (short_name(&choice.of(kind).variant), choice.of(kind).mega_rays.round()));
    let expected = [("al09-if-if", 5000.0), ("ykl17", 1667.0), ("alk12-kepler", 4000.0)];
    assert_eq!(found, expected.map(|(name, rate)| (name.to_string(), rate)));
}

#[test]
fn a_first_launch_counts_for_nothing_and_a_lucky_or_unlucky_one_for_little() {
    let kind = BatchKind::Incoherent;
    let planted = Planted::default()
        .plant("al09-if-if", kind, &[1.0, 500.0])
        .plant("al09-while-while", kind, &[9000.0, 420.0, 90.0, 400.0, 410.0, 430.0])
        .plant("alk12-kepler", kind, &[400.0, 390.0, 395.0, 9000.0, 405.0, 400.0]);
    assert_eq!(tuned(planted)[1], "alk12-kepler");
}

#[test]
fn what_is_hopeless_is_launched_twice_and_what_may_win_more_often() {
    let mut planted =
        Planted::default().fast("al09-packet", BatchKind::Any, 100.0).fast("al09-if-if", BatchKind::Any, 110.0);
    tune(&Promise::Fast.candidates(), &mut planted).unwrap();
    let launches = |name: &str| {
        let variant: Variant = name.parse().unwrap();
        planted.asked.iter().filter(|asked| **asked == (variant, BatchKind::Any)).count()
    };
    assert_eq!(["al09-packet", "al09-if-if", "ykl17"].map(launches), [6, 6, 2]);
}

#[test]
fn kernels_that_walk_the_same_bytes_are_timed_side_by_side() {
    let mut planted = Planted::default();
    tune(&Promise::Fast.candidates(), &mut planted).unwrap();
    let mut encodings: Vec<Encoding> = planted.asked.iter().map(|(variant, _)| Encoding::of(variant)).collect();
    encodings.dedup();
    let mut different = Vec::new();
    encodings.iter().for_each(|encoding| {
        if !different.contains(encoding) {
            different.push(*encoding);
        }
    });
    assert!(encodings.len() == different.len() && different.len() >= 3, "{encodings:?}");
}

#[test]
fn kernels_that_cannot_be_run_are_passed_over_and_clocks_that_say_nothing_too() {
    let mut planted = Planted::default();
    for variant in Promise::Fast.candidates() {
        for kind in BatchKind::ALL {
            planted.times.insert((variant, kind), vec![]);
        }
    }
    let error = tune(&Promise::Fast.candidates(), &mut planted);
    assert_eq!(error, Err(CudaError::NoCandidate));
    let planted = planted
        .fast("ykl17", BatchKind::Coherent, 9e9)
        .fast("g14", BatchKind::Incoherent, 7.0)
        .fast("al09-if-if", BatchKind::Incoherent, 0.0)
        .fast("al09-while-while", BatchKind::Incoherent, f64::NAN)
        .fast("al09-queue", BatchKind::Any, 1.0);
    assert_eq!(tuned(planted), ["ykl17", "g14", "al09-queue"]);
}

#[test]
fn a_device_that_fails_is_an_error_whenever_it_does() {
    for calls in [0, 1, 5, 100] {
        let mut planted = Planted { fails_after: Some(calls), ..Planted::default() };
        let error = tune(&Promise::Fast.candidates(), &mut planted);
        assert!(matches!(error, Err(CudaError::Driver { .. })), "{error:?}");
        assert_eq!(planted.asked.len(), calls + 1);
    }
}

#[test]
fn candidates_keep_what_is_promised() {
    let bits = Promise::Bits.candidates();
    assert!(bits.contains(&"raywarp-h8".parse().unwrap()) && bits.contains(&"watertight".parse().unwrap()));
    for variant in &bits {
        assert!(variant.triangle().is_watertight(), "{variant}");
        assert!(!variant.needs().t_min_not_negative);
    }
    let fast = Promise::Fast.candidates();
    assert!(bits.iter().all(|variant| fast.contains(variant)) && fast.len() > bits.len());
    for variant in &fast {
        assert!(variant.box_planes() == BoxPlanes::Padded && compiled().contains(variant), "{variant}");
    }
}

fn key(driver: &str) -> Key {
    Key {
        device: "NVIDIA H200".to_string(),
        capability: (9, 0),
        driver: driver.to_string(),
        kernels: 0x0123_4567_89ab_cdef,
        promise: Promise::Fast,
    }
}

fn choice(names: [&str; 3]) -> Choice {
    Choice { picks: names.map(|name| Pick { variant: name.parse().unwrap(), mega_rays: 4210.125 }) }
}

const A: [&str; 3] = ["l9-mbvh?sync=implicit", "ykl17", "alk12-kepler"];
const B: [&str; 3] = ["al09-if-if", "al09-while-while", "g14"];

fn named(names: [&str; 3]) -> Choice {
    // A row with an option is written as its variant.
    choice(names.map(|name| {
        if name == A[0] { "direct/while-while/wide4?collapse=adopt&order=low-bits&sync=implicit" } else { name }
    }))
}

/// Chooses kernels with a cache in `folder`, and returns whether they were timed, what was chosen, and the warnings.
fn chosen(key: &Key, file: Option<&std::path::Path>, finds: [&str; 3]) -> (bool, Choice, Vec<CacheWarning>) {
    let found = choose_with(key, file, || Ok(named(finds))).unwrap();
    (found.tuned.is_some(), found.choice, found.warnings)
}

#[test]
fn a_choice_is_kept_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/er/kernels.tsv");
    assert_eq!(chosen(&key("13.0"), Some(&file), A), (true, named(A), vec![]));
    assert_eq!(chosen(&key("13.0"), Some(&file), B), (false, named(A), vec![]));
    // No other file is left.
    assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    assert_eq!(cache::read(&file), Ok(vec![(key("13.0"), named(A))]));
}

#[test]
fn another_driver_other_kernels_device_or_promise_is_another_choice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.tsv");
    chosen(&key("13.0"), Some(&file), A);
    let others = [
        Key { driver: "13.1".to_string(), ..key("") },
        Key { kernels: 1, ..key("13.1") },
        Key { capability: (9, 1), ..key("13.1") },
    ];
    for other in &others {
        assert!(chosen(other, Some(&file), B).0, "{other:?}");
        assert!(!chosen(other, Some(&file), B).0);
        // Of one device and promise only the last is kept.
        assert_eq!(cache::read(&file).unwrap().len(), 1);
    }
    let device = Key { device: "Tesla T4".to_string(), ..key("13.1") };
    assert!(chosen(&device, Some(&file), A).0);
    assert_eq!(chosen(&others[2], Some(&file), A), (false, named(B), vec![]));
    let watertight = Key { promise: Promise::Bits, ..key("13.1") };
    assert!(chosen(&watertight, Some(&file), ["watertight"; 3]).0);
    assert_eq!(cache::read(&file).unwrap().len(), 3);
}

#[test]
fn a_broken_or_foreign_file_is_ignored_with_a_line_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let good = cache::text(&[(key("13.0"), named(A))]);
    let second = CacheFault::NoChoice { line: 2 };
    let mut broken: Vec<(String, CacheFault)> = vec![
        (String::new(), CacheFault::Head),
        ("something else\n".to_string(), CacheFault::Head),
        (good.replace("kernels 1", "kernels 2"), CacheFault::Head),
        (good.replace("4210.125", "fast"), second.clone()),
        (good.replace("4210.125", "-3"), second.clone()),
        (good.replace("4210.125", "inf"), second.clone()),
        (good.replace("alk12-kepler", ""), CacheFault::NoChoice { line: 4 }),
        (good.replace('\t', " "), second.clone()),
        (good.replace("\tfast\t", "\tslow\t"), second),
        (good.clone() + &good[good.find('\n').unwrap() + 1..], CacheFault::Again { line: 5 }),
        (
            good.lines().take(3).map(|line| format!("{line}\n")).collect(),
            CacheFault::Missing { device: "NVIDIA H200".into() },
        ),
        (good.clone() + &"x".repeat(1 << 18), CacheFault::TooLong),
    ];
    broken.retain(|(text, _)| *text != good);
    for (text, fault) in broken {
        let file = folder.path().join("kernels.tsv");
        std::fs::write(&file, &text).unwrap();
        let (tuned, found, warnings) = chosen(&key("13.0"), Some(&file), B);
        assert!(tuned && found == named(B), "{text}");
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        assert_eq!(*warning, CacheWarning::Ignored { file: file.clone(), fault }, "{text}");
        assert_eq!(warning.to_string().lines().count(), 1, "{warning}");
        assert_eq!(chosen(&key("13.0"), Some(&file), A), (false, named(B), vec![]));
    }
    // Not text.
    let file = folder.path().join("kernels.tsv");
    std::fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(chosen(&key("13.0"), Some(&file), B).2.len(), 1);
}

#[test]
fn a_kernel_that_is_no_candidate_is_not_taken_from_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.tsv");
    let plain = "direct/if-while/cwbvh8?planes=plain";
    cache::write(&file, &[(key("13.0"), choice([plain, "g14", "g14"]))]).unwrap();
    assert_eq!(chosen(&key("13.0"), Some(&file), B), (true, named(B), vec![]));
}

#[test]
fn without_a_place_to_keep_choices_kernels_are_timed_each_time() {
    assert_eq!(chosen(&key("13.0"), None, A), (true, named(A), vec![]));
    // A folder that is a file.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let file = folder.path().join("file/kernels.tsv");
    for _ in 0..2 {
        let (tuned, _, warnings) = chosen(&key("13.0"), Some(&file), A);
        assert!(tuned && (1..=2).contains(&warnings.len()), "{warnings:?}");
        assert!(matches!(warnings.last(), Some(CacheWarning::NotWritten { .. })), "{warnings:?}");
    }
}

#[test]
fn a_device_that_fails_leaves_the_cache_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.tsv");
    chosen(&key("13.0"), Some(&file), A);
    let before = std::fs::read(&file).unwrap();
    assert_eq!(choose_with(&key("13.1"), Some(&file), || Err(CudaError::NoCandidate)), Err(CudaError::NoCandidate));
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn the_cache_lies_where_the_system_wants_it() {
    let path = |text: &str| Some(PathBuf::from(text));
    if cfg!(unix) {
        let folder = |xdg: Option<PathBuf>, home| cache::cache_folder(xdg, home, None);
        assert_eq!(folder(path("/var/cache/me"), path("/home/me")), path("/var/cache/me"));
        assert_eq!(folder(path("relative"), path("/home/me")), path("/home/me/.cache"));
        assert_eq!(folder(path(""), path("/home/me")), path("/home/me/.cache"));
        assert_eq!([folder(None, None), folder(path("x"), path("y"))], [None, None]);
    }
}

#[test]
fn a_choice_is_told_in_a_line() {
    let mut chosen = Chosen { choice: named(A), tuned: None, warnings: vec![] };
    let line = chosen.to_string();
    for name in ["ykl17", "l9-mbvh?sync=implicit", "alk12-kepler"] {
        assert!(line.contains(&format!(" {name}, 4210 Mrays/s; ")), "{line}");
    }
    chosen.tuned = Some(Duration::from_millis(420));
    assert!(chosen.to_string().ends_with(" 0.4 s") && !line.ends_with(" s"));
}

#[test]
fn the_hall_is_full_of_triangles_that_rays_meet() {
    let triangles = hall();
    let bounds = triangles.bounds();
    assert!((100_000..200_000).contains(&triangles.len()), "{}", triangles.len());
    assert_eq!(bounds, Aabb { min: [-12.0, -4.0, -8.0], max: [12.0, 4.0, 8.0] });
    let rays = camera_rays(1000);
    assert!(rays.len() >= 1000 && rays.len() < 1400 && rays.len().is_multiple_of(32), "{}", rays.len());
    assert!(rays.iter().all(raywarp_geom::Ray::is_valid));
    // The wall at the far end, whose triangles are the third and the fourth.
    let ray = raywarp_geom::Ray::new([-11.0, 1.0, -7.0], [1.0, 0.0, 0.0]);
    let hits = [Hit { t: 23.0, u: 0.1, v: 0.1, primitive: 2 }, Hit::miss(9.0)];
    let [diffuse, occlusion] = scattered(&triangles, &[ray, ray], &hits);
    assert_eq!([diffuse.len(), occlusion.len()], [1, 1]);
    for ray in [diffuse[0], occlusion[0]] {
        assert!(ray.direction[0] < 0.0 && ray.origin[0] < 12.0 && ray.origin[0] > 11.9, "{ray:?}");
    }
    assert!(occlusion[0].t_max == 7.5 && diffuse[0].t_max == f32::INFINITY);
}
