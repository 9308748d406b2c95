//! A child in one word, as it lies on the stacks of GPU kernels (cuda's kernels/tree/entry.h): a node's index; or, with
//! the highest bit, a leaf's first record and above it the number of its records less one.

/// Number of bits for the index of a leaf's first triangle record.
const FIRST_BITS: u32 = 27;
const LEAF: u32 = 1 << 31;

/// Largest number of triangle records in a leaf that a child word can name.
pub const MOST_RECORDS: u32 = 16;

/// Packs a leaf of `count` triangle records from index `first` on into a child word. `None` if there are more than
/// [`MOST_RECORDS`], or if one of them is beyond the 2^27 that a word can name.
///
/// # Examples
/// ```
/// use raywarp_layout::leaf_word;
///
/// assert_eq!(leaf_word(5, 3), Some(1 << 31 | 2 << 27 | 5));
/// assert_eq!((leaf_word(5, 17), leaf_word((1 << 27) - 1, 2)), (None, None));
/// ```
#[inline]
pub const fn leaf_word(first: u32, count: u32) -> Option<u32> {
    let fits = count <= MOST_RECORDS && first <= (1 << FIRST_BITS) - count;
    if fits { Some(LEAF | (count - 1) << FIRST_BITS | first) } else { None }
}

/// Returns the first triangle record and the number of records of the leaf that a child word names; `None` for a node
/// or no child.
#[inline]
pub(crate) const fn leaf_records(word: u32) -> Option<(u32, u32)> {
    let (first, count) = (word & ((1 << FIRST_BITS) - 1), (word >> FIRST_BITS & (MOST_RECORDS - 1)) + 1);
    // Of 2^27 records none has the last word, which is that of no child.
    if word & LEAF != 0 && word != crate::NO_CHILD { Some((first, count)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_leaves_read_as_they_were_written() {
        let last = (1 << FIRST_BITS) - 1;
        for (first, count) in [(0, 1), (0, MOST_RECORDS), (77, 3), (last, 1), (last + 1 - MOST_RECORDS, MOST_RECORDS)] {
            let word = leaf_word(first, count).unwrap();
            assert_eq!(leaf_records(word), Some((first, count)));
        }
        assert_eq!([0, 1, LEAF - 1, crate::NO_CHILD].map(leaf_records), [None; 4]);
        for (first, count) in [(0, MOST_RECORDS + 1), (0, u32::MAX), (last, 2), (last + 1, 1), (u32::MAX, 1)] {
            assert_eq!(leaf_word(first, count), None);
        }
    }
}
