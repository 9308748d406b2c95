//! Measurement of a scene: the loop over trees, subjects and batches.

use crate::check::Answers;
use crate::dispute::is_borderline;
use crate::engine::{Encoded, Prepared, Session, refusal, trace};
use crate::rays::{RayBatch, make};
use crate::report::{Row, SceneReport, TreeFacts, ViewTimes};
use crate::{BenchError, BenchRequest, Check, Clocks, Quartiles, RaySource, Subject, Target, Watch};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Bvh2, build_with_choice};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{CudaError, LaunchBounds};
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatTriangles, Kernels, Ray, TraceError};
use raywarp_scene::{Description, flatten};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use std::collections::HashMap;
use std::time::Instant;

/// Benchmarks a scene, and writes each result into `report` at once, so that the report is valid after an error, too.
///
/// All triangles count as opaque (AL09 2: the papers' set-up has no textures); those of no area are dropped. A
/// subject that the target cannot run, or whose tree cannot hold the scene, is left out with its reason.
///
/// # Errors
/// [`BenchError`]; `Trace(Cancelled)` when [`Watch::cancel`] became true.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`], or `source` is not what the request's columns say.
pub fn bench_scene(
    target: &Target,
    scene: Description,
    source: RaySource<'_>,
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
    // A peer has no bounds to choose.
    let bounds = |subject: &Subject| match subject.has_own_tree() {
        true => vec![LaunchBounds::default()],
        false => request.bounds.clone(),
    };
    let (mut done, all) =
        (0, plan.iter().flat_map(|(_, subjects)| subjects).map(|subject| bounds(subject).len()).sum());
    let bvh = timed_tree(&triangles, first, report)?;
    let batches = {
        let tracer = CpuTracer::new(&bvh, &triangles)?;
        make(source, &triangles, &tracer, request, watch, &report.scene)?
    };
    let free = batches.iter().map(|batch| batch.id + 1).max().unwrap_or(0);
    let halves: Vec<Option<[RayBatch; 2]>> =
        if request.halves { batches.iter().map(|batch| batch.halves(free)).collect() } else { Vec::new() };
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
    let mut session = target.session()?;
    let diagonal = triangles.bounds().diagonal();
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
            diagonal,
            batches: &batches,
            halves: &halves,
            request,
            watch,
            references: HashMap::new(),
        };
        for some in target.groups(subjects).chunks(target.encoded_at_once(triangles.len())) {
            if watch.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            let encode = |group: &Vec<Subject>| target.encode(&group[0], &bvh, &triangles);
            let encoded: Vec<Result<Encoded, BenchError>> = some.par_iter().map(encode).collect();
            for (group, encoded) in some.iter().zip(encoded) {
                let encoded = match encoded {
                    Ok(encoded) => encoded,
                    Err(error) => {
                        // Where that cannot hold the scene either the reason is the first one's.
                        let instead = instead_of(group, &error, &run, report)
                            .and_then(|wide| Some((wide, target.encode(&wide, &bvh, &triangles).ok()?)));
                        let mut why = refusal(&error).ok_or(error)?;
                        if let Some((wide, _)) = &instead {
                            why += &format!("; {} is measured instead", wide.name());
                        }
                        report.skipped.extend(group.iter().map(|subject| (*subject, why.clone())));
                        if let Some((wide, encoded)) = instead {
                            for bounds in &bounds(&wide) {
                                let prepared =
                                    target.prepare(&wide, bounds, &encoded, (&bvh, &triangles), request.width)?;
                                run.subject(&wide, bounds, &prepared, report)?;
                            }
                        }
                        done += group.iter().map(|subject| bounds(subject).len()).sum::<usize>();
                        watch.progress(done, all);
                        continue;
                    }
                };
                for (subject, bounds) in
                    group.iter().flat_map(|subject| bounds(subject).into_iter().map(move |bounds| (subject, bounds)))
                {
                    let bounds = &bounds;
                    let prepared = target.prepare(subject, bounds, &encoded, (&bvh, &triangles), request.width);
                    if let Err(error) = prepared.and_then(|prepared| run.subject(subject, bounds, &prepared, report)) {
                        report.skipped.push((*subject, refusal(&error).ok_or(error)?));
                    }
                    done += 1;
                    watch.progress(done, all);
                }
            }
        }
    }
    report.clocks = target.is_gpu().then(Clocks::read).flatten();
    report.complete = true;
    Ok(())
}

