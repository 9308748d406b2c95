//! A toy tracer through every case, right and with planted bugs.

use crate::common::{BruteForce, Bug};
use raywarp_workload::cases::{Case, cases};
use raywarp_workload::conformance::{ConformanceReport, Expectations, check};
use raywarp_workload::oracle::AnswerFault;
use std::sync::LazyLock;

static CASES: LazyLock<Vec<Case>> = LazyLock::new(cases);

/// Of the cases that a tracer without a tree gets through quickly.
fn reports(bug: Bug, expectations: Expectations) -> impl Iterator<Item = ConformanceReport> {
    CASES.iter().filter(|case| case.triangles.len() < 10_000).map(move |case| {
        let tracer = BruteForce { triangles: &case.triangles, bug };
        check(case, case.oracle(), &tracer, expectations).unwrap()
    })
}

#[test]
fn the_watertight_test_conforms_in_every_case() {
    for case in &*CASES {
        let tracer = BruteForce { triangles: &case.triangles, bug: Bug::None };
        let report = check(case, case.oracle(), &tracer, Expectations::LIBRARY).unwrap();
        assert!(report.passed(), "{report}");
        // Where rays are not aimed at edges or limits, not one needs an excuse.
        let excused = report.closest.excused.len() + report.any.excused.len();
        assert!(case.borderline || excused == 0, "{report}");
    }
}

#[test]
fn a_fast_test_conforms_within_its_wider_distances() {
    let (mut rays, mut excused) = (0, 0);
    for report in reports(Bug::MoellerTrumbore, Expectations::FAST) {
        assert!(report.passed(), "{report}");
        for excused in report.closest.excused.iter().chain(&report.any.excused) {
            assert!(excused.distance <= excused.allowed, "{excused:?}");
        }
        rays += report.closest.rays;
        excused += report.closest.excused.len();
    }
    assert!(excused > 0 && (excused as f64) < 0.05 * rays as f64, "{excused} of {rays}");
}

fn kinds(reports: impl Iterator<Item = ConformanceReport>) -> impl Iterator<Item = (&'static str, AnswerFault)> {
    reports.flat_map(|report| {
        let case = report.case;
        let verdicts = [Some(report.closest), Some(report.any), report.after];
        verdicts.into_iter().flatten().flat_map(|v| v.faults).map(move |fault| (case, fault.kind))
    })
}

#[track_caller]
fn caught(bug: Bug, expectations: Expectations, kind: AnswerFault) {
    let found = kinds(reports(bug, expectations)).any(|(_, found)| found == kind);
    assert!(found, "{bug:?} with {expectations:?} gives no {kind:?}");
}

#[test]
fn planted_bugs_are_caught() {
    use AnswerFault::{
        BadCandidate, Farther, InvalidRay, LostCandidate, Missed, NotBlocked, OffTriangle, OutsideInterval, Unblocked,
        UnknownTriangle, UntidyMiss, WrongT, WrongWeights,
    };
    // With either tolerance.
    let bugs = [
        (Bug::DropsEvery50thTriangle, Missed),
        (Bug::DropsEvery50thTriangle, Farther),
        (Bug::DropsEvery50thTriangle, Unblocked),
        (Bug::IgnoresTMax, OutsideInterval),
        (Bug::IgnoresTMax, NotBlocked),
        (Bug::IgnoresTMin, OutsideInterval),
        (Bug::ReturnsTheSecondHit, Farther),
        (Bug::ReportsAnotherPrimitive, OffTriangle),
        (Bug::ReportsAnotherPrimitive, UnknownTriangle),
        (Bug::ReportsAnotherInstance, UnknownTriangle),
        (Bug::GrowsTriangles, OffTriangle),
        (Bug::RoundsT, WrongT),
        (Bug::NeverBlocked, Unblocked),
        (Bug::BlockedByNonOpaque, NotBlocked),
        (Bug::TracesInvalidRays, InvalidRay),
        (Bug::HidesOneCandidate, LostCandidate),
        (Bug::SwapsWeights, WrongWeights),
        (Bug::LeavesGarbageInMisses, UntidyMiss),
    ];
    for (bug, kind) in bugs {
        caught(bug, Expectations::LIBRARY, kind);
        caught(bug, Expectations::FAST, kind);
    }
    caught(Bug::LeavesOldCandidates, Expectations::LIBRARY, BadCandidate);
}

#[test]
fn bugs_against_what_only_library_queries_promise_are_caught() {
    use AnswerFault::{Farther, HigherId, Leaked, Missed, NotAfter};
    let library = Expectations::LIBRARY;
    caught(Bug::PrefersTheHigherId, library, HigherId);
    caught(Bug::IgnoresAfter, library, NotAfter);
    caught(Bug::PassesOverCopies, library, Farther);
    caught(Bug::PassesOverCopies, library, Missed);
    // In exact cases, and at shared edges of others.
    for (bug, case, kind) in [
        (Bug::LosesHitsOnLimits, "limits", Missed),
        (Bug::LosesHitsOnEdges, "grid_lines", Missed),
        (Bug::LosesHitsOnEdges, "axis_parallel", Missed),
        (Bug::MoellerTrumbore, "ball_edges", Leaked),
    ] {
        let found = kinds(reports(bug, library).filter(|report| report.case == case)).any(|(_, found)| found == kind);
        assert!(found, "{bug:?} in {case} gives no {kind:?}");
    }
}

#[test]
fn invalid_rays_must_be_counted() {
    let report = reports(Bug::ForgetsToCountInvalidRays, Expectations::FAST).find(|r| r.case == "invalid").unwrap();
    assert!(!report.passed() && report.complaints.len() == 2, "{report}");
}
