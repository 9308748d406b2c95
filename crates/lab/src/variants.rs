//! The traversal family as a table: what `raywarp variants` prints.

use raywarp_family::{Key, Needs, PaperRow, Variant, legal, rows};
use raywarp_layout::MemoryLayout;
use raywarp_report::{Column, Document, Sheet, TableColumn};
use serde_json::Value as Json;

/// A list of variants of the family to print.
#[derive(Debug, Clone)]
pub enum Variants {
    /// The kernels that have a name, one a row: the papers', and those that are nobody's.
    Papers(Vec<&'static PaperRow>),
    /// Legal variants that differ from the defaults of their parts in at most one option, with the number of all.
    Legal {
        /// Variants that differ from the defaults of their parts in at most one option.
        single_changes: Vec<Variant>,
        /// Number of legal variants, with every combination of options.
        count: u64,
    },
}

impl Variants {
    /// Makes the list of the kernels that have a name.
    pub fn papers() -> Self {
        Self::Papers(rows().collect())
    }

    /// Makes the list of the legal variants with at most one option changed, and counts all.
    pub fn legal() -> Self {
        Self::Legal { single_changes: legal::single_changes().collect(), count: legal::count() }
    }

    /// Returns the variants as a document: one row for each of the papers' kernels, or for each legal variant; for
    /// programs an array `papers`, or `legal`, the number of all, and the array `single_changes`.
    pub fn document(&self) -> Document {
        let mut document = Document::new("raywarp variants");
        document.line(LEGEND);
        document.gap();
        match self {
            Self::Papers(rows) => {
                document.table(of_papers().table(rows.iter().copied()).in_text_untitled().key("papers"));
            }
            Self::Legal { single_changes, count } => {
                document.data("legal", *count);
                let table = of_variants(3).table(single_changes);
                document.table(table.in_text_untitled().key("single_changes"));
                let listed = single_changes.len();
                document.line(format!("{count} variants are legal; these {listed} change at most one option"));
            }
        }
        document
    }

