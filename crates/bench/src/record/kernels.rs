//! What a recorded run is of, as `run.toml` says it.

use crate::corpus::{RecordedFiles, RecordedRun};
use crate::{MachineFacts, SceneReport, Subject, TreeFacts};
use raywarp_cuda::{FAMILY, Query, kernel_name};
use std::collections::{BTreeMap, BTreeSet};

/// Reason why the machine code of some kernels is not known.
const BY_DRIVER: &str =
    "compiled by the driver, for other launch bounds or for a GPU that no machine code is embedded for";

/// Returns the text of `run.toml`.
pub(super) fn run(reports: &[SceneReport], machine: &MachineFacts, command: &str) -> String {
    let (mut code, mut unknown) = (BTreeMap::new(), BTreeSet::new());
    for (report, row) in reports.iter().flat_map(|report| report.rows.iter().map(move |row| (report, row))) {
        let (Subject::Kernel(variant), Some(resources)) = (row.subject, row.resources) else { continue };
        let is_any = report.columns[row.column].column.rays.is_any();
        let name = kernel_name(&variant, if is_any { Query::Any } else { Query::Closest });
        match resources.code {
            Some(hash) => drop(code.insert(name, hash)),
            None => drop(unknown.insert(name)),
        }
    }
    // A sweep has a kernel's own code, too.
    unknown.retain(|name| !code.contains_key(name));
    let trees = reports.iter().flat_map(|report| &report.trees).map(TreeFacts::name).collect::<BTreeSet<_>>();
    let files = RecordedFiles {
        names: vec!["bench.csv".into(), "bench.json".into()],
        command: command.to_string(),
        rays: rays(reports),
        trees: Some(trees.into_iter().collect::<Vec<_>>().join(", ")),
        commit: machine.commit.clone(),
        unknown: (!unknown.is_empty()).then(|| BY_DRIVER.to_string()),
        unknown_kernels: unknown.into_iter().collect(),
        code,
    };
    RecordedRun {
        date: machine.date.split(' ').next().unwrap_or_default().to_string(),
        machine: machine.gpu.clone().unwrap_or_else(|| machine.cpu.clone()),
        driver: machine.driver.clone(),
        clock_mhz: reports.iter().find_map(|report| report.clocks).map(|clocks| clocks.mhz),
        architecture: machine.capability.and_then(|capability| FAMILY.architecture_for(capability)),
        commit: machine.commit.clone(),
        files: vec![files],
    }
    .text()
}

/// Returns how the rays were made, in words: workload, views and size of each scene; `None` for files of rays, which
/// the command names.
fn rays(reports: &[SceneReport]) -> Option<String> {
    let of = |report: &SceneReport| {
        let views: Vec<String> = report.views.iter().map(usize::to_string).collect();
        let [width, height] = report.size;
        let workload = report.workload_name();
        (!views.is_empty())
            .then(|| format!("{workload}: {}, views {}, {width} x {height}", report.scene, views.join(" ")))
    };
    let all: Vec<String> = reports.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CodeState;
    use crate::report::tests::sample;
    use raywarp_family::Variant;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn a_recorded_run_says_of_which_machine_code_it_is() {
        let mut report = sample("sibenik", &["raywarp-h8", "al09-if-if"], &RayKind::ALL);
        let hash = |variant: &Variant, query| raywarp_cuda::code_hash(variant, query, 90);
        let (h8, if_if) = (Variant::RAYWARP_H8, "direct/if-if/bvh2".parse::<Variant>().unwrap());
        for row in &mut report.rows {
            let (Subject::Kernel(variant), Some(resources)) = (row.subject, &mut row.resources) else { continue };
            let query = if row.column == 1 { Query::Any } else { Query::Closest };
            resources.code = hash(&variant, query).filter(|_| variant == h8 || row.column == 1);
        }
        let machine = MachineFacts {
            date: "2026-01-02 03:04:05".into(),
            gpu: Some("GPU X".into()),
            capability: Some((9, 0)),
            commit: Some("abc".into()),
            ..Default::default()
        };
        let text = run(&[report], &machine, "raywarp bench sibenik");
        let run = RecordedRun::parse(&text).unwrap();
        assert_eq!((&*run.date, &*run.machine, run.architecture), ("2026-01-02", "GPU X", Some(90)));
        assert_eq!((run.commit.as_deref(), &*run.files[0].command), (Some("abc"), "raywarp bench sibenik"));
        let state = |variant, query| run.state("bench.csv", variant, query);
        for query in Query::ALL {
            assert_eq!(state(&h8, query), CodeState::Same(hash(&h8, query).unwrap()));
        }
        assert_eq!(state(&if_if, Query::Any), CodeState::Same(hash(&if_if, Query::Any).unwrap()));
        assert_eq!(state(&if_if, Query::Closest), CodeState::Unknown(BY_DRIVER.into()));
    }
}
