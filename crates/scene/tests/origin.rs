//! Files whose coordinates f32 does not hold: what is loaded lies where the file says, in every format.

use raywarp_scene::{Format, LoadOptions, Loaded, Scene, load_from};
use std::fmt::Write;
use std::path::Path;

/// Where a survey in metres of UTM lies.
const UTM: [f64; 3] = [512_345.678_901, 5_412_345.123_456, 87.654_321];

/// A small random sheet: corners around zero, as decimals of few digits, and triangles.
struct Sheet {
    points: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
}

impl Sheet {
    fn new(seed: u64, cell: f64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let n = 7;
        let mut points = Vec::new();
        for i in 0..n * n {
            let (x, y) = ((i % n) as f64, (i / n) as f64);
            let p = [x + 0.4 * random(), y + 0.4 * random(), random()].map(|v| v * cell);
            points.push(p.map(|v| (v * 1e6).round() / 1e6));
        }
        let cells = (0..n - 1).flat_map(|y| (0..n - 1).map(move |x| n * y + x));
        Self { points, triangles: cells.flat_map(|a| [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]).collect() }
    }

    fn at(&self, offset: [f64; 3]) -> Vec<[f64; 3]> {
        self.points.iter().map(|p| std::array::from_fn(|i| p[i] + offset[i])).collect()
    }

    /// The corners of a file's triangles, in its own coordinates.
    fn corners(&self, offset: [f64; 3]) -> Vec<[[f64; 3]; 3]> {
        let points = self.at(offset);
        self.triangles.iter().map(|t| t.map(|i| points[i])).collect()
    }
}

fn load_bytes(bytes: &[u8], format: Format) -> Loaded {
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    load_from(bytes, Path::new("a"), &options).unwrap_or_else(|error| panic!("{format:?}: {error}"))
}

/// All placed triangles in the file's coordinates: as they are traced.
fn placed(scene: &Scene) -> Vec<[[f64; 3]; 3]> {
    let mut all = Vec::new();
    for instance in &scene.instances {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        all.extend(
            (0..mesh.indices.len()).map(|i| mesh.corners(i).map(|p| scene.in_file(instance.transform.point(p)))),
        );
    }
    all
}

/// Each triangle of the scene is that of `want`, but for a thousandth of its extent.
#[track_caller]
fn check(what: &str, loaded: &Loaded, want: &[[[f64; 3]; 3]]) {
    assert_eq!(loaded.warnings, [], "{what}");
    assert_ne!(loaded.scene.origin, [0.0; 3], "{what}");
    let got = placed(&loaded.scene);
    assert_eq!(got.len(), want.len(), "{what}");
    for (got, want) in got.iter().zip(want) {
        let extent = (0..3).map(|i| {
            want.iter().map(|p| p[i]).fold(f64::MIN, f64::max) - want.iter().map(|p| p[i]).fold(f64::MAX, f64::min)
        });
        let extent = extent.fold(0.0, f64::max);
        for (got, want) in got.iter().zip(want) {
            for i in 0..3 {
                assert!((got[i] - want[i]).abs() < 1e-3 * extent, "{what}: {got:?}, not {want:?}");
            }
        }
    }
}

fn obj(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = String::new();
    points.iter().for_each(|[x, y, z]| writeln!(text, "v {x:.6} {y:.6} {z:.6}").unwrap());
    triangles.iter().for_each(|t| writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap());
    text.into_bytes()
}

fn off(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = format!("OFF\n{} {} 0\n", points.len(), triangles.len());
    points.iter().for_each(|[x, y, z]| writeln!(text, "{x:.6} {y:.6} {z:.6}").unwrap());
    triangles.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
    text.into_bytes()
}

