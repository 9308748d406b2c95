//! Names of kernels, and the list of those that answered the rays of a batch.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Name of a kernel that answers rays, such as `replace/phased/h8` or `cpu/wide8`: a pointer to a text that exists only
/// once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelName(&'static str);

impl KernelName {
    /// Makes a kernel name from a text that is known when the program is compiled.
    pub const fn fixed(name: &'static str) -> Self {
        Self(name)
    }

    /// Makes a kernel name from any text. It is kept until the process ends, once however often it is asked for: for
    /// tracers that ask when they are made, and not once a batch.
    pub fn new(name: &str) -> Self {
        static KNOWN: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Self(known.get(name).copied().unwrap_or_else(|| {
            let kept: &'static str = Box::leak(name.into());
            known.insert(kept);
            kept
        }))
    }

    /// Returns the name as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// List of the kernels that answered rays, each with its number of rays, in the order in which they first came. Adding
/// up batches adds up their rays by kernel, and allocates nothing.
///
/// ```
/// # use raywarp_geom as raywarp;
/// use raywarp::{KernelName, Kernels};
///
/// let (wide, narrow) = (KernelName::fixed("wide"), KernelName::fixed("narrow"));
/// let mut kernels = Kernels::of(wide, 1000);
/// kernels += Kernels::of(narrow, 24);
/// kernels += Kernels::of(wide, 500);
/// assert_eq!(kernels.iter().collect::<Vec<_>>(), [(wide, 1500), (narrow, 24)]);
/// assert_eq!((kernels.first(), kernels.to_string()), (Some(wide), "wide (1500 rays), narrow (24 rays)".into()));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Kernels {
    /// Kernels and their numbers of rays; unused entries at the end hold `None`.
    parts: [(Option<KernelName>, u64); Self::MOST],
    others: u64,
}

impl Kernels {
    /// Number of kernels that one list tells apart; the rays of further ones are only counted. A GPU answers by three
    /// at most, for many rays, for few and for those that these leave, and where it cannot the CPU by one.
    pub const MOST: usize = 6;

    /// Makes the list of one kernel, which answered `rays` rays.
    pub fn of(kernel: KernelName, rays: u64) -> Self {
        let mut parts = [(None, 0); Self::MOST];
        parts[0] = (Some(kernel), rays);
        Self { parts, others: 0 }
    }

    /// Adds `rays` rays that `kernel` answered.
    pub fn add(&mut self, kernel: KernelName, rays: u64) {
        match self.parts.iter_mut().find(|(known, _)| known.is_none_or(|known| known == kernel)) {
            Some(part) => *part = (Some(kernel), part.1 + rays),
            None => self.others += rays,
        }
    }

    /// Iterates over the kernels with their numbers of rays, in the order in which they first answered.
    pub fn iter(&self) -> impl Iterator<Item = (KernelName, u64)> + '_ {
        self.parts.iter().map_while(|&(kernel, rays)| Some((kernel?, rays)))
    }

    /// Returns the first kernel of the list: a tracer's main kernel, before the one that answers the rays it leaves
    /// undecided.
    pub fn first(&self) -> Option<KernelName> {
        self.parts[0].0
    }

    /// Returns `true` if no kernel answered any ray.
    pub fn is_empty(&self) -> bool {
        self.parts[0].0.is_none()
    }

    /// Returns the number of rays that kernels beyond the first [`Kernels::MOST`] answered, whose names are not kept.
    pub fn others(&self) -> u64 {
        self.others
    }
}

impl std::ops::AddAssign for Kernels {
    fn add_assign(&mut self, other: Self) {
        for (kernel, rays) in other.iter() {
            self.add(kernel, rays);
        }
        self.others += other.others;
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = Some(("others", self.others)).filter(|_| self.others > 0);
        f.debug_map().entries(self.iter().map(|(kernel, rays)| (kernel.0, rays)).chain(others)).finish()
    }
}

/// Writes each kernel's name with its number of rays.
impl fmt::Display for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no kernel");
        }
        // One that left all of its rays to another is not told beside it.
        let some_answered = self.iter().any(|(_, rays)| rays > 0);
        let answered = self.iter().filter(|(_, rays)| *rays > 0 || !some_answered);
        for (i, (kernel, rays)) in answered.enumerate() {
            write!(f, "{}{kernel} ({rays} rays)", if i == 0 { "" } else { ", " })?;
        }
        if self.others > 0 { write!(f, ", others ({} rays)", self.others) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let [first, second] = [0; 2].map(|_| KernelName::new(&format!("kernel {}", 7)));
        assert_eq!((first, first.as_str()), (second, "kernel 7"));
        assert!(std::ptr::eq(first.as_str(), second.as_str()));
        assert_ne!(first, KernelName::new("kernel 8"));
    }

    #[test]
    fn rays_add_up_by_kernel_and_none_gets_lost_beyond_the_room() {
        let kernel = |i: usize| KernelName::new(&format!("number {i}"));
        let mut all = Kernels::default();
        assert!(all.is_empty() && all.first().is_none() && !all.to_string().is_empty());
        for i in 0..Kernels::MOST + 3 {
            all += Kernels::of(kernel(i), i as u64);
            all += Kernels::of(kernel(i), 10);
        }
        let told: Vec<(KernelName, u64)> = all.iter().collect();
        assert_eq!(told, (0..Kernels::MOST).map(|i| (kernel(i), i as u64 + 10)).collect::<Vec<_>>());
        assert_eq!((all.others(), all.first()), (16 + 17 + 18, Some(kernel(0))));
        assert!(all.to_string().starts_with("number 0 (10 rays), number 1 (11 rays), "), "{all}");
        assert!(all.to_string().ends_with(", number 5 (15 rays), others (51 rays)"), "{all}");
        // Sums of sums are sums, whichever batches came together.
        let mut twice = all;
        twice += all;
        let sum = twice.iter().map(|(_, rays)| rays).sum::<u64>() + twice.others();
        assert_eq!(sum, 2 * (all.iter().map(|(_, rays)| rays).sum::<u64>() + all.others()));
    }

    #[test]
    fn a_kernel_that_answered_none_is_still_named() {
        let none = Kernels::of(KernelName::fixed("idle"), 0);
        assert_eq!((none.first(), none.to_string()), (Some(KernelName::fixed("idle")), "idle (0 rays)".into()));
        let mut both = none;
        both.add(KernelName::fixed("behind"), 3);
        assert_eq!((both.first(), both.to_string()), (none.first(), "behind (3 rays)".into()));
    }
}
