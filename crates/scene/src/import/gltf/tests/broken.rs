//! Files that break the rules: an error that names the place, never a panic.

use super::*;
use crate::import::gltf::json::SINGLE;

/// Returns `document` with the member at `pointer` replaced, or added to its parent.
fn changed(document: &Value, pointer: &str, value: Value) -> Value {
    let mut document = document.clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
        Value::Object(map) => {
            map.insert(key.into(), value);
        }
        Value::Array(array) => array[key.parse::<usize>().unwrap()] = value,
        _ => panic!("{pointer} is in nothing"),
    }
    document
}

/// Returns a document with an indexed, textured triangle, a camera and a light.
fn sample() -> Value {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.indices(&[0, 1, 2]);
    b.floats("VEC2", 2, &[0.0; 6]);
    b.with(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 2}, "indices": 1, "material": 0}]}],
        "nodes": [{"mesh": 0, "camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0, "sampler": 0}], "images": [{"uri": PIXELS}], "samplers": [{}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1}}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
    }))
}

#[test]
fn each_fault_is_an_error_that_names_its_place() {
    let good = sample();
    clean(&good);
    let primitive = |rest: &str| format!("meshes[0].primitives[0].{rest}");
    let position = primitive("attributes.POSITION (accessors[0])");
    let version = |needed: &str| GltfFault::Version { needed: needed.into() };
    let camera = |kind: &str| GltfFault::CameraType { kind: kind.into() };
    let accessor = |kind: &str| GltfFault::AccessorType { kind: kind.into() };
    let outside =
        |count, offset, stride, length| GltfFault::OutsideView { count, size: 12, stride, offset, view: 0, length };
    let buffer = |length, offset| GltfFault::OutsideBuffer { length, offset, buffer: 0, size: 36 };
    let network = |scheme: &str| GltfFault::NetworkUri { scheme: scheme.into() };
    let names_no = |what| GltfFault::NamesNo { what };
    let light = "nodes[0].extensions.KHR_lights_punctual".to_string();
    let base = "materials[0].pbrMetallicRoughness.baseColorTexture".to_string();
    let implicit = json!({"componentType": 5126, "type": "VEC3", "count": 1_u64 << 31});
    let cases: Vec<(&str, Value, String, GltfFault)> = vec![
        ("/asset", json!({}), "asset.version".into(), GltfFault::NoVersion),
        ("/asset/version", json!("1.0"), "asset.version".into(), version("1.0")),
        ("/asset/minVersion", json!("2.1"), "asset.version".into(), version("2.1")),
        (
            "/extensionsRequired",
            json!(["KHR_new"]),
            "extensionsRequired".into(),
            GltfFault::Extension { name: "KHR_new".into() },
        ),
        ("/scene", json!(3), "scene".into(), no_entry("scenes", 3, 1)),
        ("/scenes/0/nodes/0", json!(9), "scenes[0].nodes".into(), no_entry("nodes", 9, 1)),
        ("/nodes/0/children", json!([7]), "nodes[0].children".into(), no_entry("nodes", 7, 1)),
        ("/nodes/0/mesh", json!(1), "nodes[0]".into(), no_entry("meshes", 1, 1)),
        ("/nodes/0/camera", json!(1), "nodes[0]".into(), no_entry("cameras", 1, 1)),
        (
            "/nodes/0/extensions/KHR_lights_punctual/light",
            json!(4),
            light.clone(),
            no_entry("extensions.KHR_lights_punctual.lights", 4, 1),
        ),
        ("/nodes/0/extensions/KHR_lights_punctual", json!({}), light, names_no("light")),
        ("/cameras/0/perspective/yfov", json!(0), "cameras[0]".into(), GltfFault::FieldOfView { yfov: 0.0 }),
        ("/cameras/0/perspective/yfov", json!(4), "cameras[0]".into(), GltfFault::FieldOfView { yfov: 4.0 }),
        ("/cameras/0/type", json!("fisheye"), "cameras[0]".into(), camera("fisheye")),
        ("/meshes/0/primitives/0/mode", json!(7), primitive("mode"), GltfFault::Mode { mode: 7 }),
        ("/meshes/0/primitives/0/material", json!(5), primitive("material"), no_entry("materials", 5, 1)),
        ("/meshes/0/primitives/0/indices", json!(8), primitive("indices"), no_entry("accessors", 8, 3)),
        ("/meshes/0/primitives/0/indices", json!(0), primitive("indices (accessors[0])"), GltfFault::IndexType),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(2),
            primitive("attributes.POSITION (accessors[2])"),
            GltfFault::Components { found: 2, allowed: vec![3] },
        ),
        (
            "/meshes/0/primitives/0/attributes/TEXCOORD_0",
            json!(77),
            primitive("attributes.TEXCOORD_0"),
            no_entry("accessors", 77, 3),
        ),
        ("/accessors/0/bufferView", json!(6), position.clone(), no_entry("bufferViews", 6, 3)),
        ("/accessors/0/componentType", json!(0), position.clone(), GltfFault::ComponentType { code: 0 }),
        ("/accessors/0/componentType", json!(5130), position.clone(), GltfFault::UnreadComponentType { code: 5130 }),
        ("/accessors/0/type", json!("MAT3"), position.clone(), GltfFault::Matrix { kind: "MAT3".into() }),
        ("/accessors/0/type", json!("VEC9"), position.clone(), accessor("VEC9")),
        ("/accessors/0/count", json!(4), position.clone(), outside(4, 0, 12, 36)),
        ("/accessors/0/count", json!(1_u64 << 40), position.clone(), GltfFault::Elements { count: 1 << 40 }),
        ("/accessors/0/count", json!(u64::MAX), position.clone(), GltfFault::Elements { count: u64::MAX }),
        ("/accessors/0/byteOffset", json!(1), position.clone(), outside(3, 1, 12, 36)),
        ("/accessors/0/byteOffset", json!(u64::MAX), position.clone(), outside(3, u64::MAX, 12, 36)),
        (
            "/accessors/2/count",
            json!(2),
            primitive("attributes.TEXCOORD_0"),
            GltfFault::AttributeCount { found: 2, positions: 3 },
        ),
        ("/accessors/0", implicit, position.clone(), GltfFault::ImplicitElements { count: 1 << 31 }),
        ("/bufferViews/0/buffer", json!(3), "bufferViews[0]".into(), no_entry("buffers", 3, 3)),
        ("/bufferViews/0", json!({"byteLength": 36}), "bufferViews[0]".into(), names_no("buffer")),
        ("/bufferViews/0/byteLength", json!(37), "bufferViews[0]".into(), buffer(37, 0)),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "bufferViews[0]".into(), buffer(36, u64::MAX)),
        ("/bufferViews/0/byteStride", json!(8), position.clone(), GltfFault::Stride { view: 0, stride: 8, size: 12 }),
        ("/bufferViews/0/byteStride", json!(u64::MAX), position, outside(3, 0, u64::MAX, 36)),
        ("/buffers/0/byteLength", json!(100), "buffers[0]".into(), GltfFault::ShortBuffer { stated: 100, found: 36 }),
        ("/buffers/0/uri", json!("http://example.org/a.bin"), "buffers[0].uri".into(), network("http")),
        ("/buffers/0", json!({"byteLength": 36}), "buffers[0]".into(), GltfFault::NoUri),
        ("/textures/0/source", json!(2), "textures[0]".into(), no_entry("images", 2, 1)),
        ("/textures/0/sampler", json!(2), "textures[0]".into(), no_entry("samplers", 2, 1)),
        ("/images/0", json!({}), "images[0]".into(), GltfFault::NoImageBytes),
        ("/images/0", json!({"bufferView": 12}), "images[0]".into(), no_entry("bufferViews", 12, 3)),
        ("/images/0", json!({"uri": "https://example.org/a.png"}), "images[0].uri".into(), network("https")),
        (
            "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
            json!(9),
            base.clone(),
            no_entry("textures", 9, 1),
        ),
        ("/materials/0/pbrMetallicRoughness/baseColorTexture", json!({}), base, names_no("texture")),
    ];
    for (pointer, value, item, want) in cases {
        assert_eq!(fault(import(&changed(&good, pointer, value.clone()))), (item, want), "{pointer} = {value}");
    }
    let (item, found) = fault(import(&changed(&good, "/buffers/0/uri", json!("data:;base64,??"))));
    assert!(item == "buffers[0].uri" && matches!(found, GltfFault::NotBase64 { .. }), "{item}: {found}");
}

