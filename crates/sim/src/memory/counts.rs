//! Counts of a launch's accesses.

use super::address::{AddressMap, Region, TouchedBytes};
use super::wavefronts::{SECTOR, access_cost};
use raywarp_traverse::Touch;

const REGIONS: usize = Region::ALL.len();

/// Counts of accesses to one region of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RegionCounts {
    /// Number of loads and stores that warps issued.
    pub accesses: u64,
    /// Number of lanes that took part, summed over all accesses.
    pub lanes: u64,
    /// Least number of passes through the first cache's data stage.
    pub least: u64,
    /// Number of passes through the first cache's data stage as hardware was seen to make them
    /// ([`super::AccessCost::passes`]).
    pub passes: u64,
    /// Sum of the squares of each access's passes.
    pub squares: u64,
    /// Number of distinct sectors of each access, summed over all accesses.
    pub sectors: u64,
    /// Number of distinct lines of each access, summed over all accesses.
    pub lines: u64,
    /// Number of distinct sectors that a launch touches, summed over all launches; counted for the tree only.
    pub distinct: u64,
}

impl RegionCounts {
    fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.lanes += other.lanes;
        self.least += other.least;
        self.passes += other.passes;
        self.squares += other.squares;
        self.sectors += other.sectors;
        self.lines += other.lines;
        self.distinct += other.distinct;
    }
}

/// Counts of accesses to all regions of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryCounts([RegionCounts; REGIONS]);

impl MemoryCounts {
    /// Returns the counts of accesses to one region of memory.
    pub fn region(&self, region: Region) -> &RegionCounts {
        &self.0[region as usize]
    }

    /// Returns the sums of the counts over all regions of memory.
    pub fn all(&self) -> RegionCounts {
        let mut sum = RegionCounts::default();
        self.0.iter().for_each(|counts| sum.add(counts));
        sum
    }

    /// Adds the counts of another launch.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| mine.add(theirs));
    }
}

/// A set of sectors, with one bit for each.
#[derive(Debug, Clone, Default)]
struct SectorSet(Vec<u64>);

impl SectorSet {
    #[inline]
    fn insert(&mut self, sector: u64) {
        let word = (sector / 64) as usize;
        if word >= self.0.len() {
            self.0.resize((word + 1).next_power_of_two(), 0);
        }
        self.0[word] |= 1 << (sector % 64);
    }

    fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// A load or store of several chunks that is being gathered lane by lane.
#[derive(Debug, Clone, Default)]
struct Open {
    key: Option<(Region, bool, u8, u8, u8)>,
    lanes: u64,
    places: Vec<(u8, TouchedBytes)>,
}

/// Probe that gathers [`MemoryCounts`] from the memory that warps touch.
#[derive(Debug, Clone)]
pub(crate) struct MemoryProbe {
    map: AddressMap,
    counts: MemoryCounts,
    /// Sets of the distinct sectors touched of nodes, triangles and slots.
    distinct: [SectorSet; 3],
    open: Vec<Open>,
    used: usize,
    addresses: Vec<(u8, u64)>,
}

impl MemoryProbe {
    pub fn new(map: AddressMap) -> Self {
        Self {
            map,
            counts: MemoryCounts::default(),
            distinct: Default::default(),
            open: Vec::new(),
            used: 0,
            addresses: Vec::new(),
        }
    }

