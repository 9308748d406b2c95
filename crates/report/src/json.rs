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
            Block::Group(Group::Fold(_) | Group::Last | Group::Programs, inner) => fill(map, inner),
            Block::Line(_)
            | Block::Paragraph(_)
            | Block::Whole(_)
            | Block::Gap
            | Block::Fact(..)
            | Block::WholeFact(..)
            | Block::Heading(_)
            | Block::Prose(_)
            | Block::Note(_)
            | Block::List(_)
            | Block::Listing(_)
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

/// Returns a row as an object: what is in a column with a key, or in an object of several columns.
fn row_object(table: &ReportTable, row: &[Value]) -> Json {
    let mut map = Map::new();
    for (naming, value) in table.columns.iter().zip(row) {
        let Some((object, key)) = &naming.key else { continue };
        let value = naming.for_programs(value);
        match object {
            None => {
                map.insert(key.clone(), value);
            }
            Some(object) => {
                if let Json::Object(inner) = map.entry(object.clone()).or_insert_with(|| Map::new().into()) {
                    inner.insert(key.clone(), value);
                }
            }
        }
    }
    map.into()
}

impl ReportTable {
    /// Returns the rows as a JSON array of objects.
    pub fn json(&self) -> Json {
        self.rows.iter().map(|row| row_object(self, row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::{Column, Sheet};
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

    #[test]
    fn columns_share_an_object_and_an_array_is_there_without_rows() {
        let sheet = Sheet(vec![
            Column::count(|row: &u64| *row).key("number"),
            Column::number(1, |row: &u64| (*row > 0).then_some(1.0)).key_in("powers", "zeroth"),
            Column::count(|row: &u64| row * row).key_in("powers", "second"),
        ]);
        let mut document = Document::new("data");
        document.table(sheet.table(&[0, 3]).key("rows"));
        document.array("none", [0; 0], |document, row| document.data("row", row));
        document.array("squares", [4, 9], |document, row| document.data("of", row));
        document.for_programs(|document| document.fields(json!({ "a": 1, "b": [2] })));
        let row = |number: u64, zeroth: Option<f64>| json!({ "number": number, "powers": { "zeroth": zeroth, "second": number * number } });
        let wanted = json!({
            "rows": [row(0, None), row(3, Some(1.0))],
            "none": [],
            "squares": [{ "of": 4 }, { "of": 9 }],
            "a": 1,
            "b": [2],
        });
        assert_eq!(document.json(), wanted);
        assert_eq!(sheet.table(&[0, 3]).json(), wanted["rows"]);
    }
}
