//! Parts of a launch's time that sum to all of it.
//!
//! What must be done is charged first, from what no kernel can save to what a better one would: so each part is what
//! would be gained if it alone were gone, after those before it.

use crate::bounds::{Bound, Limit, lowest};

/// Part of a launch's time, in the order in which time is attributed to parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Time to issue what there is to do if every lane of a warp were busy.
    Work,
    /// Time lost to idle lanes: warps issue more instructions than full ones would.
    Lanes,
    /// Time in issue slots lost because a pipeline is slower than the schedulers.
    Pipe,
    /// Time for passes through the first cache (L1), where they take longer than issuing.
    Passes,
    /// Time in which warps wait and no other one can issue: latency that is not hidden.
    Latency,
    /// Time in which multiprocessors have no warps: start and tail of a launch.
    Tail,
}

impl Part {
    /// All parts of a launch's time, in their order.
    pub const ALL: [Self; 6] = [Self::Work, Self::Lanes, Self::Pipe, Self::Passes, Self::Latency, Self::Tail];

    /// Returns the name of the part in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Lanes => "idle lanes",
            Self::Pipe => "pipeline",
            Self::Passes => "L1 passes",
            Self::Latency => "latency",
            Self::Tail => "tail",
        }
    }
}

/// Returns the fraction of a launch's time in each [`Part`], 0 to 1; they sum to 1.
///
/// - `elapsed_s`: seconds a ray that were measured; `busy_s`: how much of it multiprocessors had warps, as
///   `cycles_active` says (the same as `elapsed_s` where nobody counted: the tail is then part of latency).
/// - `bounds`: of the same kernel and rays. Where a model asks for more time than there was, what it charges last gets
///   less.
///
/// None without a bound of instructions, or for a time that is no time.
pub fn split(elapsed_s: f64, busy_s: f64, bounds: &[Bound]) -> Option<[f64; 6]> {
    if !(elapsed_s.is_finite() && elapsed_s > 0.0 && busy_s > 0.0) {
        return None;
    }
    let busy_s = busy_s.min(elapsed_s);
    let needs = |wanted: fn(Limit) -> bool| {
        lowest(bounds.iter().filter(|bound| wanted(bound.limit))).map(|bound| 1.0 / bound.rays_per_s)
    };
    let until = [
        needs(|limit| limit == Limit::Lanes)?,
        needs(|limit| limit == Limit::Issue)?,
        needs(|limit| matches!(limit, Limit::Pipe(_) | Limit::IntegerProducts)).unwrap_or(0.0),
        needs(|limit| limit == Limit::L1Passes).unwrap_or(0.0),
        busy_s,
    ];
    let mut so_far = 0.0;
    let mut parts = [0.0; 6];
    for (part, until) in parts.iter_mut().zip(until.map(|until| until.min(busy_s)).into_iter().chain([elapsed_s])) {
        *part = (until - so_far).max(0.0) / elapsed_s;
        so_far = so_far.max(until);
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Class;
    use raywarp_costs::Pipe;

    fn bounds(rates: &[(Limit, f64)]) -> Vec<Bound> {
        let bound = |&(limit, rays_per_s): &(Limit, f64)| Bound {
            limit,
            rays_per_s,
            class: Class::Modelled,
            why: String::new(),
        };
        rates.iter().map(bound).collect()
    }

    #[test]
    fn parts_sum_to_the_whole_whatever_the_bounds_say() {
        // Seconds a ray: 1 full, 2 issued, 4 by the slowest pipeline, 3 by the L1.
        let known = bounds(&[
            (Limit::Lanes, 1.0),
            (Limit::Issue, 0.5),
            (Limit::Pipe(Pipe::Fma), 0.8),
            (Limit::Pipe(Pipe::Alu), 0.25),
            (Limit::L1Passes, 1.0 / 3.0),
        ]);
        assert_eq!(split(8.0, 6.0, &known), Some([0.125, 0.125, 0.25, 0.0, 0.25, 0.25]));
        for (elapsed, busy) in [(8.0, 6.0), (3.0, 2.5), (1.0, 1.0), (0.5, 0.1), (4.0, 9.0), (1e-9, 1e-10)] {
            let parts = split(elapsed, busy, &known).unwrap();
            assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{parts:?}");
            assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{parts:?}");
        }
    }

    #[test]
    fn there_are_no_parts_of_nothing() {
        let known = bounds(&[(Limit::Lanes, 1.0), (Limit::Issue, 0.5)]);
        for (elapsed, busy) in [(0.0, 0.0), (-1.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)] {
            assert_eq!(split(elapsed, busy, &known), None);
        }
        assert_eq!(split(1.0, 1.0, &[]), None);
        assert!(split(4.0, 4.0, &known).is_some());
    }
}
