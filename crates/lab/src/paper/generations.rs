//! Pictures of ALK12's figure 3: rates of generations of GPUs over their operations, and over their bandwidth.

use super::exhibit::Exhibit;
use super::record::Record;
use raywarp_papers::Claim;
use raywarp_report::chart::{ChartLine, Points};

/// A picture with its name in files and what it shows.
pub(super) struct GenerationPicture {
    pub name: String,
    pub caption: String,
    pub points: Points,
}

const KINDS: [&str; 3] = ["primary", "ao", "diffuse"];

/// Returns the figure for each scene of ours: over operations and over bandwidth, each with the paper's lines, which
/// are means over its scenes, and ours of this scene.
pub(super) fn generation_pictures(exhibit: &Exhibit, records: &[Record]) -> Vec<GenerationPicture> {
    let mut scenes: Vec<&str> = Vec::new();
    for (_, scene) in records.iter().filter_map(|record| record.subject.split_once(", ")) {
        if !scenes.contains(&scene) {
            scenes.push(scene);
        }
    }
    let both = |scene| ["operations", "bandwidth"].map(|over| (scene, over));
    let picture = |(scene, over): (&str, &str)| {
        let caption = format!(
            "{}, {scene}: relative rates over relative {over}. Theirs are means over the paper's scenes, ours are of \
             {scene}: expected of a GTX 680, measured of an H200. On the thin line both rise alike",
            exhibit.place
        );
        GenerationPicture {
            name: format!("{}-{over}-{scene}", exhibit.name),
            caption,
            points: points(records, scene, over),
        }
    };
    scenes.into_iter().flat_map(both).map(picture).collect()
}

/// Returns the lines of one picture, theirs and then ours, a line a kind of rays.
fn points(records: &[Record], scene: &str, over: &str) -> Points {
    let record = |subject: &str, rays: &str| records.iter().find(|own| own.subject == subject && own.rays == rays);
    let mut gpus: Vec<&str> = Vec::new();
    for record in records {
        let gpu = record.subject.split(", ").next().unwrap_or_default();
        if !gpus.contains(&gpu) {
            gpus.push(gpu);
        }
    }
    let theirs = |gpu: &str, kind: &str| match record(gpu, kind)?.claim()? {
        Claim::Number(number) => Some(number),
        _ => None,
    };
    // What the scene has no number of its own of, such as the GTX 285's 1, is one of all scenes.
    let of_scene = |gpu: &str, rays: &str| {
        let own = record(&format!("{gpu}, {scene}"), rays);
        own.or_else(|| record(gpu, rays)).and_then(|record| record.ours)
    };
    let rate = |gpu: &str, kind: &str, is_theirs: bool| if is_theirs { theirs(gpu, kind) } else { of_scene(gpu, kind) };
    let all = || [true, false].into_iter().flat_map(|is_theirs| KINDS.map(|kind| (kind, is_theirs)));
    // The lowest point of a GPU has its name: lines rise to the right above it.
    let lowest = |gpu: &str| {
        let rate = |&(kind, is_theirs): &(&str, bool)| rate(gpu, kind, is_theirs).unwrap_or(f64::INFINITY);
        all().min_by(|a, b| rate(a).total_cmp(&rate(b)))
    };
    let line = |(kind, is_theirs): (&str, bool)| {
        let point = |gpu: &&str| {
            let name = if lowest(gpu) == Some((kind, is_theirs)) { (*gpu).to_string() } else { String::new() };
            Some((of_scene(gpu, over)?, rate(gpu, kind, is_theirs)?, name))
        };
        let name = if is_theirs { format!("{kind}, theirs") } else { format!("{kind}, ours of {scene}") };
        ChartLine { name, points: gpus.iter().filter_map(point).collect() }
    };
    Points {
        x_axis: format!("{over}, GTX 285 = 1"),
        y_axis: "rate, GTX 285 = 1".into(),
        logarithmic: true,
        diagonal: true,
        lines: all().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Paper, find, stored};
    use raywarp_report::chart::COLOURS;

    #[test]
    fn theirs_and_ours_have_lines_of_their_own_and_ours_of_a_gtx_680_are_there() {
        let exhibit = find(Paper::Alk12, "figure3").unwrap();
        let records = stored(exhibit);
        let pictures = generation_pictures(exhibit, &records);
        let names: Vec<&str> = pictures.iter().map(|picture| &picture.name[..]).collect();
        let of = |over: &str, scene: &str| format!("figure3-{over}-{scene}");
        let [sibenik, conference] =
            ["sibenik", "conference"].map(|scene| ["operations", "bandwidth"].map(|over| of(over, scene)));
        assert_eq!(names, [sibenik, conference].concat());
        for (picture, scene) in pictures.iter().zip(["sibenik", "sibenik", "conference", "conference"]) {
            assert!(picture.caption.contains(scene), "{}", picture.caption);
            let lines = &picture.points.lines;
            assert!(lines.len() == 6 && lines.len() <= COLOURS);
            for (kind, line) in KINDS.iter().zip(&lines[..3]) {
                assert_eq!((&line.name, line.points.len()), (&format!("{kind}, theirs"), 3));
            }
            for (kind, line) in KINDS.iter().zip(&lines[3..]) {
                assert_eq!(line.name, format!("{kind}, ours of {scene}"));
                let ours = |gpu: &str| {
                    let subject = format!("{gpu}, {scene}");
                    records.iter().find(|own| own.subject == subject && own.rays == *kind).and_then(|own| own.ours)
                };
                let rates: Vec<Option<f64>> = line.points.iter().map(|&(_, rate, _)| Some(rate)).collect();
                assert_eq!(rates, [Some(1.0), ours("GTX 680"), ours("H200")]);
            }
            // Each GPU is named once, at its lowest point.
            let mut named: Vec<&str> = lines
                .iter()
                .flat_map(|line| &line.points)
                .map(|(.., name)| &name[..])
                .filter(|n| !n.is_empty())
                .collect();
            named.sort_unstable();
            assert_eq!(named, ["GTX 285", "GTX 480", "GTX 680", "H200"]);
        }
    }
}
