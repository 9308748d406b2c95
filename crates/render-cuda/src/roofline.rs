//! The roofline from which the seconds of a picture are foretold: the bytes of state that its paths move against the
//! GPU's memory, and the warp instructions that they take against what the GPU issues.
//!
//! Nothing here is timed. Bytes are those of [`PathCounts`]. Instructions are rays and connections times what each
//! kernel took for one of them in four scenes on an H200 ([`instructions`]). A scene's own instructions are not known:
//! they are taken to stand between the least and the most of those scenes, which differ in how far a tree is walked and
//! how full warps are.

use crate::counts::PathCounts;
use crate::kept_paths::KeptPaths;
use crate::organisation::PathOrganisation;
use crate::sources::FeatureSet;
use crate::stage::Stage;
use crate::state::Layout;
use raywarp_cuda::PeakRates;
use std::fmt;
use std::sync::Arc;

/// Range of a number counted in several scenes: mean, least and most.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(missing_docs)] // As they are called.
pub struct CountedRange {
    pub mean: f64,
    pub least: f64,
    pub most: f64,
}

impl CountedRange {
    const fn new(mean: f64, least: f64, most: f64) -> Self {
        Self { mean, least, most }
    }

    fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self { mean: of(self.mean), least: of(self.least), most: of(self.most) }
    }
}

impl std::ops::AddAssign for CountedRange {
    fn add_assign(&mut self, other: Self) {
        self.mean += other.mean;
        self.least += other.least;
        self.most += other.most;
    }
}

/// Unit of work by which a kernel's instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Each {
    Path,
    /// A ray that extends a path, with the vertex that it reaches.
    Ray,
    Connection,
}

impl Each {
    fn count(self, counts: &PathCounts) -> u64 {
        match self {
            Self::Path => counts.begun,
            Self::Ray => counts.extended,
            Self::Connection => counts.connected,
        }
    }
}

/// Returns the warp instructions of a wavefront kernel per path, ray or connection; `None` for kernels that were not
/// counted.
///
/// By Nsight Compute: all launches of whole renders of bmw_m6, coffee and kitchen
/// (bench/runs/2026-11-23-h200-2/kernels.csv), and the last four rounds of a batch of sibenik
/// (bench/runs/2026-11-23-h200/counters.csv), over the rays and connections of the same scenes, which do not depend
/// on the GPU. Kernels have changed since: that of *layered* has a fifth fewer instructions, and lists by class are
/// asked for places once for 256 paths. A test makes each number from the records.
fn instructions(stage: Stage, layout: &Layout) -> Option<(Each, CountedRange)> {
    const NONE: CountedRange = CountedRange::new(0.0, 0.0, 0.0);
    if layout.kept != KeptPaths::Queues {
        return None;
    }
    let if_any = |any: bool, estimate| if any { estimate } else { NONE };
    // One warp, which counts.
    let counted = match stage {
        Stage::BEGIN_ROUND => (Each::Path, NONE),
        Stage::REFILL => (Each::Path, CountedRange::new(17.8, 13.4, 20.1)),
        Stage::EXTEND => (Each::Ray, CountedRange::new(144.4, 116.0, 189.0)),
        Stage::SORT => (Each::Ray, if_any(layout.sorted, CountedRange::new(7.13, 6.73, 7.88))),
        // Of kitchen alone.
        Stage::SORT_WAITING => (Each::Ray, if_any(layout.has_holes(), CountedRange::new(3.62, 3.62, 3.63))),
        Stage::SHADE => match layout.features {
            // Of sibenik alone: eight vertices of 57.4 and a path's last, at which it looks for no light, of 12.6.
            FeatureSet::Plain => (Each::Ray, CountedRange::new(52.4, 52.3, 52.5)),
            FeatureSet::Surfaces if layout.sorts => (Each::Ray, CountedRange::new(152.0, 143.9, 159.1)),
            FeatureSet::Surfaces | FeatureSet::Everything => return None,
        },
        Stage::CONNECT => (Each::Connection, CountedRange::new(103.1, 69.8, 127.0)),
        Stage::ARRIVE_LIGHT => (Each::Connection, CountedRange::new(1.59, 1.05, 2.11)),
        // Of kitchen alone.
        Stage::DECIDE_LIGHT => (Each::Connection, if_any(layout.has_holes(), CountedRange::new(17.0, 17.0, 17.1))),
        Stage::FINALIZE => (Each::Path, CountedRange::new(2.01, 1.86, 2.38)),
        _ => return None,
    };
    Some(counted)
}

/// Roofline model of a GPU for path tracing: its peak rates, and the path state that must be moved.
#[derive(Debug, Clone)]
pub struct Roofline {
    /// Peak rates of the GPU: memory bandwidth and instruction issue.
    pub rates: PeakRates,
    /// Layout of the path state.
    pub layout: Layout,
    /// Organisation of the paths, which tells the bytes that its kernels move.
    pub organisation: Arc<dyn PathOrganisation>,
}

