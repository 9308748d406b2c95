//! Judge of the oracle: compares an engine's answers with the facts.

use super::crossing::{Crossing, Line};
use super::facts::{Certain, Facts, interval};
use super::{AnswerFault, Excuse, Excused, Fault, Found, Oracle, OracleHit, Tolerance, Verdict};
use raywarp_geom::{Candidate, FlatTriangles, Hit, HitKey, PrimitiveId, Ray};

/// Judgement of the answer for one ray.
enum Ruling {
    Agrees,
    Excused(Excuse, f64, f64),
    Wrong(AnswerFault),
}

/// Ray with all that its answer is compared with.
struct Bench<'a> {
    oracle: &'a Oracle,
    triangles: &'a FlatTriangles,
    ray: &'a Ray,
    facts: &'a Facts,
    line: Option<Line>,
    tolerance: Tolerance,
}

impl Oracle {
    /// Judges a closest-hit query's answers for the rays that this oracle was made with.
    ///
    /// An answer agrees when both miss, or both hit with t within the larger of
    /// [`Tolerance::RELATIVE_T`] and what rounding leaves of it, whichever triangle of that t it is. The
    /// reported triangle must itself be on the ray at the reported t, and u and v be those of that point.
    /// `instances` is empty where all triangles are of instance 0.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn judge(
        &self,
        triangles: &FlatTriangles,
        rays: &[Ray],
        hits: &[Hit],
        instances: &[u32],
        tolerance: Tolerance,
    ) -> Verdict {
        assert!(hits.len() == rays.len() && (instances.is_empty() || instances.len() == rays.len()));
        self.judge_each(triangles, rays, tolerance, |bench, i| {
            let instance = instances.get(i).copied();
            (bench.rule_closest(&hits[i], instance), found(&hits[i], instance.unwrap_or(0)))
        })
    }

    /// Judges an any-hit query's answers: one bit for each ray in `blocked`, and the candidates in `undecided`.
    ///
    /// Where nothing opaque blocks a ray, the first non-opaque triangle on it must be a candidate, judged
    /// as a closest hit is.
    ///
    /// # Panics
    /// If there are too few words.
    pub fn judge_any(
        &self,
        triangles: &FlatTriangles,
        rays: &[Ray],
        blocked: &[u32],
        undecided: &[Candidate],
        tolerance: Tolerance,
    ) -> Verdict {
        assert!(blocked.len() >= rays.len().div_ceil(32));
        let mut rest = undecided.iter().peekable();
        let mut verdict = self.judge_each(triangles, rays, tolerance, |bench, i| {
            let is_blocked = blocked[i / 32] >> (i % 32) & 1 == 1;
            let candidate = rest.next_if(|candidate| candidate.ray as usize == i);
            let got = match candidate {
                _ if is_blocked => Found::Blocked,
                Some(candidate) => found(&candidate.hit, candidate.instance),
                None => Found::Miss,
            };
            (bench.rule_any(is_blocked, candidate), got)
        });
        if let Some(stray) = rest.next() {
            let got = found(&stray.hit, stray.instance);
            verdict.faults.push(Fault { ray: stray.ray, kind: AnswerFault::BadCandidate, got, wanted: Found::Miss });
        }
        verdict
    }

    /// Judges a closest-hit query that continues after the hits `first` of an earlier query; rays without an earlier
    /// hit are skipped. The answer must come later in (t, instance, primitive) order, be on its triangle, and leave out
    /// nothing that is certain between them, copies of the same triangle among them.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn judge_after(
        &self,
        triangles: &FlatTriangles,
        rays: &[Ray],
        first: &[Option<HitKey>],
        hits: &[Hit],
        instances: &[u32],
        tolerance: Tolerance,
    ) -> Verdict {
        assert!(hits.len() == rays.len() && instances.len() == rays.len() && first.len() == rays.len());
        self.judge_each(triangles, rays, tolerance, |bench, i| {
            let ruling = first[i].map_or(Ruling::Agrees, |key| bench.rule_after(&key, &hits[i], instances[i]));
            (ruling, found(&hits[i], instances[i]))
        })
    }

    /// Returns a fault for each hit that should have had a lower id. That is where the very same triangle is there with
    /// a lower (instance, primitive), and with [`Tolerance::Exact`] wherever another triangle has that t and a lower
    /// id.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn higher_ids(
        &self,
        triangles: &FlatTriangles,
        hits: &[Hit],
        instances: &[u32],
        tolerance: Tolerance,
    ) -> Vec<Fault> {
        assert!(hits.len() == self.facts.len() && instances.len() == hits.len());
        let answers = hits.iter().zip(instances).enumerate().map(|(i, (&hit, &instance))| (i, hit, instance));
        self.higher(triangles, answers, &self.first_copy, |facts| facts.closest, tolerance)
    }

    /// Returns a fault for each candidate of an any-hit query that should have had a lower id, as
    /// [`Oracle::higher_ids`], among triangles of one opacity.
    pub fn higher_candidates(
        &self,
        triangles: &FlatTriangles,
        undecided: &[Candidate],
        tolerance: Tolerance,
    ) -> Vec<Fault> {
        let answers = undecided.iter().map(|c| (c.ray as usize, c.hit, c.instance));
        self.higher(triangles, answers, &self.first_equal, |facts| facts.first_other, tolerance)
    }

    fn higher(
        &self,
        triangles: &FlatTriangles,
        answers: impl Iterator<Item = (usize, Hit, u32)>,
        first: &[u32],
        exact: impl Fn(&Facts) -> Option<OracleHit>,
        tolerance: Tolerance,
    ) -> Vec<Fault> {
        let fault = |(ray, hit, instance): (usize, Hit, u32)| {
            let id = PrimitiveId { instance, primitive: hit.primitive };
            let index = triangles.ids.binary_search(&id).ok()?;
            let exact = self.facts.get(ray).and_then(&exact);
            let exact = exact.filter(|exact| tolerance == Tolerance::Exact && exact.t == f64::from(hit.t));
            let due = exact.map_or(first[index], |exact| exact.index) as usize;
            let wanted = triangles.ids[due];
            let wanted = found(&Hit { primitive: wanted.primitive, ..hit }, wanted.instance);
            let got = found(&hit, instance);
            (due < index).then_some(Fault { ray: ray as u32, kind: AnswerFault::HigherId, got, wanted })
        };
        answers.filter_map(fault).collect()
    }

    fn judge_each(
        &self,
        triangles: &FlatTriangles,
        rays: &[Ray],
        tolerance: Tolerance,
        mut rule: impl FnMut(&Bench<'_>, usize) -> (Ruling, Found),
    ) -> Verdict {
        assert_eq!(rays.len(), self.facts.len(), "the oracle is of other rays");
        let mut verdict = Verdict { rays: rays.len() as u64, ..Verdict::default() };
        for (i, (ray, facts)) in rays.iter().zip(&self.facts).enumerate() {
            let bench = Bench { oracle: self, triangles, ray, facts, line: Line::new(ray), tolerance };
            match rule(&bench, i) {
                (Ruling::Agrees, _) => verdict.agreed += 1,
                (Ruling::Excused(excuse, distance, allowed), _) => {
                    verdict.excused.push(Excused { ray: i as u32, excuse, distance, allowed });
                }
                (Ruling::Wrong(kind), got) => {
                    let wanted = facts.closest.map_or(Found::Miss, |hit| bench.found(hit));
                    verdict.faults.push(Fault { ray: i as u32, kind, got, wanted });
                }
            }
        }
        verdict
    }
}

