//! The checksum of saved scenes.

/// Number of lanes of a checksum: enough vectors of any width that a step need not wait for the one before it.
const LANES: usize = 8;

/// Number of bytes that all lanes take at once.
const GROUP: usize = 8 * LANES;

/// Running 64-bit checksum of bytes, in lanes that do not wait for each other. Each step is a bijection of a lane
/// and of the word that it takes, so that a change within any one word is always seen. It finds accidents, not malice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checksum([u64; LANES]);

impl Checksum {
    pub fn new() -> Self {
        Self([
            0x243f_6a88_85a3_08d3,
            0x1319_8a2e_0370_7344,
            0xa409_3822_299f_31d0,
            0x082e_fa98_ec4e_6c89,
            0x4528_21e6_38d0_1377,
            0xbe54_66cf_34e9_0c6c,
            0xc0ac_29b7_c97c_50dd,
            0x3f84_d5b5_b547_0917,
        ])
    }

    /// Takes bytes, which are padded with zeros to whole groups.
    pub fn add(&mut self, bytes: &[u8]) {
        let (groups, rest) = bytes.as_chunks::<GROUP>();
        // The last group apart: chained to the others, it made the loop take 2.7 times as long.
        self.take(groups);
        if !rest.is_empty() {
            let mut last = [0; GROUP];
            last[..rest.len()].copy_from_slice(rest);
            self.take(&[last]);
        }
    }

    /// Takes groups, a word a lane.
    fn take(&mut self, groups: &[[u8; GROUP]]) {
        // In registers, not through memory.
        let mut lanes = self.0;
        for group in groups {
            for (lane, word) in lanes.iter_mut().zip(group.as_chunks::<8>().0) {
                *lane = step(*lane, u64::from_le_bytes(*word));
            }
        }
        self.0 = lanes;
    }

    /// Returns the checksum of bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Self::new();
        checksum.add(bytes);
        checksum.value()
    }

    /// Returns the checksum of all that was taken.
    pub fn value(self) -> u64 {
        self.0.into_iter().fold(0x9216_d5d9_8979_fb1b, step)
    }
}

/// Shifts and a sum, which every instruction set has for lanes of 64 bits, as it has no product of them.
#[inline(always)]
fn step(state: u64, word: u64) -> u64 {
    let both = state ^ word;
    let mixed = both.wrapping_add(both << 23);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_that_of_a_word_after_the_other() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [0, 1, 31, 32, 33, 63, 64, 65, 128, 999] {
            let mut lanes = Checksum::new().0;
            for (index, word) in bytes[..length].chunks(8).enumerate() {
                let mut padded = [0; 8];
                padded[..word.len()].copy_from_slice(word);
                lanes[index % LANES] = step(lanes[index % LANES], u64::from_le_bytes(padded));
            }
            // Words of the last group that are not there are zeros.
            let words = length.div_ceil(8);
            for index in words..words.next_multiple_of(LANES) {
                lanes[index % LANES] = step(lanes[index % LANES], 0);
            }
            let mut checksum = Checksum::new();
            checksum.add(&bytes[..length]);
            assert_eq!(checksum.0, lanes, "{length} bytes");
        }
    }
}
