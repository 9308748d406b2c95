//! Tables of several scenes beside each other.

use super::SceneReport;
use super::scene::{LEGEND, rate as shown};
use crate::geometric_mean;
use raywarp_report::{Column, Document, ReportTable, Sheet, TableColumn};

/// Adds tables over several scenes: for each column of rays a line for each subject, with the geometric mean. With
/// `top` also the meaning of the signs, the so many fastest of each column, for one scene too, and what is wrong.
pub(super) fn describe(reports: &[SceneReport], top: Option<usize>, document: &mut Document) {
    if top.is_some() {
        document.line(LEGEND);
        document.gap();
    }
    let columns = reports.first().map_or(0, |report| report.columns.len());
    if reports.len() > 1 || top.is_some() {
        for column in 0..columns {
            let (table, left_out) = table(reports, column, top.unwrap_or(usize::MAX));
            document.table(table.in_text_untitled());
            if left_out > 0 {
                document.line(format!("({left_out} more)"));
            }
            document.gap();
        }
    }
    if top.is_some() {
        document.lines(reports.iter().flat_map(wrong));
    }
}

/// Returns a line for each row of a report whose hits are wrong.
fn wrong(report: &SceneReport) -> impl Iterator<Item = String> {
    report.rows.iter().filter(|row| !row.check.passes()).map(|row| {
        let (check, kind) = (&row.check, report.columns[row.column].column.name());
        format!(
            "WRONG: {} {kind}: {}: {} of {} checked rays differ, {} of {} stray{}",
            report.scene,
            report.line_name(row),
            check.differ,
            check.checked,
            check.stray,
            check.rays,
            report.example(row).map(|example| format!("; {example}")).unwrap_or_default(),
        )
    })
}

/// A line of a table: the name, and the rate in each scene where it was measured and its hits were right.
type RatesLine = (String, Vec<Option<f64>>);

/// Returns the lines of a table.
fn rates(reports: &[SceneReport], column: usize) -> Vec<RatesLine> {
    let mut lines: Vec<RatesLine> = Vec::new();
    for (scene, report) in reports.iter().enumerate() {
        for row in report.rows.iter().filter(|row| row.column == column) {
            let name = report.line_name(row);
            let at = lines.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                lines.push((name, vec![None; reports.len()]));
                lines.len() - 1
            });
            lines[at].1[scene] = row.check.passes().then(|| row.mega_rates().median);
        }
    }
    lines
}

/// Returns the geometric mean of the rates over all scenes; `None` where one is missing.
fn mean(rates: &[Option<f64>]) -> Option<f64> {
    let all: Vec<f64> = rates.iter().copied().collect::<Option<_>>()?;
    Some(geometric_mean(&all))
}

/// Returns the table of a column of rays with its `top` fastest lines, and how many more there are.
fn table(reports: &[SceneReport], column: usize, top: usize) -> (ReportTable, usize) {
    let mut lines = rates(reports, column);
    let all = lines.len();
    if top < all {
        // Those without a rate in each scene come last.
        let key = |line: &RatesLine| mean(&line.1).unwrap_or(0.0);
        lines.sort_by(|a, b| key(b).total_cmp(&key(a)));
        lines.truncate(top);
    }
    let rate = |line: &RatesLine, scene: Option<usize>| scene.map_or_else(|| mean(&line.1), |scene| line.1[scene]);
    // Of one scene, or the mean.
    let of = |scene: Option<usize>, head: TableColumn| {
        let best = lines.iter().filter_map(|line| rate(line, scene)).fold(f64::NEG_INFINITY, f64::max);
        let several = lines.len() > 1;
        let cell = move |line: &RatesLine| match rate(line, scene) {
            Some(rate) => format!("{}{}", shown(rate), if rate >= best && several { '*' } else { ' ' }),
            None => "- ".to_string(),
        };
        Column::words(cell).text(head)
    };
    let title = format!("{}, Mrays/s", reports[0].columns[column].column.name());
    let mut columns = vec![Column::words(|line: &RatesLine| line.0.clone()).text(TableColumn::left(title))];
    let scene = |(number, report): (usize, &SceneReport)| {
        of(Some(number), TableColumn::right(format!("{} ", report.scene)).rank(1))
    };
    columns.extend(reports.iter().enumerate().map(scene));
    columns.push(of(None, TableColumn::right("mean ")));
    (Sheet(columns).table(&lines), all - lines.len())
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::super::tests::sample;
    use super::*;
    use crate::MachineFacts;
    use raywarp_report::Room;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn scenes_stand_beside_each_other_with_their_mean() {
        let mut reports =
            [sample("a", &["al09-if-if", "ykl17"], &[RayKind::Ao]), sample("b", &["ykl17"], &[RayKind::Ao])];
        for view in &mut reports[1].rows[0].views {
            view.rays /= 2;
        }
        let text = document(&reports, &MachineFacts::default(), "", None).text(Room::TERMINAL);
        let words = |start: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_string).collect()
        };
        assert_eq!(words("al09-if-if"), ["al09-if-if", "1000.0*", "-", "-"]);
        assert_eq!(words("ykl17"), ["ykl17", "500.0", "500.0*", "500.0*"]);
        assert!(text.ends_with("AL09: Aila and Laine 2009; YKL17: Ylitie, Karras and Laine 2017\n"), "{text}");
    }

    #[test]
    fn where_room_is_short_the_fastest_and_the_wrong_remain() {
        let mut report = sample("a", &["al09-while-while", "al09-if-if", "ykl17"], &[RayKind::Ao]);
        report.rows[0].check.differ = 5;
        let text = document(&[report], &MachineFacts::default(), "", Some(1)).text(Room::Any);
        let lines: Vec<&str> = text.strip_prefix(LEGEND).unwrap().lines().collect();
        assert!(lines[2].starts_with("al09-if-if ") && lines[3] == "(2 more)", "{text}");
        assert!(text.contains("WRONG: a ao: al09-while-while: 5 of 2000 checked rays differ, 6 of 4000000 stray\n"));
    }

    #[test]
    fn a_wrong_rate_counts_for_nothing() {
        let mut report = sample("a", &["al09-if-if", "ykl17"], &[RayKind::Ao]);
        report.rows[0].check.differ = 1;
        let lines = rates(&[report], 0);
        assert_eq!((lines[0].1[0], mean(&lines[0].1)), (None, None));
        assert!(lines[1].1[0].is_some());
    }
}
