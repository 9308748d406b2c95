//! The public interface of a crate as text, and counts of it: made on stable Rust by `syn`, through all that the crate
//! imports from others of the workspace.
//!
//! One line an item, sorted by path: modules, functions, constants, types with their fields and variants, traits with
//! what they ask for, public functions of `impl` blocks wherever these stand, and traits that a type implements or
//! derives. Bodies, values of constants, private parts and what is `doc(hidden)` are left out. Types inside signatures
//! are written as the source writes them. Traits that the compiler implements by itself (`Send`, `Sync`) are not seen.

mod cfg;
mod counts;
mod door;
mod features;
mod macros;
pub(crate) mod names;
mod snapshot;
mod text;
pub(crate) mod world;

pub use counts::Counts;
pub use features::{Package, packages};
pub use snapshot::{FILE, run, snapshot, stale};

use door::Door;
use std::path::Path;
use world::World;

/// The public interface of a crate, with the modules that it was read from.
pub struct Interface {
    world: World,
    door: Door,
    name: String,
}

impl Interface {
    /// Reads the interface of the crate `door` of the workspace at `root`, with all of its features or the named ones.
    ///
    /// # Errors
    /// Text that says which file or package could not be read.
    pub fn read(root: &Path, door: &str, features: Option<&[String]>) -> Result<Interface, String> {
        let packages = packages(root)?;
        let package = packages.iter().find(|package| package.name == door);
        let package = package.ok_or_else(|| format!("no crate {door} in the workspace"))?;
        let all: Vec<String> = package.features.keys().cloned().collect();
        let world = World::read(&packages, door, features.unwrap_or(&all))?;
        let name = door.replace('-', "_");
        let door = Door::of(&world, &name);
        Ok(Interface { world, door, name })
    }

    /// Returns the interface as lines of text, one for each item, sorted by path.
    pub fn lines(&self) -> Vec<String> {
        self.door.lines(&self.world)
    }

    /// Returns the counts of the interface's items.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.world, &self.door, &self.name)
    }
}
