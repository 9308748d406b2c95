//! The writer of JSON documents.

use super::document::{Block, Document, Group};
use super::table::{ReportTable, Value};
use serde_json::{Map, Value as Json};

impl Document {
    /// Returns what programs read of the report, as a JSON object.
    pub fn json(&self) -> Json {
        object(&self.blocks).into()
    }
}

fn object(blocks: &[Block]) -> Map<String, Json> {
    let mut map = Map::new();
    fill(&mut map, blocks);
    map
}

fn fill(map: &mut Map<String, Json>, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Data(key, value) => {
                map.insert(key.clone(), value.clone());
            }
            Block::Table(table) => {
                if let Some(key) = &table.key {
                    append(map, key, table.rows.iter().map(|row| row_object(table, row)));
                    if let Some((key, row)) = &table.total {
                        map.insert(key.clone(), row_object(table, row));
                    }
                }
            }
            Block::Group(Group::Item(key), inner) => append(map, key, [object(inner).into()]),
            Block::Group(Group::Member(key), inner) => {
                map.insert(key.clone(), object(inner).into());
            }
            Block::Group(Group::Fold(_) | Group::Last, inner) => fill(map, inner),
            Block::Line(_)
            | Block::Paragraph(_)
            | Block::Heading(_)
            | Block::Prose(_)
            | Block::Note(_)
            | Block::List(_)
            | Block::Chart(..)
            | Block::Run(_) => {}
        }
    }
}

/// Adds values to the array `key`, which there is from then on.
fn append(map: &mut Map<String, Json>, key: &str, values: impl IntoIterator<Item = Json>) {
    if let Json::Array(array) = map.entry(key).or_insert_with(|| Json::Array(Vec::new())) {
        array.extend(values);
    }
}

fn row_object(table: &ReportTable, row: &[Value]) -> Json {
    let with_key = table.columns.iter().zip(row).filter_map(|(naming, value)| {
        let key = naming.key.clone()?;
        Some((key, naming.for_programs(value)))
    });
    Json::Object(with_key.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn groups_are_objects_and_items_of_arrays() {
        let mut document = Document::new("data");
        document.data("scene", "conference");
        document.member("inner", |document| document.data("scene", "fairy"));
        for width in [8, 32] {
            document.item("widths", |document| document.data("width", width));
        }
        document.fold("open me", |document| document.data("folded", true));
        let wanted = json!({
            "scene": "conference",
            "inner": { "scene": "fairy" },
            "widths": [{ "width": 8 }, { "width": 32 }],
            "folded": true,
        });
        assert_eq!(document.json(), wanted);
    }
}