#[test]
fn members_of_another_type_break_the_document() {
    let good = sample();
    for (pointer, value, is_large) in [
        ("/nodes/0/mesh", json!(-1), false),
        ("/nodes/0/mesh", json!(0.5), false),
        ("/nodes/0/scale", json!([1e300, 1, 1]), true),
        ("/nodes/0/matrix", json!([1, 2]), false),
        ("/materials/0/pbrMetallicRoughness/metallicFactor", json!("x"), false),
        ("/materials/0/emissiveFactor", json!([1e39, 0, 0]), true),
    ] {
        let error = import(&changed(&good, pointer, value)).unwrap_err();
        let (_, Place::Line(1), FaultKind::Gltf(GltfFault::Document { error })) = told(error).unwrap() else {
            panic!("{pointer}")
        };
        assert_eq!(error.contains(SINGLE), is_large, "{pointer}: {error}");
    }
    for (pointer, value) in [
        ("/nodes/0/scale", json!([1e30, 1, 1])),
        ("/accessors/1/count", json!(2)),
        ("/accessors/1", json!({"componentType": 5121, "type": "SCALAR", "count": 3, "bufferView": 2})),
    ] {
        assert!(import(&changed(&good, pointer, value)).is_ok(), "{pointer}");
    }
}

#[test]
fn an_index_past_the_vertices_is_named() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0; 9]);
    b.indices(&[0, 1, 3]);
    let document = b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]}));
    let (item, found) = fault(import(&document));
    assert_eq!(item, "meshes[0].primitives[0].indices (accessors[1])");
    assert_eq!(found, GltfFault::Index { at: 2, vertex: 3, vertices: 3 });
}

