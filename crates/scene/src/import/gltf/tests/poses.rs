//! Morph targets, skins and animations.

use super::*;
use crate::import::GltfOptions;

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Imports a document as [`import`] does, with a choice of scene, animation or variant.
fn shown(document: &Value, gltf: GltfOptions) -> Result<(Description, Vec<Warning>), ImportError> {
    let path = Path::new("test.gltf");
    let options = LoadOptions { allow_missing: true, gltf, ..LoadOptions::default() };
    let mut context = Context::new(path, &options);
    let bytes = document.to_string();
    let scene = import_bytes(path, bytes.as_bytes(), External::Missing, &mut context)?;
    let warnings = context.finish()?;
    crate::validate(&scene).map_err(|invalid| invalid.in_file(path))?;
    Ok((scene, warnings))
}

fn at(seconds: f64) -> GltfOptions {
    GltfOptions { at: Some(seconds), ..GltfOptions::default() }
}

/// Returns the world positions of all vertices of all instances.
fn corners(scene: &Description) -> Vec<[f32; 3]> {
    let of = |i: &crate::Instance| {
        let positions = &scene.meshes[i.mesh.index()].triangles.positions;
        positions.iter().map(|&p| i.transform.point(p)).collect::<Vec<_>>()
    };
    scene.instances.iter().flat_map(of).collect()
}

#[track_caller]
fn near(got: &[[f32; 3]], want: &[[f32; 3]]) {
    let is_near = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-5);
    assert!(got.len() == want.len() && got.iter().zip(want).all(is_near), "{got:?}, not {want:?}");
}

/// Returns a document of a triangle with two morph targets: one lifts it and turns its normals, one moves it along x.
fn morphed(more: Value) -> Value {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    b.floats("VEC4", 4, &[1.0, 0.0, 0.0, 1.0].repeat(3));
    b.floats("VEC3", 3, &[0.0, 0.0, 2.0].repeat(3));
    b.floats("VEC3", 3, &[0.0, 1.0, -1.0].repeat(3));
    b.floats("VEC3", 3, &[4.0, 0.0, 0.0].repeat(3));
    b.floats("VEC3", 3, &[-1.0, 1.0, 0.0].repeat(3));
    let attributes = json!({"POSITION": 0, "NORMAL": 1, "TANGENT": 2});
    let targets = json!([{"POSITION": 3, "NORMAL": 4}, {"POSITION": 5, "TANGENT": 6}]);
    let mut document = b.with(json!({"meshes": [{"primitives": [{"attributes": attributes, "targets": targets}]}]}));
    let Value::Object(more) = more else { panic!("no object") };
    document.as_object_mut().unwrap().extend(more);
    document
}

#[test]
fn weights_of_the_mesh_bend_it_and_those_of_the_node_come_first() {
    let mut document = morphed(json!({}));
    let base = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    near(&corners(&clean(&document)), &base);
    document["meshes"][0]["weights"] = json!([0.5, 0]);
    let scene = clean(&document);
    near(&corners(&scene), &base.map(|[x, y, z]| [x, y, z + 1.0]));
    near(&scene.meshes[0].triangles.normals, &[[0.0, HALF, HALF]; 3]);
    document["nodes"][0]["weights"] = json!([0, 0.25]);
    document["nodes"][0]["translation"] = json!([0, 0, 9]);
    let scene = clean(&document);
    near(&corners(&scene), &base.map(|[x, y, z]| [x + 1.0, y, z + 9.0]));
    let [x, y, z, sign] = scene.meshes[0].triangles.tangents[0];
    let length = (0.75f32 * 0.75 + 0.25 * 0.25).sqrt();
    near(&[[x, y, z]], &[[0.75 / length, 0.25 / length, 0.0]]);
    assert_eq!(sign, 1.0);
}

#[test]
fn nodes_share_a_mesh_that_stands_as_it_is_or_is_bent_by_the_same_weights() {
    let nodes = json!([{"mesh": 0}, {"mesh": 0, "weights": [0, 0]}, {"mesh": 0, "weights": [1, 0]},
        {"mesh": 0, "weights": [1]}, {"mesh": 0, "weights": [0, 1]}]);
    let scene = clean(&morphed(json!({"scenes": [{"nodes": [0, 1, 2, 3, 4]}], "nodes": nodes})));
    let meshes: Vec<u32> = scene.instances.iter().map(|instance| instance.mesh.0).collect();
    assert_eq!(meshes, [0, 0, 1, 1, 2]);
}

