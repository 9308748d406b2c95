//! Opening GPUs: those that are named, or the first that can be used.

use super::DeviceChoice;
use super::reason::{Cause, Reason, Unusable};
use raywarp_cuda::{CudaError, Device, side_by_side};
use std::sync::Arc;

impl DeviceChoice {
    /// Opens the GPUs that are named, side by side; none where none is named, as for [`DeviceChoice::Auto`].
    ///
    /// # Errors
    /// The error of the first GPU that is not there or fails; of [`DeviceChoice::AllCuda`] on a machine without one,
    /// that GPU 0 is missing.
    pub fn open(&self) -> Result<Vec<Device>, CudaError> {
        let ordinals = match self {
            Self::Cpu | Self::Auto => Vec::new(),
            Self::FirstCuda => vec![0],
            Self::Cuda(ordinals) => ordinals.clone(),
            // Of none the first is missing.
            Self::AllCuda => (0..Device::count()?.max(1)).collect(),
        };
        side_by_side(ordinals, Device::open).into_iter().collect()
    }
}

/// Returns the number of GPUs that the driver shows: at least one.
///
/// # Errors
/// The reason why there is none.
pub(super) fn count_gpus() -> Result<usize, Reason> {
    match Device::count() {
        Ok(0) => Err(Reason::NoGpu),
        Ok(count) => Ok(count),
        Err(error @ CudaError::NoDriver) => Err(Reason::NoDriver(Arc::new(error))),
        Err(error) => Err(Reason::DriverFails(Arc::new(error))),
    }
}

/// The result of trying GPUs one after the other.
#[derive(Debug)]
pub(crate) struct Usable<T> {
    /// Results on the GPUs that can be used, in the driver's order.
    pub taken: Vec<T>,
    /// GPUs that were tried and cannot be used.
    pub left_out: Vec<Unusable>,
}

impl<T> Usable<T> {
    /// Notes that a GPU cannot be used.
    pub fn leave_out(&mut self, ordinal: usize, error: impl std::error::Error + Send + Sync + 'static) {
        self.left_out.push(Unusable { ordinal, cause: Arc::new(error) as Cause });
    }
}

/// Tries `count` GPUs in the driver's order until `wanted` can be used: those that are still missing are opened side
/// by side, and `put` takes what it can use of them, and leaves out the others.
///
/// # Errors
/// Errors of `put` that no other GPU would mend: nothing more is tried then.
pub(crate) fn first_usable<T, E>(
    wanted: usize,
    count: usize,
    mut put: impl FnMut(Vec<Device>, &mut Usable<T>) -> Result<(), E>,
) -> Result<Usable<T>, E> {
    let mut usable = Usable { taken: Vec::new(), left_out: Vec::new() };
    let mut next = 0;
    while usable.taken.len() < wanted && next < count {
        let ordinals = next..count.min(next + wanted - usable.taken.len());
        next = ordinals.end;
        let mut devices = Vec::new();
        for (ordinal, device) in ordinals.clone().zip(side_by_side(ordinals, Device::open)) {
            match device {
                Ok(device) => devices.push(device),
                Err(error) => usable.leave_out(ordinal, error),
            }
        }
        if !devices.is_empty() {
            put(devices, &mut usable)?;
        }
    }
    Ok(usable)
}
