//! Writing a picture's film to files: pictures, pictures with their sums, shares.

use super::JobError;
use crate::render::{Picture, fingerprint};
use raywarp_render::film::Film;
use raywarp_render::output::{
    Layers, Look, Metadata, PictureOptions, ShareInfo, Tone, write_film, write_film_and_sums, write_share,
};
use raywarp_scene::Description;
use std::path::Path;
use std::time::Duration;

/// Options of what a picture's files hold.
#[derive(Debug, Clone, Default)]
pub struct FileContents {
    /// Tone curve of a PNG.
    pub tone: Tone,
    /// Layers of an EXR besides the colour.
    pub layers: Layers,
    /// `true` to keep the sums of samples in an EXR, so that a later render can continue them.
    pub sums: bool,
    /// `true` to write shares, which hold only sums of samples.
    pub share: bool,
    /// `true` to state the rendering time in files, so that two runs give different bytes.
    pub time: bool,
    /// Command line to state in files; empty for none.
    pub command: String,
}

/// Writer of a picture's files, with everything but the film that goes into them.
#[derive(Debug, Clone)]
pub struct PictureWriter {
    picture: Picture,
    contents: FileContents,
    /// Fingerprint of the render; empty if no sums are written.
    fingerprint: String,
    /// Number of the first sample in the film.
    first: u32,
}

impl PictureWriter {
    /// Makes a writer for a film that begins at the picture's first sample, or at 0 if it continues a `resumed` one.
    pub(super) fn new(scene: &Description, picture: &Picture, resumed: Option<u32>, contents: FileContents) -> Self {
        let first = if resumed.is_some() { 0 } else { picture.options.samples.start };
        let has_sums = contents.share || contents.sums;
        let fingerprint = if has_sums { fingerprint(scene, picture) } else { String::new() };
        Self { picture: picture.clone(), contents, fingerprint, first }
    }

    /// Returns the exposure and tone curve for a PNG of `film`.
    pub fn look(&self, film: &Film) -> Look {
        Look { exposure: self.picture.exposure_of(film), tone: self.contents.tone }
    }

    /// Writes `film`, which took `time` to render, in the format for the file name's extension, whole or not at all.
    /// Sums are left out of a film whose pixels do not all have the same samples.
    ///
    /// # Errors
    /// [`JobError::Write`], [`JobError::PartOfShare`].
    pub fn write(&self, path: &Path, film: &Film, time: Duration) -> Result<(), JobError> {
        let options = &self.picture.options;
        let [fewest, most] = film.sample_range();
        let samples = self.first..self.first + fewest;
        let mut entries = vec![
            ("samples".to_string(), format!("{}..{}", samples.start, samples.end)),
            ("seed".to_string(), options.seed.to_string()),
        ];
        if self.contents.time {
            entries.push(("seconds".to_string(), format!("{:.3}", time.as_secs_f64())));
        }
        let metadata = Metadata { command: self.contents.command.clone(), entries, ..Metadata::default() };
        let is_whole = fewest == most && fewest > 0;
        let content = self.picture.content();
        let info =
            || ShareInfo { samples, seed: u64::from(options.seed), fingerprint: self.fingerprint.clone(), content };
        if self.contents.share {
            if !is_whole {
                return Err(JobError::PartOfShare { path: path.to_path_buf() });
            }
            return Ok(write_share(path, film, &info(), &metadata)?);
        }
        let options = PictureOptions { look: self.look(film), layers: self.contents.layers, content, metadata };
        let written = match self.contents.sums && is_whole {
            true => write_film_and_sums(path, film, &options, &info()),
            false => write_film(path, film, &options),
        };
        Ok(written?)
    }
}