#[test]
fn morph_targets_move_coordinates_and_colours() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("VEC2", 2, &[0.25; 6]);
    b.floats("VEC3", 3, &[0.5; 9]);
    b.floats("VEC3", 3, &[1.0, -0.25, 0.0].repeat(3));
    let scene = clean(&b.with(json!({"meshes": [{"weights": [1], "primitives": [{
        "attributes": {"POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2}, "targets": [{"TEXCOORD_0": 1, "COLOR_0": 3}]}]}]})));
    assert_eq!(scene.meshes[0].triangles.uvs, [[0.5; 2]; 3]);
    assert_eq!(scene.meshes[0].triangles.colors, [[1.0, 0.25, 0.5, 1.0]; 3]);
}

/// Returns a document of a triangle on two joints: nodes 1 and 2, the second a child of the first; node 0 has the skin.
fn skinned(weights: &[[f32; 4]; 3], joints: &[[u8; 4]; 3], bind: Option<&[f32]>, nodes: Value) -> Value {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    b.floats("VEC4", 4, weights.as_flattened());
    b.accessor(joints.as_flattened(), json!({"componentType": 5121, "count": 3, "type": "VEC4"}));
    let bind = bind.map(|bind| b.floats("MAT4", 16, bind));
    let mut skin = json!({"joints": [1, 2]});
    if let Some(bind) = bind {
        skin["inverseBindMatrices"] = json!(bind);
    }
    let attributes = json!({"POSITION": 0, "NORMAL": 1, "WEIGHTS_0": 2, "JOINTS_0": 3});
    let mut document = b.with(json!({"meshes": [{"primitives": [{"attributes": attributes}]}], "skins": [skin],
        "scenes": [{"nodes": [0, 1]}]}));
    document["nodes"] = nodes;
    document
}

const FIRST: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 0.0]; 3];
const ZERO_ONE: [[u8; 4]; 3] = [[0, 1, 0, 0]; 3];

#[test]
fn a_skin_places_a_mesh_by_its_joints_and_not_by_its_node() {
    // The first joint turns by 90 degrees about z and shifts; the second stands one further along its x.
    let nodes = json!([
        {"mesh": 0, "skin": 0, "translation": [100, 0, 0], "scale": [7, 7, 7]},
        {"children": [2], "rotation": [0, 0, HALF, HALF], "translation": [0, 0, 5]},
        {"translation": [1, 0, 0]}]);
    let second = [[0.0, 1.0, 0.0, 0.0]; 3];
    near(
        &corners(&clean(&skinned(&FIRST, &ZERO_ONE, None, nodes.clone()))),
        &[[0.0, 0.0, 5.0], [0.0, 1.0, 5.0], [-1.0, 0.0, 5.0]],
    );
    near(
        &corners(&clean(&skinned(&second, &ZERO_ONE, None, nodes.clone()))),
        &[[0.0, 1.0, 5.0], [0.0, 2.0, 5.0], [-1.0, 1.0, 5.0]],
    );
    // Weights of 2 and 2 are halves of each.
    let both = [[2.0, 2.0, 0.0, 0.0]; 3];
    near(
        &corners(&clean(&skinned(&both, &ZERO_ONE, None, nodes.clone()))),
        &[[0.0, 0.5, 5.0], [0.0, 1.5, 5.0], [-1.0, 0.5, 5.0]],
    );
    // The inverse of where the first joint stands undoes it.
    let undo = [0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -5.0, 1.0];
    let bind = [undo, undo].concat();
    near(
        &corners(&clean(&skinned(&FIRST, &ZERO_ONE, Some(&bind), nodes))),
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    );
}

#[test]
fn normals_of_a_skin_stay_perpendicular_and_a_mirror_does_not_turn_it_over() {
    // A joint that shears x by z: the plane z = 0 stays, and so does its normal, which the shear itself would tilt.
    let shear = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mirror = [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let nodes = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {}]);
    for bind in [shear, mirror] {
        let bind = [bind, bind].concat();
        let mut document = skinned(&FIRST, &ZERO_ONE, Some(&bind), nodes.clone());
        near(&clean(&document).meshes[0].triangles.normals, &[[0.0, 0.0, 1.0]; 3]);
        let attributes = document["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap();
        attributes.remove("NORMAL");
        let scene = clean(&document);
        let [a, b, c] = scene.meshes[0].triangles.indices[0].map(|i| scene.meshes[0].triangles.positions[i as usize]);
        let side = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(side > 0.0, "{bind:?}: the front looks down");
    }
}

#[test]
fn two_nodes_with_skins_are_two_meshes_and_second_sets_of_joints_count() {
    let mut nodes =
        json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {"translation": [8, 0, 0]}, {"mesh": 0, "skin": 1}]);
    let mut document = skinned(&FIRST, &ZERO_ONE, None, nodes.take());
    document["nodes"] =
        json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {"translation": [8, 0, 0]}, {"mesh": 0, "skin": 1}]);
    document["scenes"] = json!([{"nodes": [0, 1, 3]}]);
    document["skins"].as_array_mut().unwrap().push(json!({"joints": [2, 1]}));
    let scene = clean(&document);
    assert_eq!((scene.meshes.len(), scene.instances.len()), (2, 2));
    assert_eq!([corners(&scene)[0][0], corners(&scene)[3][0]], [0.0, 8.0]);
    // Half by joint 0 of the first set, half by joint 1 of the second.
    let attributes = &mut document["meshes"][0]["primitives"][0]["attributes"];
    attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"].clone();
    attributes["JOINTS_1"] = json!(4);
    let one: Vec<u8> = [1u8, 0, 0, 0].repeat(3);
    let buffers = document["buffers"].as_array_mut().unwrap();
    buffers.push(json!({"byteLength": 12, "uri": data_uri(&one)}));
    document["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 4, "byteLength": 12}));
    let joints = json!({"bufferView": 4, "componentType": 5121, "count": 3, "type": "VEC4"});
    document["accessors"].as_array_mut().unwrap().push(joints);
    assert_eq!(corners(&clean(&document))[0][0], 4.0);
}

#[test]
fn broken_skins_are_errors_and_odd_ones_are_said() {
    let nodes = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {}]);
    let error = |weights, joints, bind: Option<&[f32]>, nodes: &Value| {
        fault(import(&skinned(weights, joints, bind, nodes.clone())))
    };
    let far = [[0, 2, 0, 0]; 3];
    let found = error(&[[0.5, 0.5, 0.0, 0.0]; 3], &far, None, &nodes);
    let joints = "meshes[0].primitives[0].attributes.JOINTS_0 (accessors[3])".into();
    assert_eq!(found, (joints, GltfFault::Joint { vertex: 0, joint: 2, joints: 2 }));
    clean(&skinned(&FIRST, &far, None, nodes.clone()));
    let found = error(&FIRST, &ZERO_ONE, Some(&[0.0; 16]), &nodes);
    let matrices = "skins[0].inverseBindMatrices (accessors[4])".into();
    assert_eq!(found, (matrices, GltfFault::BindMatrices { matrices: 1, joints: 2 }));
    let found = error(&FIRST, &ZERO_ONE, None, &json!([{"mesh": 0, "skin": 0}, {}, {"children": [2]}]));
    assert_eq!(found, ("skins[0].joints".into(), GltfFault::BelowItself { node: 2 }));
    let found = error(&FIRST, &ZERO_ONE, None, &json!([{"mesh": 0, "skin": 1}, {}, {}]));
    assert_eq!(found, ("nodes[0]".into(), no_entry("skins", 1, 1)));

    let (scene, warnings) =
        import(&skinned(&[[0.0; 4], [f32::NAN, 1.0, 0.0, 0.0], FIRST[0]], &ZERO_ONE, None, nodes)).unwrap();
    near(&corners(&scene), &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let primitive = "meshes[0].primitives[0]";
    let weights = format!("{primitive}.attributes.WEIGHTS_0");
    assert!(warnings.contains(&warning(&weights, GltfWarning::WeightsNotFinite { count: 1 })), "{warnings:?}");
    assert!(warnings.contains(&warning(primitive, GltfWarning::Unweighted { count: 1 })), "{warnings:?}");
    let mut document = triangle(json!({"skins": [{"joints": [1]}], "nodes": [
        {"mesh": 0, "skin": 0, "translation": [3, 0, 0]}, {}]}));
    document["scenes"] = json!([{"nodes": [0, 1]}]);
    let (scene, warnings) = import(&document).unwrap();
    assert_eq!(warnings[0], warning(primitive, GltfWarning::NoJoints));
    assert_eq!(corners(&scene)[0], [3.0, 0.0, 0.0]);
}

/// Returns a document of a triangle whose node is animated along `path` by keys at 1 and 3 seconds.
fn animated(path: &str, interpolation: &str, kind: &str, width: usize, output: &[f32]) -> Value {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("SCALAR", 1, &[1.0, 3.0]);
    b.floats(kind, width, output);
    let target = json!({"node": 0, "path": path});
    b.with(json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "animations": [{
        "channels": [{"sampler": 0, "target": target}],
        "samplers": [{"input": 1, "output": 2, "interpolation": interpolation}]}]}))
}

