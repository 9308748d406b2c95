//! The loop over trees, subjects and batches.

use crate::check::Answers;
use crate::engine::{Session, refusal, trace};
use crate::rays::{RayBatch, make};
use crate::report::{Row, SceneReport, TreeFacts, ViewTimes};
use crate::{BenchError, BenchRequest, Check, Quartiles, Subject, Target, Watch};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatTriangles, Ray, TraceError};
use raywarp_scene::{Scene, flatten};
use raywarp_traverse::{FamilyTracer, Kernel, Machine};
use raywarp_workload::views::View;
use std::collections::HashMap;
use std::time::Instant;

/// Measures a scene, and writes into `report` what is done as soon as it is: it holds good after an error too.
///
/// All triangles count as opaque (AL09 2: the papers' set-up has no textures); those of no area are dropped. A
/// subject that the target cannot run, or whose tree cannot hold the scene, is left out with its reason.
///
/// # Errors
/// [`BenchError`]; `Trace(Cancelled)` when [`Watch::cancel`] became true.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn bench_scene(
    target: &Target,
    scene: Scene,
    views: &[View],
    request: &BenchRequest,
    watch: &Watch<'_>,
    report: &mut SceneReport,
) -> Result<(), BenchError> {
    let start = Instant::now();
    let mut triangles = flatten(&scene)?;
    drop(scene);
    triangles.opaque.fill(true);
    report.triangles = triangles.len();
    let plan = plan(request);
    let Some((first, _)) = plan.first() else { return Ok(()) };
    let bvh = timed_tree(&triangles, first, report)?;
    let batches = {
        let tracer = CpuTracer::new(&bvh, &triangles)?;
        make(views, &triangles, &tracer, request, watch, &report.scene)?
    };
    let mut kept = Some(bvh);
    for (column, total) in report.columns.iter_mut().enumerate() {
        let batches = batches.iter().filter(|batch| batch.column == column);
        let (rays, sort) = batches.fold((0, 0.0), |sum, batch| (sum.0 + batch.rays.len() as u64, sum.1 + batch.sort));
        (total.rays, total.sort_seconds) = (rays, sort);
    }
    watch.say(|| {
        let rays: u64 = report.columns.iter().map(|column| column.rays).sum();
        let seconds = start.elapsed().as_secs_f64();
        format!("{}: {} triangles, {rays} rays, ready in {seconds:.1} s", report.scene, report.triangles)
    });
    let mut session = target.session(request.width)?;
    for (tree, (options, subjects)) in plan.iter().enumerate() {
        // One tree at a time: the first is there already.
        let bvh = match kept.take() {
            Some(bvh) => bvh,
            None => timed_tree(&triangles, options, report)?,
        };
        let mut run = OnTree {
            session: &mut *session,
            triangles: &triangles,
            bvh: &bvh,
            tree,
            batches: &batches,
            request,
            watch,
            references: HashMap::new(),
        };
        for subject in subjects {
            if watch.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            match run.subject(subject, report) {
                Ok(()) => {}
                Err(error) => match refusal(&error) {
                    Some(why) => report.skipped.push((*subject, why)),
                    None => return Err(error),
                },
            }
        }
    }
    report.complete = true;
    Ok(())
}

/// The trees to build, each with the subjects that walk it, in the request's order.
fn plan(request: &BenchRequest) -> Vec<(BuildOptions, Vec<Subject>)> {
    let mut plan: Vec<(BuildOptions, Vec<Subject>)> = Vec::new();
    for build in &request.builds {
        for subject in &request.subjects {
            let options = BuildOptions { max_leaf: build.max_leaf.min(subject.leaf_limit()), ..*build };
            match plan.iter_mut().find(|(known, _)| *known == options) {
                // Two leaf sizes above a tree's limit are one.
                Some((_, subjects)) if subjects.contains(subject) => {}
                Some((_, subjects)) => subjects.push(*subject),
                None => plan.push((options, vec![*subject])),
            }
        }
    }
    plan
}

fn timed_tree(triangles: &FlatTriangles, options: &BuildOptions, report: &mut SceneReport) -> Result<Bvh2, BenchError> {
    let start = Instant::now();
    let bvh = build(triangles, options)?;
    report.trees.push(TreeFacts { options: *options, seconds: start.elapsed().as_secs_f64(), nodes: bvh.nodes.len() });
    Ok(bvh)
}

/// Everything that subjects on one tree share.
struct OnTree<'a> {
    session: &'a mut dyn Session,
    triangles: &'a FlatTriangles,
    bvh: &'a Bvh2,
    tree: usize,
    batches: &'a [RayBatch],
    request: &'a BenchRequest,
    watch: &'a Watch<'a>,
    /// For each reference its answers to the checked rays of each batch.
    references: HashMap<Variant, Vec<Answers>>,
}

impl OnTree<'_> {
    /// Measures one subject in all columns.
    fn subject(&mut self, subject: &Subject, report: &mut SceneReport) -> Result<(), BenchError> {
        self.session.set_up(subject, self.bvh, self.triangles)?;
        let reference = subject.reference();
        self.refer(&reference)?;
        for (column, what) in self.request.columns.iter().enumerate() {
            let mut row = Row {
                subject: *subject,
                tree: self.tree,
                column,
                views: Vec::new(),
                check: Check::default(),
                resources: self.session.resources(what.kind.is_any())?,
            };
            for (index, batch) in self.batches.iter().enumerate().filter(|(_, batch)| batch.column == column) {
                let mut times = Vec::with_capacity(self.request.runs as usize);
                for run in 0..self.request.warmup + self.request.runs.max(1) {
                    if self.watch.is_cancelled() {
                        return Err(TraceError::Cancelled.into());
                    }
                    let seconds = self.session.run(batch)?;
                    if run >= self.request.warmup {
                        times.push(seconds);
                    }
                }
                let answers = self.session.answers(batch)?;
                let step = self.request.check.step(batch.rays.len());
                let mut check = Check::default();
                check.add(&answers, &self.references[&reference][index], step, &batch.watertight);
                row.check += check;
                row.views.push(ViewTimes {
                    view: batch.view,
                    rays: batch.rays.len() as u64,
                    seconds: Quartiles::of(&times),
                    sort_seconds: batch.sort,
                    check,
                });
            }
            report.rows.push(row);
        }
        self.watch.say(|| report.progress(self.request.columns.len()));
        Ok(())
    }

    /// Makes sure that the reference's answers are there.
    fn refer(&mut self, reference: &Variant) -> Result<(), BenchError> {
        if self.references.contains_key(reference) {
            return Ok(());
        }
        let kernel = Kernel::new(reference, self.bvh, self.triangles)?;
        let tracer = FamilyTracer::new(kernel, Machine::Scalar)?;
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
