//! Files of a run: its output, its figures, and the command to make them again.

mod kernels;

use crate::{LEGEND, MachineFacts, SceneReport, corpus, csv, document};
use raywarp_report::{Document, Room};

/// Returns the files that record a run: their names and contents.
///
/// `bench.csv` and `bench.json` hold every figure, `README.md` the command, the machine, the date and the tables,
/// `run.toml` of which machine code the kernels were ([`corpus`]).
pub fn files(reports: &[SceneReport], machine: &MachineFacts, command: &str) -> Vec<(&'static str, String)> {
    let document = document(reports, machine, command, None);
    vec![
        ("bench.csv", csv(reports)),
        ("bench.json", format!("{:#}\n", document.json())),
        ("README.md", readme(reports, machine, command, &document)),
        (corpus::FILE, kernels::run(reports, machine, command)),
    ]
}

fn readme(reports: &[SceneReport], machine: &MachineFacts, command: &str, document: &Document) -> String {
    let whole = reports.iter().all(|report| report.complete);
    let verdict = match (whole, reports.iter().all(SceneReport::passes)) {
        (_, false) => "Hits of some rows are WRONG; their rates count for nothing.",
        (false, true) => "The run ended early; what was measured passed its checks.",
        (true, true) => "All hits passed their checks.",
    };
    let tables: Vec<String> = reports.iter().map(|report| report.document().text(Room::Any)).collect();
    format!(
        "# raywarp bench, {date} UTC\n\n- command: `{command}`\n- machine: {line}\n- raywarp {version}{commit}\n- {verdict}\n\n\
         `bench.csv` has a line for each kernel, tree, kind of rays and view; `bench.json` everything.\n\n\
         ```text\n{LEGEND}\n{tables}\n{summary}```\n",
        date = machine.date,
        line = machine.line(),
        version = machine.version,
        commit = machine.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default(),
        tables = tables.join("\n"),
        summary = document.text(Room::Any),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn a_record_has_command_machine_date_and_figures() {
        let mut reports = [sample("sibenik", &["al09-if-if"], &RayKind::ALL)];
        let machine = MachineFacts { date: "2026-01-02 03:04:05".into(), cpu: "CPU Y".into(), ..Default::default() };
        let files = files(&reports, &machine, "raywarp bench sibenik");
        assert_eq!(
            files.iter().map(|file| file.0).collect::<Vec<_>>(),
            ["bench.csv", "bench.json", "README.md", "run.toml"]
        );
        let readme = &files[2].1;
        for part in ["2026-01-02 03:04:05 UTC", "`raywarp bench sibenik`", "CPU Y", "al09-if-if", "All hits passed"] {
            assert!(readme.contains(part), "{part}: {readme}");
        }
        let document: serde_json::Value = serde_json::from_str(&files[1].1).unwrap();
        assert_eq!(document["pass"], true);
        assert_eq!(document["scenes"][0]["rows"][0]["mrays"]["median"], 1000.0);
        reports[0].rows[0].check.differ = 9;
        assert!(super::files(&reports, &machine, "").iter().any(|file| file.1.contains("are WRONG")));
    }
}
