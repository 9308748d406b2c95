//! Russian roulette, which ends paths of little throughput at random.

use super::{PathState, Transport, dimension};
use glam::Vec3;

/// Decides Russian roulette: returns the throughput and the sampler state with which `path` goes on, or `None` if it
/// ends.
#[inline]
pub fn roulette(transport: &Transport, path: &PathState, throughput: Vec3, state: u32) -> Option<(Vec3, u32)> {
    let largest = throughput.max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    if largest >= transport.roulette_below {
        return Some((throughput, state));
    }
    let survival = largest * transport.roulette_scale;
    let mut stream = path.stream(transport, dimension::ROULETTE, state);
    (stream.next_1d() < survival).then(|| (throughput * (1.0 / survival), stream.state()))
}
