//! Addresses of the records that a kernel touches: strides and places as the CUDA kernels have them
//! (crates/cuda/kernels, `tree/`, `stack.h`, `launch.h`).

use raywarp_family::{Space, Supply, TraversalLoop, Variant};
use raywarp_layout::{MemoryLayout, Swizzle};
use raywarp_traverse::Touch;

/// A kind of memory with addresses of its own. Arrays begin at multiples of 256 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// Nodes of the tree; of h8 its leaves, too.
    Nodes,
    /// Triangle records of the tree.
    Triangles,
    /// Table with the triangle index of each record.
    Slots,
    /// Rays of the batch that is traced.
    Rays,
    /// Results of the batch's rays.
    Hits,
    /// Traversal stacks: in lanes' local memory, word by word over the lanes, or in global memory for rays that move
    /// between lanes.
    Stacks,
    /// Shared memory of a thread block.
    Shared,
    /// Global counter from which warps take rays.
    Counter,
}

impl Region {
    /// All regions of memory, in the order of their numbers.
    pub const ALL: [Self; 8] =
        [Self::Nodes, Self::Triangles, Self::Slots, Self::Rays, Self::Hits, Self::Stacks, Self::Shared, Self::Counter];

    /// Returns the name of the region in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Triangles => "triangles",
            Self::Slots => "slots",
            Self::Rays => "rays",
            Self::Hits => "hits",
            Self::Stacks => "stacks",
            Self::Shared => "shared",
            Self::Counter => "counter",
        }
    }
}

/// The addresses that one lane touches, as loads or stores of `chunk` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchedBytes {
    /// Region of memory that the lane touches.
    pub region: Region,
    /// Address of the record's first byte in the region.
    pub base: u64,
    /// Index of the first chunk of the record that is touched.
    pub first: u8,
    /// Number of chunks, each a load or store of its own.
    pub chunks: u8,
    /// Number of bytes of a chunk, 4 or 16.
    pub chunk: u8,
    /// Number of bytes from one chunk to the next.
    pub stride: u16,
    /// Number by which chunk indices are swizzled: chunk k lies at index k xor this.
    pub swizzle: u8,
}

impl TouchedBytes {
    /// Returns the address of the `k`-th chunk that is touched.
    #[inline]
    pub fn address(&self, k: u8) -> u64 {
        self.base + u64::from((self.first + k) ^ self.swizzle) * u64::from(self.stride)
    }
}

/// Largest number of bytes that one load brings a lane.
const WIDEST: u16 = 16;

/// Converts touches of records into memory addresses, for a variant's layout.
#[derive(Debug, Clone, Copy)]
pub struct AddressMap {
    tree: MemoryLayout,
    stacks: Stacks,
    width: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stacks {
    Local,
    Owned,
    Shared,
}

impl AddressMap {
    /// Returns the memory layout of `variant` for warps of `width` lanes.
    pub fn new(variant: &Variant, width: u32) -> Self {
        let shared = variant.traversal_loop() == TraversalLoop::Packet || variant.lanes_per_ray() > 1;
        let stacks = match variant.supply() {
            _ if shared => Stacks::Shared,
            Supply::Queue => Stacks::Owned,
            _ => Stacks::Local,
        };
        Self { tree: *MemoryLayout::of(variant.tree()), stacks, width: u64::from(width) }
    }

    /// Returns the addresses of `touch`.
    pub fn place(&self, touch: &Touch) -> TouchedBytes {
        let index = u64::from(touch.index);
        let record = |region, bytes: u64| {
            let chunk = if touch.bytes.is_multiple_of(WIDEST) { WIDEST } else { 4 };
            let first = (touch.offset / chunk) as u8;
            let chunks = (touch.bytes / chunk) as u8;
            TouchedBytes { region, base: index * bytes, first, chunks, chunk: chunk as u8, stride: chunk, swizzle: 0 }
        };
        match touch.space {
            Space::Node => {
                let place = record(Region::Nodes, u64::from(self.tree.node_bytes));
                let read = (self.tree.node_bytes_read / u32::from(place.chunk)) as u8;
                let chunks = place.chunks.min(read.saturating_sub(place.first));
                TouchedBytes { swizzle: self.tree.swizzle.of(touch.index) as u8, chunks, ..place }
            }
            Space::Triangle => {
                let region = if self.tree.records_among_nodes { Region::Nodes } else { Region::Triangles };
                let swizzle = if self.tree.records_among_nodes { self.tree.swizzle } else { Swizzle::NONE };
                let place = record(region, u64::from(self.tree.record_bytes));
                TouchedBytes { swizzle: swizzle.of(touch.index) as u8, ..place }
            }
            Space::Slot => record(Region::Slots, 4),
            // Keys that hits come after are an array of their own.
            Space::Ray if touch.offset >= 32 => TouchedBytes { first: 0, ..record(Region::Rays, 12) },
            Space::Ray => record(Region::Rays, 32),
            Space::Hit => record(Region::Hits, u64::from(touch.bytes)),
            Space::Counter => record(Region::Counter, 4),
            Space::Shared => self.words(Region::Shared, index * u64::from(touch.bytes / 4), touch),
            Space::Stack => self.stack(touch),
        }
    }

