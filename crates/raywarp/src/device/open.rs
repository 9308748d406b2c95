//! Opening GPUs: those that are named, or the first that can be used.

use super::DeviceChoice;
use super::reason::{Cause, PlanReason, Unusable};
use raywarp_cuda::{CudaError, Device, side_by_side};
use std::sync::Arc;

impl DeviceChoice {
    /// Opens the GPUs that the choice names, side by side; none for choices that name none, such as
    /// [`DeviceChoice::Auto`].
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

/// Returns the number of GPUs that the driver shows, at least one, or the reason why there is none.
///
/// # Errors
/// The reason why there is none.
pub(super) fn count_gpus() -> Result<usize, PlanReason> {
    match Device::count() {
        Ok(0) => Err(PlanReason::NoGpu),
        Ok(count) => Ok(count),
        Err(error @ CudaError::NoDriver) => Err(PlanReason::NoDriver(Arc::new(error))),
        Err(error) => Err(PlanReason::DriverFails(Arc::new(error))),
    }
}

/// Result of trying GPUs in the driver's order.
#[derive(Debug)]
pub(crate) struct Usable<T> {
    /// Results for the usable GPUs, in the driver's order.
    pub taken: Vec<T>,
    /// GPUs that were tried but cannot be used, with their errors.
    pub left_out: Vec<Unusable>,
}

impl<T> Usable<T> {
    /// Records that a GPU cannot be used, with its error.
    pub fn leave_out(&mut self, ordinal: usize, error: impl std::error::Error + Send + Sync + 'static) {
        self.left_out.push(Unusable { ordinal, cause: Arc::new(error) as Cause });
    }
}

/// Tries `count` GPUs in the driver's order until `wanted` of them are usable; `put` uses those that were opened, or
/// leaves them out.
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
