//! The rays of a trace, and what is said of them.

use crate::common::Common;
use crate::exit::CliError;
use crate::options::ray_input::{self, Rays};
use raywarp::scene::Description;
use std::path::Path;

/// Rays to trace, with notes on them.
pub struct RayInput<'n> {
    /// Name of the rays' file in messages.
    pub name: &'n str,
    /// Stream of the rays.
    pub rays: Rays<'n>,
    /// Notes on the rays, for people to read.
    pub notes: Vec<String>,
}

impl<'n> RayInput<'n> {
    /// Opens the file of rays at `path`, called `name` in messages, and says if its layout is converted.
    pub fn open(path: &Path, name: &'n str, common: &Common) -> Result<Self, CliError> {
        let reading = common.activity(format!("reading rays from {name}"));
        let rays = ray_input::open(path, name)?;
        drop(reading);
        let mut input = Self { name, rays, notes: Vec::new() };
        if !input.rays.layout().is_native() {
            let layout = input.rays.layout().to_string();
            input.note(&layout, common);
        }
        Ok(input)
    }

    /// Makes the rays relative to the origin of `scene`, and says what that costs.
    pub fn place_in(&mut self, scene: &Description, common: &Common) {
        if let Some(note) = self.rays.origin_note(scene.origin) {
            self.note(&note.to_string(), common);
        }
        self.rays.relative_to(scene.origin);
    }

    fn note(&mut self, note: &str, common: &Common) {
        let note = format!("{}: {note}", self.name);
        common.note(&note);
        self.notes.push(note);
    }
}