fn stl(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<u8> {
    let mut text = "solid a\n".to_string();
    for t in triangles {
        text += "facet normal 0 0 1\nouter loop\n";
        t.iter().map(|&i| points[i]).for_each(|[x, y, z]| writeln!(text, "vertex {x:.6} {y:.6} {z:.6}").unwrap());
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid a\n").into_bytes()
}

fn ply(points: &[[f64; 3]], triangles: &[[usize; 3]], binary: bool) -> Vec<u8> {
    let kind = if binary { "binary_little_endian" } else { "ascii" };
    let mut file = format!(
        "ply\nformat {kind} 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        points.len(),
        triangles.len()
    )
    .into_bytes();
    for p in points {
        match binary {
            true => p.iter().for_each(|x| file.extend(x.to_le_bytes())),
            false => file.extend(format!("{:.6} {:.6} {:.6}\n", p[0], p[1], p[2]).bytes()),
        }
    }
    for t in triangles {
        match binary {
            true => {
                file.push(3);
                t.iter().for_each(|&i| file.extend((i as i32).to_le_bytes()));
            }
            false => file.extend(format!("3 {} {} {}\n", t[0], t[1], t[2]).bytes()),
        }
    }
    file
}

#[test]
fn meshes_of_doubles_and_decimals_lie_where_their_files_say() {
    for (seed, cell) in [(1, 0.1), (2, 0.01), (3, 10.0), (4, 0.1)] {
        let sheet = Sheet::new(seed, cell);
        let (points, triangles) = (sheet.at(UTM), &sheet.triangles);
        let want = sheet.corners(UTM);
        check("obj", &load_bytes(&obj(&points, triangles), Format::Obj), &want);
        check("off", &load_bytes(&off(&points, triangles), Format::Off), &want);
        check("stl", &load_bytes(&stl(&points, triangles), Format::Stl), &want);
        check("ascii ply", &load_bytes(&ply(&points, triangles, false), Format::Ply), &want);
        check("binary ply", &load_bytes(&ply(&points, triangles, true), Format::Ply), &want);
    }
}

#[test]
fn what_f32_holds_has_no_origin_and_its_own_bits() {
    let sheet = Sheet::new(5, 0.1);
    for (format, bytes) in [
        (Format::Obj, obj(&sheet.points, &sheet.triangles)),
        (Format::Off, off(&sheet.points, &sheet.triangles)),
        (Format::Stl, stl(&sheet.points, &sheet.triangles)),
        (Format::Ply, ply(&sheet.points, &sheet.triangles, false)),
        (Format::Ply, ply(&sheet.points, &sheet.triangles, true)),
    ] {
        let loaded = load_bytes(&bytes, format);
        assert_eq!((loaded.scene.origin, loaded.warnings.len()), ([0.0; 3], 0), "{format:?}");
        let want: Vec<[[f32; 3]; 3]> =
            sheet.corners([0.0; 3]).iter().map(|t| t.map(|p| p.map(|x| format!("{x:.6}").parse().unwrap()))).collect();
        let got: Vec<[[f32; 3]; 3]> = placed(&loaded.scene).iter().map(|t| t.map(|p| p.map(|x| x as f32))).collect();
        assert_eq!(got, want, "{format:?}");
    }
}

#[test]
fn what_is_both_huge_and_fine_is_said_with_how_much() {
    // A fine sheet at each end of a million units.
    let sheet = Sheet::new(6, 0.1);
    let ends = [sheet.at([-1e6, -1e6, 0.0]), sheet.at([1e6, 1e6, 0.0])].concat();
    let count = sheet.points.len();
    let triangles = [sheet.triangles.clone(), sheet.triangles.iter().map(|t| t.map(|i| i + count)).collect()].concat();
    let loaded = load_bytes(&obj(&ends, &triangles), Format::Obj);
    assert_eq!(loaded.scene.origin, [0.0; 3]);
    let [warning] = &loaded.warnings[..] else { panic!("{:?}", loaded.warnings) };
    assert!(warning.message.starts_with("rounding to float32 moves corners of 144 of 144 triangles"), "{warning}");
}
