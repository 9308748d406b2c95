//! The stage of a job whose scene is ready to be traced.

use super::{JobError, SettledJob, StageTimes};
use crate::render::{Picture, PictureRequest, Prepared};
use crate::scene::Warning;
use raywarp_render::output::Share;
use std::time::Instant;

/// A job whose scene is ready to be traced.
pub struct PreparedJob {
    /// Scene with its tree; its plan says what renders the picture, and why.
    pub prepared: Prepared,
    /// Name of the scene in messages.
    pub name: String,
    /// Time of each stage so far.
    pub times: StageTimes,
    /// Warnings about what the scene's file holds that could not be mapped.
    pub warnings: Vec<Warning>,
    /// Picture that is asked for.
    pub request: PictureRequest,
    pub(super) earlier: Option<Share>,
}

impl PreparedJob {
    /// Settles camera, size, samples and light, and adds light to the scene where that is asked for or its own does not
    /// show: [`Picture::settle`].
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