    /// Returns the variants as JSON: for the papers an array with an object for each kernel; else the document's
    /// object.
    pub fn json(&self) -> Json {
        let mut document = self.document().json();
        match self {
            Self::Papers(_) => document["papers"].take(),
            Self::Legal { .. } => document,
        }
    }
}

/// Text that explains the columns of the table of variants.
const LEGEND: &str = "A name, or a variant in full, is what `Variant::from_str` takes. paper: its key and section. tree node, stack entry: bytes (B) of one. needs: of the \
    machine.";

/// Returns the bytes that a ray reads of a node; where lanes share a ray, those of all its children.
fn node_bytes(variant: &Variant) -> u32 {
    MemoryLayout::of(variant.tree()).node_bytes * variant.lanes_per_ray()
}

/// Returns a stack entry's bytes and owner in words.
fn stack_entry(variant: &Variant) -> String {
    let stack = variant.stack();
    format!("{} B a {}", stack.entry_bytes, if stack.shared { "warp" } else { "ray" })
}

/// A requirement that a variant has or has not: its key, its name, and how to read it.
type Needed = (&'static str, &'static str, fn(&Needs) -> bool);

const NEEDED: [Needed; 6] = [
    ("votes", "votes", |needs| needs.votes),
    ("prefix_sum", "prefix sums", |needs| needs.prefix_sum),
    ("shared_memory", "shared memory", |needs| needs.shared_memory),
    ("global_counter", "ray counter", |needs| needs.global_counter),
    ("gpu", "GPU", |needs| needs.gpu),
    ("t_min_not_negative", "t_min >= 0", |needs| needs.t_min_not_negative),
];

/// Describes in words which warp operations and memory a variant requires.
fn needs(variant: &Variant) -> String {
    let needs = variant.needs();
    let lanes = (needs.lanes > 1).then(|| format!("{} lanes a ray", needs.lanes));
    let named = NEEDED.iter().filter(|(.., is_needed)| is_needed(&needs)).map(|(_, name, _)| name.to_string());
    lanes.into_iter().chain(named).collect::<Vec<_>>().join(", ")
}

/// Returns the options that apply to a variant, with their values.
fn options(variant: &Variant) -> Json {
    let (supply, traversal_loop, tree) = (variant.supply(), variant.traversal_loop(), variant.tree());
    let applying = Key::ALL.iter().filter(|key| key.applies(supply, traversal_loop, tree));
    applying.map(|&key| (key.to_string(), Json::from(variant.value(key)))).collect()
}

/// Returns the columns of variants; from a rank on, tables leave them out where there is no room.
fn of_variants<'a>(last: u8) -> Sheet<'a, Variant> {
    let mut columns = vec![
        Column::words(Variant::to_string).text(TableColumn::left("variant").whole()).key("variant"),
        Column::words(|variant: &Variant| format!("{} {} B", variant.tree(), node_bytes(variant)))
            .text(TableColumn::left("tree node").rank(last - 2)),
        Column::words(stack_entry).text(TableColumn::left("stack entry").rank(last - 1)),
        Column::words(needs).text(TableColumn::left("needs").rank(last)),
        Column::words(|variant: &Variant| variant.supply().to_string()).key("supply"),
        Column::words(|variant: &Variant| variant.traversal_loop().to_string()).key("loop"),
        Column::words(|variant: &Variant| variant.tree().to_string()).key("tree"),
        Column::data(options).key("options"),
        Column::data(node_bytes).key("node_bytes"),
        Column::data(|variant: &Variant| variant.stack().shared).key_in("stack", "shared"),
        Column::data(|variant: &Variant| variant.stack().entry_bytes).key_in("stack", "entry_bytes"),
        Column::data(|variant: &Variant| variant.needs().lanes).key_in("needs", "lanes"),
    ];
    columns.extend(NEEDED.map(|(key, _, is_needed)| {
        Column::data(move |variant: &Variant| is_needed(&variant.needs())).key_in("needs", key)
    }));
    Sheet(columns)
}

/// Returns the columns of the papers' kernels: those of the papers around those of their variants.
fn of_papers() -> Sheet<'static, PaperRow> {
    let mut columns = vec![
        Column::words(|row: &PaperRow| row.name).text(TableColumn::left("name")).key("name"),
        Column::words(|row: &PaperRow| format!("{} {}", row.paper, row.section)).text(TableColumn::left("paper")),
    ];
    let mut own = of_variants(2).0.into_iter().map(|column| column.of(|row: &PaperRow| Some(&row.variant)));
    let variant = own.next();
    columns.extend(own);
    columns.push(Column::words(|row: &PaperRow| row.row).text(TableColumn::left("row").rank(3)).key("row"));
    columns.extend(variant.map(|column| column.text(TableColumn::left("variant").rank(4))));
    columns.push(Column::words(|row: &PaperRow| row.paper).key("paper"));
    columns.push(Column::words(|row: &PaperRow| row.section).key("section"));
    Sheet(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_report::Room;

    #[test]
    fn tables_fit_80_columns_and_have_all_with_wide() {
        for variants in [Variants::papers(), Variants::legal()] {
            let text = variants.document().text(Room::TERMINAL);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains(" with `Room::Any`: "), "{text}");
        }
        let text = Variants::papers().document().text(Room::Any);
        for row in rows() {
            let line = text.lines().find(|line| line.starts_with(&format!("{} ", row.name))).unwrap();
            for part in [row.paper, row.section, row.row, &row.variant.to_string()] {
                assert!(line.contains(part), "{line}");
            }
        }
        let text = Variants::legal().document().text(Room::Any);
        assert!(legal::single_changes().all(|variant| text.contains(&format!("\n{variant} "))));
        assert!(text.contains(&format!("\n{} variants ", legal::count())));
    }

    #[test]
    fn what_is_listed_parses_back_and_says_what_the_family_says() {
        let document = Variants::papers().json();
        for (json, row) in document.as_array().unwrap().iter().zip(rows()) {
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
        assert_eq!(document.as_array().unwrap().len(), rows().count());
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
