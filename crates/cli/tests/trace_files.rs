//! `trace` with the ray files that people have, and the hit files that they ask for.

use std::process::{Command, Output};

/// A folder of its own for one test, removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.obj"), SQUARE).unwrap();
        Self(folder)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
        command.current_dir(&self.0).env_remove("RAYWARP_SCENES").args(line.split_whitespace()).output().unwrap()
    }

    /// Runs a line that must end with `status`; what it says on standard error.
    #[track_caller]
    fn check(&self, line: &str, status: i32) -> String {
        let output = self.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        said
    }

    /// Writes rays as NumPy does, float64 of six columns or float32 of eight.
    fn rays(&self, name: &str, descr: &str, rays: &[[f64; 8]]) {
        let columns: &[usize] = if descr == "<f8" { &[0, 1, 2, 4, 5, 6] } else { &[0, 1, 2, 3, 4, 5, 6, 7] };
        let shape = format!("({}, {})", rays.len(), columns.len());
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let mut file = b"\x93NUMPY\x01\x00v\x00".to_vec();
        file.extend(format!("{text:<117}\n").bytes());
        for value in rays.iter().flat_map(|ray| columns.iter().map(|&column| ray[column])) {
            match descr {
                "<f8" => file.extend(value.to_le_bytes()),
                _ => file.extend((value as f32).to_le_bytes()),
            }
        }
        std::fs::write(self.0.path().join(name), file).unwrap();
    }
}

/// A square in z = 1: two triangles.
const SQUARE: &str = "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n";
const INF: f64 = f64::INFINITY;
/// Onto both triangles, past them, and one that is none.
const RAYS: [[f64; 8]; 4] = [
    [0.25, 0.5, 3.0, 0.0, 0.0, 0.0, -1.0, INF],
    [0.75, 0.75, 0.0, 0.0, 0.0, 0.0, 0.5, INF],
    [2.0, 0.0, 3.0, 0.0, 0.0, 0.0, -1.0, INF],
    [0.25, 0.25, 3.0, 0.0, 0.0, 0.0, f64::NAN, INF],
];

#[test]
fn float64_rays_of_six_columns_find_the_same_and_a_line_says_what_was_taken() {
    let folder = Folder::new();
    folder.rays("eight.npy", "<f4", &RAYS);
    folder.rays("six.npy", "<f8", &RAYS);
    assert_eq!(folder.check("trace a.obj eight.npy -o eight-hits.npy", 0), "");
    let said = folder.check("trace a.obj six.npy -o six-hits.npy", 0);
    assert!(said.starts_with("raywarp: six.npy: float64 (4, 6): ") && said.lines().count() == 1, "{said}");
    assert_eq!(folder.read("six-hits.npy"), folder.read("eight-hits.npy"));
    assert_eq!(folder.check("trace a.obj six.npy -o six-hits.npy -q", 0), "");
}

#[test]
fn hits_are_text_by_the_files_name_with_what_was_asked_for() {
    let folder = Folder::new();
    folder.rays("rays.npy", "<f8", &RAYS);
    folder.check("trace a.obj rays.npy -o hits.csv", 0);
    let text = "t,u,v,primitive,instance\n2.0,0.25,0.5,0,0\n2.0,0.5,0.25,1,0\ninf,0.0,0.0,-1,-1\ninf,0.0,0.0,-1,-1\n";
    assert_eq!(String::from_utf8(folder.read("hits.csv")).unwrap(), text);
    folder.check("trace a.obj rays.npy -o HITS.CSV --with normal,position", 0);
    let text = String::from_utf8(folder.read("HITS.CSV")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let names = ",normal_x,normal_y,normal_z,position_x,position_y,position_z";
    assert_eq!(lines[0], format!("t,u,v,primitive,instance{names}"));
    assert_eq!(lines[1], "2.0,0.25,0.5,0,0,0.0,0.0,1.0,0.25,0.5,1.0");
    assert_eq!(lines[4], "inf,0.0,0.0,-1,-1,NaN,NaN,NaN,NaN,NaN,NaN");
    folder.check("trace a.obj rays.npy -o any.csv --any", 0);
    assert_eq!(folder.read("any.csv"), b"blocked\n1\n1\n0\n0\n");
}

#[test]
fn fields_become_columns_of_the_array() {
    let folder = Folder::new();
    folder.rays("rays.npy", "<f4", &RAYS);
    folder.check("trace a.obj rays.npy -o hits.npy --with position --with normal", 0);
    let file = folder.read("hits.npy");
    let header = String::from_utf8_lossy(&file[10..256]).into_owned();
    let names = "('instance', '<u4'), ('position', '<f4', (3,)), ('normal', '<f4', (3,))]";
    assert!(header.contains(names) && header.contains("'shape': (4,)"), "{header}");
    let records = &file[file.len() - 4 * 44..];
    let floats = |record: usize| -> Vec<f32> {
        records[record * 44 + 20..][..24].as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
    };
    assert_eq!(floats(1), [0.75, 0.75, 1.0, 0.0, 0.0, 1.0]);
    assert!(floats(2).iter().all(|value| value.is_nan()));
}

#[test]
fn fields_that_are_not_known_or_not_there_are_refused() {
    let folder = Folder::new();
    folder.rays("rays.npy", "<f4", &RAYS);
    let said = folder.check("trace a.obj rays.npy -o hits.npy --with colour", 2);
    assert!(said.contains("colour") && said.contains("position") && said.contains("normal"), "{said}");
    let said = folder.check("trace a.obj rays.npy -o hits.npy --with normal --any", 2);
    assert!(said.contains("--with") && said.contains("--any"), "{said}");
}
