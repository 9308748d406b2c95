//! Launches that a stream records once and repeats.

use crate::error::{DriverCall, driver};
use crate::{CudaError, Stream};
use cudarc::driver::{DriverError, result, sys};
use std::fmt;

/// CUDA graph recorded from a stream: launches and clears of memory, in their order and with their parameters. The
/// driver takes it as a whole, so that the host hands over one launch in place of many.
pub struct Graph {
    executable: sys::CUgraphExec,
    stream: Stream,
}

impl Stream {
    /// Records what `work` puts on this stream as a graph instead of running it: launches, and [`clear`](Self::clear).
    ///
    /// Whatever else `work` asks of the stream is an error: nothing happens here that a copy could bring back or that
    /// could be waited for. What is on the stream already goes on meanwhile.
    ///
    /// # Errors
    /// [`CudaError::Driver`], and the error of `work`. The stream no longer records then.
    pub fn record(&self, work: impl FnOnce() -> Result<(), CudaError>) -> Result<Graph, CudaError> {
        let _current = self.choose()?;
        // Other threads may do as they like with other streams.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.inner().begin_capture(mode).map_err(driver(DriverCall::RecordGraph))?;
        let worked = work();
        // Also where `work` has failed, and by one call: nothing is to come in between that may fail.
        // SAFETY: a stream of ours, which this thread has just let record.
        let ended = unsafe { result::stream::end_capture(self.inner().cu_stream()) };
        // Where a call could not be recorded the driver says so here again, in fewer words.
        let recorded = worked.and_then(|()| ended.map_err(driver(DriverCall::RecordGraph)));
        // SAFETY: the graph that was just recorded, if there is one.
        let made = recorded.and_then(|graph| unsafe { executable(graph) }.map_err(driver(DriverCall::MakeGraph)));
        if let Ok(graph) = ended
            && !graph.is_null()
        {
            // SAFETY: it is destroyed once, and what was made of it has a copy.
            self.inner().context().record_err(unsafe { result::graph::destroy(graph) });
        }
        Ok(Graph { executable: made?, stream: self.clone() })
    }
}

/// Instantiates a recorded graph, so that it can be launched.
///
/// # Safety
/// The graph is one of the driver's, or null.
unsafe fn executable(graph: sys::CUgraph) -> Result<sys::CUgraphExec, DriverError> {
    if graph.is_null() {
        return Err(DriverError(sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    }
    // SAFETY: the caller keeps the promise.
    unsafe { result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)) }
}

impl Graph {
    /// Runs all that was recorded on the stream that recorded it, and does not wait for it.
    ///
    /// # Safety
    /// All memory that was named while it was recorded is still there, and holds what the kernels expect.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn launch(&self) -> Result<(), CudaError> {
        let _current = self.stream.choose()?;
        // SAFETY: the graph is there until this is dropped; of its memory the caller takes care.
        unsafe { result::graph::launch(self.executable, self.stream.inner().cu_stream()) }
            .map_err(driver(DriverCall::LaunchGraph))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once. One that is still at work the driver destroys when it is done.
        self.stream.inner().context().record_err(unsafe { result::graph::exec_destroy(self.executable) });
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").finish_non_exhaustive()
    }
}
