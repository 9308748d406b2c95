//! Measurement of a scene: the loop over trees.

mod on_tree;
mod steps;

use crate::rays::{RayBatch, make};
use crate::report::{SceneReport, TreeFacts};
use crate::{BenchError, BenchRequest, BenchWatch, Clocks, DataHash, RaySource, Subject, Target};
use on_tree::OnTree;
use raywarp_bvh::{BuildOptions, Bvh2, build_with_choice};
use raywarp_cpu::CpuTracer;
use raywarp_geom::FlatTriangles;
use raywarp_scene::{Description, flatten};
use std::collections::HashMap;
use std::time::Instant;
use steps::Steps;

/// Benchmarks a scene, and writes each result into `report` at once, so that the report is valid after an error, too.
///
/// All triangles count as opaque (AL09 2: the papers' set-up has no textures); those of no area are dropped. A
/// subject that the target cannot run, or whose tree cannot hold the scene, is left out with its reason.
///
/// # Errors
/// [`BenchError`]; `Trace(Cancelled)` when [`BenchWatch::cancel`] became true.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`], or `source` is not what the request's columns say.
pub fn bench_scene(
    target: &Target,
    scene: Description,
    source: RaySource<'_>,
    request: &BenchRequest,
    watch: &BenchWatch<'_>,
    report: &mut SceneReport,
) -> Result<(), BenchError> {
    let start = Instant::now();
    let mut triangles = flatten(&scene)?;
    drop(scene);
    triangles.opaque.fill(true);
    report.triangles = triangles.len();
    let plan = plan(request);
    let Some((first, _)) = plan.first() else { return Ok(()) };
    let mut steps = Steps::new(&plan, request, watch);
    let bvh = timed_tree(&triangles, first, report)?;
    let batches = batches(source, &triangles, &bvh, (request, watch), report)?;
    let halves = halves(&batches, request);
    watch.say(|| {
        let rays: u64 = report.columns.iter().map(|column| column.rays).sum();
        let seconds = start.elapsed().as_secs_f64();
        format!("{}: {} triangles, {rays} rays, ready in {seconds:.1} s", report.scene, report.triangles)
    });
    let mut session = target.session()?;
    let mut kept = Some(bvh);
    for (tree, (options, subjects)) in plan.iter().enumerate() {
        // One tree at a time: the first is there already.
        let bvh = match kept.take() {
            Some(bvh) => bvh,
            None => timed_tree(&triangles, options, report)?,
        };
        let (session, references) = (&mut *session, HashMap::new());
        let (triangles, bvh, batches, halves) = (&triangles, &bvh, &batches[..], &halves[..]);
        let mut run = OnTree { target, session, triangles, bvh, tree, batches, halves, request, watch, references };
        run.subjects(subjects, &mut steps, report)?;
    }
    report.clocks = target.is_gpu().then(Clocks::read).flatten();
    report.complete = true;
    Ok(())
}

