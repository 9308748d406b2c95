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

/// Settings of a picture on which a path depends beside the scene: the same for all paths of a render.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// Options of the render, of which threads and stopping rules do not matter here.
    pub options: &'a RenderOptions,
    pub(crate) lens: &'a Lens,
    pub(crate) filter: &'a PixelFilter,
    /// Media that the camera is in.
    pub(crate) media: MediaStack,
}

impl Frame<'_> {
    /// Returns the camera as a record.
    pub fn lens(&self) -> LensRecord {
        self.lens.record()
    }

    /// Returns the pixel filter as numbers.
    pub fn filter(&self) -> FilterTable {
        self.filter.numbers()
    }

    /// Returns the media that the camera is in, as the words that paths carry.
    pub fn media(&self) -> [u32; 2] {
        self.media.words()
    }
}

/// Watcher of a pass: it is told of progress, and says whether to go on; from any thread, for an engine may use
/// several.
pub trait PassWatch: Sync {
    /// Returns `true` while samples that were not begun still should be.
    fn goes_on(&self) -> bool;

    /// Reports that so many paths have ended, and so many rays were traced, since the last report.
    fn report(&self, paths: u64, rays: u64);
}

/// A device that renders paths as a whole. Pictures have the bits of [`crate::render`]'s, given the same hits.
pub trait PathEngine {
    /// Begins a picture, on a film that may hold earlier samples.
    ///
    /// # Errors
    /// [`TraceError`].
    fn begin(&mut self, frame: &Frame<'_>, film: &Film) -> Result<(), TraceError>;

    /// Adds `samples` of every pixel, each pixel's in their order; where `watch` says so, some or all pixels get none
    /// of them.
    ///
    /// # Errors
    /// [`TraceError`].
    fn pass(&mut self, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), TraceError>;

    /// Copies the sums into the film.
    ///
    /// # Errors
    /// [`TraceError`]; some pixels of the film may then be those of now, and others those of before.
    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError>;
}
