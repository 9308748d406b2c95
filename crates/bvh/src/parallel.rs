//! Work on all threads of the current rayon pool, with closures by reference.
//!
//! rayon's adapters are compiled again for every closure, which was half of what this crate took to compile; here they
//! are compiled once for each type of result. A call through a pointer is nothing beside what an element takes.

use rayon::prelude::*;

/// Calls `of` for each number below `count` in parallel and returns the results in order.
pub(crate) fn map<T: Send>(count: usize, of: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut results = Vec::new();
    (0..count).into_par_iter().map(of).collect_into_vec(&mut results);
    results
}

/// Calls `of` for each chunk of `size` elements in parallel and returns the results in order; the last chunk may be
/// shorter.
pub(crate) fn map_chunks<E: Sync, T: Send>(elements: &[E], size: usize, of: &(dyn Fn(&[E]) -> T + Sync)) -> Vec<T> {
    map(elements.len().div_ceil(size), &|i| of(&elements[i * size..elements.len().min((i + 1) * size)]))
}

/// Calls `run` for each task in parallel and returns the results in order; a task owns the memory that it alone writes
/// to.
pub(crate) fn run_each<T: Send, R: Send>(tasks: Vec<T>, run: &(dyn Fn(T) -> R + Sync)) -> Vec<R> {
    let mut results = Vec::new();
    tasks.into_par_iter().map(run).collect_into_vec(&mut results);
    results
}

/// Runs `a` and `b`, at the same time if a thread is free, and returns both results.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut left, mut right) = (Side::Before(a), Side::Before(b));
    both(&mut || left.run(), &mut || right.run());
    (left.result(), right.result())
}

fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// One of the two sides of [`join`], before or after it ran.
enum Side<F, R> {
    Before(F),
    Running,
    After(R),
}

impl<F: FnOnce() -> R, R> Side<F, R> {
    fn run(&mut self) {
        if let Self::Before(run) = std::mem::replace(self, Self::Running) {
            *self = Self::After(run());
        }
    }

    fn result(self) -> R {
        let Self::After(result) = self else { unreachable!("rayon runs both sides") };
        result
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order_and_chunks_cover_all() {
        for count in [0, 1, 7, 8, 9, 1000] {
            assert_eq!(super::map(count, &|i| i * i), (0..count).map(|i| i * i).collect::<Vec<_>>());
            let elements: Vec<usize> = (0..count).collect();
            let chunks = super::map_chunks(&elements, 8, &<[usize]>::to_vec);
            assert_eq!(chunks, elements.chunks(8).map(<[usize]>::to_vec).collect::<Vec<_>>());
        }
        assert_eq!(super::join(|| 1, || "b"), (1, "b"));
        let mut squares = vec![0; 100];
        super::run_each(squares.iter_mut().enumerate().collect(), &|(i, to)| *to = i * i);
        assert!(squares.iter().enumerate().all(|(i, &square)| square == i * i));
    }
}
