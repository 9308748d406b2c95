//! Small documents written by hand, broken ones, and the files in the scene library.

mod broken;
mod draco;
mod files;
mod geometry;
mod light_units;
mod materials;
mod nodes;
mod poses;

use super::{External, import_bytes};
use crate::import::context::told;
use crate::import::{Context, LoadOptions};
use crate::{Description, FaultKind, GltfFault, GltfWarning, ImportError, Place, Warning, WarningKind};
use base64::Engine;
use serde_json::{Value, json};
use std::path::Path;

/// PNG image as a data URI: a red, a half-transparent green, a blue and a white pixel.
const PIXELS: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFElEQVR42mP4z8DwHwgbGIA0GAAARNIJeGZTxHAAAAAASUVORK5CYII=";

/// PNG image as a data URI: one orange pixel without alpha.
const OPAQUE_PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP438AAAAQBAYD718vxAAAAAElFTkSuQmCC";

/// Imports a document; returns the scene and its warnings.
fn import(document: &Value) -> Result<(Description, Vec<Warning>), ImportError> {
    import_raw(document.to_string().as_bytes())
}

/// Returns a warning about an item of the document.
fn warning(item: &str, kind: impl Into<WarningKind>) -> Warning {
    Warning { path: "test.gltf".into(), place: Place::Item(item.into()), kind: kind.into() }
}

/// Returns the item of the document at which an import ended, and the fault there.
#[track_caller]
fn fault<T: std::fmt::Debug>(result: Result<T, ImportError>) -> (String, GltfFault) {
    match told(result.unwrap_err()).unwrap() {
        (_, Place::Item(item), FaultKind::Gltf(fault)) => (item, fault),
        (_, place, kind) => panic!("{place:?}: {kind:?}"),
    }
}

/// Returns the fault of a reference to an entry that is not there.
fn no_entry(array: &'static str, index: u64, count: usize) -> GltfFault {
    GltfFault::NoEntry { array, index, count }
}

fn import_raw(bytes: &[u8]) -> Result<(Description, Vec<Warning>), ImportError> {
    let path = Path::new("test.gltf");
    let mut context = Context::new(path, &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    let scene = import_bytes(path, bytes, External::Missing, &mut context)?;
    let warnings = context.finish()?;
    crate::validate(&scene).map_err(|invalid| invalid.in_file(path))?;
    Ok((scene, warnings))
}

/// Imports a document that must load without any warning.
#[track_caller]
fn clean(document: &Value) -> Description {
    let (scene, warnings) = import(document).unwrap();
    assert_eq!(warnings, []);
    scene
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes))
}

fn float_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Builder of a test document, in which each array of numbers becomes a buffer, a view and an accessor.
struct Builder(Value);

impl Builder {
    fn new() -> Self {
        Self(json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "accessors": [], "bufferViews": [], "buffers": [],
        }))
    }

    /// Adds an accessor over `bytes` and returns its index.
    fn accessor(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        let buffers = self.0["buffers"].as_array_mut().unwrap();
        let index = buffers.len();
        buffers.push(json!({"byteLength": bytes.len(), "uri": data_uri(bytes)}));
        let views = self.0["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": index, "byteLength": bytes.len()}));
        accessor["bufferView"] = json!(views.len() - 1);
        let accessors = self.0["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let count = values.len() / width;
        self.accessor(&float_bytes(values), json!({"componentType": 5126, "count": count, "type": kind}))
    }

    fn indices(&mut self, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, json!({"componentType": 5123, "count": values.len(), "type": "SCALAR"}))
    }

    /// Returns the document with the members of `more` added.
    fn with(mut self, more: Value) -> Value {
        let Value::Object(more) = more else { panic!("an object is wanted") };
        self.0.as_object_mut().unwrap().extend(more);
        self.0
    }
}

/// Returns a document of a triangle in the plane z = 0 with the members of `more` added.
fn triangle(more: Value) -> Value {
    let mut builder = Builder::new();
    builder.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let uvs = builder.floats("VEC2", 2, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let attributes = json!({"POSITION": 0, "TEXCOORD_0": uvs, "TEXCOORD_1": uvs});
    builder.0["meshes"] = json!([{"primitives": [{"attributes": attributes, "material": 0}]}]);
    builder.0["materials"] = json!([{}]);
    builder.0["images"] = json!([{"uri": PIXELS}]);
    builder.with(more)
}
