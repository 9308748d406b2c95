//! Choice among many by weight in constant time.

use bytemuck::{Pod, Zeroable};

/// Alias table (Vose 1991), which draws one of many weighted choices in constant time.
#[derive(Debug, Clone, PartialEq)]
pub struct AliasTable {
    cells: Vec<AliasCell>,
}

/// Cell of an [`AliasTable`], which holds two choices: 16 bytes, with the same layout on every device.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AliasCell {
    /// Part of the cell that belongs to the choice of the cell's index, 0 to 1; the rest belongs to the alias.
    pub own: f32,
    /// Index of the cell's second choice, the alias.
    pub alias: u32,
    /// Probability in the whole table of the choice of the cell's index.
    pub probability: f32,
    /// Probability in the whole table of the alias.
    pub alias_probability: f32,
}

/// Draws a choice from the cells of an alias table with the random number `u`; returns its index and its probability.
/// `u` has 2^24 values, so probabilities are met to about 6e-8 each.
///
/// # Panics
/// If there are no cells.
#[inline]
pub fn choose_by_alias(cells: &[AliasCell], u: f32) -> (usize, f32) {
    // In f64: with many choices an f32 product would have no digits left within a cell.
    let scaled = f64::from(u) * cells.len() as f64;
    let index = (scaled as usize).min(cells.len() - 1);
    let cell = &cells[index];
    if scaled - (index as f64) < f64::from(cell.own) {
        (index, cell.probability)
    } else {
        (cell.alias as usize, cell.alias_probability)
    }
}

impl AliasTable {
    /// Makes the table that draws choices with probabilities proportional to `weights`; `None` if no weight is positive
    /// or there are more than `u32::MAX`. Negative weights and such that are not finite count as 0.
    pub fn new(weights: &[f32]) -> Option<Self> {
        let clean = |w: f32| if w > 0.0 && w.is_finite() { f64::from(w) } else { 0.0 };
        let total: f64 = weights.iter().map(|&w| clean(w)).sum();
        let count = u32::try_from(weights.len()).ok()?;
        if total <= 0.0 {
            return None;
        }
        let mut shares: Vec<f64> = weights.iter().map(|&w| clean(w) / total * f64::from(count)).collect();
        let mut cells: Vec<AliasCell> = (0..count)
            .zip(weights)
            .map(|(alias, &w)| AliasCell {
                own: 1.0,
                alias,
                probability: (clean(w) / total) as f32,
                alias_probability: 0.0,
            })
            .collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = (0..count).partition(|&i| shares[i as usize] < 1.0);
        while let (Some(&s), Some(&l)) = (small.last(), large.last()) {
            small.pop();
            let share = shares[s as usize];
            cells[s as usize].own = share as f32;
            cells[s as usize].alias = l;
            shares[l as usize] -= 1.0 - share;
            if shares[l as usize] < 1.0 {
                large.pop();
                small.push(l);
            }
        }
        // What is left differs from 1 by rounding only, except a weightless choice, whose cell must
        // not be its own: it would be chosen with probability 0.
        let heaviest = (0..count).max_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]));
        for s in small {
            if cells[s as usize].probability == 0.0 {
                cells[s as usize] = AliasCell { own: 0.0, alias: heaviest.unwrap_or(0), ..cells[s as usize] };
            }
        }
        for i in 0..cells.len() {
            cells[i].alias_probability = cells[cells[i].alias as usize].probability;
        }
        Some(Self { cells })
    }

    /// Returns the number of choices.
    #[expect(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Draws a choice with the random number `u`; returns its index and its probability; see [`choose_by_alias`].
    #[inline]
    pub fn sample(&self, u: f32) -> (usize, f32) {
        choose_by_alias(&self.cells, u)
    }

    /// Returns the cells of the table, in the order of the choices.
    pub fn into_cells(self) -> Vec<AliasCell> {
        self.cells
    }

    /// Returns the probability of the choice of index `choice`.
    ///
    /// # Panics
    /// If there is no such choice.
    pub fn probability(&self, choice: usize) -> f32 {
        self.cells[choice].probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(weights: &[f32]) {
        let table = AliasTable::new(weights).unwrap();
        let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let n = 1_000_000;
        let mut counts = vec![0u32; weights.len()];
        for i in 0..n {
            let (choice, probability) = table.sample(((f64::from(i) + 0.5) / f64::from(n)) as f32);
            assert_eq!(probability, table.probability(choice));
            assert!(probability > 0.0, "choice {choice} has no weight");
            counts[choice] += 1;
        }
        for (i, (&count, &w)) in counts.iter().zip(weights).enumerate() {
            let (got, want) = (f64::from(count) / f64::from(n), f64::from(w) / total);
            // Equidistant u miss each of a choice's intervals by at most two points.
            assert!((got - want).abs() < 2.0 * weights.len() as f64 / f64::from(n), "{i}: {got} for {want}");
        }
    }

    #[test]
    fn choices_come_with_their_probabilities() {
        check(&[1.0]);
        check(&[0.0, 1.0, 0.0]);
        check(&[1.0, 2.0, 3.0, 0.0, 4.0, 1e-20]);
        check(&(0..1000).map(|i| (i * i % 17) as f32).collect::<Vec<_>>());
        check(&[1e30, 1e-30, 1e30]);
    }

    #[test]
    fn nothing_to_choose_is_none() {
        assert_eq!(AliasTable::new(&[]), None);
        assert_eq!(AliasTable::new(&[0.0, -1.0, f32::NAN]), None);
    }

    #[test]
    fn the_ends_of_the_unit_interval_are_safe() {
        let table = AliasTable::new(&[1.0, 0.0, 3.0]).unwrap();
        for u in [0.0, crate::hash::ONE_MINUS_EPSILON, 1.0] {
            assert!(table.sample(u).1 > 0.0);
        }
    }
}
