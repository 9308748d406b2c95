//! Files that break the rules: an error that names the place, never a panic.

use super::*;

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
    let cases = [
        ("/asset", json!({}), "asset.version: is missing"),
        ("/asset/version", json!("1.0"), "needs glTF 1.0"),
        ("/asset/minVersion", json!("2.1"), "needs glTF 2.1"),
        ("/extensionsRequired", json!(["KHR_new"]), "requires the extension KHR_new"),
        ("/scene", json!(3), "scene: refers to scenes[3], but there are 1"),
        ("/scenes/0/nodes/0", json!(9), "scenes[0].nodes: refers to nodes[9]"),
        ("/nodes/0/children", json!([7]), "nodes[0].children: refers to nodes[7]"),
        ("/nodes/0/mesh", json!(1), "nodes[0]: refers to meshes[1]"),
        ("/nodes/0/mesh", json!(-1), "broken document"),
        ("/nodes/0/mesh", json!(0.5), "broken document"),
        ("/nodes/0/camera", json!(1), "nodes[0]: refers to cameras[1]"),
        ("/nodes/0/extensions/KHR_lights_punctual/light", json!(4), "nodes[0].extensions.KHR_lights_punctual: refers"),
        ("/nodes/0/extensions/KHR_lights_punctual", json!({}), "names no light"),
        ("/nodes/0/scale", json!([1e30, 1, 1]), ""),
        ("/nodes/0/scale", json!([1e300, 1, 1]), "fits 32-bit floating point"),
        ("/nodes/0/matrix", json!([1, 2]), "broken document"),
        ("/cameras/0/perspective/yfov", json!(0), "cameras[0]: yfov is 0"),
        ("/cameras/0/perspective/yfov", json!(4), "cameras[0]: yfov is 4"),
        ("/cameras/0/type", json!("fisheye"), "cameras[0]: type \"fisheye\""),
        ("/meshes/0/primitives/0/mode", json!(7), "meshes[0].primitives[0].mode: unknown mode 7"),
        ("/meshes/0/primitives/0/material", json!(5), "meshes[0].primitives[0].material: refers to materials[5]"),
        ("/meshes/0/primitives/0/indices", json!(8), "meshes[0].primitives[0].indices: refers to accessors[8]"),
        ("/meshes/0/primitives/0/indices", json!(0), "primitives[0].indices (accessors[0]): indices must be scalars"),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(2),
            "attributes.POSITION (accessors[2]): has 2 components",
        ),
        ("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(77), "attributes.TEXCOORD_0: refers to accessors[77]"),
        ("/accessors/0/bufferView", json!(6), "refers to bufferViews[6]"),
        ("/accessors/0/componentType", json!(0), "unknown componentType 0"),
        ("/accessors/0/componentType", json!(5130), "componentType 5130"),
        ("/accessors/0/type", json!("MAT3"), "type MAT3"),
        ("/accessors/0/type", json!("VEC9"), "unknown type"),
        ("/accessors/0/count", json!(4), "4 elements of 12 bytes, 12 apart from byte 0, do not fit bufferViews[0]"),
        ("/accessors/0/count", json!(1_u64 << 40), "can be indexed"),
        ("/accessors/0/count", json!(u64::MAX), "can be indexed"),
        ("/accessors/0/byteOffset", json!(1), "do not fit bufferViews[0]"),
        ("/accessors/0/byteOffset", json!(u64::MAX), "do not fit bufferViews[0]"),
        ("/accessors/1/count", json!(2), ""),
        ("/accessors/2/count", json!(2), "attributes.TEXCOORD_0: has 2 elements, but there are 3 positions"),
        ("/accessors/0", json!({"componentType": 5126, "type": "VEC3", "count": 1_u64 << 31}), "without a buffer view"),
        ("/accessors/1", json!({"componentType": 5121, "type": "SCALAR", "count": 3, "bufferView": 2}), ""),
        ("/bufferViews/0/buffer", json!(3), "bufferViews[0]: refers to buffers[3]"),
        ("/bufferViews/0", json!({"byteLength": 36}), "bufferViews[0]: names no buffer"),
        ("/bufferViews/0/byteLength", json!(37), "bufferViews[0]: 37 bytes from byte 0 do not fit buffers[0]"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "do not fit buffers[0]"),
        ("/bufferViews/0/byteStride", json!(8), "bufferViews[0].byteStride is 8, but an element has 12 bytes"),
        ("/bufferViews/0/byteStride", json!(u64::MAX), "do not fit"),
        ("/buffers/0/byteLength", json!(100), "buffers[0]: byteLength is 100, but only 36 bytes are there"),
        ("/buffers/0/uri", json!("data:;base64,??"), "buffers[0].uri: the data URI is not base64"),
        ("/buffers/0/uri", json!("http://example.org/a.bin"), "buffers[0].uri: http:// URIs are not fetched"),
        ("/buffers/0", json!({"byteLength": 36}), "buffers[0]: has no uri"),
        ("/textures/0/source", json!(2), "textures[0]: refers to images[2]"),
        ("/textures/0/sampler", json!(2), "textures[0]: refers to samplers[2]"),
        ("/images/0", json!({}), "images[0]: has neither a uri nor a bufferView"),
        ("/images/0", json!({"bufferView": 12}), "images[0]: refers to bufferViews[12]"),
        ("/images/0", json!({"uri": "https://example.org/a.png"}), "images[0].uri: https://"),
        (
            "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
            json!(9),
            "materials[0].pbrMetallicRoughness.baseColorTexture: refers to textures[9]",
        ),
        ("/materials/0/pbrMetallicRoughness/baseColorTexture", json!({}), "baseColorTexture: names no texture"),
        ("/materials/0/pbrMetallicRoughness/metallicFactor", json!("x"), "broken document"),
        ("/materials/0/emissiveFactor", json!([1e39, 0, 0]), "fits 32-bit"),
    ];
    for (pointer, value, want) in cases {
        let document = changed(&good, pointer, value.clone());
        match import(&document) {
            Ok(_) => assert_eq!(want, "", "{pointer} = {value} was accepted"),
            Err(error) => assert!(
                !want.is_empty() && error.contains(want) && error.contains("test.gltf"),
                "{pointer} = {value}: {error}"
            ),
        }
    }
}

