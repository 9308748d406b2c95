//! Memory as a kernel's probe sees it: addresses, what a warp-wide access costs, and which sectors must be brought at
//! all.

mod address;
mod cache;
mod counts;
mod traffic;
mod wavefronts;

pub use address::{AddressMap, Region, TouchedBytes};
pub use cache::{CacheAccess, Lru};
pub(crate) use counts::MemoryProbe;
pub use counts::{MemoryCounts, RegionCounts};
pub use traffic::{Caches, LoadEvents, Traffic, traffic};
pub use wavefronts::{AccessCost, access_cost};
