//! The stage of a job whose scene is ready to be traced.

use super::{JobError, SettledJob, StageTimes};
use crate::render::{Picture, PictureRequest, Prepared};
use crate::scene::Warning;
use raywarp_render::output::Share;
use std::time::Instant;

/// Render job whose scene is prepared for tracing.
pub struct PreparedJob {
    /// Prepared scene; its plan says what renders the picture, and why.
    pub prepared: Prepared,
    /// Name of the scene in messages.
    pub name: String,
    /// Wall time of each stage so far.
    pub times: StageTimes,
    /// Warnings about what in the scene's file could not be represented.
    pub warnings: Vec<Warning>,
    /// Settings of the picture that were asked for.
    pub request: PictureRequest,
    pub(super) earlier: Option<Share>,
}

impl PreparedJob {
    /// Decides camera, size, samples and light of the picture, and adds light if asked for or if the scene's own does
    /// not show: [`Picture::settle`].
    ///
    /// # Errors
    /// [`JobError::Settle`].
    pub fn settle(self) -> Result<SettledJob, JobError> {
        let start = Instant::now();
        let Self { mut prepared, name, mut times, warnings, request, earlier } = self;
        let picture = match Picture::settle(&mut prepared, &request) {
            Ok(picture) => picture,
            Err(error) => return Err(JobError::Settle { scene: name, error }),
        };
        times.settle = start.elapsed();
        Ok(SettledJob::new(prepared, picture, (name, warnings), times, earlier))
    }
}