#[test]
fn an_index_past_the_vertices_is_named() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0; 9]);
    b.indices(&[0, 1, 3]);
    let document = b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]}));
    let error = import(&document).unwrap_err();
    assert!(error.contains("indices (accessors[1]): index 2 is vertex 3, but there are only 3"), "{error}");
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
    assert_eq!(build(&[0, 2], sparse(2, 5123)), Ok(()));
    for (indices, sparse, want) in [
        (&[2, 0][..], sparse(2, 5123), "rise strictly"),
        (&[1, 1], sparse(2, 5123), "rise strictly"),
        (&[0, 3], sparse(2, 5123), "below 3"),
        (&[0, 1], sparse(4, 5123), "changes 4 of 3"),
        (&[0, 1], sparse(2, 5125), "do not fit"),
        (&[0, 1], sparse(2, 5122), "unsigned"),
    ] {
        let error = build(indices, sparse).unwrap_err();
        assert!(error.contains("(accessors[0]).sparse") && error.contains(want), "{error}, not {want}");
    }
}

#[test]
fn missing_buffers_leave_their_primitives_out() {
    let document = changed(&sample(), "/buffers/0/uri", json!("dir/gone.bin"));
    let (scene, warnings) = import(&document).unwrap();
    assert_eq!((scene.meshes.len(), scene.cameras.len(), scene.lights.len()), (0, 1, 1));
    assert_eq!(warnings, ["dir/gone.bin: missing; rendered without it"]);
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
    assert!(import(&document).unwrap_err().contains("TANGENT"));
    let copies = vec![json!({"mesh": 0}); 3000];
    let parts = vec![json!({"attributes": {"POSITION": 0}}); 10_000];
    let nodes: Vec<usize> = (0..3000).collect();
    let document = triangle(json!({"meshes": [{"primitives": parts}], "nodes": copies, "scenes": [{"nodes": nodes}]}));
    let error = import(&document).unwrap_err();
    assert!(error.contains("256 times its own size"), "{error}");
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
        crate::import::fuzz_gltf(&bytes);
    }
}

#[test]
fn unknown_extensions_that_are_only_used_warn_by_name() {
    let used = json!(["KHR_new", "KHR_materials_variants", "KHR_texture_transform"]);
    let (_, warnings) = import(&changed(&sample(), "/extensionsUsed", used)).unwrap();
    assert_eq!(warnings, ["test.gltf: extensionsUsed: the extension KHR_new is not supported; rendered without it"]);
}

#[test]
fn an_extension_that_the_file_does_not_list_is_said_all_the_same() {
    let (_, warnings) = import(&json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_listed"], "extensions": {"EXT_listed": {}},
        "nodes": [{"mesh": 0, "extensions": {"MSFT_lod": {"ids": [1]}, "KHR_node_hoverability": {}}}],
        "meshes": [{"primitives": [{"attributes": {}, "extensions": {"EXT_primitive": 1}}]}],
        "materials": [{"extensions": {"KHR_materials_wool": {}, "KHR_materials_ior": {"ior": 1.25}}}]}))
    .unwrap();
    let want = |(place, name): (&str, &str)| {
        format!("test.gltf: {place}: the extension {name} is not supported; rendered without it")
    };
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
    let warning = format!("test.gltf: byte {}: 3 bytes behind the end that the header says are not read", glb.len());
    assert_eq!((said(b"\0a\0"), said(b"\0\0"), said(b"")), (vec![warning], vec![], vec![]));
}
