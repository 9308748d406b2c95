//! Measurement of all subjects that walk one tree.

use super::steps::{self, Steps};
use crate::check::Answers;
use crate::dispute::is_borderline;
use crate::engine::{Encoded, Prepared, Session, refusal, trace};
use crate::rays::RayBatch;
use crate::report::{Row, SceneReport, ViewTimes};
use crate::{BenchError, BenchRequest, BenchWatch, Check, Quartiles, Subject, Target};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CudaError, LaunchBounds};
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatTriangles, Kernels, Ray, TraceError};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use std::collections::HashMap;

/// Data that the subjects on one tree share.
pub(super) struct OnTree<'a> {
    pub target: &'a Target,
    pub session: &'a mut dyn Session,
    pub triangles: &'a FlatTriangles,
    pub bvh: &'a Bvh2,
    pub tree: usize,
    pub batches: &'a [RayBatch],
    /// Both halves of each batch, if halves are timed, too.
    pub halves: &'a [Option<[RayBatch; 2]>],
    pub request: &'a BenchRequest,
    pub watch: &'a BenchWatch<'a>,
    /// Answers of each reference tracer to the checked rays of each batch.
    pub references: HashMap<Variant, Vec<Answers>>,
}

impl OnTree<'_> {
    /// Measures all subjects that walk this tree; as many groups are encoded at once as memory allows.
    pub fn subjects(
        &mut self,
        subjects: &[Subject],
        steps: &mut Steps<'_>,
        report: &mut SceneReport,
    ) -> Result<(), BenchError> {
        let (target, bvh, triangles) = (self.target, self.bvh, self.triangles);
        for some in target.groups(subjects).chunks(target.encoded_at_once(triangles.len())) {
            if self.watch.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            let encode = |group: &Vec<Subject>| target.encode(&group[0], bvh, triangles);
            let encoded: Vec<Result<Encoded, BenchError>> = some.par_iter().map(encode).collect();
            for (group, encoded) in some.iter().zip(encoded) {
                match encoded {
                    Ok(encoded) => self.group(group, &encoded, steps, report)?,
                    Err(error) => {
                        self.leave_out(group, error, report)?;
                        steps.add(steps::of(group, self.request));
                    }
                }
            }
        }
        Ok(())
    }

    /// Measures the subjects that walk one encoding of the tree, each with all of its launch bounds.
    fn group(
        &mut self,
        group: &[Subject],
        encoded: &Encoded,
        steps: &mut Steps<'_>,
        report: &mut SceneReport,
    ) -> Result<(), BenchError> {
        for subject in group {
            for bounds in &steps::bounds(subject, self.request) {
                let prepared = self.prepare(subject, bounds, encoded);
                if let Err(error) = prepared.and_then(|prepared| self.subject(subject, bounds, &prepared, report)) {
                    report.skipped.push((*subject, refusal(&error).ok_or(error)?));
                }
                steps.add(1);
            }
        }
        Ok(())
    }

    fn prepare(&self, subject: &Subject, bounds: &LaunchBounds, encoded: &Encoded) -> Result<Prepared, BenchError> {
        self.target.prepare(subject, bounds, encoded, (self.bvh, self.triangles), self.request.width)
    }

    /// Leaves out subjects whose tree cannot hold the scene, because of `error`, and measures the replacement kernel
    /// instead, if there is one.
    fn leave_out(&mut self, group: &[Subject], error: BenchError, report: &mut SceneReport) -> Result<(), BenchError> {
        // Where that cannot hold the scene either the reason is the first one's.
        let encode = |wide: Subject| Some((wide, self.target.encode(&wide, self.bvh, self.triangles).ok()?));
        let instead = instead_of(group, &error, self, report).and_then(encode);
        let mut why = refusal(&error).ok_or(error)?;
        if let Some((wide, _)) = &instead {
            why += &format!("; {} is measured instead", wide.name());
        }
        report.skipped.extend(group.iter().map(|subject| (*subject, why.clone())));
        if let Some((wide, encoded)) = instead {
            for bounds in &steps::bounds(&wide, self.request) {
                let prepared = self.prepare(&wide, bounds, &encoded)?;
                self.subject(&wide, bounds, &prepared, report)?;
            }
        }
        Ok(())
    }

    /// Measures one subject on the rays of all columns.
    pub fn subject(
        &mut self,
        subject: &Subject,
        bounds: &LaunchBounds,
        prepared: &Prepared,
        report: &mut SceneReport,
    ) -> Result<(), BenchError> {
        let reference = subject.reference();
        self.refer(&reference)?;
        for (column, what) in self.request.columns.iter().enumerate() {
            let mut row = Row {
                subject: *subject,
                bounds: *bounds,
                tree: self.tree,
                column,
                views: Vec::new(),
                check: Check::default(),
                kernels: Kernels::default(),
                resources: self.session.resources(prepared, what.rays.is_any())?,
            };
            for (index, batch) in self.batches.iter().enumerate().filter(|(_, batch)| batch.column == column) {
                let mut times = Vec::with_capacity(self.request.runs as usize);
                for run in 0..self.request.warmup + self.request.runs.max(1) {
                    if self.watch.is_cancelled() {
                        return Err(TraceError::Cancelled.into());
                    }
                    let seconds = self.session.run(prepared, batch)?;
                    if run >= self.request.warmup {
                        times.push(seconds);
                    }
                }
                let seconds = Quartiles::of(&times);
                let start_and_tail = self.start_and_tail(prepared, index, seconds.median)?;
                let (answers, kernels) = self.session.answers(prepared, batch)?;
                row.kernels += kernels;
                let step = self.request.check.step(batch.rays.len());
                let mut check = Check::default();
                let expected = &self.references[&reference][index];
                let own_test = subject.has_own_tree();
                check.add(
                    &answers,
                    expected,
                    step,
                    &batch.watertight,
                    self.triangles.bounds().diagonal(),
                    own_test,
                    |example| {
                        let (ray, test) = (&batch.rays[example.ray as usize], reference.triangle());
                        is_borderline(self.triangles, ray, test, example.got, example.want)
                    },
                );
                row.check += check;
                row.views.push(ViewTimes {
                    view: batch.view,
                    rays: batch.rays.len() as u64,
                    seconds,
                    sort_seconds: batch.sort,
                    rays_hash: batch.hash,
                    check,
                    start_and_tail,
                });
            }
            report.rows.push(row);
        }
        self.watch.say(|| report.progress(self.request.columns.len()));
        Ok(())
    }

    /// Measures the seconds that two launches of half the rays of a batch take more than one of all, which takes
    /// `whole` seconds. Each is timed as often as the whole; the rays of both are those of the whole, so that what
    /// differs is one more start and tail.
    fn start_and_tail(&mut self, prepared: &Prepared, index: usize, whole: f64) -> Result<Option<f64>, BenchError> {
        let Some([first, second]) = self.halves.get(index).and_then(Option::as_ref) else { return Ok(None) };
        let mut sum = 0.0;
        for half in [first, second] {
            let mut times = Vec::with_capacity(self.request.runs as usize);
            for run in 0..1 + self.request.runs.max(1) {
                if self.watch.is_cancelled() {
                    return Err(TraceError::Cancelled.into());
                }
                let seconds = self.session.run(prepared, half)?;
                if run > 0 {
                    times.push(seconds);
                }
            }
            sum += Quartiles::of(&times).median;
        }
        // Noise may make it less than nothing.
        Ok(Some((sum - whole).max(0.0)))
    }

    /// Computes the answers of the subject's reference tracer, unless they are there already.
    fn refer(&mut self, reference: &Variant) -> Result<(), BenchError> {
        if self.references.contains_key(reference) {
            return Ok(());
        }
        let kernel = Kernel::new(reference, self.bvh, self.triangles)?;
        let tracer = FamilyTracer::new(kernel, Execution::Scalar)?;
        let control = Control { cancel: self.watch.cancel, progress: None };
        let answers = |batch: &RayBatch| {
            let step = self.request.check.step(batch.rays.len());
            if step == 1 {
                return trace(&tracer, &batch.rays, batch.any, &control);
            }
            let sample: Vec<Ray> = batch.rays.iter().copied().step_by(step).collect();
            trace(&tracer, &sample, batch.any, &control)
        };
        let answers = self.batches.iter().map(answers).collect::<Result<_, _>>()?;
        self.references.insert(*reference, answers);
        Ok(())
    }
}

/// Returns the kernel to measure in place of `group`, whose tree cannot hold the scene because of `error`. `None` if
/// the user named the whole group, or the kernel is measured on this tree anyway.
fn instead_of(group: &[Subject], error: &BenchError, run: &OnTree<'_>, report: &SceneReport) -> Option<Subject> {
    let (unnamed, wide) = run.request.instead.as_ref()?;
    let farthest = run.triangles.bounds().farthest();
    let is_sure = match wide {
        Subject::Kernel(variant) => CudaError::check_reach(variant, farthest).is_ok(),
        _ => false,
    };
    let is_held = is_sure && matches!(error, BenchError::Cuda(error) if error.is_limit());
    let is_done = report.rows.iter().any(|row| row.subject == *wide && row.tree == run.tree);
    let is_there = run.request.subjects.contains(wide) || is_done;
    (is_held && !is_there && group.iter().any(|subject| unnamed.contains(subject))).then_some(*wide)
}