#[test]
fn broken_sparse_parts_are_errors() {
    let build = |indices: &[u16], sparse: Value| {
        let mut b = Builder::new();
        b.floats("VEC3", 3, &[0.0; 9]);
        b.indices(indices);
        b.0["accessors"][0]["sparse"] = sparse;
        import(&b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}))).map(drop)
    };
    let sparse = |count: u64, component: u32| json!({"count": count, "indices": {"bufferView": 1, "componentType": component}, "values": {"bufferView": 0}});
    build(&[0, 2], sparse(2, 5123)).unwrap();
    let order = GltfFault::SparseIndices { count: 3 };
    let outside = GltfFault::OutsideView { count: 2, size: 4, stride: 4, offset: 0, view: 1, length: 4 };
    for (indices, sparse, want) in [
        (&[2, 0][..], sparse(2, 5123), order.clone()),
        (&[1, 1], sparse(2, 5123), order.clone()),
        (&[0, 3], sparse(2, 5123), order),
        (&[0, 1], sparse(4, 5123), GltfFault::SparseCount { changed: 4, count: 3 }),
        (&[0, 1], sparse(2, 5125), outside),
        (&[0, 1], sparse(2, 5122), GltfFault::SparseIndexType),
    ] {
        let (item, found) = fault(build(indices, sparse));
        assert_eq!(item, "meshes[0].primitives[0].attributes.POSITION (accessors[0]).sparse");
        assert_eq!(found, want);
    }
}

#[test]
fn missing_buffers_leave_their_primitives_out() {
    let document = changed(&sample(), "/buffers/0/uri", json!("dir/gone.bin"));
    let (scene, warnings) = import(&document).unwrap();
    assert_eq!((scene.meshes.len(), scene.cameras.len(), scene.lights.len()), (0, 1, 1));
    let gone = Warning { path: "dir/gone.bin".into(), place: Place::File, kind: WarningKind::Missing };
    assert_eq!(warnings, [gone]);
}

