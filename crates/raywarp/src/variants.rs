//! The traversal family as a table: what `raywarp variants` prints.

use raywarp_family::{Key, PaperRow, Variant, legal, papers};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Kernels to list.
#[derive(Debug, Clone)]
pub enum Variants {
    /// The rows of the papers.
    Papers(&'static [PaperRow]),
    /// Legal variants that differ from the defaults of their parts in at most one option.
    Legal {
        /// Those.
        single_changes: Vec<Variant>,
        /// How many legal variants there are, with every combination of options.
        count: u64,
    },
}

impl Variants {
    /// The papers' kernels.
    pub fn papers() -> Self {
        Self::Papers(papers())
    }

    /// All that can be combined.
    pub fn legal() -> Self {
        Self::Legal { single_changes: legal::single_changes().collect(), count: legal::count() }
    }

    /// An aligned table of at most 160 columns: two lines a row of the papers, one a legal variant.
    pub fn text(&self) -> String {
        let mut text = String::new();
        match self {
            Self::Papers(rows) => {
                line(&mut text, &["name"], &[34], "variant");
                line(&mut text, &["    paper section, row", "tree node", "stack entry"], &PAPER_COLUMNS, "needs");
                for row in *rows {
                    line(&mut text, &[row.name], &[34], &row.variant.to_string());
                    let source = format!("    {} {}, {}", row.paper, row.section, row.row);
                    let [tree, stack, needs] = requirements(&row.variant);
                    line(&mut text, &[&source, &tree, &stack], &PAPER_COLUMNS, &needs);
                }
            }
            Self::Legal { single_changes, count } => {
                line(&mut text, &["variant", "tree node", "stack entry"], &LEGAL_COLUMNS, "needs");
                for variant in single_changes {
                    let [tree, stack, needs] = requirements(variant);
                    line(&mut text, &[&variant.to_string(), &tree, &stack], &LEGAL_COLUMNS, &needs);
                }
                let listed = single_changes.len();
                let _ = writeln!(text, "{count} variants are legal; these {listed} change at most one option");
            }
        }
        text
    }

