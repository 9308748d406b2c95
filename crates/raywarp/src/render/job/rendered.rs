//! The stage of a job whose picture is rendered.

use super::{FileContents, JobError, PictureWriter, StageTimes};
use crate::render::{Picture, Prepared};
use crate::scene::Warning;
use raywarp_render::Rendered;
use std::path::Path;

/// A job whose picture is rendered.
pub struct RenderedJob {
    /// Scene with its tree; its plan says what rendered it, and why.
    pub prepared: Prepared,
    /// Picture, with notes on what was assumed.
    pub picture: Picture,
    /// Film, with what it took; also of a render that was stopped, or whose device failed on the way.
    pub rendered: Rendered,
    /// Name of the scene in messages.
    pub name: String,
    /// Time of each stage.
    pub times: StageTimes,
    /// Warnings about what the scene's file holds that could not be mapped.
    pub warnings: Vec<Warning>,
    /// Samples of each pixel that an earlier render took, where the job went on with them.
    pub resumed: Option<u32>,
    /// GPUs that took whole paths, with what they counted; `None` where the CPU shaded.
    #[cfg(feature = "cuda")]
    pub engine: Option<raywarp_render_cuda::CudaRenderers>,
}

impl RenderedJob {
    /// Writes the picture to a file, whose extension says in which format: `.png`, `.exr` or `.hdr`. It is written whole
    /// or not at all.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<&Self, JobError> {
        self.write_with(path, FileContents::default())
    }

    /// Writes the picture as [`write`](Self::write) does, with `contents`.
    ///
    /// # Errors
    /// [`JobError::Write`], [`JobError::PartOfShare`].
    pub fn write_with(&self, path: impl AsRef<Path>, contents: FileContents) -> Result<&Self, JobError> {
        let first = if self.resumed.is_some() { 0 } else { self.picture.options.samples.start };
        let writer = PictureWriter::new(self.prepared.scene(), &self.picture, first, contents);
        writer.write(path.as_ref(), &self.rendered.film, self.rendered.elapsed)?;
        Ok(self)
    }
}
