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
        // The last group apart: chained to the others, it made the loop take 2.7 times as long.
        self.take(groups);
        if !rest.is_empty() {
            let mut last = [0; 32];
            last[..rest.len()].copy_from_slice(rest);
            self.take(&[last]);
        }
    }

    /// Takes groups, a word a lane.
    fn take(&mut self, groups: &[[u8; 32]]) {
        // In registers, not through memory.
        let [mut a, mut b, mut c, mut d] = self.0;
        for group in groups {
            let (words, _) = group.as_chunks::<8>();
            a = step(a, u64::from_le_bytes(words[0]));
            b = step(b, u64::from_le_bytes(words[1]));
            c = step(c, u64::from_le_bytes(words[2]));
            d = step(d, u64::from_le_bytes(words[3]));
        }
        self.0 = [a, b, c, d];
    }

    /// Returns the checksum of bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Self::new();
        checksum.add(bytes);
        checksum.value()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_that_of_a_word_after_the_other() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [0, 1, 31, 32, 33, 64, 999] {
            let mut lanes = Checksum::new().0;
            for (index, word) in bytes[..length].chunks(8).enumerate() {
                let mut padded = [0; 8];
                padded[..word.len()].copy_from_slice(word);
                lanes[index % 4] = step(lanes[index % 4], u64::from_le_bytes(padded));
            }
            // Words of the last group that are not there are zeros.
            let words = length.div_ceil(8);
            for index in words..words.next_multiple_of(4) {
                lanes[index % 4] = step(lanes[index % 4], 0);
            }
            let mut checksum = Checksum::new();
            checksum.add(&bytes[..length]);
            assert_eq!(checksum.0, lanes, "{length} bytes");
        }
    }
}
