//! A cache that drops what was not used for longest.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A fully associative cache that drops the least recently used line. Fully associative: caches with fewer ways miss
/// more.
#[derive(Debug)]
pub struct Lru {
    capacity: usize,
    entries: Vec<Entry>,
    places: HashMap<u64, u32, BuildHasherDefault<Mix>>,
    newest: u32,
    oldest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    line: u64,
    /// Bit mask of the line's sectors that are in the cache.
    sectors: u32,
    older: u32,
    newer: u32,
}

/// Result of an access to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheAccess {
    /// Bit mask of the sectors that were not in the cache.
    pub missed: u32,
    /// Line that was dropped to make room.
    pub dropped: Option<u64>,
}

const NONE: u32 = u32::MAX;

impl Lru {
    /// Returns an empty cache of `capacity` lines; with none, every access misses.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, entries: Vec::new(), places: HashMap::default(), newest: NONE, oldest: NONE }
    }

    /// Accesses sectors of a line, given as a bit mask, which are in the cache from then on.
    pub fn access(&mut self, line: u64, sectors: u32) -> CacheAccess {
        if self.capacity == 0 {
            return CacheAccess { missed: sectors, dropped: None };
        }
        if let Some(&place) = self.places.get(&line) {
            let entry = &mut self.entries[place as usize];
            let missed = sectors & !entry.sectors;
            entry.sectors |= sectors;
            if self.newest != place {
                self.unlink(place);
                self.link(place);
            }
            return CacheAccess { missed, dropped: None };
        }
        let fresh = Entry { line, sectors, older: NONE, newer: NONE };
        let (place, dropped) = if self.entries.len() < self.capacity {
            self.entries.push(fresh);
            (self.entries.len() as u32 - 1, None)
        } else {
            let place = self.oldest;
            self.unlink(place);
            let dropped = std::mem::replace(&mut self.entries[place as usize], fresh).line;
            self.places.remove(&dropped);
            (place, Some(dropped))
        };
        self.places.insert(line, place);
        self.link(place);
        CacheAccess { missed: sectors, dropped }
    }

    fn unlink(&mut self, place: u32) {
        let Entry { older, newer, .. } = self.entries[place as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
    }

    fn link(&mut self, place: u32) {
        let before = std::mem::replace(&mut self.newest, place);
        let entry = &mut self.entries[place as usize];
        (entry.older, entry.newer) = (before, NONE);
        match before {
            NONE => self.oldest = place,
            before => self.entries[before as usize].newer = place,
        }
    }
}

/// Hasher of line numbers: as no adversary chooses them, one multiplication is enough.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, x: u64) {
        let mixed = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache as a plain list, newest line last, to compare with.
    struct Slow(usize, Vec<(u64, u32)>);

    impl Slow {
        fn access(&mut self, line: u64, sectors: u32) -> CacheAccess {
            let old = self.1.iter().position(|entry| entry.0 == line).map(|at| self.1.remove(at).1);
            let mut dropped = None;
            if old.is_none() && self.1.len() == self.0 {
                dropped = Some(self.1.remove(0).0);
            }
            self.1.push((line, old.unwrap_or(0) | sectors));
            CacheAccess { missed: sectors & !old.unwrap_or(0), dropped }
        }
    }

    #[test]
    fn it_drops_what_a_list_drops() {
        let mut random = raywarp_testing::Random::new(7);
        let mut next = |below: u64| random.integer() % below;
        for capacity in [1, 2, 3, 16, 100] {
            let (mut fast, mut slow) = (Lru::new(capacity), Slow(capacity, Vec::new()));
            for step in 0..4_000 {
                let (line, sectors) = (next(3 * capacity as u64 / 2 + 1), 1 + next(15) as u32);
                assert_eq!(fast.access(line, sectors), slow.access(line, sectors), "{capacity}, step {step}");
            }
        }
    }

    #[test]
    fn a_cache_of_nothing_holds_nothing() {
        let mut none = Lru::new(0);
        for _ in 0..2 {
            assert_eq!(none.access(5, 0b11), CacheAccess { missed: 0b11, dropped: None });
        }
    }
}
