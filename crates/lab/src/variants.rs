//! The traversal family as a table: what `raywarp variants` prints.

use raywarp_bench::table::{Hidden, Room, TableColumn, TextTable, wrapped};
use raywarp_family::{Key, PaperRow, Variant, legal, papers};
use raywarp_layout::MemoryLayout;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A list of variants of the family to print.
#[derive(Debug, Clone)]
pub enum Variants {
    /// The kernels of the papers, one a row.
    Papers(&'static [PaperRow]),
    /// Legal variants that differ from the defaults of their parts in at most one option, with the number of all.
    Legal {
        /// Variants that differ from the defaults of their parts in at most one option.
        single_changes: Vec<Variant>,
        /// Number of legal variants, with every combination of options.
        count: u64,
    },
}

impl Variants {
    /// Makes the list of the papers' kernels.
    pub fn papers() -> Self {
        Self::Papers(papers())
    }

    /// Makes the list of the legal variants with at most one option changed, and counts all.
    pub fn legal() -> Self {
        Self::Legal { single_changes: legal::single_changes().collect(), count: legal::count() }
    }

    /// Returns the variants as a text table: one row for each of the papers' kernels, or one line for each legal
    /// variant.
    pub fn text(&self, room: Room) -> String {
        let (mut text, mut hidden) = (String::new(), Hidden::default());
        let _ = writeln!(text, "{}\n", wrapped(LEGEND));
        match self {
            Self::Papers(rows) => {
                let mut table = TextTable::new([
                    TableColumn::left("name"),
                    TableColumn::left("paper"),
                    TableColumn::left("tree node"),
                    TableColumn::left("stack entry").rank(1),
                    TableColumn::left("needs").rank(2),
                    TableColumn::left("row").rank(3),
                    TableColumn::left("variant").rank(4),
                ]);
                for row in *rows {
                    let [tree, stack, needs] = requirements(&row.variant);
                    let paper = format!("{} {}", row.paper, row.section);
                    let variant = row.variant.to_string();
                    table.row([row.name.to_string(), paper, tree, stack, needs, row.row.to_string(), variant]);
                }
                table.write(&mut text, room, &mut hidden);
            }
            Self::Legal { single_changes, count } => {
                let mut table = TextTable::new([
                    TableColumn::left("variant").whole(),
                    TableColumn::left("tree node").rank(1),
                    TableColumn::left("stack entry").rank(2),
                    TableColumn::left("needs").rank(3),
                ]);
                for variant in single_changes {
                    table.row([variant.to_string()].into_iter().chain(requirements(variant)));
                }
                table.write(&mut text, room, &mut hidden);
                let listed = single_changes.len();
                let _ = writeln!(text, "{count} variants are legal; these {listed} change at most one option");
            }
        }
        hidden.finish(&mut text);
        text
    }

    /// Returns the variants as JSON: for the papers an array with an object for each kernel; else `legal`, the number
    /// of all, and the array `single_changes`.
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

/// Text that explains the columns of the table of variants.
const LEGEND: &str = "A name, or a variant in full, is what --variant takes. paper: its key and section. tree node, stack entry: bytes (B) of one. needs: of the \
    machine.";

/// Returns the bytes that a ray reads of a node; where lanes share a ray, those of all its children.
fn node_bytes(variant: &Variant) -> u32 {
    MemoryLayout::of(variant.tree()).node_bytes * variant.lanes_per_ray()
}

/// Describes in words which tree and stack a variant uses, and which warp operations and memory it requires.
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
    let (supply, traversal_loop, tree) = (variant.supply(), variant.traversal_loop(), variant.tree());
    let applying = Key::ALL.iter().filter(|key| key.applies(supply, traversal_loop, tree));
    let options: Map<String, Value> = applying.map(|&key| (key.to_string(), Value::from(variant.value(key)))).collect();
    let (needs, stack) = (variant.needs(), variant.stack());
    json!({
        "variant": variant.to_string(),
        "supply": supply.to_string(),
        "loop": traversal_loop.to_string(),
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

    #[test]
    fn tables_fit_80_columns_and_have_all_with_wide() {
        for variants in [Variants::papers(), Variants::legal()] {
            let text = variants.text(Room::Terminal);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains(" with --wide: "), "{text}");
        }
        let text = Variants::papers().text(Room::Any);
        for row in papers() {
            let line = text.lines().find(|line| line.starts_with(&format!("{} ", row.name))).unwrap();
            for part in [row.paper, row.section, row.row, &row.variant.to_string()] {
                assert!(line.contains(part), "{line}");
            }
        }
        let text = Variants::legal().text(Room::Any);
        assert!(legal::single_changes().all(|variant| text.contains(&format!("\n{variant} "))));
        assert!(text.contains(&format!("\n{} variants are legal", legal::count())));
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
                Variant::new(row.variant.supply(), row.variant.traversal_loop(), row.variant.tree()).unwrap();
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
