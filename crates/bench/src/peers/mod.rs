//! Other tracers in the same process.

pub mod embree;
#[cfg(feature = "vulkan")]
#[allow(unsafe_code)] // Calls of the Vulkan driver.
pub(crate) mod vulkan;

/// Reason why another project's tracer cannot run.
#[cfg(feature = "vulkan")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PeerError(String);

#[cfg(feature = "vulkan")]
impl PeerError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}
