//! The stage of a job whose picture is rendered.

use super::{FileContents, JobError, PictureWriter, StageTimes};
use crate::render::{Picture, Prepared};
use crate::scene::Warning;
use raywarp_render::Rendered;
use std::path::Path;

/// Render job whose picture is rendered.
pub struct RenderedJob {
    /// Prepared scene; its plan says what rendered the picture, and why.
    pub prepared: Prepared,
    /// Picture with all settings, and notes on what was assumed.
    pub picture: Picture,
    /// Result of the render with its film, even if it was stopped or its device failed.
    pub rendered: Rendered,
    /// Name of the scene in messages.
    pub name: String,
    /// Wall time of each stage.
    pub times: StageTimes,
    /// Warnings about what in the scene's file could not be represented.
    pub warnings: Vec<Warning>,
    /// Number of samples per pixel taken by an earlier render that the job continued; `None` if there was none.
    pub resumed: Option<u32>,
    /// GPU renderers that traced whole paths, with their counts; `None` if the CPU shaded.
    #[cfg(feature = "cuda")]
    pub engine: Option<raywarp_render_cuda::CudaRenderers>,
}

impl RenderedJob {
    /// Writes the picture to a file, whose extension tells the format: `.png`, `.exr` or `.hdr`. It is written whole or
    /// not at all.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<&Self, JobError> {
        self.write_with(path, FileContents::default())
    }

    /// Writes the picture as [`write`](Self::write) does, with the given `contents`.
    ///
    /// # Errors
    /// [`JobError::Write`], [`JobError::PartOfShare`].
    pub fn write_with(&self, path: impl AsRef<Path>, contents: FileContents) -> Result<&Self, JobError> {
        let writer = PictureWriter::new(self.prepared.scene(), &self.picture, self.resumed, contents);
        writer.write(path.as_ref(), &self.rendered.film, self.rendered.elapsed)?;
        Ok(self)
    }
}
