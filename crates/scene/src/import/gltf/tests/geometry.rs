//! Primitives and accessors.

use super::*;
use crate::{PbrtWarning, SceneOfFile};
use raywarp_geom::TriangleMesh;

/// Returns the only mesh of a document, after asserting that it loads without warnings.
#[track_caller]
fn mesh(document: &Value) -> TriangleMesh {
    let scene = clean(document);
    assert_eq!(scene.meshes.len(), 1);
    scene.meshes[0].triangles.clone()
}

/// Returns the coordinates of `count` points on a parabola.
fn points(count: u16) -> Vec<f32> {
    (0..count).flat_map(|i| [f32::from(i), f32::from(i * i), 0.0]).collect()
}

fn with_mode(mode: u32, count: u16, indices: Option<&[u16]>) -> Value {
    let mut b = Builder::new();
    let position = b.floats("VEC3", 3, &points(count));
    let mut primitive = json!({"attributes": {"POSITION": position}, "mode": mode});
    if let Some(indices) = indices {
        primitive["indices"] = json!(b.indices(indices));
    }
    b.with(json!({"meshes": [{"primitives": [primitive]}]}))
}

#[test]
fn strips_and_fans_keep_their_front_on_one_side() {
    assert_eq!(mesh(&with_mode(4, 6, None)).indices, [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(mesh(&with_mode(5, 5, None)).indices, [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(mesh(&with_mode(6, 5, None)).indices, [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    // Two strips joined by triangles without area.
    let joined = mesh(&with_mode(5, 7, Some(&[0, 1, 2, 3, 3, 4, 4, 5, 6])));
    assert_eq!(joined.indices, [[0, 1, 2], [1, 3, 2], [4, 5, 6]]);
}

#[test]
fn points_and_lines_are_left_out_with_a_warning() {
    let (scene, warnings) = import(&with_mode(1, 4, None)).unwrap();
    assert!(scene.meshes.is_empty() && scene.instances.is_empty());
    assert_eq!(warnings[0], warning("meshes[0].primitives[0]", GltfWarning::PointsOrLines));
}

#[test]
fn a_ragged_triangle_list_loses_its_end_with_a_warning() {
    let (scene, warnings) = import(&with_mode(4, 5, None)).unwrap();
    assert_eq!(scene.triangle_count(), 1);
    assert_eq!(warnings[0].kind, GltfWarning::PartialTriangle { indices: 5 }.into());
}

#[test]
fn vertices_that_are_not_finite_are_left_out_where_no_triangle_uses_them() {
    let build = |order: &[u16]| {
        let mut b = Builder::new();
        let mut values = points(5);
        values[3 * 2] = f32::NAN;
        let position = b.floats("VEC3", 3, &values);
        let primitive = json!({"attributes": {"POSITION": position}, "indices": b.indices(order)});
        b.with(json!({"meshes": [{"primitives": [primitive]}]}))
    };
    let (scene, warnings) = import(&build(&[0, 1, 3, 1, 3, 4])).unwrap();
    assert_eq!(warnings[0].kind, WarningKind::StrayVertices { count: 1 });
    let mesh = &scene.meshes[0].triangles;
    assert_eq!((mesh.positions.len(), mesh.corners(1)[2][0]), (4, 4.0));
    let used = fault(import(&build(&[0, 1, 2]))).1;
    assert!(matches!(used, GltfFault::NotFinite { vertex: 2, in_pose: false, .. }), "{used}");
}

#[test]
fn a_primitive_that_uses_few_of_many_vertices_has_the_same_corners_with_fewer_vertices() {
    let order = [7, 3, 9, 9, 3, 8];
    let small = mesh(&with_mode(4, 200, Some(&order)));
    assert_eq!(small.positions.len(), 4);
    let corners: Vec<f32> = (0..2).flat_map(|t| small.corners(t).map(|p| p[0])).collect();
    assert_eq!(corners, order.map(f32::from));
}

#[test]
fn every_component_type_is_read_plain_and_normalised() {
    let cases: [(u32, &[u8], f32, f32); 5] = [
        (5120, &[0x81, 0x80, 127, 0], -127.0, -1.0),
        (5121, &[255, 0, 51, 0], 255.0, 1.0),
        (5122, &[1, 0x80, 0xff, 0x7f, 0, 0x80, 0, 0], -32767.0, -1.0),
        (5123, &[255, 255, 0, 0, 51, 0, 0, 0], 65535.0, 1.0),
        (5125, &[255; 12], 4_294_967_295.0, 1.0),
    ];
    for (component, element, plain, unit) in cases {
        for (normalized, want) in [(false, plain), (true, unit)] {
            let mut b = Builder::new();
            let stride = element.len();
            let accessor = json!({"componentType": component, "count": 3, "type": "VEC3", "normalized": normalized});
            let position = b.accessor(&element.repeat(3), accessor);
            b.0["bufferViews"][0]["byteStride"] = json!(stride);
            let read = mesh(&b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}]})));
            assert_eq!(read.positions[1][0], want, "{component} {normalized}");
            assert_eq!(read.positions[0], read.positions[2]);
            // -128 and -32768 have no counterpart; they are -1 as well.
            assert!(!normalized || read.positions[0].iter().all(|x| x.abs() <= 1.0), "{:?}", read.positions);
        }
    }
}

#[test]
fn interleaved_attributes_are_read_by_stride_and_offset() {
    let mut b = Builder::new();
    let rows: Vec<f32> = (0..3).flat_map(|i| [i as f32, 1.0, 2.0, 0.0, 0.0, 1.0, 0.25 * i as f32, 0.5]).collect();
    let position = b.floats("VEC3", 3, &rows);
    b.0["bufferViews"][0]["byteStride"] = json!(32);
    b.0["accessors"] = json!([
        {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
        {"bufferView": 0, "byteOffset": 12, "componentType": 5126, "count": 3, "type": "VEC3"},
        {"bufferView": 0, "byteOffset": 24.0, "componentType": 5126, "count": 3, "type": "VEC2"},
    ]);
    let attributes = json!({"POSITION": position, "NORMAL": 1, "TEXCOORD_0": 2, "TEXCOORD_1": 2});
    let read = mesh(&b.with(json!({"meshes": [{"primitives": [{"attributes": attributes}]}]})));
    assert_eq!(read.positions[2], [2.0, 1.0, 2.0]);
    assert_eq!(read.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(read.uvs, [[0.0, 0.5], [0.25, 0.5], [0.5, 0.5]]);
    assert_eq!(read.uvs1, read.uvs);
}

#[test]
fn sparse_accessors_change_a_base_or_zeros() {
    let build = |based: bool| {
        let mut b = Builder::new();
        b.floats("VEC3", 3, &points(4));
        b.indices(&[1, 3]);
        b.floats("VEC3", 3, &[9.0, 8.0, 7.0, 6.0, 5.0, 4.0]);
        let sparse =
            json!({"count": 2, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 2}});
        let mut accessor = json!({"componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse});
        if based {
            accessor["bufferView"] = json!(0);
        }
        b.0["accessors"].as_array_mut().unwrap().push(accessor);
        b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 3}, "mode": 6}]}]}))
    };
    assert_eq!(mesh(&build(true)).positions, [[0.0; 3], [9.0, 8.0, 7.0], [2.0, 4.0, 0.0], [6.0, 5.0, 4.0]]);
    assert_eq!(mesh(&build(false)).positions, [[0.0; 3], [9.0, 8.0, 7.0], [0.0; 3], [6.0, 5.0, 4.0]]);
}