/// Makes the batches of rays, and writes into `report` how many rays each column has.
fn batches(
    source: RaySource<'_>,
    triangles: &FlatTriangles,
    bvh: &Bvh2,
    (request, watch): (&BenchRequest, &BenchWatch<'_>),
    report: &mut SceneReport,
) -> Result<Vec<RayBatch>, BenchError> {
    let tracer = CpuTracer::new(bvh, triangles)?;
    let batches = make(source, triangles, &tracer, request, watch, &report.scene)?;
    for (column, total) in report.columns.iter_mut().enumerate() {
        let batches = batches.iter().filter(|batch| batch.column == column);
        let (rays, sort) = batches.fold((0, 0.0), |sum, batch| (sum.0 + batch.rays.len() as u64, sum.1 + batch.sort));
        (total.rays, total.sort_seconds) = (rays, sort);
    }
    Ok(batches)
}

/// Returns both halves of each batch, if halves are timed; else none.
fn halves(batches: &[RayBatch], request: &BenchRequest) -> Vec<Option<[RayBatch; 2]>> {
    let free = batches.iter().map(|batch| batch.id + 1).max().unwrap_or(0);
    if request.halves { batches.iter().map(|batch| batch.halves(free)).collect() } else { Vec::new() }
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
    let (nodes, hash) = (bvh.nodes.len(), DataHash::of_tree(&bvh));
    report.trees.push(TreeFacts { options: *options, builder: taken.builder, seconds, nodes, hash });
    Ok(bvh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Encoded, Prepared};
    use crate::{CheckSize, RayColumn, RayOrder, Row};
    use raywarp_cuda::LaunchBounds;
    use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer, TriangleMesh};
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
            columns: RayKind::ALL.map(|kind| RayColumn::of(kind, RayOrder::Workload)).to_vec(),
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
        bench_scene(&Target::Cpu, scene(), RaySource::Views(&views()), request, &BenchWatch::default(), &mut report)
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
            .map(|order| RayColumn::of(RayKind::Diffuse, order))
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
        let column = |rays, order| RayColumn { rays, order };
        for order in [RayOrder::Workload, RayOrder::Morton, RayOrder::Shuffled] {
            request.columns = vec![column(set("down", false), order), column(set("shadow-short", true), order)];
            let mut report = SceneReport::new("floor", &Target::Cpu, Vec::new(), &request);
            let source = RaySource::Lists(vec![rays.clone(), short.clone()]);
            bench_scene(&Target::Cpu, scene(), source, &request, &BenchWatch::default(), &mut report).unwrap();
            assert!(report.passes() && report.skipped.is_empty());
            assert_eq!(report.rows.len(), 2 * 3);
            let hits = |row: &Row| (row.check.checked, row.check.hits);
            // The short ones end above the lower part of the floor.
            let (all, ended) = (hits(&report.rows[0]), hits(&report.rows[1]));
            assert!(all.0 == 1600 && ended.0 == 1600 && all.1 > ended.1 && ended.1 > 0, "{all:?} {ended:?}");
            assert_eq!(report.columns[0].sort_seconds > 0.0, order == RayOrder::Morton);
            let text = report.document().text(raywarp_report::Room::Any);
            assert!(text.starts_with("floor: 512 triangles; rays of 2 files; ") && text.contains("together"), "{text}");
            let csv = crate::csv(&[report.clone()]);
            let name = if order == RayOrder::Workload { "file" } else { order.name() };
            assert!(csv.contains(&format!("\nfloor,file,shadow-short,{name},all,al09-while-while,")), "{csv}");
            // Which query, no machine code of a kernel on a CPU, and hashes of rays in their order and of the tree.
            let [given, tree] = [DataHash::of_rays(&short), report.trees[0].hash];
            let mut cells = csv.lines().nth(2).unwrap().rsplit(',').take(5);
            assert_eq!((cells.next(), cells.next()), (Some(""), Some(&*tree.to_string())));
            assert_eq!(cells.next() == Some(&*given.to_string()), order == RayOrder::Workload, "{csv}");
            assert_eq!((cells.next(), cells.next()), (Some(""), Some("any")));
            let json = crate::document(&[report], &crate::MachineFacts::default(), "", None).json();
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
        (request.check, request.columns) = (check, vec![RayColumn::of(kind, RayOrder::Workload)]);
        let mut report = SceneReport::new("floor", &Target::Cpu, vec![1], &request);
        let triangles = flatten(&scene()).unwrap();
        let bvh = timed_tree(&triangles, &request.builds[0], &mut report).unwrap();
        let tracer = CpuTracer::new(&bvh, &triangles).unwrap();
        let watch = BenchWatch::default();
        let batches = make(RaySource::Views(&views()[..1]), &triangles, &tracer, &request, &watch, "floor").unwrap();
        let mut session = Target::Cpu.session().unwrap();
        // Right answers are there from another subject.
        let honest = Target::Cpu
            .prepare(&Subject::CpuTracer, &LaunchBounds::default(), &Encoded::Own, (&bvh, &triangles), 32)
            .unwrap();
        session.run(&honest, &batches[0]).unwrap();
        let mut run = OnTree {
            target: &Target::Cpu,
            session: &mut *session,
            triangles: &triangles,
            bvh: &bvh,
            tree: 0,
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
            assert!(!report.passes() && report.document().text(raywarp_report::Room::Any).contains("WRONG"));
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