/// Returns the kernel to measure in place of `group`, whose tree cannot hold the scene because of `error`; `None` if
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

/// Returns the trees to build, each with the subjects that walk it, in the request's order.
fn plan(request: &BenchRequest) -> Vec<(BuildOptions, Vec<Subject>)> {
    let mut plan: Vec<(BuildOptions, Vec<Subject>)> = Vec::new();
    for build in &request.builds {
        for subject in &request.subjects {
            if subject.has_own_tree() && plan.iter().any(|(_, all)| all.contains(subject)) {
                continue;
            }
            let options = build.with_leaf_limit(subject.leaf_limit());
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
    let (bvh, taken) = build_with_choice(triangles, options)?;
    let seconds = start.elapsed().as_secs_f64();
    report.trees.push(TreeFacts { options: *options, builder: taken.builder, seconds, nodes: bvh.nodes.len() });
    Ok(bvh)
}

/// Data that the subjects on one tree share.
struct OnTree<'a> {
    session: &'a mut dyn Session,
    triangles: &'a FlatTriangles,
    bvh: &'a Bvh2,
    tree: usize,
    diagonal: f32,
    batches: &'a [RayBatch],
    /// Both halves of each batch, if halves are timed, too.
    halves: &'a [Option<[RayBatch; 2]>],
    request: &'a BenchRequest,
    watch: &'a Watch<'a>,
    /// Answers of each reference tracer to the checked rays of each batch.
    references: HashMap<Variant, Vec<Answers>>,
}

impl OnTree<'_> {
    /// Measures one subject on the rays of all columns.
    fn subject(
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
                check.add(&answers, expected, step, &batch.watertight, self.diagonal, own_test, |example| {
                    let (ray, test) = (&batch.rays[example.ray as usize], reference.triangle());
                    is_borderline(self.triangles, ray, test, example.got, example.want)
                });
                row.check += check;
                row.views.push(ViewTimes {
                    view: batch.view,
                    rays: batch.rays.len() as u64,
                    seconds,
                    sort_seconds: batch.sort,
                    check,
                    start_and_tail,
                });
            }
            report.rows.push(row);
        }
        self.watch.say(|| report.progress(self.request.columns.len()));
        Ok(())
    }

    /// Returns the seconds that two launches of half a batch take more than one launch of all, which takes `whole`
    /// seconds. Each is timed as often as the whole; the rays of both are those of the whole, so that what differs is
    /// one more start and tail.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckSize, Column, RayOrder};
    use raywarp_geom::{BatchStats, Candidate, Hit, HitKey, RayCost, Tracer, TriangleMesh};
    use raywarp_scene::views::View;
    use raywarp_scene::{Camera, Description, FaceMaterials, Instance, Material, Mesh};
    use raywarp_workload::rays::{RayKind, Workload};

    /// Returns a bumpy floor with some plates above it.
    fn scene() -> Description {
        let mut scene = Description::default();
        let material = scene.add_material(Material::diffuse("grey", [0.5; 3]));
        let mut mesh = TriangleMesh::default();
        let height = |x: i32, z: i32| (x * 7 + z * 13).rem_euclid(5) as f32 * 0.1;
        for z in -8..8 {
            for x in -8..8 {
                let lift = if (x + 3 * z) % 7 == 0 { 2.0 } else { 0.0 };
                let first = mesh.positions.len() as u32;
                for [dx, dz] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
                    mesh.positions.push([(x + dx) as f32, height(x + dx, z + dz) + lift, (z + dz) as f32]);
                }
                mesh.indices.extend([[first, first + 1, first + 2], [first + 1, first + 3, first + 2]]);
            }
        }
        let mesh =
            scene.add_mesh(Mesh { name: "floor".into(), triangles: mesh, materials: FaceMaterials::Uniform(material) });
        scene.instances.push(Instance { mesh, transform: raywarp_geom::Affine::IDENTITY, material: None });
        scene
    }

    fn views() -> Vec<View> {
        let view = |eye| {
            let camera = Camera::look_at(eye, [0.0; 3], [0.0, 1.0, 0.0], 60.0).unwrap();
            View { camera, ao_radius: None }
        };
        vec![view([4.0, 5.0, 6.0]), view([-6.0, 4.0, 1.0])]
    }

    fn request(subjects: &[&str]) -> BenchRequest {
        BenchRequest {
            workload: Workload::Raywarp,
            rays_per_pixel: Some(2),
            columns: RayKind::ALL.map(|kind| Column::of(kind, RayOrder::Workload)).to_vec(),
            size: [32, 24],
            one_launch: false,
            subjects: subjects.iter().map(|text| text.parse().unwrap()).collect(),
            instead: None,
            builds: vec![BuildOptions::default()],
            bounds: vec![LaunchBounds::default()],
            width: 32,
            warmup: 0,
            runs: 2,
            check: CheckSize::All,
            halves: false,
        }
    }

    fn measured(request: &BenchRequest) -> SceneReport {
        let mut report = SceneReport::new("floor", &Target::Cpu, vec![1, 2], request);
        bench_scene(&Target::Cpu, scene(), RaySource::Views(&views()), request, &Watch::default(), &mut report)
            .unwrap();
        report
    }

    #[test]
    fn all_papers_kernels_are_measured_on_trees_that_hold_them() {
        let names: Vec<&str> = ["cpu"].into_iter().chain(raywarp_family::papers().iter().map(|row| row.name)).collect();
        let report = measured(&request(&names));
        assert!(report.complete && report.passes() && report.skipped.is_empty(), "{:?}", report.skipped);
        assert_eq!(report.rows.len(), 3 * names.len());
        assert!(report.trees.len() >= 2 && report.trees[0].options.max_leaf == 8);
        let hits = |row: &Row| (row.check.rays, row.check.hits);
        for row in &report.rows {
            let first = report.rows.iter().find(|other| other.column == row.column).unwrap();
            assert_eq!(hits(row).0, hits(first).0);
            assert!(hits(row).1.abs_diff(hits(first).1) <= 2, "{}", row.subject);
            assert!(row.views.len() == 2 && row.mega_rates().median > 0.0);
        }
        let primary = &report.rows[0].check;
        assert!(primary.rays == 2 * 32 * 24 && primary.checked == primary.rays && primary.hits > primary.rays / 2);
    }

    #[test]
    fn a_kernel_that_needs_a_gpu_is_left_out_with_the_reason() {
        let report = measured(&request(&["direct/while-while/bvh2?sync=implicit", "al09-if-if"]));
        assert_eq!(report.skipped, [("direct/while-while/bvh2?sync=implicit".parse().unwrap(), "needs a GPU".into())]);
        assert_eq!(report.rows.len(), 3);
    }

    #[test]
    fn views_in_one_launch_have_the_same_rays_and_hits() {
        let mut request = request(&["al09-if-if"]);
        let apart = measured(&request);
        request.one_launch = true;
        let together = measured(&request);
        for (a, b) in apart.rows.iter().zip(&together.rows) {
            assert_eq!((a.check, a.views.len(), b.views.len()), (b.check, 2, 1));
        }
    }

    #[test]
    fn halves_are_timed_where_that_is_asked_for_and_change_nothing_else() {
        let mut request = request(&["al09-if-if"]);
        let whole = measured(&request);
        request.halves = true;
        let halved = measured(&request);
        for (a, b) in whole.rows.iter().zip(&halved.rows) {
            assert_eq!((a.check, a.rays(), a.start_and_tail()), (b.check, b.rays(), None));
            assert!(b.start_and_tail().is_none_or(|seconds| seconds >= 0.0));
            // Of fewer than two chunks there are no halves.
            for view in &b.views {
                assert_eq!(view.start_and_tail.is_some(), view.rays >= 768, "{view:?}");
            }
        }
    }

    #[test]
    fn orders_change_neither_rays_nor_hits() {
        let mut request = request(&["cpu"]);
        request.columns = [RayOrder::Workload, RayOrder::Morton, RayOrder::Shuffled]
            .map(|order| Column::of(RayKind::Diffuse, order))
            .to_vec();
        let report = measured(&request);
        let seen: Vec<_> = report.rows.iter().map(|row| (row.check.rays, row.check.hits)).collect();
        assert_eq!(seen, [seen[0]; 3]);
        assert!(report.columns[1].sort_seconds > 0.0 && report.columns[2].sort_seconds == 0.0);
    }

    #[test]
    fn given_rays_are_measured_and_checked_as_those_of_a_workload() {
        use crate::RaySet;
        let mut request = request(&["cpu", "al09-while-while", "ykl17"]);
        // From above the floor down onto it, and some to a point above it.
        let down = |i: i32| Ray::new([(i % 40) as f32 * 0.3 - 6.0, 9.0, (i / 40) as f32 * 0.3 - 6.0], [0.1, -1.0, 0.2]);
        let rays: Vec<Ray> = (0..1600).map(down).collect();
        let short: Vec<Ray> = rays.iter().map(|ray| ray.with_interval(0.5, 8.0)).collect();
        let set = |name: &str, any| RaySet::File { name: name.to_string(), any };
        let column = |rays, order| Column { rays, order };
        for order in [RayOrder::Workload, RayOrder::Morton, RayOrder::Shuffled] {
            request.columns = vec![column(set("down", false), order), column(set("shadow-short", true), order)];
            let mut report = SceneReport::new("floor", &Target::Cpu, Vec::new(), &request);
            let source = RaySource::Lists(vec![rays.clone(), short.clone()]);
            bench_scene(&Target::Cpu, scene(), source, &request, &Watch::default(), &mut report).unwrap();
            assert!(report.passes() && report.skipped.is_empty());
            assert_eq!(report.rows.len(), 2 * 3);
            let hits = |row: &Row| (row.check.checked, row.check.hits);
            // The short ones end above the lower part of the floor.
            let (all, ended) = (hits(&report.rows[0]), hits(&report.rows[1]));
            assert!(all.0 == 1600 && ended.0 == 1600 && all.1 > ended.1 && ended.1 > 0, "{all:?} {ended:?}");
            assert_eq!(report.columns[0].sort_seconds > 0.0, order == RayOrder::Morton);
            let text = crate::text(&report, crate::table::Room::Any);
            assert!(text.starts_with("floor: 512 triangles; rays of 2 files; ") && text.contains("together"), "{text}");
            let csv = crate::csv(&[report.clone()]);
            let name = if order == RayOrder::Workload { "file" } else { order.name() };
            assert!(csv.contains(&format!("\nfloor,file,shadow-short,{name},all,al09-while-while,")), "{csv}");
            assert!(csv.lines().nth(2).is_some_and(|line| line.ends_with(",any")), "{csv}");
            let json = crate::json(&[report], &crate::MachineFacts::default(), "");
            let scene = &json["scenes"][0];
            assert_eq!((&scene["columns"][1]["query"], &scene["size"]), (&"any".into(), &serde_json::Value::Null));
            assert!(scene["together"][2]["mrays"].as_f64().is_some_and(|rate| rate > 0.0), "{scene}");
        }
    }

    #[test]
    fn leaf_sizes_give_a_tree_each_but_no_tree_twice() {
        let mut request = request(&["al09-if-if", "ykl17"]);
        request.columns.truncate(1);
        request.builds = [1, 4, 8].map(|max_leaf| BuildOptions { max_leaf, ..Default::default() }).to_vec();
        let plan: Vec<(u32, usize)> = plan(&request).iter().map(|(tree, all)| (tree.max_leaf, all.len())).collect();
        assert_eq!(plan, [(1, 2), (4, 1), (3, 1), (8, 1)]);
        let report = measured(&request);
        assert_eq!(report.rows.len(), 5);
    }

    #[test]
    fn a_peer_with_a_tree_of_its_own_is_measured_once() {
        let mut request = request(&["al09-if-if", "vulkan-rt"]);
        request.builds = [1, 4].map(|max_leaf| BuildOptions { max_leaf, ..Default::default() }).to_vec();
        request.bounds.push(LaunchBounds { block_threads: Some(64), max_registers: None });
        let plan: Vec<usize> = plan(&request).iter().map(|(_, all)| all.len()).collect();
        assert_eq!(plan, [2, 1]);
        let report = measured(&request);
        let peers = report.rows.iter().filter(|row| row.subject == Subject::VulkanRt).count();
        // Its rows, or the reason why there are none.
        match report.skipped.as_slice() {
            [] => assert_eq!(peers, 3),
            [(Subject::VulkanRt, why)] => assert!(why.contains("ulkan") && peers == 0, "{why}"),
            other => panic!("{other:?}"),
        }
        assert!(report.passes());
    }

    /// A tracer that gives one wrong answer, to test the checks.
    struct Liar {
        honest: CpuTracer,
        about: usize,
        /// The wrong answer; `None` to write no answer at all.
        lie: Option<fn(&mut Hit)>,
    }

    impl Tracer for Liar {
        fn closest(
            &self,
            rays: &[Ray],
            after: &[HitKey],
            hits: &mut [Hit],
            instances: &mut [u32],
            control: &Control<'_>,
        ) -> Result<BatchStats, TraceError> {
            let kept = hits[self.about];
            let stats = self.honest.closest(rays, after, hits, instances, control)?;
            match self.lie {
                Some(lie) => lie(&mut hits[self.about]),
                None => hits[self.about] = kept,
            }
            Ok(stats)
        }

        fn any(
            &self,
            rays: &[Ray],
            after: &[HitKey],
            blocked: &mut [u32],
            undecided: &mut Vec<Candidate>,
            control: &Control<'_>,
        ) -> Result<BatchStats, TraceError> {
            let stats = self.honest.any(rays, after, blocked, undecided, control)?;
            blocked[self.about / 32] ^= 1 << (self.about % 32);
            Ok(stats)
        }

        fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
            Err(TraceError::Cancelled)
        }

        fn preferred_batch(&self) -> usize {
            1
        }
    }

    /// Benchmarks the CPU tracer with a wrong answer to one ray, checking every `step`-th ray.
    fn with_lie(kind: RayKind, check: CheckSize, about: usize, lie: Option<fn(&mut Hit)>) -> SceneReport {
        let mut request = request(&["cpu"]);
        (request.check, request.columns) = (check, vec![Column::of(kind, RayOrder::Workload)]);
        let mut report = SceneReport::new("floor", &Target::Cpu, vec![1], &request);
        let triangles = flatten(&scene()).unwrap();
        let bvh = timed_tree(&triangles, &request.builds[0], &mut report).unwrap();
        let tracer = CpuTracer::new(&bvh, &triangles).unwrap();
        let watch = Watch::default();
        let batches = make(RaySource::Views(&views()[..1]), &triangles, &tracer, &request, &watch, "floor").unwrap();
        let mut session = Target::Cpu.session().unwrap();
        // Right answers are there from another subject.
        let honest = Target::Cpu
            .prepare(&Subject::CpuTracer, &LaunchBounds::default(), &Encoded::Own, (&bvh, &triangles), 32)
            .unwrap();
        session.run(&honest, &batches[0]).unwrap();
        let mut run = OnTree {
            session: &mut *session,
            triangles: &triangles,
            bvh: &bvh,
            tree: 0,
            diagonal: triangles.bounds().diagonal(),
            batches: &batches,
            halves: &[],
            request: &request,
            watch: &watch,
            references: HashMap::new(),
        };
        let liar = Prepared::Cpu(Box::new(Liar { honest: tracer, about, lie }));
        run.subject(&Subject::CpuTracer, &LaunchBounds::default(), &liar, &mut report).unwrap();
        report
    }

    #[test]
    fn one_wrong_hit_is_caught() {
        let farther = |hit: &mut Hit| hit.t *= 1.0001;
        let lost = |hit: &mut Hit| *hit = Hit::miss(f32::INFINITY);
        for lie in [Some(farther as fn(&mut Hit)), Some(lost), None] {
            // In the middle of the picture, where the floor is.
            let report = with_lie(RayKind::Primary, CheckSize::All, 400, lie);
            assert_eq!(report.rows[0].check.differ, 1);
            assert!(!report.passes() && super::super::text(&report, crate::table::Room::Any).contains("WRONG"));
        }
        let report = with_lie(RayKind::Ao, CheckSize::All, 77, None);
        assert_eq!((report.rows[0].check.differ, report.rows[0].check.stray, report.passes()), (1, 1, false));
        let honest = |hit: &mut Hit| hit.u = 0.5;
        assert!(with_lie(RayKind::Diffuse, CheckSize::All, 400, Some(honest)).passes());
    }

    #[test]
    fn a_lost_hit_between_the_checked_rays_is_a_stray() {
        let lost = |hit: &mut Hit| *hit = Hit::miss(f32::INFINITY);
        // Every 77th ray is checked.
        let report = with_lie(RayKind::Primary, CheckSize::Sample(10), 400, Some(lost));
        assert_eq!((report.rows[0].check.differ, report.rows[0].check.stray, report.passes()), (0, 1, false));
    }
}