#[test]
fn vertex_colours_of_three_components_are_opaque() {
    for (kind, width, want) in [("VEC3", 3, [51.0 / 255.0, 0.0, 1.0, 1.0]), ("VEC4", 4, [51.0 / 255.0, 0.0, 1.0, 0.2])]
    {
        let mut b = Builder::new();
        let position = b.floats("VEC3", 3, &points(3));
        let row = &[51, 0, 255, 51][..width];
        let accessor = json!({"componentType": 5121, "normalized": true, "count": 3, "type": kind});
        let color = b.accessor(&row.repeat(3), accessor);
        let attributes = json!({"POSITION": position, "COLOR_0": color});
        let read = mesh(&b.with(json!({"meshes": [{"primitives": [{"attributes": attributes}]}]})));
        assert_eq!(read.colors, [want; 3]);
    }
}

#[test]
fn vertex_colours_outside_of_their_range_are_clamped_and_said() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", 3, &points(3));
    let color = b.floats("VEC3", 3, &[-1.0, 0.0, 0.5, 0.0, 0.0, 255.0, 0.0, 1.00001, 0.0]);
    let document =
        b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": position, "COLOR_0": color}}]}]}));
    let (scene, warnings) = import(&document).unwrap();
    let colors = &scene.meshes[0].triangles.colors;
    assert_eq!(colors[..], [[0.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]]);
    assert_eq!(warnings, [warning("meshes[0].primitives[0]", GltfWarning::ColorsOutside { count: 2 })]);
}