/// Resource of the GPU that limits the rendering time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingResource {
    /// Bandwidth of the GPU's memory.
    Memory,
    /// Instruction issue of the GPU's multiprocessors.
    Issue,
}

/// Least time that the roofline model predicts for a number of rays and connections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RooflineEstimate {
    /// Bytes of path state that are read and written.
    pub bytes: u64,
    /// Seconds that the GPU's memory takes to move those bytes.
    pub memory_s: f64,
    /// Number of warp instructions; `None` if they were not counted for all kernels.
    pub instructions: Option<CountedRange>,
    /// Seconds that the GPU takes to issue those instructions.
    pub issue_s: Option<CountedRange>,
}

impl Roofline {
    /// Estimates the least time for the work in `counts`.
    pub fn estimate(&self, counts: &PathCounts) -> RooflineEstimate {
        let bytes = counts.bytes();
        let mut sum = CountedRange::default();
        let all = Stage::OF_WAVEFRONT.iter().try_for_each(|stage| {
            let (each, one) = instructions(*stage, &self.layout)?;
            sum += one.map(|one| one * each.count(counts) as f64);
            Some(())
        });
        let instructions = all.map(|()| sum);
        RooflineEstimate {
            bytes,
            memory_s: bytes as f64 / self.rates.bytes(),
            instructions,
            issue_s: instructions.map(|sum| sum.map(|n| n / self.rates.instructions())),
        }
    }

    /// Describes the predicted time of one path vertex, with the ray to it and a connection to a light; it needs no
    /// counts. `None` where kernels keep no state between vertices.
    pub fn vertex_line(&self) -> Option<String> {
        let vertex =
            self.estimate(&PathCounts::vertex(&self.layout, |counts| self.organisation.moves(&self.layout, counts)));
        if vertex.bytes == 0 {
            return None;
        }
        let memory = format!(
            "{} bytes of state, {:.3} ns of memory that moves {:.1} GB/s",
            vertex.bytes,
            vertex.memory_s * 1e9,
            self.rates.bytes() / 1e9
        );
        let rest = match (vertex.instructions, vertex.issue_s, vertex.binds()) {
            (Some(n), Some(issue), Some(binds)) => format!(
                "{:.0} ({:.0} to {:.0}) warp instructions, {:.3} ns of {} multiprocessors at {} MHz: {binds}",
                n.mean,
                n.least,
                n.most,
                issue.mean * 1e9,
                self.rates.multiprocessors,
                self.rates.clock_khz / 1000
            ),
            _ => UNCOUNTED.to_string(),
        };
        Some(format!("foretold of each vertex with its ray and a connection to a light: {memory}; {rest}"))
    }
}

const UNCOUNTED: &str = "instructions of such kernels were not counted";

impl RooflineEstimate {
    /// Returns the resource that takes longer, by the mean of the counted scenes; `None` if instructions were not
    /// counted.
    pub fn binds(&self) -> Option<BindingResource> {
        let issue = self.issue_s?;
        Some(if issue.mean >= self.memory_s { BindingResource::Issue } else { BindingResource::Memory })
    }

    /// Returns the predicted seconds: of the resource that takes longer, or of memory alone if instructions were not
    /// counted.
    pub fn seconds(&self) -> CountedRange {
        let issue = self.issue_s.unwrap_or_default();
        issue.map(|issue| issue.max(self.memory_s))
    }

    /// Describes the predicted time as a share of the measured `seconds`.
    pub fn share_of(&self, seconds: f64) -> String {
        let part = self.seconds().map(|estimate| 100.0 * estimate / seconds);
        match self.binds() {
            Some(BindingResource::Issue) => {
                format!("{:.0} % ({:.0} to {:.0}) of which are foretold", part.mean, part.least, part.most)
            }
            Some(BindingResource::Memory) => format!("{:.0} % of which are foretold", part.mean),
            None => format!("{:.0} % of which are foretold, of memory alone", part.mean),
        }
    }
}

impl fmt::Display for BindingResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory binds",
            Self::Issue => "instructions bind",
        })
    }
}

impl fmt::Display for RooflineEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "foretold from these counts: {:.4} s to move the state, ", self.memory_s)?;
        match (self.instructions, self.issue_s, self.binds()) {
            (Some(n), Some(issue), Some(binds)) => write!(
                f,
                "{:.4} s ({:.4} to {:.4}) to issue {:.3} G warp instructions: {binds}",
                issue.mean,
                issue.least,
                issue.most,
                n.mean / 1e9
            ),
            _ => f.write_str(UNCOUNTED),
        }
    }
}

