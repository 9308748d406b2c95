//! Batches cut into parts: each part on some thread, with a look at the caller's control between two.

use rayon::prelude::*;
use raywarp_geom::{Control, TraceError};

/// Number of rays or points between two looks at [`Control`]; a multiple of 32.
pub(super) const PART: usize = 512;

/// Number of questions between two looks where one may take a millisecond.
pub(super) const LONG_PART: usize = 16;

/// Answers questions in parallel, so many a part, each part with the index of its first and with its places: one for so
/// many questions. What is one part alone stays on the calling thread.
pub(super) fn each_part<Q: Sync, T: Send>(
    (questions, size): (&[Q], usize),
    (places, of_place): (&mut [T], usize),
    control: &Control<'_>,
    answer: impl Fn(usize, &[Q], &mut [T]) + Sync,
) -> Result<(), TraceError> {
    let part = |(part, (questions, places)): (usize, (&[Q], &mut [T]))| {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled);
        }
        answer(part * size, questions, places);
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
    let goes_on = |_: &(&Q, &mut T)| !control.is_cancelled();
    each_part((questions, size), (places, 1), control, |_, questions, places| {
        let asked = questions.iter().zip(places).take_while(goes_on);
        asked.for_each(|(question, place)| *place = answer(question));
    })?;
    // A part may have ended early.
    if !questions.is_empty() && control.is_cancelled() { Err(TraceError::Cancelled) } else { Ok(()) }
}
