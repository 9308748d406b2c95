//! The checksum of saved scenes.

/// Running 64-bit checksum of bytes, in four lanes that do not wait for each other. Each step is a bijection of a lane
/// and of the word that it takes, so that a change within any one word is always seen. It finds accidents, not malice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checksum([u64; 4]);

impl Checksum {
    pub fn new() -> Self {
        Self([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89])
    }

    /// Takes bytes, which are padded with zeros to groups of 32.
    pub fn add(&mut self, bytes: &[u8]) {
        let (groups, rest) = bytes.as_chunks::<32>();
        let last = std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0));
        let last = if rest.is_empty() { &[][..] } else { &[last][..] };
        // In registers, not through memory.
        let mut lanes = self.0;
        for group in groups.iter().chain(last) {
            let (words, _) = group.as_chunks::<8>();
            for lane in 0..4 {
                lanes[lane] = step(lanes[lane], u64::from_le_bytes(words[lane]));
            }
        }
        self.0 = lanes;
    }

    /// Returns the checksum of all that was taken.
    pub fn value(self) -> u64 {
        self.0.into_iter().fold(0x4528_21e6_38d0_1377, step)
    }
}

#[inline(always)]
fn step(state: u64, word: u64) -> u64 {
    let mixed = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}
