//! Scenes in files: what [`Scene::save`] writes, [`Scene::load`] reads back, with the same answers, or says why not.
//!
//! All numbers are little-endian. Two parts, each with a checksum of eight bytes behind it:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `RAYWSCEN` |
//! | 8..16 | format version; zero |
//! | 16..32 | length of what is told of the scene, of the memory of its trees |
//! | | what is told: origin, options, trees, meshes and groups, placements, the tree over these; checksum from 0 on |
//! | | memory of the trees, nodes and blocks of triangles, one tree after the other; checksum of its pieces' checksums |
//!
//! A piece is 64 KiB, the last of each tree less.
//!
//! What follows from other things is not in it: numbers and boxes of placements, ids of triangles, the inverses of
//! maps, stack depths. Of what moves both maps are in it, and all else of it is worked out again and has to be what the
//! file says. Checksums find accidents. What is read is checked in full all the same, as if somebody had made
//! it up: whatever the bytes are, loading ends in a scene that can be asked and edited, or in an error, and allocates
//! little more than the input is long.

mod bytes;
mod checksum;
mod error;
mod parts;
mod read;
#[cfg(test)]
pub(super) mod tests;
mod whole;
mod write;

pub use error::SceneFileError;

use super::scene::Scene;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Version of the format that is written and read.
const FORMAT_VERSION: u32 = 4;

/// Number of bytes of a piece of a tree's memory, which has a checksum of its own: threads read and sum pieces by
/// themselves, each on its stack and in a core's nearest caches, before a tree's memory is touched.
const PIECE_BYTES: usize = 1 << 16;

const MAGIC: &[u8; 8] = b"RAYWSCEN";

/// Number of bytes before what is told of a scene.
const HEADER_BYTES: usize = 32;

impl Scene {
    /// Saves the scene in a file, so that [`Scene::load`] needs to build nothing: trees, meshes, groups, placements,
    /// what moves, masks, ids, origin. A file that is there is replaced. Equal scenes give equal bytes.
    ///
    /// The file is about as long as the scene has [`bytes`](Scene::bytes), and is for Raywarp alone: another version
    /// may not read it. Keep what the scene was made of. A scene whose batches GPUs trace is saved as it is on the CPU.
    ///
    /// ```
    /// use raywarp::{Ray, Scene};
    ///
    /// # let path = std::env::temp_dir().join(format!("raywarp-saved-{}", std::process::id()));
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// scene.save(&path)?;
    /// let loaded = Scene::load(&path)?;
    /// let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    /// assert_eq!(loaded.closest(&ray), scene.closest(&ray));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneFileError::Io`] if the file cannot be written; [`SceneFileError::InFile`] with
    /// [`SceneFileError::Custom`] for custom geometry, which is code of the program, or with
    /// [`SceneFileError::BigEndian`]. Both begin with the path.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SceneFileError> {
        save_file(self, path.as_ref()).map_err(named(path.as_ref()))
    }

    /// Saves the scene as [`Scene::save`] does, to any output. It is written in large pieces.
    ///
    /// # Errors
    /// [`SceneFileError::Io`]; [`SceneFileError::Custom`]; [`SceneFileError::BigEndian`].
    pub fn save_to(&self, out: &mut impl Write) -> Result<(), SceneFileError> {
        write::write(self, &write::told(self)?, out)
    }

    /// Loads a scene that [`Scene::save`] wrote, of this version of the format. It answers every question with the bits
    /// of the scene that was saved, can be edited as that can, and is saved as the same bytes. Batches are traced on
    /// this CPU.
    ///
    /// O(n), one read of the file and a check of all that is in it, in parallel; threads read pieces of a file where
    /// the system is a Unix. Meshes of default options load five to thirteen times as fast as they are built, trees of
    /// [`FASTEST`](crate::bvh::presets::FASTEST) five to eight times, and scenes of which most is placements four to
    /// six times, the least of all; eight threads are nearer to the system's memory than to the processor. The file may
    /// change while it is read, or come from anywhere: what is not a scene is an error, and what is loaded is in memory
    /// of its own.
    ///
    /// # Errors
    /// [`SceneFileError::Io`] if the file cannot be read; else [`SceneFileError::InFile`]: it is none of ours or of
    /// another version, ends early or goes on, is damaged, or holds what no scene does. Both begin with the path.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneFileError> {
        load_file(path.as_ref()).map_err(named(path.as_ref()))
    }

    /// Loads a scene as [`Scene::load`] does, from any input, and reads no byte after it. Above 32 MiB it takes half as
    /// long again, since the input's length is not known: memory grows as bytes come.
    ///
    /// # Errors
    /// As [`Scene::load`], of an input that has no path.
    pub fn load_from(input: &mut impl Read) -> Result<Self, SceneFileError> {
        Ok(read::read(input, None)?.0)
    }
}

fn save_file(scene: &Scene, path: &Path) -> Result<(), SceneFileError> {
    // What cannot be saved replaces nothing.
    let told = write::told(scene)?;
    write::write(scene, &told, &mut File::create(path)?)
}

fn load_file(path: &Path) -> Result<Scene, SceneFileError> {
    let mut file = File::open(path)?;
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let length = if data.is_file() { Some(data.len()) } else { None };
    let (scene, at) = read::read_file(&mut file, length)?;
    if file.read(&mut [0])? == 0 { Ok(scene) } else { Err(SceneFileError::TooLong { at }) }
}

/// Returns what names the file in an error: one of the system's stays one.
fn named(path: &Path) -> impl Fn(SceneFileError) -> SceneFileError {
    move |error| match error {
        SceneFileError::Io(error) => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
        error => SceneFileError::InFile { path: path.into(), error: Box::new(error) },
    }
}
