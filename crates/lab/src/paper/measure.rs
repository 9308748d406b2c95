//! Our numbers of an exhibit on a scene, measured on a GPU.

use super::exhibit::{Exhibit, Making, Paper};
use super::make::{ExhibitScene, add_faster};
use super::record::{NumberSource, Record};
use raywarp_bench::{
    BenchError, BenchRequest, BenchWatch, CheckSize, RayOrder, RaySource, SceneReport, Subject, Target, bench_scene,
    suite,
};
use raywarp_bvh::presets;
use raywarp_workload::rays::{RESOLUTION, RayKind};

/// Timed runs of a kernel; the paper's tables are medians of as many.
const RUNS: u32 = 10;
/// Rays whose hits are compared with the reference.
const CHECKED: usize = 8192;

/// Returns `true` if a GPU of this machine adds numbers to an exhibit.
pub fn is_measured(exhibit: &Exhibit) -> bool {
    matches!((exhibit.paper, exhibit.name), (Paper::Al09 | Paper::Alk12, "table1") | (Paper::G14, "table2"))
}

/// Returns our rates of an exhibit's kernels on a scene, measured on a GPU with the tree of preset `good`; none where
/// [`is_measured`] is not so. A kernel with a wrong hit is left out. `commit` is that of the program, if it is known.
///
/// # Errors
/// [`BenchError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn measure(
    exhibit: &Exhibit,
    place: &ExhibitScene<'_>,
    target: &Target,
    commit: Option<&str>,
    watch: &BenchWatch<'_>,
) -> Result<Vec<Record>, BenchError> {
    let Some(suite) = exhibit.suite.and_then(suite::named).filter(|_| is_measured(exhibit)) else {
        return Ok(Vec::new());
    };
    let request = BenchRequest {
        workload: suite.workload,
        rays_per_pixel: None,
        columns: suite::columns(&RayKind::ALL, &[RayOrder::Workload]),
        size: RESOLUTION,
        one_launch: false,
        subjects: suite.subjects(target).into_iter().filter(|one| subject(exhibit, one, target).is_some()).collect(),
        instead: None,
        builds: vec![presets::GOOD],
        bounds: vec![Default::default()],
        width: 32,
        warmup: 3,
        runs: RUNS,
        check: CheckSize::Sample(CHECKED),
        halves: false,
    };
    let numbers = (1..=place.views.len()).collect();
    let mut report = SceneReport::new(place.name, target, numbers, &request);
    report.commit = commit.map(str::to_string);
    bench_scene(target, place.scene.clone(), RaySource::Views(place.views), &request, watch, &mut report)?;
    Ok(records(exhibit, place.name, target, &report))
}

fn records(exhibit: &Exhibit, scene: &str, target: &Target, report: &SceneReport) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let commit = report.commit.as_ref().map_or_else(String::new, |commit| format!(", commit {commit}"));
    for row in report.rows.iter().filter(|row| row.check.passes()) {
        let Some(kind) = report.columns[row.column].column.kind() else { continue };
        let Some(subject) = subject(exhibit, &row.subject, target) else { continue };
        let rate = row.mega_rates().median;
        let record = Record {
            scene: scene.to_string(),
            subject,
            rays: kind.name().to_string(),
            quantity: "measured".to_string(),
            theirs: "".into(),
            ours: Some(rate),
            source: NumberSource::Measured(target.name() + &commit),
            draws: None,
        };
        add_faster(&mut records, record);
    }
    records
}

/// Returns the subject of an exhibit that a kernel on this GPU is; `None` for other kernels.
fn subject(exhibit: &Exhibit, subject: &Subject, target: &Target) -> Option<String> {
    let Making::Kernels(kernels) = exhibit.making else { return None };
    let is_it = |kernel: &str| kernel.parse::<Subject>().is_ok_and(|named| named == *subject);
    let (_, kernel, own) = kernels.runs.iter().find(|(_, kernel, _)| is_it(kernel))?;
    Some(match exhibit.paper {
        Paper::Al09 => (*own).to_string(),
        Paper::G14 if *kernel == "g14" => format!("{}, improved", target.name()),
        Paper::G14 => format!("{}, ALK12's", target.name()),
        _ => target.name(),
    })
}
