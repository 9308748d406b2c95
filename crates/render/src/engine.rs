//! Interface of engines that render paths as a whole: a device with all stages of its own, from camera rays to the sums
//! of the film.

use crate::film::Film;
use crate::filter::PixelFilter;
use crate::lens::Lens;
use crate::options::RenderOptions;
use crate::vertex::MediaStack;
use crate::{FilterTable, LensRecord};
use raywarp_geom::TraceError;
use std::ops::Range;

/// Settings of a picture, other than the scene, on which its paths depend.
#[derive(Debug, Clone)]
pub struct FrameSettings<'a> {
    /// Options of the render; threads and stopping rules do not matter here.
    pub options: &'a RenderOptions,
    pub(crate) lens: &'a Lens,
    pub(crate) filter: &'a PixelFilter,
    /// Media stack at the camera.
    pub(crate) media: MediaStack,
}

impl FrameSettings<'_> {
    /// Returns the camera as a plain record for devices.
    pub fn lens(&self) -> LensRecord {
        self.lens.record()
    }

    /// Returns the pixel filter as a plain table for devices.
    pub fn filter(&self) -> FilterTable {
        self.filter.numbers()
    }

    /// Returns the media stack at the camera, as the words that paths carry on devices.
    pub fn media(&self) -> [u32; 2] {
        self.media.words()
    }
}

/// Observer of a rendering pass that is told of its progress and decides whether to go on; called from any thread.
pub trait PassWatch: Sync {
    /// Returns `true` while samples that have not begun should still begin.
    fn goes_on(&self) -> bool;

    /// Reports the numbers of paths that ended and rays that were traced since the last report.
    fn report(&self, paths: u64, rays: u64);
}

/// Device that renders whole paths, from the camera to the film. Pictures have the bits of [`crate::render`]'s, given
/// the same hits.
pub trait PathEngine {
    /// Begins a picture; `film` may already hold earlier samples.
    ///
    /// # Errors
    /// [`TraceError`].
    fn begin(&mut self, frame: &FrameSettings<'_>, film: &Film) -> Result<(), TraceError>;

    /// Adds `samples` of every pixel, in their order; if `watch` stops the pass, some or all pixels get none of them.
    ///
    /// # Errors
    /// [`TraceError`].
    fn pass(&mut self, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), TraceError>;

    /// Copies the device's sums of samples into the film.
    ///
    /// # Errors
    /// [`TraceError`]; some pixels of the film may then be those of now, and others those of before.
    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError>;
}
