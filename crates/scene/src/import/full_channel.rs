//! Colours whose file does not say what a full channel is.

/// Returns the value of a full colour channel, 1 or 255, in a file that does not say which. `most` is the largest of
/// all numbers: 255 where that is above 2. Numbers a little above 1 come of rounding and of light, and are not bytes of
/// near-black.
pub(super) fn full_channel(most: f32) -> f32 {
    if most > 2.0 { 255.0 } else { 1.0 }
}