#[test]
fn keys_are_stepped_and_joined_and_times_outside_are_clamped() {
    let first = |document: &Value, time| corners(&shown(document, at(time)).unwrap().0)[0][0];
    let output = [10.0, 0.0, 0.0, 20.0, 0.0, 0.0];
    let linear = animated("translation", "LINEAR", "VEC3", 3, &output);
    for (time, want) in [(-1.0, 10.0), (1.0, 10.0), (1.5, 12.5), (3.0, 20.0), (99.0, 20.0)] {
        assert_eq!(first(&linear, time), want, "at {time}");
    }
    let step = animated("translation", "STEP", "VEC3", 3, &output);
    for (time, want) in [(0.0, 10.0), (2.9, 10.0), (3.0, 20.0)] {
        assert_eq!(first(&step, time), want, "at {time}");
    }
    // Hermite: from 10 leaving at 6 a second, to 20 arriving at -2 a second, over two seconds.
    let spline =
        [[7.0, 0.0, 0.0], [10.0, 0.0, 0.0], [6.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [20.0, 0.0, 0.0], [9.0, 0.0, 0.0]];
    let spline = animated("translation", "CUBICSPLINE", "VEC3", 3, spline.as_flattened());
    for (time, want) in [(0.0, 10.0), (2.0, 15.0 + 2.0 * (6.0 + 2.0) / 8.0), (4.0, 20.0)] {
        assert_eq!(first(&spline, time), want, "at {time}");
    }
}

#[test]
fn turns_go_the_shorter_way_at_a_steady_pace() {
    // From no turn to 120 degrees about z, written the long way round; at a quarter of the time 30 degrees.
    let (sin, cos) = 60f32.to_radians().sin_cos();
    let document = animated("rotation", "LINEAR", "VEC4", 4, &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, -sin, -cos]);
    let (sin, cos) = 30f32.to_radians().sin_cos();
    let scene = shown(&document, at(1.5)).unwrap().0;
    near(&corners(&scene)[1..2], &[[cos, sin, 0.0]]);
}

