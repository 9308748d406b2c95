//! Conformance of an engine in a case: both queries, judged by the oracle.

use crate::cases::Case;
use crate::oracle::{Oracle, Tolerance, Verdict};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, TraceError, Tracer};
use std::fmt;

/// Properties that a tracer promises and that its answers are tested for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectations {
    /// `true` if the triangle test is watertight: nothing slips through shared edges, and only [`Case::borderline`]
    /// cases may differ within rounding. Exact cases must then be exact. Otherwise excuses are reported, at the wider
    /// distances of [`Tolerance::Fast`].
    pub watertight: bool,
    /// `true` if of coincident triangles the one with the lower (instance, primitive) must win, as in library queries.
    pub lowest_id: bool,
    /// `true` if the tracer supports queries that continue after a given hit (`after` keys).
    pub after: bool,
}

impl Expectations {
    /// Promises of Raywarp's library queries: watertight, lowest id, and queries after a hit.
    pub const LIBRARY: Self = Self { watertight: true, lowest_id: true, after: true };
    /// Promises of the papers' kernels, whose triangle test is fast but not watertight: none.
    pub const FAST: Self = Self { watertight: false, lowest_id: false, after: false };
}

/// Largest share of rays that may differ within rounding where rays are not aimed at edges or limits.
pub const EXCUSED_RATE: f64 = 1e-5;

/// Verdicts on a tracer's answers in one test case.
#[derive(Debug, Clone, PartialEq)]
pub struct ConformanceReport {
    /// Name of the case.
    pub case: &'static str,
    /// Verdict on the closest-hit query.
    pub closest: Verdict,
    /// Verdict on the any-hit query.
    pub any: Verdict,
    /// Verdict on the closest-hit query that continues after its own first hits; `None` if the tracer does not promise
    /// it.
    pub after: Option<Verdict>,
    /// Complaints about statistics that miscount the rays.
    pub complaints: Vec<String>,
    /// Largest share of a query's rays that may differ within rounding.
    pub allowed_rate: f64,
}

impl ConformanceReport {
    /// Returns `true` if no query has faults or too many excused answers, and nothing else is wrong.
    pub fn passed(&self) -> bool {
        let queries = [Some(&self.closest), Some(&self.any), self.after.as_ref()];
        self.complaints.is_empty() && queries.into_iter().flatten().all(|verdict| verdict.passes(self.allowed_rate))
    }
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: closest: {}; any: {}", self.case, self.closest, self.any)?;
        if let Some(after) = &self.after {
            write!(f, "; after: {after}")?;
        }
        self.complaints.iter().try_for_each(|complaint| write!(f, "; {complaint}"))
    }
}

/// Traces the rays of a case with closest-hit and any-hit queries and judges the answers against the oracle. `oracle`
/// is [`Case::oracle`], and `tracer` traces the case's triangles.
///
/// # Errors
/// What the tracer fails with.
/// # Panics
/// If the oracle is of other rays.
pub fn check(
    case: &Case,
    oracle: &Oracle,
    tracer: &dyn Tracer,
    expectations: Expectations,
) -> Result<ConformanceReport, TraceError> {
    let (triangles, rays) = (&case.triangles, &case.rays);
    let control = Control::default();
    let tolerance = match (expectations.watertight, case.exact) {
        (true, true) => Tolerance::Exact,
        (true, false) => Tolerance::Watertight,
        (false, _) => Tolerance::Fast,
    };
    // What is there beforehand must be overwritten.
    let junk = Hit { t: -7.0, u: 3.0, v: 3.0, primitive: 1 };
    let (mut hits, mut instances) = (vec![junk; rays.len()], vec![7; rays.len()]);
    let mut stats = vec![tracer.closest(rays, &[], &mut hits, &mut instances, &control)?];
    let mut closest = oracle.judge(triangles, rays, &hits, &instances, tolerance);

    let mut undecided = vec![Candidate { ray: 0, instance: 7, hit: junk }];
    let mut blocked = vec![u32::MAX; rays.len().div_ceil(32)];
    stats.push(tracer.any(rays, &[], &mut blocked, &mut undecided, &control)?);
    let mut any = oracle.judge_any(triangles, rays, &blocked, &undecided, tolerance);

    if expectations.lowest_id {
        closest.faults.extend(oracle.higher_ids(triangles, &hits, &instances, tolerance));
        any.faults.extend(oracle.higher_candidates(triangles, &undecided, tolerance));
    }
    let mut after = None;
    if expectations.after {
        let key = |(hit, &instance): (&Hit, &u32)| match hit.is_hit() {
            true => HitKey::of(hit, instance),
            false => HitKey::START,
        };
        let keys: Vec<HitKey> = hits.iter().zip(&instances).map(key).collect();
        let first: Vec<Option<HitKey>> =
            keys.iter().zip(&hits).map(|(key, hit)| hit.is_hit().then_some(*key)).collect();
        stats.push(tracer.closest(rays, &keys, &mut hits, &mut instances, &control)?);
        after = Some(oracle.judge_after(triangles, rays, &first, &hits, &instances, tolerance));
    }
    let invalid = rays.iter().filter(|ray| !ray.is_valid()).count() as u64;
    let by_kernel =
        |stats: &BatchStats| stats.kernels.iter().map(|(_, rays)| rays).sum::<u64>() + stats.kernels.others();
    let complaint = |stats: &BatchStats| {
        let BatchStats { rays: counted, invalid: missed, kernels, .. } = stats;
        format!("counted {counted} rays, {missed} invalid, by {kernels:?}, of {}, {invalid} invalid", rays.len())
    };
    let count = rays.len() as u64;
    let is_wrong = |stats: &&BatchStats| (stats.rays, stats.invalid, by_kernel(stats)) != (count, invalid, count);
    let complaints = stats.iter().filter(is_wrong).map(complaint).collect();
    let allowed_rate = if case.borderline || !expectations.watertight { 1.0 } else { EXCUSED_RATE };
    Ok(ConformanceReport { case: case.name, closest, any, after, complaints, allowed_rate })
}