#[test]
fn a_small_file_cannot_ask_for_unbounded_memory() {
    // 2,000 primitives over one view of 3 MB: each reads all of it again.
    let mut b = Builder::new();
    let bytes = vec![0; 3_000_000];
    let zeros = b.accessor(&bytes, json!({"componentType": 5120, "count": 1_000_000, "type": "VEC3"}));
    let part = json!({"attributes": {"POSITION": zeros, "NORMAL": zeros, "TANGENT": zeros}});
    let document = b.with(json!({"meshes": [{"primitives": vec![part; 2000]}]}));
    // Reading TANGENT fails on its three components; without it the budget decides.
    assert!(fault(import(&document)).0.contains("TANGENT"));
    let copies = vec![json!({"mesh": 0}); 3000];
    let parts = vec![json!({"attributes": {"POSITION": 0}}); 10_000];
    let nodes: Vec<usize> = (0..3000).collect();
    let document = triangle(json!({"meshes": [{"primitives": parts}], "nodes": copies, "scenes": [{"nodes": nodes}]}));
    assert_eq!(fault(import(&document)).1, GltfFault::RepeatedData);
}

/// Returns the sample document with a sparse accessor, interleaved and compressed views, instances and a second node.
fn rich() -> Value {
    let mut document = sample();
    // Three vertices of four bytes, all zero: a stream of three header-less channels.
    let stream = [&[0xa1, 0b1010_1010][..], &[0; 24]].concat();
    let buffers = document["buffers"].as_array_mut().unwrap();
    buffers.push(json!({"byteLength": stream.len(), "uri": data_uri(&stream)}));
    buffers.push(json!({"byteLength": 12, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}));
    document["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 4, "byteLength": 12, "byteStride": 4,
        "extensions": {"EXT_meshopt_compression": {"buffer": 3, "byteOffset": 0, "byteLength": 26, "byteStride": 4,
            "count": 3, "mode": "ATTRIBUTES", "filter": "OCTAHEDRAL"}}}));
    document["accessors"][0]["sparse"] = json!({"count": 1, "indices": {"bufferView": 1, "byteOffset": 2, "componentType": 5123}, "values": {"bufferView": 0}});
    let accessors = document["accessors"].as_array_mut().unwrap();
    accessors.push(json!({"bufferView": 3, "byteOffset": 0, "componentType": 5120, "normalized": true, "count": 3, "type": "VEC3"}));
    document["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(3);
    document["meshes"][0]["primitives"][0]["mode"] = json!(5);
    document["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"] =
        json!({"attributes": {"TRANSLATION": 0, "SCALE": 0}});
    document["nodes"][0]["children"] = json!([1]);
    document["nodes"].as_array_mut().unwrap().push(json!({"mesh": 0, "scale": [1, 1, 1], "rotation": [0, 0, 0, 1]}));
    document
}

#[test]
fn numbers_and_types_that_lie_never_panic() {
    fn leaves(value: &Value, at: &str, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, v)| leaves(v, &format!("{at}/{key}"), out)),
            Value::Array(array) => array.iter().enumerate().for_each(|(i, v)| leaves(v, &format!("{at}/{i}"), out)),
            _ => {}
        }
        if !at.is_empty() {
            out.push(at.into());
        }
    }
    let good = rich();
    let scene = clean(&good);
    assert_eq!((scene.instances.len(), scene.meshes[0].triangles.indices.len()), (4, 1));
    let mut pointers = Vec::new();
    leaves(&good, "", &mut pointers);
    let lies: Vec<Value> = [
        "0",
        "1",
        "2",
        "3",
        "5",
        "7",
        "-1",
        "255",
        "65535",
        "2147483647",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551615",
        "18446744073709551612",
        "0.5",
        "-1e30",
        "1e38",
        "null",
        "true",
        "\"VEC4\"",
        "\"\"",
        "{}",
        "[]",
        "[0]",
        "5120",
        "5121",
        "5125",
        "5126",
        "[3,3,3]",
    ]
    .map(|text| serde_json::from_str(text).unwrap())
    .to_vec();
    let mut loaded = 0;
    for pointer in &pointers {
        for lie in &lies {
            loaded += usize::from(import(&changed(&good, pointer, lie.clone())).is_ok());
        }
    }
    // Most lies must not be caught by the first check, or this tests nothing.
    assert!(loaded > pointers.len() * 2, "{loaded} of {}", pointers.len() * lies.len());
}

