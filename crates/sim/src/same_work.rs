//! Kernels whose counts follow from another's.
//!
//! - A persistent warp takes rays side by side and waits until all of them have ended, as a warp of a direct launch
//!   does: they go through the same groups of rays, and only what their supplies do differs. Where the groups' rays do
//!   nothing, that is all there is, and so `persistent = direct - direct over nothing + persistent over nothing`.
//! - An option may mean nothing to a query.

use crate::source::EventSource;
use crate::warp_counts::{WarpCounts, measure_source};
use raywarp_family::{Key, Supply, Variant};
use raywarp_traverse::{KernelError, Query, RayDump, Replay, ReplayError};

/// Returns `variant` with a direct supply, if its lanes get the same rays together, so that only the supply's work
/// differs; `None` if they do not.
pub fn side_by_side(variant: &Variant) -> Option<Variant> {
    match variant.supply() {
        Supply::Direct => Some(*variant),
        // Batches are whole warps.
        Supply::Persistent if variant.batch().is_some() => {
            let direct = Variant::new(Supply::Direct, variant.traversal_loop(), variant.tree()).ok()?;
            let with = |direct: Variant, &key: &Key| direct.with(key, variant.value(key)).unwrap_or(direct);
            Some(Key::ALL.iter().fold(direct, with))
        }
        Supply::Persistent | Supply::Replace | Supply::Queue => None,
    }
}

/// Returns `variant` with defaults for the options that mean nothing to `query`.
pub fn without_idle_options(variant: &Variant, query: Query) -> Variant {
    let default = Key::Occlusion.default(variant.supply(), variant.tree());
    match query {
        Query::Closest => variant.with(Key::Occlusion, default).unwrap_or(*variant),
        Query::Any => *variant,
    }
}

/// Computes the counts of `to` from the `counts` of `from` over the same launches; both must be the same kernel [side
/// by side](side_by_side). `launches` are numbers of rays.
///
/// # Errors
/// [`KernelError::Width`], [`KernelError::TooManyRays`], [`KernelError::NeedsGpu`].
/// # Panics
/// If the kernels are not the same, side by side.
pub fn resupplied(
    counts: &WarpCounts,
    from: &Variant,
    to: &Variant,
    launches: &[usize],
    query: Query,
) -> Result<WarpCounts, KernelError> {
    assert!(side_by_side(from).is_some() && side_by_side(from) == side_by_side(to), "{from} and {to} differ");
    let mut sum = counts.clone();
    for &rays in launches {
        let nothing = RayDump::of_nothing(rays, query)?;
        let supply = |variant: &Variant| match Replay::new(variant, &nothing) {
            Ok(replay) => measure_source(&EventSource::Replay(replay), counts.width),
            Err(ReplayError::Kernel(error)) => Err(error),
            Err(_) => Err(KernelError::NeedsGpu { variant: *variant }),
        };
        sum = sum.plus(&supply(to)?).minus(&supply(from)?);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persistent_kernels_are_direct_ones_that_fetch_and_others_are_not() {
        let of = |text: &str| side_by_side(&text.parse().unwrap()).map(|direct| direct.to_string());
        let text = |text: &str| Some(text.to_string());
        assert_eq!(of("persistent/packet/bvh2?box=integer"), text("direct/packet/bvh2?box=integer"));
        assert_eq!(
            of("persistent/speculative-while-while/bvh2?batch=2&postpone=3"),
            text("direct/speculative-while-while/bvh2?postpone=3")
        );
        assert_eq!(of("persistent/while-while/wideN?branching=8"), text("direct/while-while/wideN?branching=8"));
        assert_eq!(of("direct/if-if/bvh2"), text("direct/if-if/bvh2"));
        assert_eq!([of("replace/while-while/bvh2"), of("queue/while-while/bvh2")], [None, None]);
    }

    #[test]
    fn only_any_hit_rays_mind_the_order_of_occlusion() {
        let variant: Variant = "replace/while-while/wide4?occlusion=unsorted&unroll=2".parse().unwrap();
        assert_eq!(without_idle_options(&variant, Query::Any), variant);
        assert_eq!(without_idle_options(&variant, Query::Closest).to_string(), "replace/while-while/wide4?unroll=2");
        let packet: Variant = "direct/packet/bvh2".parse().unwrap();
        assert_eq!(without_idle_options(&packet, Query::Closest), packet);
    }
}
