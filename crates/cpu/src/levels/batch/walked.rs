//! What the walk of a batch through two levels asks of the batch and of its queries.

use crate::batch::Job;
use crate::custom::TakesCustom;

/// Batch of rays through two levels.
pub(crate) trait PlacedJob: Job<Query: PlacedQuery> {
    /// Answers ray `index` by a walk of its own, from its beginning.
    fn alone(&mut self, index: usize);
}

/// Query of a ray of a batch in two levels.
pub(crate) trait PlacedQuery: TakesCustom {
    /// Makes what is offered from now on that of a placement.
    fn enter(&mut self, placement: u32);
}
