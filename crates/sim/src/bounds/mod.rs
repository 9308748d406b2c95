//! The rate that no run of a kernel can pass on a machine, and why (AL09 2.1: know what must be issued, assume the rest
//! for free; here each resource by itself).
//!
//! A bound is *strict* where every part of it is a minimum: counts of what must happen, verified costs, numbers of a
//! machine that are its most. It is *modelled* where something was assumed; [`Bound::why`] says what. Only a strict
//! bound that a measured rate passes shows an error in one of the two.
//!
//! What is told of a machine is a rate in the long run: the time in which a launch fills and empties the machine is in
//! no bound.

mod bound;
mod doubts;
mod latency;

pub use bound::{Bound, Class, CostBasis, Limit, headroom, lowest};
pub use latency::{Chain, ChainOf, chain, warp_clocks};
pub(crate) use latency::{FIRST_WITH_SCHEDULE, latency_of};

use crate::launch_instructions::LaunchInstructions;
use crate::least::LeastInstructions;
use crate::machine::{LaunchResources, Machine, MachineKey, keys};
use crate::memory::{Region, Traffic};
use crate::profile::Profile;
use raywarp_costs::Pipe;
use raywarp_family::{Sync, TraversalLoop, Tree, Variant};
use raywarp_traverse::Query;

/// A kernel to bound the rate of, with what is known of its work.
#[derive(Debug, Clone, Copy)]
pub struct BoundSubject<'a> {
    /// Variant of the kernel. One with lanes left to the hardware (`sync=implicit`) is profiled in its voted form.
    pub variant: &'a Variant,
    /// Query of the kernel's rays: closest hit or any hit.
    pub query: Query,
    /// Event counts of the kernel's warps on the rays.
    pub profile: &'a Profile,
    /// Instructions that the warps issue; `None` if costs are not known.
    pub instructions: Option<&'a LaunchInstructions>,
    /// Least instructions for these rays, however they are dealt to warps; `None` if not computed.
    pub least: Option<&'a LeastInstructions>,
    /// Registers, shared memory and threads of the kernel's launch, if they are known.
    pub launch: Option<LaunchResources>,
    /// Traffic of the kernel in a model of the machine's caches; `None` if not computed.
    pub traffic: Option<&'a Traffic>,
    /// Reason why the costs are not those of this kernel on this machine; `None` if they are.
    pub doubt: Option<&'a str>,
    /// Source of the kernel's instruction costs.
    pub basis: CostBasis,
}

/// Returns the fraction by which verified costs of a variant may be too high, as found by comparing launches with a
/// profiler's counts. One with a pool does ("al09-wide8", 2.7 %), in blocks whose counts are only nearest, which
/// [`LeastInstructions`] leaves out (docs/internals/simulator.md, "How sure a bound is"). Those of h8 ask up to 5.6 %
/// more, on a scene that they were not verified on.
fn verified_within(variant: &Variant) -> f64 {
    if variant.tree() == Tree::H8 { 0.06 } else { 0.02 }
}

/// Text of the assumption that chains of instructions are those of the kernel's machine code.
const CHAINS_OF_CODE: &str = "chains as the machine code has them, lanes that parted one after the other";
/// Text of the reason why bounds by [`LeastInstructions`] are minima.
const LEAST: &str = "what rays need however they are dealt, in full warps";

/// Collects the bounds of a kernel, with the doubts about each.
struct Maker<'a> {
    machine: &'a Machine,
    subject: BoundSubject<'a>,
    made: Vec<Bound>,
}

/// Returns all bounds that can be computed for a kernel, in the order of [`Limit`]'s kinds.
///
/// Rates are those of the traced rays: of a sample, they estimate those of the launches.
pub fn bounds(machine: &Machine, subject: BoundSubject<'_>) -> Vec<Bound> {
    let mut maker = Maker { machine, subject, made: Vec::new() };
    if let Some(issued) = subject.instructions {
        let least = issued.at_least(verified_within(subject.variant));
        maker.lanes(&least);
        if subject.variant.sync() != Sync::Implicit {
            maker.issue(&least);
            maker.pipes(Some(&least));
        }
        if let Some(work) = subject.least {
            maker.least_issue(work, issued);
            maker.pipes(None);
        }
    }
    maker.l1();
    maker.dram();
    maker.l2();
    maker.latency();
    maker.made
}