#[test]
fn attributes_that_are_not_finite_are_replaced_but_positions_are_an_error() {
    let build = |position: [f32; 9], normal: [f32; 9]| {
        let mut b = Builder::new();
        let (position, normal) = (b.floats("VEC3", 3, &position), b.floats("VEC3", 3, &normal));
        let attributes = json!({"POSITION": position, "NORMAL": normal});
        b.with(json!({"meshes": [{"primitives": [{"attributes": attributes}]}]}))
    };
    let (scene, warnings) = import(&build([1.0; 9], [0.0, f32::NAN, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])).unwrap();
    assert_eq!(scene.meshes[0].triangles.normals, [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]]);
    let normals = "meshes[0].primitives[0].attributes.NORMAL (accessors[1])";
    let replaced = GltfWarning::ValuesNotFinite { count: 1, replacement: vec![0.0; 3] };
    assert_eq!(warnings[0], warning(normals, replaced));
    let mut infinite = [1.0; 9];
    infinite[7] = f32::INFINITY;
    let position = [1.0, f32::INFINITY, 1.0];
    let want = GltfFault::NotFinite { vertex: 2, in_pose: false, position };
    let positions = "meshes[0].primitives[0].attributes.POSITION".into();
    assert_eq!(fault(import(&build(infinite, [0.0; 9]))), (positions, want));
}

#[test]
fn a_scene_without_triangles_names_one_that_has_some() {
    let error = |scenes: Value, scene: usize| {
        let document = triangle(json!({"scene": scene, "scenes": scenes,
            "nodes": [{}, {"children": [2]}, {"mesh": 0}, {"mesh": 1},
                {"mesh": 0, "extensions": {"KHR_node_visibility": {"visible": false}}}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]},
                {"primitives": [{"attributes": {"POSITION": 0}, "mode": 1}]}]}));
        let text = document.to_string();
        match crate::load_from(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default()).unwrap_err().error {
            ImportError::Empty { path, elsewhere } if path == Path::new("a.gltf") => elsewhere,
            other => panic!("{other}"),
        }
    };
    let named = |index: usize, name: &str| Some(SceneOfFile { index, name: name.into() });
    assert_eq!(error(json!([{"nodes": [0]}, {"nodes": [3]}, {"nodes": [4]}]), 0), None);
    let far = json!([{"nodes": [0]}, {"nodes": [3, 0]}, {"name": "far", "nodes": [1]}]);
    assert_eq!(error(far, 1), named(2, "far"));
    let unnamed = json!([{"nodes": [1]}, {"nodes": [0]}]);
    assert_eq!(error(unnamed, 1), named(0, ""));
}

#[test]
fn what_was_left_out_is_said_before_the_error_that_nothing_is_there() {
    let check = |name: &str, text: &str, want: WarningKind| {
        let error = crate::load_from(text.as_bytes(), Path::new(name), &LoadOptions::default()).unwrap_err();
        let said: Vec<&WarningKind> = error.warnings.iter().map(|warning| &warning.kind).collect();
        assert_eq!((said, matches!(error.error, ImportError::Empty { .. })), (vec![&want], true));
    };
    let lines = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {}, "mode": 1}]}]}"#;
    check("a.gltf", lines, GltfWarning::PointsOrLines.into());
    let curve = "WorldBegin Shape \"curve\" \"point3 P\" [0 0 0 1 0 0 1 1 0 0 1 0]";
    check("a.pbrt", curve, PbrtWarning::Shape { kind: "curve".into() }.into());
}
