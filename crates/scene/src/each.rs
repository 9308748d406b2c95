//! Arrays element by element. The standard library's `map` of arrays is six generic functions, which are calls where
//! the compiler puts them into another unit than their caller, and a twentieth of what this crate takes to compile.

/// Arrays of values that are copied, of one element at least.
pub(crate) trait Each<T, const N: usize> {
    /// Returns what `of` makes of each element, in their order.
    fn each<U: Copy>(self, of: impl FnMut(T) -> U) -> [U; N];
}

impl<T: Copy, const N: usize> Each<T, N> for [T; N] {
    #[inline(always)]
    fn each<U: Copy>(self, mut of: impl FnMut(T) -> U) -> [U; N] {
        const { assert!(N > 0) };
        let mut made = [of(self[0]); N];
        for i in 1..N {
            made[i] = of(self[i]);
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::Each;

    #[test]
    fn elements_are_mapped_in_their_order() {
        let mut sum = 0;
        let sums = [1, 2, 3].each(|x: u32| {
            sum += x;
            f64::from(sum)
        });
        assert_eq!(sums, [1.0, 3.0, 6.0]);
        assert_eq!([7].each(|x: u8| x + 1), [8]);
    }
}