impl Maker<'_> {
    fn rays(&self) -> f64 {
        self.subject.profile.rays() as f64
    }

    /// Adds the bound that the traced rays take at least `seconds`; adds nothing for a resource that is not used.
    fn add(&mut self, limit: Limit, seconds: f64, minimum: &str, doubts: &[String]) {
        if seconds.is_nan() || seconds <= 0.0 {
            return;
        }
        let by_cost = !matches!(
            limit,
            Limit::L1Least | Limit::L1Passes | Limit::Dram | Limit::DramCold | Limit::DramLru | Limit::L2
        );
        let no_bound = self.subject.basis.no_bound().filter(|_| by_cost);
        let verified = match by_cost {
            true => format!(", verified within {:.0} %", 100.0 * verified_within(self.subject.variant)),
            false => String::new(),
        };
        let (class, why) = match no_bound {
            Some(class) => (class, doubts.join("; ")),
            None if doubts.is_empty() => (Class::Strict, format!("{minimum}{verified}")),
            None => (Class::Modelled, doubts.join("; ")),
        };
        self.made.push(Bound { limit, rays_per_s: self.rays() / seconds, class, why });
    }

    fn warp_width(&self) -> f64 {
        self.machine.need(keys::SM_WARP_WIDTH)
    }

    /// Returns how many of the profile's warps fit on the lanes that the machine has for one of its own.
    fn width_factor(&self) -> f64 {
        self.warp_width() / f64::from(self.subject.profile.counts.width)
    }

    fn lanes(&mut self, issued: &LaunchInstructions) {
        let threads = issued.thread_instructions(&self.subject.profile.counts);
        let seconds = threads / self.warp_width() / self.machine.issue_per_s();
        let doubts = [
            self.count_doubts(false),
            self.cost_doubts(issued),
            self.number_doubts(&[keys::CLOCK_MHZ, keys::ISSUE_PER_SCHEDULER]),
        ];
        self.add(Limit::Lanes, seconds, "instructions of lanes", &doubts.concat());
    }

    fn issue(&mut self, issued: &LaunchInstructions) {
        let instructions = issued.warp_instructions();
        let seconds = instructions / (self.machine.issue_per_s() * self.width_factor());
        let doubts = [
            self.count_doubts(true),
            self.cost_doubts(issued),
            self.number_doubts(&[keys::CLOCK_MHZ, keys::ISSUE_PER_SCHEDULER]),
        ];
        self.add(Limit::Issue, seconds, "instructions of warps", &doubts.concat());
    }

    /// Adds the bound by the instructions that are needed however rays are dealt to warps.
    fn least_issue(&mut self, least: &LeastInstructions, issued: &LaunchInstructions) {
        let instructions = least.warp_instructions / (1.0 + verified_within(self.subject.variant));
        let seconds = instructions / (self.machine.issue_per_s() * self.width_factor());
        let doubts = [
            self.sample_doubts(),
            self.cost_doubts(issued),
            self.number_doubts(&[keys::CLOCK_MHZ, keys::ISSUE_PER_SCHEDULER]),
        ];
        self.add(Limit::LeastIssue, seconds, LEAST, &doubts.concat());
    }

    /// Adds the bounds by the pipelines that execute instructions. Of those that share lanes the instructions add up
    /// (docs/reference/machines.md). They are those that warps do by `issued`, or without it the least that they can
    /// do.
    fn pipes(&mut self, issued: Option<&LaunchInstructions>) {
        let Some(whole) = self.subject.instructions.filter(|issued| issued.by_pipe) else { return };
        let of_pipe = |pipe: Pipe| match (issued, self.subject.least) {
            (Some(issued), _) => issued.pipe(pipe),
            (None, Some(least)) => least.pipes[pipe as usize] / (1.0 + verified_within(self.subject.variant)),
            (None, None) => 0.0,
        };
        let mut found = Vec::new();
        let fma: &[Pipe] = match self.machine.capability() {
            // One set of lanes, six warps a clock, for floats and for integers' sums (G14 section 3).
            (3, _) => &[Pipe::Fma, Pipe::Alu],
            (..=7, _) => &[Pipe::Fma],
            // The A100's halves run beside it.
            (8, 0) => &[Pipe::Fma, Pipe::FmaHeavy],
            _ => &[Pipe::Fma, Pipe::FmaHeavy, Pipe::Half],
        };
        let groups: [(Pipe, &[Pipe], &'static MachineKey); 7] = [
            (Pipe::Alu, &[Pipe::Alu], keys::PIPE_ALU),
            (Pipe::Fma, fma, keys::PIPE_FMA),
            (Pipe::FmaHeavy, &[Pipe::FmaHeavy], keys::PIPE_FMAHEAVY),
            (Pipe::FmaHeavy, &[Pipe::FmaHeavy], keys::PIPE_IMUL),
            (Pipe::Half, &[Pipe::Half], keys::PIPE_HALF),
            (Pipe::Xu, &[Pipe::Xu], keys::PIPE_XU),
            (Pipe::Lsu, &[Pipe::Lsu], keys::PIPE_LSU),
        ];
        for (pipe, together, key) in groups {
            let Some(lanes) = self.machine.get(key) else { continue };
            let mut needed = vec![keys::CLOCK_MHZ, key];
            // Conversions are told apart from the rest of xu by machines only.
            let lanes = match self.machine.get(keys::PIPE_CONVERSION) {
                Some(conversion) if pipe == Pipe::Xu => {
                    needed.push(keys::PIPE_CONVERSION);
                    lanes.max(conversion)
                }
                _ => lanes,
            };
            let instructions: f64 = together.iter().map(|&pipe| of_pipe(pipe)).sum();
            let lanes_per_s = lanes * self.machine.need(keys::SM_COUNT) * self.machine.clock_hz();
            let seconds = instructions * f64::from(self.subject.profile.counts.width) / lanes_per_s;
            let counts = if issued.is_some() { self.count_doubts(true) } else { self.sample_doubts() };
            let is_imul = key.path == keys::PIPE_IMUL.path;
            let limit = match (issued.is_some(), is_imul) {
                (true, true) => Limit::IntegerProducts,
                (true, false) => Limit::Pipe(pipe),
                (false, true) => Limit::LeastIntegerProducts,
                (false, false) => Limit::LeastPipe(pipe),
            };
            found.push((limit, seconds, [counts, self.cost_doubts(whole), self.number_doubts(&needed)].concat()));
        }
        let minimum = if issued.is_some() { "instructions of warps" } else { LEAST };
        for (limit, seconds, doubts) in found {
            self.add(limit, seconds, minimum, &doubts);
        }
    }

    fn l1(&mut self) {
        let (Some(memory), Some(per_clock)) =
            (&self.subject.profile.memory, self.machine.get(keys::L1_WAVEFRONTS_PER_CLOCK))
        else {
            return;
        };
        let all = memory.all();
        let per_s = per_clock * self.machine.need(keys::SM_COUNT) * self.machine.clock_hz();
        let needed = [keys::CLOCK_MHZ, keys::L1_WAVEFRONTS_PER_CLOCK];
        let mut doubts = [self.count_doubts(true), self.number_doubts(&needed)].concat();
        // Another width of the stage: the least is counted in passes of 128 bytes.
        if self.machine.get(keys::L1_BYTES_PER_CLOCK).is_some_and(|bytes| bytes != 128.0 * per_clock) {
            doubts.push("passes of 128 bytes".to_string());
        }
        // An any-hit ray that nothing blocks writes nothing, which the schedule's event does not tell.
        let unsure = if self.subject.query == Query::Any { memory.region(Region::Hits).least } else { 0 };
        self.add(
            Limit::L1Least,
            (all.least - unsure) as f64 / per_s,
            "distinct bytes that each load must bring",
            &doubts,
        );
        doubts.push(
            "passes by parts of a warp, banks and lines, as counters of an H200 have them within 16 %".to_string(),
        );
        self.add(Limit::L1Passes, all.passes as f64 / per_s, "", &doubts);
    }

    fn dram(&mut self) {
        let profile = self.subject.profile;
        let Some(memory) = &profile.memory else { return };
        let tree: u64 =
            [Region::Nodes, Region::Triangles, Region::Slots].map(|r| memory.region(r).distinct).iter().sum();
        let hit_bytes = match self.subject.query {
            Query::Closest => 16.0,
            // A bit of those that are blocked.
            Query::Any => 0.0,
        };
        // All rays of the launches are read and answered; of the tree, at least what the traced ones touch.
        let rays = profile.launch_rays as f64;
        let bytes = 32.0 * tree as f64 + rays * (32.0 + hit_bytes);
        let per_s = self.machine.need(keys::DRAM_GB_PER_S) * 1e9;
        // Of the traced rays, as all bounds are.
        let share = self.rays() / rays;
        let mut doubts = self.number_doubts(&[keys::DRAM_GB_PER_S]);
        if visits_what_others_do(self.subject.variant) {
            doubts.extend(self.width_doubts().into_iter().chain(self.order_doubts(true)));
        }
        let cache = self.machine.get(keys::L2_BYTES).unwrap_or(0.0) * profile.launches as f64;
        // It may hold as much before the launch, and as much that is not written yet after it.
        let surely = (bytes - 2.0 * cache).max(0.0);
        let minimum = "each sector of tree, rays and hits once, less what the cache may hold before and after";
        self.add(Limit::Dram, share * surely / per_s, minimum, &doubts);
        doubts.push("caches are empty before, and everything is written in the end".to_string());
        self.add(Limit::DramCold, share * bytes / per_s, "", &doubts);
        if let Some(traffic) = self.subject.traffic {
            // What had been dropped comes again for each ray; what comes once comes once a launch.
            let again = 32.0 * traffic.again as f64 / traffic.rays as f64 * rays;
            doubts.push("a cache without ways that drops what was used longest ago, warps round robin".to_string());
            self.add(Limit::DramLru, share * (bytes + again) / per_s, "", &doubts);
        }
    }

    fn l2(&mut self) {
        let (Some(traffic), Some(per_clock)) = (self.subject.traffic, self.machine.get(keys::L2_BYTES_PER_CLOCK))
        else {
            return;
        };
        let seconds = self.rays() * traffic.l2_bytes_per_ray() / (per_clock * self.machine.clock_hz());
        let doubts =
            vec!["first caches without ways that drop what was used longest ago, warps round robin".to_string()];
        self.add(Limit::L2, seconds, "", &doubts);
    }

    /// Adds the bound by latency, for as many warps as the kernel's resources allow, or as the machine holds where
    /// these are not known.
    fn latency(&mut self) {
        let subject = self.subject;
        let (warps, issued) = match (subject.instructions, subject.launch) {
            (Some(issued), Some(launch)) => match self.machine.occupancy(launch) {
                Ok(occupancy) => (f64::from(occupancy.warps), Some(issued)),
                Err(_) => return,
            },
            (Some(_), None) => return,
            (None, _) => (self.machine.need(keys::RESIDENT_WARPS), None),
        };
        let Some((clocks, of)) = warp_clocks(self.machine, subject.variant, subject.profile, issued) else { return };
        let resident = warps * self.width_factor() * self.machine.need(keys::SM_COUNT);
        let seconds = clocks / self.machine.clock_hz() / resident;
        let doubts =
            issued.map_or_else(|| vec!["as many warps as the machine holds".into()], |issued| self.cost_doubts(issued));
        let chains = match of {
            ChainOf::Code => CHAINS_OF_CODE,
            ChainOf::Algorithm => "chains the shortest that any code can have",
        };
        let means = vec![format!("latencies are means that were measured or said, {chains}")];
        self.add(Limit::Latency, seconds, "", &[self.count_doubts(true), doubts, means].concat());
    }
}

/// Returns `true` if the nodes that a ray visits depend on the other rays of its warp, and so may be more than it
/// needs.
pub fn visits_what_others_do(variant: &Variant) -> bool {
    let by_loop = match variant.traversal_loop() {
        TraversalLoop::Packet | TraversalLoop::Phased => true,
        TraversalLoop::WhileWhile | TraversalLoop::IfIf | TraversalLoop::WhileIf => false,
        // By what is put aside.
        TraversalLoop::SpeculativeWhileWhile | TraversalLoop::SpeculativeIfIf | TraversalLoop::IfWhile => false,
    };
    by_loop || variant.postpone() > 0
}

#[cfg(test)]
mod tests;
