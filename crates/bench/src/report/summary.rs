//! Tables of several scenes beside each other.

use super::SceneReport;
use super::text::{LEGEND, rate as shown};
use crate::geometric_mean;
use crate::table::{Hidden, Room, TableColumn, TextTable, wrapped};
use std::fmt::Write;

/// Returns tables over several scenes: for each column of rays a line for each subject, with the geometric mean; then
/// the comparisons with papers and other tracers.
///
/// With `top`, for when there is room for few lines, it prints first the meaning of the signs, then the so many fastest
/// of each column, for one scene too, and what is wrong.
pub fn summary(reports: &[SceneReport], top: Option<usize>, room: Room) -> String {
    let mut text = if top.is_some() { format!("{LEGEND}\n") } else { String::new() };
    let mut hidden = Hidden::default();
    let columns = reports.first().map_or(0, |report| report.columns.len());
    if reports.len() > 1 || top.is_some() {
        for column in 0..columns {
            table(reports, column, top.unwrap_or(usize::MAX), (&mut text, room, &mut hidden));
            text.push('\n');
        }
    }
    for report in reports.iter().filter(|_| top.is_some()) {
        for row in report.rows.iter().filter(|row| !row.check.passes()) {
            let (check, kind) = (&row.check, report.columns[row.column].column.name());
            let line = format!(
                "WRONG: {} {kind}: {}: {} of {} checked rays differ, {} of {} stray{}",
                report.scene,
                report.line_name(row),
                check.differ,
                check.checked,
                check.stray,
                check.rays,
                report.example(row).map(|example| format!("; {example}")).unwrap_or_default(),
            );
            let _ = writeln!(text, "{}", wrapped(&line));
        }
    }
    crate::papers::write(reports, (&mut text, room, &mut hidden));
    text += &crate::bar::text(reports);
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
        hidden.finish(&mut text);
    }
    text
}

/// Returns the lines of a table: the name, and the rate in each scene where it was measured and its hits were right.
fn rates(reports: &[SceneReport], column: usize) -> Vec<(String, Vec<Option<f64>>)> {
    let mut lines: Vec<(String, Vec<Option<f64>>)> = Vec::new();
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

fn table(reports: &[SceneReport], column: usize, top: usize, (text, room, hidden): (&mut String, Room, &mut Hidden)) {
    let mut lines = rates(reports, column);
    let all = lines.len();
    if top < all {
        // Those without a rate in each scene come last.
        let key = |line: &(String, Vec<Option<f64>>)| mean(&line.1).unwrap_or(0.0);
        lines.sort_by(|a, b| key(b).total_cmp(&key(a)));
        lines.truncate(top);
    }
    let title = format!("{}, Mrays/s", reports[0].columns[column].column.name());
    let scenes = reports.iter().map(|report| TableColumn::right(format!("{} ", report.scene)).rank(1));
    let columns = std::iter::once(TableColumn::left(title)).chain(scenes).chain([TableColumn::right("mean ")]);
    let mut table = TextTable::new(columns);
    let best = |scene: Option<usize>| {
        let rate = |(_, rates): &(String, Vec<Option<f64>>)| scene.map_or_else(|| mean(rates), |scene| rates[scene]);
        lines.iter().filter_map(rate).fold(f64::NEG_INFINITY, f64::max)
    };
    let cell = |rate: Option<f64>, best: f64| match rate {
        Some(rate) => format!("{}{}", shown(rate), if rate >= best && lines.len() > 1 { '*' } else { ' ' }),
        None => "- ".to_string(),
    };
    for (name, rates) in &lines {
        let scenes = rates.iter().enumerate().map(|(scene, rate)| cell(*rate, best(Some(scene))));
        table.row(std::iter::once(name.clone()).chain(scenes).chain([cell(mean(rates), best(None))]));
    }
    table.write(text, room, hidden);
    if lines.len() < all {
        let _ = writeln!(text, "({} more)", all - lines.len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn scenes_stand_beside_each_other_with_their_mean() {
        let mut reports =
            [sample("a", &["al09-if-if", "ykl17"], &[RayKind::Ao]), sample("b", &["ykl17"], &[RayKind::Ao])];
        for view in &mut reports[1].rows[0].views {
            view.rays /= 2;
        }
        let text = summary(&reports, None, Room::Terminal);
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
        let text = summary(&[report], Some(1), Room::Any);
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
