//! Watching paths live and die: the tables of W11 are made of this.

/// Told of each path that is about to be extended.
pub trait PathObserver: Sync {
    /// The path of `sample` of `pixel` (index `y * width + x`) is alive with `bounce` vertices behind
    /// it. Called from the workers, wave by wave.
    fn alive(&self, pixel: u32, sample: u32, bounce: u32);
}

/// Nobody watches; costs nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl PathObserver for Unobserved {
    #[inline]
    fn alive(&self, _pixel: u32, _sample: u32, _bounce: u32) {}
}
