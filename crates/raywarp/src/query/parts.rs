//! Batches cut into parts: each part on some thread, with a look at the caller's control between two.

use rayon::prelude::*;
use raywarp_geom::{Control, TraceError};

/// Number of rays or points between two looks at [`Control`]; a multiple of 32.
pub(super) const PART: usize = 512;

/// Number of questions between two looks where one may take a millisecond.
pub(super) const LONG_PART: usize = 16;

/// Answers questions in parallel, so many a part, each part with the index of its first and with its places: one for so
/// many questions. `answer` may end it early. What is one part alone stays on the calling thread.
pub(super) fn each_part<Q: Sync, T: Send>(
    (questions, size): (&[Q], usize),
    (places, of_place): (&mut [T], usize),
    control: &Control<'_>,
    answer: impl Fn(usize, &[Q], &mut [T]) -> Result<(), TraceError> + Sync,
) -> Result<(), TraceError> {
    let part = |(part, (questions, places)): (usize, (&[Q], &mut [T]))| {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled);
        }
        answer(part * size, questions, places)?;
        control.advance(questions.len());
        Ok(())
    };
    if questions.len() <= size {
        return if questions.is_empty() { Ok(()) } else { part((0, (questions, places))) };
    }
    questions.par_chunks(size).zip(places.par_chunks_mut(size / of_place)).enumerate().try_for_each(part)
}

/// Answers questions in parallel, so many a part, each by itself, with a look at the control before each.
pub(super) fn each<Q: Sync, T: Send>(
    (questions, size): (&[Q], usize),
    places: &mut [T],
    control: &Control<'_>,
    answer: impl Fn(&Q) -> T + Sync,
) -> Result<(), TraceError> {
    each_part((questions, size), (places, 1), control, |_, questions, places| {
        for (question, place) in questions.iter().zip(places) {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            *place = answer(question);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn a_part_that_a_cancel_ends_tells_no_progress_and_one_that_was_answered_counts() {
        let questions: Vec<usize> = (0..20).collect();
        for (last, told, result) in [(5, 0, Err(TraceError::Cancelled)), (19, 20, Ok(()))] {
            let (cancel, count) = (AtomicBool::new(false), AtomicUsize::new(0));
            let progress = |more: usize| {
                count.fetch_add(more, Ordering::Relaxed);
            };
            let control = Control { cancel: Some(&cancel), progress: Some(&progress) };
            let answer = |&question: &usize| {
                cancel.fetch_or(question == last, Ordering::Relaxed);
                question + 1
            };
            let mut places = vec![0; 20];
            assert_eq!(each((&questions, 32), &mut places, &control, answer), result);
            assert_eq!(places.iter().filter(|place| **place > 0).count(), last + 1);
            assert_eq!(count.into_inner(), told);
        }
    }
}
