//! Damaged files for the tests of importers.

/// Feeds an entry a file, each of its beginnings, and the file with each byte changed by each of `flips`.
pub fn damage(entry: fn(&[u8]), good: &[u8], flips: &[u8]) {
    (0..=good.len()).for_each(|length| entry(&good[..length]));
    for at in 0..good.len() {
        for flip in flips {
            let mut broken = good.to_vec();
            broken[at] ^= flip;
            entry(&broken);
        }
    }
}