    fn stack(&self, touch: &Touch) -> TouchedBytes {
        let words = u64::from(touch.bytes / 4);
        let entry = u64::from(touch.index) * words;
        match self.stacks {
            Stacks::Local => self.words(Region::Stacks, entry, touch),
            Stacks::Owned => {
                // Entry by entry, two stacks a lane.
                let entry = u64::from(touch.index) * 2 * self.width + u64::from(touch.owner);
                let chunk: u8 = if words == 2 { 8 } else { 4 };
                let base = entry * u64::from(chunk);

                let stride = u16::from(chunk);
                TouchedBytes { region: Region::Stacks, base, first: 0, chunks: 1, chunk, stride, swizzle: 0 }
            }
            Stacks::Shared => {
                // A ray's stack is a row of its own.
                let base = (u64::from(touch.owner) * 1024 + entry) * 4;
                TouchedBytes {
                    region: Region::Shared,
                    base,
                    first: 0,
                    chunks: words as u8,
                    chunk: 4,
                    stride: 4,
                    swizzle: 0,
                }
            }
        }
    }

    /// Returns addresses that interleave the lanes' words, as local memory does: word w of lane i at `4 (w width + i)`.
    fn words(&self, region: Region, word: u64, touch: &Touch) -> TouchedBytes {
        let base = 4 * (word * self.width + u64::from(touch.lane));
        let chunks = (touch.bytes / 4).max(1) as u8;
        TouchedBytes { region, base, first: 0, chunks, chunk: 4, stride: 4 * self.width as u16, swizzle: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(space: Space, index: u32, offset: u16, bytes: u16) -> Touch {
        Touch { lane: 3, space, index, owner: 5, offset, bytes, write: false }
    }

    fn addresses(variant: &str, touch: Touch) -> Vec<u64> {
        let place = AddressMap::new(&variant.parse().unwrap(), 32).place(&touch);
        (0..place.chunks).map(|k| place.address(k)).collect()
    }

    #[test]
    fn records_lie_where_the_kernels_read_them() {
        let two = "direct/while-while/bvh2";
        assert_eq!(addresses(two, touch(Space::Node, 2, 0, 64)), [128, 144, 160, 176]);
        assert_eq!(addresses(two, touch(Space::Node, 2, 48, 16)), [176]);
        assert_eq!(addresses(two, touch(Space::Triangle, 2, 16, 16)), [112]);
        assert_eq!(addresses(two, touch(Space::Slot, 7, 0, 4)), [28]);
        assert_eq!(addresses(two, touch(Space::Ray, 2, 0, 32)), [64, 80]);
        assert_eq!(addresses(two, touch(Space::Hit, 2, 0, 16)), [32]);
        // Word 9 of lane 3.
        assert_eq!(addresses(two, touch(Space::Stack, 9, 0, 4)), [4 * (9 * 32 + 3)]);
        assert_eq!(addresses("al09-queue", touch(Space::Stack, 9, 0, 4)), [4 * (9 * 64 + 5)]);
        assert_eq!(addresses("direct/while-while/wide4", touch(Space::Node, 1, 0, 128)).len(), 7);
        assert_eq!(addresses("direct/while-while/wide4?fetch=needed", touch(Space::Node, 1, 96, 32)), [128 + 96]);
    }

    #[test]
    fn blocks_are_swizzled_and_hold_leaves_too() {
        let h8 = "replace/phased/h8";
        assert_eq!(addresses(h8, touch(Space::Node, 4, 0, 64)), [288, 304, 256, 272]);
        assert_eq!(addresses(h8, touch(Space::Triangle, 10, 0, 64)), [656, 640, 688, 672]);
        // Two words an entry, each over all lanes.
        assert_eq!(addresses(h8, touch(Space::Stack, 1, 0, 8)), [4 * (2 * 32 + 3), 4 * (3 * 32 + 3)]);
    }
}
