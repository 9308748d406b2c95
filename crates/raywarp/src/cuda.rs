//! NVIDIA GPUs: devices, memory and streams, tracers on them, and kernels of one's own that ask Raywarp's.

pub use raywarp_cuda::{
    BoundsFault, CudaError, CudaPair, CudaTracer, Device, DeviceBuffer, DeviceHits, DeviceHitsMut, DeviceScene,
    DeviceSlice, DeviceSliceMut, DriverCall, EncodedPair, EncodedScene, Event, Function, Graph, HEADER_OPTIONS, Launch,
    LaunchBounds, LaunchWork, Mark, OnTree, Parameters, PeakRates, PinnedBuffer, SharedTracer, Stream, TreeRecord,
    header, side_by_side, with_header,
};

/// Selection of the fastest kernels for a given GPU.
pub mod auto {
    pub use raywarp_cuda::auto::{
        BatchKind, CacheFault, CacheWarning, Choice, Chosen, Pick, Promise, cache_file, choose,
    };
}