#[test]
fn quantised_outputs_sparse_times_and_pointers_are_read() {
    let mut document = animated("rotation", "LINEAR", "VEC4", 4, &[]);
    let turn: Vec<u8> = [0i16, 0, 0, 32767, 0, 0, 32767, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    document["buffers"][2] = json!({"byteLength": 16, "uri": data_uri(&turn)});
    document["bufferViews"][2] = json!({"buffer": 2, "byteLength": 16});
    document["accessors"][2] =
        json!({"bufferView": 2, "componentType": 5122, "normalized": true, "count": 2, "type": "VEC4"});
    // Times that are zeros but for the second.
    document["buffers"][1]["uri"] = json!(data_uri(&[&1u32.to_le_bytes()[..], &4f32.to_le_bytes()].concat()));
    document["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 1, "byteOffset": 4, "byteLength": 4}));
    document["accessors"][1] = json!({"componentType": 5126, "count": 2, "type": "SCALAR", "sparse": {"count": 1,
        "indices": {"bufferView": 1, "componentType": 5125}, "values": {"bufferView": 3}}});
    document["animations"][0]["channels"][0]["target"] = json!({"path": "pointer", "extensions":
        {"KHR_animation_pointer": {"pointer": "/nodes/0/rotation"}}});
    let (scene, warnings) = shown(&document, at(2.0)).unwrap();
    near(&corners(&scene)[1..2], &[[0.0, 1.0, 0.0]]);
    let shown_at_2 =
        GltfWarning::AnimationShown { animation: 0, name: String::new(), at: 2.0, first_of: None, end: None };
    assert_eq!(warnings, [warning("animations", shown_at_2)]);
    document["animations"][0]["channels"][0]["target"]["extensions"]["KHR_animation_pointer"]["pointer"] =
        json!("/materials/0/alphaCutoff");
    let (_, warnings) = shown(&document, at(2.0)).unwrap();
    let unmoved = GltfWarning::UnmovedPointer { pointer: "/materials/0/alphaCutoff".into() };
    assert_eq!(warnings[1], warning("animations[0].channels[0].target", unmoved));
}

#[test]
fn pointers_move_single_weights_and_those_of_meshes() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("SCALAR", 1, &[0.0, 1.0]);
    b.floats("SCALAR", 1, &[0.0, 0.0, 1.0, 0.5]);
    b.floats("SCALAR", 1, &[0.25, 0.75]);
    b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    b.floats("VEC3", 3, &[0.0, 8.0, 0.0].repeat(3));
    // One node has weights of its own, one those of the mesh.
    let document = b.with(json!({
        "scenes": [{"nodes": [0, 1, 2]}], "nodes": [{"mesh": 0}, {"mesh": 0, "weights": [0, 1]}, {}],
        "meshes": [{"weights": [1, 1], "primitives": [{"attributes": {"POSITION": 0},
            "targets": [{"POSITION": 4}, {"POSITION": 5}]}]}]}));
    let posed = |pointers: &[(&str, usize)]| {
        let mut document = document.clone();
        let target =
            |pointer: &str| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
        let channels =
            pointers.iter().map(|&(pointer, sampler)| json!({"sampler": sampler, "target": target(pointer)}));
        let samplers = json!([{"input": 1, "output": 2}, {"input": 1, "output": 3}]);
        document["animations"] = json!([{"channels": channels.collect::<Vec<_>>(), "samplers": samplers}]);
        let (scene, warnings) = shown(&document, at(0.5)).unwrap();
        let corners = corners(&scene);
        // How far each node is bent: along z and y.
        let bent = [corners[0], corners[3]].map(|[_, y, z]| (z, y / 8.0));
        (bent, warnings.into_iter().skip(1).map(|warning| warning.kind).collect::<Vec<_>>())
    };
    let clean =
        |pointers: &[(&str, usize)], want: [(f32, f32); 2]| assert_eq!(posed(pointers), (want, vec![]), "{pointers:?}");
    clean(&[], [(1.0, 1.0), (0.0, 1.0)]);
    clean(&[("/meshes/0/weights", 0)], [(0.5, 0.25), (0.0, 1.0)]);
    clean(&[("/meshes/0/weights/1", 1)], [(1.0, 0.5), (0.0, 1.0)]);
    clean(&[("/nodes/0/weights/1", 1)], [(1.0, 0.5), (0.0, 1.0)]);
    clean(&[("/nodes/1/weights/0", 1)], [(1.0, 1.0), (0.5, 1.0)]);
    clean(&[("/meshes/0/weights", 0), ("/nodes/0/weights/0", 1)], [(0.5, 0.25), (0.0, 1.0)]);
    clean(&[("/nodes/1/weights/0", 1), ("/nodes/1/weights/1", 1)], [(1.0, 1.0), (0.5, 0.5)]);
    let said = |pointers: &[(&str, usize)], want: GltfWarning| {
        let (bent, warnings) = posed(pointers);
        assert_eq!(warnings, [WarningKind::from(want)], "{pointers:?}");
        bent
    };
    let earlier = GltfWarning::MovedTwice;
    assert_eq!(said(&[("/nodes/0/weights", 0), ("/nodes/0/weights/1", 1)], earlier.clone())[0], (0.5, 0.25));
    assert_eq!(said(&[("/meshes/0/weights/1", 1), ("/meshes/0/weights", 0)], earlier)[0], (1.0, 0.5));
    said(&[("/nodes/0/weights/2", 1)], GltfWarning::UnknownWeight { weight: 2, targets: 2 });
    said(&[("/nodes/2/weights/0", 1)], GltfWarning::UnknownWeight { weight: 0, targets: 0 });
    for pointer in
        ["/meshes/0/translation", "/meshes/0", "/nodes/0/weights/1/2", "/nodes/0/weights/x", "nodes/0/weights"]
    {
        said(&[(pointer, 1)], GltfWarning::UnmovedPointer { pointer: pointer.into() });
    }
}

#[test]
fn weights_and_joints_are_animated() {
    let mut b = Builder::new();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("SCALAR", 1, &[0.0, 1.0]);
    b.floats("SCALAR", 1, &[0.0, 0.0, 1.0, 0.5]);
    b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    b.floats("VEC3", 3, &[0.0, 8.0, 0.0].repeat(3));
    let document = b.with(json!({
        "meshes": [{"weights": [1, 1], "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 3}, {"POSITION": 4}]}]}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}], "samplers": [{"input": 1, "output": 2}]}]}));
    near(&corners(&shown(&document, at(0.5)).unwrap().0)[..1], &[[0.0, 2.0, 0.5]]);

    let nodes = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {}]);
    let mut document = skinned(&FIRST, &ZERO_ONE, None, nodes);
    document["buffers"]
        .as_array_mut()
        .unwrap()
        .push(json!({"byteLength": 16, "uri": data_uri(&float_bytes(&[0.0, 5.0, 6.0, 7.0]))}));
    document["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 4, "byteLength": 16}));
    let accessors = document["accessors"].as_array_mut().unwrap();
    accessors.push(json!({"bufferView": 4, "componentType": 5126, "count": 1, "type": "SCALAR"}));
    accessors.push(json!({"bufferView": 4, "byteOffset": 4, "componentType": 5126, "count": 1, "type": "VEC3"}));
    document["animations"] = json!([{"channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
        "samplers": [{"input": 4, "output": 5}]}]);
    near(&corners(&shown(&document, at(0.0)).unwrap().0)[..1], &[[5.0, 6.0, 7.0]]);
}

#[test]
fn what_is_shown_is_said_and_what_there_is_not_is_an_error_that_lists_what_there_is() {
    let mut document = animated("translation", "LINEAR", "VEC3", 3, &[10.0, 0.0, 0.0, 20.0, 0.0, 0.0]);
    let said = |document: &Value, choice: GltfOptions| {
        shown(document, choice).map(|(_, warnings)| {
            let about = |warning: &Warning| warning.place == Place::Item("animations".into());
            warnings.into_iter().filter(about).map(|warning| warning.kind).collect::<Vec<_>>()
        })
    };
    let check = |document: &Value, choice: GltfOptions, want: GltfWarning| {
        assert_eq!(said(document, choice).unwrap(), [WarningKind::from(want)]);
    };
    let named = |name: &str| GltfOptions { animation: Some(name.into()), ..GltfOptions::default() };
    check(&document, GltfOptions::default(), GltfWarning::AnimationsNotPlayed { animations: 1 });
    document["animations"].as_array_mut().unwrap().push(json!({"name": "walk"}));
    check(&document, GltfOptions::default(), GltfWarning::AnimationsNotPlayed { animations: 2 });
    let shown = |animation, name: &str, at, first_of, end| {
        let name = name.into();
        GltfWarning::AnimationShown { animation, name, at, first_of, end }
    };
    check(&document, at(4.0), shown(0, "", 4.0, Some(2), Some(3.0)));
    check(&document, named("walk"), shown(1, "walk", 0.0, None, None));
    check(&document, named("1"), shown(1, "walk", 0.0, None, None));
    let none_called = |document: &Value, wanted: &str, names: &[&str]| {
        let names = names.iter().map(ToString::to_string).collect();
        let want = GltfFault::NoChoice { kind: "animation", wanted: wanted.into(), names };
        assert_eq!(fault(said(document, named(wanted))), ("animations".into(), want));
    };
    none_called(&document, "run", &["", "walk"]);
    document["animations"][1]["name"] = json!("");
    none_called(&document, "run", &["", ""]);
    document["animations"].as_array_mut().unwrap().pop();
    none_called(&document, "run", &[""]);
    let none = triangle(json!({}));
    check(&none, at(1.0), GltfWarning::NoAnimation);
    none_called(&none, "walk", &[]);
    let (item, odd) = fault(said(&document, at(f64::NAN)));
    assert!(item == "animations" && matches!(odd, GltfFault::Time { at } if at.is_nan()), "{odd}");
}

#[test]
fn broken_animations_are_errors_where_they_are_shown() {
    let good = animated("translation", "LINEAR", "VEC3", 3, &[10.0, 0.0, 0.0, 20.0, 0.0, 0.0]);
    let broken = |pointer: &str, value: Value| {
        let mut document = good.clone();
        *document.pointer_mut(pointer).unwrap() = value;
        assert!(shown(&document, GltfOptions::default()).is_ok(), "{pointer}");
        shown(&document, at(1.0))
    };
    let times = |times: &[f32]| json!(data_uri(&float_bytes(times)));
    let channel = "animations[0].channels[0]";
    let values = |values, is_cubic| GltfFault::KeyValues { values, keys: 2, width: 1, is_cubic };
    for (pointer, value, want) in [
        ("/buffers/1/uri", times(&[2.0, 1.0]), GltfFault::KeyOrder { key: 1, time: 1.0, before: 2.0 }),
        ("/accessors/1/count", json!(0), GltfFault::SamplerWithout { what: "keys" }),
        ("/accessors/2/count", json!(1), values(1, false)),
        ("/animations/0/samplers/0/interpolation", json!("BEZIER"), GltfFault::Interpolation { name: "BEZIER".into() }),
        ("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"), values(2, true)),
        ("/animations/0/samplers/0", json!({}), GltfFault::SamplerWithout { what: "input" }),
        ("/animations/0/channels/0/sampler", json!(3), no_entry("samplers", 3, 1)),
        ("/animations/0/channels/0/target/node", json!(9), no_entry("nodes", 9, 1)),
    ] {
        assert_eq!(fault(broken(pointer, value)), (channel.into(), want));
    }
    let output = format!("{channel}.sampler.output (accessors[2])");
    let width = GltfFault::Components { found: 1, allowed: vec![3] };
    assert_eq!(fault(broken("/accessors/2/type", json!("SCALAR"))), (output, width));
    // What is not a number equals nothing.
    let time = fault(broken("/buffers/1/uri", times(&[f32::NAN, 1.0])));
    assert!(matches!(&time, (item, GltfFault::KeyTime { key: 0, .. }) if item == channel), "{time:?}");
    let value = fault(broken("/buffers/2/uri", times(&[f32::NAN; 6])));
    assert!(matches!(&value, (item, GltfFault::PoseNotFinite { at: 1.0, .. }) if item == channel), "{value:?}");
    let mut twice = good.clone();
    let channel = twice["animations"][0]["channels"][0].clone();
    twice["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
    let (_, warnings) = shown(&twice, at(1.0)).unwrap();
    assert_eq!(warnings[1], warning("animations[0].channels[1]", GltfWarning::MovedTwice));
}

#[test]
fn scenes_and_variants_are_chosen_by_name_or_number() {
    let document = triangle(json!({
        "nodes": [{"mesh": 0, "translation": [1, 0, 0]}, {"mesh": 0, "translation": [2, 0, 0]}],
        "scenes": [{"nodes": [0]}, {"name": "other", "nodes": [1]}],
        "materials": [{"name": "day"}, {"name": "dusk"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0, "extensions": {"KHR_materials_variants":
            {"mappings": [{"material": 1, "variants": [1]}]}}}]}],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "a"}, {"name": "b"}]}}}));
    let scene = |name: &str| GltfOptions { scene: Some(name.into()), ..GltfOptions::default() };
    for (name, want) in [("other", 2.0), ("1", 2.0), ("0", 1.0)] {
        assert_eq!(corners(&shown(&document, scene(name)).unwrap().0)[0][0], want, "{name}");
    }
    let no_choice = |kind, wanted: &str, names: [&str; 2]| GltfFault::NoChoice {
        kind,
        wanted: wanted.into(),
        names: names.map(String::from).to_vec(),
    };
    let found = fault(shown(&document, scene("2")));
    assert_eq!(found, ("scenes".into(), no_choice("scene", "2", ["", "other"])));
    let variant = |name: &str| GltfOptions { material_variant: Some(name.into()), ..GltfOptions::default() };
    for (name, want) in [("a", "day"), ("b", "dusk"), ("1", "dusk")] {
        let scene = shown(&document, variant(name)).unwrap().0;
        assert_eq!(scene.materials[scene.material_of(0, 0).index()].name, want, "{name}");
    }
    let found = fault(shown(&document, variant("c")));
    assert_eq!(found, ("material variants".into(), no_choice("material variant", "c", ["a", "b"])));
}

#[test]
fn copies_of_what_a_skin_places_are_said_to_be_left_out() {
    let nodes = json!([
        {"mesh": 0, "skin": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}},
        {"children": [2]}, {}]);
    let (scene, warnings) = import(&skinned(&FIRST, &ZERO_ONE, None, nodes)).unwrap();
    assert_eq!((scene.instances.len(), warnings), (1, vec![warning("nodes[0]", GltfWarning::CopiesOfSkinned)]));
}
