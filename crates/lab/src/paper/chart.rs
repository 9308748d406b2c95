//! Pictures of exhibits.

use super::exhibit::{Exhibit, PictureForm, Quantity};
use super::record::Record;
use super::table::{Line, lines, scenes};
use raywarp_papers::Claim;
use raywarp_report::Document;
use raywarp_report::chart::{Bar, Bars, ChartLine, Points};

/// Adds the pictures of an exhibit: bars for each scene and quantity, lines for each quantity, or ALK12's figure.
pub(super) fn charts(document: &mut Document, exhibit: &Exhibit, records: &[Record]) {
    let quantities = || exhibit.parts.iter().flat_map(|part| part.quantities);
    let name = |of: &[&str]| format!("{}-{}", exhibit.name, of.join("-")).replace([' ', '_', ','], "-");
    match exhibit.picture {
        PictureForm::Generations => generations(document, exhibit, records),
        PictureForm::Bars => {
            for (scene, quantity) in
                scenes(exhibit, records).into_iter().flat_map(|scene| quantities().map(move |q| (scene, q)))
            {
                let lines = lines(records, scene, std::slice::from_ref(quantity));
                let caption = format!("{}, {scene}: {}", exhibit.place, quantity.head);
                document.chart(name(&[scene, quantity.key]), caption, bars(quantity, &lines));
            }
        }
        PictureForm::Lines => {
            for quantity in quantities() {
                let caption = format!("{}: {}", exhibit.place, quantity.head);
                document.chart(name(&[quantity.key]), caption, over_numbers(exhibit, quantity, records));
            }
        }
    }
}

fn number(record: Option<&Record>) -> (Option<f64>, Option<f64>) {
    let theirs = record.and_then(Record::claim).and_then(|claim| match claim {
        Claim::Number(number) | Claim::UpTo(number) => Some(number),
        _ => None,
    });
    (theirs, record.and_then(|record| record.ours))
}

/// Returns bars of a quantity, a group a subject and kind of rays: theirs and ours.
fn bars(quantity: &Quantity, lines: &[Line<'_>]) -> Bars {
    let bar =
        |value: Option<f64>| value.map(|value| Bar { value, label: raywarp_report::number(value, quantity.digits) });
    let group = |line: &Line<'_>| {
        let (theirs, ours) = number(line.cells[0]);
        (format!("{} {}", line.subject, line.rays), vec![bar(theirs), bar(ours)])
    };
    let groups: Vec<_> = lines.iter().map(group).filter(|(_, bars)| bars.iter().any(Option::is_some)).collect();
    Bars { axis: quantity.unit.to_string(), series: vec!["theirs".into(), "ours".into()], groups, least_most: 0.0 }
}

/// Returns lines over subjects that are numbers, such as bounces: theirs and ours of each scene.
fn over_numbers(exhibit: &Exhibit, quantity: &Quantity, records: &[Record]) -> Points {
    let mut all = Vec::new();
    let mut x_axis = String::new();
    for scene in scenes(exhibit, records) {
        let lines = lines(records, scene, std::slice::from_ref(quantity));
        for is_theirs in [true, false] {
            let point = |line: &Line<'_>| {
                let (theirs, ours) = number(line.cells[0]);
                Some((
                    line.subject.rsplit(' ').next()?.parse().ok()?,
                    if is_theirs { theirs } else { ours }?,
                    String::new(),
                ))
            };
            let points: Vec<_> = lines.iter().filter_map(point).collect();
            if points.is_empty() {
                continue;
            }
            x_axis = lines[0].subject.rsplit_once(' ').map_or("", |(words, _)| words).to_string();
            let is_named = scene.starts_with("theirs") || !is_theirs;
            all.push(ChartLine { name: if is_named { scene.to_string() } else { format!("{scene}, theirs") }, points });
        }
    }
    let y_axis = format!("{}, {}", quantity.head, quantity.unit);
    Points { x_axis, y_axis, logarithmic: false, diagonal: false, lines: all }
}

/// Returns a GPU's name without the scene behind it.
fn without_scene(subject: &str) -> String {
    subject.split(',').next().unwrap_or(subject).to_string()
}

/// Adds ALK12's figure 3 twice: rates over operations, and over bandwidth.
fn generations(document: &mut Document, exhibit: &Exhibit, records: &[Record]) {
    let of = |subject: &str, rays: &str| {
        let is_it = |record: &&Record| record.subject == subject && record.rays == rays;
        records.iter().find(is_it).and_then(|record| number(Some(record)).1.or(number(Some(record)).0))
    };
    let mut subjects: Vec<&str> = Vec::new();
    for record in records {
        if !subjects.contains(&record.subject.as_str()) {
            subjects.push(&record.subject);
        }
    }
    // As in the figure, lines go through one scene for each GPU; points of another stand apart.
    let (apart, joined): (Vec<&str>, Vec<&str>) =
        subjects.into_iter().partition(|subject| subject.ends_with("conference"));
    const KINDS: [&str; 3] = ["primary", "ao", "diffuse"];
    for over in ["operations", "bandwidth"] {
        // The lowest point of a GPU has its name: lines rise to the right above it.
        let lowest = |subject: &str| {
            let rate = |kind: &&str| of(subject, kind).unwrap_or(f64::INFINITY);
            KINDS.into_iter().min_by(|a, b| rate(a).total_cmp(&rate(b)))
        };
        let line = |kind: &str, subjects: &[&str], name: String| ChartLine {
            name,
            points: subjects
                .iter()
                .filter_map(|subject| {
                    let is_named = !apart.contains(subject) && lowest(subject) == Some(kind);
                    let name = if is_named { without_scene(subject) } else { String::new() };
                    Some((of(subject, over)?, of(subject, kind)?, name))
                })
                .collect(),
        };
        let lines = KINDS.map(|kind| line(kind, &joined, kind.to_string())).into_iter();
        let points =
            apart.iter().flat_map(|subject| KINDS.map(|kind| line(kind, &[subject], format!("{kind}, conference"))));
        let lines: Vec<ChartLine> = lines.chain(points).collect();
        let chart = Points {
            x_axis: format!("{over}, GTX 285 = 1"),
            y_axis: "rate, GTX 285 = 1".into(),
            logarithmic: true,
            diagonal: true,
            lines,
        };
        let caption =
            format!("{}: relative rates over relative {over}; on the thin line both rise alike", exhibit.place);
        document.chart(format!("{}-{over}", exhibit.name), caption, chart);
    }
}
