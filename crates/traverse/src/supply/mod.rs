//! Supplies of rays to lanes, one file each. Each holds the main loop, "while ray not terminated", around the
//! iterations of whatever schedule.

mod direct;
mod persistent;
mod pool;
mod queue;
mod replace;

pub(crate) use direct::direct;
pub(crate) use persistent::persistent;
pub(crate) use pool::Pool;
pub use pool::RayCounter;
pub(crate) use queue::queue;
pub(crate) use replace::replace;
