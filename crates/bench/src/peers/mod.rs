//! Other tracers in the same process.

pub(crate) mod vulkan;

/// Why a peer cannot trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PeerError(String);

impl PeerError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}
