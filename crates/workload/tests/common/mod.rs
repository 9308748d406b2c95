//! A toy tracer: every triangle in f32, optionally with a bug.

use raywarp_geom::triangle::{Watertight, moeller_trumbore};
use raywarp_geom::{
    BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, KernelName, Ray, RayCost, TraceError, Tracer,
};

/// What is wrong with the tracer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    None,
    /// Not a bug: another triangle test.
    MoellerTrumbore,
    DropsEvery50thTriangle,
    IgnoresTMax,
    IgnoresTMin,
    ReturnsTheSecondHit,
    ReportsAnotherPrimitive,
    ReportsAnotherInstance,
    PrefersTheHigherId,
    GrowsTriangles,
    RoundsT,
    NeverBlocked,
    BlockedByNonOpaque,
    TracesInvalidRays,
    ForgetsToCountInvalidRays,
    HidesOneCandidate,
    SwapsWeights,
    LeavesGarbageInMisses,
    /// Edges belong to no triangle.
    LosesHitsOnEdges,
    /// `t_min` and `t_max` themselves do not count.
    LosesHitsOnLimits,
    /// The list of candidates is not cleared.
    LeavesOldCandidates,
    IgnoresAfter,
    PassesOverCopies,
}

pub struct BruteForce<'a> {
    pub triangles: &'a FlatTriangles,
    pub bug: Bug,
}

impl BruteForce<'_> {
    /// All hits in (t, instance, primitive) order.
    fn hits(&self, ray: &Ray) -> Vec<(Hit, u32, bool)> {
        if !ray.is_valid() {
            let garbage = self.bug == Bug::TracesInvalidRays && !self.triangles.is_empty();
            return if garbage { vec![(Hit { t: 0.0, u: 0.0, v: 0.0, primitive: 0 }, 0, true)] } else { vec![] };
        }
        let (test, t) = (Watertight::new(ray), self.triangles);
        let mut hits = Vec::new();
        for i in 0..t.len() {
            if self.bug == Bug::DropsEvery50thTriangle && i % 50 == 7 {
                continue;
            }
            let mut v = t.vertices[i];
            if self.bug == Bug::GrowsTriangles {
                for axis in 0..3 {
                    let center = (v[0][axis] + v[1][axis] + v[2][axis]) / 3.0;
                    for corner in &mut v {
                        corner[axis] += 0.05 * (corner[axis] - center);
                    }
                }
            }
            let found = if self.bug == Bug::MoellerTrumbore { moeller_trumbore(ray, &v) } else { test.test(&v) };
            let Some([mut t_hit, u, v]) = found else { continue };
            if self.bug == Bug::RoundsT {
                t_hit = f32::from_bits(t_hit.to_bits() & !0xFFF);
            }
            if self.bug == Bug::LosesHitsOnEdges && (u == 0.0 || v == 0.0 || u + v == 1.0) {
                continue;
            }
            if self.bug == Bug::LosesHitsOnLimits && (t_hit == ray.t_min || t_hit == ray.t_max) {
                continue;
            }
            let low = self.bug == Bug::IgnoresTMin || ray.t_min <= t_hit;
            let high = self.bug == Bug::IgnoresTMax || t_hit <= ray.t_max;
            if low && high {
                let hit = Hit { t: t_hit, u, v, primitive: t.ids[i].primitive };
                hits.push((hit, t.ids[i].instance, t.opaque[i]));
            }
        }
        let order = |h: &(Hit, u32, bool)| (h.0.t, h.1, h.0.primitive);
        hits.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap());
        if self.bug == Bug::PrefersTheHigherId {
            hits.sort_by(|a, b| (a.0.t, b.1, b.0.primitive).partial_cmp(&(b.0.t, a.1, a.0.primitive)).unwrap());
        }
        hits
    }

    fn after<'h>(
        &self,
        hits: &'h [(Hit, u32, bool)],
        after: &'h [HitKey],
        ray: usize,
    ) -> impl Iterator<Item = &'h (Hit, u32, bool)> {
        let key = |h: &(Hit, u32, bool)| HitKey { t: h.0.t, instance: h.1, primitive: h.0.primitive };
        let follows = move |after: &HitKey, h: &(Hit, u32, bool)| match self.bug {
            Bug::IgnoresAfter => true,
            Bug::PassesOverCopies => after.t < h.0.t,
            _ => after.before(&key(h)),
        };
        hits.iter().filter(move |h| after.get(ray).is_none_or(|after| follows(after, h)))
    }

    fn stats(&self, rays: &[Ray]) -> BatchStats {
        let invalid = rays.iter().filter(|ray| !ray.is_valid()).count() as u64;
        let forgets = self.bug == Bug::ForgetsToCountInvalidRays;
        BatchStats::of(KernelName::fixed("every triangle"), rays.len() as u64).with_invalid(if forgets {
            0
        } else {
            invalid
        })
    }
}

impl Tracer for BruteForce<'_> {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        for (i, ray) in rays.iter().enumerate() {
            let all = self.hits(ray);
            let mut found: Vec<_> = self.after(&all, after, i).collect();
            if self.bug == Bug::ReturnsTheSecondHit && i % 20 == 3 && found.len() > 1 {
                found.remove(0);
            }
            let (mut hit, mut instance) = found.first().map_or((Hit::miss(ray.t_max), Hit::MISS), |h| (h.0, h.1));
            if hit.is_hit() && i % 20 == 5 {
                match self.bug {
                    Bug::ReportsAnotherPrimitive => hit.primitive += 1,
                    Bug::ReportsAnotherInstance => instance += 1,
                    Bug::SwapsWeights => (hit.u, hit.v) = (hit.v, hit.u),
                    _ => {}
                }
            }
            if !hit.is_hit() && self.bug == Bug::LeavesGarbageInMisses {
                hit.t = -1.0;
            }
            hits[i] = hit;
            if let Some(slot) = instances.get_mut(i) {
                *slot = instance;
            }
        }
        Ok(self.stats(rays))
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        if self.bug != Bug::LeavesOldCandidates {
            undecided.clear();
        }
        blocked[..rays.len().div_ceil(32)].fill(0);
        for (i, ray) in rays.iter().enumerate() {
            let all = self.hits(ray);
            let found: Vec<_> = self.after(&all, after, i).collect();
            let skips = self.bug == Bug::NeverBlocked && i % 20 == 5;
            if found.iter().any(|h| h.2 || self.bug == Bug::BlockedByNonOpaque) && !skips {
                blocked[i / 32] |= 1 << (i % 32);
            } else if let Some(first) = found.first().filter(|h| !h.2) {
                undecided.push(Candidate { ray: i as u32, instance: first.1, hit: first.0 });
            }
        }
        if self.bug == Bug::HidesOneCandidate {
            undecided.pop();
        }
        Ok(self.stats(rays))
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        costs.fill(RayCost { nodes: 1, triangles: self.triangles.len() as u32 });
        Ok(self.stats(rays))
    }

    fn preferred_batch(&self) -> usize {
        1024
    }
}
