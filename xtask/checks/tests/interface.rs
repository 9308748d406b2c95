//! The public interface of `raywarp` is the one that is kept, and a small workspace shows what a snapshot of one holds.

use std::path::Path;
use xtask_checks::api::{FILE, Interface, stale};

#[test]
fn the_public_interface_is_the_one_that_is_kept() {
    let changes = stale(&xtask_checks::root()).unwrap();
    let say = "the public interface changed; `cargo xtask api` writes it down (or cargo run -p xtask-checks -- api)";
    assert!(changes.is_empty(), "{say}, to {FILE}:\n{}", changes.join("\n"));
}

/// Returns the files of a workspace of two crates, one of which re-exports items of the other.
fn workspace(geom: &str, door: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    write("Cargo.toml", "[workspace]\nmembers = [\"door\", \"geom\"]\nresolver = \"3\"\n");
    write("geom/Cargo.toml", &(package("geom") + "[features]\nfast = []\n"));
    write("geom/src/lib.rs", geom);
    write("geom/src/inner.rs", "pub struct Inner;\nimpl crate::Ray { pub fn moved(&self) {} }\n");
    let dependency = "[features]\nfast = [\"geom/fast\"]\n[dependencies]\ngeom = { path = \"../geom\" }\n";
    write("door/Cargo.toml", &(package("door") + dependency));
    write("door/src/lib.rs", door);
    folder
}

const GEOM: &str = "
mod inner;
pub use inner::Inner as Within;
#[derive(Debug, Clone)]
pub struct Ray { pub t: f32, hidden: u32 }
impl Ray { pub fn at(&self, t: f32) -> [f32; 3] { [t; 3] } fn private(&self) {} }
impl From<f32> for Ray { fn from(t: f32) -> Self { Ray { t, hidden: 0 } } }
#[cfg(feature = \"fast\")]
pub fn fast() {}
#[cfg(test)]
pub fn tested() {} #[doc(hidden)]
pub fn secret() {}
macro_rules! id { ($name:ident) => { pub struct $name(pub u32); } }
id!(MeshId);
mod sealed { pub trait Sealed {} }
impl sealed::Sealed for Ray {}
";

const DOOR: &str = "
pub use geom::Ray;
pub mod all { pub use geom::*; }
mod own { pub enum Kind { One, Two { of: u8 } } }
pub use own::Kind;
";

fn read(folder: &Path, features: Option<&[String]>) -> Vec<String> {
    Interface::read(folder, "door", features).unwrap().lines()
}

#[test]
fn a_door_is_written_down_through_globs_renames_features_and_macros() {
    let folder = workspace(GEOM, DOOR);
    let expected = "\
mod door
enum door::Kind
variant door::Kind::One
variant door::Kind::Two { of: u8 }
struct door::Ray { .. }
field door::Ray::t: f32
fn door::Ray::at(&self, t: f32) -> [f32; 3]
fn door::Ray::moved(&self)
impl Clone for door::Ray
impl Debug for door::Ray
impl From<f32> for door::Ray
mod door::all
struct door::all::MeshId(pub u32)
use door::all::Ray = door::Ray
struct door::all::Within
fn door::all::fast()";
    assert_eq!(read(folder.path(), None).join("\n"), expected);
    assert!(!read(folder.path(), Some(&[])).iter().any(|line| line.contains("fast")));
    let counts = Interface::read(folder.path(), "door", None).unwrap().counts();
    assert_eq!(counts.at_root, ["Kind", "Ray"]);
    assert_eq!(counts.listed.len(), 6);
    assert_eq!(counts.double_paths, ["door::Ray = door::all::Ray"]);
    assert_eq!(counts.globs, ["door::all: pub use geom::*"]);
    assert!(counts.shared_names.is_empty());
}

#[test]
fn an_argument_more_is_another_interface() {
    let changed = GEOM.replace("at(&self, t: f32)", "at(&self, t: f32, scale: f32)");
    let (old, new) = (workspace(GEOM, DOOR), workspace(&changed, DOOR));
    let (old, new) = (read(old.path(), None), read(new.path(), None));
    assert_eq!(old.iter().filter(|line| !new.contains(line)).count(), 1);
    assert!(new.iter().any(|line| line == "fn door::Ray::at(&self, t: f32, scale: f32) -> [f32; 3]"));
}

#[test]
fn one_name_for_two_types_is_counted() {
    let door = "pub mod a { pub struct Gpu; }\npub mod b { pub struct Gpu; }\n";
    let folder = workspace(GEOM, door);
    let counts = Interface::read(folder.path(), "door", None).unwrap().counts();
    assert_eq!(counts.shared_names, ["Gpu: door::a::Gpu, door::b::Gpu"]);
}
