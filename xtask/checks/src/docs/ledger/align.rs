//! Two lists side by side: what both have, in order, and what stands in the place of what.

/// A place of the first list, of the second, or of both.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Pairs two lists so that the sum of `score` is as large as can be, in order; places of score 0 are not the same. Of
/// what is left between such pairs the first stands in the place of the first, and so on. O(n m) calls of `score`.
pub(super) fn aligned<A, B>(old: &[A], new: &[B], score: impl Fn(&A, &B) -> usize) -> Vec<Pair> {
    let scores: Vec<Vec<usize>> = old.iter().map(|old| new.iter().map(|new| score(old, new)).collect()).collect();
    // The best sum of what follows a place of both.
    let mut best = vec![vec![0; new.len() + 1]; old.len() + 1];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let both = if scores[a][b] > 0 { scores[a][b] + best[a + 1][b + 1] } else { 0 };
            best[a][b] = both.max(best[a + 1][b]).max(best[a][b + 1]);
        }
    }
    let (mut a, mut b) = (0, 0);
    let (mut pairs, mut left) = (Vec::new(), (Vec::new(), Vec::new()));
    while a < old.len() && b < new.len() {
        if scores[a][b] > 0 && best[a][b] == scores[a][b] + best[a + 1][b + 1] {
            between(&mut pairs, &mut left);
            pairs.push((Some(a), Some(b)));
            (a, b) = (a + 1, b + 1);
        } else if best[a][b] == best[a + 1][b] {
            left.0.push(a);
            a += 1;
        } else {
            left.1.push(b);
            b += 1;
        }
    }
    left.0.extend(a..old.len());
    left.1.extend(b..new.len());
    between(&mut pairs, &mut left);
    pairs
}

/// Pairs what is left of both lists between two places that are the same.
fn between(pairs: &mut Vec<Pair>, (old, new): &mut (Vec<usize>, Vec<usize>)) {
    let count = old.len().max(new.len());
    pairs.extend((0..count).map(|at| (old.get(at).copied(), new.get(at).copied())));
    old.clear();
    new.clear();
}

/// Returns how many elements two lists share, in order.
pub(super) fn shared<A, B>(old: &[A], new: &[B], is_same: impl Fn(&A, &B) -> bool) -> usize {
    let pairs = aligned(old, new, |old, new| usize::from(is_same(old, new)));
    let is_pair = |pair: &&Pair| matches!(pair, (Some(a), Some(b)) if is_same(&old[*a], &new[*b]));
    pairs.iter().filter(is_pair).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_stands_in_the_place_of_what_was_there() {
        let of = |old: &str, new: &str| {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            let letter = |at: Option<usize>, of: &[char]| at.map_or('-', |at| of[at]);
            let pairs = aligned(&old, &new, |a, b| usize::from(a == b));
            pairs
                .into_iter()
                .map(|(a, b)| format!("{}{}", letter(a, &old), letter(b, &new)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(of("abc", "abc"), "aa bb cc");
        assert_eq!(of("abc", "axc"), "aa bx cc");
        assert_eq!(of("abc", "ac"), "aa b- cc");
        assert_eq!(of("ac", "abbc"), "aa -b -b cc");
        assert_eq!(of("", "a"), "-a");
        assert_eq!(of("ab", ""), "a- b-");
        assert_eq!(of("", ""), "");
    }
}