#[test]
fn changed_bytes_never_panic() {
    let glb = include_bytes!("../../../../tests/data/feature_grid.glb");
    let document = sample().to_string().into_bytes();
    let mut numbers = raywarp_testing::Random::new(1);
    let mut random = |below: usize| numbers.below(below);
    // RAYWARP_FUZZ_ROUNDS asks for a longer run.
    let rounds = std::env::var("RAYWARP_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    for round in 0..rounds {
        // The GLB's document is where structure is; its images would only take time.
        let source = if round % 8 == 0 { &glb[..] } else { &document[..] };
        let mut bytes = source.to_vec();
        let reach = if round % 8 == 0 { 12_000 } else { bytes.len() };
        for _ in 0..1 + random(3) {
            let at = random(reach);
            bytes[at] = match random(3) {
                0 => b"0123456789-.e{}[],:\""[random(20)],
                1 => random(256) as u8,
                _ => bytes[at] ^ 1 << random(8),
            };
        }
        if random(10) == 0 {
            bytes.truncate(random(source.len()));
        }
        crate::import::fuzz::gltf(&bytes);
    }
}

#[test]
fn unknown_extensions_that_are_only_used_warn_by_name() {
    let used = json!(["KHR_new", "KHR_materials_variants", "KHR_texture_transform"]);
    let (_, warnings) = import(&changed(&sample(), "/extensionsUsed", used)).unwrap();
    let unknown = GltfWarning::Extension { name: "KHR_new".into() };
    assert_eq!(warnings, [warning("extensionsUsed", unknown)]);
}

#[test]
fn an_extension_that_the_file_does_not_list_is_said_all_the_same() {
    let (_, warnings) = import(&json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_listed"], "extensions": {"EXT_listed": {}},
        "nodes": [{"mesh": 0, "extensions": {"MSFT_lod": {"ids": [1]}, "KHR_node_hoverability": {}}}],
        "meshes": [{"primitives": [{"attributes": {}, "extensions": {"EXT_primitive": 1}}]}],
        "materials": [{"extensions": {"KHR_materials_wool": {}, "KHR_materials_ior": {"ior": 1.25}}}]}))
    .unwrap();
    let want = |(item, name): (&str, &str)| warning(item, GltfWarning::Extension { name: name.into() });
    let unlisted = [
        ("extensionsUsed", "EXT_listed"),
        ("nodes", "MSFT_lod"),
        ("materials", "KHR_materials_wool"),
        ("meshes", "EXT_primitive"),
    ];
    assert_eq!(warnings[..4], unlisted.map(want));
}

#[test]
fn bytes_behind_a_glb_are_said_but_zeros_are_padding() {
    let json = br#"{"asset":{"version":"2.0"}}     "#;
    let mut glb = [b"glTF", &2u32.to_le_bytes()[..], &(20 + json.len() as u32).to_le_bytes()].concat();
    glb.extend([&(json.len() as u32).to_le_bytes()[..], b"JSON", json].concat());
    let said = |more: &[u8]| import_raw(&[&glb[..], more].concat()).unwrap().1;
    let place = Place::Offset(glb.len() as u64);
    let behind = Warning { path: "test.gltf".into(), place, kind: GltfWarning::BytesBehindEnd { count: 3 }.into() };
    assert_eq!((said(b"\0a\0"), said(b"\0\0"), said(b"")), (vec![behind], vec![], vec![]));
}
