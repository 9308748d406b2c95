//! Colours whose file does not say what a full channel is.

/// Returns the number of a full channel, where `most` is the largest of all numbers and a file may have colours from 0
/// to 1 or from 0 to 255: 255 where one is above 2. Numbers a little above 1 come of rounding and of light, and are not
/// bytes of near-black.
pub(super) fn full_channel(most: f32) -> f32 {
    if most > 2.0 { 255.0 } else { 1.0 }
}
