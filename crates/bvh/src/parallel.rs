//! Work on all threads of the current rayon pool, with closures by reference, until the caller cancels it.
//!
//! rayon's adapters are compiled again for every closure, which was half of what this crate took to compile; here they
//! are compiled once for each type of result. A call through a pointer is nothing beside what an element takes.

use crate::watch::{Stopped, Watch};
use rayon::prelude::*;

/// Number of bytes that each thread fills between two looks of [`map`].
const BLOCK: usize = 1 << 20;

/// Number of elements that [`map_groups`] computes at once.
pub(crate) const GROUP: usize = 64;

/// Calls `of`, which takes nanoseconds, for each number below `count` in parallel and returns the results in order.
pub(crate) fn map<T: Send + 'static>(
    watch: &Watch<'_>,
    count: usize,
    of: &(dyn Fn(usize) -> T + Sync),
) -> Result<Vec<T>, Stopped> {
    let mut results = Vec::with_capacity(count);
    let block = (BLOCK / size_of::<T>().max(1)).max(1) * rayon::current_num_threads();
    for start in (0..count).step_by(block) {
        if let Err(stopped) = watch.look() {
            free(results);
            return Err(stopped);
        }
        results.par_extend((start..count.min(start + block)).into_par_iter().map(of));
    }
    Ok(results)
}

/// Computes `count` elements as [`map`] does, but [`GROUP`] of them at a time, so that `of`, which gets the index of
/// the first, may take less than a nanosecond for each. Elements beyond `count` are dropped.
pub(crate) fn map_groups<T: Send + 'static>(
    watch: &Watch<'_>,
    count: usize,
    of: &(dyn Fn(usize) -> [T; GROUP] + Sync),
) -> Result<Vec<T>, Stopped> {
    let mut elements = map(watch, count.div_ceil(GROUP), &|group| of(group * GROUP))?.into_flattened();
    elements.truncate(count);
    Ok(elements)
}

/// Frees the memory of a build that was cancelled while its caller goes on: a hundred megabytes take some ten
/// milliseconds.
pub(crate) fn free<T: Send + 'static>(memory: T) {
    // Without threads nobody else would.
    if cfg!(not(target_family = "wasm")) {
        rayon::spawn(move || drop(memory));
    }
}

/// Calls `of`, which may take as long as the caller waits for the end of a build that was cancelled, for each number
/// below `count` in parallel and returns the results in order.
pub(crate) fn tasks<T: Send>(
    watch: &Watch<'_>,
    count: usize,
    of: &(dyn Fn(usize) -> T + Sync),
) -> Result<Vec<T>, Stopped> {
    let mut results = Vec::new();
    let task = |i: usize| watch.look().ok().map(|()| of(i));
    (0..count).into_par_iter().map(&task as &(dyn Fn(usize) -> Option<T> + Sync)).collect_into_vec(&mut results);
    results.into_iter().collect::<Option<Vec<T>>>().ok_or(Stopped)
}

/// Calls `of` for each chunk of `size` elements in parallel and returns the results in order; the last chunk may be
/// shorter.
pub(crate) fn map_chunks<E: Sync, T: Send>(
    watch: &Watch<'_>,
    elements: &[E],
    size: usize,
    of: &(dyn Fn(&[E]) -> T + Sync),
) -> Result<Vec<T>, Stopped> {
    let chunk = |i: usize| of(&elements[i * size..elements.len().min((i + 1) * size)]);
    tasks(watch, elements.len().div_ceil(size), &chunk)
}

/// Calls `run` for each task in parallel and returns the results in order; a task owns the memory that it alone writes
/// to.
pub(crate) fn run_each<T: Send, R: Send>(
    watch: &Watch<'_>,
    tasks: Vec<T>,
    run: &(dyn Fn(T) -> R + Sync),
) -> Result<Vec<R>, Stopped> {
    let mut results = Vec::new();
    let task = |task: T| watch.look().ok().map(|()| run(task));
    tasks.into_par_iter().map(&task as &(dyn Fn(T) -> Option<R> + Sync)).collect_into_vec(&mut results);
    results.into_iter().collect::<Option<Vec<R>>>().ok_or(Stopped)
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
    use super::*;
    use raywarp_geom::Control;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn nothing_is_returned_once_the_caller_has_cancelled() {
        let flag = AtomicBool::new(true);
        let watch = Watch::new(&Control { cancel: Some(&flag), progress: None }, 1, 1.0);
        assert_eq!(map(&watch, 3, &|i| i), Err(Stopped));
        assert_eq!(tasks(&watch, 3, &|i| i), Err(Stopped));
        assert_eq!(map_chunks(&watch, &[1, 2, 3], 2, &<[i32]>::len), Err(Stopped));
        assert_eq!(run_each(&watch, vec![1, 2], &|i| i), Err(Stopped));
        // Seen is seen.
        flag.store(false, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(watch.look(), Err(Stopped));
    }

    #[test]
    fn results_come_in_order_and_chunks_cover_all() {
        let watch = &Watch::nothing();
        for count in [0, 1, 7, 8, 9, 1000, 1_000_000] {
            let squares: Vec<usize> = (0..count).map(|i| i * i).collect();
            assert!(
                map(watch, count, &|i| i * i).unwrap() == squares
                    && tasks(watch, count, &|i| i * i).unwrap() == squares
            );
            let elements: Vec<usize> = (0..count).collect();
            let chunks = map_chunks(watch, &elements, 8, &<[usize]>::to_vec).unwrap();
            assert!(chunks == elements.chunks(8).map(<[usize]>::to_vec).collect::<Vec<_>>());
        }
        assert_eq!(join(|| 1, || "b"), (1, "b"));
        let mut squares = vec![0; 100];
        run_each(watch, squares.iter_mut().enumerate().collect(), &|(i, to)| *to = i * i).unwrap();
        assert!(squares.iter().enumerate().all(|(i, &square)| square == i * i));
    }
}
