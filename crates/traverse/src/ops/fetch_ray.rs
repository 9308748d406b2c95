//! `fetch_ray`: take a ray from the supply (AL09 appendix A).

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// Index of the shared memory record with the warp's local pool: its next ray and the number of rays left (AL09
/// appendix A).
pub(crate) const LOCAL_POOL: u32 = 0;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Gives the lanes of `idle` the next rays of the warp's pool, and sets these rays up. When the local pool runs
    /// empty, one lane gets another batch from the global one; where there is no local pool it gets exactly as many
    /// rays as there are idle lanes. Returns the lanes that got a ray.
    #[inline(never)]
    pub fn fetch_ray(&mut self, idle: L::Mask) -> L::Mask {
        let mut fetched = L::Mask::NONE;
        let mut wanting = idle;
        let exact = self.pool.is_exact();
        if exact && wanting.any() {
            self.fetch_batch();
            self.pool.ask(wanting.count());
        }
        while wanting.any() {
            if self.pool.is_empty() {
                // Who has asked in vain does not ask again.
                if self.pool.is_global() && !exact && !self.pool.is_dry() {
                    self.fetch_batch();
                }
                if !self.pool.take_batch() {
                    break;
                }
            }
            let pool = &mut self.pool;
            let mut took = std::mem::take(&mut self.noted);
            took.clear();
            self.lanes.each(wanting, |i, lane| {
                if let Some(ray) = pool.next() {
                    lane.ray = ray;
                    took.push((i, ray));
                }
            });
            let n = self.lanes_per_ray();
            for &(i, ray) in &took {
                self.set_ray(i, ray);
                self.touch(i * n, Space::Ray, ray, 0, 32, false);
                if self.launch.tree.has_keys() {
                    // The key that hits come after: an array of its own beside the rays.
                    self.touch(i * n, Space::Ray, ray, 32, 12, false);
                }
            }
            if self.pool.is_global() && !exact {
                self.touch(0, Space::Shared, LOCAL_POOL, 0, 8, true);
            }
            let got = wanting.without(self.idle());
            self.issue(Block::FetchRay, got);
            self.setup_ray(got);
            fetched = fetched.or(got);
            wanting = self.idle();
            self.noted = took;
        }
        fetched
    }

    /// Lets one lane take rays for the warp by adding to the global counter.
    fn fetch_batch(&mut self) {
        self.touch(0, Space::Counter, 0, 0, 4, true);
        self.issue_bits(Block::FetchBatch, 1);
    }
}
