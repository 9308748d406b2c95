//! Pictures of exhibits.

use super::exhibit::{Exhibit, PictureForm, Quantity};
use super::generations::generation_pictures;
use super::record::Record;
use super::table::{Line, lines, scenes};
use raywarp_papers::Claim;
use raywarp_report::Document;
use raywarp_report::chart::{Bar, Bars, COLOURS, ChartLine, Points};

/// Adds the pictures of an exhibit: bars for each scene and quantity, lines for each quantity, or ALK12's figure.
pub(super) fn charts(document: &mut Document, exhibit: &Exhibit, records: &[Record]) {
    let quantities = || exhibit.parts.iter().flat_map(|part| part.quantities);
    let name =
        |of: &[&str]| format!("{}-{}", exhibit.name, of.join("-")).replace(", ", "-").replace([' ', '_', ','], "-");
    match exhibit.picture {
        PictureForm::Generations => {
            for picture in generation_pictures(exhibit, records) {
                document.chart(picture.name, picture.caption, picture.points);
            }
        }
        PictureForm::Bars => {
            for quantity in quantities() {
                if has_scenes_of_theirs_alone(quantity, records) {
                    for (of, bars) in across_scenes(exhibit, quantity, records) {
                        // The paper's and ours have one unit, and so one axis.
                        let apart = if quantity.is_compared { "" } else { "; theirs are of other scenes or machines" };
                        let caption = format!("{}, {of}: {}{apart}", exhibit.place, quantity.head);
                        document.chart(name(&[quantity.key, &of]), caption, bars);
                    }
                    continue;
                }
                for scene in scenes(exhibit, records) {
                    let lines = lines(records, scene, std::slice::from_ref(quantity));
                    let caption = format!("{}, {scene}: {}", exhibit.place, quantity.head);
                    document.chart(name(&[scene, quantity.key]), caption, bars(quantity, &lines));
                }
            }
        }
        PictureForm::Lines => {
            for quantity in quantities() {
                let pictures = over_numbers(exhibit, quantity, records);
                let count = pictures.len();
                for (number, picture) in (1..).zip(pictures) {
                    let caption = format!("{}: {}", exhibit.place, quantity.head);
                    match count {
                        1 => document.chart(name(&[quantity.key]), caption, picture),
                        _ => document.chart(
                            name(&[quantity.key, &number.to_string()]),
                            format!("{caption} ({number} of {count})"),
                            picture,
                        ),
                    }
                }
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

/// Returns bars of a quantity, a group a subject and kind of rays: theirs and ours. Where the paper has ranges, both
/// ends of one have a bar.
fn bars(quantity: &Quantity, lines: &[Line<'_>]) -> Bars {
    let bar =
        |value: Option<f64>| value.map(|value| Bar { value, label: raywarp_report::number(value, quantity.digits) });
    let range = |line: &Line<'_>| match line.cells[0].and_then(Record::claim) {
        Some(Claim::Between(least, most)) => Some([least, most]),
        _ => None,
    };
    let has_ranges = lines.iter().any(|line| range(line).is_some());
    let group = |line: &Line<'_>| {
        let (theirs, ours) = number(line.cells[0]);
        let theirs = match range(line) {
            Some(ends) => ends.map(Some).to_vec(),
            None if has_ranges => vec![theirs, None],
            None => vec![theirs],
        };
        let bars: Vec<Option<Bar>> = theirs.into_iter().chain([ours]).map(bar).collect();
        (format!("{} {}", line.subject, line.rays), bars)
    };
    let groups: Vec<_> = lines.iter().map(group).filter(|(_, bars)| bars.iter().any(Option::is_some)).collect();
    let series: &[&str] = if has_ranges { &["theirs, or from", "theirs, up to", "ours"] } else { &["theirs", "ours"] };
    let series = series.iter().map(|name| (*name).to_string()).collect();
    Bars { axis: quantity.unit.to_string(), series, groups, least_most: 0.0 }
}

/// Returns `true` if a quantity has scenes that the paper alone has, and others that we have.
fn has_scenes_of_theirs_alone(quantity: &Quantity, records: &[Record]) -> bool {
    let has = |is_theirs: bool| {
        records.iter().any(|record| record.quantity == quantity.key && record.is_theirs_alone() == is_theirs)
    };
    has(true) && has(false)
}

/// Returns bars of a quantity by what they are of, a group a scene, so that the paper's scenes stand beside ours. What
/// the paper has in one form and we in several, such as tiles of several sizes, stands together.
fn across_scenes(exhibit: &Exhibit, quantity: &Quantity, records: &[Record]) -> Vec<(String, Bars)> {
    let all: Vec<&Record> = records.iter().filter(|record| record.quantity == quantity.key).collect();
    let is_form_of = |subject: &str, of: &str| subject.strip_prefix(of).is_some_and(|rest| rest.starts_with(", "));
    let form = |record: &Record| {
        let theirs = all.iter().find(|other| other.is_theirs_alone() && is_form_of(&record.subject, &other.subject));
        theirs.map_or_else(|| record.subject.clone(), |theirs| theirs.subject.clone())
    };
    let mut panels: Vec<(String, String)> = Vec::new();
    for record in &all {
        let panel = (form(record), record.rays.clone());
        if !panels.contains(&panel) {
            panels.push(panel);
        }
    }
    let bar =
        |value: Option<f64>| value.map(|value| Bar { value, label: raywarp_report::number(value, quantity.digits) });
    let picture = |(of, rays): (String, String)| {
        let mut groups = Vec::new();
        for scene in scenes(exhibit, records) {
            let is_own = |record: &&&Record| record.scene == scene && record.rays == rays && form(record) == of;
            for record in all.iter().filter(is_own) {
                let rest = record.subject.strip_prefix(of.as_str()).unwrap_or_default();
                let (theirs, ours) = number(Some(record));
                groups.push((format!("{scene}{rest}"), vec![bar(theirs), bar(ours)]));
            }
        }
        let bars = Bars {
            axis: quantity.unit.to_string(),
            series: vec!["theirs".into(), "ours".into()],
            groups,
            least_most: 0.0,
        };
        (format!("{of}, {rays}"), bars)
    };
    panels.into_iter().map(picture).collect()
}

/// Returns lines over subjects that are numbers, such as bounces: theirs and ours of each scene and kind of rays. A
/// picture has as many of ours as have colours of their own beside the paper's; the rest follow in further pictures,
/// each with the paper's.
fn over_numbers(exhibit: &Exhibit, quantity: &Quantity, records: &[Record]) -> Vec<Points> {
    let own = || records.iter().filter(|record| record.quantity == quantity.key);
    let mut kinds: Vec<&str> = Vec::new();
    for record in own().filter(|record| record.ours.is_some()) {
        if !kinds.contains(&record.rays.as_str()) {
            kinds.push(&record.rays);
        }
    }
    let mut x_axis = String::new();
    let mut theirs: Vec<ChartLine> = Vec::new();
    let mut ours: Vec<Vec<ChartLine>> = Vec::new();
    for scene in scenes(exhibit, records) {
        let lines = lines(records, scene, std::slice::from_ref(quantity));
        let mut of_rays: Vec<&str> = Vec::new();
        for line in &lines {
            if !of_rays.contains(&line.rays) {
                of_rays.push(line.rays);
            }
        }
        let mut of_scene = Vec::new();
        for rays in of_rays {
            let points = |is_theirs: bool| {
                let point = |line: &Line<'_>| {
                    let (theirs, ours) = number(line.cells[0]);
                    let at = line.subject.rsplit(' ').next()?.parse().ok()?;
                    Some((at, if is_theirs { theirs } else { ours }?, String::new()))
                };
                let mut points: Vec<(f64, f64, String)> =
                    lines.iter().filter(|line| line.rays == rays).filter_map(point).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                points
            };
            let [of_theirs, of_ours] = [points(true), points(false)];
            if let Some(line) = lines.first().filter(|_| !(of_theirs.is_empty() && of_ours.is_empty())) {
                x_axis = line.subject.rsplit_once(' ').map_or("", |(words, _)| words).to_string();
            }
            // The paper's numbers of one scene stand beside ours of every other too.
            let is_known = theirs.iter().any(|line| of_theirs.iter().all(|point| line.points.contains(point)));
            if !of_theirs.is_empty() && !is_known {
                let is_theirs = scene.starts_with("theirs");
                let name = if is_theirs { scene.to_string() } else { format!("{scene}, theirs") };
                theirs.push(ChartLine { name, points: of_theirs });
            }
            if !of_ours.is_empty() {
                let name = if kinds.len() > 1 { format!("{scene}, {rays}") } else { scene.to_string() };
                of_scene.push(ChartLine { name, points: of_ours });
            }
        }
        ours.push(of_scene);
    }
    let y_axis = format!("{}, {}", quantity.head, quantity.unit);
    let picture = |lines: Vec<ChartLine>| Points {
        x_axis: x_axis.clone(),
        y_axis: y_axis.clone(),
        logarithmic: false,
        diagonal: false,
        lines,
    };
    panels(&theirs, ours).into_iter().map(picture).collect()
}

/// Returns lines by picture: the paper's in each, and of ours those of a scene together.
fn panels(theirs: &[ChartLine], ours: Vec<Vec<ChartLine>>) -> Vec<Vec<ChartLine>> {
    let most = COLOURS.saturating_sub(theirs.len()).max(1);
    let mut pictures: Vec<Vec<ChartLine>> = Vec::new();
    for of_scene in ours.into_iter().filter(|lines| !lines.is_empty()) {
        match pictures.last_mut() {
            Some(last) if last.len() + of_scene.len() <= most => last.extend(of_scene),
            _ => pictures.push(of_scene),
        }
    }
    if pictures.is_empty() && !theirs.is_empty() {
        pictures.push(Vec::new());
    }
    pictures.into_iter().map(|ours| theirs.iter().cloned().chain(ours).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Paper, all, find, stored};

    /// Returns what is wrong with the lines of a picture: it has too many, two alike, or one that goes back.
    fn faults(picture: &Points) -> Vec<String> {
        let mut faults = Vec::new();
        if picture.lines.len() > COLOURS {
            faults.push(format!("{} lines have {COLOURS} colours", picture.lines.len()));
        }
        for (place, line) in picture.lines.iter().enumerate() {
            if !line.points.is_sorted_by(|a, b| a.0 < b.0) {
                faults.push(format!("{} goes back", line.name));
            }
            if picture.lines[..place].iter().any(|other| other.name == line.name) {
                faults.push(format!("{} twice", line.name));
            }
        }
        faults
    }

    #[test]
    fn every_line_goes_forward_and_has_a_colour_of_its_own() {
        let mut count = 0;
        for exhibit in all().filter(|exhibit| exhibit.picture == PictureForm::Lines) {
            let records = stored(exhibit);
            for quantity in exhibit.parts.iter().flat_map(|part| part.quantities) {
                for picture in over_numbers(exhibit, quantity, &records) {
                    let faults = faults(&picture);
                    assert!(faults.is_empty(), "{} {}: {faults:?}", exhibit.name, quantity.key);
                    count += 1;
                }
            }
        }
        assert!(count >= 40, "{count}");
        // A scene whose paths are counted and simulated has a line for each.
        let table2 = find(Paper::W11, "table2").unwrap();
        let pictures = over_numbers(table2, table2.quantity("paths").unwrap(), &stored(table2));
        let of =
            |name: &str| pictures.iter().flat_map(|picture| &picture.lines).filter(|line| line.name == name).count();
        assert_eq!([of("sibenik, clay, counted"), of("sibenik, clay, simulated")], [1, 1]);
        assert_eq!(of("theirs: fairy"), pictures.len());
    }

    #[test]
    fn a_range_of_the_paper_has_a_bar_for_each_of_its_ends() {
        let improvements = find(Paper::G14, "improvements").unwrap();
        let records = stored(improvements);
        let gain = improvements.quantity("gain").unwrap();
        let picture = bars(gain, &lines(&records, "sibenik", std::slice::from_ref(gain)));
        let of = |name: &str| {
            let (_, bars) = picture.groups.iter().find(|(group, _)| group == name).unwrap();
            bars.iter().map(|bar| bar.as_ref().map(|bar| bar.value)).collect::<Vec<_>>()
        };
        assert_eq!(picture.series.len(), 3);
        assert_eq!(of("4-ary primary")[..2], [Some(3.4), Some(11.5)]);
        assert_eq!(of("all primary")[..2], [Some(6.6), None]);
        assert!(of("unsorted ao")[..2] == [None, None] && of("unsorted ao")[2].is_some());
        // Without ranges there are two bars.
        let width = find(Paper::Al09, "width").unwrap();
        let (records, quantity) = (stored(width), width.quantity("of 16").unwrap());
        assert_eq!(bars(quantity, &lines(&records, "sibenik", std::slice::from_ref(quantity))).series.len(), 2);
    }

    #[test]
    fn w11s_table_1_has_the_papers_bars_beside_ours() {
        let table1 = find(Paper::W11, "table1").unwrap();
        let records = stored(table1);
        for key in ["frames", "of naive"] {
            let pictures = across_scenes(table1, table1.quantity(key).unwrap(), &records);
            let named = |of: &str| pictures.iter().find(|(name, _)| name == of).map(|(_, bars)| bars).unwrap();
            for of in ["whole-frame, 8 bounces", "tiled shared, 8 bounces"] {
                let bars = named(of);
                let has = |place: usize| bars.groups.iter().filter(|(_, bars)| bars[place].is_some()).count();
                assert!(has(0) == 6 && has(1) >= 10, "{of}: {bars:?}");
            }
            let tiled = named("tiled shared, 8 bounces");
            assert!(tiled.groups.iter().any(|(name, _)| name == "dragon, clay, M 8"), "{tiled:?}");
            // Each number is in one picture.
            let shown: usize = pictures.iter().map(|(_, bars)| bars.groups.len()).sum();
            assert_eq!(shown, records.iter().filter(|record| record.quantity == key).count());
        }
    }
}
