//! Poses of moving things when the shutter opens, which are the ones that are rendered.

use super::motion::Motion;
use super::params::Params;
use super::state::Importer;
use crate::{PbrtWarning, Place};
use glam::DAffine3;
use std::path::Path;
use std::rc::Rc;

impl Importer<'_> {
    /// Returns the transformation of a moving thing at the time when the shutter opens.
    pub fn pose(&self, motion: &Motion) -> DAffine3 {
        let times = &self.times;
        let t = match times.end > times.start {
            true => (times.shutter_open - times.start) / (times.end - times.start),
            false if times.shutter_open <= times.start => 0.0,
            false => 1.0,
        };
        motion.at(t)
    }

    /// Counts the thing at `path` and `line` if `motion` moves it, for a warning.
    pub fn note_motion(&mut self, motion: &Motion, path: &Rc<Path>, line: u64) {
        if motion.is_moving() {
            self.times.moving += 1;
            self.times.first.get_or_insert_with(|| (path.clone(), line));
        }
    }

    /// Returns the current transformation when the shutter opens, and counts the directive's thing if it moves.
    pub fn pose_here(&mut self, params: &Params) -> DAffine3 {
        let motion = self.graphics.ctm;
        self.note_motion(&motion, &params.path, params.line);
        self.pose(&motion)
    }

    /// Warns once if things move, since they are shown without motion blur.
    pub fn say_motion(&mut self) {
        let Some((path, line)) = self.times.first.take() else { return };
        let warning = PbrtWarning::Motion { things: self.times.moving, at: self.times.shutter_open };
        self.context.warn(&path, Place::Line(line), warning);
    }
}