fn found(hit: &Hit, instance: u32) -> Found {
    if hit.is_hit() { Found::Hit { t: f64::from(hit.t), instance, primitive: hit.primitive } } else { Found::Miss }
}

impl Bench<'_> {
    fn found(&self, hit: OracleHit) -> Found {
        let id = self.triangles.ids[hit.index as usize];
        Found::Hit { t: hit.t, instance: id.instance, primitive: id.primitive }
    }

    fn certain(&self) -> &[Certain] {
        &self.facts.certain[self.tolerance.index()]
    }

    fn index_of(&self, primitive: u32, instance: u32) -> Option<usize> {
        self.triangles.ids.binary_search(&PrimitiveId { instance, primitive }).ok()
    }

    fn crossing(&self, index: usize) -> Option<Crossing> {
        Crossing::new(self.line.as_ref()?, &self.triangles.vertices[index])
    }

    fn rule_closest(&self, hit: &Hit, instance: Option<u32>) -> Ruling {
        let exact = self.facts.closest;
        if !hit.is_hit() {
            let tidy = hit.t.to_bits() == self.ray.t_max.to_bits() || hit.t == self.ray.t_max || hit.t.is_nan();
            if !tidy || instance.is_some_and(|instance| instance != Hit::MISS) {
                return Ruling::Wrong(AnswerFault::UntidyMiss);
            }
            return self.rule_miss(self.certain().first(), self.facts.surrounded, exact);
        }
        if self.line.is_none() {
            return Ruling::Wrong(AnswerFault::InvalidRay);
        }
        let Some(index) = self.index_of(hit.primitive, instance.unwrap_or(0)) else {
            return Ruling::Wrong(AnswerFault::UnknownTriangle);
        };
        if let Some(fault) = self.fault_of(hit, index) {
            return Ruling::Wrong(fault);
        }
        let t = f64::from(hit.t);
        if self.certain().first().is_some_and(|certain| certain.high < t) {
            return Ruling::Wrong(AnswerFault::Farther);
        }
        if self.tolerance == Tolerance::Watertight && self.facts.surrounded < t {
            return Ruling::Wrong(AnswerFault::Leaked);
        }
        self.agreement(t, index, exact)
    }

    fn rule_any(&self, is_blocked: bool, candidate: Option<&Candidate>) -> Ruling {
        let (exact, other) = (self.facts.first_opaque, self.facts.first_other);
        if is_blocked {
            if candidate.is_some() {
                return Ruling::Wrong(AnswerFault::BadCandidate);
            }
            if exact.is_some() {
                return Ruling::Agrees;
            }
            // Which triangle blocked the ray is not said: any that might.
            let excuses = (0..self.triangles.len()).filter(|&i| self.triangles.opaque[i]);
            let excuse = excuses.filter_map(|i| self.excuse(i)).max_by(|a, b| (b.1 / b.2).total_cmp(&(a.1 / a.2)));
            return excuse.map_or(Ruling::Wrong(AnswerFault::NotBlocked), |(e, d, a)| Ruling::Excused(e, d, a));
        }
        let mut certain = self.certain().iter();
        if certain.clone().any(|certain| certain.opaque) {
            return Ruling::Wrong(AnswerFault::Unblocked);
        }
        if self.tolerance == Tolerance::Watertight && self.facts.surrounded_opaque < f64::INFINITY {
            return Ruling::Wrong(AnswerFault::Leaked);
        }
        // What is not blocked but should have been, exactly, is excused even where the candidate is right.
        let unblocked = exact.and_then(|hit| self.excuse(hit.index as usize));
        let ruling = match candidate {
            None if certain.next().is_some() => Ruling::Wrong(AnswerFault::LostCandidate),
            None => self.agreement_of_miss(other),
            Some(candidate) => self.rule_candidate(candidate, other),
        };
        match (ruling, exact, unblocked) {
            (Ruling::Wrong(kind), ..) => Ruling::Wrong(kind),
            (ruling, None, _) => ruling,
            (_, Some(_), Some((excuse, distance, allowed))) => Ruling::Excused(excuse, distance, allowed),
            (_, Some(_), None) => Ruling::Wrong(AnswerFault::Unblocked),
        }
    }

    fn rule_candidate(&self, candidate: &Candidate, other: Option<OracleHit>) -> Ruling {
        let index = self.index_of(candidate.hit.primitive, candidate.instance);
        let Some(index) = index.filter(|&i| !self.triangles.opaque[i] && self.line.is_some()) else {
            return Ruling::Wrong(AnswerFault::BadCandidate);
        };
        if let Some(fault) = self.fault_of(&candidate.hit, index) {
            return Ruling::Wrong(fault);
        }
        let t = f64::from(candidate.hit.t);
        if self.certain().iter().any(|certain| !certain.opaque && certain.high < t) {
            return Ruling::Wrong(AnswerFault::LostCandidate);
        }
        self.agreement(t, index, other)
    }

    fn rule_after(&self, first: &HitKey, hit: &Hit, instance: u32) -> Ruling {
        let Some(index) = self.index_of(first.primitive, first.instance) else { return Ruling::Agrees };
        let t_first = f64::from(first.t);
        // The same corners give the same t: the next copy is at this very t.
        let copy = (index + 1..self.triangles.len())
            .find(|&i| self.oracle.first_copy[i] == self.oracle.first_copy[index])
            .map(|i| self.triangles.ids[i]);
        if !hit.is_hit() {
            let lost = copy.is_some() || self.certain().iter().any(|certain| certain.low > t_first);
            return if lost { Ruling::Wrong(AnswerFault::Missed) } else { Ruling::Agrees };
        }
        let Some(index) = self.index_of(hit.primitive, instance) else {
            return Ruling::Wrong(AnswerFault::UnknownTriangle);
        };
        let key = HitKey::of(hit, instance);
        if !first.before(&key) {
            return Ruling::Wrong(AnswerFault::NotAfter);
        }
        if let Some(fault) = self.fault_of(hit, index) {
            return Ruling::Wrong(fault);
        }
        let passed_over =
            |id: PrimitiveId| HitKey { t: first.t, instance: id.instance, primitive: id.primitive }.before(&key);
        let t = f64::from(hit.t);
        if copy.is_some_and(passed_over) || self.certain().iter().any(|c| c.low > t_first && c.high < t) {
            return Ruling::Wrong(AnswerFault::Farther);
        }
        Ruling::Agrees
    }

    /// Returns the fault of a reported hit taken by itself (its t, weights or triangle), if it has one.
    fn fault_of(&self, hit: &Hit, index: usize) -> Option<AnswerFault> {
        let (t, tolerance) = (f64::from(hit.t), self.tolerance);
        if !(self.ray.t_min <= hit.t && hit.t <= self.ray.t_max) {
            return Some(AnswerFault::OutsideInterval);
        }
        let crossing = self.crossing(index).filter(|crossing| crossing.maybe_inside(tolerance));
        let Some(crossing) = crossing else { return Some(AnswerFault::OffTriangle) };
        let [low, high] = crossing.agreeing(tolerance);
        if !(low <= t && t <= high) {
            return Some(AnswerFault::WrongT);
        }
        (!crossing.weights_agree(hit.u, hit.v, tolerance)).then_some(AnswerFault::WrongWeights)
    }

    fn rule_miss(&self, certain: Option<&Certain>, surrounded: f64, exact: Option<OracleHit>) -> Ruling {
        if certain.is_some() {
            return Ruling::Wrong(AnswerFault::Missed);
        }
        if self.tolerance == Tolerance::Watertight && surrounded < f64::INFINITY {
            return Ruling::Wrong(AnswerFault::Leaked);
        }
        self.agreement_of_miss(exact)
    }

    fn agreement_of_miss(&self, exact: Option<OracleHit>) -> Ruling {
        let Some(exact) = exact else { return Ruling::Agrees };
        match self.excuse(exact.index as usize) {
            Some((excuse, distance, allowed)) => Ruling::Excused(excuse, distance, allowed),
            None => Ruling::Wrong(AnswerFault::Missed),
        }
    }

    /// Judges a hit at `t` on triangle `index`, itself free of faults, against the exact answer.
    fn agreement(&self, t: f64, index: usize, exact: Option<OracleHit>) -> Ruling {
        let agreeing = |index: usize| self.crossing(index).map(|c| c.agreeing(self.tolerance));
        let within = |[low, high]: [f64; 2], t: f64| low <= t && t <= high;
        if let Some(exact) = exact {
            let same = agreeing(exact.index as usize).is_some_and(|range| within(range, t))
                || agreeing(index).is_some_and(|range| within(range, exact.t));
            if same {
                return Ruling::Agrees;
            }
        }
        // They differ over the nearer of both: one says it is hit, the other not.
        let nearer = exact.filter(|exact| exact.t < t).map_or(index, |exact| exact.index as usize);
        match self.excuse(nearer) {
            Some((excuse, distance, allowed)) => Ruling::Excused(excuse, distance, allowed),
            None => Ruling::Wrong(AnswerFault::WrongT),
        }
    }

    /// Returns why rounding may decide whether triangle `index` is hit: the excuse, the distance from the edge or
    /// limit, and the largest allowed.
    fn excuse(&self, index: usize) -> Option<(Excuse, f64, f64)> {
        let tolerance = self.tolerance;
        let crossing = self.crossing(index).filter(|crossing| crossing.maybe_inside(tolerance))?;
        let ([low, high], [t_min, t_max]) = (crossing.range(tolerance), interval(self.ray));
        if high < t_min || low > t_max {
            return None;
        }
        if !crossing.surely_inside(tolerance) {
            return Some((Excuse::Edge, crossing.border(tolerance), crossing.margin(tolerance)));
        }
        let gap = (crossing.t - t_min).abs().min((crossing.t - t_max).abs());
        (low < t_min || high > t_max).then_some((Excuse::Limit, gap, high - low))
    }
}