    /// For the papers an array with an object a row; else `legal`, the number of all, and the array
    /// `single_changes`.
    pub fn json(&self) -> Value {
        match self {
            Self::Papers(rows) => rows.iter().map(row_json).collect(),
            Self::Legal { single_changes, count } => {
                let listed: Value = single_changes.iter().map(variant_json).collect();
                json!({ "legal": count, "single_changes": listed })
            }
        }
    }
}

/// Widths of the columns before the last.
const PAPER_COLUMNS: [usize; 3] = [64, 14, 15];
const LEGAL_COLUMNS: [usize; 3] = [70, 14, 15];

/// A line of cells, each with two spaces behind it at least, and a last one of any length.
fn line(text: &mut String, cells: &[&str], widths: &[usize], last: &str) {
    for (cell, &width) in cells.iter().zip(widths) {
        let _ = write!(text, "{cell:<width$}");
    }
    let _ = writeln!(text, "{last}");
}

/// Bytes of a node: for a ray on several lanes, of all its children.
fn node_bytes(variant: &Variant) -> u32 {
    variant.tree().node_bytes() * variant.lanes_per_ray()
}

/// Tree, stack and needs in words.
fn requirements(variant: &Variant) -> [String; 3] {
    let (needs, stack) = (variant.needs(), variant.stack());
    let mut words = Vec::new();
    if needs.lanes > 1 {
        words.push(format!("{} lanes a ray", needs.lanes));
    }
    let named = [
        (needs.votes, "votes"),
        (needs.prefix_sum, "prefix sums"),
        (needs.shared_memory, "shared memory"),
        (needs.global_counter, "ray counter"),
        (needs.gpu, "GPU"),
        (needs.t_min_not_negative, "t_min >= 0"),
    ];
    words.extend(named.iter().filter(|(needed, _)| *needed).map(|(_, name)| name.to_string()));
    [
        format!("{} {} B", variant.tree(), node_bytes(variant)),
        format!("{} B a {}", stack.entry_bytes, if stack.shared { "warp" } else { "ray" }),
        words.join(", "),
    ]
}

fn row_json(row: &PaperRow) -> Value {
    let mut document = variant_json(&row.variant);
    for (key, value) in [("name", row.name), ("paper", row.paper), ("section", row.section), ("row", row.row)] {
        document[key] = value.into();
    }
    document
}

fn variant_json(variant: &Variant) -> Value {
    let (supply, organisation, tree) = (variant.supply(), variant.organisation(), variant.tree());
    let applying = Key::ALL.iter().filter(|key| key.applies(supply, organisation, tree));
    let options: Map<String, Value> = applying.map(|&key| (key.to_string(), Value::from(variant.value(key)))).collect();
    let (needs, stack) = (variant.needs(), variant.stack());
    json!({
        "variant": variant.to_string(),
        "supply": supply.to_string(),
        "organisation": organisation.to_string(),
        "tree": tree.to_string(),
        "options": options,
        "node_bytes": node_bytes(variant),
        "stack": { "shared": stack.shared, "entry_bytes": stack.entry_bytes },
        "needs": {
            "lanes": needs.lanes,
            "votes": needs.votes,
            "prefix_sum": needs.prefix_sum,
            "shared_memory": needs.shared_memory,
            "global_counter": needs.global_counter,
            "gpu": needs.gpu,
            "t_min_not_negative": needs.t_min_not_negative,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of one line start where those of the lines of its kind do.
    #[track_caller]
    fn check_columns(line: &str, widths: &[usize]) {
        let characters: Vec<char> = line.chars().collect();
        let mut at = 0;
        for width in widths {
            at += width;
            assert!(characters[at - 2..at] == [' ', ' '] && characters[at] != ' ', "column {at} of {line}");
        }
        assert!(characters.len() <= 160, "{} columns: {line}", characters.len());
    }

    #[test]
    fn tables_are_aligned_and_fit_160_columns() {
        let text = Variants::papers().text();
        for (i, line) in text.lines().enumerate() {
            check_columns(line, if i % 2 == 0 { &[34] } else { &PAPER_COLUMNS });
        }
        assert_eq!(text.lines().count(), 2 + 2 * papers().len());
        let text = Variants::legal().text();
        let rows = text.lines().count() - 1;
        text.lines().take(rows).for_each(|line| check_columns(line, &LEGAL_COLUMNS));
        assert_eq!(rows, 1 + legal::single_changes().count());
        assert!(text.lines().last().unwrap().starts_with(&format!("{} variants are legal", legal::count())));
    }

    #[test]
    fn what_is_listed_parses_back_and_says_what_the_family_says() {
        let document = Variants::papers().json();
        for (json, row) in document.as_array().unwrap().iter().zip(papers()) {
            assert_eq!(json["name"], row.name);
            assert_eq!(json["variant"].as_str().unwrap().parse(), Ok(row.variant));
            assert_eq!(json["stack"]["entry_bytes"], row.variant.stack().entry_bytes);
            assert_eq!(json["needs"]["votes"], row.variant.needs().votes);
            // The options alone give the variant, too.
            let mut variant =
                Variant::new(row.variant.supply(), row.variant.organisation(), row.variant.tree()).unwrap();
            for (key, value) in json["options"].as_object().unwrap() {
                variant = variant.with(Key::parse(key).unwrap(), value.as_str().unwrap()).unwrap();
            }
            assert_eq!(variant, row.variant);
        }
        assert_eq!(document.as_array().unwrap().len(), papers().len());
        let legal = Variants::legal().json();
        assert_eq!(legal["legal"], legal::count());
        assert_eq!(legal["single_changes"].as_array().unwrap().len(), legal::single_changes().count());
    }

    #[test]
    fn a_node_for_one_ray_on_several_lanes_counts_all_its_children() {
        let bytes = |text: &str| node_bytes(&text.parse().unwrap());
        assert_eq!([bytes("al09-wide4"), bytes("al09-wide32"), bytes("ykl17"), bytes("g14")], [128, 1024, 80, 128]);
    }
}
