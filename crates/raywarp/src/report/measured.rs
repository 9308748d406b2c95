//! Rates that `raywarp bench --record` wrote down, to stand beside bounds.

use raywarp_family::Variant;
use raywarp_workload::rays::RayKind;

/// A rate of one row of a bench.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRate {
    /// The scene's name.
    pub scene: String,
    /// Whose rays.
    pub workload: String,
    /// Which.
    pub kind: RayKind,
    /// The kernel.
    pub variant: Variant,
    /// The tree.
    pub tree: String,
    /// What it ran on.
    pub target: String,
    /// Viewpoints that it is over.
    pub views: usize,
    /// Median rate, rays a second.
    pub rays_per_s: f64,
}

const COLUMNS: [&str; 9] = ["scene", "workload", "kind", "order", "view", "variant", "tree", "target", "mrays_median"];

/// Reads `bench.csv`: rays in the workload's order by kernels of the family; other rows (other tracers, sorted or shuffled rays)
/// are passed over.
///
/// # Errors
/// A line that says what is missing or wrong, and in which line of the file.
pub fn read_measured(text: &str) -> Result<Vec<MeasuredRate>, String> {
    let mut lines = text.lines().enumerate();
    let header = fields(lines.next().map_or("", |(_, line)| line));
    let place = |name: &&str| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| format!("line 1: no column \"{name}\"; give a bench.csv of raywarp bench --record"))
    };
    let places = COLUMNS.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
    let mut rates: Vec<MeasuredRate> = Vec::new();
    // A row of all views comes before those of each.
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let row = fields(line);
        let fault = |what: &str| format!("line {}: {what}", number + 1);
        let cells: Vec<&str> = places.iter().filter_map(|&place| row.get(place).map(String::as_str)).collect();
        let [scene, workload, kind, order, view, variant, tree, target, mrays] = cells[..] else {
            return Err(fault("fewer cells than columns"));
        };
        let (Ok(variant), Some(kind)) = (variant.parse::<Variant>(), RayKind::parse(kind)) else { continue };
        if order != "workload" {
            continue;
        }
        let mrays = mrays.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        let rays_per_s = 1e6 * mrays.ok_or_else(|| fault("mrays_median is not a rate"))?;
        if view == "all" {
            let (scene, workload, tree, target) =
                (scene.to_string(), workload.to_string(), tree.to_string(), target.to_string());
            rates.push(MeasuredRate { scene, workload, kind, variant, tree, target, views: 0, rays_per_s });
        } else if let Some(last) = rates.last_mut().filter(|last| last.variant == variant && last.kind == kind) {
            last.views += 1;
        }
    }
    Ok(rates)
}

/// Cells of a line; those in quotes may hold commas and doubled quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(cell) = cells.last_mut() {
                    cell.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells
}

/// The fastest of the rates of a kernel for a kind of rays of a scene and workload: of its trees and launches.
pub(super) fn fastest<'a>(
    rates: &'a [MeasuredRate],
    scene: &str,
    workload: &str,
    kind: RayKind,
    variant: &Variant,
) -> Option<&'a MeasuredRate> {
    let same = |rate: &&MeasuredRate| {
        (rate.scene.as_str(), rate.workload.as_str(), rate.kind, &rate.variant) == (scene, workload, kind, variant)
    };
    rates.iter().filter(same).max_by(|a, b| a.rays_per_s.total_cmp(&b.rays_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "scene,workload,kind,order,view,name,variant,tree,mrays_median,target";

    #[test]
    fn rows_of_a_bench_are_read_and_others_passed_over() {
        let row = |view: &str, variant: &str, order: &str, rate: &str| {
            format!("\"a, \"\"b\"\"\",raywarp,ao,{order},{view},x,{variant},good,{rate},NVIDIA H200")
        };
        let lines = [
            HEADER.to_string(),
            row("all", "direct/while-while/bvh2", "workload", "10.5"),
            row("1", "direct/while-while/bvh2", "workload", "10"),
            row("2", "direct/while-while/bvh2", "workload", "11"),
            row("all", "direct/while-while/bvh2", "sorted", "20"),
            row("all", "embree", "workload", "30"),
            row("all", "direct/while-while/bvh2", "workload", "12"),
        ];
        let rates = read_measured(&lines.join("\n")).unwrap();
        assert_eq!(rates.len(), 2, "{rates:?}");
        assert_eq!((rates[0].scene.as_str(), rates[0].views, rates[0].rays_per_s), ("a, \"b\"", 2, 10.5e6));
        let best = fastest(&rates, "a, \"b\"", "raywarp", RayKind::Ao, &rates[0].variant).unwrap();
        assert_eq!(best.rays_per_s, 12e6);
        assert_eq!(fastest(&rates, "a", "raywarp", RayKind::Ao, &rates[0].variant), None);
    }

    #[test]
    fn a_broken_bench_is_named_by_its_line() {
        for (text, said) in [
            ("", "line 1: no column \"scene\""),
            ("scene,workload", "no column \"kind\""),
            (&format!("{HEADER}\n\nsibenik,raywarp"), "line 3: fewer cells"),
            (&format!("{HEADER}\ns,raywarp,ao,workload,all,x,direct/if-if/bvh2,good,fast,H"), "line 2: mrays_median"),
            (&format!("{HEADER}\ns,raywarp,ao,workload,all,x,direct/if-if/bvh2,good,NaN,H"), "line 2: mrays_median"),
        ] {
            let error = read_measured(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
