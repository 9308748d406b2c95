//! Work on several devices at the same time.

/// Runs `work` on each of `items` in parallel: the first on this thread, each other one on a thread of its own, or
/// after the first if no thread can be started. Answers come in the order of the items.
///
/// # Panics
/// If `work` panics, once all the others have ended.
pub fn side_by_side<T: Send, R: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let mut slots: Vec<(Option<T>, Option<R>)> = items.into_iter().map(|item| (Some(item), None)).collect();
    let fill = &|slot: &mut (Option<T>, Option<R>)| {
        if let Some(item) = slot.0.take() {
            slot.1 = Some(work(item));
        }
    };
    std::thread::scope(|scope| {
        let Some((first, others)) = slots.split_first_mut() else { return };
        for slot in others {
            // Where there is no thread the item stays in its slot.
            let _ = std::thread::Builder::new().name("gpu".into()).spawn_scoped(scope, move || fill(slot));
        }
        fill(first);
    });
    slots.iter_mut().for_each(fill);
    slots.into_iter().filter_map(|slot| slot.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn items_are_worked_on_at_the_same_time_and_answered_in_order() {
        // Who waits for the others ends only if they run too.
        let barrier = Barrier::new(3);
        let doubled = side_by_side([1, 2, 3], |n| {
            barrier.wait();
            2 * n
        });
        assert_eq!(doubled, [2, 4, 6]);
        assert_eq!(side_by_side([0; 0], |n| n), [0; 0]);
    }
}