    /// Counts the memory accesses of one event of a warp.
    pub fn event(&mut self, touches: &[Touch]) {
        for touch in touches {
            let place = self.map.place(touch);
            let key = Some((place.region, touch.write, place.first, place.chunks, place.chunk));
            let lane = 1u64 << (touch.lane & 63);
            // A lane that touches alike twice does so in two accesses.
            let fits = |open: &Open| open.key == key && open.lanes & lane == 0;
            let at = match self.open[..self.used].iter().position(fits) {
                Some(at) => at,
                None => {
                    if self.used == self.open.len() {
                        self.open.push(Open::default());
                    }
                    let open = &mut self.open[self.used];
                    open.places.clear();
                    (open.key, open.lanes) = (key, 0);
                    self.used += 1;
                    self.used - 1
                }
            };
            self.open[at].lanes |= lane;
            self.open[at].places.push((touch.lane, place));
        }
        for open in &self.open[..self.used] {
            let Some((_, first)) = open.places.first() else { continue };
            let counts = &mut self.counts.0[first.region as usize];
            for k in 0..first.chunks {
                self.addresses.clear();
                self.addresses.extend(open.places.iter().map(|(lane, place)| (*lane, place.address(k))));
                if first.region <= Region::Slots {
                    let set = &mut self.distinct[first.region as usize];
                    self.addresses.iter().for_each(|(_, address)| set.insert(address / SECTOR));
                }
                let cost = access_cost(&self.addresses, u64::from(first.chunk));
                counts.accesses += 1;
                counts.lanes += open.places.len() as u64;
                counts.least += u64::from(cost.least);
                counts.passes += u64::from(cost.passes);
                counts.squares += u64::from(cost.passes).pow(2);
                counts.sectors += u64::from(cost.sectors);
                counts.lines += u64::from(cost.lines);
            }
        }
        self.used = 0;
    }

    /// Adds what another probe of the same launch has counted.
    pub fn join(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.distinct.iter_mut().zip(&other.distinct).for_each(|(mine, theirs)| mine.join(theirs));
    }

    /// Returns the memory access counts of the whole launch.
    pub fn counts(&self) -> MemoryCounts {
        let mut counts = self.counts;
        for (region, set) in counts.0.iter_mut().zip(&self.distinct) {
            region.distinct = set.len();
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_family::Space;

    fn probe() -> MemoryProbe {
        MemoryProbe::new(AddressMap::new(&"direct/while-while/bvh2".parse().unwrap(), 32))
    }

    fn touch(lane: u8, space: Space, index: u32, bytes: u16) -> Touch {
        Touch { lane, space, index, owner: 0, offset: 0, bytes, write: false }
    }

    #[test]
    fn lanes_touch_together_and_a_lane_that_touches_twice_does_so_one_after_the_other() {
        let mut probe = probe();
        probe.event(&[touch(0, Space::Slot, 0, 4), touch(1, Space::Slot, 1, 4)]);
        let slots = |probe: &MemoryProbe| *probe.counts().region(Region::Slots);
        assert_eq!((slots(&probe).accesses, slots(&probe).lanes, slots(&probe).passes), (1, 2, 1));
        probe.event(&[touch(0, Space::Slot, 0, 4), touch(0, Space::Slot, 1, 4)]);
        assert_eq!((slots(&probe).accesses, slots(&probe).lanes, slots(&probe).passes), (3, 4, 3));
        // Records of another kind in between do not part those of one access.
        probe.event(&[touch(0, Space::Slot, 0, 4), touch(0, Space::Node, 3, 64), touch(1, Space::Slot, 1, 4)]);
        assert_eq!((slots(&probe).accesses, probe.counts().region(Region::Nodes).accesses), (4, 4));
        assert_eq!(probe.counts().all().accesses, 8);
    }

    #[test]
    fn sectors_are_distinct_over_all_threads() {
        let [mut one, mut other] = [probe(), probe()];
        one.event(&[touch(0, Space::Node, 0, 64)]);
        one.event(&[touch(0, Space::Node, 3, 64)]);
        one.event(&[touch(0, Space::Node, 500, 64)]);
        other.event(&[touch(0, Space::Node, 0, 64)]);
        other.event(&[touch(0, Space::Node, 7, 64)]);
        one.join(&other);
        let nodes = *one.counts().region(Region::Nodes);
        assert_eq!((nodes.distinct, nodes.sectors, nodes.accesses), (8, 20, 20));
        let mut launches = one.counts();
        launches.merge(&one.counts());
        assert_eq!(launches.region(Region::Nodes).distinct, 16);
    }
}