#[cfg(test)]
mod recorded;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::BatchCounts;
    use crate::launch::Counters;
    use crate::sources::Organisation;
    use std::collections::BTreeMap;

    /// Slow test GPU: 4 million warp instructions and 16 million bytes per second.
    pub(super) const SLOW: PeakRates =
        PeakRates { multiprocessors: 1, clock_khz: 1000, memory_khz: 1000, memory_bits: 64 };

    pub(super) fn layout(organisation: Organisation, features: FeatureSet, holes: bool) -> Layout {
        let sorted = features == FeatureSet::Surfaces;
        Layout {
            kept: organisation.kept_paths(),
            own: organisation.own_memory(),
            counted_rounds: organisation.counted_rounds(),
            sorts: organisation.sorts(),
            features,
            holes,
            sorted,
            first_hits: false,
            sampler_states: false,
        }
    }

    pub(super) fn roofline(rates: PeakRates, organisation: Organisation, layout: Layout) -> Roofline {
        Roofline { rates, layout, organisation: Arc::new(organisation) }
    }

    pub(super) fn counts(
        organisation: Organisation,
        layout: &Layout,
        [paths, rays, connections]: [u64; 3],
    ) -> PathCounts {
        let mut counts = PathCounts::default();
        let counters = match layout.kept {
            KeptPaths::Queues => Counters { extended: rays, refilled: paths, ..Counters::default() },
            _ => Counters { walked: rays as u32, ..Counters::default() },
        };
        let counters = Counters { connected: connections, ..counters };
        let launches = BTreeMap::new();
        let batch = BatchCounts { paths, launches, counters, rounds: Vec::new(), refilled: 0 };
        counts.add_batch(layout, &batch, |counts| organisation.moves(layout, counts));
        counts
    }

    #[test]
    fn an_estimate_is_what_a_hand_computes() {
        let sorted = Organisation::WavefrontSorted;
        let layout = layout(sorted, FeatureSet::Plain, false);
        let counts = counts(sorted, &layout, [1000, 3000, 2000]);
        let roofline = roofline(SLOW, sorted, layout);
        let estimate = roofline.estimate(&counts);
        // Paths 68 and 20; rays 48 and 64, 2000 of them going on with 48; connections 48, 32 and 16.
        assert_eq!((estimate.bytes, estimate.memory_s), (712_000, 0.0445));
        // Paths 17.8 + 2.01, rays 144.4 + 52.4, connections 103.1 + 1.59; so the least and the most.
        let close = |got: CountedRange, want: [f64; 3]| {
            let got = [got.mean, got.least, got.most];
            assert!(std::iter::zip(got, want).all(|(got, want)| (got / want - 1.0).abs() < 1e-9), "{got:?} {want:?}");
        };
        close(estimate.instructions.unwrap(), [819_590.0, 661_860.0, 1_005_200.0]);
        close(estimate.issue_s.unwrap(), [0.204_897_5, 0.165_465, 0.251_3]);
        close(estimate.seconds(), [0.204_897_5, 0.165_465, 0.251_3]);
        says(&estimate.to_string(), &["0.0445 s", "0.2049 s (0.1655 to 0.2513)", "0.001 G"]);
        assert_eq!(estimate.binds(), Some(BindingResource::Issue));
        says(&estimate.share_of(0.5), &["41 % (33 to 50)"]);
        // Ten times as slow a memory binds.
        let slower = Roofline { rates: PeakRates { memory_khz: 100, ..SLOW }, ..roofline };
        let estimate = slower.estimate(&counts);
        assert_eq!(estimate.binds(), Some(BindingResource::Memory));
        close(estimate.seconds(), [0.445; 3]);
        says(&estimate.share_of(0.5), &["89 %"]);
    }

    /// Checks that a line says these numbers.
    #[track_caller]
    fn says(line: &str, numbers: &[&str]) {
        assert!(numbers.iter().all(|number| line.contains(number)), "{line}: not {numbers:?}");
    }

    #[test]
    fn a_vertex_is_foretold_before_there_are_paths() {
        let of = |organisation, features, holes| {
            roofline(SLOW, organisation, layout(organisation, features, holes)).vertex_line()
        };
        let wavefront = |features, holes| of(Organisation::WavefrontSorted, features, holes).unwrap();
        says(
            &wavefront(FeatureSet::Plain, false),
            &["256 bytes", "16000.000 ns", "0.0 GB/s", "301 (239 to 371) warp", "75372.500 ns", "1 MHz: instructions "],
        );
        // Hit and place are moved once more; a connection is read as a whole.
        let holes = wavefront(FeatureSet::Surfaces, true);
        assert!(holes.contains("312 bytes") && holes.contains("429 (358 to 506) warp"), "{holes}");
        let media = wavefront(FeatureSet::Everything, true);
        assert!(!media.contains(" warp "), "{media}");
        assert_eq!(of(Organisation::Megakernel, FeatureSet::Plain, false), None);
    }

    #[test]
    fn of_kernels_that_were_not_counted_bytes_are_foretold() {
        let layout = layout(Organisation::Megakernel, FeatureSet::Plain, false);
        let counts = counts(Organisation::Megakernel, &layout, [1000, 3000, 2000]);
        let estimate = roofline(SLOW, Organisation::Megakernel, layout).estimate(&counts);
        assert_eq!((estimate.bytes, estimate.instructions, estimate.binds()), (40_000, None, None));
        says(&estimate.to_string(), &["0.0025 s"]);
        assert!(!estimate.to_string().contains(" warp "), "{estimate}");
        says(&estimate.share_of(0.01), &["25 %", "memory"]);
    }
}
