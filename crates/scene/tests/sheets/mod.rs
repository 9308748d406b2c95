//! Small random surveys, their files, and whether what is loaded lies where they say.

use raywarp_scene::{Description, Format, LoadOptions, Loaded, load_from};
use raywarp_testing::Random;
use std::path::Path;

/// Where a survey in metres of UTM lies.
pub const UTM: [f64; 3] = [512_345.678_901, 5_412_345.123_456, 87.654_321];

/// A small random sheet: corners around zero, as decimals of few digits, and triangles.
pub struct Sheet {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[usize; 3]>,
}

impl Sheet {
    pub fn new(seed: u64, cell: f64) -> Self {
        let mut random = Random::new(seed);
        let n = 7;
        let mut points = Vec::new();
        for i in 0..n * n {
            let (x, y) = ((i % n) as f64, (i / n) as f64);
            let p = [x + 0.4 * random.unit_f64(), y + 0.4 * random.unit_f64(), random.unit_f64()].map(|v| v * cell);
            points.push(p.map(|v| (v * 1e6).round() / 1e6));
        }
        let cells = (0..n - 1).flat_map(|y| (0..n - 1).map(move |x| n * y + x));
        Self { points, triangles: cells.flat_map(|a| [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]).collect() }
    }

    pub fn at(&self, offset: [f64; 3]) -> Vec<[f64; 3]> {
        self.points.iter().map(|p| std::array::from_fn(|i| p[i] + offset[i])).collect()
    }

    /// The corners of a file's triangles, in its own coordinates.
    pub fn corners(&self, offset: [f64; 3]) -> Vec<[[f64; 3]; 3]> {
        let points = self.at(offset);
        self.triangles.iter().map(|t| t.map(|i| points[i])).collect()
    }
}

pub fn load_bytes(bytes: &[u8], format: Format) -> Loaded {
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    load_from(bytes, Path::new("a"), &options).unwrap_or_else(|error| panic!("{format:?}: {error}"))
}

/// All placed triangles in the file's coordinates: as they are traced.
pub fn placed(scene: &Description) -> Vec<[[f64; 3]; 3]> {
    let mut all = Vec::new();
    for instance in &scene.instances {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        all.extend(
            (0..mesh.indices.len()).map(|i| mesh.corners(i).map(|p| scene.in_file(instance.transform.point(p)))),
        );
    }
    all
}

/// The scene has an origin, and each of its triangles is that of `want`, but for a thousandth of its extent.
#[track_caller]
pub fn check(what: &str, loaded: &Loaded, want: &[[[f64; 3]; 3]]) {
    assert_ne!(loaded.scene.origin, [0.0; 3], "{what}");
    assert_placed(what, loaded, want);
}

/// Each triangle of the scene is that of `want`, but for a thousandth of its extent.
#[track_caller]
pub fn assert_placed(what: &str, loaded: &Loaded, want: &[[[f64; 3]; 3]]) {
    assert_eq!(loaded.warnings, [], "{what}");
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

pub fn ply(points: &[[f64; 3]], triangles: &[[usize; 3]], binary: bool) -> Vec<u8> {
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

/// A package whose model has `resources` and `build`.
pub fn threemf(resources: &str, build: &str) -> Vec<u8> {
    use rawzip::{CompressionMethod, ZipArchiveWriter};
    let model = format!("<model unit=\"meter\"><resources>{resources}</resources><build>{build}</build></model>");
    let mut archive = ZipArchiveWriter::new(Vec::new());
    let file = archive.new_file("3D/3dmodel.model").compression_method(CompressionMethod::STORE);
    let (mut entry, config) = file.start().unwrap();
    let mut writer = config.wrap(&mut entry);
    std::io::Write::write_all(&mut writer, model.as_bytes()).unwrap();
    let (_, descriptor) = writer.finish().unwrap();
    entry.finish(descriptor).unwrap();
    archive.finish().unwrap()
}

pub fn threemf_object(id: u32, points: &[[f64; 3]], triangles: &[[usize; 3]]) -> String {
    let vertices = points.iter().map(|[x, y, z]| format!("<vertex x=\"{x:.6}\" y=\"{y:.6}\" z=\"{z:.6}\"/>"));
    let faces = triangles.iter().map(|[a, b, c]| format!("<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>"));
    let (vertices, faces) = (vertices.collect::<String>(), faces.collect::<String>());
    format!("<object id=\"{id}\"><mesh><vertices>{vertices}</vertices><triangles>{faces}</triangles></mesh></object>")
}

pub fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn pbrt_points(points: &[[f64; 3]]) -> String {
    points.iter().map(|p| format!("{:.6} {:.6} {:.6} ", p[0], p[1], p[2])).collect()
}
